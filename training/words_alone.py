"""Step 4b: words of strangers, cut out of their sentences, as if each had been said alone. A word that was said in a sentence is quicker and less clear than one that was
said alone, so this is the harder measure: it shows how often nothing is written for somebody who says a single word, and whether a new version does better."""
import random

import numpy as np

import sounds
from evaluate import Clip
from languages import SPOKEN
from recorded import cut_words
from shards import RATE
from text import normalise

AROUND = int(0.4 * RATE)  # of quiet before and behind a word
FADE = 160
FEWEST_LETTERS = 3
TOGETHER = 16  # clips that are aligned in one run


def cut_out(recordings, listen):
    """[(wave, text, language)] -> [(Clip with its text in our letters, phones)]. `listen` finds the times of words (`recorded.aligner`)."""
    rng, out = random.Random(0), []
    for at in range(0, len(recordings), TOGETHER):
        part = recordings[at:at + TOGETHER]
        words = [sounds.phones_by_word(sounds.spoken(normalise(text, language), language, random.Random(0))) for _, text, language in part]
        for recording, phones, found in zip(part, words, listen([wave.astype(np.float32) / 32768 for wave, _, _ in part], words)):
            if found:
                out += words_of(recording, phones, *found, rng)
    return out


def words_of(recording, phones, labels, spans, rng):
    wave, text, language = recording
    out = []
    for prompt in SPOKEN:
        texts = sounds.transliterate(text, language, prompt).split()
        if len(texts) != len(phones):
            continue
        for part, _, said, with_ends in cut_words(wave, labels, texts, phones, spans, rng):
            if len(said.replace(" ", "")) >= FEWEST_LETTERS:
                out.append((Clip(in_quiet(part), said, prompt, language), [p for p in with_ends if p != sounds.WORD_END]))
    return out


def in_quiet(wave):
    """Faded in and out, with hiss around it that is as loud as its quietest moments."""
    word, hiss = wave.astype(np.float64), max(5.0, np.percentile(np.abs(wave), 5))
    fade = np.linspace(0, 1, min(FADE, len(word) // 4))
    word[:len(fade)] *= fade
    word[len(word) - len(fade):] *= fade[::-1]
    before, behind = np.random.default_rng(len(word)).normal(0, hiss, (2, AROUND))
    return np.clip(np.concatenate([before, word, behind]).round(), -32768, 32767).astype(np.int16)
