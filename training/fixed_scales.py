"""Step 5b: the int8 encoder with fixed scales. The lean graph takes the scale of a matrix's input from the signal, chunk by chunk, so what shares a
run with an utterance would change its text. Here the scales are found once, on speech, and written into the graph: the text then depends on
nothing else, and several utterances can be encoded in one run, which costs less (four: 74 %, x86-64).

    python fixed_scales.py --clips data/speech --recordings recordings.npz --package ../models/svc-asr-kikuyu-v1 --package ../models/svc-asr-dholuo-v1

--clips: shards of synthesise.py and recorded.py; more kinds of voices matter more than many clips. --recordings: made by augment.py.

One scale for all channels of all frames would cost accuracy. So each kind of input gets what it needs:
- behind a norm: every channel is moved to its middle and brought to a similar width. The norm and the matrix do that, at no cost.
- behind attention, where it hands the values on as they are: the same, done by the matrix that makes the values.
- behind GELU: the same without a middle, at the cost of a multiplication.
- behind the convolution: some frames are ten times louder than others. Every frame is divided by its loudest value, and the product multiplied by it.
- elsewhere: one range, the one with the least error.
"""
import argparse
import json
import os

import numpy as np
import onnx
from onnx import helper, numpy_helper

import calibration
from augment import Recordings
from evaluate import read_clips
from graph_builder import RUNTIME, int8_columns
from package_files import entry, write_json
from stream import open_package

CLIPS = 180
FRAMES_KEPT = 3  # of each chunk's 14
JUDGED = 1500  # frames by which a range is chosen
NORMS = {"LayerNormalization": 1, "SkipLayerNormalization": 2}  # where their weights stand among the inputs
ACTIVATION = "QuickGelu"
GELU = "FastGelu"
ATTENTION = "MultiHeadAttention"
LEVELS = 255
EVENNESS = (0.3, 0.5, 0.7, 0.85)  # how far the widths of the channels are made alike; what they lose, the rows of the matrix gain
QUIETEST = (0.02, 0.05, 0.1, 0.2, 0.4)  # which part of the frames may be quieter than what the quietest ones are divided by
CUT_OFF = (0, 1e-6, 3e-6, 1e-5, 3e-5, 1e-4)  # which part of the values may be cut off at each end


