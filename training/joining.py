"""Rows of a batch that hold several utterances, each followed by a pause, as people speak: other voices, other levels. A model that only heard
one sentence at a time writes small words into the pauses between two.
"""
from dataclasses import dataclass

import numpy as np

from shards import RATE

MOST = 4  # utterances in a row
LOUDEST_DB = 6.0


@dataclass
class Parts:
    """What is heard where: one entry for each utterance of a batch."""
    row: np.ndarray  # of the pool
    place: np.ndarray  # row of the batch
    speed: np.ndarray
    offset: np.ndarray  # samples from the beginning of the batch's row
    gain: np.ndarray


def alone(rows, speed, offset):
    return Parts(rows, np.arange(len(rows)), speed, offset, np.ones(len(rows)))


def pauses(rng, count):
    """Samples: mostly as short as between two sentences, sometimes long enough to think."""
    return np.where(rng.random(count) < 0.75, rng.uniform(0.1, 0.5, count), rng.uniform(0.5, 2.0, count)) * RATE


def chain(rng, candidates, lengths, piece_counts, room, most_pieces):
    """As many of the candidates, one after the other, as there is room for: [(index, speed, offset, gain)], or nothing where not even two fit."""
    chained, at, pieces = [], float(rng.uniform(0, 0.5) * RATE), 0
    for index, pause in zip(candidates, pauses(rng, len(candidates))):
        speed = float(rng.uniform(0.9, 1.12))
        end, pieces = at + lengths[index] / speed, pieces + piece_counts[index]
        if end > room or pieces > most_pieces:
            break
        chained.append((index, speed, at, 10 ** (float(rng.uniform(-LOUDEST_DB, LOUDEST_DB)) / 20)))
        at = end + pause
    return chained if len(chained) > 1 else []


def join(parts, chains):
    """`parts` with each place of `chains` ({place: chain}) given to its utterances instead."""
    kept = ~np.isin(parts.place, list(chains))
    new = [(index, place, speed, offset, gain) for place, links in chains.items() for index, speed, offset, gain in links]
    if not new:
        return parts
    columns = [np.array(c) for c in zip(*new)]
    joined = Parts(*(np.concatenate([old[kept], c]) for old, c in zip((parts.row, parts.place, parts.speed, parts.offset, parts.gain), columns)))
    order = np.lexsort((joined.offset, joined.place))
    return Parts(*(c[order] for c in (joined.row, joined.place, joined.speed, joined.offset, joined.gain)))
