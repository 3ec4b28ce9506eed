"""Fine-tuning on recordings, for a given time of training. Saved every two minutes; a run that was stopped goes on where it was."""
import os
import time

import numpy as np
import torch

import augment
import features
import train
from model import LOOK_AHEADS
from pool import Pool

# Recordings have no phone times, so only what the text says is learned.
WEIGHTS = {"mid": 0.0, "last": 0.0, "phones": 0.0, "pieces": 0.3, "transducer": 1.0, "strength": 0.6}
WARM_STEPS = 40
SAVE_SECONDS, LOG_SECONDS = 120, 30
SMALL_BATCH, LARGE_BATCH = 100, 900  # seconds of audio: on a CPU, on a GPU


class Run:
    """The live network, its average, the optimiser, and how far it is."""

    def __init__(self, model, rate, path):
        self.model, self.path, self.rate = model, path, rate
        self.average, self.optimiser = train.Average(model), train.optimiser(model, None, rate)
        self.seconds, self.steps, self.heard = 0.0, 0, 0.0

    def save(self):
        state = {"model": self.model.state_dict(), "mean": self.average.mean, "mean_steps": self.average.steps,
                 "optimiser": self.optimiser.state_dict(), "done": (self.seconds, self.steps, self.heard)}
        torch.save(state, self.path + ".tmp")
        os.replace(self.path + ".tmp", self.path)

    def resume(self):
        if not os.path.exists(self.path):
            return
        state = torch.load(self.path, map_location=next(self.model.parameters()).device, weights_only=True)
        self.model.load_state_dict(state["model"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.average.mean, self.average.steps = state["mean"], state["mean_steps"]
        self.seconds, self.steps, self.heard = state["done"]
        print(f"going on after {self.seconds / 60:.1f} minutes and {self.steps} steps", flush=True)


def fit(model, tokens, shards, run_path, args):
    """Trains the model in place; what it holds in the end is the average of its weights. Returns what was done."""
    pool = Pool(tokens, args.device, hours_in(shards), {"recorded": 1.0})
    pool.refresh([shards])
    run = Run(model.to(args.device).train(), args.rate, run_path)
    run.resume()
    rng, filters = np.random.default_rng(args.seed + run.steps), augment.Filters(model.c.mel, args.device)
    torch.manual_seed(args.seed + run.steps)
    recordings = augment.Recordings(args.recordings, args.device) if args.recordings else None
    batch_seconds = args.batch_seconds or (LARGE_BATCH if args.device == "cuda" else SMALL_BATCH)
    logged = saved = run.seconds
    while run.seconds < args.minutes * 60:
        began = time.monotonic()
        done = run.seconds / (args.minutes * 60)
        batch = pool.draw(rng, batch_seconds)
        parts = train.losses(model, batch, filters, WEIGHTS, int(rng.choice(LOOK_AHEADS, p=train.LOOK_AHEAD_SHARE)), recordings)
        train.step(model, run.average, run.optimiser, parts, WEIGHTS, train.learning_rate(done, run.steps, args.rate, True, WARM_STEPS))
        shown = {name: part.item() for name, part in parts.items()}  # waits for the device, so that the time below is the step's
        run.steps, run.heard = run.steps + 1, run.heard + batch["wave"].numel() / features.RATE
        run.seconds += time.monotonic() - began
        if run.seconds > logged + LOG_SECONDS:
            logged = run.seconds
            print(f"{run.seconds / 60:6.1f} min  step {run.steps}  heard {run.heard / 3600:.1f} h  " + "  ".join(f"{k} {v:.3f}" for k, v in shown.items()), flush=True)
        if run.seconds > saved + SAVE_SECONDS:
            saved = run.seconds
            run.save()
    run.save()
    run.average.swap()
    return {"minutes": round(run.seconds / 60, 1), "steps": run.steps, "hours_heard": round(run.heard / 3600, 1), "batch_seconds": batch_seconds}


def hours_in(shards):
    samples = sum(len(np.load(os.path.join(shards, name))["audio"]) for name in os.listdir(shards) if name.endswith(".npz"))
    return (samples + 2) / features.RATE / 3600
