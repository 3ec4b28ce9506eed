"""Inputs that come in parts, stages that begin when they can, and what was stopped or failed."""
import os
import sys
import threading
import time

import numpy as np
import pytest

import rented
from rented import Stage


@pytest.fixture
def inputs(tmp_path):
    rng = np.random.default_rng(0)
    (tmp_path / "home" / "text").mkdir(parents=True)
    for name, size in (("text/tokens.json", 700), ("text/empty.tsv", 0), ("whisper.npz", 5200), ("joint.pt.xz", 2000)):
        (tmp_path / "home" / name).write_bytes(rng.bytes(size))
    return [str(tmp_path / "home" / name) for name in ("text", "whisper.npz", "joint.pt.xz")]


def test_parts_are_small_and_become_the_same_files(tmp_path, inputs):
    parts, work = tmp_path / "parts", tmp_path / "work"
    rented.split(str(parts), inputs, 2000)
    folders = sorted(os.listdir(parts))
    assert folders == ["00", "01", "02", "03"]
    assert all(sum(f.stat().st_size for f in (parts / d).iterdir() if f.name != "parts.json") <= 2000 for d in folders)
    rented.join(str(work), str(parts / "00"))
    assert (work / "in" / "text" / "tokens.json").exists() and not (work / "in" / "whisper.npz").exists()
    assert rented.is_there(str(work / "in" / "text")) and not rented.is_there(str(work / "in" / "whisper.npz"))
    (work / "in" / "text" / "tokens.json").unlink()
    assert not rented.is_there(str(work / "in" / "text"))  # a stage that needs a folder waits for all of its files
    rented.join(str(work), str(parts / "00"))
    for folder in ("02", "01", "01", "03"):  # in any order, and once more
        rented.join(str(work), str(parts / folder))
    for name in ("text/tokens.json", "text/empty.tsv", "whisper.npz", "joint.pt.xz"):
        assert (work / "in" / name).read_bytes() == (tmp_path / "home" / name).read_bytes()


def test_files_given_from_where_one_is_keep_their_folder(tmp_path, inputs, monkeypatch):
    monkeypatch.chdir(tmp_path / "home")
    rented.split(str(tmp_path / "parts"), ["joint.pt.xz", "text/tokens.json"], 5000)
    rented.join(str(tmp_path / "work"), str(tmp_path / "parts" / "00"))
    assert (tmp_path / "work" / "in" / "text" / "tokens.json").exists() and (tmp_path / "work" / "in" / "joint.pt.xz").exists()


def test_a_file_that_came_wrong_does_not_appear(tmp_path, inputs):
    parts = tmp_path / "parts"
    rented.split(str(parts), inputs[2:], 5000)
    piece = parts / "00" / "0000"
    piece.write_bytes(piece.read_bytes()[:-1] + b"?")
    rented.join(str(tmp_path / "work"), str(parts / "00"))
    assert not (tmp_path / "work" / "in" / "joint.pt.xz").exists()


def note(work, word, then="exit 0"):
    return lambda left: ["bash", "-c", f"echo {word} >> {work}/order; {then}"]


def order(work):
    return (work / "order").read_text().split()


def test_stages_wait_for_files_and_for_each_other(tmp_path):
    made = [Stage("train", [str(tmp_path / "start")], ("begin",), note(tmp_path, "train")), Stage("begin", [str(tmp_path / "sent")], (), note(tmp_path, "begin", f"touch {tmp_path}/start")),
            Stage("voices", (), (), note(tmp_path, "voices"))]
    threading.Timer(1.0, (tmp_path / "sent").touch).start()
    rented.run(str(tmp_path), made, 30, pause=0)
    assert order(tmp_path) == ["voices", "begin", "train"]
    rented.run(str(tmp_path), made, 30, pause=0)  # what has ended is not done again
    assert order(tmp_path) == ["voices", "begin", "train"]


def test_a_run_may_be_started_again_from_its_own_copy_of_the_scripts(tmp_path, monkeypatch):
    code = rented.settle(tmp_path)
    monkeypatch.setattr(rented, "HERE", code)
    assert rented.settle(tmp_path) == code and os.path.exists(os.path.join(code, "rented.py"))


