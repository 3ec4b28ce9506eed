"""New words made of parts of recorded ones."""
import random

import numpy as np

import sounds
import splice
from shards import LABEL_HOP, RATE

ids = lambda *phones: [sounds.LABEL[p] for p in phones]


def word(*phones):
    """A second with 0.1 s for each phone from 0.2 s on; a phone is a constant of its own height, a consonant a low one."""
    wave, labels, spans = np.zeros(RATE, np.float32), np.zeros(RATE // LABEL_HOP, np.uint8), []
    for k, phone in enumerate(phones):
        start, end = (int((0.2 + 0.1 * i) * RATE) for i in (k, k + 1))
        wave[start:end] = 0.5 if phone in sounds.VOWELS else 0.1
        labels[start // LABEL_HOP:end // LABEL_HOP] = sounds.LABEL[phone]
        spans.append((start, end))
    return wave, labels, ids(*phones), spans


def test_words_are_cut_before_a_consonant_that_follows_a_vowel():
    heads, tails = splice.parts_of(*word("z", "i", "ɾ", "o"))
    assert [p for _, _, p in heads] == [ids("z", "i"), ids("z", "i", "ɾ", "o")]
    assert [p for _, _, p in tails] == [ids("ɾ", "o"), ids("z", "i", "ɾ", "o")]


def test_no_part_ends_as_a_lone_consonant():
    _, tails = splice.parts_of(*word("b", "e", "d"))
    assert [p for _, _, p in tails] == [ids("b", "e", "d")]


def test_a_word_that_was_not_aligned_gives_nothing():
    wave, labels, phones, spans = word("n", "o")
    assert splice.parts_of(wave, labels, phones, [spans[0], None]) == ([], [])


def test_parts_are_joined_with_their_phones_and_labels():
    head, tail = splice.parts_of(*word("z", "i", "ɾ", "o"))[0][0], splice.parts_of(*word("n", "o"))[1][0]
    wave, labels, phones = splice.splice([head, tail])
    assert phones == ids("z", "i", "n", "o")
    assert len(wave) == len(head[0]) + len(tail[0]) - splice.FADE
    order = [int(p) for p, before in zip(labels, [-1, *labels[:-1]]) if p != before and p]
    assert order == phones


def test_new_words_are_spelled_in_both_languages():
    made = list(splice.new_words([word("ʃ", "i", "l", "a"), word("g", "o")], 30, random.Random(1)))
    assert made and all(3 <= len(phones) <= 12 for _, _, phones in made)
    assert splice.spelling(ids("ʃ", "i", "l", "a", "g", "o"), "ki") == "cilagũ"
    assert splice.spelling(ids("ʃ", "i", "l", "a", "g", "o"), "luo") == "shilago"
