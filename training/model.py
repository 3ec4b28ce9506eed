"""The acoustic model: a cache-aware streaming FastConformer transducer.

Whole utterances are trained in one pass under a mask that gives every frame exactly what it will see when streaming:
its own chunk of r + 1 frames and the 56 frames before the chunk. `onnx_graph.py` writes the same computation step by step
with caches; `tests/test_streaming.py` compares the two.
"""
import dataclasses
import functools
import io
import lzma
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

from chunks import FLOOR, HISTORY, chunk_mask
from whisper_encoder import WhisperEncoder

LOOK_AHEADS = (13, 6, 3, 0)
SUBSAMPLING = 8
DROPPED = 2  # encoder frames that the history makes
SHIFT, SCALE = 6.0, 1 / 3.0  # fixed, because per-utterance statistics do not stream


@dataclasses.dataclass
class Config:
    mel: int = 80
    dim: int = 320
    layers: int = 10
    heads: int = 8
    kernel: int = 9
    left: int = 56
    sub: tuple = (192, 256)
    vocab: int = 384
    prompts: int = 4
    pred: int = 256
    joint: int = 320
    phones: int = 34
    mid: int = 7
    dropout: float = 0.1
    rates: tuple = ()  # of an encoder that begins as Whisper's (whisper_encoder.py); empty: ours

    @property
    def ff(self):
        return 4 * self.dim

    @property
    def head(self):
        return self.dim // self.heads

    @property
    def kv_heads(self):
        """Half as many keys and values as queries: both fit in the one cache of width dim, so nothing is projected twice."""
        return self.heads // 2


@functools.lru_cache(maxsize=64)
def rope_on(positions, head, device):
    return tuple(t.to(device) for t in rope_table(positions, head))


