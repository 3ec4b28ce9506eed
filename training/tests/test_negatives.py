"""Sounds and other languages travel through shards and batches as rows with nothing to write."""
import ctypes.util
import os
import subprocess
import sys

import numpy as np
import pytest

import noises
import tokens
from negatives import nothing
from pool import Pool
from shards import RATE, UNKNOWN, ShardWriter


def test_every_kind_of_sound_is_finite_and_fills_its_time():
    for seed in range(3):
        for kind in noises.KINDS:
            wave = kind(np.random.default_rng(seed), 2 * RATE)
            assert len(wave) == 2 * RATE and np.isfinite(wave).all() and np.abs(wave).max() > 0, kind.__name__


@pytest.fixture
def pool(tmp_path):
    rng = np.random.default_rng(0)
    wave = lambda: (rng.standard_normal(2 * RATE) * 1000).astype(np.int16)
    for name, row in (("kokoro-1", (np.ones(100, np.uint8), "dala", [3, 4], "luo", "v")), ("sounds-1", nothing(wave(), 0, "s")[1:]), ("foreign-1", nothing(wave(), UNKNOWN, "f")[1:])):
        writer = ShardWriter(str(tmp_path), name)
        for _ in range(20):
            writer.add(wave(), *row)
        writer.flush()
    made = Pool(tokens.train({"dala": 3, "gi": 2}, 20), "cpu", 0.1, {"kokoro": 0.5, "sounds": 0.25, "foreign": 0.25})
    made.refresh([str(tmp_path)])
    return made


def test_negatives_get_their_share_and_have_no_pieces(pool):
    batch = pool.draw(np.random.default_rng(1), 600)
    empty = batch["pieces_len"] == 0
    assert 0.4 < empty.float().mean() < 0.6
    assert set(batch["prompt"][empty].tolist()) == {0, 1} and set(batch["prompt"][~empty].tolist()) == {1}


def test_phones_of_other_languages_are_not_judged(pool):
    batch = pool.draw(np.random.default_rng(2), 600)
    foreign = batch["phones_known"] == 0
    assert 0.15 < foreign.float().mean() < 0.35
    spoken = batch["labels"][foreign]
    assert ((spoken == -100) | (spoken == 0)).all() and (batch["own"] == 1).all()


def test_a_training_does_not_begin_with_silence(tmp_path, pool):
    assert pool.speaks()
    alone = Pool(pool.tokens, "cpu", 0.01, {"sounds": 1.0})
    assert not alone.speaks()


@pytest.mark.skipif(not ctypes.util.find_library("espeak-ng"), reason="espeak-ng is not installed")
def test_a_voice_that_espeak_lacks_is_named_before_any_work(tmp_path):
    (tmp_path / "english.txt").write_text("good morning\n")
    command = [sys.executable, "negatives.py", "espeak", "--out", str(tmp_path), "--foreign", f"no-such={tmp_path}/english.txt", "--seconds", "2"]
    done = subprocess.run(command, cwd=os.path.dirname(os.path.dirname(__file__)), capture_output=True, text=True)
    assert done.returncode != 0 and "espeak-ng knows no voice 'no-such'" in done.stderr
