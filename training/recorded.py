"""Step 2b: recorded speech with transcripts becomes shards for the training: one's own recordings, or real speech of neighbours.

    python recorded.py --manifest my/manifest.tsv --language ki --out data/speech
    python recorded.py --packed real/lg.npz --checkpoint checkpoints/joint-v15.pt.xz --out data/speech     made by codec.py
    python recorded.py --packed real/english.npz --kind crowd ...                                          whose text is sounds (`ipa.py`)
    python recorded.py --packed real/sw-words.npz --kind alone ...                                         words that were said alone

The manifest has a header and at least the columns `file` (relative to the manifest) and `text`. Neighbours' speech is written down as a Kikuyu and
as a Dholuo writer would hear it, so that the whole network learns from real voices. Phone times come from the model at hand
(`align.py`); with them single words are cut out, because people often say no more than one.
"""
import argparse
import csv
import itertools
import os
import random

import numpy as np

import codec
import english_words
import ipa
import sounds
import splice
from shards import LABEL_HOP, RATE, ShardWriter, read_wav, resample, to_int16, unknown_labels
from text import normalise

PROMPTS = {"sw": ("ki", "luo", "sw"), "lg": ("ki", "luo"), "ha": ("ki", "luo"), "fon": ("ki", "luo"), "ibb": ("ki", "luo"), "iba": ("ki", "luo"), "yo": ("yo",)}  # under which prompts each neighbour is heard
MARGIN = int(0.06 * RATE)  # kept around a word that is cut out
FASTEST = 0.05 * RATE  # samples per phone: anything shorter was not aligned well
SPLICED = 2  # new words made for each that was aligned
BATCH = 24


def read_audio(path):
    samples = read_wav(path) if path.endswith(".wav") else None
    if samples is not None:
        return samples / np.float32(32768)
    import soundfile  # every other format
    wave, rate = soundfile.read(path, dtype="float32", always_2d=True)
    return wave.mean(1) if rate == RATE else resample(wave.mean(1), rate)


def read_manifest(args):
    """Yields (float wave, speaker, text)."""
    folder = os.path.dirname(args.manifest)
    for row in csv.DictReader(open(args.manifest, encoding="utf-8"), delimiter="\t", quoting=csv.QUOTE_NONE):
        name = os.path.splitext(row["file"])[0] + args.suffix if args.suffix else row["file"]
        yield read_audio(os.path.join(folder, name)), row.get("speaker", "?"), row["text"]


def read_packed(args):
    for wave, speaker, text in itertools.islice(codec.unpack(args.packed, args.opus), args.limit):
        yield wave / np.float32(32768), speaker, text


def spellings(text, language):
    """{prompt: the text as it is written under that prompt}; empty where nobody knows how it was said (digits)."""
    prompts = PROMPTS.get(language, (language,))
    written = {p: normalise(text, p) if p == language else sounds.transliterate(text, language, p) for p in prompts}
    return written if all(written.values()) else {}


def speech(args, clips, write):
    """Whole clips, and words cut out of those that could be aligned."""
    rng, listen = random.Random(0), aligner(args.checkpoint, args.device)
    for part in parts_of(clips, BATCH):
        known = []
        for wave, speaker, text in part:
            written = spellings(text, args.language)
            if written:
                said = sounds.spoken(normalise(text, args.language), args.language, rng)
                known.append((wave, speaker, written, sounds.phones_by_word(said)))
        kind = args.kind or "recorded"
        write_aligned(known, listen, write, rng, kind, words_too=kind != "alone")


def by_sound(args, clips, write):
    """Clips whose texts are sounds (`ipa.py`), written as a Kikuyu or a Dholuo writer would hear them, and words cut out of them."""
    rng, listen, kind = random.Random(0), aligner(args.checkpoint, args.device), args.kind or "heard"
    for part in parts_of(clips, BATCH):
        heard = []
        for wave, speaker, text in part:
            words, prompt = [[sounds.LABEL[p] for p in word] for word in ipa.phones(text)], rng.choice(("ki", "luo"))
            heard.append((wave, speaker, {prompt: " ".join(splice.spelling(word, prompt) for word in words)}, words))
        write_aligned(heard, listen, write, rng, kind, words_too=kind == "heard")


def parts_of(items, size):
    items = iter(items)
    while part := list(itertools.islice(items, size)):
        yield part


def aligner(checkpoint, device):
    if not checkpoint:
        return lambda waves, words: [None] * len(waves)
    import align
    from model import load_checkpoint
    model = load_checkpoint(checkpoint).to(device).eval()
    return lambda waves, words: [align.align(s, w) for s, w in zip(align.label_scores(model, waves, device), words)]


def write_aligned(clips, listen, write, rng, kind="recorded", words_too=True):
    """[(wave, speaker, {prompt: text}, [phones of a word])]: the clips, and words cut out of those that could be aligned."""
    if not clips:
        return
    for (wave, speaker, written, words), found in zip(clips, listen([c[0] for c in clips], [c[3] for c in clips])):
        labels, spans = found or (unknown_labels(len(wave)), None)
        for prompt, text in written.items():
            write(kind, wave, labels, text, sounds.with_ends(words), prompt, speaker)
            if words_too and spans and len(text.split()) == len(words):
                for part in cut_words(wave, labels, text.split(), words, spans, rng):
                    write("words", *part, prompt, speaker)


