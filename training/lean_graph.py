"""Step 5: the int8 encoder as it is served. The same arithmetic with the same weights, in three quarters of the time.

Half of the time of the graph that `onnx_graph.py` writes and the quantiser changes goes to some 500 small operations around its matrices. Here
they are joined: residual sums with the norms after them, rotary positions and attention in operators of the runtime, Q, K and V in one matrix,
the halves of the feed-forward in its scales; the depthwise convolution works on blocks of channels, and the caches are put together once instead
of layer by layer. Some sums are made in another order. That changes the last bits of a value, which may decide the int8 step of the next matrix,
and that, at a near tie, a word.

    python lean_graph.py --package ../models/svc-asr-kikuyu-v1 --package ../models/svc-asr-dholuo-v1
"""
import argparse
import json
import os

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

from graph_builder import RUNTIME, Graph
from package_files import entry, write_json

END = 1 << 30
PARTS = ("q", "kv")


class Plain:
    """The graph that was quantised: its weights by name, and the nodes that are kept as they are."""

    def __init__(self, model):
        self.graph = model.graph
        self.weights = {w.name: numpy_helper.to_array(w) for w in model.graph.initializer}
        self.meta = {p.key: p.value for p in model.metadata_props}
        self.layers, self.left, self.dim = (int(self.meta[f"cache_last_channel_dim{i}"]) for i in (1, 2, 3))
        self.kernel = int(self.meta["cache_last_time_dim3"]) + 1
        self.head = self.weights["rope.cos"].shape[1]
        self.heads = self.dim // self.head
        self.kv_heads = self.heads // 2
        norms = {n.input[1]: n for n in self.graph.node if n.op_type == "LayerNormalization"}
        first = norms["blocks.0.first.norm.scale"]
        self.entry = first.input[0]
        self.epsilon = next(a.f for a in first.attribute if a.name == "epsilon")

    def before(self, *values):
        """The nodes that these values need, in their order."""
        needed, nodes = set(values), []
        for node in reversed(self.graph.node):
            if needed & set(node.output):
                needed |= set(node.input)
                nodes.insert(0, node)
        return nodes


def lean_encoder(model):
    plain = Plain(model)
    g = Graph("encoder", prefix="lean_")
    for node in plain.before(plain.entry, "encoded_lengths"):
        g.nodes.append(node)
        for name in set(node.input) & set(plain.weights):
            g.weight(name, plain.weights[name])
    step = Step(g, plain)
    step.blocks(plain.entry)
    info = lambda values: [(v.name, v.type.tensor_type.elem_type, [d.dim_param or d.dim_value for d in v.type.tensor_type.shape.dim]) for v in values]
    return g.model(info(plain.graph.input), info(plain.graph.output), plain.meta)


