"""The evaluation lists hold nothing that the training hears as a sentence, and every kind of text."""
import collections
import random
import sys

import numpy as np

import dev_sets
import evaluate
import prepare
import sounds


def make_text(folder):
    rng, words = random.Random(4), [a + b for a in ("ja", "nya", "ko", "mi", "the", "ru") for b in ("lo", "ma", "ndo", "ting'", "wuok", "chako", "dho", "piny")]
    with open(folder / "luo.tsv", "w", encoding="utf-8") as out:
        for source, count in (("ebible_luo", 3000), ("ramogi_news", 2500), ("cv_ui_strings", 2500)):
            out.writelines(f"{source}\t{' '.join(rng.choices(words, k=rng.randint(4, 30)))}\n" for _ in range(count))
    (folder / "text").mkdir()
    (folder / "text" / "loans.tsv").write_text("county\t1\tk a u n t i\n", encoding="utf-8")


def test_dev_lists_are_full_and_apart_from_the_training_text(tmp_path, monkeypatch):
    make_text(tmp_path)
    out = tmp_path / "text"
    monkeypatch.setattr(sys, "argv", ["prepare.py", "--text", f"luo={tmp_path / 'luo.tsv'}", "--out", str(out), "--spoken", "50"])
    prepare.main()
    sounds.LEXICON.clear()
    rows, heard = dev_sets.read(str(out)), prepare.read_rows(str(out / "luo.train.tsv"))
    assert collections.Counter(kind for _, kind, _ in rows) == {"bible": 24, "news": 24, "conversation": 24, "words": 64, "numbers": 16, "english": 24}
    sentences = [text for _, kind, text in rows if kind in ("bible", "news", "conversation", "english")]
    assert len(set(sentences)) == len(sentences)
    assert not [t for t in sentences if any(f" {t} " in f" {h} " for _, h in heard)]
    assert all("county" in text for _, kind, text in rows if kind == "english")


def test_long_sentences_are_cut_evenly():
    parts = dev_sets.cut(" ".join(map(str, range(30))))
    assert [len(p.split()) for p in parts] == [10, 10, 10] and " ".join(parts).split() == [str(i) for i in range(30)]


def test_errors_are_told_by_kind_of_text(capsys):
    clips = [evaluate.Clip(None, "mos", "luo", f"kokoro:af_nova:{kind}") for kind in ("words", "news")] + [evaluate.Clip(None, "mos", "luo", "kokoro:am_onyx")]
    results = evaluate.by_voice(clips, [("mos", ""), ("mos", "mos"), ("mos", "mos")])
    assert results["words"]["luo"] == (100.0, 100.0) and results["news"]["luo"] == (0.0, 0.0)
    assert results["kokoro:af_nova"]["luo"] == (50.0, 50.0) and set(results) == {"words", "news", "kokoro:af_nova", "kokoro:am_onyx"}


def test_joined_clips_are_of_one_language_and_speaker_and_the_same_ones_are_heard_alone():
    clips = [evaluate.Clip(np.full(100, at, np.int16), f"w{at}", language, f"espeak:{base}+{variant}")
             for at, (language, base, variant) in enumerate([("ki", "tn", "f2"), ("luo", "tn", "f2"), ("ki", "es", "f2"), ("ki", "tn", "m1"), ("ki", "tn", "f2")])]
    alone, together = evaluate.joined(clips, 2)
    assert [c.text for c in alone] == ["w0", "w2"]
    assert [c.text for c in together] == ["w0 w2"]
    assert together[0].wave.tolist() == [0] * 100 + [0] * 3200 + [2] * 100


def test_clips_in_rooms_with_noise_have_the_noise_that_was_asked_for_and_are_the_same_every_time(tmp_path):
    rng = np.random.default_rng(3)
    room = np.zeros(800, np.float16)
    room[0] = 1
    np.savez(tmp_path / "recordings.npz", rooms=np.stack([room, room]), noise=rng.integers(-3000, 3000, 50_000).astype(np.int16))
    said = np.where(np.arange(16_000) < 8_000, 8_000, 0).astype(np.int16)  # loud, then silent
    clips = [evaluate.Clip(said, "mos", "luo", "espeak:f1")] * 2
    quiet, loud = (evaluate.in_places(clips, tmp_path / "recordings.npz", decibels) for decibels in (20, 6))
    part = lambda wave, at: float(np.sqrt(np.mean(np.square(wave[at:at + 8_000].astype(np.float64)))))
    for heard, decibels in ((quiet[0], 20), (loud[0], 6)):
        speech = np.sqrt(part(heard.wave, 0) ** 2 - part(heard.wave, 8_000) ** 2)
        assert abs(20 * np.log10(speech / part(heard.wave, 8_000)) - decibels) < 0.5
    again = evaluate.in_places(clips, tmp_path / "recordings.npz", 6)
    assert all(np.array_equal(a.wave, b.wave) for a, b in zip(loud, again)) and not np.array_equal(loud[0].wave, loud[1].wave)
