"""Speech without a text is written down by a tuned Whisper, in words, and the training reads it as a kind of its own."""
import ctypes.util
import sys
import types

import numpy as np
import pytest
import torch

import codec
import heard
import sounds
import tokens
import whisper_phones
from pool import KINDS, Pool
from shards import LABEL_HOP, RATE, UNKNOWN, ShardWriter
from test_whisper_encoder import DIM, packed
from whisper_phones import BLANK, PhoneWhisper

ids = lambda *phones: [sounds.LABEL[p] for p in phones]
END = sounds.WORD_END


def test_answers_become_words():
    m, a, t = ids("m", "a", "t")
    assert heard.words_of([BLANK, m, m, BLANK, a, END, END, t, t, a, BLANK, a, BLANK, END, BLANK]) == [[m, a], [t, a, a]]
    assert heard.words_of([BLANK, END, m, sounds.LABEL["sil"], a]) == [[m, a]]
    assert heard.words_of([BLANK, BLANK]) == []


def says(answers, sure=0.9):
    """A network that gives the same answers for every clip."""
    def net(wave):
        steps = wave.shape[1] // 640
        logits = torch.zeros(len(wave), steps, BLANK + 1)
        row = answers + [BLANK] * (steps - len(answers))
        logits[:, torch.arange(steps), row] = float(np.log(sure / (1 - sure) * BLANK))
        return logits
    return net


def not_aligned(waves, words):
    return [None] * len(waves)


def write_down(net, folder, sure=0.6, listen=not_aligned, kind="heard"):
    written, rng = heard.Writers(str(folder), "many"), heard.random.Random(1)
    clips = [(np.full(int(seconds * RATE), 3000, np.int16), f"s{seconds}") for seconds in (1.0, 2.5, 1.2)]
    counted = heard.collections.Counter()
    heard.write_down(net, clips, written, listen, types.SimpleNamespace(seconds=3, sure=sure, device="cpu", show=0, kind=kind), rng, counted)
    written.finish()
    return counted


def test_what_is_heard_is_spelled_and_teaches_letters_and_phones(tmp_path):
    answers = [p for word in (ids("m", "o", "n", "o"), ids("ʃ", "a")) for p in (*word, END)]
    assert write_down(says(answers), tmp_path) == {"kept": 3}
    texts = [t for path in tmp_path.glob("heard-*.npz") for t in np.load(path)["text"].tolist()]
    assert set(texts) <= {"mũnũ ca", "mono sha"} and len(texts) == 3
    pool = Pool(tokens.train({"mũnũ": 3, "ca": 2, "mono": 2, "sha": 2}, 30), "cpu", 0.01, {"heard": 1.0})
    pool.refresh([str(tmp_path)])
    assert set(pool.hours()) == {"heard"} and KINDS.index("heard") < KINDS.index("sounds")
    batch = pool.draw(np.random.default_rng(1), 60)
    spoken = batch["pieces_len"] > 0
    assert spoken.any() and (batch["own"][spoken] == 1).all() and (batch["phones_known"] == 1).all()
    flat = ids("m", "o", "n", "o", "ʃ", "a")
    assert all(batch["phones"][row, :6].tolist() == flat for row in torch.nonzero(spoken).flatten().tolist())
    assert ((batch["labels"] == -100) | (batch["labels"] == 0)).all()  # no phone has a known time


