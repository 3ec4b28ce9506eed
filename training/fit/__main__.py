"""Fits the bundled network to recordings: `fit.sh FOLDER --code lg --language Luganda`. The steps, in order; each leaves its result in --work,
so that a run that was stopped goes on where it was.

1 recordings -> shards, split by speaker     2 pieces of the language     3 score before     4 fine-tune     5 language model
6 score after     7 package with its card     8 install
"""
import argparse
import json
import os
import time

import torch

from fit import learn, package, recordings, score, speech, vocabulary
from languages import SPOKEN
from model import load_checkpoint, save_checkpoint
from shards import LANGUAGES
from tokens import Tokens

TRIED = 24  # dev recordings by which the nearest of the network's languages is chosen
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
CHECKPOINT, PIECES = (os.path.join(HERE, "checkpoints", name) for name in ("joint-v15.pt.xz", "tokens.json"))


def options():
    ap = argparse.ArgumentParser(prog="fit.sh", description="Fits the bundled network to your recordings and makes a package that the service loads.")
    ap.add_argument("folder", help="recordings: Common Voice, African Next Voices, Kaldi, Festvox, or manifest.tsv with path, text and speaker")
    ap.add_argument("--code", required=True, help="of the language, as in BCP 47: ki and luo go on with our models, any other begins a new one")
    ap.add_argument("--language", help="its name; needed for a new language")
    ap.add_argument("--work", help="folder for everything that is made (default: fit-CODE)")
    ap.add_argument("--layout", choices=recordings.WITH_TEXT, help="where it cannot be seen from the folder")
    ap.add_argument("--minutes", type=float, default=40, help="of training (default 40)")
    ap.add_argument("--pieces", type=int, default=vocabulary.SIZE, help="vocabulary of a new language (default 256)")
    ap.add_argument("--near", choices=LANGUAGES, help="which of the network's languages a new one starts from (default: what does best on dev)")
    ap.add_argument("--init", default=CHECKPOINT, help="checkpoint to start from")
    ap.add_argument("--rate", type=float, default=5e-4, help="highest learning rate")
    ap.add_argument("--batch-seconds", type=float, help="of audio in a step (default 100, on a GPU 900)")
    ap.add_argument("--recordings", help="measured rooms and recorded noise, packed by augment.py")
    ap.add_argument("--text", action="append", default=[], help="more sentences for the language model, one per line; may be given again")
    ap.add_argument("--held-out", type=int, default=400, help="most recordings in test and in dev")
    ap.add_argument("--look-ahead", type=int, default=13, help="of the scores: 13, 6, 3 or 0")
    ap.add_argument("--licence", default="not stated", help="of your recordings, for the card")
    ap.add_argument("--model-version", default="1.0.0")
    ap.add_argument("--install", metavar="SAUTI", help='command that installs the package, for example "npx sauti"')
    ap.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    ap.add_argument("--threads", type=int, default=os.cpu_count())
    ap.add_argument("--seed", type=int, default=1)
    args = ap.parse_args()
    args.is_new = args.code not in SPOKEN
    if args.is_new and not args.language:
        ap.error("--language is needed for a new language")
    args.work = args.work or f"fit-{args.code}"
    return args


def main():
    args = options()
    torch.set_num_threads(args.threads)
    os.makedirs(args.work, exist_ok=True)
    # Without a prompt of its own the slot is never looked at, but the shards need one.
    args.slot = LANGUAGES[0] if args.is_new else args.code
    try:
        run(args)
    except recordings.LayoutError as error:
        raise SystemExit(f"fit.sh: {error}") from None


def run(args):
    began = time.monotonic()
    facts = say("recordings", speech.prepare(args, args.slot))
    test, dev, sentences = speech.clips(args.work, "test"), speech.clips(args.work, "dev"), speech.texts(args.work)
    model, tokens, near = start(args, dev, sentences)
    before = once(os.path.join(args.work, "before.json"), lambda: evaluate(args, model, tokens, test))
    figures = {"recordings": facts, "near": near, "before": say("before", before)}
    figures["training"] = say("training", fit(args, model, tokens))
    language_model = package.learn_language(sentences, args.text, args.code, tokens)
    figures["after"] = say("after", evaluate(args, model, tokens, test, language_model))
    figures["minutes_in_all"] = round((time.monotonic() - began) / 60, 1)
    json.dump(figures, open(os.path.join(args.work, "figures.json"), "w"), indent=1)
    folder = package.write(args, model, tokens, language_model, figures)
    print(f"the package is in {folder}", flush=True)
    if args.install:
        package.install(args, folder)


def once(path, work):
    """What an earlier run has found, or finds it now."""
    if not os.path.exists(path):
        json.dump(work(), open(path, "w"))
    return json.load(open(path))


def say(name, result):
    print(f"{name}: {json.dumps(result, ensure_ascii=False)}", flush=True)
    return result


def start(args, dev, sentences):
    """The network to go on from, with the pieces that it writes; for a new language also which prompt it started from."""
    model, old = load_checkpoint(args.init), Tokens.load(PIECES)
    if not args.is_new:
        return model, old, args.code
    path = os.path.join(args.work, "tokens.json")
    if not os.path.exists(path):
        vocabulary.learn_pieces(sentences, args.pieces).save(path)
    new = Tokens.load(path)
    begin = lambda code: vocabulary.transplant(model, old, new, LANGUAGES.index(code))
    letters = lambda code: evaluate(args, begin(code), new, dev[:TRIED])["sound"][1]
    near = args.near or once(os.path.join(args.work, "near.json"), lambda: min(LANGUAGES, key=letters))
    return begin(near), new, near


def fit(args, model, tokens):
    done = learn.fit(model, tokens, os.path.join(args.work, "speech", "train"), os.path.join(args.work, "run.pt"), args)
    save_checkpoint(model, os.path.join(args.work, "model.pt"))
    return done


def evaluate(args, model, tokens, clips, language_model=None):
    """{"sound": (WER, CER)}, and with a language model what the service's search writes."""
    clips, model = [c._replace(language=args.slot) for c in clips], model.to(args.device).eval()
    out = {"sound": score.errors(clips, score.by_sound(model, tokens, clips, args.look_ahead, args.device))}
    if language_model:
        prompt = LANGUAGES.index(args.slot)
        heard = score.with_language(model, tokens, clips, language_model, args.look_ahead, prompt, args.device)
        write_heard(os.path.join(args.work, "heard.tsv"), clips, heard)
        out["language_model"] = score.errors(clips, heard)
    return out


def write_heard(path, clips, heard):
    """What was said and what was written, to read."""
    with open(path, "w", encoding="utf-8") as out:
        out.writelines(f"{clip.text}\t{text}\n" for clip, text in zip(clips, heard))


if __name__ == "__main__":
    main()
