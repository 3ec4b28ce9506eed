"""The transducer loss, from two numbers per lattice cell: the log-probability of the blank and of the next piece. By hand, because
torchaudio's loss wants the scores of all pieces in every cell, which takes many times the memory.

Cells are held skewed, [B, diagonal, u], so that a whole anti-diagonal is one vector: a Triton kernel walks it on a GPU (one program
per utterance), a loop of torch operations elsewhere. The gradient is written out from the forward and backward variables.
"""
import torch
import torch.nn.functional as F

try:
    import loss_kernel
except ImportError:  # no Triton: the loop below is used
    loss_kernel = None

NEVER = -1e30


def skew(x):
    """[B, T, U] -> [B, T + U - 1, U] with out[b, t + u, u] = x[b, t, u], NEVER elsewhere."""
    batch, frames, width = x.shape
    x = F.pad(x.transpose(1, 2), (0, width), value=NEVER).reshape(batch, -1)
    return x[:, :width * (frames + width - 1)].view(batch, width, -1).transpose(1, 2).contiguous()


def unskew(x, frames):
    batch, _, width = x.shape
    x = F.pad(x.transpose(1, 2).reshape(batch, -1), (0, width))
    return x.view(batch, width, -1)[:, :, :frames].transpose(1, 2)


def walk_forward(blank, label):
    batch, diagonals, width = blank.shape
    alpha = torch.full_like(blank, NEVER)
    alpha[:, 0, 0] = 0
    for d in range(1, diagonals):
        before = alpha[:, d - 1]
        move = F.pad((before + label[:, d - 1])[:, :-1], (1, 0), value=NEVER)
        alpha[:, d] = torch.logaddexp(before + blank[:, d - 1], move).clamp(min=NEVER)
    return alpha


def walk_backward(blank, label, last_frame, last_piece):
    batch, diagonals, width = blank.shape
    u = torch.arange(width, device=blank.device)[None]
    beta = torch.full((batch, diagonals + 1, width), NEVER, device=blank.device)
    for d in range(diagonals - 1, -1, -1):
        after = beta[:, d + 1]
        move = label[:, d] + F.pad(after[:, 1:], (0, 1), value=NEVER)
        value = torch.logaddexp(blank[:, d] + after, move).clamp(min=NEVER)
        end = (u == last_piece[:, None]) & (d - u == last_frame[:, None])
        inside = (u <= last_piece[:, None]) & (d - u <= last_frame[:, None]) & (d >= u)
        beta[:, d] = torch.where(end, blank[:, d], torch.where(inside, value, NEVER))
    return beta


class Transducer(torch.autograd.Function):
    """blank, label [B, T, U + 1] (the label's last column is not used) -> negative log-likelihood [B]."""

    @staticmethod
    def forward(ctx, blank, label, frames, pieces):
        label = label.clone()
        label[:, :, -1] = NEVER
        width = torch.arange(blank.shape[2], device=blank.device)
        label.masked_fill_(width[None, None] >= pieces[:, None, None], NEVER)
        b, l = skew(blank.float()), skew(label.float())
        walk = loss_kernel if loss_kernel and b.is_cuda else None
        alpha = walk.forward(b, l) if walk else walk_forward(b, l)
        beta = (walk.backward if walk else walk_backward)(b, l, frames - 1, pieces)
        log_likelihood = beta[:, 0, 0]
        rest = beta[:, 1:].clone()
        d = torch.arange(b.shape[1], device=b.device)[None, :, None]
        end = (width == pieces[:, None, None]) & (d - width == (frames - 1)[:, None, None])
        rest.masked_fill_(end, 0)  # after the last blank nothing is left to say
        spread = log_likelihood[:, None, None]
        grad_blank = -torch.exp((alpha + b + rest - spread).clamp(max=0))
        grad_label = -torch.exp((alpha + l + F.pad(beta[:, 1:, 1:], (0, 1), value=NEVER) - spread).clamp(max=0))
        ctx.save_for_backward(unskew(grad_blank, blank.shape[1]), unskew(grad_label, blank.shape[1]))
        return -log_likelihood

    @staticmethod
    def backward(ctx, grad):
        blank, label = ctx.saved_tensors
        return blank * grad[:, None, None], label * grad[:, None, None], None, None


def cell_log_probs(joiner, enc, pred, targets):
    """enc [B, T, J] and pred [B, U + 1, J], both projected -> log-probability of blank and next piece [B, T, U + 1]."""
    logits = joiner.out(torch.tanh(enc[:, :, None] + pred[:, None]))
    norm = torch.logsumexp(logits.float(), -1)
    index = F.pad(targets, (0, 1))[:, None, :, None].expand(-1, enc.shape[1], -1, 1)
    label = logits.gather(-1, index)[..., 0].float() - norm
    return logits[..., -1].float() - norm, label


def transducer_loss(joiner, encoded, predicted, targets, frames, pieces):
    """Negative log-likelihood of every row."""
    blank, label = cell_log_probs(joiner, joiner.enc(encoded), joiner.pred(predicted), targets)
    return Transducer.apply(blank, label, frames, pieces)
