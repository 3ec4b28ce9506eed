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


def fit(model, tokens, shards, run_path, args):
    """Trains the model in place; what it holds in the end is the average of its weights. Returns what was done."""
    pool = Pool(tokens, args.device, hours_in(shards), {"recorded": 1.0})
    pool.refresh([shards])
    model = model.to(args.device).train()
    run = train.Run(model, train.optimiser(model, None, args.rate), run_path)
    if run.resume():
        print(f"going on after {run.done / 60:.1f} minutes and {run.steps} steps", flush=True)
    rng, filters = np.random.default_rng(args.seed + run.steps), augment.Filters(model.c.mel, args.device)
    torch.manual_seed(args.seed + run.steps)
    recordings = augment.Recordings(args.recordings, args.device) if args.recordings else None
    batch_seconds = args.batch_seconds or (LARGE_BATCH if args.device == "cuda" else SMALL_BATCH)
    logged = saved = run.done
    while run.done < args.minutes * 60:
        began = time.monotonic()
        share = run.done / (args.minutes * 60)
        batch = pool.draw(rng, batch_seconds)
        parts = train.losses(model, batch, filters, WEIGHTS, int(rng.choice(LOOK_AHEADS, p=train.LOOK_AHEAD_SHARE)), recordings)
        train.step(model, run.average, run.optimiser, parts, WEIGHTS, train.learning_rate(share, run.steps, args.rate, True, WARM_STEPS))
        shown = {name: part.item() for name, part in parts.items()}  # waits for the device, so that the time below is the step's
        run.steps, run.heard = run.steps + 1, run.heard + batch["wave"].numel() / features.RATE
        run.done += time.monotonic() - began
        if run.done > logged + LOG_SECONDS:
            logged = run.done
            print(f"{run.done / 60:6.1f} min  step {run.steps}  heard {run.heard / 3600:.1f} h  " + "  ".join(f"{k} {v:.3f}" for k, v in shown.items()), flush=True)
        if run.done > saved + SAVE_SECONDS:
            saved = run.done
            run.save()
    run.save()
    run.average.swap()
    return {"minutes": round(run.done / 60, 1), "steps": run.steps, "hours_heard": round(run.heard / 3600, 1), "batch_seconds": batch_seconds}


def hours_in(shards):
    samples = sum(len(np.load(os.path.join(shards, name))["audio"]) for name in os.listdir(shards) if name.endswith(".npz"))
    return (samples + 2) / features.RATE / 3600
