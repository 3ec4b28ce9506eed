"""A training on a GPU that is rented for half an hour and may be lost at any time: inputs come in parts, stages begin when their inputs are there, what was stopped goes on.

    python rented.py split parts INPUTS... --size 60      at home: files and folders become parts/00, parts/01, ... of at most so many MB each, in the given order
    python rented.py join WORK parts/00                   there, whenever a part has come: files that are whole appear under WORK/in
    setsid python rented.py run WORK --minutes 24 > run.log 2>&1 &     there, with the first part: all stages, each as soon as it can
    python rented.py wait WORK --seconds 60               there: what each stage does
    python rented.py save WORK OUT --size 15              there, often: the newest weights and all logs, cut into files of at most so many MB; --run beside: those of the second training
    python rented.py join HOME OUT                        at home: the weights are whole again under HOME/in
"""
import argparse
import collections
import functools
import glob
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
MB = 1 << 20
LIST = "files.list"
TEXTED = ("sw", "lg", "lg-people", "ha", "yo", "fon", "ibb", "iba", "en", "noise")  # recordings that recorded.py reads
UNTEXTED = ("many", "lg-commands", "en-people", "en-learners", "en-clips")  # that heard.py writes down
SIDE_BY_SIDE = 8  # of heard.py: each has a Whisper of its own on the GPU
MEASURES = ("fon-held-out", "mdw", "sxb", "rw-people")
MEASURES_ALONE = ("rw-alone", "lg-alone", "sw-alone", "ha-alone")
SHARES = "kokoro=0.38,recorded=0.22,words=0.09,spliced=0.05,english=0.05,heard=0.18,sounds=0.03"

# needs: files that must be there; after: stages that must have ended; command: a function of the seconds that are left
Stage = collections.namedtuple("Stage", "name needs after command", defaults=((), (), None))


# Parts --------------------------------------------------------------------------------------------------------------------

def split(out, inputs, size, numbered=True):
    """Pieces of all files, packed into numbered folders of at most `size` bytes, or all into one. A piece is named by a number; parts.json of its folder says what it is."""
    folder, room, count = 0, size, 0
    lists = tempfile.TemporaryDirectory()
    for path, name in files_of(inputs, lists.name):
        total, at = os.path.getsize(path), 0
        digest = checksum(path)
        with open(path, "rb") as source:
            while at < total or at == total == 0:
                if room <= 0:
                    folder, room = folder + 1, size
                data = source.read(min(room, size))
                add_piece(os.path.join(out, f"{folder:02d}") if numbered else out, f"{count:04d}", data, {"file": name, "at": at, "bytes": total, "sha256": digest})
                at, room, count = at + len(data), room - len(data), count + 1
                if not data:
                    break
    print(f"{folder + 1} parts in {out}")


def files_of(inputs, lists):
    """(path, name in WORK/in): as it was given, from the folder one is in, or its last part where the path is absolute. A folder has a list of its files."""
    for number, given in enumerate(inputs):
        base = os.path.dirname(given.rstrip("/")) if os.path.isabs(given) else os.curdir
        paths = [given] if os.path.isfile(given) else sorted(glob.glob(os.path.join(glob.escape(given), "**", "*"), recursive=True))
        named = [(path, os.path.relpath(path, base)) for path in paths if os.path.isfile(path)]
        yield from named
        if os.path.isdir(given):
            with open(os.path.join(lists, str(number)), "w") as file:
                file.write("\n".join(os.path.relpath(path, given) for path, _ in named))
            yield file.name, os.path.join(os.path.relpath(given, base), LIST)


def is_there(path):
    """A file, or a folder with all that is on its list."""
    if not os.path.isdir(path):
        return os.path.exists(path)
    listing = os.path.join(path, LIST)
    return os.path.exists(listing) and all(os.path.exists(os.path.join(path, name)) for name in open(listing).read().splitlines())