def cut_words(wave, labels, texts, words, spans, rng):
    """About a third of a clip's words, one to three at a time."""
    at = 0
    while at < len(words):
        count = rng.choice((1, 1, 1, 2, 3))
        group = [s for s in spans[at:at + count] if s]
        if rng.random() < 0.5 and len(group) == len(spans[at:at + count]):
            phones = [p for w in words[at:at + count] for p in w]
            start, end = max(0, group[0][0] - MARGIN), min(len(wave), group[-1][1] + MARGIN)
            start -= start % LABEL_HOP
            if len(phones) > 2 and group[-1][1] - group[0][0] > FASTEST * len(phones):
                yield wave[start:end], labels[start // LABEL_HOP:-(-end // LABEL_HOP)], " ".join(texts[at:at + count]), sounds.with_ends(words[at:at + count])
        at += count


def single_words(args, clips, write):
    """Single English words of many speakers, a second each, one to three at a time; and new words made of their parts."""
    rng, listen, clips = random.Random(0), aligner(args.checkpoint, args.device), list(clips)
    for wave, speaker, text in english_words.heard(clips):
        words, at = text.lower().split(), 0
        aligned = align_words(wave, words, listen, rng)
        write_voice(wave, words, aligned, lambda *made, speaker=speaker: write("voices", *made, speaker))
        write_spliced(aligned, lambda *made, speaker=speaker: write("spliced", *made, speaker), rng)
        while at < len(words):
            count = min(rng.choice((1, 1, 1, 2, 3)), len(words) - at)
            part, said = wave[at * RATE:(at + count) * RATE], " ".join(words[at:at + count])
            phones = sounds.with_ends(sounds.phones_by_word(sounds.spoken(said, "en", rng)))
            write("english", part, unknown_labels(len(part)), said, phones, rng.choice(("ki", "luo")), speaker)
            at += count


def align_words(wave, words, listen, rng):
    """[(wave, labels, phones, spans)] of those words, a second each, that could be aligned, each phone as if it were a word."""
    said = [sounds.phone_ids(sounds.spoken(word, "en", rng)) for word in words]
    seconds = [wave[i * RATE:(i + 1) * RATE] for i in range(len(words))]
    found = listen(seconds, [[[p] for p in phones] for phones in said])
    return [(second, labels_and_spans[0], phones, labels_and_spans[1]) for second, phones, labels_and_spans in zip(seconds, said, found) if labels_and_spans]


def write_voice(wave, words, aligned, write):
    """The whole recording, for `mimic`, which goes on speaking as somebody began."""
    if aligned and len(aligned) == len(words):
        labels = np.concatenate([labels[:RATE // LABEL_HOP] for _, labels, _, _ in aligned])
        write(wave[:len(words) * RATE], labels, " ".join(words), sounds.with_ends([phones for _, _, phones, _ in aligned]), "ki")


def write_spliced(aligned, write, rng):
    """New words of one speaker's voice."""
    for part, labels, phones in splice.new_words(aligned, SPLICED * len(aligned), rng):
        prompt = rng.choice(("ki", "luo"))
        write(part, labels, splice.spelling(phones, prompt), sounds.with_ends([phones]), prompt)


def noises(clips, write):
    """Recorded sounds for which nothing is to be written."""
    for wave, speaker, _ in clips:
        write("sounds", wave, np.zeros(len(wave) // LABEL_HOP + 1, np.uint8), "", [], "ki", speaker)


class Writers:
    """A shard writer for each kind; counts what was written. Shards are named by their source: one language may have several."""

    def __init__(self, out, source):
        self.out, self.source, self.writers, self.seconds = out, source, {}, {}

    def __call__(self, kind, wave, labels, text, phones, prompt, speaker):
        if kind not in self.writers:
            self.writers[kind] = ShardWriter(self.out, f"{kind}-{self.source}")
        self.writers[kind].add(to_int16(wave, 0.7), labels, text, phones, prompt, f"{kind}:{self.source}:{speaker}")
        self.seconds[kind] = self.seconds.get(kind, 0) + len(wave) / RATE

    def finish(self):
        for writer in self.writers.values():
            writer.flush()
        print(self.source, {kind: f"{seconds / 3600:.2f} h" for kind, seconds in self.seconds.items()}, flush=True)


def source_name(packed):
    return os.path.splitext(os.path.basename(packed))[0]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--manifest")
    ap.add_argument("--packed", help="a file that codec.py made, instead of a manifest; it names its language")
    ap.add_argument("--language", choices=("ki", "luo", "sw", "yo"))
    ap.add_argument("--out", required=True)
    ap.add_argument("--suffix", help="read FILE with this ending instead of its own, where the audio was converted")
    ap.add_argument("--checkpoint", help="finds the times of phones and words with this model")
    ap.add_argument("--kind", choices=("heard", "crowd", "alone"), help="the share of the training that it belongs to: recorded, or heard where the text is its sounds, if nothing is said here")
    ap.add_argument("--lexicon", help="how English words are said, made by loans.py")
    ap.add_argument("--opus", help="libopus, where it is not installed")
    ap.add_argument("--limit", type=int, help="at most so many clips")
    ap.add_argument("--device", default="cpu")
    args = ap.parse_args()
    if args.lexicon:
        sounds.load_lexicon(args.lexicon)
    if args.packed:
        args.language = str(np.load(args.packed)["language"])
    clips, writers = read_packed(args) if args.packed else read_manifest(args), Writers(args.out, source_name(args.packed) if args.packed else args.language)
    if args.language == "en":
        single_words(args, clips, writers)
    elif args.language == "noise":
        noises(clips, writers)
    elif args.language == "ipa":
        by_sound(args, clips, writers)
    else:
        speech(args, clips, writers)
    writers.finish()


if __name__ == "__main__":
    main()
