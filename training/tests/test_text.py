"""Spelling, sounds and pieces: what is written, said and encoded stays the same thing."""
import random

import sounds
import tokens
from text import normalise


def test_normalise_keeps_what_the_languages_need():
    assert normalise("Nĩ maũndũ marĩkũ, ũngĩenda?", "ki") == "nĩ maũndũ marĩkũ ũngĩenda"
    assert normalise("mĩthia-inĩ ya yellow-orange", "ki") == "mĩthia-inĩ ya yellow orange"
    assert normalise("Ng’ato ang'ata 'mano' Romamti-Ezer!", "luo") == "ng'ato ang'ata mano romamti ezer"
    assert normalise("Nĩ ũrĩa", "ki") == normalise("Ni\u0303 u\u0303ri\u0303a", "ki")


def test_lines_that_cannot_be_read_from_letters_are_left_out():
    assert normalise("mwaka wa 2020", "ki") is None
    assert normalise("...", "luo") is None


def test_digraphs_are_one_sound():
    phones = [s.phone for w in sounds.spoken("ng'ombe nyumba dhok", "luo", random.Random(1)) for s in w]
    assert phones[0] == "ŋ" and "ɲ" in phones and "h" not in phones


def test_every_letter_of_the_text_has_a_sound_that_both_voices_can_say():
    for language in ("ki", "luo", "sw", "yo"):
        for seed in range(20):
            words = sounds.spoken("abcdefghijklmnopqrstuvwxyz ng'a nyathi dhano thĩ ũrĩa cha sha mbe ndi njeri", language, random.Random(seed))
            assert all(s.phone in sounds.ESPEAK for w in words for s in w)
            assert max(sounds.phone_ids(words)) < len(sounds.PHONES)


def test_pieces_give_the_text_back():
    vocabulary = tokens.train({"mũrĩmi": 5, "mũndũ": 7, "ng'ombe": 3, "andũ": 4}, 40)
    assert vocabulary.decode(vocabulary.encode("mũndũ ng'ombe andũ")) == "mũndũ ng'ombe andũ"
    assert len(vocabulary.pieces) <= 40 and len(vocabulary.word("mũndũ")) < len("mũndũ")
