"""A model whose encoder begins as Whisper's, which has heard 680,000 hours of real people, and whose prediction network begins as ours.

    python from_whisper.py --packed whisper-base.npz --checkpoint checkpoints/joint-v15.pt.xz --out start.pt
    python train.py --init start.pt --fresh --encoder-rate 0.075 --rate 8e-4 --data data/speech --text data/text --out run --minutes 20

`whisper.py` packs the weights (upstream MIT). `--rates` has a number for each layer that is kept, from the first on: how many of its frames make one of 80 ms.
The encoder's own rate must be small, 6e-5 as in `whisper_phones.py`: 1.6e-4 overwrote what Whisper knew.
"""
import argparse
import dataclasses

import numpy as np

import whisper
from model import Model, load_checkpoint, save_checkpoint

# Five of Whisper-base's six layers are enough to pass our own network on strangers, and cost less than it does. The frames are merged in two steps: all four at
# once cost five points of phone errors (README).
RATES = "2,1,1,1,1"
KEPT = ("predictor.", "joiner.pred.", "joiner.out.")  # of our own network: what it knows about pieces


def shape(packed, rates, like):
    """The configuration of a network with this encoder, in everything else like another one."""
    dim, layers = whisper.size(packed)
    if len(rates) > layers or any(a % b for a, b in zip((4, *rates), rates)):
        raise SystemExit(f"--rates: at most {layers} numbers, 4, 2 or 1, and none larger than the one before it")
    return dataclasses.replace(like, dim=dim, layers=len(rates), heads=dim // whisper.HEAD, rates=tuple(rates), mid=max(1, round(0.7 * len(rates))))


def fill(packed, encoder):
    """Whisper's last norm belongs to its last layer, which may be left out."""
    whisper.load(packed, encoder, encoder.norm if len(encoder.layers) == whisper.size(packed)[1] else None)


def begin(packed, rates, ours):
    model = Model(shape(packed, rates, ours.c))
    fill(packed, model.encoder)
    kept = {k: v for k, v in ours.state_dict().items() if k.startswith(KEPT)}
    model.load_state_dict(model.state_dict() | kept)
    return model


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--packed", required=True, help="Whisper's encoder, packed by whisper.py")
    ap.add_argument("--rates", default=RATES)
    ap.add_argument("--checkpoint", required=True, help="our model, for what it knows about pieces")
    ap.add_argument("--out", required=True)
    args = ap.parse_args()
    model = begin(dict(np.load(args.packed)), [int(r) for r in args.rates.split(",")], load_checkpoint(args.checkpoint))
    save_checkpoint(model, args.out)
    print(f"{sum(p.numel() for p in model.encoder.parameters()) / 1e6:.1f} M parameters in the encoder")


if __name__ == "__main__":
    main()
