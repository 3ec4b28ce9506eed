"""Step 5: a trained model becomes a package that the server loads: three ONNX files, tokens.txt, manifest.json.

    python export.py --checkpoint run/model.pt --tokens run/tokens.json --out ../models
"""
import argparse
import json
import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import lean_whisper
import whisper_graph
from chunks import HISTORY
from graph_builder import int8_columns
from languages import LANGUAGES
from lean_graph import make_lean
from level import SPEECH_LEVEL_DB
from model import LOOK_AHEADS, SUBSAMPLING, load_checkpoint
from onnx_graph import decoder_graph, encoder_graph, frames_graph, joiner_graph
from package_files import entry, write_json
from tokens import Tokens

WINDOW = HISTORY + SUBSAMPLING * (LOOK_AHEADS[0] + 1)
# int8: half the time of the others, but its scales follow the signal, so that the last bit of another runtime's arithmetic may become another
# word. weights: stored in int8, calculated in fp32; the same text everywhere. fp32: for comparison.
PRECISIONS = ("int8", "weights", "fp32")


def metadata(c):
    """The strings that public exports of this family carry in their ONNX files."""
    out = {"vocab_size": c.vocab, "window_size": WINDOW, "chunk_shift": WINDOW - HISTORY, "subsampling_factor": SUBSAMPLING,
           "pred_rnn_layers": 1, "pred_hidden": c.pred, "normalize_type": "", "feat_dim": c.mel, "model_type": "EncDecRNNTBPEModel"}
    layers, conv_cache = cache_sizes(c)
    for i, size in enumerate((layers, c.left, c.dim), 1):
        out[f"cache_last_channel_dim{i}"] = size
    for i, size in enumerate((layers, c.dim, conv_cache), 1):
        out[f"cache_last_time_dim{i}"] = size
    if c.prompts:
        codes = list(LANGUAGES)[:c.prompts]
        out["prompt_dictionary"] = json.dumps({code: i for i, code in enumerate(codes)})
        out["auto_prompt_id"] = 0
    return out


def cache_sizes(c):
    """Layers of the two caches, and what the second one holds of each."""
    return (whisper_graph.slots(c), whisper_graph.CONV_CACHE) if c.rates else (c.layers, c.kernel - 1)


def write_graphs(model, folder, precision="int8"):
    """Returns {part: file name}. Only the encoder's matrices become int8: they are nearly all of the size and of the time."""
    os.makedirs(folder, exist_ok=True)
    c, meta = model.c, metadata(model.c)
    path = lambda name: os.path.join(folder, name)
    onnx.save(halve(decoder_graph(model.predictor, c.pred, meta)), path("decoder.onnx"))
    onnx.save(halve(joiner_graph(model.joiner, c, meta)), path("joiner.onnx"))
    onnx.save(halve(frames_graph(model, meta)), path("frames.onnx"))
    encoder = "encoder.onnx" if precision == "fp32" else "encoder.int8.onnx"
    write_encoder(model.encoder, meta, precision, path(encoder))
    return {"encoder": encoder, "decoder": "decoder.onnx", "joiner": "joiner.onnx", "frame_scorer": "frames.onnx"}


def write_encoder(encoder, meta, precision, path):
    is_whisper = bool(encoder.c.rates)
    if precision == "int8" and is_whisper:
        onnx.save(lean_whisper.encoder_graph(encoder, meta), path)
        return
    onnx.save((whisper_graph.encoder_graph if is_whisper else encoder_graph)(encoder, meta), path)
    if precision == "weights":
        pack_weights(path, path)
    elif precision == "int8":
        quantise(path, path)
        make_lean(path)