def times_of_two_words(waves, words):
    return [(np.ones(len(w) // LABEL_HOP + 1, np.uint8), [(0, 4800), (8000, 12800)]) for w in waves]


def test_single_words_are_cut_out_where_their_times_are_found(tmp_path):
    answers = [p for word in (ids("m", "o", "n", "o"), ids("ʃ", "a", "t", "a")) for p in (*word, END)]
    write_down(says(answers), tmp_path, listen=times_of_two_words)
    texts = {kind: {t for path in tmp_path.glob(f"{kind}-many-*.npz") for t in np.load(path)["text"].tolist()} for kind in ("heard", "words")}
    assert texts["heard"] <= {"mũnũ cata", "mono shata"} and texts["words"] and texts["words"] <= {"mũnũ", "cata", "mono", "shata", *texts["heard"]}


def test_a_crowd_is_a_kind_of_its_own_and_gives_no_single_words(tmp_path):
    answers = [p for word in (ids("m", "o", "n", "o"), ids("ʃ", "a", "t", "a")) for p in (*word, END)]
    write_down(says(answers), tmp_path, listen=times_of_two_words, kind="crowd")
    assert {path.name.split("-")[0] for path in tmp_path.glob("*.npz")} == {"crowd"}
    pool = Pool(tokens.train({"mũnũ": 3, "ca": 2, "mono": 2, "sha": 2}, 30), "cpu", 0.01, {"crowd": 1.0})
    pool.refresh([str(tmp_path)])
    assert set(pool.hours()) == {"crowd"} and KINDS.index("crowd") < KINDS.index("sounds")


def test_clips_that_it_is_not_sure_of_or_hears_nothing_in_are_left_out(tmp_path):
    answers = ids("m", "o", "n", "o") + [END]
    assert write_down(says(answers, sure=0.5), tmp_path) == {"left out": 3}
    assert write_down(says(ids("m", "o") + [END]), tmp_path) == {"left out": 3}
    assert write_down(says([]), tmp_path) == {"left out": 3}


def test_only_the_training_of_whisper_sees_where_words_end(tmp_path):
    writer = ShardWriter(str(tmp_path), "recorded-1")
    for _ in range(4):
        writer.add(np.full(2 * RATE, 3000, np.int16), np.full(100, UNKNOWN, np.uint8), "dala gi", sounds.with_ends([[3, 4], [], [5]]), "luo", "v")
    writer.flush()
    drawn = {}
    for word_ends in (False, True):
        pool = Pool(tokens.train({"dala": 3, "gi": 2}, 20), "cpu", 0.01, {"recorded": 1.0}, word_ends=word_ends)
        pool.refresh([str(tmp_path)])
        batch = pool.draw(np.random.default_rng(0), 20)
        row = int(batch["phones_len_cpu"].argmax())
        drawn[word_ends] = batch["phones"][row, :batch["phones_len_cpu"][row]].tolist()
    assert drawn == {False: [3, 4, 5], True: [3, 4, END, 5, END]}


@pytest.mark.skipif(not ctypes.util.find_library("opus"), reason="libopus is not installed")
def test_a_tuned_network_writes_packed_recordings_down(tmp_path, monkeypatch, capsys):
    rng, weights = np.random.default_rng(0), str(tmp_path / "whisper.npz")
    np.savez(weights, **packed(2), **{"embed_positions.weight": np.zeros((1500, DIM), np.float16)})
    torch.manual_seed(3)
    net = PhoneWhisper(weights, "cpu")
    torch.nn.init.normal_(net.head.weight)  # it hears something else in every frame
    whisper_phones.report("saved", net, {}, types.SimpleNamespace(save=str(tmp_path / "tuned.pt"), device="cpu"))
    clips = [codec.Opus().encode((rng.standard_normal(RATE * n) * 3000).astype(np.int16), 16000, 0) for n in (1, 2, 2)]
    np.savez(tmp_path / "many.npz", data=np.frombuffer(b"".join(p for c in clips for p in c), np.uint8), size=np.array([len(p) for c in clips for p in c], np.uint16),
             count=np.array([len(c) for c in clips]), speaker=np.array(["a", "b", "b"]), text=np.array(["", "", ""]), language="many")
    monkeypatch.setattr(sys, "argv", ["heard.py", "--whisper", weights, "--tuned", str(tmp_path / "tuned.pt"), "--packed", str(tmp_path / "many.npz"),
                                      "--out", str(tmp_path / "speech"), "--sure", "0", "--workers", "1", "--device", "cpu"])
    heard.main()
    assert "'kept': 3" in capsys.readouterr().out
    shard = np.load(next((tmp_path / "speech").glob("heard-many-*.npz")))
    assert sorted(v.split(":")[-1] for v in shard["voice"].tolist()) == ["a", "b", "b"] and all(shard["text"])
