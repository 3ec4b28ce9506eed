"""Step 1a: a text that writes the language in another way is brought to the spelling of ours, and loses what is held out.

    python respell.py --like kik.tsv --text bible.tsv --language ki --out bible.ki.tsv

The Kikuyu Bible writes `thuutha` and `mbeeca` where people write `thutha` and `mbeca` today. A word whose double vowels are single in our text, clearly more often than not, gets the spelling of our text.
Lines of `bible.tsv` are `source<TAB>sentence`. Its verses also stand in our own text, whole or in parts, so lines that have a run of RUN words in common with a held-out sentence are left out.
"""
import argparse
import collections
import re

from prepare import read_rows, split_of
from text import normalise

DOUBLE = re.compile(r"([aeiouĩũ])\1+")
SEEN = 2  # times, by a spelling that others give way to
MORE = 2  # and more than so many times as often
RUN = 4  # words


def short(text):
    return DOUBLE.sub(r"\1", text)


class Spelling:
    """What our text makes of words that differ in double vowels alone."""

    def __init__(self, sentences):
        self.counts = collections.Counter(word for sentence in sentences for word in sentence.split())
        self.usual = {}
        for word, _ in reversed(self.counts.most_common()):
            self.usual[short(word)] = word

    def word(self, word):
        usual = self.usual.get(short(word), word)
        return usual if len(usual) < len(word) and self.counts[usual] >= SEEN and self.counts[usual] > MORE * self.counts[word] else word

    def sentence(self, sentence):
        return " ".join(map(self.word, sentence.split()))


class HeldOut:
    def __init__(self, sentences):
        self.sentences = [f" {short(sentence)} " for sentence in sentences]
        self.runs = {run for sentence in self.sentences for run in runs(sentence)}

    def has(self, sentence):
        sentence = short(sentence)
        found = runs(sentence)
        return not self.runs.isdisjoint(found) if found else any(f" {sentence} " in held for held in self.sentences)


def runs(sentence):
    words = sentence.split()
    return {tuple(words[i:i + RUN]) for i in range(len(words) - RUN + 1)}


def read(path, language):
    """[(source, normalised sentence)]"""
    return [(source, words) for source, sentence in read_rows(path) if (words := normalise(sentence, language))]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--like", required=True, help="our text: source<TAB>sentence")
    ap.add_argument("--text", required=True, help="the other text, the same way")
    ap.add_argument("--language", required=True)
    ap.add_argument("--out", required=True)
    args = ap.parse_args()
    ours = [sentence for _, sentence in read(args.like, args.language)]
    spelling, held = Spelling(ours), HeldOut([sentence for sentence in ours if split_of(sentence) != "train"])
    rows = [(source, spelling.sentence(sentence)) for source, sentence in read(args.text, args.language)]
    kept = [(source, sentence) for source, sentence in rows if not held.has(sentence)]
    with open(args.out, "w", encoding="utf-8") as out:
        out.writelines(f"{source}\t{sentence}\n" for source, sentence in kept)
    print(f"{len(kept)} of {len(rows)} lines")


if __name__ == "__main__":
    main()
