"""The language model: probabilities that sum to one, a file that says the same, and a search that uses it."""
import os

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
    assert np.exp(model.likely(after(model, *said))).sum() == pytest.approx(1, abs=1e-6)


def test_longer_contexts_decide(model):
    assert model.likely(after(model, 0, 1)).argmax() == 2
    assert model.likely(after(model, 3, 1)).argmax() == 4


def test_a_file_says_the_same(model, tmp_path):
    path = tmp_path / "model.bin"
    language_model.save(model, path)
    again = language_model.load(path)
    for said in [(), (0,), (0, 1), (3, 1), (4, 4)]:
        np.testing.assert_allclose(again.likely(after(again, *said)), model.likely(after(model, *said)), atol=0.5 / language_model.STEPS)


def test_a_mixture_is_the_mean_of_both_models(model):
    other = language_model.learn([[4, 1, 5]] * 4 + [[0, 1, 3]] * 4, PIECES)
    mixture = language_model.mixed(model, other)
    for level in mixture.levels:
        for context, (seen, _) in level.items():
            likely = np.exp(mixture.likely(context))
            assert likely.sum() == pytest.approx(1, abs=1e-6)
            np.testing.assert_allclose(likely[list(seen)], (np.exp(model.likely(context)) + np.exp(other.likely(context)))[list(seen)] / 2)


def test_a_large_source_does_not_drown_the_others():
    few, many = [("prompts", [0, 1, 2])] * 4, [("book", [0, 1, 4])] * 40
    drowned = language_model.learn_sources(few + many, PIECES, 3, [])
    heard = language_model.learn_sources(few + many, PIECES, 3, ["book"])
    assert np.exp(drowned.likely(after(drowned, 0, 1)))[2] < 0.15
    assert np.exp(heard.likely(after(heard, 0, 1)))[2] > 0.4


def test_a_large_source_that_the_text_does_not_have_is_refused(tmp_path, monkeypatch, capsys):
    (tmp_path / "manifest.json").write_text('{"language_code": "ki"}')
    (tmp_path / "text.tsv").write_text("prompts\tthutha wa mbeca\n")
    pieces = os.path.join(os.path.dirname(language_model.__file__), "checkpoints", "tokens.json")
    monkeypatch.setattr("sys.argv", ["language_model.py", "--text", str(tmp_path / "text.tsv"), "--tokens", pieces, "--package", str(tmp_path), "--large", "bibel"])
    with pytest.raises(SystemExit):
        language_model.main()
    assert "--large bibel" in capsys.readouterr().err


def test_the_search_takes_the_likelier_spelling(model):
    """Frames say 3, then 1, then 2 and 4 nearly alike; the text knows 3 1 4."""
    sounds = [{3: 6.0}, {1: 6.0}, {2: 2.0, 4: 1.9}]

    def join(frame, predictions):
        rows = np.full((len(predictions), PIECES + 1), -6.0)
        for row, said in zip(rows, predictions):
            row[PIECES] = 6.0
            if frame != beam.SILENCE and len(said) == frame + 1:  # the blank stands at the beginning
                row[PIECES] = -6.0
                for piece, score in sounds[frame].items():
                    row[piece] = score
        return rows
    search = beam.Beam(model, lambda piece, before: [*(before or []), piece], join, PIECES)
    assert search.decode(len(sounds)) == [3, 1, 4]


def test_the_search_takes_off_what_the_network_expects_anyway(model):
    """After 3 1 the network expects 4 whatever it hears; the sound says 2 nearly as clearly."""
    def join(frame, predictions):
        rows = np.full((len(predictions), PIECES + 1), -12.0)
        for row, said in zip(rows, predictions):
            row[PIECES] = 6.0
            if frame == beam.SILENCE:
                row[4] = 0.0
            elif len(said) == frame + 1:
                row[PIECES] = -12.0
                row[[3, 1, 4][frame]] = 6.0
                if frame == 2:
                    row[2] = 4.0
        return rows
    search = beam.Beam(Silent(network=0.3), lambda piece, before: [*(before or []), piece], join, PIECES)
    assert search.decode(3) == [3, 1, 2]
    search = beam.Beam(Silent(), lambda piece, before: [*(before or []), piece], join, PIECES)
    assert search.decode(3) == [3, 1, 4]


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

    def __init__(self, network=0.0):
        self.network = network

    def gains(self, context, expected):
        return -self.network * expected

    def step(self, context, piece):
        return ()
