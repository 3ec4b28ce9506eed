"""The two operations with code of their own: the LSTM in float, and normalisation with a style."""
import torch
import torch.nn.functional as F


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
        from . import kernel  # needs triton, which only a GPU machine has
        return kernel.adain(x, gain, shift, snake, epsilon, slope)
    var, mean = torch.var_mean(x, -1, keepdim=True, unbiased=False)
    y = (x - mean) * torch.rsqrt(var + epsilon) * gain + shift
    if snake:
        return y + snake[1] * torch.sin(snake[0] * y).square()
    return F.leaky_relu(y, slope) if slope != 1 else y
