"""Step 3: trains the model, for a given time (wall clock).

    python train.py --data data/speech --text data/text --out run --minutes 20
    python train.py --init run/model.pt --data my/shards --text data/text --out tuned --minutes 5 --rate 3e-4

Three things teach the encoder to hear before the transducer can work: a phone for every 40 ms (known exactly for synthetic speech), the
sequence of phones and the sequence of pieces (CTC). The transducer's weight rises when they have taken hold; without them it stays
on its plateau for thousands of steps. With `--resume` a run that was stopped goes on where it was. With `--teacher` the encoder's middle also predicts what Whisper hears in the clean clip
(`whisper.py`), which needs no transcripts and knows real voices. New shards are taken in while the training runs.
"""
import argparse
import math
import os
import time

import numpy as np
import torch
import torch.nn.functional as F

import augment
import features
import whisper
from loss import transducer_loss
from model import LOOK_AHEADS, Config, Model, load_checkpoint, save_checkpoint
from pool import Pool
from shards import LANGUAGES
from tokens import Tokens

LOOK_AHEAD_SHARE = (0.4, 0.2, 0.2, 0.2)


def ramp(x, start, end):
    return min(1.0, max(0.0, (x - start) / (end - start)))


def plan(done, tuning):
    """Weights of the losses and the strength of the augmentation at a share of the time. A model that is fine-tuned needs no such start."""
    if tuning:
        return {"mid": 0.3, "last": 0.0, "phones": 0.3, "pieces": 0.5, "transducer": 1.0, "teacher": 0.5, "strength": 1.0}
    return {"mid": 1.0 - 0.8 * ramp(done, 0.05, 0.4), "last": 1.0 - ramp(done, 0.05, 0.3), "phones": 0.25 * ramp(done, 0.02, 0.05),
            "pieces": 0.25 * ramp(done, 0.03, 0.08), "transducer": ramp(done, 0.06, 0.14), "teacher": 0.5, "strength": ramp(done, 0.1, 0.45)}


def learning_rate(done, steps, peak, tuning, warm_steps):
    warm = min(1.0, (steps + 1) / warm_steps)
    fall = ramp(done, 0.02 if tuning else 0.25, 1.0)
    return peak * warm * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * fall)))


def phone_loss(logits, labels, mask):
    logits = logits.float().view(*labels.shape, -1)
    labels = torch.where(mask[..., None], labels, -100)
    return F.cross_entropy(logits.flatten(0, 2), labels.flatten(), ignore_index=-100, label_smoothing=0.05)


def ctc_loss(logits, targets, frames, lengths, weight):
    """Mean over pieces; rows of weight 0 (wrong prompt for their text) do not count. Lengths live on the CPU: no waiting for the device."""
    log_probs = logits.float().log_softmax(-1).transpose(0, 1)
    each = F.ctc_loss(log_probs, targets, frames, lengths, blank=logits.shape[-1] - 1, reduction="none", zero_infinity=True)
    return (each * weight).sum() / max(1, int(lengths.sum()))


class Teacher(torch.nn.Module):
    """What Whisper hears in a clip, predicted from the middle of our encoder; each feature counts by its own spread over the batch."""

    def __init__(self, path, dim, device):
        super().__init__()
        self.whisper = whisper.Whisper(path, device)
        self.projections = torch.nn.ModuleList(torch.nn.Linear(dim, self.whisper.dim) for _ in self.whisper.taps).to(device)

    def forward(self, wave, middle, inside):
        share = (inside / inside.sum())[..., None]  # of the mean; masks instead of indexing, which would wait for the device
        mean = lambda t: (t * share).sum((0, 1))
        losses = []
        for project, heard in zip(self.projections, self.whisper(wave)):
            centred = heard - mean(heard)
            wanted = centred * mean(centred.square()).clamp(min=1e-6).rsqrt()
            losses.append(mean((project(middle).float() - wanted).square()).mean())
        return sum(losses) / len(losses)


def is_faster_in_half(device):
    """Every GPU, and processors with matrix units for 16 bits."""
    return device.type == "cuda" or getattr(torch.cpu, "_is_amx_tile_supported", lambda: False)()


