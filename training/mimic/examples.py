"""Recordings of strangers with the phone of every 20 ms, to learn from and to go on from; and label tracks of synthetic speech, which say what they are to say."""
import glob
import os

import numpy as np
import torch

from mimic.network import ANY
from mimic.sound import tokens_of
from pool import kind_of
from shards import LABEL_HOP, LANGUAGES, RATE, UNKNOWN

STRANGERS = ("recorded", "heard", "crowd", "voices")
SYNTHETIC = ("kokoro", "espeak")
LENGTHS = (150, 250, 400, 600)  # tokens of a row
SHORTEST = 60
MOST_UNKNOWN = 0.05
ONCE = ("ki", "luo", "yo")  # a recording stands in the shards once for each prompt that it is heard under, and nearly always under the first of these


def rows_of(folders, kinds):
    """(audio, labels, text, phones, language, voice) of every utterance in the shards of these kinds."""
    for path in sorted(p for folder in folders for p in glob.glob(os.path.join(folder, "*.npz"))):
        if kind_of(path) in kinds and not path.endswith(".tmp.npz"):
            shard = np.load(path)
            audio, labels = shard["audio"], shard["labels"]
            for start, length, *rest in zip(*(shard[k].tolist() for k in ("start", "length", "text", "phones", "language", "voice"))):
                tokens = length // LABEL_HOP
                yield audio[start:start + tokens * LABEL_HOP], labels[start // LABEL_HOP:start // LABEL_HOP + tokens], *rest


class Strangers:
    """All clips on the device."""

    def __init__(self, folders, device):
        self.device, self.start, self.length, self.voices, seen = device, [], [], [], set()
        audio, labels, at = [], [], 0
        for wave, track, _, _, _, voice in rows_of(folders, STRANGERS):
            same = voice, len(wave), wave[::997].tobytes()
            if len(track) < SHORTEST or (track == UNKNOWN).mean() > MOST_UNKNOWN or same in seen:
                continue
            seen.add(same)
            audio.append(torch.from_numpy(wave.copy()))
            labels.append(torch.from_numpy(track.copy()))
            self.start.append(at)
            self.length.append(len(track))
            self.voices.append(voice)
            at += len(track)
        self.audio, self.labels = torch.cat(audio).to(device), torch.cat(labels).to(device)
        self.labels[self.labels == UNKNOWN] = ANY
        self.start, self.length = np.array(self.start), np.array(self.length)
        _, which, count = np.unique(self.voices, return_inverse=True, return_counts=True)
        self.weight = count[which] ** -0.5  # of one voice's many clips each counts less
        self.members = [np.flatnonzero(self.length > low) for low in (0, *LENGTHS[:-1])]

    def hours(self):
        return len(self.labels) * LABEL_HOP / RATE / 3600

    def draw(self, rng, seconds):
        """Parts of clips: tokens [B, T, 160], phones [B, T], inside [B, T]. Every row of a batch has room for the same length."""
        share = np.array([self.length[m].clip(max=size).sum() * (1 if size == LENGTHS[-1] else 0.6) for m, size in zip(self.members, LENGTHS)], float)
        which = rng.choice(len(LENGTHS), p=share / share.sum())
        size, members = LENGTHS[which], self.members[which]
        weight = self.weight[members] * self.length[members].clip(max=size)
        clips = rng.choice(members, max(2, int(seconds * 50 / size)), p=weight / weight.sum())
        length = np.minimum(self.length[clips], size)
        return self.take(clips, (rng.random(len(clips)) * (self.length[clips] - length + 1)).astype(np.int64), length, size)

    def take(self, clips, begin, length, size):
        """From token `begin` of each clip on, so many tokens, in rows of `size`."""
        put = lambda a: torch.as_tensor(a).to(self.device)
        at = torch.arange(size, device=self.device)
        inside = at < put(length)[:, None]
        index = torch.where(inside, put(self.start[clips] + begin)[:, None] + at, 0)
        samples = index[..., None] * LABEL_HOP + torch.arange(LABEL_HOP, device=self.device)
        waves = self.audio[samples].flatten(1).float() / 32768 * inside.repeat_interleave(LABEL_HOP, 1)
        return tokens_of(waves), torch.where(inside, self.labels[index].long(), 0), inside


def scores_of(folders, languages):
    """[(label track, text, phones, language)] of synthetic speech, every label known."""
    codes = {LANGUAGES.index(code) for code in languages}
    out = []
    for _, labels, text, phones, language, _ in rows_of(folders, SYNTHETIC):
        if language in codes and text and (labels != UNKNOWN).any():
            out.append((filled(labels), text, phones, LANGUAGES[language]))
    return out


def filled(labels):
    """A label that is not known is that of the sound before."""
    known = labels != UNKNOWN
    at = np.maximum.accumulate(np.where(known, np.arange(len(labels)), -1))
    return labels[np.where(at < 0, np.argmax(known), at)]


def stretched(labels, factor, least=2):
    """The track so many times as long, and every sound in it at least `least` tokens: those of recordings were found in steps of two."""
    cuts = np.flatnonzero(np.diff(labels)) + 1
    edges = np.concatenate([[0], cuts, [len(labels)]])
    sizes = np.maximum(np.round(np.diff(edges) * factor), least).astype(np.int64)
    return np.repeat(labels[edges[:-1]], sizes)
