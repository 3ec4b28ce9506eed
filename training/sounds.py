"""Letter to sound for Kikuyu and Dholuo, for English words inside them, and for the neighbours whose recordings are heard in the training:
Swahili (sw), Yoruba (yo), Luganda (lg), Hausa (ha), Fongbe (fon), Ibibio (ibb), Iban (iba), single words of English (en). Kinyarwanda (rw), Mboshi (mdw) and Suba (sxb) only measure.

A spoken form is a list of words, each a list of Sound. A speaker keeps the same habits through an utterance (is c an [ʃ], an [s]
or a [tʃ]?), so the choices among allophones are drawn once per utterance: real speakers differ, and the model should understand all of them.
"""
import collections
import functools
import random
import re

from text import normalise

PHONES = ["sil", "i", "e", "ɛ", "a", "ɔ", "o", "u", "p", "b", "β", "t", "d", "θ", "ð", "k", "g", "ɣ", "m", "n", "ɲ", "ŋ", "ɾ", "l",
          "s", "z", "ʃ", "tʃ", "dʒ", "f", "v", "h", "w", "j"]
LABEL = {p: i for i, p in enumerate(PHONES)}
WORD_END = len(PHONES)  # in the phones of a shard; only whisper_phones.py learns it, so that heard.py finds words in speech without text
VOWELS = set("ieɛaɔou")
NEAR = {"ɪ": "i", "ʊ": "u"}  # allophones that have no label of their own

Sound = collections.namedtuple("Sound", "phone long stressed", defaults=(False, False))

COMMON = {"mb": "m b", "nd": "n d", "ng": "ŋ g", "nj": "n dʒ", "ny": "ɲ", "ng'": "ŋ", "sh": "ʃ", "ch": "tʃ", "r": "ɾ", "y": "j",
          "j": "dʒ", "c": "k", "q": "k", "x": "k s", "gb": "g b", "kp": "k p", "'": "", "-": "", "a": "a", "i": "i", "u": "u", "e": "ɛ", "o": "ɔ"}


def habits(language, rng):
    """One speaker's letter-to-phone table."""
    pick = lambda *weighted: rng.choices([p for p, _ in weighted], [w for _, w in weighted])[0]
    table = dict(COMMON)
    if language == "ki":
        table |= {"c": pick(("ʃ", 5), ("s", 2), ("tʃ", 3)), "th": pick(("ð", 7), ("θ", 3)), "g": pick(("ɣ", 7), ("g", 3)),
                  "b": pick(("β", 7), ("b", 3)), "ĩ": pick(("e", 8), ("ɪ", 2)), "ũ": pick(("o", 8), ("ʊ", 2)), "dh": "ð",
                  "ch": pick(("ʃ", 4), ("tʃ", 6)), "l": pick(("l", 8), ("ɾ", 2)),
                  "v": pick(("v", 8), ("f", 2)), "z": pick(("z", 8), ("s", 2))}
    elif language == "luo":
        table |= {"th": pick(("θ", 17), ("t θ", 3)), "dh": pick(("ð", 17), ("d ð", 3)), "v": pick(("v", 8), ("f", 2)), "z": pick(("z", 7), ("s", 3)),
                  "sh": pick(("ʃ", 8), ("s", 2))}
    return table | NEIGHBOURS.get(language, {})


NEIGHBOURS = {
    "sw": {"th": "θ", "dh": "ð", "gh": "ɣ", "kh": "h"},
    "yo": {"th": "t", "dh": "d", "p": "k p", "ng": "n g"},
    "lg": {"c": "tʃ", "ky": "tʃ", "kky": "tʃ", "gy": "dʒ", "ggy": "dʒ", "nny": "ɲ", "b": "β", "bb": "b", "mb": "m b"},
    "ha": {"c": "tʃ", "ts": "s", "kp": "k p"},
    "fon": {"c": "tʃ", "x": "h", "ĩ": "e", "ũ": "o"},
    "ibb": {"gh": "ɣ", "ũ": "o"},
    "iba": {"c": "tʃ", "ng": "ŋ", "ngg": "ŋ g", "sy": "ʃ"},  # spoken in Borneo: a language with words like ours, and 23 more voices
    "rw": {"c": "tʃ", "cy": "tʃ", "jy": "dʒ", "njy": "n dʒ", "shy": "ʃ", "nny": "ɲ", "b": "β", "mb": "m b", "l": "ɾ"},
    "mdw": {"bh": "β", "ĩ": "e", "ũ": "o"},
    "sxb": {"w": "β", "dh": "ð", "rw": "ɾ w"} | {c + "w": c + " w" for c in "bdfgklmnstz"},  # w behind a consonant is a glide
}


