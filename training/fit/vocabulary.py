"""The pieces of a new language, and the bundled network with its output made for them."""
import collections
import dataclasses

import torch

import tokens
from model import Model

SIZE = 256


def learn_pieces(sentences, size=SIZE):
    return tokens.train(collections.Counter(word for s in sentences for word in s.split()), size)


def nearest(piece, old):
    """The old pieces that a new one is made of, unknown letters left out."""
    if piece in old.ids:
        return [old.ids[piece]]
    parts = list(piece)
    while len(parts) > 1:
        rank, i = min((old.ranks.get(pair, 1 << 30), i) for i, pair in enumerate(zip(parts, parts[1:])))
        if rank == 1 << 30:
            break
        parts[i:i + 2] = [parts[i] + parts[i + 1]]
    return [old.ids[p] for p in parts if p in old.ids]


@torch.no_grad()
def transplant(model, old, new, prompt):
    """The network for new pieces and one language. A piece that was known keeps its rows; another is written where its first part was, and
    remembered as its last part was. The chosen prompt becomes part of the first norm, so the package needs none."""
    out = Model(dataclasses.replace(model.c, vocab=len(new.pieces), prompts=0))
    weights = {k: v.clone() for k, v in model.state_dict().items() if k != "encoder.prompt.weight"}
    weights["encoder.enter.bias"] += model.encoder.prompt.weight[prompt]
    made_of = [nearest(p, old) for p in new.pieces]
    for name in ("joiner.out.weight", "joiner.out.bias", "piece_ctc.weight", "piece_ctc.bias", "predictor.embedding.weight"):
        rows, at = weights[name], -1 if name.startswith("predictor") else 0
        fresh = [rows[ids[at]] if ids else rows[0] for ids in made_of]
        weights[name] = torch.stack([*fresh, rows[old.blank]])
    out.load_state_dict(weights)
    return out
