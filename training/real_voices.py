"""Step 4b: how well the model hears real people who are not in the training. We have no recordings of Kikuyu or Dholuo, so other sets are used instead:
Kinyarwanda, single English words of 300 speakers, and with `--packed` recordings of other neighbours: Fongbe (four speakers whose language, but not their voices, the training hears),
Mboshi (a Bantu language with Kikuyu's seven vowels, three speakers), Suba (spoken in Kenya beside Dholuo, one speaker) and Kinyarwanda once more, 44 speakers with
their own microphones. No training hears Mboshi, Suba or Kinyarwanda.

    python real_voices.py --checkpoint run/model.pt --tokens data/text/tokens.json --lexicon data/text/loans.tsv --rw real/rw.npz --en real/en.npz
    python real_voices.py --package ../models --lexicon data/text/loans.tsv --rw real/rw.npz --en real/en.npz      as it is served: int8, chunk by chunk, with the language model
    python real_voices.py --package ../models --tokens checkpoints/tokens.json ... --own-text rw=kinyarwanda.txt     the same with a language model of the strangers' own language
    python real_voices.py ... --packed real/rw-people.npz --words checkpoints/joint-v15.pt.xz                      single words, cut out of the sentences (`words_alone.py`)
    python real_voices.py ... --alone real/rw-alone.npz --alone real/lg-alone.npz                                 words that strangers said alone

The Kinyarwanda recordings at hand stand beside the texts of other clips, two to eleven lines off; `kinyarwanda_pairs.tsv` names, by their numbers, the 50 of the
first 173 clips that could be paired again without doubt (a model half way through the third run wrote a text that is near to one line only).

For each: phone errors of the shared phone head; letter errors of what is written under our prompts (Kinyarwanda against its spelling in our letters);
how many clips nothing at all is written for. Packages have no phone head.
"""
import argparse
import os
import random

import numpy as np
import torch

import codec
import english_words
import features
import own_language
import sounds
from evaluate import Clip, distance, error_rates, hear_with_packages, hear_with_torch
from languages import SPOKEN
from model import load_checkpoint
from recorded import aligner
from shards import RATE
from text import normalise
from tokens import Tokens
from words_alone import cut_out

LOOK_AHEAD = 13
NAMES = {"rw": "Kinyarwanda, own microphones", "fon": "Fongbe", "mdw": "Mboshi", "sxb": "Suba"}
ALONE = {"rw": "Kinyarwanda and Kirundi", "lg": "Luganda", "sw": "Swahili", "ha": "Hausa"}
PAIRS = os.path.join(os.path.dirname(__file__), "kinyarwanda_pairs.tsv")


def kinyarwanda(path, opus):
    """[(wave, text, language)]"""
    clips = list(codec.unpack(path, opus))
    return [(clips[clip][0], clips[line][2], "rw") for clip, line in (map(int, row.split()) for row in open(PAIRS).readlines()[1:])]


def neighbours(path, opus, names=NAMES):
    """(name of the set, as above for each clip of a packed file)"""
    language = str(np.load(path)["language"])
    return names[language], [(wave, text, language) for wave, _, text in codec.unpack(path, opus)]


def under_our_prompts(recordings):
    """[(Clip with the text in our letters, phones)], each recording under both"""
    out = []
    for wave, text, language in recordings:
        phones = sounds.phone_ids(sounds.spoken(normalise(text, language), language, random.Random(0)))
        out += [(Clip(wave, sounds.transliterate(text, language, prompt), prompt, language), phones) for prompt in SPOKEN]
    return out


def english(path, opus):
    """The first word of every held-out speaker."""
    out = []
    for i, (wave, _, text) in enumerate(english_words.held_out(list(codec.unpack(path, opus)))):
        word = text.split()[0].lower()
        out.append((Clip(wave[:RATE], word, ("ki", "luo")[i % 2], "en"), sounds.phone_ids(sounds.spoken(word, "en", random.Random(0)))))
    return out


def louder(wave, decibels):
    return np.clip(np.round(wave * 10 ** (decibels / 20)), -32768, 32767).astype(np.int16)


def collapse(labels, blank):
    """Repeats and blanks left out."""
    return [p for p, before in zip(labels, [-1, *labels]) if p not in (before, blank)]


