"""Every utterance is heard twice in a batch, in two rooms, noises and vocal tracts, with other parts hidden; what is written for the one should be what is written for the other.
No text is needed for that, so it also teaches what speech without a text has in common (after CR-CTC, https://arxiv.org/abs/2410.05101)."""
import torch

ONCE = ("taught",)  # rows of the batch that are named by their number


def twice(batch):
    """The rows of a batch, and behind them the same rows again."""
    return {name: rows if name in ONCE else torch.cat([rows, rows]) for name, rows in batch.items()}


def disagreement(logits, frames, said):
    """How far the two halves are from each other in what they hold for likely (KL divergence, each way to a half that is not moved by it): the sum over the frames [B] that count, for each of `said` labels."""
    first, second = logits.float().log_softmax(-1).chunk(2)
    inside = torch.arange(logits.shape[1], device=logits.device)[None] < frames[:len(first), None]
    each = divergence(first, second.detach()) + divergence(second, first.detach())
    return 0.5 * (each * inside).sum() / max(1, said)


def divergence(learner, teacher):
    return (teacher.exp() * (teacher - learner)).sum(-1)
