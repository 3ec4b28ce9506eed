"""Rooms, microphones, noise and telephones, for a whole batch at once on the device. `strength` 0..1 grows during training.

    python augment.py --rooms rooms/*.flac --noise real/noise.npz --out recorded-sounds.npz      measured rooms and recorded noise, for train.py
"""
import argparse
import math

import numpy as np
import torch

import features

ROOM = 8000  # samples of reverberation: 0.5 s
PADDING = 7 * 1280
TONES = 8  # of the equaliser
RECORDED = 0.6  # how often a room or a noise is a recorded one, where there are recordings


class Recordings:
    """Measured impulse responses [rooms, ROOM], the direct sound first and of height 1, and noise, one long row of int16 samples."""

    def __init__(self, path, device):
        packed = np.load(path)
        self.rooms = torch.from_numpy(packed["rooms"]).to(device).float()
        self.noise = torch.from_numpy(packed["noise"]).to(device)

    def draw_rooms(self, rows):
        return self.rooms[torch.randint(len(self.rooms), (rows,), device=self.rooms.device)]

    def draw_noise(self, rows, size):
        start = torch.randint(len(self.noise) - size, (rows, 1), device=self.noise.device)
        return self.noise[start + torch.arange(size, device=start.device)].float() / 32768


def augment(wave, strength, recordings=None):
    """[B, N] -> [B, N]"""
    rows, device = wave.shape[0], wave.device
    chance = lambda p: (torch.rand(rows, 1, device=device) < p * strength).float()
    between = lambda low, high: torch.rand(rows, 1, device=device) * (high - low) + low
    clean, size = wave, wave.shape[1] + PADDING
    spectrum = torch.fft.rfft(wave, size)
    hz = torch.linspace(0, features.RATE / 2, spectrum.shape[1], device=device)[None]
    spectrum = spectrum * torch.fft.rfft(room(chance(0.5), between, device, recordings), size) * channel(hz, chance, between)
    wave = torch.fft.irfft(spectrum, size)[:, :clean.shape[1]]
    wave = wave + chance(0.6) * noise(wave, hz, size, between, recordings) + chance(0.2) * babble(wave, clean, between)
    wave = wave * 10 ** (between(-26 * strength, 3 * strength) / 20)
    return distort(wave, chance, between)


def room(on, between, device, recordings):
    """Impulse responses [B, ROOM]: the direct sound, then noise that dies away; or measured ones."""
    t = torch.arange(ROOM, device=device)[None] / features.RATE
    tail = torch.randn(on.shape[0], ROOM, device=device) * torch.exp(-6.9 * t / between(0.1, 0.7)) * (t > between(0.001, 0.01))
    ratio = 10 ** (-between(-2, 15) / 20)
    tail = tail * on * ratio / tail.norm(dim=1, keepdim=True).clamp(min=1e-6)
    if recordings is not None:
        measured = recordings.draw_rooms(len(on)) * on
        tail = torch.where(between(0, 1) < RECORDED, measured, tail)
    tail[:, 0] = 1
    return tail


def channel(hz, chance, between):
    """Gains [B, bins]: a random equaliser, a microphone's low cut, a telephone's band."""
    curve = equaliser(hz, torch.cat([between(-7, 7) for _ in range(TONES)], 1) * chance(0.6))
    edge = lambda f, cut, steep: torch.sigmoid((f - cut) / steep)
    low = 1 - chance(0.3) * (1 - edge(hz, between(60, 250), 20.0))
    phone = edge(hz, between(150, 350), 30.0) * edge(-hz, -between(3000, 3900), 60.0)
    return curve * low * (1 - chance(0.15) * (1 - phone))


def equaliser(hz, decibels):
    """[B, TONES] at tones from 60 to 8,000 Hz -> gains [B, bins]"""
    knots = torch.linspace(math.log(60), math.log(8000), TONES, device=hz.device)
    weight = (1 - (hz.clamp(min=60).log()[..., None] - knots).abs() / (knots[1] - knots[0])).clamp(min=0)[0]  # [bins, TONES]
    return 10 ** (decibels @ weight.T / 20)


def loudness(wave):
    """Root mean square over the parts where something is said."""
    square = wave.square()
    active = (square > square.mean(1, keepdim=True) * 0.1).float()
    return ((square * active).sum(1, keepdim=True) / active.sum(1, keepdim=True).clamp(min=1)).sqrt().clamp(min=1e-3)