def losses(model, batch, filters, weights, look_ahead, recordings=None, teacher=None):
    with torch.no_grad():
        wave = augment.augment(batch["wave"], weights["strength"], recordings) if weights["strength"] > 0 else batch["wave"]
        mels = features.log_mel(wave, filters.draw(len(wave), weights["strength"]))
        mels = augment.mask_spectrogram(mels, weights["strength"])
    with torch.autocast(mels.device.type, torch.bfloat16, enabled=is_faster_in_half(mels.device)):
        last, middle = model.encoder(mels, batch["prompt"], look_ahead)
        middle = model.norm_mid(middle)
        heads = model.phones_mid(middle), model.phones_last(last), model.phone_ctc(middle), model.piece_ctc(last)
    inside = torch.arange(last.shape[1], device=last.device)[None] < batch["frames"][:, None]
    halves = heads[2].view(len(wave), 2 * last.shape[1], -1)  # more phones than frames in fast speech: two steps per frame

    def transducer():
        with torch.autocast(mels.device.type, torch.bfloat16, enabled=is_faster_in_half(mels.device)):
            predicted = model.predictor(batch["pieces"])
            each = transducer_loss(model.joiner, last, predicted, batch["pieces"], batch["frames"], batch["pieces_len"])
        return (each * batch["own"]).sum() / max(1, int(batch["pieces_len_cpu"].sum()))

    def taught():
        rows = batch["taught"]
        with torch.autocast(mels.device.type, torch.bfloat16, enabled=is_faster_in_half(mels.device)):
            return teacher(batch["wave"][rows], middle[rows], inside[rows])
    parts = {"mid": lambda: phone_loss(heads[0], batch["labels"], inside), "last": lambda: phone_loss(heads[1], batch["labels"], inside),
             "phones": lambda: ctc_loss(halves, batch["phones"], 2 * batch["frames_cpu"], batch["phones_len_cpu"], batch["phones_known"]),
             "pieces": lambda: ctc_loss(heads[3], batch["pieces"], batch["frames_cpu"], batch["pieces_len_cpu"], batch["own"]), "transducer": transducer}
    if teacher is not None:
        parts["teacher"] = taught
    return {name: part() for name, part in parts.items() if weights[name] > 0}


class Average:
    """An exponential mean of the weights: what is evaluated, saved and exported."""

    def __init__(self, model):
        self.live = [p for p in model.parameters()]
        self.mean, self.steps = [p.detach().clone() for p in self.live], 0

    @torch.no_grad()
    def update(self, decay=0.9985):
        self.steps += 1
        torch._foreach_lerp_(self.mean, [p.detach() for p in self.live], 1 - min(decay, self.steps / (self.steps + 10)))

    @torch.no_grad()
    def swap(self):
        for a, b in zip(self.live, self.mean):
            keep = a.detach().clone()
            a.copy_(b)
            b.copy_(keep)


class Run:
    """The live network, its average, the optimiser, and how far it is: `done` is a share of the time here, seconds in the kit (fit/learn.py)."""

    def __init__(self, model, optimiser, path):
        self.model, self.average, self.optimiser, self.path = model, Average(model), optimiser, path
        self.done, self.steps, self.heard = 0.0, 0, 0.0

    def save(self):
        """All that is needed to go on."""
        state = {"model": self.model.state_dict(), "mean": self.average.mean, "mean_steps": self.average.steps,
                 "optimiser": self.optimiser.state_dict(), "done": (self.done, self.steps, self.heard)}
        torch.save(state, self.path + ".tmp")
        os.replace(self.path + ".tmp", self.path)

    def resume(self):
        """Whether there was something to go on from."""
        if not os.path.exists(self.path):
            return False
        state = torch.load(self.path, map_location=next(self.model.parameters()).device, weights_only=True)
        self.model.load_state_dict(state["model"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.average.mean, self.average.steps = state["mean"], state["mean_steps"]
        self.done, self.steps, self.heard = state["done"]
        return True

    def save_average(self, path):
        """What is evaluated and exported."""
        self.average.swap()
        save_checkpoint(self.model, path, steps=self.steps, hours=self.heard / 3600)
        self.average.swap()


def start_model(args, tokens, device):
    if not args.init:
        return Model(Config(vocab=len(tokens.pieces), **({} if not args.small else {"dim": 64, "layers": 2, "mid": 1, "pred": 64, "joint": 64, "sub": (48, 64)}))).to(device)
    return load_checkpoint(args.init).to(device)


def optimiser(model, teacher, rate, encoder_rate=1.0):
    encoder = list(model.encoder.parameters())
    others = [*(p for name, p in model.named_parameters() if not name.startswith("encoder.")), *(teacher.projections.parameters() if teacher else ())]
    groups = [{"params": [p for p in learned if (p.dim() > 1) == matrices], "weight_decay": 0.02 if matrices else 0.0, "share": share}
              for learned, share in ((encoder, encoder_rate), (others, 1.0)) for matrices in (True, False)]
    return torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98), fused=next(model.parameters()).is_cuda)


