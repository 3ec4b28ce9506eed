"""An encoder that begins as Whisper's and hears a stream as ours does: chunk by chunk, from the features of the contract.

Whisper looks at all of 30 seconds and answers every 20 ms. Here a frame sees what it sees in `model.py`, its own chunk of r + 1 frames of 80 ms and
the `left` frames before it, and the frames of 20 ms are merged on the way up: `rates` says for each layer how many of its frames make one of
80 ms. `from_whisper.py` makes such a model from packed weights.
"""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

import features
import whisper
from chunks import FLOOR, HISTORY, chunk_mask

REACH = 3  # of the mel frames before a window the two convolutions need so many
POSITIONS = 1500  # Whisper's positions; a longer stream goes through them again
CHUNK_RATE = 4  # frames of the convolutions, 20 ms, in a frame of the encoder


class WhisperEncoder(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        self.conv1, self.conv2 = nn.Conv1d(c.mel, c.dim, 3), nn.Conv1d(c.dim, c.dim, 3, stride=2)
        self.prompt = nn.Embedding(c.prompts, c.dim)
        nn.init.zeros_(self.prompt.weight)
        self.layers, self.norm = nn.ModuleList(whisper.Layer(c.dim) for _ in c.rates), nn.LayerNorm(c.dim)
        self.register_buffer("tilt", without_emphasis(c.mel)[:, None], persistent=False)
        self.register_buffer("positions", sinusoids(c.dim), persistent=False)

    @property
    def blocks(self):
        return self.layers

    def forward(self, mels, prompt, look_ahead):
        """mels [B, mel, 8 F] -> the last layer and the middle one, each [B, F, dim]."""
        x = self.prompt(prompt)[:, None] + self.enter(mels)
        start = int(torch.randint(POSITIONS, ())) if self.training else 0
        x = x + self.positions[(torch.arange(x.shape[1], device=x.device) + start) % POSITIONS]
        middle, rate = None, CHUNK_RATE  # no dropout: Whisper had none, and 0.1 here cost 7 to 8 points of phone errors on strangers
        for i, (layer, wanted) in enumerate(zip(self.layers, self.c.rates), 1):
            x, rate = merge(x, rate // wanted), wanted
            x = layer(x, chunk_mask(x.shape[1], (look_ahead + 1) * rate - 1, self.c.left * rate, x.device))
            if i == self.c.mid:
                middle = merge(x, rate)
        return self.norm(merge(x, rate)), middle

    def enter(self, mels):
        """Our features on Whisper's scale, then its two convolutions, without a look at what comes next: [B, 4 F, dim]."""
        x = F.pad(mels, (HISTORY, 0))[..., HISTORY - REACH:]
        x = (x.clamp(min=FLOOR) / math.log(10) + self.tilt + 4) / 4
        return F.gelu(self.conv2(F.gelu(self.conv1(x)))).transpose(1, 2)


def merge(x, count):
    """The means of so many frames behind each other."""
    return x if count == 1 else x.unflatten(1, (-1, count)).mean(2)


def without_emphasis(bins):
    """What the pre-emphasis of our features takes from each mel bin, as a decimal logarithm of the power: Whisper has none."""
    angle = torch.linspace(0, math.pi, features.FFT // 2 + 1, dtype=torch.float64)
    power = 1 + features.PREEMPHASIS ** 2 - 2 * features.PREEMPHASIS * angle.cos()
    filters = features.mel_filters(bins).double()
    return -((power @ filters) / filters.sum(0)).log10().float()


def sinusoids(dim):
    """[1500, dim], upstream's formula."""
    scale = torch.exp(-math.log(10000) / (dim // 2 - 1) * torch.arange(dim // 2, dtype=torch.float64))
    angle = torch.arange(POSITIONS, dtype=torch.float64)[:, None] * scale
    return torch.cat([angle.sin(), angle.cos()], 1).float()
