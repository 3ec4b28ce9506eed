"""Utterances that are heard twice in a batch: the same rows twice, and a loss that is nothing where the two agree."""
import torch

import consistency


def batch_of(rows, frames=6):
    return {"wave": torch.randn(rows, frames * 1280), "taught": torch.arange(1), "frames": torch.arange(1, rows + 1), "pieces_len_cpu": torch.ones(rows, dtype=torch.long)}


def test_the_second_half_of_a_batch_is_its_first():
    batch = batch_of(3)
    doubled = consistency.twice(batch)
    assert torch.equal(doubled["wave"][:3], doubled["wave"][3:]) and doubled["frames"].tolist() == [1, 2, 3, 1, 2, 3]
    assert torch.equal(doubled["taught"], batch["taught"])


def test_halves_that_agree_cost_nothing():
    half = torch.randn(2, 5, 7)
    assert consistency.disagreement(torch.cat([half, half]), torch.tensor([5, 4, 5, 4]), 3).abs() < 1e-6
    assert consistency.disagreement(torch.cat([half, half.flip(2)]), torch.tensor([5, 4, 5, 4]), 3) > 0.1


def test_frames_behind_the_end_do_not_count():
    logits = torch.randn(4, 5, 7)
    changed = logits.clone()
    changed[:, 3:] = torch.randn(4, 2, 7)
    frames = torch.tensor([3, 2, 3, 2])
    assert torch.equal(consistency.disagreement(logits, frames, 3), consistency.disagreement(changed, frames, 3))


def test_each_half_moves_towards_the_other():
    logits = torch.randn(2, 4, 5, requires_grad=True)
    frames = torch.tensor([4, 4])
    before = consistency.disagreement(logits, frames, 1)
    before.backward()
    assert logits.grad[0].abs().sum() > 0 and logits.grad[1].abs().sum() > 0
    assert consistency.disagreement(logits - 0.1 * logits.grad, frames, 1) < before
