"""Finds each normalisation with a style, which the graph spells out in many nodes, and puts one node in its place."""
import collections

from onnx import helper, numpy_helper

from .live import keep_live


def fuse_norms(model):
    """Sub(mean) .. Sqrt -> Div -> Mul(gain) -> Add(shift) -> [snake | LeakyRelu] becomes one AdaIn node."""
    g = model.graph
    const = {i.name: numpy_helper.to_array(i) for i in g.initializer}
    made_by = {o: n for n in g.node for o in n.output}
    used_by = collections.defaultdict(list)
    for n in g.node:
        for i in n.input:
            if n not in used_by[i]:
                used_by[i].append(n)
    place = {id(n): k for k, n in enumerate(g.node)}
    fused = {}
    for div in [n for n in g.node if n.op_type == "Div"]:
        found = instance_norm(div, made_by, const)
        for mul in used_by[div.output[0]] if found else ():
            tail = norm_tail(div, mul, used_by, const)
            if tail:
                last, inputs, slope = tail
                node = helper.make_node("AdaIn", [found[0], *inputs], [last.output[0]], epsilon=found[1], slope=slope)
                fused[place[id(last)]] = node
    nodes = [fused.get(k, n) for k, n in enumerate(g.node)]
    keep_live(g, nodes)
    return model


def instance_norm(div, made_by, const):
    """(x, epsilon) where div is (x - mean x) / sqrt(mean square + epsilon), else None."""
    sub, root = (made_by.get(i) for i in div.input)
    if not (sub and root and sub.op_type == "Sub" and root.op_type == "Sqrt"):
        return None
    mean, plus = made_by.get(sub.input[1]), made_by.get(root.input[0])
    if not (mean and mean.op_type == "ReduceMean" and mean.input[0] == sub.input[0] and plus and plus.op_type == "Add"):
        return None
    epsilon = next((const[i] for i in plus.input if i in const), None)
    axes = const.get(mean.input[1]) if len(mean.input) > 1 else None
    return (sub.input[0], float(epsilon)) if epsilon is not None and axes is not None and axes.tolist() in ([-1], [2]) else None


def norm_tail(div, mul, used_by, const):
    """The last node of the chain after a norm, the further inputs of the fused node, the slope of a leaky relu (1: none)."""
    if mul.op_type != "Mul" or len(used_by[mul.output[0]]) != 1 or used_by[mul.output[0]][0].op_type != "Add":
        return None
    other = lambda node, name: next(i for i in node.input if i != name)
    add = used_by[mul.output[0]][0]
    inputs, after = [other(mul, div.output[0]), other(add, mul.output[0])], used_by[add.output[0]]
    if len(after) == 1 and after[0].op_type == "LeakyRelu":
        return after[0], inputs, float(after[0].attribute[0].f)
    scale = next((n for n in after if n.op_type == "Mul" and any(i in const for i in n.input)), None)
    if len(after) != 2 or scale is None:
        return add, inputs, 1.0
    sin = used_by[scale.output[0]][0]
    back = used_by[used_by[sin.output[0]][0].output[0]][0]
    last = used_by[back.output[0]][0]
    assert sin.op_type == "Sin" and last.op_type == "Add" and add.output[0] in last.input
    return last, [*inputs, next(i for i in scale.input if i in const), next(i for i in back.input if i in const)], 1.0
