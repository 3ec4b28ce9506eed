"""Recordings with transcripts become shards."""
import ctypes.util
import sys
import types

import numpy as np
import pytest

import codec
import english_words
import recorded
import sounds
from shards import RATE

pytestmark = pytest.mark.skipif(not ctypes.util.find_library("opus"), reason="libopus is not installed")


def write_packed(path, texts):
    packets = codec.Opus().encode(np.full(RATE, 3000, np.int16), 16000, 0)
    np.savez(path, data=np.frombuffer(b"".join(packets) * len(texts), np.uint8), size=np.array([len(p) for p in packets] * len(texts), np.uint16), count=np.full(len(texts), len(packets)),
             speaker=np.array(["s"] * len(texts)), text=np.array(texts), language="lg")


def test_two_sources_of_one_language_do_not_write_over_each_other(tmp_path, monkeypatch):
    for name, texts in (("lg", ["omwana", "mu 1962"]), ("lg-people", ["enkuba etonnya"])):
        write_packed(tmp_path / f"{name}.npz", texts)
        monkeypatch.setattr(sys, "argv", ["recorded.py", "--packed", str(tmp_path / f"{name}.npz"), "--out", str(tmp_path / "speech")])
        recorded.main()
    shards = {p.name: np.load(p) for p in (tmp_path / "speech").iterdir()}
    assert sorted(shards) == ["recorded-lg-0000.npz", "recorded-lg-people-0000.npz"]
    assert [len(s["text"]) for _, s in sorted(shards.items())] == [2, 2]  # digits are not guessed; each clip under both prompts
    phones = [int(p) for p in shards["recorded-lg-people-0000.npz"]["phones"][0].split()]
    assert phones.count(sounds.WORD_END) == 2 and phones[-1] == sounds.WORD_END


def test_words_that_were_said_alone_are_a_kind_of_their_own_and_nothing_is_cut_out_of_them(tmp_path, monkeypatch):
    write_packed(tmp_path / "lg-words.npz", ["omwana mulungi"])
    whole = lambda wave, said: (recorded.unknown_labels(len(wave)), [(0, len(wave) // 2), (len(wave) // 2, len(wave))])
    monkeypatch.setattr(recorded, "aligner", lambda checkpoint, device: lambda waves, words: list(map(whole, waves, words)))
    monkeypatch.setattr(sys, "argv", ["recorded.py", "--packed", str(tmp_path / "lg-words.npz"), "--kind", "alone", "--out", str(tmp_path / "speech")])
    recorded.main()
    assert [p.name for p in (tmp_path / "speech").iterdir()] == ["alone-lg-words-0000.npz"]


def test_english_speakers_that_measure_are_not_written(monkeypatch):
    monkeypatch.setattr(english_words, "HELD_OUT", 2)
    args, written = types.SimpleNamespace(checkpoint=None, device="cpu"), []
    clips = [(np.zeros(RATE, np.float32), f"speaker {i}", "yes") for i in range(5)]
    recorded.single_words(args, clips, lambda *shard: written.append(shard[-1]))
    assert written == ["speaker 0", "speaker 1", "speaker 2"]
