"""Recordings of any layout and format travel as Opus packets in one file."""
import ctypes.util
import sys

import numpy as np
import pytest

import codec
from shards import RATE
from test_fit import write_table, write_wav

pytestmark = pytest.mark.skipif(not ctypes.util.find_library("opus"), reason="libopus is not installed")


@pytest.fixture
def folder(tmp_path):
    """Three speakers as Common Voice has them; one clip is too short, and one too long for its limit."""
    rows = [["client_id", "path", "sentence"]]
    for speaker, count in (("s1", 3), ("s2", 1), ("s3", 1)):
        for k in range(count):
            rows.append([speaker, f"{speaker}-{k}.wav", f"mwana {k}"])
            write_wav(tmp_path / "lg" / "clips" / f"{speaker}-{k}.wav", {"s2": 0.1, "s3": 9.0}.get(speaker, 1.0 + k), rate=48000)
    write_table(tmp_path / "lg" / "validated.tsv", rows)
    return tmp_path


def pack(folder, monkeypatch, *options):
    out = folder / "packed.npz"
    monkeypatch.setattr(sys, "argv", ["codec.py", "--folder", str(folder / "lg"), "--language", "lg", "--out", str(out), "--workers", "1", *options])
    codec.main()
    return out


def test_clips_keep_their_length_speaker_and_text(folder, monkeypatch, capsys):
    clips = list(codec.unpack(pack(folder, monkeypatch)))
    assert [(speaker, text) for _, speaker, text in clips] == [("s1", "mwana 0"), ("s1", "mwana 1"), ("s1", "mwana 2"), ("s3", "mwana 0")]
    assert all(0 <= len(wave) - n * RATE <= 2 * codec.FRAME for (wave, _, _), n in zip(clips, (1, 2, 3, 9)))
    assert "4 clips, 0.00 h, 2 speakers that are named; left out: {'shorter than 0.3 s': 1}" in capsys.readouterr().out


def test_speakers_clips_and_hours_are_limited(folder, monkeypatch):
    speakers = lambda *options: [s for _, s, _ in codec.unpack(pack(folder, monkeypatch, *options))]
    assert speakers("--per-speaker", "2") == ["s1", "s1", "s3"]
    assert speakers("--longest", "8", "--per-speaker", "1") == ["s1"]
    assert len(speakers("--clips", "2", "--shuffle")) == 2
    assert len(speakers("--hours", str(2.5 / 3600))) == 2


def test_what_is_opus_already_is_not_coded_again(folder, monkeypatch):
    packets = codec.Opus().encode((np.sin(np.arange(RATE) / 20) * 9000).astype(np.int16), 20000, 5)
    page = lambda body: b"OggS" + bytes(22) + bytes([len(body)]) + bytes(map(len, body)) + b"".join(body)
    (folder / "lg" / "clips" / "s3-0.ogg").write_bytes(page([b"OpusHead" + bytes(11)]) + page([b"OpusTags"]) + page(packets))
    write_table(folder / "lg" / "validated.tsv", [["client_id", "path", "sentence"], ["s3", "s3-0.ogg", "mwana"]])
    packed = np.load(pack(folder, monkeypatch))
    assert packed["data"].tobytes() == b"".join(packets) and packed["count"].tolist() == [len(packets)]


def test_parts_of_a_file_are_all_of_it(folder, monkeypatch):
    path = pack(folder, monkeypatch)
    whole, parts = list(codec.unpack(path)), [list(codec.unpack(path, part=k, parts=3)) for k in range(3)]
    assert [len(p) for p in parts] == [2, 1, 1]
    np.testing.assert_array_equal(parts[1][0][0], whole[1][0])
    np.testing.assert_array_equal(parts[0][1][0], whole[3][0])


@pytest.mark.parametrize("options", [[], ["--quick"]])
def test_what_is_unpacked_is_what_was_said(folder, monkeypatch, options):
    time = np.arange(3 * RATE) / RATE
    said = (np.sin(2 * np.pi * (200 + 150 * np.sin(5 * time)) * time) * np.sin(9 * time) ** 2 * 9000).astype(np.int16)
    monkeypatch.setattr(codec, "decoder", lambda: lambda _: said)
    heard = next(codec.unpack(pack(folder, monkeypatch, "--bitrate", "24000", *options)))[0]
    assert np.corrcoef(said, heard[:len(said)])[0, 1] > 0.8
