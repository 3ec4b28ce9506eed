"""Writes the model as three ONNX graphs by the streaming contract (encoder step with caches, decoder, joiner), and as one more what each frame says by itself.

Each weight is the [in, out] of a MatMul, which is what the quantiser looks for.
"""
import numpy as np
from onnx import TensorProto

from chunks import FLOOR
from graph_builder import Graph
from model import DROPPED, SCALE, SHIFT, SUBSAMPLING, rope_table

MAX_CHUNK = 64  # encoder frames per step: the rotary table reaches this far
f32, i64, i32 = TensorProto.FLOAT, TensorProto.INT64, TensorProto.INT32


def encoder_graph(encoder, metadata):
    c, g = encoder.c, Graph("encoder")
    x = g.norm(subsample(g, encoder, "audio_signal"), encoder.enter, "enter")
    if encoder.prompt is not None:
        row = g.op("Gather", g.weight("prompt", encoder.prompt.weight), "prompt_index")
        x = g.op("Add", x, g.op("Unsqueeze", row, g.ints(1)))
    step = Step(g, c, x)
    channels, times = [], []
    for i, block in enumerate(encoder.blocks):
        x, channel, time = step.block(x, block, i)
        channels.append(g.op("Unsqueeze", channel, g.ints(1)))
        times.append(g.op("Unsqueeze", time, g.ints(1)))
    g.op("Transpose", g.norm(x, encoder.norm, "norm"), perm=[0, 2, 1], name="encoded")
    g.op("Concat", *channels, axis=1, name="cache_last_channel_next")
    g.op("Concat", *times, axis=1, name="cache_last_time_next")
    full = g.op("Add", "cache_last_channel_len", step.frames)
    g.op("Min", full, g.ints(c.left), name="cache_last_channel_next_len")
    encoded_lengths(g)
    channel, time = ["B", c.layers, c.left, c.dim], ["B", c.layers, c.dim, c.kernel - 1]
    inputs = [("audio_signal", f32, ["B", c.mel, "T"]), ("length", i64, ["B"]), ("cache_last_channel", f32, channel),
              ("cache_last_time", f32, time), ("cache_last_channel_len", i64, ["B"])]
    if encoder.prompt is not None:
        inputs.append(("prompt_index", i64, ["B"]))
    outputs = [("encoded", f32, ["B", c.dim, "F"]), ("encoded_lengths", i64, ["B"]), ("cache_last_channel_next", f32, channel),
               ("cache_last_time_next", f32, time), ("cache_last_channel_next_len", i64, ["B"])]
    return g.model(inputs, outputs, metadata)


def subsample(g, encoder, x):
    x = g.op("Max", x, g.const(FLOOR))
    x = g.op("Mul", g.op("Add", x, g.const(SHIFT)), g.const(SCALE))
    for i, conv in enumerate(encoder.subsampling.convs):
        name = f"subsampling.{i}"
        x = g.silu(g.op("Conv", x, g.weight(f"{name}.weight", conv.weight), g.weight(f"{name}.bias", conv.bias), kernel_shape=[3], strides=[2], pads=[2, 1]))
    x = g.op("Transpose", x, perm=[0, 2, 1])
    return g.slice(x, g.ints(DROPPED), g.ints(1 << 30), 1)


def encoded_lengths(g):
    length = "length"
    for _ in range(SUBSAMPLING.bit_length() - 1):  # a strided convolution makes (n - 1) // 2 + 1 frames of n
        half = g.op("Div", g.op("Sub", length, g.ints(1)), g.ints(2))
        length = g.op("Add", half, g.ints(1))
    g.op("Sub", length, g.ints(DROPPED), name="encoded_lengths")


