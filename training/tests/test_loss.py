"""The transducer loss against the sum over all paths, written out."""
import itertools

import torch

from loss import Transducer, skew, unskew

torch.manual_seed(0)


def brute_force(blank, label, frames, pieces):
    """Every order of `frames` blanks and `pieces` pieces that ends in a blank."""
    paths = []
    for said in itertools.combinations(range(frames - 1 + pieces), pieces):
        t = u = 0
        total = torch.zeros((), dtype=blank.dtype)
        for step in range(frames - 1 + pieces):
            if step in said:
                total, u = total + label[t, u], u + 1
            else:
                total, t = total + blank[t, u], t + 1
        paths.append(total + blank[t, u])
    return -torch.logsumexp(torch.stack(paths), 0)


def test_loss_and_gradient_equal_the_sum_over_paths():
    lengths = [(5, 3), (4, 0), (2, 2), (1, 1)]
    blank = -torch.rand(4, 5, 4, dtype=torch.float64) * 3
    label = -torch.rand(4, 5, 4, dtype=torch.float64) * 3
    blank.requires_grad_(), label.requires_grad_()
    frames, pieces = (torch.tensor(v) for v in zip(*lengths))
    ours = Transducer.apply(blank, label, frames, pieces)
    expected = torch.stack([brute_force(blank[i], label[i], *lengths[i]) for i in range(4)])
    torch.testing.assert_close(ours.double(), expected, rtol=1e-5, atol=1e-5)
    weights = torch.tensor([1.0, 0.5, 2.0, 1.0], dtype=torch.float64)
    wanted = torch.autograd.grad((expected * weights).sum(), (blank, label), retain_graph=True)
    got = torch.autograd.grad((ours.double() * weights).sum(), (blank, label))
    for a, b in zip(got, wanted):
        torch.testing.assert_close(a.double(), b, rtol=1e-4, atol=1e-5)


def test_skew_can_be_undone():
    x = torch.randn(2, 5, 3)
    assert torch.equal(unskew(skew(x), 5), x)