def noise(wave, hz, size, between, recordings):
    """White to brown, steady or swelling, or recorded, 3 to 35 dB below the speech."""
    colour = hz.clamp(min=50) ** (-between(0, 1.2))
    shape = torch.randn(wave.shape[0], hz.shape[1], 2, device=wave.device)
    hiss = torch.fft.irfft(torch.view_as_complex(shape) * colour, size)[:, :wave.shape[1]]
    swell = torch.nn.functional.interpolate(torch.rand(wave.shape[0], 1, 12, device=wave.device) ** 2, wave.shape[1], mode="linear")[:, 0]
    steady = (between(0, 1) < 0.5).float()
    hiss = hiss * (steady + (1 - steady) * swell)
    if recordings is not None:
        hiss = torch.where(between(0, 1) < RECORDED, recordings.draw_noise(*wave.shape), hiss)
    hiss = hiss / hiss.square().mean(1, keepdim=True).sqrt().clamp(min=1e-9)
    return hiss * loudness(wave) * 10 ** (-between(3, 35) / 20)


def babble(wave, clean, between):
    """Two other rows of the batch are mixed in as background speech."""
    others = clean.roll(1, 0) + clean.roll(3, 0)
    return others / loudness(others) * loudness(wave) * 10 ** (-between(6, 25) / 20)


def distort(wave, chance, between):
    """Clipping, and the 8-bit logarithmic samples of telephone lines."""
    limit = loudness(wave) * 10 ** (between(3, 12) / 20)
    wave = torch.where(chance(0.06) > 0, torch.maximum(torch.minimum(wave, limit), -limit), wave)
    small = wave.clamp(-1, 1)
    return torch.where(chance(0.08) > 0, mu_law(small), small)


def mu_law(wave):
    """What is left of samples of -1 to 1 in 8 bits."""
    coded = torch.sign(wave) * torch.log1p(255 * wave.abs()) / math.log(256)
    coded = (coded * 127).round() / 127
    return torch.sign(coded) * (torch.exp(coded.abs() * math.log(256)) - 1) / 255


class Filters:
    """Mel filters for vocal tracts of many lengths."""

    def __init__(self, bins, device, steps=33):
        factors = torch.linspace(0.84, 1.19, steps)
        self.plain = features.mel_filters(bins).to(device)
        self.warped = torch.stack([features.mel_filters(bins, lambda hz, a=a.item(): warp(hz, a)) for a in factors]).to(device)

    def draw(self, rows, strength):
        middle, steps = self.warped.shape[0] // 2, self.warped.shape[0]
        spread = (torch.rand(rows, device=self.plain.device) - 0.5) * steps * (0.3 + 0.7 * strength)
        return self.warped[(middle + spread).round().long().clamp(0, steps - 1)]


def warp(hz, factor, edge=6800.0):
    """Scales the frequencies, and bends back to 8 kHz above the edge."""
    knee = edge * min(factor, 1) / factor
    top = features.RATE / 2
    upper = top - (top - factor * knee) / (top - knee) * (top - hz)
    return torch.where(hz <= knee, hz * factor, upper)


def mask_spectrogram(mels, strength):
    """Two bands of bins and some stretches of time become quiet."""
    rows, bins, frames = mels.shape
    quiet = mels.mean((1, 2), keepdim=True)
    hide = torch.zeros(rows, bins, frames, dtype=torch.bool, device=mels.device)
    for _ in range(2):
        hide |= stretch(rows, bins, 14 * strength, mels.device)[:, :, None]
    for _ in range(max(1, frames // 150)):
        hide |= stretch(rows, frames, 18 * strength, mels.device)[:, None, :]
    return torch.where(hide, quiet, mels)


def stretch(rows, size, most, device):
    width = torch.rand(rows, 1, device=device) * most
    start = torch.rand(rows, 1, device=device) * (size - width)
    at = torch.arange(size, device=device)[None]
    return (at >= start) & (at < start + width)


def cut_room(response):
    """From the direct sound on, which becomes 1."""
    peak = int(np.abs(response).argmax())
    out = np.zeros(ROOM, np.float32)
    part = response[peak:peak + ROOM] / response[peak]
    out[:len(part)] = part
    return out


def main():
    import codec
    from recorded import read_audio
    ap = argparse.ArgumentParser()
    ap.add_argument("--rooms", nargs="+", required=True)
    ap.add_argument("--noise", required=True, help="a file that codec.py made")
    ap.add_argument("--opus", help="libopus, where it is not installed")
    ap.add_argument("--out", required=True)
    args = ap.parse_args()
    noise = [wave for wave, _, _ in codec.unpack(args.noise, args.opus)]
    even = [np.clip(w * (3000 / max(1.0, float(np.sqrt(np.mean(np.square(w.astype(np.float32))))))), -32768, 32767).astype(np.int16) for w in noise]
    np.savez(args.out, rooms=np.stack([cut_room(read_audio(p)) for p in args.rooms]).astype(np.float16), noise=np.concatenate(even))


if __name__ == "__main__":
    main()
