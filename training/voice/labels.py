"""Where somebody speaks in a clean recording, by its level, as in bench/src/endpointing/truth.ts; and what each frame of a stream is."""
import numpy as np

from .network import FRAME

HOP = 160  # samples: 10 ms
SILENCE, SPEECH, NEITHER = 0, 1, 2
BELOW_LOUD, ABOVE_QUIET, CLEAN = 26, 12, 30  # dB
CLICK, WORD_GAP, PAUSE = 12, 10, 30  # hops: shorter is no speech; up to this belongs to the word; from this on it is a pause

FAR, VOICE, UNSURE, TAIL = 0, 1, 2, 3  # of a frame
IN_SPEECH = 8  # is added to it where no pause is
TAIL_FRAMES = 5


def runs(mask):
    """[(start, end)] of what is true."""
    edges = np.diff(np.concatenate([[0], mask.astype(np.int8), [0]]))
    return list(zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)))


def label(samples, strict=False):
    """int16 -> (samples from the first speech to the last, a label per hop), or None where the level does not tell where somebody speaks.
    strict: recordings of people's own microphones, whose background may be louder than their quietest part says."""
    level = 10 * np.log10((samples[:len(samples) // HOP * HOP].reshape(-1, HOP).astype(np.float32) ** 2).mean(1) + 1)
    if len(level) < PAUSE:
        return None
    quiet, loud = (np.sort(level)[int(part * len(level))] for part in (0.05, 0.95))
    floor = max(loud - BELOW_LOUD, quiet + ABOVE_QUIET)
    is_loud = level > floor
    spans = joined([(a, b) for a, b in runs(is_loud) if b - a >= CLICK])
    if loud - quiet < CLEAN or not spans:
        return None
    labels = np.where(is_loud, NEITHER, SILENCE).astype(np.int8)  # a click outside of speech is neither
    for a, b in spans:
        labels[a:b] = SPEECH
        for c, d in runs(~is_loud[a:b]):
            if d - c > WORD_GAP:
                labels[a + c:a + d] = NEITHER
    if strict and not is_plain(level, labels, floor):
        return None
    start, end = spans[0][0], spans[-1][1]
    return samples[start * HOP:end * HOP], labels[start:end]


def joined(spans):
    """Speech without a pause in between is one."""
    out = []
    for a, b in spans:
        if out and a - out[-1][1] < PAUSE:
            out[-1] = (out[-1][0], b)
        else:
            out.append((a, b))
    return out


def is_plain(level, labels, floor):
    """Whether the background is well below the speech. A clip that begins with digital silence looks clean by its quietest part, and may not be."""
    heard = level > 10
    share = (heard & (labels != SILENCE)).sum() / max(1, heard.sum())
    near = np.convolve(labels != SILENCE, np.ones(11), "same") > 0
    around = level[heard & ~near]
    if len(around) < 8:
        return share < 0.93 or len(level) < 250
    return share < 0.97 and np.median(around) < floor - 4


def frame_codes(labels, frames):
    """FAR: silence; TAIL: silence within 160 ms after speech; VOICE; UNSURE: neither."""
    inside = labels[np.minimum((np.arange(frames) * FRAME / HOP).astype(int)[:, None] + np.arange(3), len(labels) - 1)]
    spoken = (inside == SPEECH).sum(1)
    code = np.where(spoken >= 2, VOICE, np.where((inside == NEITHER).any(1) | (spoken == 1), UNSURE, FAR))
    last_spoken = np.maximum.accumulate(np.where(spoken > 0, np.arange(frames), -frames))
    code[(code == FAR) & (np.arange(frames) - last_spoken <= TAIL_FRAMES)] = TAIL
    return (code + IN_SPEECH * (inside != SILENCE).all(1)).astype(np.uint8)
