"""A text in another spelling of the language: brought to ours, without what is held out."""
import respell

OURS = ["thutha wa mbeca", "thutha na mbeca", "thutha", "kũrĩa", "kũrĩĩa", "kũrĩĩa", "mũũndũ"]


def test_double_vowels_give_way_to_what_our_text_writes_clearly_more_often():
    spelling = respell.Spelling(OURS)
    assert spelling.sentence("thuutha wa mbeeca") == "thutha wa mbeca"


def test_other_words_stay_as_they_are():
    spelling = respell.Spelling(OURS)
    assert spelling.sentence("kũrĩĩa") == "kũrĩĩa"  # our text has it, too
    assert spelling.sentence("mũndũ maaĩ") == "mũndũ maaĩ"  # never made longer, and nothing is known of the second


def test_lines_that_share_a_run_of_words_with_a_held_out_sentence_are_left_out():
    held = respell.HeldOut(["a b caa d e f"])
    assert held.has("x b ca d e y")
    assert not held.has("a b ca x e f")
    assert held.has("d e f")  # shorter than a run, and whole in it
    assert not held.has("d f")


def test_a_file_is_respelled(tmp_path, monkeypatch):
    ours, other, out = (tmp_path / name for name in ("ours.tsv", "other.tsv", "out.tsv"))
    ours.write_text("".join(f"prompts\t{sentence}\n" for sentence in OURS), encoding="utf-8")
    other.write_text("bible\tThuutha wa andũ.\nbible\t12\n", encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["respell.py", "--like", str(ours), "--text", str(other), "--language", "ki", "--out", str(out)])
    respell.main()
    assert out.read_text(encoding="utf-8") == "bible\tthutha wa andũ\n"
