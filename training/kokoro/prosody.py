"""Another melody and rhythm than Kokoro gives by itself. It learned to speak from English and its like: strong and weak syllables, a pitch that follows the
stress. Kikuyu and Dholuo give every syllable about the same time and use pitch for tone, and people differ more than voices of a synthesiser.
"""
import numpy as np
import torch

VOICED = 10.0  # Hz; below it the synthesiser makes no tone
KNOT = 16  # pitch values between two points of the tone curve: about 0.2 s, a syllable


class Prosody:
    """Drawn once for a run. `seed` gives the same prosody again."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.even = self.random.uniform(0.0, 0.6)  # how far durations are pulled towards their mean
        self.uneven = self.random.uniform(0.0, 0.25)  # spread of the logarithm of each duration
        self.range = self.random.uniform(0.2, 1.5)  # of the melody
        self.height = np.exp(self.random.normal(0.0, 0.12))
        self.tones = self.random.uniform(0.0, 0.16)  # spread of the logarithm of the pitch from syllable to syllable

    def durations(self, frames):
        """[..., symbols] frames per symbol before rounding; the pads at both ends stay as they are."""
        inner = frames[..., 1:-1].clamp(min=0.5)
        if not inner.numel():
            return frames
        changed = inner ** (1 - self.even) * inner.log().mean().exp() ** self.even
        changed = changed * torch.from_numpy(np.exp(self.random.normal(0, self.uneven, inner.shape[-1]))).to(inner)
        changed = changed * (inner.sum() / changed.sum())  # the speed stays what was asked for
        return torch.cat([frames[..., :1], changed, frames[..., -1:]], -1)

    def pitch(self, hertz):
        """[1, 1, time]; unvoiced values are left alone."""
        voiced = hertz > VOICED
        middle = torch.where(voiced, hertz.clamp(min=VOICED).log(), 0.0).sum() / voiced.sum().clamp(min=1)
        knots = torch.from_numpy(self.random.normal(0, self.tones, -(-hertz.shape[-1] // KNOT) + 1)).to(hertz)
        tones = torch.nn.functional.interpolate(knots[None, None], hertz.shape[-1], mode="linear", align_corners=True)
        changed = (middle + (hertz.clamp(min=VOICED).log() - middle) * self.range + tones).exp() * float(self.height)
        return torch.where(voiced, changed.clamp(50, 500), hertz)
