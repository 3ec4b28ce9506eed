"""Step 5b: a small language model over pieces, learned from text alone, that tells the server's search which spelling is more likely.

    python language_model.py --text data/text/ki.train.tsv --tokens checkpoints/tokens.json --package ../models/svc-asr-kikuyu-v1

It takes a minute on a CPU and needs no audio, so a clinic or a radio station can add its own words: `--text` may be given several
times (lines `source<TAB>sentence`, or just sentences). Interpolated Kneser-Ney over at most ORDER pieces; contexts that were seen
fewer than `--seen` times are left to shorter ones.

    python language_model.py --text data/text/luo.train.tsv ... --large ebible_luo

A source that is much larger than all others, and of one kind, would decide what the others say rarely. So two models are learned, one of
everything and one without it, and each probability is the mean of theirs.
"""
import argparse
import collections
import json
import math
import os
import struct

import numpy as np

from package_files import entry, write_json
from text import normalise
from tokens import Tokens

MAGIC, FIRST_MAGIC = b"SAUTILM2", b"SAUTILM1"  # until 1.11.0 the second weight in the file had another meaning
ORDER = 5
DISCOUNT = 0.75
SEEN = 3  # times, by a context of two and more pieces that is kept
STEPS = 12  # of a natural logarithm, in the 8 bits of a cost
TINY = 1e-9  # of a probability that nothing is left of

# How much weight the search gives it: the model's weight, how much of what the network expects by itself is taken off, and what a piece is worth.
# Chosen on strangers, each with a model of their own language beside the network, and on synthetic voices.
WEIGHT, NETWORK_WEIGHT, PIECE_BONUS = 0.65, 0.4, 1.3


class LanguageModel:
    """levels[k]: {context of k pieces: ({piece: log probability}, log weight of what is left to the shorter context)}"""

    def __init__(self, vocabulary, levels):
        self.vocabulary, self.levels = vocabulary, levels

    @property
    def start(self):
        return (self.vocabulary,)  # the blank's number stands for the beginning

    def step(self, context, piece):
        return (*context, piece)[-(len(self.levels) - 1):]

    def likely(self, context):
        """Log probabilities of every piece after the context."""
        out = np.full(self.vocabulary, -math.log(self.vocabulary))
        for k, level in enumerate(self.levels):
            found = level.get(context[len(context) - k:]) if k <= len(context) else None
            if found is not None:
                seen, rest = found
                out = out + rest
                out[list(seen)] = list(seen.values())
        return out

    def gains(self, context, expected):
        """What the search adds to the network's score of every piece. `expected`: log probabilities by the network, which has heard nothing."""
        return WEIGHT * self.likely(context) - NETWORK_WEIGHT * expected + PIECE_BONUS


def learn(sentences, vocabulary, seen=SEEN):
    """sentences: lists of pieces. Contexts of two and more pieces must have been seen at least `seen` times."""
    counts = [collections.defaultdict(collections.Counter) for _ in range(ORDER)]
    for pieces in sentences:
        padded = [vocabulary, *pieces]
        for i in range(1, len(padded)):
            for k in range(min(ORDER, i + 1)):
                counts[k][tuple(padded[i - k:i])][padded[i]] += 1
    return LanguageModel(vocabulary, interpolate(drop_rare(continuations(counts, vocabulary), seen), vocabulary))


def continuations(counts, vocabulary):
    """Kneser-Ney: a shorter context counts in how many different places a piece was seen, not how often. Contexts that begin with the
    beginning have no longer ones and keep their counts."""
    out = [None] * (ORDER - 1) + [counts[-1]]
    for k in range(ORDER - 1):
        places = collections.defaultdict(collections.Counter)
        for context, pieces in counts[k + 1].items():
            for piece in pieces:
                places[context[1:]][piece] += 1
        places.update({c: pieces for c, pieces in counts[k].items() if c[:1] == (vocabulary,)})
        out[k] = places
    return out


def drop_rare(counts, seen):
    return [table if k < 2 else {c: p for c, p in table.items() if sum(p.values()) >= seen} for k, table in enumerate(counts)]


def interpolate(counts, vocabulary):
    levels = []
    for table in counts:
        shorter = LanguageModel(vocabulary, levels[:])
        level = {}
        for context, pieces in table.items():
            total, lower = sum(pieces.values()), np.exp(shorter.likely(context[1:]))
            rest = DISCOUNT * len(pieces) / total
            seen = {p: math.log(max(n - DISCOUNT, 0) / total + rest * lower[p]) for p, n in pieces.items()}
            level[context] = (seen, math.log(rest))
        levels.append(level)
    return levels


