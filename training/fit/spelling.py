"""Text as the published benchmarks compare it: lower case, NFC, apostrophes kept inside words, no punctuation, no tags.

Lines with digits are left out: nobody can know how they were read. Kikuyu and Dholuo are spelled as the bundled models write them (`text.py`).
"""
import re
import unicodedata

import text
from languages import SPOKEN

TAGS = re.compile(r"\[[^\]]*\]|<[^>]*>|\([^)]*\)|\{[^}]*\}")  # [laughs], <noise>, (unclear)
# UTF-8 that was read as Windows text shows as runs of these characters: "Å©" was "ũ", "â€™" was "’".
MISREAD = re.compile(r"[\u0080-\u00ff\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122]{2,}")
LOWERED = {"ä©": "ĩ", "å©": "ũ", "ä¨": "ĩ", "å¨": "ũ"}  # the same after somebody put the text in lower case


def repair(line):
    """Undoes double encoding, once or twice; text that is right stays as it is."""
    for _ in range(2):
        line = MISREAD.sub(lambda found: decode_again(found.group()), line)
    for wrong, right in LOWERED.items():
        line = line.replace(wrong, right)
    return line


def decode_again(run):
    try:
        return b"".join(as_byte(c) for c in run).decode("utf-8")
    except UnicodeError:
        return run


def as_byte(character):
    """Windows text leaves five bytes undefined, which pass as they are."""
    return bytes([ord(character)]) if ord(character) < 0x100 else character.encode("cp1252")


def normalise(line, code):
    """The words, or None where the line cannot be used."""
    line = repair(line)
    if code in SPOKEN:
        return text.normalise(TAGS.sub(" ", line), code)
    line = unicodedata.normalize("NFC", TAGS.sub(" ", line)).translate(text.APOSTROPHES).lower()
    if any(unicodedata.category(c) in ("Nd", "No", "Sc") for c in line) or re.search(r"[%+=&@#*]", line):
        return None
    line = "".join(c if c == "'" or unicodedata.category(c)[0] in "LM" else " " for c in line)
    words = [strip_quotes(word) for word in line.split()]
    return " ".join(word for word in words if word) or None


def strip_quotes(word):
    """Apostrophes around a word are quotation marks, but ng' may end a word."""
    bare = word.strip("'")
    return bare + "'" if bare.endswith("ng") and word.endswith("'") else bare
