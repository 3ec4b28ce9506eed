"""Sentences of neighbouring languages in the spelling of Kikuyu and Dholuo."""
import random

import sounds


def test_luganda():
    text = "Abanoonyi b'emmere kyokka bagyagala ŋŋaali ng'omuntu."
    assert sounds.transliterate(text, "lg", "ki") == "abanoonyi bemere coka bajagala ng'aali ngomuntu"
    assert sounds.transliterate(text, "lg", "luo") == "abanonyi bemere choka bajagala ng'ali ngomuntu"


def test_hausa_swahili_and_kinyarwanda():
    assert sounds.transliterate("ƙasa ɗaya cikin tsoffin ʻyan", "ha", "luo") == "kasa daya chikin sofin yan"
    assert sounds.transliterate("Ng'ombe wa shule, dhahabu na chakula", "sw", "ki") == "ng'ombe wa cule thahabu na cakula"
    assert sounds.transliterate("n’igihe cyangwa ishyiraho mujyane", "rw", "luo") == "nigihe changwa ishiraho mujane"


def test_fongbe_has_the_seven_vowels_of_kikuyu():
    text = "mεɖé ɖu nu bɔ gbɔ̀jε ó kpεɖe xwe hen ganji nyɔ"
    assert sounds.transliterate(text, "fon", "ki") == "medĩ du nu bo gboje ũ kpedĩ hwĩ hĩ gaji nyo"
    assert sounds.transliterate(text, "fon", "luo") == "mede du nu bo gboje o kpede hwe he gaji nyo"


def test_mboshi_has_them_too():
    assert sounds.transliterate("ngá labhólá abέε mbώngω okóá", "mdw", "ki") == "nga labũla abee mbongo ũkũa"


def test_suba_writes_the_sound_of_kikuyu_b_as_w():
    assert sounds.transliterate("Awantu waganyana omwoyo ing'ana", "sxb", "ki") == "abantu baganyana omwoyo ing'ana"


def test_ibibio_has_two_o_and_a_letter_for_the_sound_of_ng():
    assert sounds.transliterate("Nso itie nte ukeme mbọ ọkọọm ifọnnọ tọñọ anyeghe ә", "ibb", "ki") == "nsũ itie nte ukeme mbo okoom ifono tong'o anyege e"
    assert sounds.transliterate("ibibio ọfis", "ibb", "luo") == "ibibio ofis"


def test_iban_writes_ng_for_one_sound_and_ngg_for_two():
    assert sounds.transliterate("enggau orang ngagai nyadi", "iba", "luo") == "engau orang' ng'agai nyadi"


def test_kikuyu_writes_the_closer_vowels_with_a_tilde():
    assert sounds.spell(["n", "e", "m", "o", "ɛ", "ɔ"], "ki") == "nĩmũeo"
    assert sounds.spell(["n", "e", "m", "o", "ɛ", "ɔ"], "luo") == "nemoeo"


def test_digits_are_not_guessed():
    assert sounds.transliterate("mwaka wa 2019", "sw", "ki") is None


def test_neighbours_have_sounds_of_our_table():
    for language in ("lg", "ha", "fon", "ibb", "iba", "rw", "sw", "en"):
        words = sounds.spoken("kyokka bagyagala ng'anda cyiza shyira tsari ghali", language, random.Random(3))
        assert max(sounds.phone_ids(words)) < len(sounds.PHONES)
    phones = lambda text, language: [s.phone for w in sounds.spoken(text, language, random.Random(1)) for s in w]
    assert phones("kyo", "lg") == ["tʃ", "ɔ"] and phones("cyo", "rw") == ["tʃ", "ɔ"] and phones("tsi", "ha") == ["s", "i"]
