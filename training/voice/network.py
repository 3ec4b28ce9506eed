"""Silero's VAD (version 5, 16 kHz) in torch, with its own weights to begin with, or those of a file that was taught further."""
import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn
from torch.nn import functional as F

FRAME = 512  # samples that are judged at a time: 32 ms
CONTEXT = 64  # samples of the frame before that are seen again
WINDOW, STEP, BINS = 256, 128, 129
WIDTH = 128
STRIDES = (1, 2, 2, 1)


class Spectra(nn.Module):
    """Magnitudes of four windows per frame. Nothing in here learns."""

    def __init__(self, weights):
        super().__init__()
        self.register_buffer("basis", torch.from_numpy(np.array(weights["stft.forward_basis_buffer"])))

    @torch.no_grad()
    def forward(self, wave, context=None):
        """[B, T * FRAME], the last CONTEXT samples before it -> [B * T, 4, BINS]"""
        context = wave.new_zeros(len(wave), CONTEXT) if context is None else context
        frames = torch.cat([context, wave], 1).unfold(1, CONTEXT + FRAME, FRAME).flatten(0, 1)
        frames = torch.cat([frames, frames[:, -1 - CONTEXT:-1].flip(1)], 1)
        parts = frames.unfold(1, WINDOW, STEP) @ self.basis[:, 0].T
        return (parts[..., :BINS] ** 2 + parts[..., BINS:] ** 2).sqrt()


class Voice(nn.Module):
    """Four convolutions that make one column of a frame's spectra, and an LSTM over the frames."""

    def __init__(self, weights):
        super().__init__()
        tensor = lambda name: torch.from_numpy(np.array(weights[name]))
        self.convolutions = nn.ModuleList()
        for i, stride in enumerate(STRIDES):
            weight = tensor(f"encoder.{i}.reparam_conv.weight")
            layer = nn.Conv1d(weight.shape[1], weight.shape[0], 3, stride, 1)
            layer.weight.data, layer.bias.data = weight, tensor(f"encoder.{i}.reparam_conv.bias")
            self.convolutions.append(layer)
        self.rnn = nn.LSTM(WIDTH, WIDTH, batch_first=True)
        for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
            getattr(self.rnn, f"{kind}_l0").data = tensor(f"decoder.rnn.{kind}")
        self.out = nn.Linear(WIDTH, 1)
        self.out.weight.data, self.out.bias.data = tensor("decoder.decoder.2.weight")[:, :, 0], tensor("decoder.decoder.2.bias")

    def forward(self, spectra, streams, state=None):
        """[streams * T, 4, BINS] -> (logits [streams, T], state)"""
        x = spectra
        for layer, stride in zip(self.convolutions, STRIDES):  # convolutions this short are several times as fast as products of matrices
            x = F.pad(x, (0, 0, 1, 1)).unfold(1, 3, stride).transpose(2, 3).flatten(2)
            x = torch.relu(F.linear(x, layer.weight.transpose(1, 2).flatten(1), layer.bias))
        hidden, state = self.rnn(x[:, 0].view(streams, -1, WIDTH), state)
        return self.out(torch.relu(hidden))[..., 0], state


def between(before, after, part):
    """The network so far on the way from one to the other: what was learned, with less of what is particular to the recordings."""
    learned = after.state_dict()
    before.load_state_dict({name: torch.lerp(value, learned[name], part) for name, value in before.state_dict().items()})
    return before


def read_weights(path):
    """Of Silero's file, or of one that graph.py wrote; under Silero's names."""
    graph = onnx.load(path).graph
    choice = next((node for node in graph.node if node.op_type == "If"), None)
    return silero_weights(path, choice) if choice else taught_weights({w.name: numpy_helper.to_array(w).astype(np.float32) for w in graph.initializer})


def silero_weights(path, choice):
    """Those for 16 kHz; the file also holds a network for 8 kHz."""
    for branch in choice.attribute:
        weights = {n.output[0].split("__")[-1]: numpy_helper.to_array(n.attribute[0].t) for n in branch.g.node if n.op_type == "Constant"}
        if len(weights["stft.forward_basis_buffer"]) == 2 * BINS:
            return weights
    raise ValueError(f"{path} holds no network for 16 kHz")


def taught_weights(found):
    """ONNX has the output gate second, torch last."""
    ordered = lambda weight: np.concatenate([np.split(weight, 4)[gate] for gate in (0, 2, 3, 1)])
    weights = {"stft.forward_basis_buffer": found["windows"], "decoder.decoder.2.weight": found["out.weight"].T[:, :, None], "decoder.decoder.2.bias": found["out.bias"]}
    for i in range(len(STRIDES)):
        weights |= {f"encoder.{i}.reparam_conv.{kind}": found[f"convolution.{i}.{kind}"] for kind in ("weight", "bias")}
    for kind, matrix, bias in zip(("ih", "hh"), ("enter", "again"), np.split(found["bias"][0], 2)):
        weights |= {f"decoder.rnn.weight_{kind}": ordered(found[matrix]), f"decoder.rnn.bias_{kind}": ordered(bias)}
    return weights
