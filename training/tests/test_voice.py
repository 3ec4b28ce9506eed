"""The voice network: streams, learns, is exported as it is, and hears nothing that the bench reports with."""
import argparse
import ctypes.util
import importlib
import time

import numpy as np
import pytest
import torch

import english_words
from voice import graph, labels, learn, network, scenes, sources, tracks
from voice.labels import FAR, HOP, IN_SPEECH, NEITHER, SILENCE, SPEECH, TAIL, UNSURE, VOICE
from voice.network import FRAME


def sound(*parts, seed=0):
    """Noise of (hops, amplitude), one after the other, in int16."""
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.standard_normal(hops * HOP) * amplitude for hops, amplitude in parts]).astype(np.int16)


def words():
    return sound((40, 10), (60, 3000), (20, 10), (60, 3000), (60, 10), (80, 3000), (40, 10))


@pytest.fixture(scope="module")
def weights():
    """As in Silero's file, but drawn."""
    shapes = {"stft.forward_basis_buffer": (258, 1, 256), "decoder.decoder.2.weight": (1, 128, 1), "decoder.decoder.2.bias": (1,)}
    for i, (enter, leave) in enumerate([(129, 128), (128, 64), (64, 64), (64, 128)]):
        shapes |= {f"encoder.{i}.reparam_conv.weight": (leave, enter, 3), f"encoder.{i}.reparam_conv.bias": (leave,)}
    for kind in ("ih", "hh"):
        shapes |= {f"decoder.rnn.weight_{kind}": (512, 128), f"decoder.rnn.bias_{kind}": (512,)}
    rng = np.random.default_rng(0)
    return {name: (rng.standard_normal(shape) * 0.1).astype(np.float32) for name, shape in shapes.items()}


@pytest.fixture(scope="module")
def parts(weights):
    return network.Spectra(weights), network.Voice(weights).eval()


@pytest.fixture(scope="module")
def made():
    found = tracks.Tracks([sound((500, 900))], [sound((50, 900))], seed=3)
    found.add([("sw", labels.label(words()))])
    return found


@pytest.fixture(scope="module")
def filled(made):
    found = scenes.Scenes(8, torch.ones(1, 1), "cpu", seed=3)
    for _ in range(2):
        found.add("speech", *made.draw_speech())
        found.add("noise", made.draw_noise(), None)
        found.add("events", made.draw_events(), None)
    return found


def test_labels_follow_the_level():
    wave, found = labels.label(sound((40, 2), (50, 3000), (5, 2), (50, 3000), (20, 2), (50, 3000), (60, 2), (50, 3000), (40, 2)))
    assert len(wave) == len(found) * HOP
    assert found.tolist() == [SPEECH] * 105 + [NEITHER] * 20 + [SPEECH] * 50 + [SILENCE] * 60 + [SPEECH] * 50


def test_a_recording_with_noise_of_its_own_has_no_labels():
    assert labels.label(sound((100, 600), (100, 3000))) is None


def test_digital_silence_does_not_make_a_noisy_recording_clean():
    noisy = sound((30, 0), (100, 700), (100, 3000), (100, 700))
    assert labels.label(noisy) is not None
    assert labels.label(noisy, strict=True) is None
    assert labels.label(words(), strict=True) is not None


def test_what_a_frame_is():
    hops = np.array([SPEECH] * 4 + [NEITHER] * 12 + [SPEECH] * 3 + [SILENCE] * 30)
    codes = labels.frame_codes(hops, 15).tolist()
    assert codes[:5] == [VOICE + IN_SPEECH] + [UNSURE + IN_SPEECH] * 4
    assert codes[5:7] == [VOICE + IN_SPEECH, TAIL]
    assert codes[6:] == [TAIL] * 5 + [FAR] * 4


def test_what_the_bench_reports_with_is_not_learned():
    assert [i for i in range(12) if sources.is_learned("sw", i, 12)] == [0, 2, 4, 6, 10]
    assert all(sources.is_learned("many", i, 12) for i in range(12))
    assert sources.learned_sources([(f"1-{i}", "rain") for i in range(4)] + [("1-9", "dog")]) == {"1-0", "1-2", "1-9"}


def test_the_english_speakers_that_measure_are_not_learned_from():
    learned = [i for i in range(1881) if sources.is_learned("en", i, 1881)]
    assert learned[-1] == 1580
    assert not set(learned) & set(english_words.held_out(range(1881)))


