"""A small byte-pair vocabulary: pieces of words, `▁` marks a word's start. No dependency, one JSON file."""
import collections
import json

START = "▁"


class Tokens:
    def __init__(self, pieces, merges):
        self.pieces = pieces
        self.ids = {p: i for i, p in enumerate(pieces)}
        self.ranks = {tuple(m): i for i, m in enumerate(merges)}
        self.cache = {}

    @property
    def blank(self):
        return len(self.pieces)

    def encode(self, text):
        return [i for word in text.split() for i in self.word(word)]

    def word(self, word):
        if word not in self.cache:
            parts = [START, *word]
            while len(parts) > 1:
                pairs = [(self.ranks.get(p, 1 << 30), i) for i, p in enumerate(zip(parts, parts[1:]))]
                rank, i = min(pairs)
                if rank == 1 << 30:
                    break
                parts[i:i + 2] = [parts[i] + parts[i + 1]]
            self.cache[word] = [self.ids.get(p, 0) for p in parts]
        return self.cache[word]

    def decode(self, ids):
        return "".join(self.pieces[i] for i in ids if 0 < i < len(self.pieces)).replace(START, " ").strip()

    def save(self, path):
        merges = sorted(self.ranks, key=self.ranks.get)
        json.dump({"pieces": self.pieces, "merges": merges}, open(path, "w"), ensure_ascii=False, indent=0)

    @staticmethod
    def load(path):
        data = json.load(open(path))
        return Tokens(data["pieces"], data["merges"])

    def write_table(self, path):
        """tokens.txt of the contract: `piece id` per line, `<blk>` last."""
        with open(path, "w", encoding="utf-8") as out:
            for i, piece in enumerate([*self.pieces, "<blk>"]):
                out.write(f"{piece} {i}\n")


def train(word_counts, size):
    """Byte-pair merges until there are `size` pieces. word_counts: {word: weight}; `<unk>` is piece 0."""
    words = {w: [START, *w] for w in word_counts}
    letters = sorted({c for w in words for c in w})
    pieces, merges = ["<unk>", START, *letters], []
    pairs, where = collections.Counter(), collections.defaultdict(set)
    for w, parts in words.items():
        count_pairs(w, parts, word_counts[w], pairs, where)
    while len(pieces) < size and pairs:
        best = max(pairs, key=lambda p: (pairs[p], p))
        if pairs[best] <= 0:
            break
        merges.append(best)
        pieces.append("".join(best))
        for w in list(where.pop(best, ())):
            count_pairs(w, words[w], -word_counts[w], pairs, where)
            words[w] = merge(words[w], best)
            count_pairs(w, words[w], word_counts[w], pairs, where)
        del pairs[best]
    return Tokens(pieces, merges)


def count_pairs(word, parts, weight, pairs, where):
    for p in zip(parts, parts[1:]):
        pairs[p] += weight
        if weight > 0:
            where[p].add(word)


def merge(parts, pair):
    out, i = [], 0
    while i < len(parts):
        joined = tuple(parts[i:i + 2]) == pair
        out.append("".join(pair) if joined else parts[i])
        i += 2 if joined else 1
    return out
