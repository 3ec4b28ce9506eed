"""What is said in one run of a voice."""
import random

import synthesise


class Counted:
    def short(self, rng):
        return "short"

    def draw(self, rng):
        return "any"


def test_half_of_the_runs_say_one_utterance_which_is_mostly_short():
    rng = random.Random(1)
    runs = [synthesise.texts_of_a_run(Counted(), 0.5, rng) for _ in range(4000)]
    alone = [texts[0] for texts in runs if len(texts) == 1]
    assert abs(len(alone) / len(runs) - 0.5) < 0.03 and abs(alone.count("short") / len(alone) - synthesise.SHORT_ALONE) < 0.03
    assert {len(texts) for texts in runs} == {1, 8}


def test_a_voice_that_says_each_utterance_by_itself_is_given_many():
    assert {len(synthesise.texts_of_a_run(Counted(), 0.0, random.Random(s))) for s in range(50)} == {8}
