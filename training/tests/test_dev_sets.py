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
