"""Several utterances in one row of a batch."""
import numpy as np
import pytest
import torch

import joining
import tokens
from pool import FRAME, Pool
from shards import RATE, ShardWriter

SPOKEN = {"dala": 3, "gi": 4}  # what is said, and its phone


@pytest.fixture
def pool(tmp_path):
    """Long utterances that fill a row, and short ones that several fit in."""
    writer = ShardWriter(str(tmp_path), "kokoro-1")
    for text, seconds, count in (("dala", 7.0, 10), ("gi", 1.6, 40)):
        for _ in range(count):
            wave = np.full(int(seconds * RATE), 8000, np.int16)
            writer.add(wave, np.full(len(wave) // 320, SPOKEN[text], np.uint8), text, [SPOKEN[text]], "luo", "v")
    writer.flush()
    made = Pool(tokens.train({"dala": 3, "gi": 2}, 20), "cpu", 0.1, {"kokoro": 1.0}, joined=0.5)
    made.refresh([str(tmp_path)])
    return made


def joined_rows(pool, draws=12):
    """Rows with more than one utterance, from some batches."""
    rng, one = np.random.default_rng(1), len(pool.tokens.encode("dala"))
    for _ in range(draws):
        batch = pool.draw(rng, 300)
        for row in range(len(batch["wave"])):
            pieces = batch["pieces"][row, :batch["pieces_len"][row]].tolist()
            if len(pieces) > one and pieces != pool.tokens.encode("dala"):
                yield batch, row, pool.tokens.decode(pieces)


def test_a_row_holds_utterances_in_the_order_of_their_text(pool):
    found = list(joined_rows(pool))
    assert len(found) > 5
    for batch, row, text in found:
        labels = batch["labels"][row, :, 0]
        heard = [int(a) for a, b in zip(labels, torch.cat([labels[1:], labels.new_zeros(1)])) if a != b and a != 0]
        assert heard == [SPOKEN[word] for word in text.split()] and 2 <= len(heard) <= joining.MOST


def test_there_is_silence_between_them_and_they_differ_in_level(pool):
    levels = set()
    for batch, row, text in joined_rows(pool):
        wave = batch["wave"][row]
        ends = batch["frames"][row] * FRAME
        assert wave[ends:].abs().max() == 0 if ends < len(wave) else True
        edges = int(((wave[1:] == 0) != (wave[:-1] == 0)).sum())
        assert edges >= 2 * len(text.split()) - 1
        levels.add(round(float(wave.abs().max()), 3))
    assert len(levels) > 3


def test_nothing_is_joined_where_not_even_two_fit():
    rng = np.random.default_rng(0)
    lengths, pieces = np.array([5 * RATE, 5 * RATE]), np.array([10, 10])
    assert joining.chain(rng, [0, 1], lengths, pieces, 7 * RATE, 40) == []
    assert joining.chain(rng, [0, 1], lengths, pieces, 20 * RATE, 15) == []
    assert [link[0] for link in joining.chain(rng, [0, 1], lengths, pieces, 20 * RATE, 40)] == [0, 1]


def test_without_a_share_every_row_is_one_utterance(pool):
    pool.joined = 0.0
    assert list(joined_rows(pool)) == []
    batch = pool.draw(np.random.default_rng(3), 300)
    assert (batch["frames"] <= batch["wave"].shape[1] // FRAME).all()
