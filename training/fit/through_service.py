"""Scores a model on the recordings that `fit.sh` held out, through the running service: the package as people will use it.

    PYTHONPATH=training python3 -m fit.through_service fit-lg --model svc-asr-luganda-v1 --address https://127.0.0.1:8443 --key svc_live_v1_... --ca .sauti/tls/ca.pem
"""
import argparse

import service
from fit import score, speech


def main():
    ap = argparse.ArgumentParser(prog="fit.through_service")
    ap.add_argument("work", help="folder of the run")
    ap.add_argument("--model", required=True)
    ap.add_argument("--address", required=True)
    ap.add_argument("--key", required=True)
    ap.add_argument("--ca", help="certificate of the service's own authority")
    ap.add_argument("--look-ahead", type=int, default=13)
    args = ap.parse_args()
    clips = speech.clips(args.work, "test")
    heard = service.transcribe(args.address, args.key, clips, args.look_ahead, args.ca, args.model)
    word_errors, letter_errors = score.errors(clips, heard)
    print(f"{args.model}, look-ahead {args.look_ahead}, {len(clips)} recordings: WER {word_errors:.1f} % CER {letter_errors:.1f} %")


if __name__ == "__main__":
    main()
