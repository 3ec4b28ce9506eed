"""Streams to learn from: tracks of speech in rooms, noise and telephones, mixed on the device, many at a time."""
import numpy as np
import torch
from torch.nn import functional as F

import augment
from shards import RATE

from .labels import VOICE
from .network import FRAME
from .tracks import FRAMES, LOUDNESS, SAMPLES

KIND = 7  # mask of what a frame is, without IN_SPEECH


class Pool:
    """The newest tracks."""

    def __init__(self, places, device):
        self.waves = torch.zeros((places, SAMPLES), dtype=torch.int16, device=device)
        self.codes = torch.zeros((places, FRAMES), dtype=torch.uint8, device=device)
        self.count = 0

    def add(self, wave, codes=None):
        place = self.count % len(self.waves)
        self.waves[place] = torch.from_numpy(wave)
        if codes is not None:
            self.codes[place] = torch.from_numpy(codes)
        self.count += 1

    def draw(self, rng, number):
        """-> (float samples, codes)"""
        places = torch.from_numpy(rng.integers(min(self.count, len(self.waves)), size=number)).to(self.waves.device)
        return self.waves[places].float(), self.codes[places]


class Scenes:
    def __init__(self, places, rooms, device, seed):
        """rooms: impulse responses [rooms, samples]"""
        self.device, self.rooms, self.rng = device, rooms, np.random.default_rng(seed)
        self.pools = {"speech": Pool(places, device), "noise": Pool(places // 2, device), "events": Pool(places // 8, device)}
        self.hz = torch.linspace(0, RATE / 2, SAMPLES // 2 + 1, device=device)[None]

    def add(self, kind, wave, codes):
        self.pools[kind].add(wave, codes)

    def tensor(self, values):
        return torch.as_tensor(values, dtype=torch.float32, device=self.device)

    def between(self, low, high, n):
        return self.tensor(self.rng.uniform(low, high, (n, 1)))

    def chance(self, part, n):
        return self.tensor(self.rng.random((n, 1)) < part)

    def roll(self, waves):
        return torch.stack([torch.roll(wave, int(self.rng.integers(SAMPLES))) for wave in waves])

    def equaliser(self, n, part, width):
        return augment.equaliser(self.hz, self.tensor(self.rng.uniform(-width, width, (n, augment.TONES))) * self.chance(part, n))

    @torch.no_grad()
    def draw(self, n, below=None):
        """-> (waves [n, SAMPLES] of -1 to 1, codes [n, FRAMES]); below: how many dB the noise is below the speech"""
        speech, codes = self.speech(n)
        wave = speech + self.noise(n, below) + self.others(n)
        wave = wave + self.roll(self.pools["events"].draw(self.rng, n)[0]) * self.chance(.4, n)
        on_telephone = np.flatnonzero(self.rng.random(n) < .3)
        if len(on_telephone):
            wave[on_telephone] = self.telephone(wave[on_telephone])
        gain = torch.where(self.chance(.5, n) > 0, self.between(-22, 12, n), self.between(-4, 4, n))
        return (wave * 10 ** (gain / 20)).round().clamp(-32768, 32767) / 32768, codes

    def speech(self, n):
        """Before a microphone, some in a room, all equally loud; in a few streams nobody speaks."""
        speech, codes = self.pools["speech"].draw(self.rng, n)
        spectrum = torch.fft.rfft(speech) * self.equaliser(n, .6, 4)
        for i in np.flatnonzero(self.rng.random(n) < .2):
            spectrum[i] *= torch.fft.rfft(self.rooms[self.rng.integers(len(self.rooms))], SAMPLES)
        speech = torch.fft.irfft(spectrum, SAMPLES)
        voiced = ((codes & KIND) == VOICE).float().repeat_interleave(FRAME, 1)
        power = (speech ** 2 * voiced).sum(1, keepdim=True) / voiced.sum(1, keepdim=True).clamp(min=FRAME)
        nobody = self.chance(.05, n)
        return speech * (LOUDNESS / power.clamp(min=1).sqrt()) * (1 - nobody), torch.where(nobody > 0, 0, codes)

    def noise(self, n, below):
        noise = self.roll(self.pools["noise"].draw(self.rng, n)[0])
        noise = torch.fft.irfft(torch.fft.rfft(noise) * self.equaliser(n, .5, 6), SAMPLES)
        return at_level(noise, self.tensor(self.decibels(n) if below is None else np.full(n, below))[:, None])

    def decibels(self, n):
        """Mostly around 10 dB: that is where it is hard."""
        kinds = self.rng.choice(4, n, p=[.06, .54, .25, .15])
        return np.choose(kinds, [self.rng.uniform(low, high, n) for low, high in ((-1, 5), (4, 14), (12, 24), (24, 45))])

    def others(self, n):
        """One speaker far away, or many: nobody listens to them."""
        wave = torch.zeros(n, SAMPLES, device=self.device)
        for i in np.flatnonzero(self.rng.random(n) < .1):
            number, below = (1, self.rng.uniform(18, 30)) if self.rng.random() < .5 else (6, self.rng.uniform(10, 24))
            voices = self.roll(self.pools["speech"].draw(self.rng, number)[0]).sum(0, keepdim=True)
            wave[i] = at_level(voices, self.tensor([[below]]))[0]
        return wave

    def telephone(self, wave):
        """8,000 Hz, a band of about 300 to 3,600 Hz, 8 bits."""
        n, bins = len(wave), SAMPLES // 4 + 1
        hz = self.hz[:, :bins]
        low, high = self.between(150, 350, n), self.between(3300, 3900, n)
        spectrum = torch.fft.rfft(wave)[:, :bins] / (1 + (low / hz.clamp(min=1)) ** 4) / (1 + (hz / high) ** 40)
        line = torch.fft.irfft(spectrum, SAMPLES // 2) / 2 * 10 ** (self.between(-3, 9, n) / 20) / 32768
        line = augment.mu_law(line.clamp(-1, 1)) * 32768
        return torch.fft.irfft(F.pad(torch.fft.rfft(line), (0, SAMPLES // 4)), SAMPLES) * 2


def at_level(waves, below):
    """So many dB below the speech."""
    return waves * (LOUDNESS / (waves ** 2).mean(1, keepdim=True).clamp(min=1).sqrt() / 10 ** (below / 20))
