"""Step 4: word and character errors on held-out speech, by language, voice, look-ahead and noise.

    python evaluate.py --eval data/eval --tokens data/text/tokens.json --checkpoint run/model.pt     the network in torch, whole batches
    python evaluate.py --eval data/eval --package ../models                                          the exported packages, chunk by chunk
    python evaluate.py --eval data/eval --via https://localhost:8443 --key svc_live_v1_...            through the running service
    python evaluate.py --eval data/eval --package ../models --joined 6                               clips alone, and six of them behind each other
    python evaluate.py --eval data/eval --package ../models --look-ahead 13 --recordings recordings.npz --decibels 6      in measured rooms with recorded noise
"""
import argparse
import collections
import glob
import json
import os

import numpy as np
import torch

import features
from model import greedy, load_checkpoint
from languages import SPOKEN
from shards import LANGUAGES, RATE

TAIL = int(1.3 * RATE)  # silence after the last sample, as the server adds at a flush
PEAK = 12000  # of clips that are heard in a room
Clip = collections.namedtuple("Clip", "wave text language voice")


def read_clips(folder):
    clips = []
    for path in sorted(glob.glob(os.path.join(folder, "*.npz"))):
        shard = np.load(path)
        audio = shard["audio"]
        for start, length, text, language, voice in zip(*(shard[k].tolist() for k in ("start", "length", "text", "language", "voice"))):
            clips.append(Clip(audio[start:start + length], text, LANGUAGES[language], voice))
    return clips