# English words inside sentences ------------------------------------------------------------------------------------------

LEXICON = {}  # {word: ([phones of a variant], [weight of a variant])}, see loans.py
LOAN_SHARE = 0.85  # how often a word of the lexicon is said the English way; else as it is spelled
ADAPTED = {"l": "l", "v": "v", "z": "z", "ʃ": "sh"}  # sounds of English that follow the speaker's habit for these letters


def load_lexicon(path):
    """Words that loans.py wrote without phones are said as they are spelled."""
    LEXICON.clear()
    for line in open(path, encoding="utf-8"):
        word, weight, phones = line.rstrip("\n").split("\t")
        if phones:
            variants, weights = LEXICON.setdefault(word, ([], []))
            variants.append(phones.split())
            weights.append(float(weight))


def loan_phones(word, language, table, rng):
    """How a speaker of the language says an English word, or None. Words of weight 0 look like words of our languages: only English has them."""
    variants, weights = LEXICON.get(word, ((), ()))
    english = language == "en"
    if not variants or not (english or (language in ("ki", "luo") and sum(weights) and rng.random() < LOAN_SHARE)):
        return None
    phones = rng.choices(variants, weights if sum(weights) else None)[0]
    return [table.get(ADAPTED.get(p), p) for p in phones]


# Words to sounds ---------------------------------------------------------------------------------------------------------


def spoken(text, language, rng):
    """text as `normalise` gives it -> [[Sound, ...], ...]"""
    table = habits(language, rng)
    glides = rng.random() < 0.5
    return [mark(word_phones(w, language, table, glides, rng), rng) for w in text.split()]


@functools.lru_cache
def units(letters):
    """Cuts a word into letters and the given groups of letters, longest first."""
    return re.compile("|".join([*map(re.escape, sorted(letters, key=len, reverse=True)), "."]), re.S)


def word_phones(word, language, table, glides, rng):
    head, _, suffix = word.partition("-")
    english = loan_phones(head, language, table, rng)
    if english:
        return english + (word_phones(suffix, language, table, glides, rng) if suffix else [])
    if language == "luo":
        table = table | dholuo_vowels(rng)
        if word.endswith("ng") and len(word) > 3:
            word += "'"  # the apostrophe is often left out in writing
    if language == "fon":
        word = NASAL_VOWEL.sub("", word)
    phones = []
    for unit in units(tuple(u for u in table if len(u) > 1)).findall(word):
        phones += table.get(unit, unit).split()
    phones = [p for p in phones if p in LABEL or p in NEAR]
    if glides:
        for i in range(len(phones) - 1):
            if phones[i] in "uʊ" and phones[i + 1] in "aɛei" and i:
                phones[i] = "w"
    return phones


NASAL_VOWEL = re.compile(r"(?<=[aeiouĩũ])n(?![aeiouĩũny])")  # Fongbe's n behind a vowel only makes the vowel nasal


def dholuo_vowels(rng):
    """Five letters, nine vowels: the advanced or the retracted set holds through a word, and the spelling does not say which."""
    if rng.random() < 0.5:
        return {"e": "e", "o": "o", "i": "i", "u": "u"}
    return {"e": "ɛ", "o": "ɔ", "i": rng.choice("iɪ"), "u": rng.choice("uʊ")}


