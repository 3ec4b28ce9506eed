"""The exported encoder, fed chunk by chunk with its caches, gives the frames of the whole-utterance pass of the training."""
import numpy as np
import onnxruntime as ort
import pytest
import torch

import export
import random_model
from chunks import HISTORY
from model import LOOK_AHEADS, Config, greedy


@pytest.fixture(scope="module", params=[80, 128])
def package(request, tmp_path_factory):
    config = Config(mel=request.param, dim=64, layers=3, heads=4, sub=(32, 48), vocab=17, prompts=4, pred=48, joint=32, mid=1)
    model = random_model.random_model(config, 3)
    random_model.bias_blank(model)
    folder = tmp_path_factory.mktemp("package")
    files = export.write_graphs(model, str(folder), "fp32")
    return model, {part: ort.InferenceSession(str(folder / name)) for part, name in files.items()}


def caches(c, batch):
    layers, conv_cache = export.cache_sizes(c)
    return [np.zeros((batch, layers, c.left, c.dim), np.float32), np.zeros((batch, layers, c.dim, conv_cache), np.float32), np.zeros(batch, np.int64)]


def stream(model, session, mels, prompt, look_ahead):
    batch, shift, out = mels.shape[0], 8 * (look_ahead + 1), []
    padded = np.pad(mels, ((0, 0), (0, 0), (HISTORY, 0)))
    state = caches(model.c, batch)
    for start in range(0, mels.shape[2], shift):
        window = np.ascontiguousarray(padded[:, :, start:start + HISTORY + shift])
        feeds = [window, np.full(batch, window.shape[2], np.int64), *state, prompt]
        encoded, lengths, *state = session.run(None, dict(zip([i.name for i in session.get_inputs()], feeds)))
        assert (lengths == look_ahead + 1).all() and encoded.shape[2] == look_ahead + 1
        out.append(encoded)
    return np.concatenate(out, 2)


@pytest.mark.parametrize("look_ahead", LOOK_AHEADS)
def test_streaming_equals_the_whole_utterance(package, look_ahead):
    model, sessions = package
    frames = 112  # twice the left context, and a whole number of chunks of every size
    mels = torch.randn(2, model.c.mel, 8 * frames) * 3 - 6
    prompt = torch.tensor([0, 1])
    with torch.no_grad():
        whole, _ = model.encoder(mels, prompt, look_ahead)
    streamed = stream(model, sessions["encoder"], mels.numpy(), prompt.numpy(), look_ahead)
    np.testing.assert_allclose(streamed, whole.transpose(1, 2).numpy(), atol=2e-4)


@pytest.mark.parametrize("rates", [(4, 2, 1), (1,)])
@pytest.mark.parametrize("look_ahead", LOOK_AHEADS)
def test_an_encoder_that_began_as_whisper_streams_past_the_end_of_its_positions(rates, look_ahead, tmp_path):
    model = random_model.random_model(Config(dim=128, layers=len(rates), rates=rates, vocab=17, pred=48, joint=32, mid=1), 3)
    files = export.write_graphs(model, str(tmp_path), "fp32")
    session = ort.InferenceSession(str(tmp_path / files["encoder"]))
    frames = 15 * 56  # more than twice the 375 after which positions begin again
    mels, prompt = torch.randn(2, 80, 8 * frames) * 2 - 6, torch.tensor([0, 1])
    with torch.no_grad():
        whole, _ = model.encoder(mels, prompt, look_ahead)
    streamed = stream(model, session, mels.numpy(), prompt.numpy(), look_ahead)
    np.testing.assert_allclose(streamed, whole.transpose(1, 2).numpy(), atol=2e-4)


def test_decoder_and_joiner_make_the_pieces_of_the_reference(package):
    model, sessions = package
    encoded = torch.randn(1, 40, model.c.dim)
    expected = greedy(model, encoded, torch.tensor([40]))[0]
    assert expected == onnx_greedy(model.c, sessions, encoded.transpose(1, 2).numpy())


def onnx_greedy(c, sessions, encoded):
    pieces, state = [], [np.zeros((1, 1, c.pred), np.float32)] * 2
    ask = lambda last: sessions["decoder"].run(None, {"targets": np.array([[last]], np.int32), "target_length": np.ones(1, np.int32), "h": state[0], "c": state[1]})
    pred, _, *state = ask(c.vocab)
    for t in range(encoded.shape[2]):
        for _ in range(10):
            logits = sessions["joiner"].run(None, {"encoder_outputs": encoded[:, :, t:t + 1], "decoder_outputs": pred})[0]
            best = int(logits.argmax())
            if best == c.vocab:
                break
            pieces.append(best)
            pred, _, *state = ask(best)
    return pieces


def test_packed_weights_hear_nearly_what_fp32_hears(package, tmp_path):
    model, sessions = package
    files = export.write_graphs(model, str(tmp_path), "weights")
    packed = ort.InferenceSession(str(tmp_path / files["encoder"]))
    mels, prompt = np.random.default_rng(0).standard_normal((1, model.c.mel, 448)).astype(np.float32) * 3 - 6, np.array([0])
    whole, small = (stream(model, s, mels, prompt, 13) for s in (sessions["encoder"], packed))
    assert 0 < np.sqrt(np.square(whole - small).mean() / np.square(whole).mean()) < 0.03
