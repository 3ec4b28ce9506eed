"""Step 2b: recorded speech with transcripts becomes shards for the training: one's own recordings, or real speech of neighbours.

    python recorded.py --manifest my/manifest.tsv --language ki --out data/speech

The manifest has a header and at least the columns `file` (relative to the manifest) and `text`. There are no phone times here: the
phones of the text serve as a sequence only.
"""
import argparse
import csv
import os
import random
import wave as wave_file

import numpy as np

import sounds
from shards import RATE, UNKNOWN, ShardWriter, resample, to_int16
from text import normalise


def read_audio(path):
    if path.endswith(".wav"):
        with wave_file.open(path) as file:
            if (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (RATE, 1, 2):
                return np.frombuffer(file.readframes(file.getnframes()), np.int16) / np.float32(32768)
    import soundfile  # every other format
    wave, rate = soundfile.read(path, dtype="float32", always_2d=True)
    return wave.mean(1) if rate == RATE else resample(wave.mean(1), rate)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--manifest", required=True)
    ap.add_argument("--language", required=True, choices=("ki", "luo", "sw", "yo"))
    ap.add_argument("--out", required=True)
    ap.add_argument("--suffix", help="read FILE with this ending instead of its own, where the audio was converted")
    args = ap.parse_args()
    folder, rng = os.path.dirname(args.manifest), random.Random(0)
    writer, kept, dropped = ShardWriter(args.out, f"recorded-{args.language}"), 0.0, 0
    for row in csv.DictReader(open(args.manifest, encoding="utf-8"), delimiter="\t", quoting=csv.QUOTE_NONE):
        text = normalise(row["text"], args.language)
        if not text:  # digits: nobody knows how they were said
            dropped += 1
            continue
        name = os.path.splitext(row["file"])[0] + args.suffix if args.suffix else row["file"]
        wave = read_audio(os.path.join(folder, name))
        phones = sounds.phone_ids(sounds.spoken(text, args.language, rng))
        writer.add(to_int16(wave, 0.7), [UNKNOWN] * (len(wave) // 320 + 1), text, phones, args.language, "recorded:" + row.get("speaker", "?"))
        kept += len(wave) / RATE
    writer.flush()
    print(f"{args.language}: {kept / 3600:.2f} h, {dropped} lines without a sure reading left out")


if __name__ == "__main__":
    main()
