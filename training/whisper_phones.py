"""How much of what strangers say could be heard? Whisper's whole encoder, tuned with CTC on our phones, as a measure beside our own network.

    python whisper_phones.py --packed whisper-small.npz --data data/speech --text data/text --recordings recordings.npz --rw real/rw.npz --en real/en.npz --minutes 20

It sees each clip whole, so it cannot stream: it tells what knowing real people is worth. With `--rates` the encoder is
the one that `from_whisper.py` begins with, which streams: the difference tells what streaming costs. Prints the phone errors of `real_voices.py`
every few minutes. It also learns where words end; with `--save` its weights are kept, and `heard.py` writes down speech with them.
"""
import argparse
import os
import time

import numpy as np
import torch
import torch.nn as nn

import augment
import features
import from_whisper
import real_voices
import sounds
import whisper
from evaluate import distance
from model import Config
from pool import FRAME, Pool
from shards import LANGUAGES
from sounds import WORD_END
from tokens import Tokens
from train import ctc_loss, learning_rate
from whisper_encoder import WhisperEncoder

SHARES = {"kokoro": 0.57, "recorded": 0.25, "words": 0.07, "alone": 0.04, "spliced": 0.03, "english": 0.04}
NEIGHBOURS = {"sw": 0.25, "yo": 0.3}
BODY_RATE, HEAD_RATE = 6e-5, 1e-3
BLANK = WORD_END + 1
STEPS = 2  # answers for a frame of 80 ms
TAIL = 8  # frames of silence behind a clip that is measured


class PhoneWhisper(whisper.Whisper):
    def __init__(self, path, device):
        super().__init__(path, device)
        self.requires_grad_(True)
        self.head = nn.Linear(self.dim, BLANK + 1).to(device)

    def forward(self, wave):
        """[B, N] -> [B, N / 640, phones + blank]: an answer every 40 ms."""
        x = whisper.log_mel(wave, self.filters)
        with torch.autocast(wave.device.type, torch.bfloat16, enabled=wave.is_cuda):
            x = self.enter(x)
            for layer in self.layers:
                x = layer(x)
        return self.head(self.norm(x.float()).unflatten(1, (-1, 2)).mean(2))


class PhoneStream(nn.Module):
    """In chunks, from the features of the contract."""

    def __init__(self, path, rates, device):
        super().__init__()
        packed = dict(np.load(path))
        self.encoder = WhisperEncoder(from_whisper.shape(packed, rates, Config()))
        from_whisper.fill(packed, self.encoder)
        self.head = nn.Linear(self.encoder.c.dim, STEPS * (BLANK + 1))
        self.register_buffer("filters", features.mel_filters(self.encoder.c.mel))
        self.to(device)

    def forward(self, wave):
        """[B, N] -> [B, N / 640, phones + blank]"""
        prompt = torch.zeros(len(wave), dtype=torch.long, device=wave.device)
        mels = features.log_mel(wave, self.filters)
        with torch.autocast(wave.device.type, torch.bfloat16, enabled=wave.is_cuda):
            last, _ = self.encoder(mels, prompt, real_voices.LOOK_AHEAD)
        return self.head(last.float()).unflatten(2, (STEPS, -1)).flatten(1, 2)


@torch.no_grad()
def phone_errors(net, pairs, device):
    net.eval()
    wrong = 0
    for clip, said in pairs:
        wave = torch.zeros(1, (len(clip.wave) // FRAME + TAIL) * FRAME)
        wave[0, :len(clip.wave)] = torch.from_numpy(clip.wave.astype(np.float32)) / 32768
        best = net(wave.to(device))[0].argmax(-1).tolist()
        wrong += distance(said, [p for p in real_voices.collapse(best, BLANK) if p != WORD_END])
    net.train()
    return 100 * wrong / sum(len(said) for _, said in pairs)


def step(net, opt, batch, recordings, done, steps):
    with torch.no_grad():
        wave = augment.augment(batch["wave"], 0.8, recordings)
    loss = ctc_loss(net(wave), batch["phones"], 2 * batch["frames_cpu"], batch["phones_len_cpu"], batch["phones_known"])
    for group in opt.param_groups:
        group["lr"] = learning_rate(done, steps, group["peak"], True, 300)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    return loss


def main():
    ap = argparse.ArgumentParser()
    for name in ("packed", "data", "text", "recordings", "rw", "en"):
        ap.add_argument("--" + name, required=True)
    ap.add_argument("--rates", help="frames of each layer in 80 ms, as in from_whisper.py: the encoder hears a stream")
    ap.add_argument("--save", help="file for the weights, written at every measurement and at the end")
    ap.add_argument("--minutes", type=float, required=True)
    ap.add_argument("--seconds", type=float, default=160, help="audio in a batch")
    ap.add_argument("--hours", type=float, default=95, help="room for audio on the device")
    ap.add_argument("--opus", help="libopus, where it is not installed")
    ap.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = ap.parse_args()
    torch.manual_seed(1)
    rng, began = np.random.default_rng(1), time.time()
    sounds.load_lexicon(os.path.join(args.text, "loans.tsv"))
    pool = Pool(Tokens.load(os.path.join(args.text, "tokens.json")), args.device, args.hours, SHARES, {LANGUAGES.index(k): v for k, v in NEIGHBOURS.items()}, 1.3, word_ends=True)
    pool.wait_for_speech([args.data])
    net = PhoneStream(args.packed, [int(r) for r in args.rates.split(",")], args.device) if args.rates else PhoneWhisper(args.packed, args.device)
    body = [p for name, p in net.named_parameters() if not name.startswith("head.")]
    opt = torch.optim.AdamW([{"params": body, "peak": BODY_RATE}, {"params": list(net.head.parameters()), "peak": HEAD_RATE}], betas=(0.9, 0.98), weight_decay=0.01)
    recordings = augment.Recordings(args.recordings, args.device)
    sets = {"Kinyarwanda": real_voices.under_our_prompts(real_voices.kinyarwanda(args.rw, args.opus)), "English words": real_voices.english(args.en, args.opus)}
    steps, measure_at, look_at, limit = 0, 100, 8.0, 60 * args.minutes
    while (elapsed := time.time() - began) < limit:
        if elapsed > look_at:
            look_at = elapsed + 8
            pool.refresh([args.data], 40)
        loss = step(net, opt, pool.draw(rng, args.seconds), recordings, elapsed / limit, steps)
        steps += 1
        if elapsed > measure_at:
            measure_at = elapsed + 150
            report(f"{elapsed:.0f} s  step {steps}  loss {loss.item():.3f}", net, sets, args)
    report(f"done: {steps} steps", net, sets, args)


def report(head, net, sets, args):
    if args.save:
        torch.save({k: v.half() for k, v in net.state_dict().items()}, args.save + ".tmp")
        os.replace(args.save + ".tmp", args.save)
    print(head, *(f"{name} {phone_errors(net, pairs, args.device):.1f}" for name, pairs in sets.items()), sep="  ", flush=True)


if __name__ == "__main__":
    main()