def mark(phones, rng):
    """Doubled sounds become long ones; a stress, mostly on the last vowel but one (pitch must not carry meaning, so it varies)."""
    sounds = []
    for p in phones:
        if sounds and sounds[-1].phone == p:
            sounds[-1] = Sound(p, p in VOWELS)
        else:
            sounds.append(Sound(p))
    vowels = [i for i, s in enumerate(sounds) if s.phone in VOWELS or s.phone in NEAR]
    if vowels and rng.random() < 0.85:
        at = vowels[-2] if len(vowels) > 1 and rng.random() < 0.75 else rng.choice(vowels)
        sounds[at] = sounds[at]._replace(stressed=True)
    return sounds


# One language's sounds in another one's letters ----------------------------------------------------------------------------

SAME_LETTERS = {"ɛ": "e", "ɔ": "o", "β": "b", "ɣ": "g", "ɾ": "r", "j": "y", "ɲ": "ny", "dʒ": "j"}
SPELLING = {"ki": SAME_LETTERS | {"e": "ĩ", "o": "ũ", "ʃ": "c", "tʃ": "c", "ð": "th", "θ": "th"}, "luo": SAME_LETTERS | {"ʃ": "sh", "tʃ": "ch", "ð": "dh", "θ": "th"}}


def transliterate(text, source, target):
    """What a Kikuyu or Dholuo speaker would write for a sentence in a neighbour's language, or None where it cannot be read from its letters."""
    text = normalise(text, source)
    if not text:
        return None
    rng = random.Random(0)
    table = habits(source, rng)
    words = (spell(word_phones(w, source, table, False, rng), target) for w in text.split())
    return " ".join(w for w in words if w) or None


def spell(phones, language):
    """Kikuyu doubles the letter of a long vowel; Dholuo does not write length, and neither doubles consonants."""
    out = []
    for i, p in enumerate(phones):
        if i and p == phones[i - 1] and not (language == "ki" and p in VOWELS):
            continue
        before_g = phones[i + 1:i + 2] == ["g"]
        out.append(("n" if before_g else "ng'") if p == "ŋ" else SPELLING[language].get(p, p))
    return "".join(out)


def label_of(phone):
    return LABEL[NEAR.get(phone, phone)]


def phones_by_word(words):
    return [[label_of(s.phone) for s in word] for word in words]


def phone_ids(words):
    """The labels in order, without silence: the target of the phone CTC."""
    return [p for word in phones_by_word(words) for p in word]


def with_ends(labels_by_word):
    """As `phone_ids`, with `WORD_END` behind each word: what a shard holds."""
    return [p for word in labels_by_word if word for p in (*word, WORD_END)]


KOKORO = {"g": "ɡ", "tʃ": "ʧ", "dʒ": "ʤ"}


def kokoro_symbols(words):
    """[(symbol, label)] in Kokoro's alphabet; a space between words."""
    out = []
    for i, word in enumerate(words):
        if i:
            out.append((" ", None))
        for s in word:
            label = label_of(s.phone)
            if s.stressed:
                out.append(("ˈ", label))
            out.append((KOKORO.get(s.phone, s.phone), label))
            if s.long:
                out.append(("ː", label))
    return out


# What espeak-ng calls the sounds; the first that a base voice really speaks is taken (`espeak.py` asks it).
ESPEAK = {"i": ["i"], "ɪ": ["I", "i"], "e": ["e"], "ɛ": ["E"], "a": ["a"], "ɔ": ["O"], "o": ["o"], "ʊ": ["U", "u"], "u": ["u"], "p": ["p"], "b": ["b"],
          "β": ["B", "b"], "t": ["t"], "d": ["d"], "θ": ["T"], "ð": ["D"], "k": ["k"], "g": ["g"], "ɣ": ["Q", "Q\"", "g"], "m": ["m"],
          "n": ["n"], "ɲ": ["n^", "nj", "n"], "ŋ": ["N"], "ɾ": ["R", "*", "r"], "l": ["l"], "s": ["s"], "z": ["z", "s"], "ʃ": ["S", "s"],
          "tʃ": ["tS", "tS;"], "dʒ": ["dZ", "dZ;", "J"], "f": ["f"], "v": ["v", "f"], "h": ["h", "x"], "w": ["w", "u"], "j": ["j", "i"]}
