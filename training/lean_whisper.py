"""Step 5: the int8 encoder that began as Whisper's, as it is served: what `lean_graph.py` does for ours.

The same arithmetic as in `whisper_graph.py` with operators of the runtime: sums with the norms after them, attention with its cache, and GELU by its tanh
form, which differs by less than 0.0005 and takes half the time.
"""
import onnx
from onnx import TensorProto

import whisper
import whisper_graph
from graph_builder import RUNTIME, int8_columns


def encoder_graph(encoder, metadata):
    return whisper_graph.encoder_graph(encoder, metadata, LeanStep)


class LeanStep(whisper_graph.Step):
    """A sum of two is made where its norm is taken: until then it is a pair."""

    def add(self, x, y):
        return x, y

    def normed(self, x, norm, name):
        if isinstance(x, str):
            return super().normed(x, norm, name)
        weights = [self.g.weight(f"{name}.{part}", value) for part, value in (("scale", norm.weight), ("shift", norm.bias))]
        of, total = f"{name}.of", f"{name}.sum"
        self.node("SkipLayerNormalization", [*x, *weights], [of, "", "", total], epsilon=norm.eps)
        return total, of

    def merge(self, x, count):
        return x if count == 1 else super().merge(x if isinstance(x, str) else super().add(*x), count)

    def linear(self, x, name, weights):
        """The input's scale is taken from the signal, until `fixed_scales.py` fixes it."""
        matrix, bias = (w.detach().float().numpy() for w in weights)
        small, scale, _ = int8_columns(matrix)
        return self.g.quantised_linear(x, name, small, scale, bias)

    def gelu(self, x):
        return self.g.op("FastGelu", x, domain=RUNTIME)

    def mask(self, filled):
        return self.g.op("Cast", filled, to=TensorProto.INT32)

    def attention(self, x, layer, rate, at, name):
        g = self.g
        q, k, v = g.op("Split", self.linear(x, f"{name}.qkv", whisper_graph.query_key_value(layer)), outputs=3, axis=-1)
        past = [self.remembered(rate, at), self.remembered(rate, at + rate)]
        y, *both = [f"{name}.{part}" for part in ("heard", "keys", "values")]
        self.node("MultiHeadAttention", [q, k, v, "", self.filled(rate), "", *past], [y, *both], num_heads=self.c.dim // whisper.HEAD, mask_filter_value=-1e9)
        return self.linear(y, f"{name}.out", whisper_graph.weights_of(layer.out)), *(self.kept(part, rate) for part in both)

    def node(self, kind, inputs, outputs, **attributes):
        self.g.nodes.append(onnx.helper.make_node(kind, inputs, outputs, name=outputs[0], domain=RUNTIME, **attributes))
