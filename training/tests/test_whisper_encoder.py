"""An encoder that begins as Whisper's streams like ours, and begins with its weights."""
import dataclasses
import sys

import numpy as np
import pytest
import torch

import from_whisper
import random_model
import whisper
import whisper_phones
from from_whisper import begin
from model import Config, Model, load_checkpoint, save_checkpoint

OURS = Config(dim=64, layers=2, heads=4, sub=(32, 48), vocab=17, pred=48, joint=32, mid=1, dropout=0.0)
DIM = 128


def packed(layers):
    """A tiny Whisper as whisper.py packs one."""
    rng, out = np.random.default_rng(5), {}

    def matrix(name, shape, bias=True):
        out[name + ".int8"] = rng.integers(-127, 128, shape, dtype=np.int8)
        out[name + ".scale"], out[name + ".zero"] = np.float32(0.002), np.int8(0)
        if bias:
            out[name + ".bias"] = rng.standard_normal(shape[0] if len(shape) == 3 else shape[1]).astype(np.float32) * 0.1
    matrix("conv1", (DIM, 80, 3)), matrix("conv2", (DIM, DIM, 3))
    norms = ["layer_norm"]
    for i in range(layers):
        for name in ("q", "k", "v", "out"):
            matrix(f"layers.{i}.self_attn.{name}_proj", (DIM, DIM), bias=name != "k")
        matrix(f"layers.{i}.fc1", (DIM, 4 * DIM)), matrix(f"layers.{i}.fc2", (4 * DIM, DIM))
        norms += [f"layers.{i}.self_attn_layer_norm", f"layers.{i}.final_layer_norm"]
    for name in norms:
        out[name + ".weight"], out[name + ".bias"] = np.ones(DIM, np.float32), np.zeros(DIM, np.float32)
    return out


def model_of(rates, layers=3):
    return begin(packed(layers), rates, random_model.random_model(OURS, 3)).eval()


@pytest.mark.parametrize("rates", [(4, 4, 4), (4, 2, 1), (1, 1)])
@pytest.mark.parametrize("look_ahead", [13, 3, 0])
def test_a_chunk_hears_nothing_that_comes_after_it_or_long_before(rates, look_ahead):
    encoder, prompt = model_of(rates).encoder, torch.tensor([1])
    chunk = look_ahead + 1
    frames = 3 * chunk * -(-70 // chunk)
    mels = torch.randn(1, 80, 8 * frames) * 2 - 6
    with torch.no_grad():
        before = encoder(mels, prompt, look_ahead)[0]
        later = mels.clone()
        later[..., 8 * (frames - chunk):] += 1
        after = encoder(later, prompt, look_ahead)[0]
    assert before.shape == (1, frames, DIM)
    torch.testing.assert_close(after[:, :frames - chunk], before[:, :frames - chunk])
    assert (after - before)[:, frames - chunk:].abs().max() > 1e-3
    with torch.no_grad():
        earlier = mels.clone()
        earlier[..., :8] += 1  # further back than all layers together can see
        after = encoder(earlier, prompt, look_ahead)[0]
    reach = len(rates) * (56 + chunk) + 1
    torch.testing.assert_close(after[:, reach:], before[:, reach:])


def test_it_begins_with_the_weights_of_whisper_and_with_our_pieces():
    weights, ours = packed(3), random_model.random_model(OURS, 3)
    model = begin(weights, [4, 2], ours)
    assert len(model.encoder.layers) == 2
    expected = weights["layers.1.fc1.int8"].T * np.float32(0.002)
    np.testing.assert_allclose(model.encoder.layers[1].up.weight.detach().numpy(), expected, atol=1e-6)
    torch.testing.assert_close(model.predictor.lstm.weight_ih_l0, ours.predictor.lstm.weight_ih_l0)


@pytest.mark.parametrize("rates", [[4, 4, 4, 4], [2, 4], [3]])
def test_rates_that_cannot_be_are_refused(rates):
    with pytest.raises(SystemExit, match="--rates"):
        begin(packed(3), rates, random_model.random_model(OURS, 3))


def test_nothing_is_dropped_before_the_first_layer_while_it_learns(monkeypatch):
    """A dropout of 0.1 there cost 7 to 8 points of phone errors on strangers."""
    monkeypatch.setattr(torch, "randint", lambda *_: torch.tensor(0))  # where in Whisper's positions a clip begins
    model = begin(packed(3), (2, 1), random_model.random_model(dataclasses.replace(OURS, dropout=0.1), 3))
    given = torch.randn(2, 80, 8 * 28) * 2 - 6, torch.tensor([0, 1]), 6
    with torch.no_grad():
        torch.testing.assert_close(model.train().encoder(*given)[0], model.eval().encoder(*given)[0])


def test_by_default_five_layers_are_kept_and_frames_are_merged_in_two_steps(tmp_path, monkeypatch):
    np.savez(tmp_path / "whisper.npz", **packed(6))
    save_checkpoint(random_model.random_model(OURS, 3), str(tmp_path / "ours.pt"))
    monkeypatch.setattr(sys, "argv", ["from_whisper.py", "--packed", str(tmp_path / "whisper.npz"), "--checkpoint", str(tmp_path / "ours.pt"), "--out", str(tmp_path / "start.pt")])
    from_whisper.main()
    model = load_checkpoint(str(tmp_path / "start.pt"))
    assert tuple(model.c.rates) == (2, 1, 1, 1, 1) and len(model.encoder.layers) == 5 and model.c.mid == 4


def test_every_part_learns():
    model = model_of((4, 1)).train()
    last, middle = model.encoder(torch.randn(2, 80, 8 * 28) * 2 - 6, torch.tensor([0, 1]), 6)
    (last.square().mean() + middle.square().mean()).backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in model.encoder.parameters())


def test_the_features_are_on_the_scale_of_whisper():
    """Speech-like sound: what the encoder makes of our features is near to Whisper's own."""
    import features
    wave = torch.randn(1, 16000) * 0.1
    wave = wave + 0.9 * torch.nn.functional.pad(wave, (1, 0))[:, :-1]
    theirs = whisper.log_mel(wave, features.mel_filters(80, fft=whisper.FFT))
    ours = features.log_mel(wave, features.mel_filters(80))
    encoder = Model(Config(dim=128, layers=1, rates=(4,))).encoder
    scaled = (ours / np.log(10) + encoder.tilt + 4) / 4
    assert (scaled - theirs)[..., 5:-5].abs().mean() < 0.06


def test_a_stream_of_phones_answers_every_40_ms_and_learns(tmp_path):
    np.savez(tmp_path / "tiny.npz", **packed(2))
    net = whisper_phones.PhoneStream(tmp_path / "tiny.npz", [4, 1], "cpu")
    answers = net(torch.randn(2, 14 * 1280) * 0.1)
    assert answers.shape == (2, 28, whisper_phones.BLANK + 1)
    answers.sum().backward()
    assert net.encoder.conv1.weight.grad.abs().sum() > 0
