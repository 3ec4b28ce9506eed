"""Sounds that are not speech, drawn at random: music, beats, chirps, sirens, hum and hiss. The model learns to write nothing for them."""
import numpy as np

from shards import RATE


def draw(rng, seconds):
    """rng: numpy Generator -> float wave of `seconds`, one kind or two over each other."""
    kinds = rng.choice(len(KINDS), 2 if rng.random() < 0.3 else 1, replace=False)
    return sum(loud(KINDS[k](rng, int(seconds * RATE))) * rng.uniform(0.3, 1) for k in kinds)


def loud(wave):
    return wave / max(1e-6, float(np.abs(wave).max()))


def tone(rng, hz, seconds):
    """A note with overtones: plucked or held, still or trembling."""
    t = np.arange(int(seconds * RATE)) / RATE
    bend = rng.uniform(0, 0.02) * np.sin(2 * np.pi * rng.uniform(3, 8) * t) / rng.uniform(3, 8)
    fall, softness = rng.choice((0, 1, 3, 8)), rng.uniform(0.6, 2.5)
    wave = sum(np.sin(2 * np.pi * hz * k * (t + bend)) / k ** softness for k in range(1, rng.integers(2, 9)) if hz * k < RATE / 2)
    attack = np.minimum(1, t / rng.uniform(0.002, 0.08)) * np.minimum(1, (t[-1] - t) / 0.02)
    return wave * attack * np.exp(-fall * t)


def place(wave, part, at):
    part = part[:max(0, len(wave) - at)]
    wave[at:at + len(part)] += part


def music(rng, samples):
    """Melodies and chords in a random scale and tempo."""
    wave, at = np.zeros(samples), 0
    scale, root = np.sort(rng.choice(24, rng.integers(4, 9), replace=False)), rng.uniform(80, 500)
    beat, voices = rng.uniform(0.12, 0.9), rng.integers(1, 5)
    while at < samples:
        for note in rng.choice(scale, min(voices, len(scale)), replace=False):
            place(wave, tone(rng, root * 2 ** (note / 12), beat * rng.uniform(0.5, 3)), at)
        at += int(beat * rng.choice((0.5, 1, 1, 1, 2)) * RATE)
    return wave


def beats(rng, samples):
    """Drums, claps, knocks and clicks in a rhythm."""
    wave, step, at = np.zeros(samples), rng.uniform(0.08, 0.5), 0
    kit = [hit(rng) for _ in range(rng.integers(1, 5))]
    pattern = rng.integers(-1, len(kit), rng.integers(3, 17))
    for i in range(int(samples / RATE / step) + 1):
        if (drum := pattern[i % len(pattern)]) >= 0:
            place(wave, kit[drum] * rng.uniform(0.4, 1), at)
        at += int(step * RATE * rng.uniform(0.95, 1.05))
    return wave


def hit(rng):
    t = np.arange(int(0.4 * RATE)) / RATE
    skin = np.sin(2 * np.pi * rng.uniform(40, 1200) * (t + rng.uniform(0, 0.01) * np.exp(-30 * t))) * np.exp(-t * rng.uniform(8, 60))
    rattle = hiss(rng, len(t)) * np.exp(-t * rng.uniform(15, 300))
    mix = rng.random()
    return mix * skin + (1 - mix) * loud(rattle)


def chirps(rng, samples):
    """Glides up and down: birds, alarms, electronic signals."""
    wave, at = np.zeros(samples), 0
    while at < samples:
        seconds = rng.uniform(0.03, 1.5) ** 1.5 + 0.03
        t = np.arange(int(seconds * RATE)) / RATE
        start, end = np.exp(rng.uniform(np.log(200), np.log(7000), 2))
        hz = start * (end / start) ** (t / seconds)
        part = np.sin(2 * np.pi * np.cumsum(hz) / RATE) * np.sin(np.pi * t / seconds) ** rng.uniform(0.2, 1)
        for _ in range(rng.integers(1, 6)):
            place(wave, part, at)
            at += len(part) + int(rng.uniform(0, 0.3) * RATE)
        at += int(rng.exponential(0.4) * RATE)
    return wave


def siren(rng, samples):
    t = np.arange(samples) / RATE
    middle, width, turns = rng.uniform(300, 1500), rng.uniform(0.1, 0.6), rng.uniform(0.2, 6)
    sweep = np.sin(2 * np.pi * turns * t)
    sweep = np.sign(sweep) if rng.random() < 0.4 else sweep
    wave = np.sin(2 * np.pi * np.cumsum(middle * (1 + width * sweep)) / RATE)
    return np.tanh(wave * rng.uniform(1, 6))


def hum(rng, samples):
    """Mains, engines and fans: a low tone with overtones, beating."""
    t = np.arange(samples) / RATE
    base = rng.choice((50, 60, rng.uniform(25, 200)))
    wave = sum(rng.random() * np.sin(2 * np.pi * (base * k * t + rng.random())) for k in range(1, rng.integers(2, 20)))
    return loud(wave) * (1 + 0.5 * np.sin(2 * np.pi * rng.uniform(0.2, 15) * t)) + rng.uniform(0, 0.3) * loud(hiss(rng, samples))


def hiss(rng, samples):
    """Noise of any colour, sometimes in a band."""
    spectrum = np.fft.rfft(rng.standard_normal(samples))
    hz = np.fft.rfftfreq(samples, 1 / RATE)
    spectrum *= np.maximum(hz, 30) ** -rng.uniform(-0.3, 1.2)
    if rng.random() < 0.4:
        low = np.exp(rng.uniform(np.log(50), np.log(4000)))
        spectrum[(hz < low) | (hz > low * rng.uniform(1.2, 6))] *= 0.05
    return np.fft.irfft(spectrum, samples)


def rain(rng, samples):
    """Single crackles, from a few to a shower: rain, applause, fire, paper."""
    wave = np.zeros(samples)
    for at in rng.integers(0, samples, int(samples / RATE * np.exp(rng.uniform(np.log(3), np.log(400))))):
        wave[at] += rng.standard_normal()
    ring = np.exp(-np.arange(800) / RATE * rng.uniform(100, 2000)) * rng.standard_normal(800)
    return np.fft.irfft(np.fft.rfft(wave, samples + 800) * np.fft.rfft(ring, samples + 800), samples + 800)[:samples]


KINDS = (music, beats, chirps, siren, hum, hiss, rain, music, beats, chirps)
