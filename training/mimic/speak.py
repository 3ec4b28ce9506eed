"""Shards of our sentences in the voices of strangers: somebody's clip, a short pause, and then the sounds of a synthetic utterance, at the pace of people."""
import time

import numpy as np
import torch

import real_voices
from evaluate import Clip, distance
from mimic import network
from mimic.examples import LENGTHS, stretched
from mimic.sound import waves_of
from shards import LABEL_HOP, RATE, ShardWriter, to_int16
from sounds import LABEL, WORD_END

BEFORE = (60, 200)  # tokens of somebody's clip that are heard first
PAUSE = (5, 15)
PACE = (1.0, 1.6)  # synthetic voices say 12 phones a second, people 8 to 10
STEPS = 16
GUIDANCE = 3.0  # without any, our recogniser heard 71 % of the phones wrong; with 0.7, 1.5 and 3: 54, 45 and 38 %
MOST_WRONG = 0.4  # of the phones
SILENT = LABEL["sil"]


def one(rng, strangers, score, prompts):
    """(clip, its first token, its length, the track to be said, the pause), or nothing where both together are too long."""
    track = stretched(score[0], rng.uniform(*PACE))
    clip = int(rng.choice(prompts))
    length = min(int(rng.integers(*BEFORE)), int(strangers.length[clip]))
    pause = int(rng.integers(*PAUSE))
    if length + pause + len(track) > LENGTHS[-1]:
        return None
    return clip, int(rng.integers(strangers.length[clip] - length + 1)), length, track, pause


def batches(rng, strangers, scores, tokens):
    """Without end: rows of a similar length, so that little is padded, together about so many tokens."""
    weight = strangers.weight / strangers.weight.sum()
    while True:
        drawn = []
        prompts = rng.choice(len(weight), 4096, p=weight)
        while len(drawn) < 1024:
            score = scores[int(rng.integers(len(scores)))]
            row = one(rng, strangers, score, prompts)
            if row:
                drawn.append((*row, score))
        drawn.sort(key=lambda row: row[2] + row[4] + len(row[3]))
        parts, at = [], 0
        while at < len(drawn):
            size = sum(map(int, (drawn[at][2], drawn[at][4], len(drawn[at][3]))))
            count = max(1, tokens // max(size, 1))
            parts.append(drawn[at:at + count])
            at += count
        rng.shuffle(parts)
        yield from parts


def say(net, strangers, rows, steps=STEPS, guidance=GUIDANCE):
    """[int16 wave] of what was asked for, without what was heard before."""
    size = -(-max(length + pause + len(track) for _, _, length, track, pause, _ in rows) // 50) * 50
    clips, begin, length = (np.array([row[i] for row in rows]) for i in range(3))
    known, phones, inside = strangers.take(clips, begin, length, size)
    hidden = torch.zeros_like(inside)
    for k, (_, _, heard, track, pause, _) in enumerate(rows):
        end = heard + pause + len(track)
        phones[k, heard:heard + pause] = SILENT
        phones[k, heard + pause:end] = torch.from_numpy(track.astype(np.int64)).to(phones.device)
        hidden[k, heard:end] = True
        inside[k, heard:end] = True
    known = torch.where(hidden[..., None], 0.0, known)
    with torch.no_grad(), torch.autocast(known.device.type, torch.bfloat16, enabled=known.is_cuda):
        tokens = network.complete(net, known, hidden, phones, inside, steps, guidance)
    waves = waves_of(tokens).cpu().numpy()
    return [wave[(heard + pause) * LABEL_HOP:(heard + pause + len(track)) * LABEL_HOP] for wave, (_, _, heard, track, pause, _) in zip(waves, rows)]


def wrong_phones(recogniser, waves, rows, device):
    """For each utterance the share of its phones that a recogniser of ours does not hear in it."""
    asked = [[p for p in map(int, score[2].split()) if p != WORD_END] for *_, score in rows]
    heard = real_voices.phones_heard(recogniser, [Clip(wave, "", score[3], "") for wave, (*_, score) in zip(waves, rows)], device)
    return [distance(a, b) / max(1, len(a)) for a, b in zip(asked, heard)]


def speak(net, strangers, scores, out, name, seconds, tokens, seed, guidance=GUIDANCE, limit=None, recogniser=None, shard_seconds=300):
    """Writes shards until the time is up, or until there are so many utterances. Those in which a recogniser hears something else are left out."""
    rng, writer = np.random.default_rng(seed), ShardWriter(out, name, shard_seconds)
    torch.manual_seed(seed)
    began, said, wrong = time.time(), 0.0, []
    for rows in batches(rng, strangers, scores, tokens):
        waves = [to_int16(wave, rng.uniform(0.3, 0.9)) for wave in say(net, strangers, rows, guidance=guidance)]
        errors = wrong_phones(recogniser, waves, rows, strangers.device) if recogniser else [0.0] * len(rows)
        for wave, (clip, _, _, track, _, (_, text, phones, language)), error in zip(waves, rows, errors):
            if error <= MOST_WRONG:
                writer.add(wave, track, text, phones.split(), language, "mimic:" + strangers.voices[clip])
                said += len(wave) / RATE
        wrong += errors
        if time.time() - began > seconds or (limit and len(wrong) >= limit):
            break
    writer.flush()
    left_out = sum(error > MOST_WRONG for error in wrong)
    print(f"{len(wrong)} utterances, {left_out} left out, {said / 3600:.2f} h, {said / (time.time() - began):.0f} x real time, {100 * np.mean(wrong):.1f} % of the phones wrong", flush=True)
