"""A deeper network that begins as the one it is grown from: the start of a larger package for operators with cores to spare.

    python grow.py --checkpoint checkpoints/joint-v15.pt.xz --layers 30 --out large.pt

Behind every block stand copies of it whose branches add nothing yet, so that the deeper network hears exactly what the first one hears, and
`train.py --init large.pt` goes on from there instead of from nothing.
"""
import argparse
import copy
import dataclasses

import torch
import torch.nn as nn

from model import load_checkpoint, save_checkpoint


def grow(model, layers):
    times, rest = divmod(layers, model.c.layers)
    if times < 1 or rest:
        raise SystemExit(f"--layers must be a multiple of {model.c.layers}, the layers of the checkpoint")
    deeper = copy.deepcopy(model)
    deeper.c = deeper.encoder.c = dataclasses.replace(model.c, layers=layers, mid=times * model.c.mid)
    deeper.encoder.blocks = nn.ModuleList(part for block in deeper.encoder.blocks for part in (block, *(silent_copy(block) for _ in range(times - 1))))
    return deeper


@torch.no_grad()
def silent_copy(block):
    """The last layer of each branch is zero. It learns first, and the layers before it, which hear well already, follow."""
    made = copy.deepcopy(block)
    for last in (made.first.down, made.attention.out, made.convolution.down, made.second.down):
        last.weight.zero_()
        last.bias.zero_()
    return made


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--checkpoint", required=True)
    ap.add_argument("--layers", type=int, required=True)
    ap.add_argument("--out", required=True)
    args = ap.parse_args()
    deeper = grow(load_checkpoint(args.checkpoint), args.layers)
    save_checkpoint(deeper, args.out)
    print(f"{sum(p.numel() for p in deeper.encoder.parameters()) / 1e6:.1f} M parameters in the encoder")


if __name__ == "__main__":
    main()
