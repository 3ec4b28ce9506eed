"""The two walks over the transducer's lattice as Triton kernels: one program per utterance, one vector per anti-diagonal."""
import torch
import triton
import triton.language as tl

NEVER = tl.constexpr(-1e30)


@triton.jit
def log_add(a, b):
    high = tl.maximum(a, b)
    return tl.maximum(high + tl.log(tl.exp(a - high) + tl.exp(b - high)), NEVER)


@triton.jit
def forward_kernel(blank, label, alpha, diagonals, width, BLOCK: tl.constexpr):
    base = tl.program_id(0).to(tl.int64) * diagonals * width
    u = tl.arange(0, BLOCK)
    inside = u < width
    left = inside & (u > 0)
    a = tl.where(u == 0, 0.0, NEVER)
    tl.store(alpha + base + u, a, mask=inside)
    for d in range(1, diagonals):
        before = base + (d - 1) * width + u
        tl.debug_barrier()  # the neighbour's value of the last diagonal must have been written
        neighbour = tl.load(alpha + before - 1, mask=left, other=NEVER)
        move = neighbour + tl.load(label + before - 1, mask=left, other=NEVER)
        stay = a + tl.load(blank + before, mask=inside, other=NEVER)
        a = log_add(stay, move)
        tl.store(alpha + base + d * width + u, a, mask=inside)


@triton.jit
def backward_kernel(blank, label, beta, last_frame, last_piece, diagonals, width, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    base, out = row * diagonals * width, row * (diagonals + 1) * width
    u = tl.arange(0, BLOCK)
    inside = u < width
    right = u + 1 < width
    frame, piece = tl.load(last_frame + row), tl.load(last_piece + row)
    value = tl.full([BLOCK], NEVER, tl.float32)
    tl.store(beta + out + diagonals * width + u, value, mask=inside)
    for k in range(0, diagonals):
        d = diagonals - 1 - k
        tl.debug_barrier()
        neighbour = tl.load(beta + out + (d + 1) * width + u + 1, mask=right, other=NEVER)
        b = tl.load(blank + base + d * width + u, mask=inside, other=NEVER)
        l = tl.load(label + base + d * width + u, mask=inside, other=NEVER)
        mixed = log_add(b + value, l + neighbour)
        t = d - u
        end = (u == piece) & (t == frame)
        valid = (u <= piece) & (t <= frame) & (t >= 0)
        value = tl.where(end, b, tl.where(valid, mixed, NEVER))
        tl.store(beta + out + d * width + u, value, mask=inside)


def forward(blank, label):
    batch, diagonals, width = blank.shape
    alpha = torch.empty_like(blank)
    forward_kernel[(batch,)](blank, label, alpha, diagonals, width, BLOCK=triton.next_power_of_2(width), num_warps=4)
    return alpha


def backward(blank, label, last_frame, last_piece):
    batch, diagonals, width = blank.shape
    beta = torch.empty(batch, diagonals + 1, width, device=blank.device)
    backward_kernel[(batch,)](blank, label, beta, last_frame, last_piece, diagonals, width, BLOCK=triton.next_power_of_2(width), num_warps=4)
    return beta
