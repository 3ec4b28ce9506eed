"""Step 2d: real speech whose text we cannot use is written down by Whisper's encoder, which was tuned on our phones.

    python whisper_phones.py ... --packed whisper-small.npz --minutes 3 --save tuned.pt
    python heard.py --whisper whisper-small.npz --tuned tuned.pt --packed real/many.npz --packed real/en-people.npz --out data/speech

There are hardly any recordings with a text in letters that sound like ours, but thousands of people who were recorded with another one, or with none. The tuned
encoder hears their phones and where words end; the words are spelled as a Kikuyu or a Dholuo writer would, so that such speech teaches all layers
of the network, not only those below the phone head. Clips that it is not sure of are left out. The shards are a kind of their own (`train.py --shares heard=0.15`);
with `--checkpoint` our own network finds the times of the words, and single ones are cut out, as from every other recording (`recorded.py`).

    python heard.py ... --kind crowd --packed real/en-clips.npz

A source that is much larger than the others is a kind of its own, and gives no single words: many hours of one language would drown the few of many. Words that were said
alone are another (`--kind alone`): nothing has to be cut out of them.
"""
import argparse
import collections
import concurrent.futures
import os
import random

import numpy as np
import torch

import codec
import sounds
import splice
from pool import FRAME
from real_voices import collapse
from recorded import Writers, aligner, source_name, write_aligned
from shards import RATE
from sounds import WORD_END
from whisper_phones import BLANK, TAIL, PhoneWhisper

SILENCE = sounds.LABEL["sil"]
FEWEST = 4  # phones: less is a cough or a click more often than a word
SURE = 0.6  # mean probability of the answers that are not blank
LONGEST = 28 * RATE  # Whisper hears 30 s at a time
PART_CLIPS = 200  # decoded by one process at a time


def words_of(answers):
    """[phone, word end or blank, ...] in time -> [[phone, ...], ...]"""
    words = [[]]
    for answer in collapse(answers, BLANK):
        if answer == WORD_END:
            words.append([])
        elif answer != SILENCE:  # no text has it, but a network that has just begun says it
            words[-1].append(answer)
    return [word for word in words if word]


@torch.no_grad()
def hear(net, waves, device):
    """[int16 wave] -> for each its words, and how sure the network is."""
    batch = torch.zeros(len(waves), (max(map(len, waves)) // FRAME + TAIL) * FRAME)
    for row, wave in zip(batch, waves):
        row[:len(wave)] = torch.from_numpy(wave.astype(np.float32)) / 32768
    probability, answer = net(batch.to(device)).softmax(-1).max(-1)
    said = answer != BLANK
    sure = (probability * said).sum(1) / said.sum(1).clamp(min=1)
    return [(words_of(row), s) for row, s in zip(answer.tolist(), sure.tolist())]


def decoded(path, library, part, parts):
    return [(wave, speaker) for wave, speaker, _ in codec.unpack(path, library, part, parts) if 0 < len(wave) <= LONGEST]


def batches(clips, seconds):
    """Clips of a similar length, together about so many seconds."""
    batch, clips = [], sorted(clips, key=lambda c: len(c[0]))
    for clip in clips:
        if batch and (len(batch) + 1) * len(clip[0]) > seconds * RATE:
            yield batch
            batch = []
        batch.append(clip)
    if batch:
        yield batch


def write_down(net, clips, write, listen, args, rng, counted):
    for batch in batches(clips, args.seconds):
        kept = []
        for (wave, speaker), (words, sure) in zip(batch, hear(net, [c[0] for c in batch], args.device)):
            if sum(map(len, words)) < FEWEST or sure < args.sure:
                counted["left out"] += 1
                continue
            prompt = rng.choice(("ki", "luo"))
            text = " ".join(splice.spelling(word, prompt) for word in words)
            kept.append((wave / np.float32(32768), speaker, {prompt: text}, words))
            counted["kept"] += 1
            if counted["kept"] <= args.show:
                print(f"    {prompt}  {sure:.2f}  {text}")
        write_aligned(kept, listen, write, rng, args.kind, words_too=args.kind == "heard")


def write_file(net, listen, path, args):
    write, counted, rng = Writers(args.out, source_name(path)), collections.Counter(), random.Random(0)
    parts = -(-len(np.load(path)["count"]) // PART_CLIPS)
    with concurrent.futures.ProcessPoolExecutor(args.workers) as workers:
        for clips in workers.map(decoded, *zip(*((path, args.opus, k, parts) for k in range(parts)))):
            write_down(net, clips, write, listen, args, rng, counted)
    print(path, dict(counted), flush=True)
    write.finish()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--whisper", required=True, help="Whisper's encoder, packed by whisper.py")
    ap.add_argument("--tuned", required=True, help="its weights, tuned and saved by whisper_phones.py")
    ap.add_argument("--packed", action="append", required=True, help="recordings, packed by codec.py; may be given again. Their texts are not read")
    ap.add_argument("--out", required=True)
    ap.add_argument("--kind", choices=("heard", "crowd", "alone"), default="heard", help="the share of the training that they belong to")
    ap.add_argument("--sure", type=float, default=SURE, help="the least mean probability of what is kept")
    ap.add_argument("--checkpoint", help="finds the times of phones and words with this model")
    ap.add_argument("--seconds", type=float, default=600, help="audio in a batch")
    ap.add_argument("--workers", type=int, default=os.cpu_count())
    ap.add_argument("--show", type=int, default=0, help="print so many texts of each file")
    ap.add_argument("--opus", help="libopus, where it is not installed")
    ap.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = ap.parse_args()
    net = PhoneWhisper(args.whisper, args.device)
    net.load_state_dict(torch.load(args.tuned, map_location=args.device, weights_only=True))
    net.eval()
    listen = aligner(args.checkpoint, args.device)
    for path in args.packed:
        write_file(net, listen, path, args)


if __name__ == "__main__":
    main()
