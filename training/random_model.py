"""A tiny package with random weights, for tests of the server: same code, same format as the real ones.

    python random_model.py --out DIR [--layers 2 --dim 64 --mel 80 --prompt]
"""
import argparse
import os

import torch

import export
import features
from model import LOOK_AHEADS, Config, Model, greedy
from tokens import Tokens

PIECES = ["▁ni", "▁mu", "▁ka", "ngi", "ra", "tho", "ĩ", "ũ", "ng'", "▁wa", "nyi", "e", "a", "▁o", "ko", "ma"]


def random_model(config, seed):
    torch.manual_seed(seed)
    model = Model(config).eval()
    torch.nn.init.normal_(model.joiner.out.weight, std=0.5)
    return model


def bias_blank(model, rate=0.3):
    """Sets the blank's bias so that noise with the rhythm of speech gives about `rate` pieces per frame."""
    torch.manual_seed(1)
    loudness = torch.sin(torch.arange(160000) / 16000 * 2 * torch.pi * 3).clamp(min=0)
    wave = torch.randn(1, 160000) * 0.1 * loudness
    mels = features.log_mel(wave, features.mel_filters(model.c.mel))[:, :, :992]
    with torch.no_grad():
        encoded, _ = model.encoder(mels, torch.zeros(1, dtype=torch.long), LOOK_AHEADS[0])
        low, high = -30.0, 30.0
        for _ in range(20):
            middle = (low + high) / 2
            model.joiner.out.bias[-1] = middle
            pieces = len(greedy(model, encoded, torch.tensor([encoded.shape[1]]))[0])
            low, high = (middle, high) if pieces > rate * encoded.shape[1] else (low, middle)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--out", required=True)
    ap.add_argument("--layers", type=int, default=2)
    ap.add_argument("--dim", type=int, default=64)
    ap.add_argument("--mel", type=int, default=80, choices=(80, 128))
    ap.add_argument("--prompt", action="store_true")
    ap.add_argument("--int8", action="store_true")
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--id", default="svc-asr-tiny-v1")
    args = ap.parse_args()
    config = Config(mel=args.mel, dim=args.dim, layers=args.layers, heads=4, sub=(32, 48), vocab=len(PIECES) + 1,
                    prompts=4 if args.prompt else 0, pred=args.dim, joint=args.dim, mid=1)
    model = random_model(config, args.seed)
    bias_blank(model)
    files = export.write_graphs(model, args.out, "int8" if args.int8 else "fp32")
    Tokens(["<unk>", *PIECES], []).write_table(os.path.join(args.out, "tokens.txt"))
    files["tokens"] = "tokens.txt"
    head = {"id": args.id, "language": "Kikuyu", "language_code": "ki", "version": "0.0.0", "licence": "CC0-1.0"}
    with open(os.path.join(args.out, "README.md"), "w") as card:
        card.write("# A random model\n\nMade by `training/random_model.py` for tests. It has learned nothing.\n")
    prompt = {"prompt_index": 0 if args.prompt else None}
    export.write_json(os.path.join(args.out, "manifest.json"), export.manifest(config, args.out, files, **head) | prompt)


if __name__ == "__main__":
    main()