def add_piece(folder, name, data, facts):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)
    listing = os.path.join(folder, "parts.json")
    known = json.load(open(listing)) if os.path.exists(listing) else {}
    json.dump(known | {name: facts}, open(listing, "w"))


def checksum(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def join(work, folder):
    """Adds the pieces of a part. A file appears under its name only when it is whole and right."""
    for name, facts in sorted(json.load(open(os.path.join(folder, "parts.json"))).items()):
        target = os.path.join(work, "in", facts["file"])
        if os.path.exists(target):
            continue
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target + ".partial", "r+b" if os.path.exists(target + ".partial") else "w+b") as file:
            file.seek(facts["at"])
            shutil.copyfileobj(open(os.path.join(folder, name), "rb"), file)
        if os.path.getsize(target + ".partial") == facts["bytes"] and checksum(target + ".partial") == facts["sha256"]:
            os.replace(target + ".partial", target)
            print(facts["file"], flush=True)


def save(work, out, size, run="run"):
    """Copies first: the training writes on. A reader of model.pt sees a whole file at any time. One folder with one list: only few files may come back."""
    kept = os.path.join(work, "kept")
    for folder in (kept, out):
        shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(kept)
    shutil.make_archive(os.path.join(kept, "logs"), "gztar", os.path.join(work, "logs"))
    if os.path.exists(os.path.join(work, run, "model.pt")):
        shutil.copy(os.path.join(work, run, "model.pt"), os.path.join(kept, "model.pt" if run == "run" else f"{run}.pt"))
    split(out, sorted(glob.glob(os.path.join(kept, "*"))), size, numbered=False)


# Stages -------------------------------------------------------------------------------------------------------------------

def settle(work):
    """A copy of the scripts in WORK: the folder that they were sent in is made anew with every part, and whoever runs in it loses it."""
    code = os.path.join(os.path.abspath(work), "code")
    if code == HERE:  # it was started from that copy
        return code
    shutil.copytree(HERE, code, dirs_exist_ok=True, ignore=shutil.ignore_patterns("checkpoints", "tests", "__pycache__"))
    return code


