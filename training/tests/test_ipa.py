"""What people of other languages said, in our phones."""
import ipa
import recorded
import sounds


def test_sounds_become_the_nearest_of_ours():
    assert ipa.phones("hɛlˈoʊ wˈɜːld") == [["h", "ɛ", "l", "o", "u"], ["w", "ɛ", "l", "d"]]
    assert ipa.phones("t͡ʃˈaʔa (en)dʒɨ̃") == [["tʃ", "a", "a"], ["dʒ", "i"]]
    assert {p for sound in ipa.NEAREST.values() for p in sound.split()} <= set(sounds.LABEL)


def test_a_sentence_with_a_sound_that_has_no_name_is_not_guessed():
    assert ipa.phones("ˈa^i") is None


def test_clips_are_written_as_they_sound(monkeypatch):
    written = []
    args = type("Args", (), {"checkpoint": None, "device": "cpu", "kind": "crowd"})
    recorded.by_sound(args, [([0.0] * 16000, "somebody", "ðə mˈʌnθ")], lambda *row: written.append(row))
    (kind, _, _, text, phones, prompt, speaker), = written
    assert kind == "crowd" and speaker == "somebody" and text == {"ki": "tha manth", "luo": "dha manth"}[prompt]
    assert phones == sounds.with_ends([[sounds.LABEL[p] for p in word] for word in (["ð", "a"], ["m", "a", "n", "θ"])])