def test_stages_run_where_their_scripts_are(tmp_path):
    (tmp_path / "code").mkdir()
    rented.run(str(tmp_path), [Stage("sounds", (), (), lambda left: ["bash", "-c", f"pwd > {tmp_path}/order"])], 30, str(tmp_path / "code"), pause=0)
    assert order(tmp_path) == [str(tmp_path / "code")]


def test_what_fails_is_tried_again_and_holds_nothing_up_for_ever(tmp_path):
    made = [Stage("recorded", (), (), note(tmp_path, "recorded", "exit 1")), Stage("train", (), ("recorded",), note(tmp_path, "train", f"[ -e {tmp_path}/once ] || {{ touch {tmp_path}/once; exit 1; }}"))]
    rented.run(str(tmp_path), made, 30, pause=0)
    assert order(tmp_path) == ["recorded"] * 3 + ["train"] * 2
    assert "all ended" in (tmp_path / "logs" / "stages.log").read_text()


def test_stages_whose_inputs_never_come_end_with_the_time(tmp_path):
    began = time.time()
    rented.run(str(tmp_path), [Stage("heard", [str(tmp_path / "never")], (), note(tmp_path, "heard"))], 1, pause=0)
    assert time.time() - began < 10 and "not ended: ['heard']" in (tmp_path / "logs" / "stages.log").read_text()


def test_what_still_runs_when_the_time_is_up_is_ended_with_its_workers(tmp_path, monkeypatch):
    monkeypatch.setattr(rented, "GRACE", 0)
    rented.run(str(tmp_path), [Stage("kokoro", (), (), lambda left: ["bash", "-c", f"(sleep 4; touch {tmp_path}/late) & wait"])], 1, pause=0)
    time.sleep(4)
    assert not (tmp_path / "late").exists()


def test_weights_and_logs_are_saved_in_small_files_while_the_training_goes_on(tmp_path, capsys):
    work = tmp_path / "work"
    (work / "run").mkdir(parents=True)
    (work / "logs").mkdir()
    (work / "logs" / "stages.log").write_text("12:00:00 train begins\n")
    (work / "logs" / "train.log").write_text("step 1\nstep 2\nstep 3\n")
    (work / "run" / "model.pt").write_bytes(os.urandom(4500))
    for _ in range(2):
        rented.save(str(work), str(tmp_path / "out"), 2000)
    saved = list((tmp_path / "out").iterdir())
    assert all(f.is_file() and f.stat().st_size <= 2000 for f in saved)
    assert len(saved) == 5  # logs, a model in three pieces, and one list: one for each piece were more files than came back
    rented.join(str(tmp_path / "home"), str(tmp_path / "out"))
    assert (tmp_path / "home" / "in" / "model.pt").read_bytes() == (work / "run" / "model.pt").read_bytes()
    rented.wait(str(work), 0.1)
    assert "step 3" in capsys.readouterr().out


def stages_of(monkeypatch, work, *options):
    """What a run with these options would do."""
    made = []
    monkeypatch.setattr(sys, "argv", ["rented.py", "run", str(work), "--minutes", "10", *options])
    monkeypatch.setattr(rented, "run", lambda work, given, seconds, code: made.extend(given))
    rented.main()
    return made


@pytest.mark.parametrize("begin", ["ours", "deeper", "whisper"])
def test_every_stage_of_the_training_is_a_command_that_its_script_understands(tmp_path, monkeypatch, begin):
    made = stages_of(monkeypatch, tmp_path, "--opus", "--begin", begin, "--espeak", "30", "--mimic", "7")
    names = {s.name for s in made}
    assert {"espeak", "kokoro", "recorded-sw", "tune", "mimic-speak", "train", "heard-many", "measure"} <= names and ("begin" in names) == (begin != "ours")
    assert all(set(s.after) <= names for s in made)
    assert not [s for s in made if s.name in ("recorded-rw", "recorded-mdw", "recorded-sxb", "heard-rw-people")]  # these only measure
    shared = open(os.path.join(rented.HERE, "synthesise.py")).read()  # what every step that speaks takes
    for stage in made:
        _, script, *arguments = stage.command(60)
        if script == "-m":  # a folder, run from the one above it
            script = os.path.join(tmp_path, "code", arguments.pop(0), "__main__.py")
        assert script.startswith(str(tmp_path / "code"))  # the folder in which they came is made anew with every part
        source = open(script).read() + (shared if script.endswith("negatives.py") else "")
        unknown = [a for a in arguments if a.startswith("--") and f'"{a}"' not in source and f'"{a[2:]}"' not in source]
        assert not unknown, (stage.name, unknown)


