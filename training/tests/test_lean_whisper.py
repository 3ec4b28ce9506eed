"""An encoder that began as Whisper's gives, as it is served, the frames and caches of the plain int8 one, chunk by chunk; with fixed scales nearly the same."""
import numpy as np
import onnx
import onnxruntime as ort
import pytest
import torch

import export
import fixed_scales
import lean_whisper
import random_model
import whisper_graph
from chunks import HISTORY
from evaluate import Clip
from model import LOOK_AHEADS, Config
from package_files import write_json

RATES = [(4, 2, 1), (2, 1, 1)]


def config(rates):
    return Config(dim=128, layers=len(rates), heads=2, rates=rates, vocab=17, pred=48, joint=32, mid=1)


def feeds(session, c, rng, batch, look_ahead, state):
    columns = HISTORY + 8 * (look_ahead + 1)
    window = rng.standard_normal((batch, c.mel, columns)).astype(np.float32) * 2 - 5
    given = [window, np.full(batch, columns, np.int64), *state, np.arange(batch) % 2]
    return dict(zip([i.name for i in session.get_inputs()], given))


def empty(c, batch):
    slots, conv_cache = export.cache_sizes(c)
    return [np.zeros((batch, slots, c.left, c.dim), np.float32), np.zeros((batch, slots, c.dim, conv_cache), np.float32), np.zeros(batch, np.int64)]


@pytest.fixture(scope="module", params=RATES)
def encoders(request, tmp_path_factory):
    c, folder = config(request.param), tmp_path_factory.mktemp("encoder")
    encoder, meta = random_model.random_model(c, 3).encoder, export.metadata(c)
    onnx.save(whisper_graph.encoder_graph(encoder, meta), str(folder / "float.onnx"))
    export.quantise(str(folder / "float.onnx"), str(folder / "plain.onnx"))
    onnx.save(lean_whisper.encoder_graph(encoder, meta), str(folder / "lean.onnx"))
    return c, *(ort.InferenceSession(str(folder / f"{name}.onnx")) for name in ("plain", "lean"))


@pytest.mark.parametrize("look_ahead", LOOK_AHEADS)
@pytest.mark.parametrize("batch", [1, 2])
def test_lean_equals_plain(encoders, look_ahead, batch):
    c, plain, lean = encoders
    rng, state = np.random.default_rng(look_ahead), empty(c, batch)
    for _ in range(6):
        given = feeds(plain, c, rng, batch, look_ahead, state)
        expected, found = (s.run(None, given) for s in (plain, lean))
        assert [a.shape for a in expected] == [b.shape for b in found]
        for a, b in zip(expected, found):
            # A value that lies between two steps of the int8 scale may round to the other one.
            np.testing.assert_allclose(a, b, atol=0.1)
        assert np.sqrt(np.square(expected[0] - found[0]).mean()) < 0.02
        state = expected[2:]


def package(model, folder):
    """The encoder's file before its scales are fixed, and after."""
    c = model.c
    files = export.write_graphs(model, str(folder)) | {"tokens": "tokens.txt"}
    (folder / "tokens.txt").write_text("".join(f"p{i} {i}\n" for i in range(c.vocab + 1)))
    write_json(str(folder / "manifest.json"), export.manifest(c, str(folder), files, id="x", language_code="ki") | {"prompt_index": 0})
    before, rng = (folder / files["encoder"]).read_bytes(), np.random.default_rng(1)
    fixed_scales.fix_packages([str(folder)], [Clip((rng.standard_normal(40000) * 3000).astype(np.int16), "", "ki", "") for _ in range(3)])
    return before, (folder / files["encoder"]).read_bytes()


@pytest.fixture(scope="module", params=RATES)
def fixed(request, tmp_path_factory):
    c = config(request.param)
    before, after = package(random_model.random_model(c, 3), tmp_path_factory.mktemp("package"))
    return c, after, ort.InferenceSession(before), ort.InferenceSession(after)


def relative_error(expected, found):
    return np.sqrt(np.square(expected - found).mean() / np.square(expected).mean())


@pytest.mark.parametrize("wide", ["gelu", "values"])
def test_a_wide_channel_does_not_drown_the_others(wide, tmp_path):
    """Whisper has channels behind GELU and attention that are thirty times as wide as the rest."""
    model, count = random_model.random_model(config((2, 1)), 3), 4
    with torch.no_grad():
        for layer in model.encoder.layers:
            before, after = (layer.up, layer.down) if wide == "gelu" else (layer.v, layer.out)
            before.weight[:count] *= 100
            after.weight[:, :count] /= 100
    files = export.write_graphs(model, str(tmp_path / "float"), "fp32")
    session = ort.InferenceSession(str(tmp_path / "float" / files["encoder"]))
    (tmp_path / "int8").mkdir()
    _, after = package(model, tmp_path / "int8")
    given = feeds(session, model.c, np.random.default_rng(2), 1, 13, empty(model.c, 1))
    expected, found = (s.run(None, given)[0] for s in (session, ort.InferenceSession(after)))
    assert relative_error(expected, found) < 0.08  # in one range: 0.16 and more


def test_with_fixed_scales_frames_are_nearly_the_same(fixed):
    c, _, before, after = fixed
    given = feeds(before, c, np.random.default_rng(2), 1, 13, empty(c, 1))
    expected, found = (session.run(None, given)[0] for session in (before, after))
    assert 0 < relative_error(expected, found) < 0.1


def test_with_fixed_scales_no_scale_follows_the_signal_and_a_neighbour_changes_nothing(fixed):
    c, encoder, _, after = fixed
    assert not [node.op_type for node in onnx.load_from_string(encoder).graph.node if node.op_type.startswith("Dynamic")]
    state = [np.random.default_rng(4).standard_normal(part.shape).astype(part.dtype) for part in empty(c, 3)]
    state[2] = np.array([0, 14, 430])
    given = feeds(after, c, np.random.default_rng(3), 3, 13, state)
    together = after.run(None, given)
    for row in range(3):
        alone = after.run(None, {name: value[row:row + 1] for name, value in given.items()})
        for a, b in zip(alone, together):
            np.testing.assert_array_equal(a[0], b[row])