def step(model, average, opt, parts, weights, rate):
    for group in opt.param_groups:
        group["lr"] = rate * group["share"]
    total = sum(weights[k] * v for k, v in parts.items())
    opt.zero_grad(set_to_none=True)
    total.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=True)
    if total.is_cuda:  # the fused optimiser skips the step by itself, without waiting for the device
        opt.grad_scale, opt.found_inf = None, (~norm.isfinite()).float()
        opt.step()
    elif norm.isfinite():
        opt.step()
    average.update()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--data", action="append", required=True, help="folder of shards; may be given again")
    ap.add_argument("--text", required=True, help="folder made by prepare.py (tokens.json)")
    ap.add_argument("--out", required=True)
    ap.add_argument("--init", help="checkpoint to go on from")
    ap.add_argument("--fresh", action="store_true", help="what --init holds cannot write yet (from_whisper.py): the losses come one after the other, as without it")
    ap.add_argument("--encoder-rate", type=float, default=1.0, help="learning rate of the encoder, as a share of the others'")
    ap.add_argument("--minutes", type=float, required=True)
    ap.add_argument("--seconds", type=float, default=1800, help="audio in a batch")
    ap.add_argument("--rate", type=float, default=6e-4)
    ap.add_argument("--hours", type=float, default=300, help="room for audio on the device")
    ap.add_argument("--shares", default="espeak=0.05,kokoro=0.50,recorded=0.22,words=0.09,spliced=0.05,english=0.05,sounds=0.04", help="of the time, by the kind of speech")
    ap.add_argument("--teacher", help="Whisper's encoder, packed by whisper.py")
    ap.add_argument("--recordings", help="measured rooms and recorded noise, packed by augment.py")
    ap.add_argument("--languages", default="ki=1,luo=1", help="shares of the languages inside a kind")
    ap.add_argument("--short", type=float, default=1.0, help="how many times as often utterances of less than two seconds are heard")
    ap.add_argument("--joined", type=float, default=0.2, help="share of the long rows that hold several utterances with pauses between them")
    ap.add_argument("--warm", type=int, help="steps until the learning rate is reached: 500, or 20 with --init")
    ap.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    ap.add_argument("--compile", action="store_true")
    ap.add_argument("--small", action="store_true", help="a tiny model, for a trial on a CPU")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--every", type=float, default=60, help="seconds between checkpoints")
    ap.add_argument("--resume", action="store_true", help="keep OUT/state.pt beside the checkpoint, and go on from it where it is there: --minutes is then what is left")
    train(ap.parse_args())


def train(args):
    began = time.time()
    os.makedirs(args.out, exist_ok=True)
    torch.manual_seed(args.seed)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    rng, tokens = np.random.default_rng(args.seed), Tokens.load(os.path.join(args.text, "tokens.json"))
    shares, languages = ({k: float(v) for k, v in (s.split("=") for s in given.split(","))} for given in (args.shares, args.languages))
    pool = Pool(tokens, args.device, args.hours, shares, {LANGUAGES.index(k): v for k, v in languages.items()}, args.short, args.joined)
    pool.wait_for_speech(args.data)
    model = start_model(args, tokens, args.device).train()
    print(f"{sum(p.numel() for p in model.parameters()) / 1e6:.1f} M parameters, speech in hours {pool.hours()}", flush=True)
    if args.compile:
        for block in model.encoder.blocks:
            block.compile(dynamic=True)
    tuning = bool(args.init) and not args.fresh
    warm = args.warm or (20 if tuning else 500)
    teacher = Teacher(args.teacher, model.c.dim, args.device) if args.teacher else None
    recordings = augment.Recordings(args.recordings, args.device) if args.recordings else None
    filters = augment.Filters(model.c.mel, args.device)
    run = Run(model, optimiser(model, teacher, args.rate, args.encoder_rate), os.path.join(args.out, "state.pt"))
    if args.resume and run.resume():
        rng = np.random.default_rng(args.seed + run.steps)
        torch.manual_seed(args.seed + run.steps)
        print(f"going on after {run.steps} steps, {100 * run.done:.0f} % of the time", flush=True)
    path, before, taken, log_at, save_at, look_at = os.path.join(args.out, "model.pt"), run.done, 0, 0.0, args.every, 0.0
    while (elapsed := time.time() - began) < args.minutes * 60:
        if taken == 3:  # loading and compiling are not training time
            first = elapsed
        run.done = before + (1 - before) * (elapsed - first) / (args.minutes * 60 - first) if taken >= 3 else before
        weights, rate = plan(run.done, tuning), learning_rate(run.done, run.steps, args.rate, tuning, warm)
        batch = pool.draw(rng, args.seconds)
        parts = losses(model, batch, filters, weights, int(rng.choice(LOOK_AHEADS, p=LOOK_AHEAD_SHARE)), recordings, teacher)
        step(model, run.average, run.optimiser, parts, weights, rate)
        taken, run.steps, run.heard = taken + 1, run.steps + 1, run.heard + batch["wave"].numel() / features.RATE
        if elapsed > log_at:
            log_at = elapsed + 5
            print(f"{elapsed:6.0f} s  step {run.steps}  heard {run.heard / 3600:.0f} h  rate {rate:.1e}  " + "  ".join(f"{k} {v.item():.3f}" for k, v in parts.items()), flush=True)
        if elapsed > look_at and run.done < 0.85:
            look_at = elapsed + 8
            if pool.refresh(args.data, 40):
                print("speech in hours", pool.hours(), flush=True)
        if elapsed > save_at:
            save_at = elapsed + args.every
            save(run, path, args.resume)
    run.done = 1.0
    save(run, path, args.resume)
    print(f"done: {run.steps} steps, {run.heard / 3600:.0f} h heard", flush=True)


def save(run, path, state):
    run.save_average(path)
    if state:
        run.save()


if __name__ == "__main__":
    main()
