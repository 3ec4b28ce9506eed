"""All speech of a run, in the memory of the device: int16 samples, phone labels and piece ids. Batches have fixed shapes.

A bucket is a number of encoder frames; every batch of a bucket has the same number of rows, so a step never meets a new shape.
"""
import glob
import itertools
import os
import time

import numpy as np
import torch

import joining
from sounds import WORD_END
from shards import LABEL_HOP, RATE, UNKNOWN

FRAME = 1280  # samples per encoder frame
BUCKETS = (42, 70, 98, 140, 196, 308)
SHORT = 2 * RATE  # samples
TAIL = 5  # frames after the last sound: the model needs some to say the last piece
KINDS = ("espeak", "kokoro", "mimic", "recorded", "words", "alone", "spliced", "english", "heard", "crowd", "sounds", "foreign")
RECORDED, ENGLISH = KINDS.index("recorded"), KINDS.index("english")
EMPTY = KINDS.index("sounds")  # from here on nothing is to be written, under whatever prompt
FOREIGN = KINDS.index("foreign")
SPELLED_ENGLISH = 0.25  # how often English words are to be written: there are only thirty, and other real speech must not be written as one of them
JOINABLE = 98  # frames of the shortest bucket in which utterances are joined
TAUGHT = 0.4  # share of a batch's rows that the teacher hears, too: recordings first


def pieces_limit(bucket):
    """The most pieces in a row of a bucket; what is denser goes to a longer one."""
    return bucket * 3 // 4 + 6


