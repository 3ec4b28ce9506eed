"""The file that the server loads: one frame at a time, with the state of the stream going in and out, under the names that Silero's file has."""
import math

import numpy as np
import torch
from onnx import TensorProto

from graph_builder import Graph

from .network import BINS, CONTEXT, FRAME, STEP, STRIDES, WIDTH, WINDOW

# What the training calls this likely, the file calls 0.5: missing a voice costs the training twice as much as hearing one in noise, so it hears many.
VOICE = 0.93
SHIFT = math.log(VOICE / (1 - VOICE))


def graph_of(spectra, network):
    """Matrices are stored in 16 bits to keep the file small; the runtime makes floats of them when it loads it."""
    g = Graph("voice")
    frame = g.op("Pad", "input", g.ints(0, 0, 0, CONTEXT), mode="reflect")
    parts = g.op("Conv", g.op("Unsqueeze", frame, g.ints(1)), half(g, "windows", spectra.basis), kernel_shape=[WINDOW], strides=[STEP])
    real, imaginary = g.op("Split", parts, g.ints(BINS, BINS), outputs=2, axis=1)
    x = g.op("Sqrt", g.op("Add", g.op("Mul", real, real), g.op("Mul", imaginary, imaginary)))
    for i, (layer, stride) in enumerate(zip(network.convolutions, STRIDES)):
        weights = half(g, f"convolution.{i}.weight", layer.weight)
        x = g.op("Relu", g.op("Conv", x, weights, g.weight(f"convolution.{i}.bias", layer.bias), kernel_shape=[3], strides=[stride], pads=[1, 1]))
    hidden, cell = lstm(g, network.rnn, g.op("Transpose", x, perm=[2, 0, 1]))
    g.op("Concat", hidden, cell, axis=0, name="stateN")
    last = g.op("Relu", g.op("Squeeze", hidden, g.ints(0)))
    g.op("Sigmoid", g.op("Sub", g.linear(last, network.out, "out"), g.const(SHIFT)), name="output")
    state = [2, 1, WIDTH]
    return g.model([("input", TensorProto.FLOAT, [1, CONTEXT + FRAME]), ("state", TensorProto.FLOAT, state)],
                   [("output", TensorProto.FLOAT, [1, 1]), ("stateN", TensorProto.FLOAT, state)], {})


def lstm(g, rnn, sequence):
    """ONNX has the output gate second, torch last."""
    ordered = lambda weight: torch.cat([weight.detach().chunk(4)[gate] for gate in (0, 3, 1, 2)])
    enter, again = (g.op("Unsqueeze", half(g, name, ordered(weight)), g.ints(0)) for name, weight in (("enter", rnn.weight_ih_l0), ("again", rnn.weight_hh_l0)))
    bias = g.weight("bias", torch.cat([ordered(rnn.bias_ih_l0), ordered(rnn.bias_hh_l0)])[None])
    before = g.op("Split", "state", g.ints(1, 1), outputs=2, axis=0)
    return g.op("LSTM", sequence, enter, again, bias, "", *before, outputs=3, hidden_size=WIDTH)[1:]


def half(g, name, matrix):
    return g.op("Cast", g.weight(name, matrix.detach().cpu().numpy().astype(np.float16)), to=TensorProto.FLOAT)
