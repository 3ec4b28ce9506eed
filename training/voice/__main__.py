"""Teaches Silero's network further, or one that was taught before.

    python -m voice --from silero_vad_v5.onnx --real real --recordings recordings.npz --minutes 16 --out run

real: what codec.py packed; recordings: what augment.py packed, for its rooms. Writes run/careful.onnx, and a file for each of the other --costs.
"""
import argparse
import multiprocessing
import os
import queue as queues
import time

import onnx
import torch

import augment

from .graph import graph_of
from .learn import COSTS, Training
from .network import Spectra, Voice, between, read_weights
from .scenes import Scenes
from .tracks import make

TELL, SAVE = 30, 120  # seconds
LONGEST_WAIT = 120  # seconds, for a track to begin with: no worker lives any more, and the reason is printed


def options():
    ap = argparse.ArgumentParser(prog="python -m voice", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--from", dest="start", required=True, help="Silero's file, or one that this wrote")
    ap.add_argument("--real", required=True)
    ap.add_argument("--sounds", nargs="*", default=[], help="packed noise beside that of --real, which the endpointing bench does not have")
    ap.add_argument("--recordings", required=True)
    ap.add_argument("--minutes", type=float, default=16, help="from the start of the command")
    ap.add_argument("--costs", nargs="+", choices=COSTS, default=["careful"], help="a network is taught with each of them, all on the same streams")
    ap.add_argument("--rate", type=float, default=1e-3, help="highest learning rate")
    ap.add_argument("--streams", type=int, default=96, help="in a step")
    ap.add_argument("--tracks", type=int, default=1600, help="of speech that are kept: 3.4 GB of memory with their noise")
    ap.add_argument("--least", type=int, default=25, help="tracks of each kind to begin with")
    ap.add_argument("--workers", type=int, default=4, help="processes that make tracks")
    ap.add_argument("--part", type=float, default=0.7, help="of the learned weights; the rest is of those it began with")
    ap.add_argument("--opus", help="libopus, where it is not installed")
    ap.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--out", required=True, help="folder")
    return ap.parse_args()


def main():
    args, start = options(), time.monotonic()
    weights = read_weights(args.start)
    spectra = Spectra(weights).to(args.device)
    trainings = {name: Training(spectra, Voice(weights).to(args.device), args.rate, COSTS[name]) for name in args.costs}
    scenes = Scenes(args.tracks, augment.Recordings(args.recordings, args.device).rooms, args.device, args.seed)
    queue = start_workers(args)
    while any(pool.count < args.least for pool in scenes.pools.values()):
        scenes.add(*queue.get(timeout=LONGEST_WAIT))
    run(trainings, scenes, args, start + 60 * args.minutes, lambda: take(queue, scenes), lambda: save(trainings, weights, args))
    save(trainings, weights, args)


def start_workers(args):
    context = multiprocessing.get_context("spawn")
    queue = context.Queue(64)
    for part in range(args.workers):
        context.Process(target=make, args=(args.real, args.sounds, part, args.workers, args.opus, args.seed, queue), daemon=True).start()
    return queue


def run(trainings, scenes, args, end, take, save):
    """All on the same streams, until the end; tells how it goes, and saves what there is."""
    start = told = saved = time.monotonic()
    while (now := time.monotonic()) < end:
        done = (now - start) / (end - start)
        streams = scenes.draw(args.streams)
        for training in trainings.values():
            training.learn(*streams, done)
        take()
        if now - told > TELL:
            told, streams = now, scenes.draw(args.streams, below=10)
            parts = [f"{name}: {training.check(*streams)}" for name, training in trainings.items()]
            print(f"{100 * done:.0f} %, {scenes.pools['speech'].count} tracks; at 10 dB {'; '.join(parts)}", flush=True)
        if now - saved > SAVE:
            saved = now
            save()


def take(queue, scenes, most=200):
    """What the workers have made, without waiting for more."""
    for _ in range(most):
        try:
            scenes.add(*queue.get_nowait())
        except queues.Empty:
            return


def save(trainings, weights, args):
    """A file is there whole or not at all."""
    os.makedirs(args.out, exist_ok=True)
    for name, training in trainings.items():
        path = os.path.join(args.out, f"{name}.onnx")
        onnx.save(graph_of(Spectra(weights), between(Voice(weights), training.averaged(Voice(weights)), args.part)), path + ".partial")
        os.replace(path + ".partial", path)


if __name__ == "__main__":
    main()
