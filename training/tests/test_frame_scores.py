"""What is said in frames is as likely as all ways together to say it, and a search that asks the frames, too, hears what the transducer alone would miss."""
import itertools

import numpy as np

import beam
from frame_scores import SaidInFrames

BLANK = 2


def every_way(scores, pieces):
    """The sum over every way to give each frame a symbol that says these pieces."""
    said = lambda path: [s for i, s in enumerate(path) if s != BLANK and (i == 0 or path[i - 1] != s)]
    paths = itertools.product(range(BLANK + 1), repeat=len(scores))
    return np.log(sum(np.exp(sum(row[s] for row, s in zip(scores, path))) for path in paths if said(path) == pieces))


def test_all_ways_count():
    rng = np.random.default_rng(0)
    for said in ([], [(0, 0)], [(0, 1), (1, 2)], [(1, 0), (1, 3)], [(0, 2), (1, 2)]):
        scores = np.log(rng.dirichlet(np.ones(BLANK + 1), 5))
        sequence = SaidInFrames(scores)
        for piece, frame in said:
            sequence = sequence.say(piece, frame)
        assert np.isclose(sequence.likelihood(4), every_way(scores, [piece for piece, _ in said]))


class Nothing:
    """A language model that knows nothing."""
    start = ()

    def step(self, context, piece):
        return ()

    def gains(self, context, expected):
        return np.zeros(BLANK)


def search(alone):
    """The transducer slightly prefers silence to piece 0 at the second of four frames."""
    def join(frame, predictions):
        rows = [[0.0 if frame == 1 and said == 0 else -9.0, -9.0, 0.5] for said in predictions]
        return np.array(rows)
    return beam.Beam(Nothing(), lambda piece, before: 0 if before is None else before + 1, join, BLANK, alone).decode(4)


def test_the_frames_by_themselves_decide_where_the_transducer_doubts():
    heard = np.log(np.array([[0.05, 0.05, 0.9], [0.9, 0.05, 0.05], [0.05, 0.05, 0.9], [0.05, 0.05, 0.9]]))
    silent = np.log(np.array([[0.01, 0.01, 0.98]] * 4))
    assert search(heard) == [0]
    assert beam.Beam(Nothing(), lambda piece, before: 0, lambda frame, predictions: np.array([[-9.0, -9.0, 0.5]] * len(predictions)), BLANK, silent).decode(4) == []
