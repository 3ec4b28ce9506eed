"""A short training on tiny data: checkpoints on the way, and a run that was stopped goes on where it was."""
import itertools
import sys
import types

import numpy as np
import pytest
import torch

import random_model
import sounds
import tokens
import train
from from_whisper import begin
from model import load_checkpoint, save_checkpoint
from shards import RATE, ShardWriter
from test_whisper_encoder import OURS, packed


@pytest.fixture
def folder(tmp_path):
    """Speech of two kinds, pieces, and a network that begins as a tiny Whisper."""
    rng = np.random.default_rng(0)
    for kind in ("kokoro-1", "heard-many"):
        writer = ShardWriter(str(tmp_path / "speech"), kind)
        for _ in range(12):
            writer.add((rng.standard_normal(2 * RATE) * 3000).astype(np.int16), np.full(100, 3, np.uint8), "dala gi", sounds.with_ends([[3, 4], [5]]), "luo", "v")
        writer.flush()
    pieces = tokens.train({"dala": 3, "gi": 2}, OURS.vocab)
    (tmp_path / "text").mkdir()
    pieces.save(tmp_path / "text" / "tokens.json")
    ours = random_model.random_model(OURS, 3)
    save_checkpoint(begin(packed(2), (2, 1), ours), str(tmp_path / "start.pt"))
    return tmp_path


def run(folder, monkeypatch, *options):
    """Twelve steps, by a clock that gives each of them half a second, however busy the machine is."""
    clock = itertools.count(0.0, 0.5)
    monkeypatch.setattr(train, "time", types.SimpleNamespace(time=lambda: next(clock), sleep=lambda _: None))
    monkeypatch.setattr(sys, "argv", ["train.py", "--data", str(folder / "speech"), "--text", str(folder / "text"), "--out", str(folder / "run"), "--init", str(folder / "start.pt"),
                                      "--fresh", "--encoder-rate", "0.075", "--rate", "8e-4", "--minutes", "0.1", "--seconds", "8", "--hours", "0.1", "--every", "1", "--warm", "1",
                                      "--shares", "kokoro=0.6,heard=0.4", "--device", "cpu", "--joined", "0", *options])
    train.main()


def test_a_run_goes_on_where_it_was(folder, monkeypatch, capsys):
    run(folder, monkeypatch, "--resume")
    first = capsys.readouterr().out
    assert "'heard'" in first and "going on" not in first
    model = load_checkpoint(str(folder / "run" / "model.pt"))
    assert not torch.equal(model.phones_mid.weight, load_checkpoint(str(folder / "start.pt")).phones_mid.weight)
    state = torch.load(folder / "run" / "state.pt", weights_only=True)
    done, steps, _ = state["done"]
    assert done == 1.0 and steps == 11
    torch.save(state | {"done": (0.5, steps, 100.0)}, folder / "run" / "state.pt")  # as if it had been stopped half way
    run(folder, monkeypatch, "--resume")
    assert f"going on after {steps} steps, 50 % of the time" in capsys.readouterr().out
    assert torch.load(folder / "run" / "state.pt", weights_only=True)["done"][1] > steps


def test_without_being_asked_to_no_state_is_kept(folder, monkeypatch):
    run(folder, monkeypatch)
    assert sorted(p.name for p in (folder / "run").iterdir()) == ["model.pt"]
