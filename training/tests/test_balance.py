"""Large sources do not outweigh small ones, and what is spoken comes from the training split."""
import json
import random

from prepare import Sentences, read, source_weights


def test_a_source_gets_a_share_by_its_size_to_the_power_of_the_balance():
    sources = ["book"] * 10000 + ["news"] * 100
    share = lambda w: w["news"] * 100 / (w["news"] * 100 + w["book"] * 10000)
    assert abs(share(source_weights(sources, 1.0, {})) - 0.0099) < 1e-3
    assert abs(share(source_weights(sources, 0.5, {})) - 1 / 11) < 1e-6
    assert abs(share(source_weights(sources, 0.0, {})) - 0.5) < 1e-6
    assert abs(share(source_weights(sources, 0.0, {"book": 0.25})) - 0.8) < 1e-6


def test_draws_follow_the_weights_and_hold_numbers(tmp_path):
    (tmp_path / "luo.train.tsv").write_text("book\tchieng' moro ne wuok\n" * 50 + "news\tdala gi ji duto\n", encoding="utf-8")
    (tmp_path / "sources.json").write_text(json.dumps({"luo": source_weights(["book"] * 50 + ["news"], 0.0, {})}), encoding="utf-8")
    drawn, rng = Sentences(str(tmp_path), "luo"), random.Random(1)
    texts = [drawn.draw(rng) for _ in range(2000)]
    assert 0.2 < texts.count("dala gi ji duto") / 2000 < 0.4
    assert any("apar" in t or "piero" in t or "mia" in t for t in texts)


def test_each_kind_of_speech_gets_its_share(tmp_path):
    (tmp_path / "luo.train.tsv").write_text("news\tjatend dala nowuoyo gi jodala duto ewi wachno kawuono\n", encoding="utf-8")
    (tmp_path / "sources.json").write_text(json.dumps({"luo": {"news": 1.0}}), encoding="utf-8")
    (tmp_path / "phrases.tsv").write_text("luo\tgreeting\toyawore\nki\tgreeting\twĩmwega\n", encoding="utf-8")
    (tmp_path / "loans.tsv").write_text("county\t1\tk a u n t i\ntime\t0\tt a i m\n", encoding="utf-8")
    drawn, rng = Sentences(str(tmp_path), "luo"), random.Random(2)
    texts = [drawn.draw(rng) for _ in range(4000)]
    share = lambda wanted: sum(map(wanted, texts)) / len(texts)
    assert abs(share(lambda t: "county" in t.split()) - 0.14) < 0.02
    assert 0.12 < share(lambda t: len(t.split()) < 4 and "county" not in t) < 0.26
    assert 0.04 < share(lambda t: t == "oyawore") < 0.08
    assert share(lambda t: t == drawn.texts[0]) > 0.45
    assert not share(lambda t: "time" in t.split() or "wĩmwega" in t)


def test_lines_with_spoken_digits_are_for_training_only(tmp_path):
    lines = [f"news\tji {n} nobiro e dala" for n in range(1, 600)]
    (tmp_path / "luo.tsv").write_text("\n".join(lines), encoding="utf-8")
    rows = read(str(tmp_path / "luo.tsv"), "luo")
    assert len(rows) > 500 and {split for _, split in rows.values()} == {"train"}
