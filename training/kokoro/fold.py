"""Folds the int8 graph back to float."""
import collections

import numpy as np
from onnx import helper, numpy_helper

from .live import keep_live


def fold_to_float(model):
    """DynamicQuantizeLinear -> ConvInteger/MatMulInteger -> [Add bias] -> Cast -> Mul(scale) becomes Conv/MatMul in float."""
    g = model.graph
    init = {i.name: i for i in g.initializer}
    made_by = {o: n for n in g.node for o in n.output}
    used_by = collections.defaultdict(list)
    for n in g.node:
        for i in n.input:
            used_by[i].append(n)
    array = lambda name: numpy_helper.to_array(init[name]).astype(np.float32)
    column = lambda v, dims: v.reshape(-1, *[1] * (dims - 1)) if v.size > 1 else v
    dropped, replaced, weights = set(), {}, {}
    for n in g.node:
        if n.op_type not in ("ConvInteger", "MatMulInteger") or n.input[1] not in init:
            continue
        after, bias = used_by[n.output[0]][0], None
        if after.op_type == "Add":  # the integer bias was made from a float one at the root of its chain
            bias = next(i for i in after.input if i != n.output[0])
            while bias in made_by:
                bias = made_by[bias].input[0]
            dropped.add(id(after)); after = used_by[after.output[0]][0]
        scale = used_by[after.output[0]][0]
        factors = next(made_by[i] for i in scale.input if i in made_by and made_by[i].op_type == "Mul")
        s = array(next(i for i in factors.input if i in init))
        w = array(n.input[1]); z = array(n.input[3]) if len(n.input) > 3 else np.zeros(1, np.float32)
        if n.op_type == "ConvInteger":
            s, z = column(s, w.ndim), column(z, w.ndim)
        name = n.input[1] + "_float"
        weights[name] = numpy_helper.from_array(((w - z) * s).astype(np.float32), name)
        node = helper.make_node("Conv" if n.op_type == "ConvInteger" else "MatMul",
                                [made_by[n.input[0]].input[0], name] + ([bias] if bias else []), [scale.output[0]])
        node.attribute.extend(a for a in n.attribute if a.name != "auto_pad")
        replaced[id(scale)] = node; dropped.update((id(n), id(after)))
    nodes = [replaced.get(id(n), n) for n in g.node if id(n) not in dropped]
    keep_live(g, nodes)
    wanted = {i for n in g.node for i in n.input}
    keep = [i for i in g.initializer if i.name in wanted] + [w for k, w in weights.items() if k in wanted]
    del g.initializer[:]; g.initializer.extend(keep)
    return model
