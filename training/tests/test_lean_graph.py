"""The lean encoder gives the frames and caches of the plain one, chunk by chunk, with every step length and with unfilled caches."""
import numpy as np
import onnx
import onnxruntime as ort
import pytest

import export
import random_model
from lean_graph import lean_encoder
from chunks import HISTORY
from model import LOOK_AHEADS, Config
from onnx_graph import encoder_graph


@pytest.fixture(scope="module", params=[0, 4])
def encoders(request, tmp_path_factory):
    config = Config(dim=64, layers=3, heads=4, sub=(32, 48), vocab=17, prompts=request.param, pred=48, joint=32, mid=1)
    model, folder = random_model.random_model(config, 3), tmp_path_factory.mktemp("encoder")
    meta = export.metadata(config)
    onnx.save(encoder_graph(model.encoder, meta), str(folder / "float.onnx"))
    export.quantise(str(folder / "float.onnx"), str(folder / "plain.onnx"))
    onnx.save(lean_encoder(onnx.load(str(folder / "plain.onnx"))), str(folder / "lean.onnx"))
    return config, *(ort.InferenceSession(str(folder / f"{name}.onnx")) for name in ("plain", "lean"))


@pytest.mark.parametrize("look_ahead", LOOK_AHEADS)
@pytest.mark.parametrize("batch", [1, 2])
def test_lean_equals_plain(encoders, look_ahead, batch):
    c, plain, lean = encoders
    rng, columns = np.random.default_rng(look_ahead), HISTORY + 8 * (look_ahead + 1)
    state = [np.zeros((batch, c.layers, c.left, c.dim), np.float32), np.zeros((batch, c.layers, c.dim, c.kernel - 1), np.float32), np.zeros(batch, np.int64)]
    for _ in range(6):
        window = rng.standard_normal((batch, c.mel, columns)).astype(np.float32) * 3 - 6
        feeds = [window, np.full(batch, columns, np.int64), *state, *([np.zeros(batch, np.int64)] if c.prompts else [])]
        expected, found = (s.run(None, dict(zip([i.name for i in s.get_inputs()], feeds))) for s in (plain, lean))
        for a, b in zip(expected, found):
            assert a.shape == b.shape
            # A value that lies between two steps of the int8 scale may round to the other one.
            np.testing.assert_allclose(a, b, atol=0.1)
        assert np.sqrt(np.square(expected[0] - found[0]).mean()) < 0.02
        state = expected[2:]