class Step:
    """What all layers of one step share: the number of new frames, the mask over the cache, the rotary tables."""

    def __init__(self, g, c, x):
        self.g, self.c = g, c
        self.frames = g.op("Slice", g.op("Shape", x), g.ints(1), g.ints(2))
        cos, sin = rope_table(c.left + MAX_CHUNK, c.head)
        keys = g.op("Add", self.frames, g.ints(c.left))
        table = lambda t, start, end: g.op("Unsqueeze", g.slice(t, start, end, 0), g.ints(0))
        cos, sin = g.weight("rope.cos", cos), g.weight("rope.sin", sin)
        self.key_rope = [table(t, g.ints(0), keys) for t in (cos, sin)]
        self.query_rope = [g.op("Unsqueeze", table(t, g.ints(c.left), keys), g.ints(0)) for t in (cos, sin)]
        self.key_rope = [g.op("Unsqueeze", t, g.ints(0)) for t in self.key_rope]
        self.mask = self.cache_mask(keys)

    def cache_mask(self, keys):
        """[B, 1, 1, S]: minus infinity at the places of the cache that nothing has filled yet."""
        g = self.g
        at = g.op("Range", g.const(0, np.int64), g.op("Squeeze", keys, g.ints(0)), g.const(1, np.int64))
        empty = g.op("Sub", g.ints(self.c.left), "cache_last_channel_len")
        hidden = g.op("Less", g.op("Unsqueeze", at, g.ints(0)), g.op("Unsqueeze", empty, g.ints(1)))
        mask = g.op("Where", hidden, g.const(-1e9), g.const(0.0))
        return g.op("Unsqueeze", mask, g.ints(1, 2))

    def block(self, x, block, i):
        g, name = self.g, f"blocks.{i}"
        x = g.op("Add", x, self.feed_forward(x, block.first, f"{name}.first"))
        y, channel = self.attention(x, block.attention, i, f"{name}.attention")
        x = g.op("Add", x, y)
        y, time = self.convolution(x, block.convolution, i, f"{name}.convolution")
        x = g.op("Add", x, y)
        x = g.op("Add", x, self.feed_forward(x, block.second, f"{name}.second"))
        return x, channel, time

    def feed_forward(self, x, ff, name):
        g = self.g
        y = g.linear(g.silu(g.linear(g.norm(x, ff.norm, f"{name}.norm"), ff.up, f"{name}.up")), ff.down, f"{name}.down")
        return g.op("Mul", y, g.const(0.5))

    def layer_of(self, cache, i):
        g = self.g
        return g.op("Squeeze", g.slice(cache, g.ints(i), g.ints(i + 1), 1), g.ints(1))

    def rotate(self, x, rope):
        g = self.g
        a, b = g.op("Split", x, outputs=2, axis=-1)
        turned = g.op("Concat", g.op("Neg", b), a, axis=-1)
        return g.op("Add", g.op("Mul", x, rope[0]), g.op("Mul", turned, rope[1]))

    def attention(self, x, attention, i, name):
        g, c = self.g, self.c
        x = g.norm(x, attention.norm, f"{name}.norm")
        kv = g.op("Concat", self.layer_of("cache_last_channel", i), g.linear(x, attention.kv, f"{name}.kv"), axis=1)
        cache = g.slice(kv, self.frames, g.ints(1 << 30), 1)
        k, v = (g.op("Transpose", g.op("Reshape", t, g.ints(0, 0, c.kv_heads, c.head)), perm=[0, 2, 1, 3])
                for t in g.op("Split", kv, outputs=2, axis=-1))
        k = self.rotate(k, self.key_rope)
        q = g.op("Reshape", g.linear(x, attention.q, f"{name}.q"), g.ints(0, 0, c.heads, c.head))
        q = self.rotate(g.op("Transpose", q, perm=[0, 2, 1, 3]), self.query_rope)
        q = g.op("Mul", q, g.const(c.head ** -0.5))
        q = g.op("Reshape", q, g.ints(0, c.kv_heads, -1, c.head))  # both query heads of a key head below each other
        scores = g.op("Add", g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2])), self.mask)
        y = g.op("MatMul", g.op("Softmax", scores, axis=-1), v)
        shape = g.op("Concat", g.ints(0, c.heads), self.frames, g.ints(c.head), axis=0)
        y = g.op("Transpose", g.op("Reshape", y, shape), perm=[0, 2, 1, 3])
        y = g.op("Reshape", y, g.ints(0, 0, c.dim))
        return g.linear(y, attention.out, f"{name}.out"), cache

    def convolution(self, x, conv, i, name):
        g, c = self.g, self.c
        a, b = g.op("Split", g.linear(g.norm(x, conv.norm, f"{name}.norm"), conv.up, f"{name}.up"), outputs=2, axis=-1)
        x = g.op("Transpose", g.op("Mul", a, g.op("Sigmoid", b)), perm=[0, 2, 1])
        x = g.op("Concat", self.layer_of("cache_last_time", i), x, axis=2)
        cache = g.slice(x, self.frames, g.ints(1 << 30), 2)
        weight = g.weight(f"{name}.depthwise", conv.depthwise.T[:, None])
        x = g.op("Transpose", g.op("Conv", x, weight, kernel_shape=[c.kernel], group=c.dim), perm=[0, 2, 1])
        x = g.silu(g.norm(x, conv.middle, f"{name}.middle"))
        return g.linear(x, conv.down, f"{name}.down"), cache


