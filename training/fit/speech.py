"""Recordings become shards, one folder each for training, dev and test. Done once: a later run finds them."""
import collections
import concurrent.futures
import json
import os

from evaluate import Clip, read_clips
from fit import audio, recordings, spelling, split
from shards import RATE, ShardWriter, unknown_labels

PARTS = ("train", "dev", "test")
SHOWN = 5  # names of each problem that are printed; the file has them all


def prepare(args, slot):
    """Writes WORK/speech/{train,dev,test}, WORK/recordings.json and WORK/problems.tsv."""
    facts_path = os.path.join(args.work, "recordings.json")
    if os.path.exists(facts_path):
        print(f"{facts_path} is there: the recordings are not read again", flush=True)
        return json.load(open(facts_path, encoding="utf-8"))
    found, problems = recordings.read(args.folder, args.layout)
    usable = []
    for recording in found:
        text = spelling.normalise(recording.text, args.code)
        if text:
            usable.append(recording._replace(text=text))
        else:
            problems["digits or no words in the text"].append(recording.name)
    if not usable:
        raise recordings.LayoutError(f"none of the {len(found)} rows in {args.folder} can be used: {summary(problems)}")
    parts, new_speakers = split.split([(r.speaker, r.text) for r in usable], args.seed, args.held_out)
    facts = {"rows": len(found), "new_speakers": new_speakers, "speakers": len({r.speaker for r in usable if r.speaker})}
    for part in PARTS:
        facts[part] = write_part([usable[i] for i in parts[part]], os.path.join(args.work, "speech", part), slot, problems, args.threads)
    facts["problems"] = {reason: len(names) for reason, names in problems.items()}
    write_problems(problems, os.path.join(args.work, "problems.tsv"))
    json.dump(facts, open(facts_path, "w", encoding="utf-8"), indent=1)
    return facts


def write_part(chosen, folder, slot, problems, threads):
    """Decodes side by side, writes in order. Recordings have no phone times."""
    os.makedirs(folder, exist_ok=True)
    writer, counted = ShardWriter(folder, "recorded"), collections.Counter()
    decode, speakers = audio.decoder(), set()

    def samples_of(recording):
        try:
            samples = decode(recording.audio() if callable(recording.audio) else recording.audio)
            audio.check(samples, recording.text)
            return samples
        except audio.AudioError as error:
            problems[str(error)].append(recording.name)
            return None
    with concurrent.futures.ThreadPoolExecutor(threads) as workers:
        for recording, samples in zip(chosen, workers.map(samples_of, chosen)):
            if samples is not None:
                writer.add(samples, unknown_labels(len(samples)), recording.text, [], slot, recording.speaker)
                counted.update(clips=1, samples=len(samples))
                speakers.add(recording.speaker)
    writer.flush()
    return {"clips": counted["clips"], "hours": round(counted["samples"] / RATE / 3600, 2), "speakers": len(speakers)}


def write_problems(problems, path):
    with open(path, "w", encoding="utf-8") as out:
        for reason, names in sorted(problems.items()):
            out.writelines(f"{reason}\t{name}\n" for name in names)
            print(f"left out: {len(names)} x {reason}: {', '.join(names[:SHOWN])}{' ...' if len(names) > SHOWN else ''}", flush=True)


def summary(problems):
    return "; ".join(f"{len(names)} x {reason}" for reason, names in problems.items())


def clips(work, part) -> list[Clip]:
    return read_clips(os.path.join(work, "speech", part))


def texts(work):
    return [clip.text for clip in clips(work, "train")]
