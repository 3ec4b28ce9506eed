"""A folder in the form of the public exports of the large multilingual model, scaled down and with random weights: 128 mel bins, a prompt of 128
slots, a prediction network of two layers, everything in int8. The server's import is tested with it.

    python random_export.py --out ../server/test/fixtures/prompted-export
"""
import argparse
import json
import os

import numpy as np
import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic

import export
from model import Config, Model
from onnx_graph import Graph, encoder_graph, f32, i32, joiner_graph
from random_model import bias_blank
from tokens import Tokens

PROMPTS = {"en-US": 0, "sw-KE": 17, "luo-KE": 18, "auto": 101}
PIECES = ["<unk>", "<en-US>", "<luo-KE>", *(f"<0x{byte:02X}>" for byte in (0xC4, 0xA9)), "▁", "▁a", "▁ng'", "a", "e", "i", "o", "u", "to", "ni"]
LAYERS = 2


def decoder_graph(vocab, hidden, metadata):
    """Two LSTM layers, one after the other; h and c hold both."""
    g, random = Graph("decoder"), np.random.default_rng(0)
    weight = lambda name, *shape: g.weight(name, (random.standard_normal(shape) / hidden ** 0.5).astype(np.float32))
    x = g.op("Transpose", g.op("Gather", weight("embedding", vocab + 1, hidden), "targets"), perm=[1, 0, 2])
    states = []
    for i in range(LAYERS):
        before = [g.slice(name, g.ints(i), g.ints(i + 1), 0) for name in ("h", "c")]
        w, r, b = weight(f"w{i}", 1, 4 * hidden, hidden), weight(f"r{i}", 1, 4 * hidden, hidden), weight(f"b{i}", 1, 8 * hidden)
        y, h, c = g.op("LSTM", x, w, r, b, "", *before, outputs=3, hidden_size=hidden)
        x, states = g.op("Squeeze", y, g.ints(1)), [*states, (h, c)]
    g.op("Transpose", x, perm=[1, 2, 0], name="outputs")
    g.op("Identity", "target_length", name="prednet_lengths")
    for i, name in enumerate(("h_next", "c_next")):
        g.op("Concat", *(state[i] for state in states), axis=0, name=name)
    state = [LAYERS, "B", hidden]
    return g.model([("targets", i32, ["B", 1]), ("target_length", i32, ["B"]), ("h", f32, state), ("c", f32, state)],
                   [("outputs", f32, ["B", hidden, 1]), ("prednet_lengths", i32, ["B"]), ("h_next", f32, state), ("c_next", f32, state)], metadata)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--out", required=True)
    out = ap.parse_args().out
    os.makedirs(out, exist_ok=True)
    c = Config(mel=128, dim=32, layers=3, heads=4, sub=(24, 24), vocab=len(PIECES), prompts=128, pred=32, joint=32, mid=1)
    torch.manual_seed(0)
    model = Model(c).eval()
    bias_blank(model)
    metadata = export.metadata(c) | {"pred_rnn_layers": LAYERS, "auto_prompt_id": PROMPTS["auto"], "prompt_dictionary": json.dumps(PROMPTS)}
    graphs = {"encoder": encoder_graph(model.encoder, metadata), "decoder": decoder_graph(c.vocab, c.pred, metadata),
              "joiner": joiner_graph(model.joiner, c, metadata)}
    for name, graph in graphs.items():
        plain, quantised = (os.path.join(out, f"{name}{kind}.onnx") for kind in ("", ".int8"))
        onnx.save(graph, plain)
        quantize_dynamic(plain, quantised, op_types_to_quantize=["MatMul"], weight_type=QuantType.QUInt8)
        os.remove(plain)
    Tokens(PIECES, []).write_table(os.path.join(out, "tokens.txt"))


if __name__ == "__main__":
    main()
