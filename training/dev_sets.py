"""What the evaluation sets hold: for each language and kind of text a fixed list, from sentences that were kept out of the training."""
import os
import random

import number_words
import sounds

BIBLE = ("biblica_verses", "ebible_luo")
NEWS = {"ki": ("sib200",), "luo": ("ramogi_news",)}  # everything else counts as conversation: prompts, questions and answers, stories, strings of programs
SENTENCES, PHRASES, WORDS, NUMBERS = 24, 24, 40, 16
LONGEST = 14  # words; a longer sentence is cut into parts
KINDS = ("bible", "news", "conversation", "words", "numbers", "english")


def write(folder, drawn):
    """dev.tsv: language, kind, text. drawn: {language: Sentences}"""
    with open(os.path.join(folder, "dev.tsv"), "w", encoding="utf-8") as out:
        for language, sentences in drawn.items():
            for kind, texts in lists(folder, language, sentences).items():
                out.writelines(f"{language}\t{kind}\t{text}\n" for text in texts)


def read(folder):
    """[(language, kind, text)]"""
    return [tuple(line.rstrip("\n").split("\t")) for line in open(os.path.join(folder, "dev.tsv"), encoding="utf-8")]


def lists(folder, language, sentences):
    rng, out = random.Random(11), {}
    parts = held_out_parts(folder, language, sentences, rng)
    for kind in ("bible", "news", "conversation"):
        chosen = [text for k, text in parts if k == kind][:SENTENCES]
        parts = [(k, text) for k, text in parts if text not in chosen]
        out[kind] = chosen
    out["words"] = short(language, sentences, out, rng)
    out["numbers"] = [number_words.spell(n, language) for n in rng.sample(range(1, 40), NUMBERS // 2) + rng.sample(range(40, 20000), NUMBERS // 2)]
    out["english"] = english(parts, sentences, rng)
    return out


def held_out_parts(folder, language, sentences, rng):
    """[(kind, words of at most a breath)] of the test and dev splits, in random order, without what a training sentence holds as well."""
    heard = "\n".join(f" {text} " for text in sentences.texts)
    out = []
    for split in ("test", "dev"):
        path = os.path.join(folder, f"{language}.{split}.tsv")
        for source, text in (line.rstrip("\n").split("\t") for line in (open(path, encoding="utf-8") if os.path.exists(path) else ())):
            kind = "bible" if source in BIBLE else "news" if source in NEWS.get(language, ()) else "conversation"
            out += [(kind, part) for part in cut(text) if len(part.split()) > 2 and f" {part} " not in heard]
    rng.shuffle(out)
    return out


def cut(text):
    words = text.split()
    count = -(-len(words) // LONGEST)
    return [" ".join(words[i * len(words) // count:(i + 1) * len(words) // count]) for i in range(count)]


def short(language, sentences, chosen, rng):
    phrases = sorted({p for kind in sentences.phrases.values() for p in kind})
    words = sorted({w for texts in chosen.values() for t in texts for w in t.split() if len(w) > 2})
    return rng.sample(phrases, min(PHRASES, len(phrases))) + rng.sample(words, min(WORDS, len(words)))


def english(parts, sentences, rng):
    """Sentences that have English words of their own, then others that are given some."""
    has = lambda text: any(sum(sounds.LEXICON[w][1]) for w in text.split() if w in sounds.LEXICON and len(w) > 3)
    own = [text for kind, text in parts if kind != "bible" and has(text)][:SENTENCES]
    plain = [text for kind, text in parts if kind != "bible" and not has(text)]
    plain += [text for kind, text in parts if kind == "bible"] if len(plain) < SENTENCES else []
    return own + [sentences.with_loans(text, rng) for text in plain[:SENTENCES - len(own)]]