def rope_table(positions, head):
    """cos and sin [positions, head] of the rotary embedding (halves layout)."""
    freq = 1000.0 ** (-torch.arange(0, head // 2, dtype=torch.float64) * 2 / head)
    angle = torch.arange(positions, dtype=torch.float64)[:, None] * freq
    angle = torch.cat([angle, angle], 1)
    return angle.cos().float(), angle.sin().float()


def rotate(x, cos, sin):
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat([-b, a], -1) * sin


class Subsampling(nn.Module):
    """8x in time by three causal strided convolutions over the mel bins."""

    def __init__(self, c):
        super().__init__()
        widths = [c.mel, *c.sub, c.dim]
        self.convs = nn.ModuleList(nn.Conv1d(a, b, 3, stride=2) for a, b in zip(widths, widths[1:]))

    def forward(self, mels):
        x = (mels.clamp(min=FLOOR) + SHIFT) * SCALE
        for conv in self.convs:
            x = F.silu(conv(F.pad(x, (2, 1))))
        return x.transpose(1, 2)


class FeedForward(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(c.dim), nn.Linear(c.dim, c.ff), nn.Linear(c.ff, c.dim)

    def forward(self, x, p):
        return F.dropout(self.down(F.silu(self.up(self.norm(x)))), p, self.training)


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        self.norm = nn.LayerNorm(c.dim)
        self.q, self.kv, self.out = (nn.Linear(c.dim, c.dim) for _ in range(3))

    def forward(self, x, mask, cos, sin, p):
        c, (batch, frames, _) = self.c, x.shape
        x = self.norm(x)
        q = self.q(x).view(batch, frames, c.heads, c.head).transpose(1, 2)
        k, v = self.kv(x).view(batch, frames, 2, c.kv_heads, c.head).permute(2, 0, 3, 1, 4)
        q, k = rotate(q, cos, sin).to(v.dtype), rotate(k, cos, sin).to(v.dtype)
        k, v = (t.repeat_interleave(2, 1) for t in (k, v))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        y = y.transpose(1, 2).reshape(batch, frames, c.dim)
        return F.dropout(self.out(y), p, self.training)


class Convolution(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.norm, self.up = nn.LayerNorm(c.dim), nn.Linear(c.dim, 2 * c.dim)
        self.depthwise = nn.Parameter(torch.randn(c.kernel, c.dim) / c.kernel ** 0.5)
        self.middle, self.down = nn.LayerNorm(c.dim), nn.Linear(c.dim, c.dim)

    def forward(self, x, p):
        x = F.glu(self.up(self.norm(x)), -1)
        kernel, frames = self.depthwise.shape[0], x.shape[1]
        x = F.pad(x, (0, 0, kernel - 1, 0))
        w = self.depthwise.to(x.dtype)
        # A sum of shifted products: the compiler fuses it, where a depthwise convolution on a GPU is slow backwards.
        x = sum(x[:, i:i + frames] * w[i] for i in range(kernel))
        return F.dropout(self.down(F.silu(self.middle(x))), p, self.training)


class Block(nn.Module):
    """No norm on the residual path: with one after every block, a high learning rate made all frames alike."""

    def __init__(self, c):
        super().__init__()
        self.first, self.attention, self.convolution, self.second = FeedForward(c), Attention(c), Convolution(c), FeedForward(c)
        self.p = c.dropout

    def forward(self, x, mask, cos, sin):
        x = x + 0.5 * self.first(x, self.p)
        x = x + self.attention(x, mask, cos, sin, self.p)
        x = x + self.convolution(x, self.p)
        return x + 0.5 * self.second(x, self.p)


class Encoder(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        self.subsampling = Subsampling(c)
        self.enter = nn.LayerNorm(c.dim)
        self.prompt = nn.Embedding(c.prompts, c.dim) if c.prompts else None
        self.blocks = nn.ModuleList(Block(c) for _ in range(c.layers))
        self.norm = nn.LayerNorm(c.dim)
        self.start_small()

    @torch.no_grad()
    def start_small(self):
        """Every branch begins as a small change of the residual."""
        for block in self.blocks:
            for layer in (block.first.down, block.attention.out, block.convolution.down, block.second.down):
                layer.weight.mul_(0.5)

    def forward(self, mels, prompt, look_ahead):
        """mels [B, mel, 8 F] -> the last layer and the middle one, each [B, F, dim]."""
        x = self.enter(self.subsampling(F.pad(mels, (HISTORY, 0)))[:, DROPPED:])
        if self.prompt is not None:
            x = x + self.prompt(prompt)[:, None].to(x.dtype)
        mask = chunk_mask(x.shape[1], look_ahead, self.c.left, x.device)
        cos, sin = rope_on(x.shape[1], self.c.head, x.device)
        middle = x
        for i, block in enumerate(self.blocks):
            x = block(x, mask, cos, sin)
            if i + 1 == self.c.mid:
                middle = x
        return self.norm(x), middle


class Predictor(nn.Module):
    """The pieces said so far. The blank's row of the embedding is the start symbol."""

    def __init__(self, c):
        super().__init__()
        self.blank = c.vocab
        self.embedding = nn.Embedding(c.vocab + 1, c.pred)
        self.lstm = nn.LSTM(c.pred, c.pred, batch_first=True)
        self.p = 2 * c.dropout

    def forward(self, targets):
        """[B, U] -> [B, U + 1, pred]"""
        x = self.embedding(F.pad(targets, (1, 0), value=self.blank))
        y, _ = self.lstm(F.dropout(x, self.p, self.training))
        return F.dropout(y, self.p, self.training)


class Joiner(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.enc, self.pred = nn.Linear(c.dim, c.joint), nn.Linear(c.pred, c.joint)
        self.out = nn.Linear(c.joint, c.vocab + 1)

    def forward(self, enc, pred):
        return self.out(torch.tanh(self.enc(enc) + self.pred(pred)))


class Model(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        self.encoder = WhisperEncoder(c) if c.rates else Encoder(c)
        self.predictor, self.joiner = Predictor(c), Joiner(c)
        # Helpers of the training, not exported. Two phone labels per frame (40 ms each): a phone is often shorter than 80 ms.
        self.norm_mid = nn.LayerNorm(c.dim)
        self.phones_mid, self.phones_last = nn.Linear(c.dim, 2 * c.phones), nn.Linear(c.dim, 2 * c.phones)
        self.phone_ctc, self.piece_ctc = nn.Linear(c.dim, 2 * (c.phones + 1)), nn.Linear(c.dim, c.vocab + 1)


def save_checkpoint(model, path, **extra):
    """Configuration and half-precision weights; whoever reads meanwhile sees the old file or the new one."""
    state = {k: v.half().cpu() for k, v in model.state_dict().items()}
    torch.save({"config": dataclasses.asdict(model.c), "model": state, **extra}, path + ".tmp")
    os.replace(path + ".tmp", path)


def load_checkpoint(path):
    """Configuration and half-precision weights, perhaps packed with xz -> the model in fp32 on the CPU."""
    with (lzma.open if path.endswith(".xz") else open)(path, "rb") as file:
        saved = torch.load(io.BytesIO(file.read()), map_location="cpu", weights_only=True)
    model = Model(Config(**saved["config"]))
    model.load_state_dict({k: v.float() for k, v in saved["model"].items()})
    return model


@torch.no_grad()
def greedy(model, encoded, lengths, max_symbols=10):
    """RNN-T greedy search over [B, F, dim], all rows together. Returns lists of piece ids."""
    batch, blank, device = encoded.shape[0], model.c.vocab, encoded.device
    out = [[] for _ in range(batch)]
    state = (torch.zeros(1, batch, model.c.pred, device=device),) * 2
    last = torch.full((batch, 1), blank, device=device)
    pred, state = model.predictor.lstm(model.predictor.embedding(last), state)
    projected = model.joiner.enc(encoded)
    for t in range(encoded.shape[1]):
        for _ in range(max_symbols):
            logits = model.joiner.out(torch.tanh(projected[:, t] + model.joiner.pred(pred[:, 0])))
            best = logits.argmax(-1)
            speaks = (best != blank) & (lengths > t)
            if not speaks.any():
                break
            for i in speaks.nonzero().flatten().tolist():
                out[i].append(int(best[i]))
            last = torch.where(speaks, best, blank)[:, None]
            fresh, (h, c) = model.predictor.lstm(model.predictor.embedding(last), state)
            keep = speaks[None, :, None]
            state = (torch.where(keep, h, state[0]), torch.where(keep, c, state[1]))
            pred = torch.where(keep[0][..., None], fresh, pred)
    return out