def decoder_graph(predictor, hidden, metadata):
    g, lstm = Graph("decoder"), predictor.lstm
    x = g.op("Transpose", g.op("Gather", g.weight("embedding", predictor.embedding.weight), "targets"), perm=[1, 0, 2])
    gates = lambda w: np.concatenate([w.detach().float().cpu().numpy().reshape(4, hidden, -1)[i] for i in (0, 3, 1, 2)])  # ONNX: i o f c
    w, r = gates(lstm.weight_ih_l0)[None], gates(lstm.weight_hh_l0)[None]
    b = np.concatenate([gates(lstm.bias_ih_l0)[:, 0], gates(lstm.bias_hh_l0)[:, 0]])[None]
    y, _, _ = g.op("LSTM", x, g.weight("lstm.w", w), g.weight("lstm.r", r), g.weight("lstm.b", b), "", "h", "c", outputs=3, hidden_size=hidden)
    last = g.nodes[-1]
    last.output[1], last.output[2] = "h_next", "c_next"
    g.op("Transpose", g.op("Squeeze", y, g.ints(1)), perm=[1, 2, 0], name="predicted")
    g.op("Identity", "target_length", name="predicted_length")
    state = [1, "B", hidden]
    return g.model([("targets", i32, ["B", 1]), ("target_length", i32, ["B"]), ("h", f32, state), ("c", f32, state)],
                   [("predicted", f32, ["B", hidden, 1]), ("predicted_length", i32, ["B"]), ("h_next", f32, state), ("c_next", f32, state)], metadata)


def frames_graph(model, meta):
    """What each frame says by itself: log probabilities."""
    g = Graph("frames")
    g.op("LogSoftmax", g.linear("encoded", model.piece_ctc, "frames"), name="alone", axis=-1)
    return g.model([("encoded", TensorProto.FLOAT, ["F", model.c.dim])], [("alone", TensorProto.FLOAT, ["F", model.c.vocab + 1])], meta)


def joiner_graph(joiner, c, metadata):
    g = Graph("joiner")
    rows = lambda x: g.op("Transpose", x, perm=[0, 2, 1])
    enc = g.linear(rows("encoder_outputs"), joiner.enc, "enc")
    pred = g.linear(rows("decoder_outputs"), joiner.pred, "pred")
    logits = g.linear(g.op("Tanh", g.op("Add", enc, pred)), joiner.out, "out")
    g.op("Unsqueeze", logits, g.ints(1), name="logits")
    return g.model([("encoder_outputs", f32, ["B", c.dim, 1]), ("decoder_outputs", f32, ["B", c.pred, 1])],
                   [("logits", f32, ["B", 1, 1, c.vocab + 1])], metadata)