def halve(model):
    """Stores the weights in 16 bits. The runtime folds the casts when it opens the file, so the arithmetic stays in 32."""
    graph, casts = model.graph, []
    for weight in graph.initializer:
        if weight.data_type != onnx.TensorProto.FLOAT or np.prod(weight.dims) < 1024:
            continue
        name = weight.name
        weight.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(weight).astype(np.float16), name + "_half"))
        casts.append(onnx.helper.make_node("Cast", [name + "_half"], [name], to=onnx.TensorProto.FLOAT))
    nodes = [*casts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    return model


def quantise(source, target):
    """Matrices in int8 with a scale per column, inputs in uint8 with scales taken from the signal: what ONNX Runtime's dynamic quantiser writes, and what its
    fused kernel looks for. Written out here, so that exporting needs no runtime."""
    model = onnx.load(source)
    graph, nodes, halved = model.graph, [], {}
    weights = {w.name: w for w in graph.initializer}
    for node in graph.node:
        if node.op_type != "MatMul" or node.input[1] not in weights:
            nodes.append(node)
            continue
        (x, w), (y,) = node.input, node.output
        if x not in halved:  # several matrices read the same input
            halved[x] = [f"{x}_{part}" for part in ("quantized", "scale", "zero_point")]
            nodes.append(helper.make_node("DynamicQuantizeLinear", [x], halved[x], name=f"{x}_quantise"))
        small, scale, zero = halved[x]
        graph.initializer.extend(int8_parts(weights[w]))
        graph.initializer.remove(weights[w])
        nodes += [helper.make_node("MatMulInteger", [small, f"{w}_quantized", zero, f"{w}_zero_point"], [f"{y}_integer"], name=f"{node.name}_quant"),
                  helper.make_node("Cast", [f"{y}_integer"], [f"{y}_cast"], to=TensorProto.FLOAT),
                  helper.make_node("Mul", [scale, f"{w}_scale"], [f"{y}_scales"], name=f"{node.name}_scales"),
                  helper.make_node("Mul", [f"{y}_cast", f"{y}_scales"], [y], name=f"{node.name}_output")]
    del graph.node[:]
    graph.node.extend(nodes)
    onnx.checker.check_model(model)
    onnx.save(model, target)


def int8_parts(weight):
    parts = zip(("quantized", "scale", "zero_point"), int8_columns(numpy_helper.to_array(weight)))
    return [numpy_helper.from_array(part, f"{weight.name}_{name}") for name, part in parts]


def pack_weights(source, target):
    """Matrices as int8 with a scale per column, made fp32 again by two nodes that the runtime folds away when it loads the graph."""
    model = onnx.load(source)
    graph, unpack = model.graph, []
    weights = {w.name: w for w in graph.initializer}
    for name in {n.input[1] for n in graph.node if n.op_type == "MatMul"} & set(weights):
        values = numpy_helper.to_array(weights[name])
        scale = np.maximum(np.abs(values).max(0, keepdims=True), 1e-12).astype(np.float32) / 127
        graph.initializer.remove(weights[name])
        graph.initializer.extend(numpy_helper.from_array(v, f"{name}.{part}") for part, v in (("int8", np.round(values / scale).astype(np.int8)), ("scale", scale)))
        unpack += [helper.make_node("Cast", [f"{name}.int8"], [f"{name}.cast"], to=TensorProto.FLOAT),
                   helper.make_node("Mul", [f"{name}.cast", f"{name}.scale"], [name])]
    nodes = [*unpack, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    onnx.checker.check_model(model)
    onnx.save(model, target)


def manifest(c, folder, files, **head):
    """files: {part: path relative to the folder of the manifest}"""
    layers, conv_cache = cache_sizes(c)
    return {
        "format": 1, **head, "card": "README.md", "files": {part: entry(folder, p) for part, p in files.items()},
        "features": {"mel_bins": c.mel, "speech_level_db": SPEECH_LEVEL_DB},
        "encoder": {"layers": layers, "left": c.left, "dim": c.dim, "conv_cache": conv_cache, "subsampling": SUBSAMPLING,
                    "pre_encode_cache": HISTORY},
        "decoder": {"layers": 1, "hidden": c.pred}, "vocab_size": c.vocab, "look_aheads": list(LOOK_AHEADS),
    }


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--checkpoint", required=True)
    ap.add_argument("--tokens", required=True)
    ap.add_argument("--out", required=True)
    ap.add_argument("--version", default="1.0.0")
    ap.add_argument("--precision", choices=PRECISIONS, default="int8", help="of the encoder's matrices")
    args = ap.parse_args()
    model, tokens = load_checkpoint(args.checkpoint).eval(), Tokens.load(args.tokens)
    shared = os.path.join(args.out, "shared-v1")  # both languages are one network with a language prompt: stored once
    files = write_graphs(model, shared, args.precision)
    tokens.write_table(os.path.join(shared, "tokens.txt"))
    files["tokens"] = "tokens.txt"
    for slot, (code, package) in enumerate(LANGUAGES.items()):
        if package is None:
            continue
        folder = os.path.join(args.out, package["id"])
        os.makedirs(folder, exist_ok=True)
        paths = {part: f"../shared-v1/{name}" for part, name in files.items()}
        write_json(os.path.join(folder, "manifest.json"), manifest(
            model.c, folder, paths, id=package["id"], language=package["language"], language_code=code,
            version=args.version, licence="CC-BY-SA-4.0") | {"prompt_index": slot})


if __name__ == "__main__":
    main()
