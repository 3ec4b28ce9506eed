"""The training: parts of strangers' clips are hidden, and completed from the rest and from the phones."""
import os
import time

import numpy as np
import torch

from mimic import network
from train import learning_rate

WHOLE = 0.15  # how often all of a clip is hidden
UNTOLD = 0.1  # how often no phone is told
MEAN = 0.9995


def hide(rng, lengths, size):
    """[B, size] bool: one stretch of every row, mostly the larger part, half of the time at its end, as when it is spoken on."""
    lengths = np.asarray(lengths)
    hidden = np.ceil(np.where(rng.random(len(lengths)) < WHOLE, 1.0, rng.uniform(0.35, 1.0, len(lengths))) * lengths)
    begin = np.where(rng.random(len(lengths)) < 0.5, lengths - hidden, np.floor(rng.random(len(lengths)) * (lengths - hidden + 1)))
    at = np.arange(size)
    return (at >= begin[:, None]) & (at < (begin + hidden)[:, None])


def flow_loss(net, tokens, phones, inside, hidden, untold):
    """Mean square distance to the straight way from noise to speech, over what is hidden."""
    time = torch.sigmoid(torch.randn(len(tokens), device=tokens.device))
    noise = torch.randn_like(tokens)
    noisy = torch.lerp(noise, tokens, time[:, None, None])
    known = torch.where(hidden[..., None], 0.0, tokens)
    with torch.autocast(tokens.device.type, torch.bfloat16, enabled=tokens.is_cuda):
        flow = net(noisy, known, hidden, torch.where(untold[:, None], network.ANY, phones), time, inside)
    counted = hidden & inside
    return ((flow.float() - (tokens - noise)).square().mean(-1) * counted).sum() / counted.sum().clamp(min=1)


def learn(strangers, path, minutes, seconds, rate, config=None, compiled=False, seed=1, every=60, warm=400):
    """Trains for a given time and writes the mean of the weights, every minute and at the end."""
    torch.manual_seed(seed)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    rng, device = np.random.default_rng(seed), strangers.device
    net = network.Mimic(config or network.Config()).to(device).train()
    print(f"{sum(p.numel() for p in net.parameters()) / 1e6:.1f} M parameters, {strangers.hours():.1f} h of {len(set(strangers.voices))} voices", flush=True)
    live = list(net.parameters())
    mean = [p.detach().clone() for p in live]
    matrices = [p for p in live if p.dim() > 1]
    opt = torch.optim.AdamW([{"params": matrices, "weight_decay": 0.01}, {"params": [p for p in live if p.dim() <= 1], "weight_decay": 0.0}],
                            lr=rate, betas=(0.9, 0.95), fused=device != "cpu")
    if compiled:
        for block in net.blocks:
            block.compile(dynamic=True)
    began, steps, heard, log_at, save_at, recent = time.time(), 0, 0.0, 0.0, every, []
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    while (elapsed := time.time() - began) < minutes * 60:
        tokens, phones, inside = strangers.draw(rng, seconds)
        put = lambda a: torch.from_numpy(a).to(device, non_blocking=True)
        hidden = put(hide(rng, inside.sum(1).cpu().numpy(), inside.shape[1]))
        loss = flow_loss(net, tokens, phones, inside, hidden, put(rng.random(len(tokens)) < UNTOLD))
        for group in opt.param_groups:
            group["lr"] = learning_rate(elapsed / (minutes * 60), steps, rate, True, warm)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(live, 1.0, foreach=True)
        opt.step()
        steps, heard = steps + 1, heard + inside.numel() / 50
        torch._foreach_lerp_(mean, [p.detach() for p in live], 1 - min(MEAN, steps / (steps + 10)))
        recent.append(loss.detach())
        if elapsed > log_at:
            log_at = elapsed + 10
            print(f"{elapsed:6.0f} s  step {steps}  heard {heard / 3600:.0f} h  loss {torch.stack(recent).mean().item():.4f}", flush=True)
            recent = []
        if elapsed > save_at:
            save_at = elapsed + every
            network.save(net, mean, path)
    network.save(net, mean, path)
    print(f"done: {steps} steps, {heard / 3600:.0f} h heard", flush=True)
