"""With fixed scales the encoder gives nearly the frames that it gives with scales of every chunk its own, and a neighbour in the run changes nothing."""
import json

import numpy as np
import onnx
import onnxruntime as ort
import pytest

import calibration
import export
import fixed_scales
import random_model
from evaluate import Clip
from chunks import HISTORY
from model import Config
from package_files import write_json

COLUMNS = HISTORY + 8 * 14


@pytest.fixture(scope="module")
def encoders(tmp_path_factory):
    """The configuration, and the same package before and after."""
    c = Config(dim=64, layers=3, heads=4, sub=(32, 48), vocab=17, prompts=4, pred=48, joint=32, mid=1)
    folder = tmp_path_factory.mktemp("package")
    files = export.write_graphs(random_model.random_model(c, 3), str(folder)) | {"tokens": "tokens.txt"}
    (folder / "tokens.txt").write_text("".join(f"p{i} {i}\n" for i in range(c.vocab + 1)))
    write_json(str(folder / "manifest.json"), export.manifest(c, str(folder), files, id="x", language_code="ki") | {"prompt_index": 0})
    before = (folder / files["encoder"]).read_bytes()
    rng = np.random.default_rng(1)
    clips = [Clip((rng.standard_normal(40000) * 3000).astype(np.int16), "", "ki", "") for _ in range(3)]
    fixed_scales.fix_packages([str(folder)], clips)
    return c, folder, ort.InferenceSession(before), ort.InferenceSession(str(folder / files["encoder"]))


def feeds(session, c, rng, batch):
    window = rng.standard_normal((batch, c.mel, COLUMNS)).astype(np.float32) * 2 - 3
    state = [np.zeros((batch, c.layers, c.left, c.dim), np.float32), np.zeros((batch, c.layers, c.dim, c.kernel - 1), np.float32), np.zeros(batch, np.int64)]
    return dict(zip([i.name for i in session.get_inputs()], [window, np.full(batch, COLUMNS), *state, np.zeros(batch, np.int64)]))


def test_frames_are_nearly_the_same(encoders):
    c, _, before, after = encoders
    given = feeds(before, c, np.random.default_rng(2), 1)
    expected, found = (session.run(None, given)[0] for session in (before, after))
    assert 0 < np.sqrt(np.square(expected - found).mean() / np.square(expected).mean()) < 0.1


def test_a_neighbour_changes_nothing(encoders):
    c, _, _, after = encoders
    given = feeds(after, c, np.random.default_rng(3), 3)
    together = after.run(None, given)
    for row in range(3):
        alone = after.run(None, {name: value[row:row + 1] for name, value in given.items()})
        for a, b in zip(alone, together):
            np.testing.assert_array_equal(a[0], b[row])


def test_the_manifest_names_the_new_file_and_no_scale_follows_the_signal(encoders):
    _, folder, _, _ = encoders
    named = json.loads((folder / "manifest.json").read_text())["files"]["encoder"]
    assert named == fixed_scales.entry(str(folder), named["path"])
    kinds = {node.op_type for node in onnx.load(str(folder / named["path"])).graph.node}
    assert not [kind for kind in kinds if kind.startswith("Dynamic")]


def test_every_kind_of_voice_is_heard_as_often():
    voices = ["espeak:es+f1"] * 50 + ["recorded:sw:1"] * 30 + ["recorded:lg:4"] * 20 + ["english:en:7"] * 10 + ["kokoro:af_sky"] * 2
    clips = [Clip(np.zeros(8, np.int16), "", "ki", voice) for voice in voices]
    kinds = [calibration.kind_of(clip) for clip in calibration.draw(clips, 25, 1)]
    assert {kind: kinds.count(kind) for kind in kinds} == {"espeak": 5, "recorded:sw": 5, "recorded:lg": 5, "english": 5, "kokoro": 2}


def test_loud_frames_behind_the_convolution_are_not_cut_off(encoders):
    """Every frame there has its own scale, and the sum behind it takes the bias."""
    _, folder, _, _ = encoders
    model = onnx.load(str(folder / json.loads((folder / "manifest.json").read_text())["files"]["encoder"]["path"]))
    levels = [node for node in model.graph.node if node.op_type == "ReduceMax"]
    biased = [node for node in model.graph.node if node.op_type == "SkipLayerNormalization" and len(node.input) == 5]
    assert len(levels) == len(biased) == 3


def test_a_package_is_fixed_once(encoders):
    _, folder, _, _ = encoders
    with pytest.raises(AssertionError, match="fixed already"):
        fixed_scales.fix_packages([str(folder)], [])