@pytest.mark.skipif(not ctypes.util.find_library("opus"), reason="libopus is not installed")
def test_held_out_english_speakers_are_counted_from_the_end_of_their_file(tmp_path, monkeypatch):
    import codec
    monkeypatch.setattr(english_words, "HELD_OUT", 4)
    write_packed(codec, tmp_path / "en.npz", [words()] * 6, ["s"] * 6, [""] * 6)
    assert [len(list(sources.read_speech(tmp_path, part, 2))) for part in range(2)] == [1, 0]


def test_of_sounds_that_the_bench_does_not_have_every_fifth_is_left_to_choose_limits_on():
    assert sources.learned_sources([(f"1-{i}", "rain") for i in range(6)], is_measured=False) == {"1-0", "1-1", "1-2", "1-3", "1-5"}


@pytest.mark.skipif(not ctypes.util.find_library("opus"), reason="libopus is not installed")
def test_packed_recordings_are_read_in_parts(tmp_path):
    import codec
    write_packed(codec, tmp_path / "sw.npz", [words()] * 6, ["s"] * 6, [""] * 6)
    write_packed(codec, tmp_path / "noise.npz", [sound((100, 900))] * 3, ["1-10-A", "1-10-B", "1-20-A"], ["rain", "dog", "rain"])
    assert [[name for name, _ in sources.read_speech(tmp_path, part, 2)] for part in range(2)] == [["sw"] * 3, []]
    lasting, single = sources.read_sounds(tmp_path / "noise.npz")
    assert (len(lasting), len(single)) == (1, 1)


@pytest.mark.skipif(not ctypes.util.find_library("opus"), reason="libopus is not installed")
def test_a_file_that_comes_later_is_read_too(tmp_path):
    import codec
    write_packed(codec, tmp_path / "many.npz", [words()] * 3, ["s"] * 3, [""] * 3)
    clips = sources.read_speech(tmp_path, 0, 1)
    first, _ = next(clips)
    write_packed(codec, tmp_path / "iba.npz", [words()] * 2, ["s"] * 2, [""] * 2)
    assert [first, *(name for name, _ in clips)] == ["many", "many", "iba", "many", "iba"]


def write_packed(codec, path, waves, speakers, texts):
    clips = [codec.Opus().encode(wave, 24000, 2) for wave in waves]
    np.savez(path, data=np.frombuffer(b"".join(p for clip in clips for p in clip), np.uint8), size=np.array([len(p) for clip in clips for p in clip], np.uint16),
             count=np.array([len(clip) for clip in clips]), speaker=np.array(speakers), text=np.array(texts))


def test_scenes_are_as_long_as_their_labels_and_in_range(filled):
    wave, codes = filled.draw(3)
    assert wave.shape == (3, tracks.SAMPLES) and codes.shape == (3, tracks.FRAMES)
    assert wave.abs().max() <= 1 and torch.isfinite(wave).all()
    assert ((codes & scenes.KIND) == VOICE).any()


def test_a_telephone_carries_no_high_tones(filled):
    power = lambda hz: filled.telephone(torch.sin(torch.arange(tracks.SAMPLES) * 2 * np.pi * hz / 16000)[None] * 3000).square().mean()
    assert power(6000) < 0.01 * power(1000)


def test_a_stream_in_parts_is_the_whole(parts):
    spectra, voice = parts
    wave = torch.from_numpy(sound((256, 3000))).float()[None] / 32768
    cut = FRAME * 30
    with torch.no_grad():
        whole, _ = voice(spectra(wave), 1)
        first, state = voice(spectra(wave[:, :cut]), 1)
        rest, _ = voice(spectra(wave[:, cut:], wave[:, cut - network.CONTEXT:cut]), 1, state)
    assert torch.allclose(torch.cat([first, rest], 1), whole, atol=1e-5)


def test_the_exported_network_hears_the_same(parts):
    onnxruntime = pytest.importorskip("onnxruntime")
    spectra, voice = parts
    session = onnxruntime.InferenceSession(graph.graph_of(spectra, voice).SerializeToString())
    wave = sound((160, 3000)).astype(np.float32) / 32768
    with torch.no_grad():
        expected = torch.sigmoid(voice(spectra(torch.from_numpy(wave)[None]), 1)[0][0] - graph.SHIFT).numpy()
    state, context, heard = np.zeros((2, 1, network.WIDTH), np.float32), np.zeros(network.CONTEXT, np.float32), []
    for frame in wave.reshape(-1, FRAME):
        likelihood, state = session.run(None, {"input": np.concatenate([context, frame])[None], "state": state})
        context = frame[-network.CONTEXT:]
        heard.append(likelihood.item())
    assert np.abs(heard - expected).max() < 1e-3


