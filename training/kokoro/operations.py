"""The operations of the graph, each named as in ONNX. Each takes the graph, the inputs of the node and its attributes."""
import numpy as np
import torch
import torch.nn.functional as F
from onnx import numpy_helper

from .layers import adain, float_lstm


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