def test_the_tuning_waits_for_the_recordings_that_are_sent(tmp_path, monkeypatch):
    tune = next(s for s in stages_of(monkeypatch, tmp_path, "--only", "lg", "sw") if s.name == "tune")
    assert {"recorded-lg", "recorded-sw"} <= set(tune.after)


def test_a_second_network_learns_from_the_recordings_that_are_sent_and_the_training_waits_for_it(tmp_path, monkeypatch):
    made = {s.name: s for s in stages_of(monkeypatch, tmp_path, "--only", "lg", "ipa-en", "--crowd", "ipa-en", "--mimic", "7")}
    assert made["mimic-learn"].after == ("recorded-lg", "recorded-ipa-en") and "mimic-learn" in made["train"].after and "tune" not in made["train"].after
    assert made["recorded-ipa-en"].command(60)[-4:-2] == ["--kind", "crowd"] and "--kind" not in made["recorded-lg"].command(60)
    assert "heard-ipa-en" not in made  # it has a text


def test_a_few_sources_of_strangers_are_written_down_at_a_time_and_crowds_as_such(tmp_path, monkeypatch):
    names = [f"many-{k}" for k in range(rented.SIDE_BY_SIDE)]
    made = {s.name: s for s in stages_of(monkeypatch, tmp_path, "--heard", *names, "--crowd", "en-1", "en-2")}
    assert made["heard-many-7"].after == ("tune",)
    assert made["heard-en-1"].after == ("tune", "heard-many-0") and made["heard-en-2"].after == ("tune", "heard-many-1")
    assert (kind_of(made["heard-many-0"]), kind_of(made["heard-en-1"])) == ("heard", "crowd")


def kind_of(stage, usual="heard"):
    command = stage.command(60)
    return command[command.index("--kind") + 1] if "--kind" in command else usual


def test_words_that_were_said_alone_are_a_kind_of_their_own_with_and_without_a_text(tmp_path, monkeypatch):
    made = {s.name: s for s in stages_of(monkeypatch, tmp_path, "--only", "sw", "sw-words", "--heard", "many", "app-words", "--alone", "sw-words", "app-words")}
    assert [kind_of(made[f"recorded-{name}"], "recorded") for name in ("sw", "sw-words")] == ["recorded", "alone"]
    assert [kind_of(made[f"heard-{name}"]) for name in ("many", "app-words")] == ["heard", "alone"]


def test_a_second_training_differs_in_what_is_said_and_nothing_else(tmp_path, monkeypatch):
    made = {s.name: s for s in stages_of(monkeypatch, tmp_path, "--seconds", "700", "--beside", "--joined 0.4 --seconds 800")}
    first, second = made["train"].command(60), made["train-beside"].command(60)
    assert second[len(first):] == ["--joined", "0.4", "--seconds", "800"]
    assert [(a, b) for a, b in zip(first, second) if a != b] == [(str(tmp_path / "run"), str(tmp_path / "beside"))]
    assert made["train-beside"].after == made["train"].after and made["measure-beside"].after == ("train-beside",)


def test_the_weights_of_the_second_training_are_saved_by_its_name(tmp_path):
    for run in ("run", "beside"):
        (tmp_path / "work" / run).mkdir(parents=True)
        (tmp_path / "work" / run / "model.pt").write_text(run)
    (tmp_path / "work" / "logs").mkdir()
    for run, name in (("run", "model.pt"), ("beside", "beside.pt")):
        rented.save(str(tmp_path / "work"), str(tmp_path / "out"), 2000, run)
        rented.join(str(tmp_path / "home"), str(tmp_path / "out"))
        assert (tmp_path / "home" / "in" / name).read_text() == run
