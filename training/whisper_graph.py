"""Writes an encoder that began as Whisper's as an ONNX graph by the streaming contract, as `onnx_graph.py` writes ours.

A layer with r frames in one of the encoder keeps its last r * left keys, head by head, in r slots [left, dim] of `cache_last_channel`, and its values in the
next r. There is no convolution to remember, so `cache_last_time` passes through. `cache_last_channel_len` counts on past `left`, because Whisper's positions are
absolute; it goes back by one round of them before it grows too large, and is never below `left` again.
"""
import math

import numpy as np
import torch
from onnx import TensorProto

import whisper
from chunks import FLOOR, HISTORY
from graph_builder import Graph
from whisper_encoder import CHUNK_RATE, POSITIONS, REACH, merge

f32, i64 = TensorProto.FLOAT, TensorProto.INT64
ROUND = POSITIONS // CHUNK_RATE  # encoder frames until the positions begin again
MEL_FRAMES = 2 * CHUNK_RATE  # in an encoder frame
CONV_CACHE = 1  # the contract has a place for it, and nothing is smaller
KERNEL = 3  # frames under each of the two convolutions
END = 1 << 30


def slots(c):
    return 2 * sum(c.rates)


def encoder_graph(encoder, metadata, kind=None):
    """kind: how a step is written, `Step` if not given."""
    c, g = encoder.c, Graph("encoder")
    step = (kind or Step)(g, encoder)
    rate, at, caches = c.rates[0], 0, []
    x = step.enter(rate)
    for i, (layer, wanted) in enumerate(zip(encoder.layers, c.rates)):
        x, rate = step.merge(x, rate // wanted), wanted
        x, keys, values = step.layer(x, layer, rate, at, f"layers.{i}")
        caches += [keys, values]
        at += 2 * rate
    _, x = step.normed(step.merge(x, rate), encoder.norm, "norm")
    g.op("Transpose", x, perm=[0, 2, 1], name="encoded")
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
    """What all layers of one step share: the number of new frames, and which places of the cache are filled, for each rate."""

    def __init__(self, g, encoder):
        self.g, self.c, self.encoder, self.places = g, encoder.c, encoder, {}
        columns = g.op("Slice", g.op("Shape", "audio_signal"), g.ints(2), g.ints(3))
        self.frames = g.op("Div", g.op("Sub", columns, g.ints(HISTORY)), g.ints(MEL_FRAMES))

    def enter(self, rate):
        """The two convolutions, the prompt and the positions, with so many frames in one of the encoder: [B, rate F, dim]."""
        g, e = self.g, self.encoder
        mels = g.op("Max", g.slice("audio_signal", g.ints(HISTORY - REACH), g.ints(END), 2), g.const(FLOOR))
        x = self.gelu(self.linear(self.windows(g.op("Transpose", mels, perm=[0, 2, 1]), 1), "conv1", on_our_scale(e)))
        x = self.gelu(self.linear(self.windows(x, 2), "conv2", (as_matrix(e.conv2.weight), e.conv2.bias)))
        prompt = g.op("Gather", g.weight("prompt", e.prompt.weight), "prompt_index")
        return g.op("Add", g.op("Add", self.merge(x, CHUNK_RATE // rate), g.op("Unsqueeze", prompt, g.ints(1))), self.positions(rate))

    def windows(self, x, stride):
        """The frames under a convolution beside each other: what is left of it is a matrix."""
        g = self.g
        return g.op("Concat", *(g.op("Slice", x, g.ints(i), g.ints(i + 1 - KERNEL or END), g.ints(1), g.ints(stride)) for i in range(KERNEL)), axis=2)

    def positions(self, rate):
        g, c = self.g, self.c
        new = g.op("Range", g.const(0, np.int64), g.op("Squeeze", self.frames, g.ints(0)), g.const(1, np.int64))
        at = g.op("Mod", g.op("Add", g.op("Unsqueeze", "cache_last_channel_len", g.ints(1)), new), g.ints(ROUND))
        table = merge(self.encoder.positions[None], CHUNK_RATE // rate).reshape(ROUND, rate * c.dim)
        return g.op("Reshape", g.op("Gather", g.weight("positions", table), at), g.ints(0, -1, c.dim))

    def count_on(self):
        g = self.g
        count = g.op("Add", "cache_last_channel_len", self.frames)
        far = g.op("Cast", g.op("GreaterOrEqual", count, g.ints(ROUND + self.c.left)), to=i64)
        g.op("Sub", count, g.op("Mul", far, g.ints(ROUND)), name="cache_last_channel_next_len")

    def filled(self, rate):
        """[B, S]: whether there is a key at this place, in the cache or among the new ones."""
        if rate not in self.places:
            g = self.g
            keys = g.op("Mul", g.op("Add", self.frames, g.ints(self.c.left)), g.ints(rate))
            at = g.op("Range", g.const(0, np.int64), g.op("Squeeze", keys, g.ints(0)), g.const(1, np.int64))
            empty = g.op("Mul", g.op("Sub", g.ints(self.c.left), "cache_last_channel_len"), g.ints(rate))
            self.places[rate] = self.mask(g.op("GreaterOrEqual", g.op("Unsqueeze", at, g.ints(0)), g.op("Unsqueeze", empty, g.ints(1))))
        return self.places[rate]

    def mask(self, filled):
        """What attention takes: [B, 1, 1, S], minus infinity where there is nothing."""
        g = self.g
        return g.op("Unsqueeze", g.op("Where", filled, g.const(0.0), g.const(-1e9)), g.ints(1, 2))

    def gelu(self, x):
        g = self.g
        erf = g.op("Erf", g.op("Div", x, g.const(math.sqrt(2))))
        return g.op("Mul", g.op("Mul", x, g.op("Add", erf, g.const(1.0))), g.const(0.5))

    def merge(self, x, count):
        g = self.g
        return x if count == 1 else g.op("ReduceMean", g.op("Reshape", x, g.ints(0, -1, count, self.c.dim)), axes=[2], keepdims=0)

    def layer(self, x, layer, rate, at, name):
        x, y = self.normed(x, layer.before, f"{name}.before")
        y, keys, values = self.attention(y, layer, rate, at, name)
        x, y = self.normed(self.add(x, y), layer.after, f"{name}.after")
        y = self.gelu(self.linear(y, f"{name}.up", weights_of(layer.up)))
        return self.add(x, self.linear(y, f"{name}.down", weights_of(layer.down))), keys, values

    def add(self, x, y):
        return self.g.op("Add", x, y)

    def normed(self, x, norm, name):
        """x, and the norm of it."""
        return x, self.g.norm(x, norm, name)

    def linear(self, x, name, weights):
        g, (matrix, bias) = self.g, weights
        return g.op("Add", g.op("MatMul", x, g.weight(f"{name}.weight", matrix)), g.weight(f"{name}.bias", bias))

    def attention(self, x, layer, rate, at, name):
        g, c = self.g, self.c
        q, k, v = g.op("Split", self.linear(x, f"{name}.qkv", query_key_value(layer)), outputs=3, axis=-1)
        k, keys = self.remember(self.heads(k), rate, at)
        v, values = self.remember(self.heads(v), rate, at + rate)
        q = g.op("Mul", self.heads(q), g.const(whisper.HEAD ** -0.5))
        scores = g.op("Add", g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2])), self.filled(rate))
        y = g.op("Transpose", g.op("MatMul", g.op("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
        return self.linear(g.op("Reshape", y, g.ints(0, 0, c.dim)), f"{name}.out", weights_of(layer.out)), keys, values

    def heads(self, x):
        g = self.g
        return g.op("Transpose", g.op("Reshape", x, g.ints(0, 0, -1, whisper.HEAD)), perm=[0, 2, 1, 3])

    def remember(self, new, rate, at):
        """New keys or values behind those of the cache, and what the cache keeps of both."""
        both = self.g.op("Concat", self.remembered(rate, at), new, axis=2)
        return both, self.kept(both, rate)

    def remembered(self, rate, at):
        """[B, heads, left * rate, HEAD] from the slots of the cache from `at` on."""
        g = self.g
        return g.op("Reshape", g.slice("cache_last_channel", g.ints(at), g.ints(at + rate), 1), g.ints(0, self.c.dim // whisper.HEAD, -1, whisper.HEAD))

    def kept(self, both, rate):
        g, c = self.g, self.c
        return g.op("Reshape", g.slice(both, g.ints(-c.left * rate), g.ints(END), 2), g.ints(0, rate, c.left, c.dim))


def weights_of(layer):
    return layer.weight.T, layer.bias


def query_key_value(layer):
    """Three matrices that take the same input are one. Whisper's keys have no bias."""
    matrix = torch.cat([layer.q.weight, layer.k.weight, layer.v.weight]).T
    return matrix, torch.cat([layer.q.bias, torch.zeros_like(layer.q.bias), layer.v.bias])


def as_matrix(weight):
    """[out, in, kernel] -> [kernel * in, out], for frames beside each other."""
    return weight.permute(2, 1, 0).flatten(0, 1)


def on_our_scale(e):
    """The first convolution for our features: what `WhisperEncoder.enter` does to them is in its weights and bias."""
    weight = e.conv1.weight
    return as_matrix(weight * (0.25 / math.log(10))), e.conv1.bias + (weight * (e.tilt + 4) / 4).sum((1, 2))
