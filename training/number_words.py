"""Numbers as people say them: cardinals of Kikuyu and Dholuo, and lines with digits turned into words where only one reading is possible.

A Kikuyu number that ends in one to six or eight agrees with the class of its noun, which the digits do not tell: such a number is only
read in a year. Dholuo numbers do not change.
"""
import re

KIKUYU_UNITS = ("", "ĩmwe", "igĩrĩ", "ithatũ", "inya", "ithano", "ithathatũ", "mũgwanja", "inyanya", "kenda")
KIKUYU_TENS = ("", "", "ĩrĩ", "ĩtatũ", "ĩna", "ĩtano", "ĩtandatũ", "mũgwanja", "ĩnana", "kenda")
KIKUYU_HUNDREDS = ("", "", "merĩ", "matatũ", "mana", "matano", "matandatũ", "mũgwanja", "manana", "kenda")
DHOLUO_UNITS = ("", "achiel", "ariyo", "adek", "ang'wen", "abich", "auchiel", "abiriyo", "aboro", "ochiko")
LIMIT = 100_000

NUMBER = re.compile(r"(?<![^\s(\"“])(\d{1,3}(?:,\d{3})+|\d+)(?=[.,;?!)\"”]*(?:\s|$))")
BRACKETED = re.compile(r"\s*\((\d{1,3}(?:,\d{3})+|\d+)\)")
YEAR_BEFORE = re.compile(r"mwaka(?:[ -]in+ĩ)? wa\s*$", re.I)


def spell(n, language):
    """The cardinal as it is counted, or None where no rule is certain."""
    if not 0 < n < LIMIT:
        return None
    return " ".join(CARDINALS[language](n).split())


def kikuyu(n):
    if n < 10:
        return KIKUYU_UNITS[n]
    if n < 20:
        return joined("ikũmi", kikuyu(n - 10))
    if n < 100:
        return joined(f"mĩrongo {KIKUYU_TENS[n // 10]}", kikuyu(n % 10))
    if n < 1000:
        hundreds, link = ("igana rĩmwe", "rĩa") if n < 200 else (f"magana {KIKUYU_HUNDREDS[n // 100]}", "ma")
        return joined(hundreds, kikuyu(n % 100), link if n % 100 >= 20 else "na")
    return joined(f"ngiri {kikuyu(n // 1000)}", kikuyu(n % 1000))


def joined(head, rest, link="na"):
    return f"{head} {link} {rest}" if rest else head


def dholuo(n):
    if n < 10:
        return DHOLUO_UNITS[n]
    if n < 100:
        tens = "apar" if n < 20 else f"piero {DHOLUO_UNITS[n // 10]}"
        return f"{tens} {added(n % 10)}"
    if n < 1000:
        hundreds, rest = f"mia {DHOLUO_UNITS[n // 100]}", n % 100
        if rest < 10:
            return f"{hundreds} {added(rest)}"
        return f"{hundreds} gapar {added(rest - 10)}" if rest < 20 else f"{hundreds} gi {dholuo(rest)}"
    thousands, rest = f"alufu {dholuo(n // 1000)}", n % 1000
    if rest == 0:
        return thousands
    last = rest % 100 == 0 or rest < 100  # only the last part is joined by "gi"
    return f"{thousands} {added(rest) if rest < 10 else ('gi ' if last else '') + dholuo(rest)}"


def added(unit):
    """A unit after tens and hundreds: gachiel, gariyo ... gochiko."""
    return "g" + DHOLUO_UNITS[unit] if unit else ""


CARDINALS = {"ki": kikuyu, "luo": dholuo}


def expand(sentence, language):
    """The sentence with its digits as words, or None where a reading is not certain."""
    sentence = drop_repeated(sentence, language)
    out, at = [], 0
    for match in NUMBER.finditer(sentence):
        n = int(match[1].replace(",", ""))
        before = sentence[:match.start()]
        words = spell(n, language) if inside_a_sentence(before) else None
        if words is None or (language == "ki" and agrees(n) and not (1800 <= n < 2100 and YEAR_BEFORE.search(before))):
            return None
        out += [sentence[at:match.start()], words]
        at = match.end()
    text = "".join(out) + sentence[at:]
    return None if re.search(r"\d", text) else text


def inside_a_sentence(before):
    """A number that begins a sentence may count verses or paragraphs; one in brackets may be a reference."""
    return before.strip() != "" and before.rstrip()[-1] not in ".!?:" and before.count("(") == before.count(")")


def agrees(n):
    return n % 10 in (1, 2, 3, 4, 5, 6, 8)


def drop_repeated(sentence, language):
    """`alufu achiel (1,000)`: a number in brackets after its own words is not read again."""
    def repeated(match):
        words = spell(int(match[1].replace(",", "")), language)
        return "" if words and sentence[:match.start()].lower().endswith(words) else match[0]
    return BRACKETED.sub(repeated, sentence)