class Pool:
    def __init__(self, tokens, device, hours, kind_weights, language_weights=None, short_weight=1.0, joined=0.0, word_ends=False):
        """Shares of the time for the kinds of speech, and for the languages (by number, 1 where not named) inside a kind; `short_weight` is how many
        times as often utterances of less than two seconds are drawn, `joined` the share of the long rows that hold several utterances. `word_ends`: the phones of a batch have the ends of words, too."""
        self.tokens, self.device, self.kind_weights, self.language_weights = tokens, device, kind_weights, language_weights or {}
        self.short_weight, self.joined, self.word_ends = short_weight, joined, word_ends
        self.audio = torch.zeros(int(hours * 3600 * RATE), dtype=torch.int16, device=device)
        self.labels = torch.zeros(len(self.audio) // LABEL_HOP, dtype=torch.uint8, device=device)
        self.used, self.seen, self.rows = 0, set(), []

    def refresh(self, folders, limit=None):
        """Takes in shards that were not there before. Returns their number."""
        new = in_turn(f for folder in folders for f in glob.glob(os.path.join(folder, "*.npz")) if f not in self.seen and not f.endswith(".tmp.npz"))
        for path in new[:limit]:
            self.seen.add(path)
            self.append(path)
        if new and self.rows:
            self.index()
        return len(new[:limit])

    def speaks(self):
        """Whether there is speech with a text, from which a training can begin."""
        return any(row[5] for row in self.rows)

    def wait_for_speech(self, folders):
        """Other processes are still making it."""
        while not self.speaks():
            time.sleep(0 if self.refresh(folders) else 0.5)

    def append(self, path):
        kind = kind_of(path)
        if not self.kind_weights.get(kind):  # it is never drawn: it takes no room
            return
        shard = np.load(path)
        audio, labels = shard["audio"], shard["labels"]
        if self.used + len(audio) > len(self.audio):
            return
        self.audio[self.used:self.used + len(audio)] = torch.from_numpy(audio).to(self.device)
        at = self.used // LABEL_HOP
        self.labels[at:at + len(labels)] = torch.from_numpy(labels).to(self.device)
        for start, length, text, phones, language in zip(*(shard[k].tolist() for k in ("start", "length", "text", "phones", "language"))):
            pieces, phones = self.tokens.encode(text), [int(p) for p in phones.split() if self.word_ends or int(p) != WORD_END]
            bucket = next((i for i, b in enumerate(BUCKETS) if length / FRAME + TAIL + 1 <= b and len(pieces) <= pieces_limit(b) and len(phones) <= 1.8 * b), None)
            if bucket is not None and (pieces or KINDS.index(kind) >= EMPTY):
                self.rows.append((self.used + start, length, bucket, language, KINDS.index(kind), pieces, phones))
        self.used += len(audio)

    def index(self):
        """Weights so that each kind of speech gets its share of the time, and each language its share of a kind."""
        self.start, self.length, self.bucket, self.language, self.kind = (np.array(c) for c in list(zip(*self.rows))[:5])
        group = self.kind * 8 + self.language
        weight = np.zeros(len(self.rows))
        for kind in np.unique(self.kind):
            members = {g: self.language_weights.get(g % 8, 1.0) for g in np.unique(group[self.kind == kind]).tolist()}
            for g, share in members.items():
                here = group == g
                weight[here] = self.kind_weights.get(KINDS[kind], 0.0) * share / sum(members.values()) / self.length[here].sum()
        weight[self.length < SHORT] *= self.short_weight
        share = np.bincount(self.bucket, weight * self.length, len(BUCKETS))
        self.bucket_share = share / share.sum()
        self.members = [np.flatnonzero((self.bucket == b) & (weight > 0)) for b in range(len(BUCKETS))]
        self.member_weight = [weight[m] / weight[m].sum() if len(m) else None for m in self.members]
        self.piece_count = np.array([len(row[5]) for row in self.rows])
        sayable = (self.kind < EMPTY) & (self.kind != ENGLISH) & (weight > 0)
        self.links = {language: np.flatnonzero(sayable & (self.language == language)) for language in np.unique(self.language).tolist()}
        self.link_weight = {language: weight[m] / weight[m].sum() for language, m in self.links.items() if len(m)}

    def hours(self):
        return {KINDS[k]: round(float(self.length[self.kind == k].sum()) / RATE / 3600, 2) for k in np.unique(self.kind)}

    def draw(self, rng, seconds):
        """A batch of about `seconds` of audio. Row by row: another speed, another start, sometimes several utterances, sometimes only silence."""
        b = rng.choice(len(BUCKETS), p=self.bucket_share)
        frames = BUCKETS[b]
        rows = rng.choice(self.members[b], max(2, int(seconds * RATE / FRAME / frames)), p=self.member_weight[b])
        length = self.length[rows]
        room = (frames - TAIL) * FRAME
        speed = np.maximum(rng.uniform(0.88, 1.14, len(rows)), length / room)
        offset = np.where(rng.random(len(rows)) < 0.3, 0, rng.random(len(rows))) * np.minimum(room - length / speed, 1.5 * RATE)
        parts = self.join(rng, joining.alone(rows, speed, offset), frames)
        silent = rng.random(len(rows)) < 0.015
        # Silence after the words: mostly short, as between sentences; sometimes long, so that the model learns to write nothing into it.
        behind = np.where(rng.random(len(rows)) < 0.6, rng.integers(3, 9, len(rows)), rng.integers(9, 40, len(rows)))
        said = np.zeros(len(rows))
        np.maximum.at(said, parts.place, parts.offset + self.length[parts.row] / parts.speed)
        lasts = np.minimum(frames, np.ceil(said / FRAME) + behind).astype(np.int64)
        return self.assemble(parts, rows, frames, silent, lasts, rng)

    def join(self, rng, parts, frames):
        """Gives a share of the rows to several utterances of the row's own language."""
        rows = parts.row
        if self.joined == 0 or frames < JOINABLE:
            return parts
        language, chains = self.language[rows], {}
        for place in np.flatnonzero((rng.random(len(rows)) < self.joined) & (self.kind[rows] < EMPTY) & (self.kind[rows] != ENGLISH)).tolist():
            among = int(language[place])
            candidates = rng.choice(self.links[among], joining.MOST, p=self.link_weight[among]).tolist()
            links = joining.chain(rng, candidates, self.length, self.piece_count, (frames - TAIL) * FRAME, pieces_limit(frames))
            if links:
                chains[place] = links
        return joining.join(parts, chains)

    def assemble(self, parts, rows, frames, silent, lasts, rng):
        put = lambda a, t=torch.long: torch.as_tensor(a, dtype=t).to(self.device, non_blocking=True)
        pieces, phones = self.texts(parts, silent)
        language, own = self.language[rows], np.ones(len(rows), bool)
        borrowed = (language > 1) & (rng.random(len(rows)) < 0.5)  # real speech of a neighbour, heard under our own prompts: phones only
        own[borrowed | ((self.kind[rows] == ENGLISH) & (rng.random(len(rows)) >= SPELLED_ENGLISH))] = False
        anyone = borrowed | (self.kind[rows] >= EMPTY)
        prompt = np.where(anyone, rng.integers(0, 2, len(rows)), language)
        phones_known = silent | (self.kind[rows] != FOREIGN)  # it does have phones, but they are not known
        start, length, place = put(self.start[parts.row]), put(self.length[parts.row]), put(parts.place)
        speed, offset, gain = put(parts.speed, torch.float64), put(parts.offset, torch.float64), put(parts.gain * ~silent[parts.place], torch.float32)
        wave = self.waves(start, length, speed, offset, gain, frames)
        labels = self.frame_labels(start, length, speed, offset, put(silent[parts.place], torch.bool), frames)
        if len(parts.row) > len(rows):  # the utterances of a row do not overlap: their sum is one after the other
            wave = wave.new_zeros(len(rows), wave.shape[1]).index_add_(0, place, wave)
            labels = labels.new_zeros(len(rows), *labels.shape[1:]).index_add_(0, place, labels)
        real = (self.kind[rows] >= RECORDED) & (self.kind[rows] < EMPTY)
        taught = np.argsort(rng.random(len(rows)) - real)[:max(1, int(TAUGHT * len(rows)))]
        return {"wave": wave, "taught": put(taught), "labels": labels, "prompt": put(prompt), "own": put(own, torch.float32),
                "phones_known": put(phones_known, torch.float32), "frames": put(lasts), "frames_cpu": torch.as_tensor(lasts),
                "pieces": put(pad(pieces, -(-max(1, max(map(len, pieces))) // 8) * 8)), "pieces_len": put([len(p) for p in pieces]), "pieces_len_cpu": torch.tensor([len(p) for p in pieces]),
                "phones": put(pad(phones, None)), "phones_len_cpu": torch.tensor([len(p) for p in phones])}

    def texts(self, parts, silent):
        """Pieces and phones of each row of the batch."""
        pieces, phones = [[] for _ in silent], [[] for _ in silent]
        for row, place in zip(parts.row.tolist(), parts.place.tolist()):
            if not silent[place]:
                pieces[place] += self.rows[row][5]
                phones[place] += self.rows[row][6]
        return pieces, phones

    def waves(self, start, length, speed, offset, loud, frames):
        """[B, frames * 1280]: linear interpolation at the new speed."""
        at = (torch.arange(frames * FRAME, device=self.device)[None] - offset[:, None]) * speed[:, None]
        whole = at.floor()
        part = (at - whole).float()
        index = whole.long()
        inside = (index >= 0) & (index + 1 < length[:, None])
        index = torch.where(inside, index + start[:, None], 0)
        wave = torch.lerp(self.audio[index].float(), self.audio[index + 1].float(), part) / 32768
        return wave * inside * loud[:, None]

    def frame_labels(self, start, length, speed, offset, silent, frames):
        """[B, frames, 2]: the phone 20 ms before and 20 ms after the middle of every encoder frame, which is at 1280 i - 40."""
        at = torch.arange(frames, device=self.device)[:, None] * FRAME - 40 + torch.tensor([-320, 320], device=self.device)
        at = ((at[None] - offset[:, None, None]) * speed[:, None, None]).long()
        inside = (at >= 0) & (at < length[:, None, None])
        label = self.labels[torch.where(inside, at + start[:, None, None], 0) // LABEL_HOP].long()
        label = torch.where(inside & ~silent[:, None, None], label, 0)
        return torch.where(label == UNKNOWN, -100, label)


def kind_of(path):
    return os.path.basename(path).split("-")[0]


def in_turn(paths):
    """One of each kind after the other: where the synthesis writes faster than we read, the rarer kinds must not come last."""
    kinds = [list(of_kind) for _, of_kind in itertools.groupby(sorted(paths, key=lambda path: (kind_of(path), path)), kind_of)]
    return [path for row in itertools.zip_longest(*kinds) for path in row if path]


def pad(lists, width):
    width = width or max(1, max(map(len, lists)))
    out = np.zeros((len(lists), width), np.int64)
    for row, items in zip(out, lists):
        row[:len(items)] = items
    return out
