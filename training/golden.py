"""Fixtures for the server's parity tests: a signal as int16 samples and the log-mel values that training computes of it.

    python golden.py --out ../server/test/fixtures
"""
import argparse
import json
import math
import os

import torch

import features


def signal(samples=6400):
    """A gliding tone over a low one, a quiet hiss, and 0.1 s of digital silence at the end. Rounded to int16."""
    n = torch.arange(samples, dtype=torch.float64)
    glide = 0.3 * torch.sin(2 * math.pi * (200 * n + 0.5 * 0.4 * n * n) / features.RATE)
    low, seed, hiss = 0.2 * torch.sin(2 * math.pi * 130 * n / features.RATE), 1, []
    for _ in range(samples):  # a linear congruential generator, so that every language can make the same hiss
        seed = (1103515245 * seed + 12345) % 2 ** 31
        hiss.append(seed / 2 ** 31 - 0.5)
    wave = glide + low + 0.02 * torch.tensor(hiss, dtype=torch.float64)
    wave[-1600:] = 0
    return (wave * 32767).round().to(torch.int16)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--out", required=True)
    out = ap.parse_args().out
    pcm = signal()
    for bins in (80, 128):
        mels = features.log_mel(pcm.float()[None] / 32768, features.mel_filters(bins))[0].T
        fixture = {
            "about": "pcm / 32768 -> log_mel[frame][bin]; frame t covers samples 160 t - 240 up to 160 t + 160, zeros before the signal; "
                     "pre-emphasis 0.97 over the signal (the sample before the first is 0), symmetric Hann of 400, 512-point FFT, power, Slaney mel, log(x + 2^-24)",
            "sample_rate_hz": features.RATE, "mel_bins": bins, "frames": mels.shape[0], "pcm": pcm.tolist(),
            "log_mel": [[round(v, 4) for v in row] for row in mels.tolist()],
        }
        with open(os.path.join(out, f"features-{bins}.json"), "w") as file:
            file.write(json.dumps(fixture) + "\n")


if __name__ == "__main__":
    main()
