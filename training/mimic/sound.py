"""Speech as the log-mel frames that the recogniser hears, two of them to a token of 20 ms, and back to samples.

The way back has no phases to go by and invents some (Griffin and Lim). Recognition does not mind: real clips that went through it had as many wrong phones as before.
"""
import functools
import math

import torch
import torch.nn.functional as F

import features
from chunks import FLOOR

STACK = 2
SHIFT, SCALE = 9.9, 1 / 2.4  # to a mean of 0 and a spread of 1
SPREAD_ROUNDS = 40  # from mel bins back to the frequencies that may have made them
PHASE_ROUNDS = 16
MOMENTUM = 0.99


@functools.lru_cache
def filters_on(device):
    return features.mel_filters(80).to(device)


@functools.lru_cache
def window_on(device):
    return torch.hann_window(features.WINDOW, periodic=False, device=device)


def tokens_of(wave):
    """[B, 320 T] in -1..1 -> [B, T, 160]"""
    mels = features.log_mel(wave, filters_on(wave.device)).clamp(min=FLOOR).transpose(1, 2)
    return ((mels + SHIFT) * SCALE).unflatten(1, (-1, STACK)).flatten(2)


def waves_of(tokens, rounds=PHASE_ROUNDS):
    """[B, T, 160] -> [B, 320 T]"""
    mels = tokens.float().unflatten(2, (STACK, -1)).flatten(1, 2) / SCALE - SHIFT
    size = mels.shape[1] * features.HOP
    magnitude = magnitudes(mels.exp())
    phase, before = torch.exp(2j * math.pi * torch.rand_like(magnitude)), 0
    for _ in range(rounds):
        now = spectrum(overlap(magnitude * phase, size))
        ahead = now - MOMENTUM / (1 + MOMENTUM) * before
        phase, before = ahead / ahead.abs().clamp(min=1e-9), now
    return without_emphasis(overlap(magnitude * phase, size))


def magnitudes(power):
    """[B, N, 80] power of the mel bins -> [B, N, 257]: non-negative, with nearly these bins."""
    filters = filters_on(power.device)
    weight = filters.sum(1) + 1e-9
    found = (power @ (filters / weight[:, None]).T).clamp(min=1e-12)
    for _ in range(SPREAD_ROUNDS):
        found = found * ((power / (found @ filters + 1e-12)) @ filters.T / weight)
    return found.sqrt()


def spectrum(wave):
    """[B, N] with the emphasis of the features -> [B, N // 160, 257]; frame t ends at sample 160 (t + 1)."""
    frames = F.pad(wave, (features.WINDOW - features.HOP, 0)).unfold(1, features.WINDOW, features.HOP)
    return torch.fft.rfft(frames * window_on(wave.device), features.FFT)


def overlap(spectrum, size):
    window = window_on(spectrum.device)
    frames = torch.fft.irfft(spectrum, features.FFT)[..., :features.WINDOW] * window
    weights = window.square()[None, :, None].expand(1, -1, frames.shape[1])
    wave, weight = add_up(frames.transpose(1, 2)), add_up(weights)
    return (wave / weight.clamp(min=1e-3))[:, features.WINDOW - features.HOP:][:, :size]


def add_up(frames):
    """[B, window, N] -> their sum, each at its place"""
    size = (frames.shape[2] - 1) * features.HOP + features.WINDOW
    return F.fold(frames, (1, size), (1, features.WINDOW), stride=(1, features.HOP))[:, 0, 0]


def without_emphasis(wave):
    """The inverse of the filter that the features begin with, by its spectrum; the answer to a click is gone after far less than the pad."""
    size = wave.shape[1] + 2048
    bent = torch.fft.rfft(wave, size)
    step = torch.exp(-2j * math.pi * torch.arange(bent.shape[1], device=wave.device) / size)
    return torch.fft.irfft(bent / (1 - features.PREEMPHASIS * step), size)[:, :wave.shape[1]]