def distance(a, b):
    """Edits that turn a into b."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        corner, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            corner, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, corner + (x != y))
    return row[-1]


def error_rates(pairs):
    """[(said, heard)] -> (WER, CER) in per cent over all of them."""
    words = sum(distance(a.split(), b.split()) for a, b in pairs), sum(len(a.split()) for a, _ in pairs)
    letters = sum(distance(a, b) for a, b in pairs), sum(len(a) for a, _ in pairs)
    return tuple(round(100 * e / max(1, n), 2) for e, n in (words, letters))


def with_noise(wave, decibels, seed):
    """Adds noise between white and pink at this ratio to the mean power of the clip."""
    rng = np.random.default_rng(seed)
    spectrum = np.fft.rfft(rng.standard_normal(len(wave)))
    hiss = np.fft.irfft(spectrum / np.maximum(np.arange(len(spectrum)), 50) ** 0.4, len(wave))
    signal = wave.astype(np.float64)
    hiss *= np.sqrt((signal ** 2).mean() / (hiss ** 2).mean() / 10 ** (decibels / 10))
    return np.clip(signal + hiss, -32768, 32767).astype(np.int16)


def in_places(clips, recordings, decibels):
    """Each clip in a measured room with recorded noise (augment.py) so many decibels below its loud parts; the same places for the same clips."""
    packed, rng = np.load(recordings), np.random.default_rng(7)
    rooms, noise = packed["rooms"].astype(np.float64), packed["noise"]

    def place(wave):
        heard = np.convolve(wave.astype(np.float64), rooms[rng.integers(len(rooms))])
        start = rng.integers(max(1, len(noise) - len(heard)))
        sound = np.resize(noise[start:start + len(heard)], len(heard)).astype(np.float64)
        loud = heard[np.abs(heard) > 0.02 * np.abs(heard).max()]
        mixed = heard + sound * np.sqrt((loud ** 2).mean() / max(1e-9, (sound ** 2).mean())) * 10 ** (-decibels / 20)
        return (mixed / np.abs(mixed).max() * PEAK).astype(np.int16)
    return [clip._replace(wave=place(clip.wave)) for clip in clips]


def joined(clips, count, pause_seconds=0.2):
    """Clips of one language and voice behind each other, as somebody says them who pauses so long. What does not fill a group is left out."""
    groups = collections.defaultdict(list)
    for clip in clips:
        groups[clip.language, clip.voice.split("+")[-1]].append(clip)  # a variant of espeak-ng is one speaker, whatever its base
    whole = [g[at:at + count] for g in groups.values() for at in range(0, len(g) - count + 1, count)]
    pause = np.zeros(int(pause_seconds * RATE), np.int16)
    waves = [np.concatenate([part for clip in group for part in (clip.wave, pause)][:-1]) for group in whole]
    return [clip for group in whole for clip in group], [Clip(wave, " ".join(c.text for c in group), *group[0][2:]) for wave, group in zip(waves, whole)]


# Three ways to hear ------------------------------------------------------------------------------------------------------

@torch.no_grad()
def hear_with_torch(model, tokens, clips, look_ahead, device, rows=128):
    """The training's own forward pass; equal to streaming, frame for frame."""
    model.eval()
    filters = features.mel_filters(model.c.mel).to(device)
    order, texts = sorted(range(len(clips)), key=lambda i: len(clips[i].wave)), [""] * len(clips)
    for at in range(0, len(order), rows):
        part = order[at:at + rows]
        frames = -(-(max(len(clips[i].wave) for i in part) + TAIL) // 1280)
        waves = torch.zeros(len(part), frames * 1280)
        for k, i in enumerate(part):
            waves[k, :len(clips[i].wave)] = torch.from_numpy(clips[i].wave.astype(np.float32)) / 32768
        prompt = torch.tensor([LANGUAGES.index(clips[i].language) for i in part], device=device)
        encoded, _ = model.encoder(features.log_mel(waves.to(device), filters), prompt, look_ahead)
        lengths = torch.tensor([(len(clips[i].wave) + TAIL) // 1280 for i in part], device=device)
        for i, pieces in zip(part, greedy(model, encoded.float(), lengths)):
            texts[i] = tokens.decode(pieces)
    return texts


def hear_with_packages(folder, clips, look_ahead, threads=1, own={}):
    """own: {(language of the speaker, prompt): language model}, used instead of the package's."""
    import stream
    by_language = {m["language_code"]: m for m in (json.load(open(p)) | {"folder": os.path.dirname(p)} for p in glob.glob(os.path.join(folder, "*", "manifest.json")))}
    models = {code: stream.Package(m["folder"], m, threads) for code, m in by_language.items()}
    bundled = {code: model.language_model for code, model in models.items()}

    def hear(clip):
        models[clip.language].language_model = own.get((clip.voice, clip.language), bundled[clip.language])
        return models[clip.language].transcribe(clip.wave, look_ahead)
    return [hear(clip) for clip in clips]


def hear_through_service(address, key, clips, look_ahead, ca, silence_ms):
    import service
    return service.transcribe(address, key, clips, look_ahead, ca, silence_ms=silence_ms)


# Tables ------------------------------------------------------------------------------------------------------------------

def table(clips, hear):
    """Prints WER and CER by language and kind of voice for every look-ahead, noise, and single voice."""
    rows = [("look-ahead 13", 13, None), ("look-ahead 6", 6, None), ("look-ahead 3", 3, None), ("look-ahead 0", 0, None),
            ("noise 20 dB", 13, 20), ("noise 10 dB", 13, 10), ("noise 5 dB", 13, 5)]
    results = {}
    for name, look_ahead, decibels in rows:
        heard = hear([c if decibels is None else c._replace(wave=with_noise(c.wave, decibels, i)) for i, c in enumerate(clips)], look_ahead)
        pairs = [(c.text, t) for c, t in zip(clips, heard)]
        results[name] = report(name, clips, pairs)
        if name == rows[0][0]:
            results |= by_voice(clips, pairs)
    return results


def compare_joined(clips, count, pause_seconds, hear, look_ahead):
    alone, together = joined(clips, count, pause_seconds)
    return {name: report(name, chosen, [(c.text, t) for c, t in zip(chosen, hear(chosen, look_ahead))]) for name, chosen in (("alone", alone), (f"{count} joined", together))}


def by_voice(clips, pairs):
    """By single voice, and by kind of text where the voice's name tells it: `engine:name:kind`."""
    out = {}
    for group in (lambda c: ":".join(c.voice.split(":")[:2]), lambda c: kind_of(c.voice)):
        for name in sorted({group(c) for c in clips} - {None}):
            out[name] = report(name, clips, pairs, lambda c, n=name, g=group: g(c) == n)
    return out


def kind_of(voice):
    return voice.split(":")[2] if voice.count(":") > 1 else None


def report(name, clips, pairs, wanted=lambda clip: True):
    out = {}
    for language in SPOKEN:
        chosen = [p for c, p in zip(clips, pairs) if c.language == language and wanted(c)]
        if chosen:
            out[language] = error_rates(chosen)
    print(f"| {name} | " + " | ".join(f"{k}: WER {w:.1f} CER {c:.1f}" for k, (w, c) in out.items()) + " |", flush=True)
    return out


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--eval", required=True, help="folder of held-out shards")
    ap.add_argument("--kind", help="only voices whose name starts so: kokoro, espeak")
    ap.add_argument("--checkpoint")
    ap.add_argument("--tokens")
    ap.add_argument("--package", help="folder with the model packages")
    ap.add_argument("--via", help="address of the running service")
    ap.add_argument("--key", help="API key for --via")
    ap.add_argument("--ca", help="certificate of the service's own authority, for --via")
    ap.add_argument("--limit", type=int, help="at most so many clips, spread over all")
    ap.add_argument("--look-ahead", type=int, help="this one alone, without the table")
    ap.add_argument("--joined", type=int, help="so many clips of a voice behind each other, and the same ones alone; look-ahead 13 unless told")
    ap.add_argument("--pause", type=float, default=0.2, help="seconds of silence between clips that are joined")
    ap.add_argument("--silence", type=int, help="with --via: the service ends an utterance after so many milliseconds of silence")
    ap.add_argument("--recordings", help="measured rooms and recorded noise, packed by augment.py: the clips are heard in them")
    ap.add_argument("--decibels", type=float, default=6, help="how far below the speech that noise is")
    ap.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    ap.add_argument("--out", help="write the figures here as JSON")
    args = ap.parse_args()
    clips = [c for c in read_clips(args.eval) if c.voice.startswith(args.kind or "")]
    clips = clips[::max(1, len(clips) // args.limit)] if args.limit else clips
    clips = in_places(clips, args.recordings, args.decibels) if args.recordings else clips
    hear = listener(args)
    if args.joined:
        results = compare_joined(clips, args.joined, args.pause, hear, 13 if args.look_ahead is None else args.look_ahead)
    elif args.look_ahead is None:
        results = table(clips, hear)
    else:
        pairs = [(c.text, t) for c, t in zip(clips, hear(clips, args.look_ahead))]
        results = {"all": report(f"look-ahead {args.look_ahead}", clips, pairs)} | by_voice(clips, pairs)
    if args.out:
        json.dump(results, open(args.out, "w"), indent=1)


def listener(args):
    if args.via:
        return lambda clips, look_ahead: hear_through_service(args.via, args.key, clips, look_ahead, args.ca, args.silence)
    if args.package:
        return lambda clips, look_ahead: hear_with_packages(args.package, clips, look_ahead)
    from tokens import Tokens
    model, tokens = load_checkpoint(args.checkpoint).to(args.device), Tokens.load(args.tokens)
    return lambda clips, look_ahead: hear_with_torch(model, tokens, clips, look_ahead, args.device)


if __name__ == "__main__":
    main()
