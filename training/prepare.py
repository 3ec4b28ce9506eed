"""Step 1: text files become normalised sentences in fixed splits, a table of words, and the pieces of the vocabulary.

    python prepare.py --text ki=kik.tsv --text luo=luo.tsv --out data/text

Each input line is `source<TAB>sentence`. A sentence's split is fixed by its hash, so it never wanders between sessions.
"""
import argparse
import collections
import hashlib
import os
import random

import tokens
from text import normalise

PIECES = 384
WORDS = range(2, 46)  # longer lines are read in parts by nobody, and do not fit the longest bucket
ONE_STYLE = ("ebible_luo",)  # two thirds of the Dholuo text is one book: the rest counts more


def split_of(sentence):
    bucket = int(hashlib.sha1(sentence.encode()).hexdigest(), 16) % 200
    return "test" if bucket < 3 else "dev" if bucket == 3 else "train"


def read(path, language):
    """{sentence: source} of one file, in order, each sentence once."""
    out = {}
    for line in open(path, encoding="utf-8"):
        source, _, sentence = line.rstrip("\n").partition("\t")
        words = normalise(sentence, language)
        if words and len(words.split()) in WORDS and words not in out:
            out[words] = source
    return out


class Sentences:
    """Draws what is to be spoken: sentences of the training split, and words in random order, so that rare words and names are
    heard in many places and no sentence can be learned by heart."""

    def __init__(self, folder, language):
        rows = [line.rstrip("\n").split("\t") for line in open(os.path.join(folder, f"{language}.train.tsv"), encoding="utf-8")]
        self.texts = [text for _, text in rows]
        self.weights = accumulate(1.0 if source in ONE_STYLE else 3.0 for source, _ in rows)
        counts = collections.Counter(w for text in self.texts for w in text.split())
        self.words = list(counts)
        self.word_weights = accumulate(n ** 0.4 for n in counts.values())

    def draw(self, rng):
        if rng.random() < 0.7:
            words = rng.choices(self.texts, cum_weights=self.weights)[0].split()
            if len(words) > 18:  # a part of a long one: most of what people say is short
                start = rng.randrange(len(words) - 10)
                words = words[start:start + rng.randint(6, 18)]
            return " ".join(words)
        return " ".join(rng.choices(self.words, cum_weights=self.word_weights, k=rng.randint(2, 12)))


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
    args = ap.parse_args()
    os.makedirs(args.out, exist_ok=True)
    words = collections.Counter()
    for language, path in (t.split("=", 1) for t in args.text):
        splits = collections.defaultdict(list)
        for sentence, source in read(path, language).items():
            splits[split_of(sentence)].append((source, sentence))
        for split, rows in splits.items():
            with open(os.path.join(args.out, f"{language}.{split}.tsv"), "w", encoding="utf-8") as out:
                out.writelines(f"{source}\t{sentence}\n" for source, sentence in rows)
        drawn, rng = Sentences(args.out, language), random.Random(0)
        for _ in range(20000):  # pieces are counted over what will be spoken, half of it in each language
            words.update(drawn.draw(rng).split())
        print(language, {split: len(rows) for split, rows in splits.items()})
    vocabulary = tokens.train(words, PIECES)
    vocabulary.save(os.path.join(args.out, "tokens.json"))
    sample = [w for w, _ in words.most_common(20000)]
    print("pieces", len(vocabulary.pieces), "letters a piece", round(sum(map(len, sample)) / sum(len(vocabulary.word(w)) for w in sample), 2))


if __name__ == "__main__":
    main()