class Step:
    """The layers of one step. Between them go the sum `x` of all branches so far and its norm, which the next branch takes."""

    def __init__(self, g, plain):
        self.g, self.p = g, plain
        self.frames = g.op("Slice", g.op("Shape", plain.entry), g.ints(1), g.ints(2))
        self.filled = self.filled_places()
        self.rope = [g.weight(f"half.{t}", plain.weights[f"rope.{t}"][:, :plain.head // 2]) for t in ("cos", "sin")]
        self.times = g.op("Transpose", "cache_last_time", perm=[0, 1, 3, 2])
        # Both query heads of a key head stand below each other: two rows of kv_heads heads for each frame.
        self.query_order = np.arange(plain.dim).reshape(plain.kv_heads, 2, plain.head).transpose(1, 0, 2).reshape(-1)

    def filled_places(self):
        """[B, S]: 0 at the places of the cache that nothing has filled yet."""
        g, left = self.g, self.p.left
        keys = g.op("Squeeze", g.op("Add", self.frames, g.ints(left)), g.ints(0))
        at = g.op("Unsqueeze", g.op("Range", g.const(0, np.int64), keys, g.const(1, np.int64)), g.ints(0))
        empty = g.op("Unsqueeze", g.op("Sub", g.ints(left), "cache_last_channel_len"), g.ints(1))
        return g.op("Cast", g.op("GreaterOrEqual", at, empty), to=TensorProto.INT32)

    def blocks(self, x):
        g, p, channels, times = self.g, self.p, [], []
        y = g.op("LayerNormalization", x, *self.norm_weights("blocks.0.first.norm"), axis=-1, epsilon=p.epsilon)
        for i in range(p.layers):
            name = f"blocks.{i}"
            x, y = self.add(x, self.feed_forward(y, f"{name}.first"), f"{name}.attention.norm")
            y, channel = self.attention(y, i, f"{name}.attention")
            x, y = self.add(x, y, f"{name}.convolution.norm")
            y, time = self.convolution(y, i, f"{name}.convolution")
            x, y = self.add(x, y, f"{name}.second.norm")
            x, y = self.add(x, self.feed_forward(y, f"{name}.second"), f"blocks.{i + 1}.first.norm" if i + 1 < p.layers else "norm")
            channels.append(channel)
            times.append(time)
        g.op("Transpose", y, perm=[0, 2, 1], name="encoded")
        self.next_caches(channels, times)

    def next_caches(self, channels, times):
        g, p = self.g, self.p
        layers = lambda parts: g.op("Reshape", g.op("Concat", *parts, axis=1), g.ints(0, p.layers, -1, p.dim))
        kept = g.slice("cache_last_channel", self.frames, g.ints(END), 2)
        g.op("Concat", kept, layers(channels), axis=2, name="cache_last_channel_next")
        last = g.slice(layers(times), g.ints(1 - p.kernel), g.ints(END), 2)
        g.op("Transpose", last, perm=[0, 1, 3, 2], name="cache_last_time_next")
        g.op("Min", g.op("Add", "cache_last_channel_len", self.frames), g.ints(p.left), name="cache_last_channel_next_len")

    def norm_weights(self, name):
        return [self.g.weight(f"{name}.{part}", self.p.weights[f"{name}.{part}"]) for part in ("scale", "shift")]

    def add(self, x, y, norm):
        """x + y, and the norm of it."""
        g = self.g
        out = [f"{norm}.of", "", "", f"{norm}.sum"]
        g.nodes.append(onnx.helper.make_node("SkipLayerNormalization", [x, y, *self.norm_weights(norm)], out, domain=RUNTIME, epsilon=self.p.epsilon))
        return out[3], out[0]

    def silu(self, x):
        return self.g.op("QuickGelu", x, alpha=1.0, domain=RUNTIME)

    def linear(self, x, name, parts=("",), columns=slice(None), rows=slice(None), factor=1.0):
        """Matrices that take the same input are one. The input's scale is taken from the signal, once."""
        w = self.p.weights
        part = lambda kind: np.concatenate([w[f"{name}{p and '.'}{p}.{kind}"] for p in parts], axis=-1)[..., columns]
        scale, bias = (part(kind) * np.float32(factor) for kind in ("weight_scale", "bias"))
        return self.g.quantised_linear(x, name, part("weight_quantized")[rows], scale, bias)

    def feed_forward(self, x, name):
        return self.linear(self.silu(self.linear(x, f"{name}.up")), f"{name}.down", factor=0.5)

    def rotate(self, x, first):
        return self.g.op("RotaryEmbedding", x, self.g.ints(first), *self.rope, domain=RUNTIME)

    def attention(self, x, i, name):
        g, p = self.g, self.p
        columns = np.concatenate([self.query_order, p.dim + np.arange(p.dim)])
        q, fresh = g.op("Split", self.linear(x, name, PARTS, columns), outputs=2, axis=-1)
        k, v = g.op("Split", g.op("Concat", self.layer_of("cache_last_channel", i), fresh, axis=1), outputs=2, axis=-1)
        q = g.op("Reshape", self.rotate(q, p.left), g.ints(0, -1, p.dim // 2))
        y = g.op("MultiHeadAttention", q, self.rotate(k, 0), v, "", self.filled, num_heads=p.kv_heads, mask_filter_value=-1e9, domain=RUNTIME)
        return self.linear(g.op("Reshape", y, g.ints(0, -1, p.dim)), f"{name}.out", rows=self.query_order), fresh

    def layer_of(self, cache, i):
        return self.g.op("Gather", cache, self.g.const(i, np.int64), axis=1)

    def convolution(self, x, i, name):
        g, p = self.g, self.p
        a, b = g.op("Split", self.linear(x, f"{name}.up"), outputs=2, axis=-1)
        frames = g.op("Concat", self.layer_of(self.times, i), g.op("Mul", a, g.op("Sigmoid", b)), axis=1)
        # With four dimensions and the channels moved to their place, the runtime takes many channels at once instead of one after the other.
        x = g.op("Transpose", g.op("Unsqueeze", frames, g.ints(1)), perm=[0, 3, 1, 2])
        weight = g.weight(f"{name}.depthwise", p.weights[f"{name}.depthwise"][:, :, None])
        x = g.op("Conv", x, weight, kernel_shape=[1, p.kernel], group=p.dim)
        x = g.op("Squeeze", g.op("Transpose", x, perm=[0, 2, 3, 1]), g.ints(1))
        x = g.op("LayerNormalization", x, *self.norm_weights(f"{name}.middle"), axis=-1, epsilon=p.epsilon)
        return self.linear(self.silu(x), f"{name}.down"), frames


def make_lean(path):
    onnx.save(lean_encoder(onnx.load(path)), path)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--package", action="append", required=True, help="packages may share one encoder")
    args = ap.parse_args()
    done = set()
    for folder in args.package:
        manifest_path = os.path.join(folder, "manifest.json")
        manifest = json.load(open(manifest_path, encoding="utf-8"))
        file = manifest["files"]["encoder"]["path"]
        path = os.path.realpath(os.path.join(folder, file))
        if path not in done:
            make_lean(path)
        done.add(path)
        manifest["files"]["encoder"] = entry(folder, file)
        write_json(manifest_path, manifest)


if __name__ == "__main__":
    main()
