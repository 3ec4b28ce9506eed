"""Strangers heard with a language model of their own language."""
import os

import own_language
import sounds
from tokens import Tokens

TOKENS = Tokens.load(os.path.join(os.path.dirname(__file__), "..", "checkpoints", "tokens.json"))


def likelihood(model, sentence):
    context, total = model.start, 0.0
    for piece in TOKENS.encode(sentence):
        total += model.likely(context)[piece]
        context = model.step(context, piece)
    return total


def test_it_knows_what_is_written_in_that_language_but_not_what_is_measured_with():
    said, other = "umwana ararira cyane", "abantu baragenda mu muhanda"
    in_our_letters = [sounds.transliterate(text, "rw", "ki") for text in (said, other)]
    knows = lambda heard: own_language.models({"rw": [said, other] * 3}, heard, TOKENS)["rw", "ki"]
    for text in in_our_letters:
        assert likelihood(knows(()), text) > likelihood(knows({text}), text) + 5


def test_texts_are_named_by_their_language(tmp_path):
    (tmp_path / "a.txt").write_text("moja\nmbili\n")
    assert own_language.read([f"sw={tmp_path}/a.txt"]) == {"sw": ["moja", "mbili"]}
