"""Log-mel features of the streaming contract, the reference that the server's features are compared with.

Frame t ends at sample 160 (t + 1) and reaches 400 samples back (zeros before the signal), so 112 frames are
complete at exactly 17,920 samples: a chunk never waits for the next message.
"""
import math

import torch

RATE = 16000
WINDOW = 400
HOP = 160
FFT = 512
PREEMPHASIS = 0.97
LOG_GUARD = 2.0 ** -24


def hz_to_mel(hz):
    """Slaney: linear below 1 kHz, logarithmic above."""
    hz = torch.as_tensor(hz, dtype=torch.float64)
    linear = hz * 3 / 200
    return torch.where(hz < 1000, linear, 15 + torch.log(hz.clamp(min=1e-9) / 1000) * 27 / math.log(6.4))


def mel_to_hz(mel):
    return torch.where(mel < 15, mel * 200 / 3, 1000 * torch.exp((mel - 15) * math.log(6.4) / 27))


def mel_filters(bins, warp=None, fft=FFT):
    """[fft / 2 + 1, bins] triangles of equal area, 0 to 8000 Hz. `warp` maps FFT frequencies first (vocal tract length)."""
    edges = mel_to_hz(torch.linspace(0, hz_to_mel(RATE / 2).item(), bins + 2, dtype=torch.float64))
    hz = torch.linspace(0, RATE / 2, fft // 2 + 1, dtype=torch.float64)
    hz = hz if warp is None else warp(hz)
    low, mid, high = edges[:-2], edges[1:-1], edges[2:]
    rise = (hz[..., None] - low) / (mid - low)
    fall = (high - hz[..., None]) / (high - mid)
    return (torch.minimum(rise, fall).clamp(min=0) * 2 / (high - low)).float()


def power_spectrum(wave):
    """[B, N] float in -1..1 -> [B, N // 160, 257]."""
    before = torch.nn.functional.pad(wave, (1, 0))[:, :-1]
    wave = torch.nn.functional.pad(wave - PREEMPHASIS * before, (WINDOW - HOP, 0))
    window = torch.hann_window(WINDOW, periodic=False, device=wave.device)
    frames = wave.unfold(1, WINDOW, HOP) * window
    return torch.fft.rfft(frames, FFT).abs().square()


def log_mel(wave, filters):
    """[B, N] -> [B, bins, N // 160]; filters [257, bins] or one set per row [B, 257, bins]."""
    return torch.log(power_spectrum(wave) @ filters + LOG_GUARD).transpose(1, 2)
