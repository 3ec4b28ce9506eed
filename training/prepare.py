"""Step 1: text files become normalised sentences in fixed splits, weights for their sources, and the pieces of the vocabulary.

    python prepare.py --text ki=kik.tsv --text luo=luo.tsv --out data/text
    python prepare.py --text ki=kik.tsv --text luo=luo.tsv --out data/text --tokens checkpoints/tokens.json      pieces of an earlier run

Each input line is `source<TAB>sentence`. A sentence's split is fixed by its hash, so it never moves to another split. `loans.tsv` in
the folder (loans.py, before this step) brings the English and Swahili words that are put into sentences; `dev.tsv` there lists what the
evaluation sets hold, by kind of text.
"""
import argparse
import collections
import hashlib
import json
import os
import random
import shutil

import dev_sets
import language_model
import number_words
import sounds
import tokens
from text import normalise

PIECES = 384
WORDS = range(2, 46)  # nobody says longer lines without a break, and they do not fit the longest bucket


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
    """Draws what is to be spoken: sentences of the training split; one to three words, as people answer; words in random order, so that rare
    words and names are heard in many places and no sentence can be learned by heart; numbers; sentences with English or Swahili words."""

    SHARES = {"sentence": 0.52, "short": 0.20, "shuffled": 0.10, "numbers": 0.04, "mixed": 0.14}
    FUNCTION_WORDS = 100  # this many of the most frequent words are never replaced by a loan word

    def __init__(self, folder, language):
        rows = read_rows(os.path.join(folder, f"{language}.train.tsv"))
        weights = json.load(open(os.path.join(folder, "sources.json"), encoding="utf-8"))[language]
        self.language, self.texts = language, [text for _, text in rows]
        self.weights = accumulate(weights[source] for source, _ in rows)
        counts, mean = collections.Counter(), self.weights[-1] / len(rows)
        for source, text in rows:
            for word in text.split():
                counts[word] += weights[source] / mean
        self.frequent = {w for w, _ in counts.most_common(self.FUNCTION_WORDS)}
        counts.update(set(read_dictionary(folder, language)) - set(counts))
        counts = {w: n for w, n in counts.items() if len(w) > 1 and not set(w).isdisjoint("aeiouĩũ")}  # single letters are not words
        self.words = list(counts)
        self.word_weights = accumulate(n ** 0.4 for n in counts.values())
        self.phrases = read_phrases(os.path.join(folder, "phrases.tsv"), language)
        self.loans, self.loan_weights = read_loans(os.path.join(folder, "loans.tsv"))

    def draw(self, rng):
        return getattr(self, rng.choices(list(self.SHARES), self.SHARES.values())[0])(rng)

    def sentence(self, rng, longest=18):
        words = rng.choices(self.texts, cum_weights=self.weights)[0].split()
        if len(words) > longest:  # a part of a long one: most of what people say is short
            start = rng.randrange(len(words) - longest // 2)
            words = words[start:start + rng.randint(6, longest)]
        return " ".join(words)

    def short(self, rng):
        """A word, a few that stand together in a sentence, a phrase, or a number."""
        kind = rng.random()
        if kind < 0.55:
            return " ".join(self.vocabulary(rng, rng.choice((1, 1, 1, 2))))
        if kind < 0.68:
            words = self.sentence(rng).split()
            start = rng.randrange(len(words))
            return " ".join(words[start:start + rng.randint(1, 3)])
        if kind < 0.92 and self.phrases:
            return rng.choice(rng.choice(list(self.phrases.values())))
        return number_words.spell(rng.randrange(1, 10 ** rng.choice((1, 1, 2, 2, 3))), self.language)

    def shuffled(self, rng):
        return " ".join(self.vocabulary(rng, rng.randint(2, 12)))

    def vocabulary(self, rng, count):
        return rng.choices(self.words, cum_weights=self.word_weights, k=count)

    def numbers(self, rng):
        """One to three numbers of any size, sometimes after a word."""
        said = [number_words.spell(rng.randrange(1, 10 ** rng.randint(1, 5)), self.language) for _ in range(rng.choice((1, 1, 2, 3)))]
        return " ".join(self.vocabulary(rng, rng.randint(0, 2)) + said)

    def mixed(self, rng):
        return self.with_loans(self.sentence(rng, longest=14), rng)

    def with_loans(self, text, rng):
        """One or two loan words, sometimes two together, after or instead of a word that is not too frequent, or at the beginning."""
        words = text.split()
        for _ in range(rng.choice((1, 1, 2)) if self.loans else 0):
            loan = rng.choices(self.loans, cum_weights=self.loan_weights, k=rng.choice((1, 1, 1, 2)))
            places = [i for i, w in enumerate(words) if len(w) > 3 and w not in self.frequent] or range(len(words))
            at = rng.choice(places)
            start, end = rng.choice(((at, at + 1), (at + 1, at + 1), (at, at + 1), (at + 1, at + 1), (0, 0)))
            words[start:end] = loan
        return " ".join(words)


def read_rows(path):
    return [line.rstrip("\n").split("\t") for line in open(path, encoding="utf-8")]


def read_dictionary(folder, language):
    """The words that `write_dictionary` wrote; nothing where no dictionary was given."""
    path = dictionary_path(folder, language)
    return [word for _, word in read_rows(path)] if os.path.exists(path) else []


def write_dictionary(sources, folder, language):
    """The first column of dictionaries, as lines for language_model.py. Each word stands there so often that the contexts inside it are kept."""
    words = {normalise(row[0], language) for source in sources for row in read_rows(source)} - {None, ""}
    with open(dictionary_path(folder, language), "w", encoding="utf-8") as out:
        out.writelines(f"dictionary\t{word}\n" for word in sorted(words) for _ in range(2 * language_model.SEEN))


def dictionary_path(folder, language):
    return os.path.join(folder, f"{language}.words.tsv")


def read_phrases(path, language):
    """{kind: [what is said]}; nothing where there is no file."""
    out = collections.defaultdict(list)
    for languages, kind, text in read_rows(path) if os.path.exists(path) else ():
        if language in languages.split(","):
            out[kind].append(normalise(text, language))
    return out


def read_loans(path):
    """The words of loans.tsv that are put into sentences, with their weights summed up; the sounds learn how they are said."""
    weights = collections.Counter()
    if os.path.exists(path):
        sounds.load_lexicon(path)
        for word, weight, _ in read_rows(path):
            weights[word] += float(weight)
    words = {w: n for w, n in weights.items() if n > 0}
    return list(words), accumulate(words.values())


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
    ap.add_argument("--phrases", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "phrases.tsv"), help="language<TAB>kind<TAB>phrase")
    ap.add_argument("--spoken", type=int, default=20000, help="lines of short speech and of sentences with loan words for the language model")
    ap.add_argument("--dictionary", action="append", default=[], help="language=file.tsv, words in its first column: heard as single words, and known to the language model; may be given again")
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
    with open(os.path.join(args.out, "sources.json"), "w", encoding="utf-8") as out:
        json.dump(weights, out, indent=1)
    shutil.copy(args.phrases, os.path.join(args.out, "phrases.tsv"))
    dictionaries = collections.defaultdict(list)
    for language, path in (d.split("=", 1) for d in args.dictionary):
        dictionaries[language].append(path)
    for language, paths in dictionaries.items():
        write_dictionary(paths, args.out, language)
    drawn = {language: Sentences(args.out, language) for language in weights}
    dev_sets.write(args.out, drawn)
    for language in drawn:
        write_spoken(args.out, drawn[language], args.spoken)
    pieces = os.path.join(args.out, "tokens.json")
    shutil.copyfile(args.tokens, pieces) if args.tokens else make_pieces(args.out, weights, pieces)


def write_spoken(folder, sentences, count):
    """What the training hears beside the sources' own sentences, for language_model.py."""
    rng = random.Random(5)
    with open(os.path.join(folder, f"{sentences.language}.spoken.tsv"), "w", encoding="utf-8") as out:
        for _ in range(count):
            kind = rng.choices(("short", "numbers", "mixed"), (3, 1, 6))[0]
            out.write(f"{kind}\t{getattr(sentences, kind)(rng)}\n")


def make_pieces(folder, languages, path):
    words, rng = collections.Counter(), random.Random(0)
    for language in languages:
        drawn = Sentences(folder, language)
        for _ in range(20000):  # pieces are counted over what will be spoken, half of it in each language
            words.update(drawn.draw(rng).split())
    vocabulary = tokens.train(words, PIECES)
    vocabulary.save(path)
    sample = [w for w, _ in words.most_common(20000)]
    print("pieces", len(vocabulary.pieces), "letters per piece", round(sum(map(len, sample)) / sum(len(vocabulary.word(w)) for w in sample), 2))


if __name__ == "__main__":
    main()