def test_a_file_that_was_taught_further_can_be_taught_again(parts, weights, tmp_path):
    import onnx
    onnx.save(graph.graph_of(*parts), tmp_path / "voice.onnx")
    found = network.read_weights(tmp_path / "voice.onnx")
    assert found.keys() == weights.keys()
    assert all(found[name].shape == value.shape and np.abs(found[name] - value).max() < 1e-3 for name, value in weights.items())
    wave = torch.from_numpy(sound((64, 3000))).float()[None] / 32768
    with torch.no_grad():
        assert torch.allclose(network.Voice(found)(network.Spectra(found)(wave), 1)[0], parts[1](parts[0](wave), 1)[0], atol=0.01)


def test_a_network_between_two_has_a_part_of_both(weights):
    after = network.Voice({name: value + 1 for name, value in weights.items()})
    found = network.between(network.Voice(weights), after, 0.7)
    assert np.allclose(found.out.weight.detach().numpy(), weights["decoder.decoder.2.weight"][:, :, 0] + 0.7, atol=1e-5)


def test_mistakes_cost_more_than_right_answers():
    codes = torch.tensor([[FAR] * 20 + [VOICE + IN_SPEECH] * 20], dtype=torch.uint8)
    right = torch.tensor([[-6.0] * 20 + [6.0] * 20])
    false, missed = right.clone(), right.clone()
    false[0, 5], missed[0, 20:] = 6.0, -6.0
    cost = lambda logits: learn.mistake(logits, codes, learn.Costs())
    assert cost(right) < cost(false) < cost(missed)
    assert learn.errors(right, codes) == (0, 0)
    assert learn.errors(missed, codes) == (100, 0)
    assert learn.errors(false, codes)[1] > 0


def test_a_voice_heard_soon_after_speech_can_cost_more_than_a_later_one():
    codes = torch.tensor([[VOICE + IN_SPEECH] * 20 + [TAIL] * 5 + [FAR] * 60], dtype=torch.uint8)
    soon, late = torch.tensor([[6.0] * 20 + [-6.0] * 65]).repeat(2, 1).split(1)
    soon[0, 27], late[0, 60] = 6.0, 6.0
    cost = lambda logits, after: learn.mistake(logits, codes, learn.Costs(false=0, after=after))
    assert torch.isclose(cost(soon, 0), cost(late, 0))
    assert cost(soon, 1) > cost(late, 1)


def test_it_learns(weights, filled, monkeypatch):
    monkeypatch.setattr(learn, "WARM", 1)
    spectra, voice = network.Spectra(weights), network.Voice(weights)
    training = learn.Training(spectra, voice, 3e-3, learn.Costs())
    wave, codes = filled.draw(1, below=30)
    losses = [training.learn(wave, codes, done=0) for _ in range(3)]
    assert losses[-1] < losses[0]
    assert training.steps == 12


def test_networks_are_taught_side_by_side_and_saved(weights, filled, monkeypatch, tmp_path, capsys):
    main = importlib.import_module("voice.__main__")
    monkeypatch.setattr(main, "TELL", 0)
    trainings = {name: learn.Training(network.Spectra(weights), network.Voice(weights), 3e-3, learn.COSTS[name]) for name in ("careful", "prompt")}
    args = argparse.Namespace(streams=1, part=1.0, out=str(tmp_path / "run"))
    main.run(trainings, filled, args, time.monotonic() + 0.1, take=lambda: None, save=lambda: None)
    main.save(trainings, weights, args)
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["careful.onnx", "prompt.onnx"]
    learned = {name: network.read_weights(tmp_path / "run" / f"{name}.onnx")["decoder.decoder.2.weight"] for name in trainings}
    assert np.abs(learned["careful"] - weights["decoder.decoder.2.weight"]).max() > 1e-5
    assert np.abs(learned["careful"] - learned["prompt"]).max() > 0
    assert "at 10 dB careful: 4 steps" in capsys.readouterr().out
