"""Where each phone of a recording is, by the current model: its phone labels every 40 ms, and the best path through the phones of the text.

Gives recorded speech the frame labels that synthetic speech has from the start, and the times of its words, so that single words can be cut out.
"""
import numpy as np
import torch

import features

STEP = 640  # samples per label: 40 ms
SKIP = -4.0  # log-probability of a phone that is too short to be seen
SURE = -1.6  # mean log-probability per step below which a path is rejected


@torch.no_grad()
def label_scores(model, waves, device):
    """[float wave] -> for each [steps, phones] log-probabilities of the labels."""
    filters = features.mel_filters(model.c.mel).to(device)
    frames = [-(-len(w) // 1280) for w in waves]
    batch = torch.zeros(len(waves), (max(frames) + 1) * 1280)
    for row, wave in zip(batch, waves):
        row[:len(wave)] = torch.from_numpy(wave)
    prompt = torch.zeros(len(waves), dtype=torch.long, device=device)
    _, middle = model.encoder(features.log_mel(batch.to(device), filters), prompt, 13)
    scores = model.phones_mid(model.norm_mid(middle)).float().unflatten(2, (2, -1)).log_softmax(-1).flatten(1, 2)
    return [s[:2 * n].cpu().numpy() for s, n in zip(scores, frames)]


def states_of(words):
    """Phones of the words with a silence that may be left out before, between and after them: (label, word) for each state."""
    out = [(0, -1)]
    for k, word in enumerate(words):
        out += [(p, k) for p in word] + [(0, -1)]
    return out


def best_path(scores, states):
    """The state of every step, and the mean log-probability of the path."""
    labels = np.array([label for label, _ in states])
    optional = labels == 0
    cost = np.where(optional, 0.0, SKIP)
    lead = np.full(len(states), -np.inf)
    lead[0] = 0.0
    lead[1] = 0.0
    total, back = lead + scores[0, labels], []
    for row in scores[1:]:
        stay, step = total, np.concatenate([[-np.inf], total[:-1]])
        jump = np.concatenate([[-np.inf, -np.inf], total[:-2] + cost[1:-1]])
        choice = np.argmax([stay, step, jump], 0)
        total = np.choose(choice, [stay, step, jump]) + row[labels]
        back.append(choice)
    at = len(states) - 1 if total[-1] >= total[-2] else len(states) - 2
    score, path = total[at] / len(scores), [at]
    for choice in reversed(back):
        at -= int(choice[at])
        path.append(at)
    return path[::-1], float(score)


def align(scores, words):
    """Labels every 20 ms and [(start, end)] of the words in samples, or None where the sound does not fit the text."""
    states = states_of(words)
    if len(states) > 1.6 * len(scores):
        return None
    path, score = best_path(scores, states)
    if score < SURE:
        return None
    labels = np.repeat([states[s][0] for s in path], 2).astype(np.uint8)
    spans = []
    for k in range(len(words)):
        steps = [t for t, s in enumerate(path) if states[s][1] == k]
        spans.append((steps[0] * STEP, (steps[-1] + 1) * STEP) if steps else None)
    return labels, spans
