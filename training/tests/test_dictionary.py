import os
import sys

import prepare

TOKENS = os.path.join(os.path.dirname(__file__), "..", "checkpoints", "tokens.json")


def test_words_of_a_dictionary_are_spoken_alone_and_known_to_the_language_model(tmp_path, monkeypatch):
    (tmp_path / "ki.tsv").write_text("".join(f"book\tmũndũ mwega wa {word} nĩokire\n" for word in ("thĩ", "mũgĩ", "rũũĩ", "mũciĩ", "nja")), encoding="utf-8")
    (tmp_path / "words.tsv").write_text("Gĩthaka\tɣ e ð a k a\nndege\tn d e ɣ e\n12\t-\n", encoding="utf-8")
    (tmp_path / "more.tsv").write_text("nyanya\ttomato\nndege\tbird\n", encoding="utf-8")
    folder = tmp_path / "text"
    monkeypatch.setattr(sys, "argv", ["prepare.py", "--text", f"ki={tmp_path / 'ki.tsv'}", "--dictionary", f"ki={tmp_path / 'words.tsv'}", "--dictionary", f"ki={tmp_path / 'more.tsv'}", "--out", str(folder), "--spoken", "20", "--tokens", TOKENS])
    prepare.main()
    assert (folder / "ki.words.tsv").read_text(encoding="utf-8").splitlines() == [f"dictionary\t{word}" for word in ("gĩthaka", "ndege", "nyanya") for _ in range(6)]
    assert {"gĩthaka", "ndege", "nyanya", "mwega"} <= set(prepare.Sentences(str(folder), "ki").words)
