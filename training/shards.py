"""Synthesised speech on disk: one .npz holds some minutes of 16 kHz samples, the phone label of every 20 ms, and the texts."""
import os
import wave as wave_file

import numpy as np

import languages

RATE = 16000
LABEL_HOP = 320  # samples per phone label: 20 ms
LANGUAGES = tuple(languages.LANGUAGES)  # the order is the prompt slot
UNKNOWN = 255  # no label: the loss leaves such frames out


def read_wav(path):
    """int16 samples of a file that is 16 kHz, mono and 16 bit, or None."""
    with wave_file.open(path) as file:
        if (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (RATE, 1, 2):
            return np.frombuffer(file.readframes(file.getnframes()), np.int16)


def unknown_labels(samples):
    """Of a clip whose phones have no known times."""
    return np.full(samples // LABEL_HOP + 1, UNKNOWN, np.uint8)


class ShardWriter:
    def __init__(self, folder, name, seconds=300):
        os.makedirs(folder, exist_ok=True)
        self.path, self.limit, self.part = os.path.join(folder, name), seconds * RATE, 0
        self.clear()

    def clear(self):
        self.waves, self.labels, self.rows, self.samples = [], [], [], 0

    def add(self, wave, labels, text, phones, language, voice):
        """wave int16; labels uint8, one for every 20 ms; phones: the phone ids in order, with the ends of words where they are known (`sounds.with_ends`). No text: nothing is to be heard here."""
        padded = np.zeros(-(-len(wave) // LABEL_HOP) * LABEL_HOP, np.int16)
        padded[:len(wave)] = wave
        full = np.full(len(padded) // LABEL_HOP, UNKNOWN, np.uint8)
        full[:len(labels)] = labels[:len(full)]
        self.rows.append((self.samples, len(wave), text, " ".join(map(str, phones)), LANGUAGES.index(language), voice))
        self.waves.append(padded)
        self.labels.append(full)
        self.samples += len(padded)
        if self.samples >= self.limit:
            self.flush()

    def flush(self):
        """The name appears only when the file is whole: a reader may look at any time."""
        if not self.rows:
            return
        start, length, text, phones, language, voice = zip(*self.rows)
        target = f"{self.path}-{self.part:04d}.npz"
        np.savez(target + ".tmp.npz", audio=np.concatenate(self.waves), labels=np.concatenate(self.labels), start=np.array(start), length=np.array(length),
                 text=np.array(text), phones=np.array(phones), language=np.array(language, np.uint8), voice=np.array(voice))
        os.replace(target + ".tmp.npz", target)
        self.part += 1
        self.clear()


def labels_of(spans, samples):
    """[(label, start sample, end sample)] -> one label at the middle of every 20 ms; what no span covers is silence."""
    out = np.zeros(-(-samples // LABEL_HOP), np.uint8)
    for label, start, end in spans:
        a, b = (int(round(t / LABEL_HOP - 0.5)) for t in (start, end))
        out[max(a, 0):max(b, 0)] = label
    return out


def resample(wave, source, target=RATE):
    """By the Fourier transform, on lengths that it is fast for."""
    from math import gcd
    g = gcd(source, target)
    up, down = target // g, source // g
    blocks = smooth(-(-len(wave) // down))
    spectrum = np.fft.rfft(wave, blocks * down)
    half = blocks * up // 2 + 1
    spectrum = np.pad(spectrum, (0, max(0, half - len(spectrum))))[:half]
    out = np.fft.irfft(spectrum, blocks * up) * (up / down)
    return out[:len(wave) * up // down].astype(np.float32)


def smooth(n):
    """The next number of the form 2^a 3^b 5^c."""
    while True:
        m = n
        for p in (2, 3, 5):
            while m % p == 0:
                m //= p
        if m == 1:
            return n
        n += 1


def to_int16(wave, peak=None):
    """peak: scale to this share of the range first."""
    if peak is not None:
        wave = wave * (peak / max(1e-6, float(np.abs(wave).max())))
    return np.clip(np.round(wave * 32767), -32768, 32767).astype(np.int16)
