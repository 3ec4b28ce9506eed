"""Writes ONNX graphs node by node: the result is the same with every version of torch and holds nothing superfluous."""
import numpy as np
import onnx
from onnx import helper, numpy_helper

OPSET = 17
RUNTIME = "com.microsoft"  # operators that the ONNX Runtime has beyond the standard, for every processor
LARGEST = 127  # of a weight in int8


class Graph:
    def __init__(self, name, prefix=""):
        """prefix: of all names, where nodes of another graph are taken over."""
        self.name, self.prefix, self.nodes, self.weights, self.count = name, prefix, [], {}, 0

    def const(self, value, dtype=np.float32):
        value = np.asarray(value, dtype)
        key = f"c{value.dtype}{value.shape}{hash(value.tobytes())}"
        return self.weight(f"{self.prefix}const_{len(self.weights)}", value, key)

    def weight(self, name, value, key=None):
        key = key or name
        if key not in self.weights:
            value = value.detach().cpu().float().numpy() if hasattr(value, "detach") else value
            self.weights[key] = numpy_helper.from_array(np.asarray(value, order="C"), name)
        return self.weights[key].name

    def op(self, kind, *inputs, outputs=1, name=None, **attributes):
        self.count += 1
        value = f"{self.prefix}{kind}_{self.count}"
        names = [name or value] if outputs == 1 else [f"{value}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, name=f"{self.prefix}n{self.count}_{kind}", **attributes))
        return names[0] if outputs == 1 else names

    def ints(self, *values):
        return self.const(values, np.int64)

    def linear(self, x, layer, name):
        y = self.op("MatMul", x, self.weight(f"{name}.weight", layer.weight.T))
        return y if layer.bias is None else self.op("Add", y, self.weight(f"{name}.bias", layer.bias))

    def quantised_linear(self, x, name, matrix, scale, bias):
        """int8 columns with a scale each; that of the input is taken from the signal. The zero of a column is 0: naming it would cost time."""
        parts = self.weight(f"{name}.weight", matrix), self.weight(f"{name}.scale", scale), "", self.weight(f"{name}.bias", bias)
        return self.op("DynamicQuantizeMatMul", x, *parts, domain=RUNTIME)

    def norm(self, x, layer, name):
        return self.op("LayerNormalization", x, self.weight(f"{name}.scale", layer.weight), self.weight(f"{name}.shift", layer.bias), axis=-1, epsilon=layer.eps)

    def silu(self, x):
        return self.op("Mul", x, self.op("Sigmoid", x))

    def slice(self, x, start, end, axis):
        return self.op("Slice", x, start, end, self.ints(axis))

    def model(self, inputs, outputs, metadata):
        info = lambda items: [helper.make_tensor_value_info(n, t, s) for n, t, s in items]
        graph = helper.make_graph(self.nodes, self.name, info(inputs), info(outputs), list(self.weights.values()))
        domains = {"": OPSET} | {node.domain: 1 for node in self.nodes if node.domain}
        opsets = [helper.make_opsetid(domain, version) for domain, version in domains.items()]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=8, producer_name="sauti")
        for key, value in metadata.items():
            model.metadata_props.add(key=key, value=str(value))
        onnx.checker.check_model(model)
        return model


def int8_columns(matrix):
    """int8 with a scale for each column, and where its zero is."""
    scale = (np.maximum(np.abs(matrix).max(0), 1e-12) / LARGEST).astype(np.float32)
    return np.clip(np.round(matrix / scale), -LARGEST, LARGEST).astype(np.int8), scale, np.zeros(matrix.shape[1], np.int8)
