import json

import numpy as np

import service


class Socket:
    """Answers with these events, whatever it is sent."""

    def __init__(self, *events):
        self.events = list(events)

    def send(self, data):
        pass

    def recv(self, timeout):
        return json.dumps(self.events.pop(0))


def final(text, **more):
    return {"type": "final", "text": text} | more


def test_the_text_of_a_clip_is_that_of_all_its_utterances_up_to_the_flush():
    socket = Socket({"type": "delta", "text": "mos"}, final("mosi", cause="endpoint"), final("ber", cause="endpoint"), final(""), final("of the next clip"))
    assert service.say(socket, np.zeros(16000, np.int16)) == "mosi ber"
