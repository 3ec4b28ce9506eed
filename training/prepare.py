"""Step 1: text files become normalised sentences in fixed splits, weights for their sources, and the pieces of the vocabulary.

    python prepare.py --text ki=kik.tsv --text luo=luo.tsv --out data/text
    python prepare.py --text ki=kik.tsv --text luo=luo.tsv --out data/text --tokens checkpoints/tokens.json      pieces of an earlier run

Each input line is `source<TAB>sentence`. A sentence's split is fixed by its hash, so it never wanders between sessions.
"""
import argparse
import collections
import hashlib
import json
import os
import random
import shutil

import number_words
import tokens
from text import normalise

PIECES = 384
WORDS = range(2, 46)  # longer lines are read in parts by nobody, and do not fit the longest bucket


def split_of(sentence):
    bucket = int(hashlib.sha1(sentence.encode()).hexdigest(), 16) % 200
    return "test" if bucket < 3 else "dev" if bucket == 3 else "train"


def read(path, language):
    """{sentence: (source, split)} of one file, in order, each sentence once. Lines whose digits became words are for training only:
    nobody has checked how they were read."""
    out = {}
    for line in open(path, encoding="utf-8"):
        source, _, sentence = line.rstrip("\n").partition("\t")
        words = normalise(sentence, language)
        spoken = None if words else number_words.expand(sentence, language)
        words = words or (normalise(spoken, language) if spoken else None)
        if words and len(words.split()) in WORDS and words not in out:
            out[words] = source, "train" if spoken else split_of(words)
    return out


def source_weights(sources, balance, factors):
    """{source: weight of each of its sentences}. A source of n sentences gets a share like n ** balance: 1 leaves the text as it is,
    0 gives every source the same."""
    counts = collections.Counter(sources)
    return {s: factors.get(s, 1.0) * n ** (balance - 1) for s, n in counts.items()}


class Sentences:
    """Draws what is to be spoken: sentences of the training split, words in random order, so that rare words and names are heard in many
    places and no sentence can be learned by heart, and numbers."""

    SENTENCE, NUMBERS = 0.77, 0.03

    def __init__(self, folder, language):
        rows = [line.rstrip("\n").split("\t") for line in open(os.path.join(folder, f"{language}.train.tsv"), encoding="utf-8")]
        weights = json.load(open(os.path.join(folder, "sources.json"), encoding="utf-8"))[language]
        self.language, self.texts = language, [text for _, text in rows]
        self.weights = accumulate(weights[source] for source, _ in rows)
        counts = collections.Counter(w for text in self.texts for w in text.split())
        self.words = list(counts)
        self.word_weights = accumulate(n ** 0.4 for n in counts.values())

    def draw(self, rng):
        kind = rng.random()
        if kind < self.SENTENCE:
            words = rng.choices(self.texts, cum_weights=self.weights)[0].split()
            if len(words) > 18:  # a part of a long one: most of what people say is short
                start = rng.randrange(len(words) - 10)
                words = words[start:start + rng.randint(6, 18)]
            return " ".join(words)
        if kind < self.SENTENCE + self.NUMBERS:
            return self.numbers(rng)
        return " ".join(rng.choices(self.words, cum_weights=self.word_weights, k=rng.randint(2, 12)))

    def numbers(self, rng):
        """One to three numbers of any size, at times behind a word."""
        said = [number_words.spell(rng.randrange(1, 10 ** rng.randint(1, 5)), self.language) for _ in range(rng.choice((1, 1, 2, 3)))]
        return " ".join(rng.choices(self.words, cum_weights=self.word_weights, k=rng.randint(0, 2)) + said)


def accumulate(weights):
    out, total = [], 0.0
    for w in weights:
        total += w
        out.append(total)
    return out


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--text", action="append", required=True, help="language=file.tsv")
    ap.add_argument("--out", required=True)
    ap.add_argument("--balance", type=float, default=0.6, help="1: sources as large as they are; 0: all alike")
    ap.add_argument("--weight", action="append", default=[], help="source=factor, on top of the balance; may be given again")
    ap.add_argument("--tokens", help="keep the pieces of this tokens.json, to go on from a checkpoint")
    args = ap.parse_args()
    os.makedirs(args.out, exist_ok=True)
    factors = {s: float(f) for s, f in (w.split("=") for w in args.weight)}
    weights = {}
    for language, path in (t.split("=", 1) for t in args.text):
        splits = collections.defaultdict(list)
        for sentence, (source, split) in read(path, language).items():
            splits[split].append((source, sentence))
        for split, rows in splits.items():
            with open(os.path.join(args.out, f"{language}.{split}.tsv"), "w", encoding="utf-8") as out:
                out.writelines(f"{source}\t{sentence}\n" for source, sentence in rows)
        sources = [source for source, _ in splits["train"]]
        weights[language], sizes = source_weights(sources, args.balance, factors), collections.Counter(sources)
        total = sum(weights[language][s] * n for s, n in sizes.items())
        print(language, {split: len(rows) for split, rows in splits.items()}, {s: f"{weights[language][s] * n / total:.0%}" for s, n in sizes.items()})
    json.dump(weights, open(os.path.join(args.out, "sources.json"), "w", encoding="utf-8"), indent=1)
    pieces = os.path.join(args.out, "tokens.json")
    shutil.copyfile(args.tokens, pieces) if args.tokens else make_pieces(args.out, weights, pieces)


def make_pieces(folder, languages, path):
    words, rng = collections.Counter(), random.Random(0)
    for language in languages:
        drawn = Sentences(folder, language)
        for _ in range(20000):  # pieces are counted over what will be spoken, half of it in each language
            words.update(drawn.draw(rng).split())
    vocabulary = tokens.train(words, PIECES)
    vocabulary.save(path)
    sample = [w for w, _ in words.most_common(20000)]
    print("pieces", len(vocabulary.pieces), "letters a piece", round(sum(map(len, sample)) / sum(len(vocabulary.word(w)) for w in sample), 2))


if __name__ == "__main__":
    main()
