"""Writes an encoder that began as Whisper's as an ONNX graph by the streaming contract, as `onnx_graph.py` writes ours.

A layer with r frames in one of the encoder keeps r slots of keys and r of values in `cache_last_channel`, each [left, dim]: slot s holds frame s of every
encoder frame. There is no convolution to remember, so `cache_last_time` passes through. `cache_last_channel_len` counts on past `left`, because Whisper's positions are
absolute; it goes back by one round of them before it grows too large, and is never below `left` again.
"""
import math

import numpy as np
from onnx import TensorProto

import whisper
from chunks import FLOOR, HISTORY
from graph_builder import Graph
from whisper_encoder import CHUNK_RATE, POSITIONS, REACH

f32, i64 = TensorProto.FLOAT, TensorProto.INT64
ROUND = POSITIONS // CHUNK_RATE  # encoder frames until the positions begin again
MEL_FRAMES = 2 * CHUNK_RATE  # in an encoder frame
CONV_CACHE = 1  # the contract has a place for it, and nothing is smaller
END = 1 << 30


def slots(c):
    return 2 * sum(c.rates)


def encoder_graph(encoder, metadata):
    c, g = encoder.c, Graph("encoder")
    step = Step(g, encoder)
    x, rate, at, caches = step.enter(), CHUNK_RATE, 0, []
    for i, (layer, wanted) in enumerate(zip(encoder.layers, c.rates)):
        x, rate = step.merge(x, rate // wanted), wanted
        x, keys, values = step.layer(x, layer, rate, at, f"layers.{i}")
        caches += [keys, values]
        at += 2 * rate
    g.op("Transpose", g.norm(step.merge(x, rate), encoder.norm, "norm"), perm=[0, 2, 1], name="encoded")
    g.op("Concat", *caches, axis=1, name="cache_last_channel_next")
    g.op("Identity", "cache_last_time", name="cache_last_time_next")
    step.count_on()
    g.op("Div", g.op("Sub", "length", g.ints(HISTORY)), g.ints(MEL_FRAMES), name="encoded_lengths")
    channel, time = ["B", slots(c), c.left, c.dim], ["B", slots(c), c.dim, CONV_CACHE]
    inputs = [("audio_signal", f32, ["B", c.mel, "T"]), ("length", i64, ["B"]), ("cache_last_channel", f32, channel), ("cache_last_time", f32, time),
              ("cache_last_channel_len", i64, ["B"]), ("prompt_index", i64, ["B"])]
    outputs = [("encoded", f32, ["B", c.dim, "F"]), ("encoded_lengths", i64, ["B"]), ("cache_last_channel_next", f32, channel),
               ("cache_last_time_next", f32, time), ("cache_last_channel_next_len", i64, ["B"])]
    return g.model(inputs, outputs, metadata)


class Step:
    """What all layers of one step share: the number of new frames, and the mask over the cache for each rate."""

    def __init__(self, g, encoder):
        self.g, self.c, self.encoder, self.masks = g, encoder.c, encoder, {}
        columns = g.op("Slice", g.op("Shape", "audio_signal"), g.ints(2), g.ints(3))
        self.frames = g.op("Div", g.op("Sub", columns, g.ints(HISTORY)), g.ints(MEL_FRAMES))

    def enter(self):
        """Features on Whisper's scale, the two convolutions, the prompt and the positions: [B, 4 F, dim]."""
        g, e = self.g, self.encoder
        x = g.op("Max", g.slice("audio_signal", g.ints(HISTORY - REACH), g.ints(END), 2), g.const(FLOOR))
        x = g.op("Add", g.op("Mul", x, g.const(0.25 / math.log(10))), g.weight("tilt", (e.tilt + 4) / 4))
        for name, conv in (("conv1", e.conv1), ("conv2", e.conv2)):
            x = self.gelu(g.op("Conv", x, g.weight(f"{name}.weight", conv.weight), g.weight(f"{name}.bias", conv.bias), kernel_shape=[3], strides=list(conv.stride)))
        x = g.op("Transpose", x, perm=[0, 2, 1])
        prompt = g.op("Gather", g.weight("prompt", e.prompt.weight), "prompt_index")
        return g.op("Add", g.op("Add", x, g.op("Unsqueeze", prompt, g.ints(1))), self.positions())

    def positions(self):
        g = self.g
        count = g.op("Squeeze", g.op("Mul", self.frames, g.ints(CHUNK_RATE)), g.ints(0))
        new = g.op("Unsqueeze", g.op("Range", g.const(0, np.int64), count, g.const(1, np.int64)), g.ints(0))
        start = g.op("Unsqueeze", g.op("Mul", "cache_last_channel_len", g.ints(CHUNK_RATE)), g.ints(1))
        return g.op("Gather", g.weight("positions", self.encoder.positions), g.op("Mod", g.op("Add", start, new), g.ints(POSITIONS)))

    def count_on(self):
        g = self.g
        count = g.op("Add", "cache_last_channel_len", self.frames)
        far = g.op("Cast", g.op("GreaterOrEqual", count, g.ints(ROUND + self.c.left)), to=i64)
        g.op("Sub", count, g.op("Mul", far, g.ints(ROUND)), name="cache_last_channel_next_len")

    def mask(self, rate):
        """[B, 1, 1, S]: minus infinity at the places of the cache that nothing has filled yet."""
        if rate not in self.masks:
            g = self.g
            keys = g.op("Mul", g.op("Add", self.frames, g.ints(self.c.left)), g.ints(rate))
            at = g.op("Range", g.const(0, np.int64), g.op("Squeeze", keys, g.ints(0)), g.const(1, np.int64))
            empty = g.op("Mul", g.op("Sub", g.ints(self.c.left), "cache_last_channel_len"), g.ints(rate))
            hidden = g.op("Less", g.op("Unsqueeze", at, g.ints(0)), g.op("Unsqueeze", empty, g.ints(1)))
            self.masks[rate] = g.op("Unsqueeze", g.op("Where", hidden, g.const(-1e9), g.const(0.0)), g.ints(1, 2))
        return self.masks[rate]

    def gelu(self, x):
        g = self.g
        erf = g.op("Erf", g.op("Div", x, g.const(math.sqrt(2))))
        return g.op("Mul", g.op("Mul", x, g.op("Add", erf, g.const(1.0))), g.const(0.5))

    def merge(self, x, count):
        g = self.g
        return x if count == 1 else g.op("ReduceMean", g.op("Reshape", x, g.ints(0, -1, count, self.c.dim)), axes=[2], keepdims=0)

    def layer(self, x, layer, rate, at, name):
        g = self.g
        y, keys, values = self.attention(g.norm(x, layer.before, f"{name}.before"), layer, rate, at, name)
        x = g.op("Add", x, y)
        y = self.gelu(g.linear(g.norm(x, layer.after, f"{name}.after"), layer.up, f"{name}.up"))
        return g.op("Add", x, g.linear(y, layer.down, f"{name}.down")), keys, values

    def attention(self, x, layer, rate, at, name):
        g, c = self.g, self.c
        k, keys = self.remember(g.linear(x, layer.k, f"{name}.k"), rate, at)
        v, values = self.remember(g.linear(x, layer.v, f"{name}.v"), rate, at + rate)
        q = g.op("Mul", self.heads(g.linear(x, layer.q, f"{name}.q")), g.const(whisper.HEAD ** -0.5))
        scores = g.op("Add", g.op("MatMul", q, g.op("Transpose", self.heads(k), perm=[0, 1, 3, 2])), self.mask(rate))
        y = g.op("Transpose", g.op("MatMul", g.op("Softmax", scores, axis=-1), self.heads(v)), perm=[0, 2, 1, 3])
        return g.linear(g.op("Reshape", y, g.ints(0, 0, c.dim)), layer.out, f"{name}.out"), keys, values

    def heads(self, x):
        g = self.g
        return g.op("Transpose", g.op("Reshape", x, g.ints(0, 0, -1, whisper.HEAD)), perm=[0, 2, 1, 3])

    def remember(self, x, rate, at):
        """New keys or values behind those of the cache, and what the cache keeps of both, in its slots from `at` on."""
        g, c = self.g, self.c
        kept = g.op("Transpose", g.slice("cache_last_channel", g.ints(at), g.ints(at + rate), 1), perm=[0, 2, 1, 3])
        both = g.op("Concat", g.op("Reshape", kept, g.ints(0, -1, c.dim)), x, axis=1)
        last = g.slice(both, g.ints(-c.left * rate), g.ints(END), 1)
        return both, g.op("Transpose", g.op("Reshape", last, g.ints(0, c.left, rate, c.dim)), perm=[0, 2, 1, 3])
