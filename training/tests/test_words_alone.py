"""Words of strangers, cut out of their sentences."""
import numpy as np

import words_alone
from shards import LABEL_HOP, RATE

SENTENCE = "umuti mwiza cane"


def recording():
    wave = np.zeros(3 * RATE, np.int16)
    for k in range(3):
        wave[k * RATE + 4000:k * RATE + 12000] = 1000 * (k + 1)
    return wave, SENTENCE, "rw"


def found_at_each_second(waves, words):
    labels = np.zeros(3 * RATE // LABEL_HOP, np.uint8)
    return [(labels, [(k * RATE + 4000, k * RATE + 12000) for k in range(3)]) for _ in waves]


def test_each_has_its_own_letters_and_sound_under_both_prompts():
    cut = words_alone.cut_out([recording()] * 20, found_at_each_second)
    spoken = {"umuti": {1000}, "mwiza": {2000}, "cane": {3000}, "chane": {3000}}
    alone = [clip for clip, _ in cut if " " not in clip.text]
    assert {clip.language for clip in alone} == {"ki", "luo"} and len({clip.text for clip in alone}) >= 3
    for clip in alone:
        middle = len(clip.wave) // 2
        assert set(clip.wave[middle - 100:middle + 100].tolist()) == spoken[clip.text]
    assert all(phones for _, phones in cut)


def test_a_recording_whose_words_are_not_found_is_left_out():
    assert words_alone.cut_out([recording()], lambda waves, words: [None]) == []


def test_a_word_stands_in_quiet_and_begins_without_a_click():
    wave = np.full(RATE, 3000, np.int16)
    wave[:2000] = 3
    heard = words_alone.in_quiet(wave)
    assert len(heard) == RATE + 2 * words_alone.AROUND
    assert np.abs(heard[:words_alone.AROUND]).max() < 60 and np.abs(heard[-words_alone.AROUND:]).max() < 60
    assert abs(int(heard[words_alone.AROUND + RATE - 1])) < 60