@torch.no_grad()
def phones_heard(model, clips, device, rows=64):
    """The best label of every half frame, repeats and blanks left out."""
    filters, out = features.mel_filters(model.c.mel).to(device), [[] for _ in clips]
    order = sorted(range(len(clips)), key=lambda i: len(clips[i].wave))
    for at in range(0, len(order), rows):
        part = order[at:at + rows]
        waves = torch.zeros(len(part), (-(-max(len(clips[i].wave) for i in part) // 1280) + 8) * 1280)
        for row, i in zip(waves, part):
            row[:len(clips[i].wave)] = torch.from_numpy(clips[i].wave.astype(np.float32)) / 32768
        prompt = torch.tensor([0 if clips[i].language == "ki" else 1 for i in part], device=device)
        _, middle = model.encoder(features.log_mel(waves.to(device), filters), prompt, LOOK_AHEAD)
        best = model.phone_ctc(model.norm_mid(middle)).unflatten(2, (2, -1)).flatten(1, 2).argmax(-1).cpu().numpy()
        for i, row in zip(part, best):
            row = row[:2 * (len(clips[i].wave) // 1280 + 8)]
            out[i] = collapse(row.tolist(), model.c.phones)
    return out


def phone_errors(model, clips, said, device):
    heard = phones_heard(model, clips, device)
    return 100 * sum(distance(a, b) for a, b in zip(said, heard)) / sum(map(len, said))


def measure(name, clips, texts, phones):
    _, letters = error_rates([(c.text, t) for c, t in zip(clips, texts)])
    silent = sum(not t for t in texts)
    print(f"| {name} | {len(clips)} clips | phone errors {phones} | letter errors {letters:.1f} | nothing written {100 * silent / len(clips):.1f} % |", flush=True)


def listener(args):
    """What hears clips, and what counts their wrong phones."""
    if args.package:
        return lambda clips: hear_with_packages(args.package, clips, LOOK_AHEAD, own=own_models(args, clips)), lambda clips, said: "-"
    model, tokens = load_checkpoint(args.checkpoint).to(args.device).eval(), Tokens.load(args.tokens)
    return (lambda clips: hear_with_torch(model, tokens, clips, LOOK_AHEAD, args.device),
            lambda clips, said: f"{phone_errors(model, clips, said, args.device):.1f}")


def own_models(args, clips):
    spoken = {c.voice for c in clips}
    texts = {language: sentences for language, sentences in own_language.read(args.own_text).items() if language in spoken}
    return own_language.models(texts, {c.text for c in clips}, Tokens.load(args.tokens)) if texts else {}


def sets_of(args):
    """[(name, [(Clip, phones)])]"""
    strangers = [("Kinyarwanda", kinyarwanda(args.rw, args.opus)), *(neighbours(path, args.opus) for path in args.packed)]
    if args.words:
        listen = aligner(args.words, args.device)
        return [(f"{name}, words", cut_out(recordings, listen)) for name, recordings in strangers]
    sentences = [(name, under_our_prompts(recordings)) for name, recordings in strangers]
    alone = [(f"{name}, words said alone", under_our_prompts(recordings)) for name, recordings in (neighbours(path, args.opus, ALONE) for path in args.alone)]
    return [sentences[0], ("English words", english(args.en, args.opus)), *sentences[1:], *alone]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--checkpoint")
    ap.add_argument("--tokens")
    ap.add_argument("--package", help="folder with the model packages, instead of a checkpoint")
    ap.add_argument("--lexicon", required=True)
    ap.add_argument("--rw", required=True, help="Kinyarwanda, packed by codec.py")
    ap.add_argument("--en", required=True, help="English words, packed by codec.py")
    ap.add_argument("--packed", action="append", default=[], help="Fongbe, Mboshi, Suba or Kinyarwanda of many speakers, packed by codec.py; may be given again")
    ap.add_argument("--alone", action="append", default=[], help="words that strangers said alone: Kinyarwanda, Luganda, Swahili or Hausa, packed by codec.py; may be given again")
    ap.add_argument("--words", metavar="CHECKPOINT", help="single words instead, one to three, cut out of the sentences at the times that this model finds")
    ap.add_argument("--own-text", action="append", default=[], metavar="LANGUAGE=FILE", help="with --package and --tokens: a sentence in each line, for a language model of the strangers' own language (`own_language.py`); may be given again")
    ap.add_argument("--opus", help="libopus, where it is not installed")
    ap.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    ap.add_argument("--decibels", type=float, default=0, help="how much louder the clips are played; -20 is a quiet microphone")
    ap.add_argument("--show", type=int, default=0, help="print so many texts of each")
    args = ap.parse_args()
    sounds.load_lexicon(args.lexicon)
    hear, count_wrong_phones = listener(args)
    for name, pairs in sets_of(args):
        clips, said = [c._replace(wave=louder(c.wave, args.decibels)) for c, _ in pairs], [p for _, p in pairs]
        texts = hear(clips)
        measure(name, clips, texts, count_wrong_phones(clips, said))
        for clip, text in list(zip(clips, texts))[:args.show]:
            print(f"    {clip.language}  said  {clip.text}\n        heard {text}")


if __name__ == "__main__":
    main()
