"""Tracks of 41 s: of speech, with what each frame is, of noise that lasts, and of single sounds. Made on the processor, by several processes at a time."""
import collections
import itertools
import os

import numpy as np

import noises
from shards import RATE

from .labels import HOP, SILENCE, frame_codes
from .network import FRAME
from .sources import SHARES, read_sounds, read_speech

FRAMES = 1280  # of a track: a good size for FFTs
SAMPLES = FRAMES * FRAME
LOUDNESS = 1500.0  # of speech, in int16
LONGEST = 900  # hops of a clip; of a longer one a part is heard
FIRST_CLIPS, MORE_CLIPS = 300, 30  # to begin with, and for every four tracks
EDGE = 240  # samples of fading where such a part begins and ends


def level_of(samples):
    return float(np.sqrt((samples.astype(np.float32) ** 2).mean() + 1e-9))


def faster(samples, rate):
    return np.interp(np.arange(int(len(samples) / rate)) * rate, np.arange(len(samples)), samples).astype(np.float32)


def clipped(wave):
    return np.clip(wave, -32768, 32767).astype(np.int16)


class Tracks:
    def __init__(self, lasting, single, seed):
        self.rng = np.random.default_rng(seed)
        self.speech, self.lasting, self.single = collections.defaultdict(list), lasting, single
        self.music = [np.asarray(noises.draw(self.rng, 15), np.float32) for _ in range(12)]

    def add(self, clips):
        """clips: (source, (samples, labels))"""
        for source, clip in clips:
            self.speech[source].append(clip)

    def clip(self):
        shares = np.array([SHARES[source] for source in self.speech])
        group = list(self.speech.values())[self.rng.choice(len(shares), p=shares / shares.sum())]
        samples, labels = group[self.rng.integers(len(group))]
        samples = samples.astype(np.float32) * (LOUDNESS / level_of(samples))
        if len(labels) > LONGEST:
            samples, labels = self.part_of(samples, labels)
        if self.rng.random() < 0.5:
            rate = float(np.exp(self.rng.uniform(-0.2, 0.2)))
            hops = int(len(labels) / rate)
            samples, labels = faster(samples, rate)[:hops * HOP], labels[np.minimum((np.arange(hops) * rate).astype(int), len(labels) - 1)]
        return samples, labels

    def part_of(self, samples, labels):
        """Up to 7 s, to a pause where there is one."""
        start = int(self.rng.integers(len(labels) - 700))
        pauses = np.flatnonzero(labels[start:start + 700] == SILENCE)
        end = start + (int(pauses[-1]) if len(pauses) and pauses[-1] > 150 else 700)
        samples = samples[start * HOP:end * HOP].copy()
        samples[:EDGE] *= np.linspace(0, 1, EDGE, dtype=np.float32)
        samples[-EDGE:] *= np.linspace(1, 0, EDGE, dtype=np.float32)
        return samples, labels[start:end]

    def draw_speech(self):
        """Utterances with pauses between them -> (int16 samples, a code per frame)"""
        rng, hops = self.rng, SAMPLES // HOP
        wave, labels, loudness = np.zeros(hops * HOP, np.float32), np.zeros(hops, np.int8), 1.0
        at, last = int(rng.uniform(10, 250)), hops - 60  # the end stays silent: filters wrap around
        varies = rng.random() < 0.35
        while at < last:
            part, marks = self.clip()
            size = min(len(marks), last - at, len(part) // HOP)
            if varies and rng.random() < 0.5:
                loudness = 10 ** (rng.uniform(-8, 4) / 20)
            wave[at * HOP:(at + size) * HOP] = part[:size * HOP] * loudness
            labels[at:at + size] = marks[:size]
            at += size + int(rng.uniform(30, 75) if rng.random() < 0.3 else rng.uniform(60, 300))
        return clipped(wave), frame_codes(labels, FRAMES)

    def draw_noise(self):
        rng, wave = self.rng, self.bed()
        if rng.random() < 0.25:
            wave += self.bed() * 10 ** (rng.uniform(-12, 0) / 20)
        if rng.random() < 0.4:  # a level that changes
            points = int(rng.choice([8, 20, 60]))
            gains = rng.normal(0, rng.uniform(1, 5), points + 1)
            wave *= 10 ** (np.interp(np.arange(SAMPLES), np.linspace(0, SAMPLES, points + 1), gains).astype(np.float32) / 20)
        if rng.random() < 0.3:
            wave *= self.pulse()
        return (wave * (16000 / (np.abs(wave).max() + 1))).astype(np.int16)

    def pulse(self):
        """A level that rises and falls evenly, as beside blades, wheels and engines, once in three seconds to twelve times a second: about as often as syllables do."""
        rng = self.rng
        pace = np.exp(rng.uniform(np.log(0.3), np.log(12))) * np.exp(rng.normal(0, 0.15, 21))  # not quite even
        turns = np.cumsum(np.interp(np.arange(SAMPLES), np.linspace(0, SAMPLES, 21), pace)) / RATE
        height = (0.5 + 0.5 * np.sin(2 * np.pi * turns)) ** rng.uniform(0.5, 4)
        return (10 ** (rng.uniform(3, 18) * (height - 1) / 20)).astype(np.float32)

    def bed(self):
        """Sounds one after the other, as loud as each other at their peaks, as in the bench."""
        rng, out, at = self.rng, np.zeros(SAMPLES, np.float32), 0
        while at < SAMPLES:
            sound = self.sound()
            sound = faster(sound, float(np.exp(rng.uniform(-0.45, 0.45)))) if rng.random() < 0.5 else sound
            sound = sound[::-1] if rng.random() < 0.3 else sound
            sound = sound * (8000 / (np.abs(sound).max() + 1e-6) * 10 ** (rng.uniform(-6, 3) / 20))
            for _ in range(int(rng.integers(1, 3))):
                size = min(len(sound), SAMPLES - at)
                out[at:at + size] = sound[:size]
                at += size
        return out

    def sound(self):
        rng = self.rng
        kind = rng.choice(4, p=(0.78, 0.06, 0.11, 0.05))
        if kind < 2:
            pool = (self.lasting, self.single)[kind]
            return pool[rng.integers(len(pool))].astype(np.float32)
        if kind == 2:
            music = self.music[rng.integers(len(self.music))]
            start = int(rng.integers(len(music) // 2))
            return music[start:start + int(rng.uniform(2, 8) * RATE)]
        return rng.standard_normal(4 * RATE).astype(np.float32)

    def draw_events(self):
        """Single sounds, each so many dB below the speech."""
        rng, wave = self.rng, np.zeros(SAMPLES, np.float32)
        for _ in range(int(rng.integers(1, 8))):
            sound = self.single[rng.integers(len(self.single))].astype(np.float32)
            size = int(rng.uniform(0.2, 3) * RATE)
            start = int(rng.integers(max(1, len(sound) - size)))
            sound = sound[start:start + size]
            at = int(rng.integers(SAMPLES - len(sound)))
            wave[at:at + len(sound)] += sound * (LOUDNESS / level_of(sound) / 10 ** (rng.uniform(0, 22) / 20))
        return clipped(wave)


def make(folder, sounds, part, parts, opus, seed, queue):
    """A process of its own: fills the queue for as long as it lives, and reads more clips from time to time. sounds: files beside the folder's noise."""
    found = [read_sounds(os.path.join(folder, "noise.npz"), opus), *(read_sounds(path, opus, is_measured=False) for path in sounds)]
    tracks, clips = Tracks(*(list(itertools.chain(*kind)) for kind in zip(*found)), [seed, part]), read_speech(folder, part, parts, opus)
    tracks.add(itertools.islice(clips, FIRST_CLIPS))
    while True:
        tracks.add(itertools.islice(clips, MORE_CLIPS))
        for _ in range(4):
            queue.put(("speech", *tracks.draw_speech()))
        for _ in range(2):
            queue.put(("noise", tracks.draw_noise(), None))
        queue.put(("events", tracks.draw_events(), None))
