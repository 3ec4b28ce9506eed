"""Spelling as the models write it: lower case, NFC, no punctuation; ĩ and ũ in Kikuyu, ng' in both languages."""
import re
import unicodedata

TILDE = "\u0303"
SUFFIX_HYPHEN = re.compile(r"-(?=(?:inĩ|rĩ|ini|ri)\b)")  # Kikuyu writes its locative and its clitic with a hyphen
APOSTROPHES = str.maketrans({c: "'" for c in "’‘ʼʻ`´ʹ′"})

NEIGHBOURS = {"lg": {"'": "", "ŋ": "ng'"}, "ha": {"'": "", "ɗ": "d", "ɓ": "b", "ƙ": "k", "ƴ": "y"}, "rw": {"'": ""},  # theirs only joins words
              # Seven vowels like Kikuyu: the closer ones of e and o get Kikuyu's letters. Fongbe's ε is often the Greek letter, Mboshi's ε and ω always.
              "fon": dict.fromkeys("eéèĕ", "ĩ") | dict.fromkeys("oóòŏ", "ũ") | dict.fromkeys("ɛε", "e") | {"ɔ": "o", "ɖ": "d"},
              # Ibibio has one e but two o, the open one with a dot; its ñ is the sound of ng'.
              "ibb": {"o": "ũ", "ọ": "o", "ñ": "ng'", "ʌ": "a", "ә": "e", "ə": "e", "ị": "i", "ụ": "u"},
              "mdw": dict.fromkeys("eé", "ĩ") | dict.fromkeys("oó", "ũ") | dict.fromkeys("εέ", "e") | dict.fromkeys("ωώ", "o")}
TILDED = ("ki", "fon", "ibb", "mdw")  # languages whose ĩ and ũ are letters of their own


def normalise(sentence, language):
    """Returns the words, or None where the line cannot be said from its letters alone (digits, symbols)."""
    text = unicodedata.normalize("NFC", sentence).translate(APOSTROPHES).lower()
    text = text.translate(str.maketrans(NEIGHBOURS.get(language, {})))
    if re.search(r"[0-9%$°¥£€+=&@#*<>≥²³⁰⁇~]", text):
        return None
    text = plain_letters(text, language)
    text = SUFFIX_HYPHEN.sub("_", text) if language == "ki" else text
    text = re.sub(r"(?<!ng)'|'(?=')", "", text)  # an apostrophe only has a sound in ng'
    text = re.sub(r"[^a-zĩũ'_]+", " ", text).replace("_", "-")
    words = [w.strip("-") for w in text.split()]
    return " ".join(w for w in words if w.strip("'")) or None


def plain_letters(text, language):
    """Drops every accent but the tildes on i and u where they are letters."""
    out = []
    for c in unicodedata.normalize("NFD", text):
        keep = c == TILDE and language in TILDED and out and out[-1] in "iu"
        if keep or not unicodedata.combining(c):
            out.append(c)
    return unicodedata.normalize("NFC", "".join(out))