def stages(work, args, code):
    """What this training consists of. Stages of inputs that were not sent never begin."""
    python = functools.partial(command_of, code)
    at, speech = (lambda *names: os.path.join(work, *names)), os.path.join(work, "speech")
    real = lambda name: at("in", "real", f"{name}.npz")
    text, ours, lexicon, rooms = at("in", "text"), at("in", "joint.pt.xz"), at("in", "text", "loans.tsv"), at("recordings.npz")
    opus = ["--opus", at("in", "libopus.so.0")] if args.opus else []
    device = ["--device", args.device]
    made = [
        Stage("rooms", [at("in", "rooms"), real("noise")], (), lambda left: python("augment.py", "--rooms", *sorted(glob.glob(at("in", "rooms", "*.wav"))), "--noise", real("noise"),
              "--out", rooms, *opus)),
        Stage("kokoro", [at("in", "voices"), text], (), lambda left: python("synthesise.py", "kokoro", "--text", text, "--out", speech, "--voices", at("in", "voices"),
              "--workers", args.workers, "--seconds", min(args.kokoro, left), "--shard-seconds", 200, "--seed", args.seed, *opus)),
        *([Stage("espeak", [at("in", "espeak"), text], (), lambda left: python("synthesise.py", "espeak", "--text", text, "--out", speech, "--espeak", at("in", "espeak"),
              "--workers", -(-args.workers // 3), "--seconds", min(args.espeak, left), "--seed", args.seed, *opus))] if args.espeak else []),
        Stage("sounds", [text], (), lambda left: python("negatives.py", "sounds", "--out", speech, "--workers", 1, "--seconds", min(60, left), *opus))]
    made += [Stage(f"recorded-{name}", [real(name), ours, text], (), lambda left, name=name: python("recorded.py", "--packed", real(name), "--checkpoint", ours,
             "--lexicon", lexicon, "--out", speech, *kind_of(name, args), *device, *opus)) for name in args.only or TEXTED]
    made += mimicry(args, python, at, speech, ours, device) if args.mimic else []
    made += [
        # Without the recordings it learned for its whole time from what little was there, and heard 60 % of Kinyarwanda's phones wrong.
        Stage("tune", [at("in", "whisper-small.npz"), real("rw"), real("en")], ("rooms", *(f"recorded-{name}" for name in args.only or ())), lambda left: python("whisper_phones.py", "--packed", at("in", "whisper-small.npz"),
              "--data", speech, "--text", text, "--recordings", rooms, "--rw", real("rw"), "--en", real("en"), "--minutes", args.tune, "--seconds", args.seconds / 5,
              "--hours", args.hours / 2, "--save", at("tuned.pt"), *device, *opus)),
        *training(args, python, at, text, speech, ours, rooms),
        *(measuring(run, args, python, at, real, lexicon, [*device, *opus]) for run in ("run", *(["beside"] if args.beside else [])))]
    strangers = [*(args.heard or UNTEXTED), *(name for name in args.crowd if name not in (args.only or ()))]
    in_turn = [("tune",)] * SIDE_BY_SIDE + [("tune", f"heard-{name}") for name in strangers]
    made += [Stage(f"heard-{name}", [real(name), at("tuned.pt")], after, lambda left, name=name: python("heard.py", "--whisper", at("in", "whisper-small.npz"), "--tuned", at("tuned.pt"),
             "--packed", real(name), *kind_of(name, args), "--checkpoint", ours, "--out", speech, "--workers", -(-args.workers // 3), "--show", 3, *device, *opus)) for name, after in zip(strangers, in_turn)]
    return made


def kind_of(name, args):
    """The share of the training that a source belongs to, where it is not that of most."""
    return ["--kind", "crowd"] if name in args.crowd else ["--kind", "alone"] if name in args.alone else []


def measuring(run, args, python, at, real, lexicon, common):
    found = lambda option, names: [x for name in names if os.path.exists(real(name)) for x in (option, real(name))]
    return Stage("measure" if run == "run" else f"measure-{run}", [at(run, "model.pt"), real("rw"), real("en")], ("train" if run == "run" else f"train-{run}",), lambda left: python("real_voices.py", "--checkpoint", at(run, "model.pt"),
                 "--tokens", at("in", "text", "tokens.json"), "--lexicon", lexicon, "--rw", real("rw"), "--en", real("en"), *found("--packed", MEASURES), *found("--alone", MEASURES_ALONE), *common))


def mimicry(args, python, at, speech, ours, device):
    """Our sentences in the voices of strangers: the learning waits for the recordings, the training for the learning."""
    return [
        Stage("mimic-learn", [ours], tuple(f"recorded-{name}" for name in args.only or ()), lambda left: python("mimic", "learn", "--data", speech, "--out", at("mimic.pt"), "--minutes", args.mimic,
              *(["--compile"] if args.device == "cuda" else []), *device)),
        Stage("mimic-speak", [at("mimic.pt")], ("mimic-learn",), lambda left: python("mimic", "speak", "--data", speech, "--net", at("mimic.pt"), "--out", speech, "--checkpoint", ours,
              "--seconds", min(args.mimic_seconds, left), "--seed", args.seed, *device))]


def training(args, python, at, text, speech, ours, rooms):
    """Our network, or a deeper one that begins as ours, goes on learning, once the words of strangers are about to come; or one begins as Whisper's, which takes long and so begins at once."""
    command = lambda left, *more, out="run": python("train.py", "--resume", "--data", speech, "--text", text, "--out", at(out), "--minutes", left / 60, "--seconds", args.seconds, "--joined", 0.2,
                                         "--short", args.short, "--hours", args.hours, "--recordings", rooms, "--languages", "ki=1.1,luo=1,sw=0.25,yo=0.3", "--shares", args.shares, "--every", 30,
                                         "--device", args.device, *more)
    strangers = "mimic-learn" if args.mimic else "tune"
    further = lambda start: ("--init", start, "--rate", 5e-4, "--warm", 200, *(["--compile"] if args.device == "cuda" else []))
    go_on = lambda start, *after: Stage("train", [start, rooms, text], ("rooms", strangers, *after), lambda left: command(left, *further(start)))
    if args.begin == "ours":
        beside = Stage("train-beside", [ours, rooms, text], ("rooms", strangers), lambda left: command(left, *further(ours), *args.beside.split(), out="beside"))
        return [go_on(ours), *([beside] if args.beside else [])]
    if args.begin == "deeper":
        return [Stage("begin", [ours], (), lambda left: python("grow.py", "--checkpoint", ours, "--layers", args.layers, "--out", at("start.pt"))), go_on(at("start.pt"), "begin")]
    return [Stage("begin", [at("in", "whisper-base.npz"), ours], (), lambda left: python("from_whisper.py", "--packed", at("in", "whisper-base.npz"), "--checkpoint", ours,
                  "--rates", args.rates, "--out", at("start.pt"))),
            Stage("train", [at("start.pt"), rooms, text], ("rooms", "begin"), lambda left: command(left, "--init", at("start.pt"), "--fresh", "--rate", 8e-4, "--encoder-rate", 0.075, "--warm", 300))]


def command_of(code, script, *arguments):
    """A script, or a folder of them that runs as a whole (`python -m`, in the folder `code`)."""
    return [sys.executable, *([os.path.join(code, script)] if script.endswith(".py") else ["-m", script]), *map(str, arguments)]


def run(work, made, seconds, code=HERE, attempts=3, pause=5.0):
    """Starts each stage when what it needs is there, and again when it fails, until all have ended or the time is up. What has ended once is not done again."""
    logs, ended = os.path.join(work, "logs"), os.path.join(work, "ended")
    for folder in (logs, ended):
        os.makedirs(folder, exist_ok=True)
    deadline, running, tried, again = time.time() + seconds, {}, collections.Counter(), {}
    over = {s.name for s in made if os.path.exists(os.path.join(ended, s.name))}
    while time.time() < deadline + GRACE and len(over) < len(made):
        for stage in made:
            process = running.get(stage.name)
            if process and process.poll() is not None:
                del running[stage.name]
                say(logs, f"{stage.name} ended with {process.returncode}")
                again[stage.name] = time.time() + pause
                if process.returncode == 0 or tried[stage.name] == attempts:
                    over.add(stage.name)
                    open(os.path.join(ended, stage.name), "w").close()
            elif not process and stage.name not in over and ready(stage, over) and time.time() >= again.get(stage.name, 0):
                tried[stage.name] += 1
                log = open(os.path.join(logs, f"{stage.name}.log"), "a")
                command = stage.command(max(1.0, deadline - time.time()))
                running[stage.name] = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, cwd=code, env=ENVIRONMENT | os.environ, start_new_session=True)
                say(logs, f"{stage.name} begins")
        if not running and not any(ready(s, over) for s in made if s.name not in over) and time.time() > deadline:
            break
        time.sleep(0.3)
    for process in running.values():
        os.killpg(process.pid, signal.SIGTERM)  # with the workers that it has started
    say(logs, "all ended" if len(over) == len(made) else f"time is up; not ended: {sorted(s.name for s in made if s.name not in over)}")


GRACE = 240  # seconds behind the training for what measures it
# Twenty processes with a thread for each core leave those that feed the GPU a seventh of one.
ENVIRONMENT = {"PYTHONUNBUFFERED": "1", "OMP_NUM_THREADS": "2"}


def ready(stage, over):
    return all(map(is_there, stage.needs)) and set(stage.after) <= over


def say(logs, line):
    with open(os.path.join(logs, "stages.log"), "a") as log:
        print(time.strftime("%H:%M:%S"), line, file=log, flush=True)


def wait(work, seconds):
    """What was said, until the time has passed or all has ended. It looks at files alone: a pattern of processes once matched the waiting command itself."""
    deadline, stages_log = time.time() + seconds, os.path.join(work, "logs", "stages.log")
    while time.time() < deadline and not (os.path.exists(stages_log) and open(stages_log).read().rstrip().endswith("all ended")):
        time.sleep(min(1.0, max(0.0, deadline - time.time())))
    for path in sorted(glob.glob(os.path.join(work, "logs", "*.log"))):
        lines = open(path, errors="replace").read().splitlines()
        print("\n".join(f"{os.path.basename(path)[:-4]:20s} {line[:300]}" for line in lines[-8 if path == stages_log else -2:]))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = ap.add_subparsers(dest="command", required=True)
    one = commands.add_parser("split")
    one.add_argument("out")
    one.add_argument("inputs", nargs="+")
    one.add_argument("--size", type=float, default=60, help="MB")
    one = commands.add_parser("join")
    one.add_argument("work")
    one.add_argument("folder")
    one = commands.add_parser("run")
    one.add_argument("work")
    one.add_argument("--minutes", type=float, required=True, help="until the training ends, from now on")
    one.add_argument("--begin", choices=("ours", "deeper", "whisper"), default="ours", help="what the network begins as")
    one.add_argument("--layers", type=int, default=20, help="of a network that begins as ours and is deeper")
    one.add_argument("--rates", default="2,1,1,1,1", help="of a network that begins as Whisper")
    one.add_argument("--shares", default=SHARES)
    one.add_argument("--tune", type=float, default=3, help="minutes of Whisper's tuning")
    one.add_argument("--mimic", type=float, default=0, help="minutes in which a second network learns to speak as strangers do (mimic/); the training waits for it, not for Whisper")
    one.add_argument("--mimic-seconds", type=float, default=180, help="for which it then speaks")
    one.add_argument("--kokoro", type=float, default=540, help="seconds of synthesis")
    one.add_argument("--espeak", type=float, default=0, help="seconds of espeak-ng's synthesis; needs in/espeak with libespeak-ng.so.1, its neighbours and espeak-ng-data for that machine")
    one.add_argument("--seed", type=int, default=0, help="of what is spoken: another one, other speech")
    one.add_argument("--seconds", type=float, default=800, help="audio in a batch")
    one.add_argument("--short", type=float, default=1.3, help="how many times as often utterances of less than two seconds are heard")
    one.add_argument("--hours", type=float, default=200, help="room for audio on the device, 115 MB each; half of it again for the tuning")
    one.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 1) * 3 // 4))
    one.add_argument("--only", nargs="+", help="recordings with text that are sent")
    one.add_argument("--heard", nargs="+", help="recordings without text that are sent")
    one.add_argument("--alone", nargs="+", default=[], help="which of all these are words that were said alone")
    one.add_argument("--beside", help="a second training at the same time, from the same network: in which options of train.py it differs, in one argument")
    one.add_argument("--crowd", nargs="+", default=[], help="the same, of a source that is much larger than the others")
    one.add_argument("--opus", action="store_true", help="libopus is not installed there: WORK/in/libopus.so.0 was sent")
    one.add_argument("--device", default="cuda")
    one = commands.add_parser("wait")
    one.add_argument("work")
    one.add_argument("--seconds", type=float, required=True)
    one = commands.add_parser("save")
    one.add_argument("work")
    one.add_argument("out")
    one.add_argument("--size", type=float, default=15, help="MB")
    one.add_argument("--run", choices=("run", "beside"), default="run")
    args = ap.parse_args()
    if args.command == "split":
        split(args.out, args.inputs, int(args.size * MB))
    elif args.command == "join":
        join(args.work, args.folder)
    elif args.command == "run":
        work, code = os.path.abspath(args.work), settle(args.work)
        run(work, stages(work, args, code), 60 * args.minutes, code)
    elif args.command == "wait":
        wait(args.work, args.seconds)
    else:
        save(args.work, args.out, int(args.size * MB), args.run)


if __name__ == "__main__":
    main()
