"""Runs the graph node by node with torch."""
import onnx
import torch
from onnx import helper, numpy_helper

from .fold import fold_to_float
from .fuse import fuse_norms
from .operations import Ops


class Graph:
    """Runs the folded graph. Shape arithmetic stays on the CPU, signals live on the device."""

    def __init__(self, path, device):
        model = fuse_norms(fold_to_float(onnx.load(path)))
        g = model.graph
        self.device = device
        self.nodes = [(n, {a.name: helper.get_attribute_value(a) for a in n.attribute}) for n in g.node]
        self.const = {}
        for i in g.initializer:
            t = torch.from_numpy(numpy_helper.to_array(i).copy())
            self.const[i.name] = t.to(device) if t.is_floating_point() and t.dim() else t
        produced = {o: n for n in g.node for o in n.output}
        clip = [n for n in g.node if n.op_type == "Clip" and produced[n.input[0]].op_type == "Round"]
        assert len(clip) == 1, "the duration predictor was not found"
        self.outputs = [g.output[0].name, clip[0].output[0]]
        self.durations = produced[clip[0].input[0]].input[0]  # before they are rounded
        self.pitch = next(n.output[0] for n in g.node if n.output[0].endswith("/F0_proj/Conv_output_0"))
        self.last = {}
        for k, (n, _) in enumerate(self.nodes):
            for i in n.input:
                self.last[i] = k
        self.keep = set(self.outputs) | set(self.const)

    def run(self, feeds, changes=None):
        """`changes`: {name of a value: what is made of it before anything else sees it}"""
        changes = changes or {}
        env = dict(self.const)
        env.update(feeds)
        for k, (n, at) in enumerate(self.nodes):
            args = [env[i] if i else None for i in n.input]
            out = getattr(Ops, n.op_type)(self, args, at)
            for name, value in zip(n.output, out if isinstance(out, (tuple, list)) else (out,)):
                if name:
                    env[name] = changes[name](value) if name in changes else value
            for i in n.input:
                if i and self.last[i] == k and i not in self.keep:
                    env.pop(i, None)
        return [env[o] for o in self.outputs]