def mixed(one, other):
    """The mean of both models. What a context leaves to the shorter one is what makes its probabilities sum to one."""
    levels = []
    for k, tables in enumerate(zip(one.levels, other.levels)):
        shorter, level = LanguageModel(one.vocabulary, levels[:]), {}
        for context in tables[0].keys() | tables[1].keys():
            pieces = sorted(set().union(*(table[context][0] for table in tables if context in table)))
            mean, lower = (np.exp(one.likely(context)) + np.exp(other.likely(context))) / 2, np.exp(shorter.likely(context[1:]))
            rest = max(1 - mean[pieces].sum(), TINY) / max(1 - lower[pieces].sum(), TINY)
            level[context] = (dict(zip(pieces, np.log(mean[pieces]).tolist())), math.log(rest))
        levels.append(level)
    return LanguageModel(one.vocabulary, levels)


# The file --------------------------------------------------------------------------------------------------------------

def save(model, path):
    """Head, then each level: its contexts in order, what each leaves to the shorter one, where each one's pieces end, the pieces, and
    their costs. Every array begins at a multiple of four bytes; all numbers are little-endian."""
    with open(path, "wb") as out:
        out.write(MAGIC + struct.pack("<IIfff", len(model.levels), model.vocabulary, WEIGHT, NETWORK_WEIGHT, PIECE_BONUS))
        for level in model.levels:
            contexts = sorted(level)
            pieces = [(p, cost(level[c][0][p])) for c in contexts for p in sorted(level[c][0])]
            ends = np.cumsum([len(level[c][0]) for c in contexts])
            out.write(struct.pack("<II", len(contexts), len(pieces)))
            for array in (np.array(contexts, "<u2").ravel(), np.array([level[c][1] for c in contexts], "<f4"), ends.astype("<u4"),
                          np.array([p for p, _ in pieces], "<u2"), np.array([c for _, c in pieces], "u1")):
                out.write(array.tobytes() + b"\0" * (-array.nbytes % 4))


def cost(log_probability):
    return min(255, round(-log_probability * STEPS))


def load(path):
    data = open(path, "rb").read()
    assert data[:8] in (MAGIC, FIRST_MAGIC), f"{path} is no language model"
    order, vocabulary = struct.unpack_from("<II", data, 8)
    levels, at = [], 28

    def take(kind, count):
        nonlocal at
        array = np.frombuffer(data, kind, count, at)
        at += array.nbytes + -array.nbytes % 4
        return array
    for k in range(order):
        contexts, entries = take("<u4", 2)
        keys, rests, ends = take("<u2", contexts * k).reshape(contexts, k), take("<f4", contexts), take("<u4", contexts)
        pieces, costs = take("<u2", entries), take("u1", entries)
        starts = [0, *ends[:-1]]
        levels.append({tuple(map(int, key)): (dict(zip(map(int, pieces[a:b]), (-costs[a:b].astype(float) / STEPS).tolist())), float(rest))
                       for key, rest, a, b in zip(keys, rests, starts, ends)})
    return LanguageModel(vocabulary, levels)


def read_sentences(paths, language, tokens):
    """Yields (source, pieces)."""
    for path in paths:
        for line in open(path, encoding="utf-8"):
            source, _, sentence = line.rstrip("\n").rpartition("\t")
            pieces = tokens.encode(normalise(sentence, language) or "")
            if pieces:
                yield source, pieces


def learn_sources(sentences, vocabulary, seen, large):
    """sentences: [(source, pieces)]; large: sources that are kept out of one of two models."""
    whole = learn([pieces for _, pieces in sentences], vocabulary, seen)
    if not large:
        return whole
    return mixed(whole, learn([pieces for source, pieces in sentences if source not in large], vocabulary))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--text", action="append", required=True)
    ap.add_argument("--tokens", required=True)
    ap.add_argument("--seen", type=int, default=SEEN)
    ap.add_argument("--large", action="append", default=[], help="a source that is much larger than the others together; may be given again")
    ap.add_argument("--package", required=True, help="folder of the model; its manifest is updated")
    args = ap.parse_args()
    manifest_path = os.path.join(args.package, "manifest.json")
    manifest, tokens = json.load(open(manifest_path, encoding="utf-8")), Tokens.load(args.tokens)
    sentences = list(read_sentences(args.text, manifest["language_code"], tokens))
    for source in set(args.large) - {source for source, _ in sentences}:
        ap.error(f"--large {source}: the text has no sentence of this source")
    model = learn_sources(sentences, tokens.blank, args.seen, args.large)
    save(model, os.path.join(args.package, "language-model.bin"))
    manifest["files"]["language_model"] = entry(args.package, "language-model.bin")
    write_json(manifest_path, manifest)
    size = manifest["files"]["language_model"]["bytes"]
    print(f"{sum(len(level) for level in model.levels)} contexts, {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
