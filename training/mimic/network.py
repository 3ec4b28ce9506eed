"""Completes speech: from the tokens that are known, the phone of every token, and noise where the rest is to be, to the direction in which the noise becomes speech."""
import dataclasses
import io
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

from model import rope_on, rotate
from sounds import PHONES

ANY = len(PHONES)  # a phone that is not told


@dataclasses.dataclass
class Config:
    token: int = 160
    dim: int = 512
    layers: int = 8
    heads: int = 8
    beside: int = 7
    phones: int = ANY + 1
    told: int = 96  # width of a phone's embedding


class Block(nn.Module):
    """Attention, and a feed-forward layer that also sees the tokens beside each; both with a norm that the time of the flow shifts, scales and gates."""

    def __init__(self, c):
        super().__init__()
        self.heads, self.head = c.heads, c.dim // c.heads
        self.own = nn.Parameter(torch.zeros(6, c.dim))
        self.norm = nn.LayerNorm(c.dim, elementwise_affine=False)
        self.qkv, self.out = nn.Linear(c.dim, 3 * c.dim), nn.Linear(c.dim, c.dim)
        self.beside = nn.Parameter(torch.randn(c.beside, c.dim) / c.beside ** 0.5)
        self.up, self.down = nn.Linear(c.dim, 4 * c.dim), nn.Linear(4 * c.dim, c.dim)

    def forward(self, x, when, inside, cos, sin):
        shift, scale, gate, shift2, scale2, gate2 = (when + self.own).to(x.dtype).unbind(1)
        x = x + gate[:, None] * self.attend(self.norm(x) * (1 + scale[:, None]) + shift[:, None], inside[:, None, None], cos, sin)
        y = (self.norm(x) * (1 + scale2[:, None]) + shift2[:, None]) * inside[..., None]
        # Shifted products, as in `model.py`: the compiler fuses them, where a depthwise convolution on a GPU is slow backwards.
        around, half = self.beside.to(y.dtype), len(self.beside) // 2
        wide = F.pad(y, (0, 0, half, half))
        y = y + sum(wide[:, i:i + y.shape[1]] * around[i] for i in range(len(around)))
        return x + gate2[:, None] * self.down(F.gelu(self.up(y), approximate="tanh"))

    def attend(self, x, mask, cos, sin):
        q, k, v = self.qkv(x).unflatten(2, (3, self.heads, self.head)).permute(2, 0, 3, 1, 4)
        q, k = rotate(q, cos, sin).to(v.dtype), rotate(k, cos, sin).to(v.dtype)
        return self.out(F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).flatten(2))


class Mimic(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        self.phone = nn.Embedding(c.phones, c.told)
        self.enter = nn.Linear(2 * c.token + 1 + c.told, c.dim)
        self.when = nn.Sequential(nn.Linear(c.dim, c.dim), nn.SiLU(), nn.Linear(c.dim, 6 * c.dim))
        self.blocks = nn.ModuleList(Block(c) for _ in range(c.layers))
        self.across = nn.ModuleList(nn.Linear(2 * c.dim, c.dim) for _ in range(c.layers // 2))  # into the upper blocks, from the lower one that faces each
        self.norm, self.leave = nn.LayerNorm(c.dim), nn.Linear(c.dim, c.token)
        for last in (self.when[-1], self.leave):  # every block begins as if it were not there
            nn.init.zeros_(last.weight)
            nn.init.zeros_(last.bias)

    def forward(self, noisy, known, hidden, phones, time, inside):
        """noisy, known [B, T, token], known without what is hidden; hidden, inside [B, T] bool; phones [B, T]; time [B] -> [B, T, token]"""
        x = torch.cat([noisy, known, hidden[..., None].to(noisy.dtype), self.phone(phones)], -1)
        x = self.enter(x) * inside[..., None]
        when = self.when(waves_of_time(time, self.c.dim)).unflatten(1, (6, -1))
        cos, sin = rope_on(x.shape[1], self.c.dim // self.c.heads, x.device)
        lower = []
        for i, block in enumerate(self.blocks):
            if i >= self.c.layers - len(self.across):
                x = self.across[i - self.c.layers + len(self.across)](torch.cat([x, lower.pop()], -1))
            x = block(x, when, inside, cos, sin)
            if i < len(self.across):
                lower.append(x)
        return self.leave(self.norm(x))


def waves_of_time(time, dim):
    angle = 1000 * time[:, None] * torch.exp(-torch.arange(dim // 2, device=time.device) * (9.2 / (dim // 2)))
    return torch.cat([angle.cos(), angle.sin()], 1)


@torch.no_grad()
def complete(net, known, hidden, phones, inside, steps, guidance=0.0):
    """The hidden tokens, from noise in so many steps. `guidance`: how far they are pushed away from what would be said without being told anything."""
    x = torch.randn_like(known)
    nothing, anything = torch.zeros_like(known), torch.full_like(phones, ANY)
    for step in range(steps):
        time = torch.full((len(x),), step / steps, device=x.device)
        flow = net(x, known, hidden, phones, time, inside).float()
        if guidance:
            flow = flow + guidance * (flow - net(x, nothing, torch.ones_like(hidden), anything, time, inside).float())
        x = x + flow / steps
    return torch.where(hidden[..., None], x, known)


def save(net, weights, path):
    """In half precision; `weights` in the order of the parameters, the mean of a training. Whoever reads meanwhile sees the old file or the new one."""
    state = {name: w.half().cpu() for (name, _), w in zip(net.named_parameters(), weights)}
    torch.save({"config": dataclasses.asdict(net.c), "model": state}, path + ".tmp")
    os.replace(path + ".tmp", path)


def load(path, device):
    with open(path, "rb") as file:
        saved = torch.load(io.BytesIO(file.read()), map_location="cpu", weights_only=True)
    net = Mimic(Config(**saved["config"]))
    net.load_state_dict({k: v.float() for k, v in saved["model"].items()})
    return net.to(device).eval()