class FixedGraph:
    def __init__(self, model, inputs):
        """inputs: {input of a matrix: rows of it}"""
        self.graph, self.inputs = model.graph, inputs
        self.weights = {w.name: numpy_helper.to_array(w) for w in model.graph.initializer}
        self.maker = {name: node for node in model.graph.node for name in node.output}
        self.users = {name: node for node in model.graph.node for name in node.input}
        self.nodes = []

    def fix(self):
        for node in self.graph.node:
            if node.op_type != "DynamicQuantizeMatMul":
                self.nodes.append(node)
                continue
            self.kind_of(node)(node)
        del self.graph.node[:], self.graph.initializer[:]
        self.graph.node.extend(self.nodes)
        used = {name for node in self.nodes for name in node.input}
        self.graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in self.weights.items() if name in used)

    def kind_of(self, node):
        maker = self.maker[node.input[0]]
        if maker.op_type in NORMS:
            return self.behind_norm
        if maker.op_type == ATTENTION:
            return self.behind_attention
        if GELU in (maker.op_type, self.source_of_windows(maker)):
            return self.behind_gelu
        return self.behind_convolution if maker.op_type == ACTIVATION and self.maker[maker.input[0]].op_type in NORMS else self.in_one_range

    def source_of_windows(self, maker):
        """What makes the frames that stand beside each other, where a convolution is a matrix."""
        parts = [self.maker[name] for name in maker.input if name in self.maker]
        return self.maker[parts[0].input[0]].op_type if maker.op_type == "Concat" and parts and {p.op_type for p in parts} == {"Slice"} else None

    def matrix(self, node):
        weight, scale, bias = (self.weights[node.input[i]] for i in (1, 2, 4))
        return weight.astype(np.float32) * scale, bias

    def put(self, name, value):
        self.weights[name] = value
        return name

    def op(self, kind, inputs, output, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def multiply(self, node, x, step, middle, output, bias=()):
        """Quantises x and multiplies it with the node's matrix."""
        y, (weight, scale, zero) = node.output[0], node.input[1:4]
        step, middle = self.put(f"{y}_step", np.float32(step)), self.put(f"{y}_middle", np.uint8(middle))
        q = self.op("QuantizeLinear", [x, step, middle], f"{y}_quantised")
        return self.op("MatMulIntegerToFloat", [q, weight, step, scale, middle, zero, *bias], output, domain=RUNTIME)

    def behind_norm(self, node):
        norm = self.maker[node.input[0]]
        at = NORMS[norm.op_type]
        factor, shift = norm.input[at], norm.input[at + 1]
        middle, width = self.evened(node)
        self.weights[factor] = (self.weights[factor] / width).astype(np.float32)
        self.weights[shift] = ((self.weights[shift] - middle) / width).astype(np.float32)

    def behind_attention(self, node):
        """A mean of the values: what is done to each of them is done to it."""
        values = self.maker[self.maker[node.input[0]].input[2]]
        columns, scale, bias = len(self.inputs[node.input[0]][0]), *(self.maker[values.input[0]].input[i] for i in (2, 4))
        assert values.op_type == "Split" and values.output[-1] == self.maker[node.input[0]].input[2]
        middle, width = self.evened(node)
        last = np.s_[-columns:]
        self.weights[bias][last] = (self.weights[bias][last] - middle) / width
        self.weights[scale][last] /= width

    def evened(self, node):
        """The node with every channel of its input moved to its middle and divided by its width: both are the caller's to do."""
        rows = self.inputs[node.input[0]]
        matrix, bias = self.matrix(node)
        low, high = rows.min(0), rows.max(0)
        middle = (low + high) / 2
        width, (step, zero) = best_widths(rows - middle, matrix, [(0, 1)])
        self.weights[node.input[4]] = (bias + middle @ matrix).astype(np.float32)
        self.put_matrix(node, matrix * width[:, None])
        self.multiply(node, node.input[0], step, zero, node.output[0], [node.input[4]])
        return middle, width

    def behind_gelu(self, node):
        x, y = node.input[0], node.output[0]
        matrix, _ = self.matrix(node)
        width, (step, zero) = best_widths(self.inputs[x], matrix, [(0, 1 - part) for part in CUT_OFF])
        even = self.op("Mul", [x, self.put(f"{y}_evenly", (1 / width).astype(np.float32))], f"{y}_even")
        self.put_matrix(node, matrix * width[:, None])
        self.multiply(node, even, step, zero, y, [node.input[4]])

    def put_matrix(self, node, matrix):
        self.weights[node.input[1]], self.weights[node.input[2]], _ = int8_columns(matrix)

    def behind_convolution(self, node):
        x, y, bias = node.input[0], node.output[0], node.input[4]
        matrix, _ = self.matrix(node)
        rows, lowest = self.inputs[x][:JUDGED], min(0.0, float(self.inputs[x].min()))
        loudest = self.inputs[x].max(1, keepdims=True)
        levels = lambda quiet: np.maximum(loudest[:JUDGED], quiet)
        error = lambda quiet: output_error(rows, rounded(rows / levels(quiet), lowest / quiet, 1) * levels(quiet), matrix)
        quiet = min([max(1e-3, float(np.quantile(loudest, part))) for part in QUIETEST], key=error)
        level = self.op("Max", [self.op("ReduceMax", [x], f"{y}_loudest", axes=[-1], keepdims=1), self.put(f"{y}_quiet", np.float32(quiet))], f"{y}_level")
        product = self.multiply(node, self.op("Div", [x, level], f"{y}_levelled"), *quantiser(lowest / quiet, 1), f"{y}_product")
        # The sum behind it takes the bias, too.
        user = self.users[y]
        assert user.op_type == "SkipLayerNormalization" and len(user.input) == 4
        self.op("Mul", [product, level], y)
        user.input.append(bias)

    def in_one_range(self, node):
        values, (matrix, _) = self.inputs[node.input[0]], self.matrix(node)
        choices = list(zip(np.quantile(values, CUT_OFF), np.quantile(values, 1 - np.array(CUT_OFF))))
        rows = values[:JUDGED]
        best = min(choices, key=lambda r: output_error(rows, rounded(rows, *r), matrix))
        self.multiply(node, node.input[0], *quantiser(*best), node.output[0], [node.input[4]])


def best_widths(rows, matrix, ranges):
    """By what each channel is divided, and the quantiser behind it: the choice with the least error of the product. ranges: which part of the values they hold."""
    judged = rows[:JUDGED]
    widest, exact, best = np.abs(rows).max(0), judged @ matrix, None
    for evenness in EVENNESS:
        width = even_widths(widest, matrix, evenness)
        small, scale, _ = int8_columns(matrix * width[:, None])
        for part in ranges:
            low, high = np.quantile(rows / width, part)
            error = np.square(rounded(judged / width, low, high) @ (small * scale) - exact).sum()
            if best is None or error < best[0]:
                best = error, width, quantiser(low, high)
    return best[1:]


def even_widths(width, matrix, evenness):
    width, rows = np.maximum(width, 1e-6), np.maximum(np.abs(matrix).max(1), 1e-6)
    even = width ** evenness / rows ** (1 - evenness)
    return even / np.exp(np.log(even).mean())


def quantiser(low, high):
    """The size of a step and the step that stands for 0."""
    low, high = min(low, 0.0), max(high, 0.0)
    step = np.float32(max(high - low, 1e-6) / LEVELS)
    return step, np.uint8(round(-low / float(step)))


def rounded(rows, low, high):
    step, middle = quantiser(low, high)
    return (np.clip(np.round(rows / step) + middle, 0, LEVELS) - float(middle)) * step


def output_error(rows, changed, matrix):
    return float(np.square((changed - rows) @ matrix).sum())


def matrix_inputs(model):
    return list(dict.fromkeys(node.input[0] for node in model.graph.node if node.op_type == "DynamicQuantizeMatMul"))


def observe(folders, model, clips, recordings):
    """Clips of other languages are heard under each package's prompt in turn."""
    names, rng = matrix_inputs(model), np.random.default_rng(5)
    drawn, seen = calibration.draw(clips, CLIPS, 5), []
    waves = calibration.heard(drawn, 5, recordings)
    packages = [open_package(folder) for folder in folders]
    for i, package in enumerate(packages):
        own = [w for k, (w, c) in enumerate(zip(waves, drawn)) if whose(c, k, packages) == i]
        seen += [calibration.observe(package, model, names, own, FRAMES_KEPT, rng)] if own else []
    order = rng.permutation(sum(len(part[names[0]]) for part in seen))
    return {name: np.concatenate([part[name] for part in seen])[order] for name in names}


def whose(clip, number, packages):
    codes = [package.m["language_code"] for package in packages]
    return codes.index(clip.language) if clip.language in codes else number % len(codes)


def encoder_path(folder):
    manifest = json.load(open(os.path.join(folder, "manifest.json"), encoding="utf-8"))
    return os.path.realpath(os.path.join(folder, manifest["files"]["encoder"]["path"]))


def fix_packages(folders, clips, recordings=None):
    """The packages share one encoder."""
    path = encoder_path(folders[0])
    assert all(encoder_path(folder) == path for folder in folders), "one network at a time"
    model = onnx.load(path)
    assert matrix_inputs(model), "its scales are fixed already"
    FixedGraph(model, observe(folders, model, clips, recordings)).fix()
    onnx.checker.check_model(model)
    onnx.save(model, path)
    for folder in folders:
        manifest_path = os.path.join(folder, "manifest.json")
        manifest = json.load(open(manifest_path, encoding="utf-8"))
        manifest["files"]["encoder"] = entry(folder, manifest["files"]["encoder"]["path"])
        write_json(manifest_path, manifest)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--clips", required=True)
    ap.add_argument("--recordings", help="measured rooms and recorded noise, made by augment.py")
    ap.add_argument("--package", action="append", required=True, help="packages that share one encoder")
    args = ap.parse_args()
    fix_packages(args.package, read_clips(args.clips), args.recordings and Recordings(args.recordings, "cpu"))


if __name__ == "__main__":
    main()
