"""Teaches Silero's network further.

    python -m voice --from silero_vad_v5.onnx --real real --recordings recordings.npz --minutes 16 --out voice.onnx

real: what codec.py packed; recordings: what augment.py packed, for its rooms.
"""
import argparse
import multiprocessing
import queue as queues

import onnx
import torch

import augment

from .graph import graph_of
from .learn import Training
from .network import Spectra, Voice, between, silero_weights
from .scenes import Scenes
from .tracks import make


def options():
    ap = argparse.ArgumentParser(prog="python -m voice", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--from", dest="start", required=True, help="Silero's file")
    ap.add_argument("--real", required=True)
    ap.add_argument("--recordings", required=True)
    ap.add_argument("--minutes", type=float, default=16)
    ap.add_argument("--rate", type=float, default=1e-3, help="highest learning rate")
    ap.add_argument("--streams", type=int, default=96, help="in a step")
    ap.add_argument("--tracks", type=int, default=1600, help="of speech that are kept: 3.4 GB of memory with their noise")
    ap.add_argument("--least", type=int, default=25, help="tracks of each kind to begin with")
    ap.add_argument("--workers", type=int, default=4, help="processes that make tracks")
    ap.add_argument("--part", type=float, default=0.7, help="of the learned weights; the rest is Silero's")
    ap.add_argument("--opus", help="libopus, where it is not installed")
    ap.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--out", required=True)
    return ap.parse_args()


def main():
    args = options()
    weights = silero_weights(args.start)
    spectra, network = Spectra(weights).to(args.device), Voice(weights).to(args.device)
    scenes = Scenes(args.tracks, augment.Recordings(args.recordings, args.device).rooms, args.device, args.seed)
    queue = start_workers(args)
    while any(pool.count < args.least for pool in scenes.pools.values()):
        scenes.add(*queue.get())
    Training(spectra, network, args.rate).run(scenes, args.streams, args.minutes, lambda: take(queue, scenes))
    onnx.save(graph_of(spectra, between(Voice(weights), network.cpu(), args.part)), args.out)


def start_workers(args):
    context = multiprocessing.get_context("spawn")
    queue = context.Queue(64)
    for part in range(args.workers):
        context.Process(target=make, args=(args.real, part, args.workers, args.opus, args.seed, queue), daemon=True).start()
    return queue


def take(queue, scenes, most=200):
    """What the workers have made, without waiting for more."""
    for _ in range(most):
        try:
            scenes.add(*queue.get_nowait())
        except queues.Empty:
            return


if __name__ == "__main__":
    main()
