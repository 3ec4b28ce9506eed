"""The package of a fitted network: graphs, tokens, language model, manifest and card; and its installation."""
import os
import shlex
import subprocess

import language_model
from export import manifest, write_graphs
from fit import spelling
from languages import LANGUAGES
from package_files import entry, write_json


def learn_language(sentences, files, code, tokens):
    """From the training's sentences, and what else people wrote."""
    lines = [line for path in files for line in open(path, encoding="utf-8")]
    said = [*sentences, *filter(None, (spelling.normalise(line.rstrip("\n").rpartition("\t")[2], code) for line in lines))]
    return language_model.learn([tokens.encode(s) for s in said], tokens.blank)


def identity(args):
    """id, language and prompt of the package."""
    if not args.is_new:
        return LANGUAGES[args.code]["id"], LANGUAGES[args.code]["language"], list(LANGUAGES).index(args.code)
    return f"svc-asr-{args.language.lower().replace(' ', '-')}-v1", args.language, None


def write(args, model, tokens, learned, figures):
    name, language, prompt = identity(args)
    folder = os.path.join(args.work, "package")
    files = write_graphs(model.cpu().eval(), folder)
    tokens.write_table(os.path.join(folder, "tokens.txt"))
    language_model.save(learned, os.path.join(folder, "language-model.bin"))
    files |= {"tokens": "tokens.txt", "language_model": "language-model.bin"}
    with open(os.path.join(folder, "README.md"), "w", encoding="utf-8") as out:
        out.write(card(args, name, language, figures))
    head = {"id": name, "language": language, "language_code": args.code, "version": args.model_version, "licence": args.licence}
    write_json(os.path.join(folder, "manifest.json"), manifest(model.c, folder, files, **head) | {"prompt_index": prompt})
    return folder


def card(args, name, language, figures):
    facts, before, after, training = (figures[k] for k in ("recordings", "before", "after", "training"))
    new = f"{facts['test']['speakers']} speakers that the training did not hear"
    people = new if facts["new_speakers"] else "speakers whom the training heard, too (other people may be heard worse)"
    row = lambda title, rates: f"| {title} | {rates[0]:.1f} | {rates[1]:.1f} |"
    return "\n".join([
        f"# {name} {args.model_version}", "",
        f"{language} (`{args.code}`). The bundled network of Sauti, fitted to recordings with `training/fit.sh`. Licence of the recordings: {args.licence}.", "",
        f"Held out: {facts['test']['clips']} recordings of {people}. No sentence of theirs was in the training or in the language model's text.", "",
        f"| look-ahead {args.look_ahead} | WER % | CER % |", "|---|--:|--:|",
        row("before the training, by sound alone", before["sound"]), row("after, by sound alone", after["sound"]),
        row("after, with the language model", after["language_model"]), "",
        f"Training: {facts['train']['clips']} recordings, {facts['train']['hours']} hours, {facts['train']['speakers']} speakers; {training['minutes']} minutes, "
        f"{training['steps']} steps, {training['hours_heard']} hours heard in all (recordings repeat, each time with other noise, room and speed).", "",
        "Text is lower case without punctuation. The figures are of the network in fp32; the package holds its matrices in int8.", ""])


def install(args, folder):
    """`sauti models import`, which checks the package by running it."""
    name, _, _ = identity(args)
    command = [*shlex.split(args.install), "models", "import", folder, "--as", name, "--model-version", args.model_version, "--licence", args.licence]
    print(shlex.join(command), flush=True)
    subprocess.run(command, check=True)
