"""The language model: probabilities that sum to one, a file that says the same, and a search that uses it."""
import numpy as np
import pytest

import beam
import language_model

PIECES = 6
SENTENCES = [[0, 1, 2], [0, 1, 2], [0, 1, 2], [3, 1, 4], [3, 1, 4], [3, 1, 4], [0, 1, 5]]


@pytest.fixture
def model():
    return language_model.learn(SENTENCES, PIECES)


def after(model, *pieces):
    context = model.start
    for piece in pieces:
        context = model.step(context, piece)
    return context


@pytest.mark.parametrize("said", [(), (0,), (0, 1), (3, 1), (5, 5, 5), (2, 2, 0, 1)])
def test_probabilities_sum_to_one(model, said):
    assert np.exp(model.vectors(after(model, *said))[0]).sum() == pytest.approx(1, abs=1e-6)


def test_longer_contexts_decide(model):
    assert model.vectors(after(model, 0, 1))[0].argmax() == 2
    assert model.vectors(after(model, 3, 1))[0].argmax() == 4


def test_a_file_says_the_same(model, tmp_path):
    path = tmp_path / "model.bin"
    language_model.save(model, path)
    again = language_model.load(path)
    for said in [(), (0,), (0, 1), (3, 1), (4, 4)]:
        np.testing.assert_allclose(again.gains(after(again, *said)), model.gains(after(model, *said)), atol=0.5 / language_model.STEPS)


def test_the_search_takes_the_likelier_spelling(model):
    """Frames say 3, then 1, then 2 and 4 nearly alike; the text knows 3 1 4."""
    sounds = [{3: 6.0}, {1: 6.0}, {2: 2.0, 4: 1.9}]

    def join(frame, predictions):
        rows = np.full((len(predictions), PIECES + 1), -6.0)
        for row, said in zip(rows, predictions):
            row[PIECES] = 6.0
            if len(said) == frame + 1:  # the blank stands at the beginning
                row[PIECES] = -6.0
                for piece, score in sounds[frame].items():
                    row[piece] = score
        return rows
    search = beam.Beam(model, lambda piece, before: [*(before or []), piece], join, PIECES)
    assert search.decode(len(sounds)) == [3, 1, 4]


@pytest.mark.parametrize("times, written", [(5, [3]), (100, [])])
def test_rather_than_nothing_a_word_is_written_that_is_not_much_less_likely(times, written):
    """One frame in which silence is so many times as likely as piece 3, and two of silence."""
    def join(frame, predictions):
        rows = np.full((len(predictions), PIECES + 1), -40.0)
        for row, said in zip(rows, predictions):
            row[PIECES] = 0.0
            if frame == 0 and len(said) == 1:  # the blank stands at the beginning
                row[3] = -np.log(times)
        return rows
    search = beam.Beam(Silent(), lambda piece, before: [*(before or []), piece], join, PIECES)
    assert search.decode(3) == written


class Silent:
    """A language model without an opinion."""
    start = ()

    def gains(self, context):
        return np.zeros(PIECES)

    def step(self, context, piece):
        return ()
