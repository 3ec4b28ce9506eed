"""New words out of recorded ones. The English words are most of the real voices that there are, and they are only thirty: a network that hears nothing
else from a real microphone learns the thirty, not the sounds. So parts of two or three words of one speaker are put together, cut before
a consonant, at the quietest place, and written as a Kikuyu or a Dholuo writer would spell them.
"""
import numpy as np

import sounds
from shards import LABEL_HOP, RATE

FADE = int(0.008 * RATE)
MARGIN = int(0.08 * RATE)  # kept before the first and behind the last part
SEARCH = int(0.04 * RATE)  # how far from its aligned time a cut may move to find the quietest place
WINDOW = int(0.01 * RATE)
LONGEST = 6  # phones of a part: no word is left whole that is longer
VOWEL_IDS = {sounds.LABEL[p] for p in sounds.VOWELS}


def parts_of(wave, labels, phones, spans):
    """[(wave, labels, phones)] that begin a word, and those that end one; a word is cut before any consonant but its first sound."""
    if any(s is None for s in spans):
        return [], []
    begin, end = max(0, spans[0][0] - MARGIN), min(len(wave), spans[-1][1] + MARGIN)
    cuts = [i for i in range(1, len(phones)) if phones[i] not in VOWEL_IDS and phones[i - 1] in VOWEL_IDS]
    places = {i: quietest(wave, spans[i][0]) for i in cuts}
    short = len(phones) <= LONGEST
    heads = [(begin, places[i], phones[:i]) for i in cuts] + [(begin, end, phones)] * (short and phones[-1] in VOWEL_IDS)
    tails = [(places[i], end, phones[i:]) for i in cuts] + [(max(0, spans[0][0] - FADE), end, phones)] * (short and phones[0] not in VOWEL_IDS)
    take = lambda a, b, said: (wave[a:b], labels[a // LABEL_HOP:b // LABEL_HOP], said)
    return [take(*h) for h in heads], [take(*t) for t in tails if VOWEL_IDS.intersection(t[2])]


def quietest(wave, at):
    """The start of the quietest window around a time, in steps of a window."""
    starts = range(max(0, at - SEARCH), max(1, min(len(wave) - WINDOW, at + SEARCH)), WINDOW)
    return min(starts, key=lambda s: float(np.square(wave[s:s + WINDOW]).sum()), default=at)


def splice(parts):
    """One after the other, each faded into the next. Labels are of 20 ms, so that those of later parts may be off by half a label."""
    wave, labels, phones = parts[0]
    for more, more_labels, more_phones in parts[1:]:
        if min(len(wave), len(more)) < 2 * FADE:
            return None
        ramp = np.linspace(0, 1, FADE, dtype=np.float32)
        joint = wave[-FADE:] * (1 - ramp) + more[:FADE] * ramp
        wave = np.concatenate([wave[:-FADE], joint, more[FADE:]])
        labels = np.concatenate([labels, more_labels])[:len(wave) // LABEL_HOP]
        phones = phones + more_phones
    return wave, labels, phones


def new_words(words, count, rng):
    """`words`: [(wave, labels, phones, spans)] of one speaker, as they were aligned. Yields up to `count` (wave, labels, phones)."""
    heads, tails = [], []
    for word in words:
        begins, ends = parts_of(*word)
        heads += begins
        tails += ends
    for _ in range(count if heads and tails else 0):
        parts = [rng.choice(heads), *(rng.choice(tails) for _ in range(rng.choice((1, 1, 2))))]
        made = splice(parts)
        if made and 3 <= len(made[2]) <= 12:
            yield made


def spelling(phones, language):
    return sounds.spell([sounds.PHONES[p] for p in phones], language)
