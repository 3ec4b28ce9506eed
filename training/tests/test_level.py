import numpy as np
import pytest

import level


def tone(decibels, samples=16000):
    return np.float32(2 ** 0.5 * 10 ** (decibels / 20)) * np.sin(np.arange(samples) / 5).astype(np.float32)


def raised_db(speech, samples):
    return speech.raise_by(samples, -22) * 10 / np.log(10)


@pytest.mark.parametrize("decibels, expected", [(-22, 0), (-10, 0), (-32, 10), (-42, 20), (-50, 24), (-70, 0)])
def test_quiet_speech_is_raised_as_the_server_raises_it(decibels, expected):
    assert raised_db(level.SpeechLevel(), tone(decibels)) == pytest.approx(expected, abs=0.1)


def test_louder_speech_is_followed_at_once_and_quieter_speech_slowly():
    speech = level.SpeechLevel()
    assert [round(raised_db(speech, tone(decibels))) for decibels in (-42, -26, -42)] == [20, 4, 5]


def test_silence_has_no_level():
    assert raised_db(level.SpeechLevel(), np.zeros(16000, np.float32)) == 0
    assert raised_db(level.SpeechLevel(), np.zeros(0, np.float32)) == 0
