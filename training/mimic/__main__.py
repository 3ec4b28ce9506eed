"""    python -m mimic learn --data data/speech --out mimic.pt --minutes 7
    python -m mimic speak --data data/speech --net mimic.pt --out data/speech --seconds 150
"""
import argparse

import torch

from mimic import network
from mimic.examples import Strangers, scores_of
from mimic.learn import learn
from mimic.speak import GUIDANCE, speak
from model import load_checkpoint


def main():
    ap = argparse.ArgumentParser(prog="python -m mimic", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = ap.add_subparsers(dest="command", required=True)
    one = commands.add_parser("learn")
    one.add_argument("--minutes", type=float, required=True)
    one.add_argument("--out", required=True)
    one.add_argument("--rate", type=float, default=8e-4)
    one.add_argument("--batch", type=float, default=640, help="seconds of speech in a batch")
    one.add_argument("--dim", type=int, default=network.Config.dim)
    one.add_argument("--layers", type=int, default=network.Config.layers)
    one.add_argument("--compile", action="store_true")
    two = commands.add_parser("speak")
    two.add_argument("--net", required=True)
    two.add_argument("--out", required=True)
    two.add_argument("--name", default="mimic-1")
    two.add_argument("--seconds", type=float, required=True, help="wall clock")
    two.add_argument("--limit", type=int, help="utterances at most")
    two.add_argument("--tokens", type=int, default=40000, help="of 20 ms, in a batch")
    two.add_argument("--guidance", type=float, default=GUIDANCE, help="how far it is pushed towards the sounds that it is told")
    two.add_argument("--languages", default="ki,luo")
    two.add_argument("--checkpoint", help="a recogniser of ours: what it does not understand at all is left out")
    two.add_argument("--scores", help="folder of the synthetic speech, where it is another one than --data")
    for command in (one, two):
        command.add_argument("--data", action="append", required=True, help="folder of shards; may be given again")
        command.add_argument("--seed", type=int, default=1)
        command.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = ap.parse_args()
    strangers = Strangers(args.data, args.device)
    if args.command == "learn":
        config = network.Config(dim=args.dim, layers=args.layers)
        learn(strangers, args.out, args.minutes, args.batch, args.rate, config, args.compile, args.seed)
    else:
        scores = scores_of([args.scores] if args.scores else args.data, args.languages.split(","))
        recogniser = load_checkpoint(args.checkpoint).to(args.device).eval() if args.checkpoint else None
        speak(network.load(args.net, args.device), strangers, scores, args.out, args.name, args.seconds, args.tokens, args.seed, args.guidance, args.limit, recogniser)


if __name__ == "__main__":
    main()
