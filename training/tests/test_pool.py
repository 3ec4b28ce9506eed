import numpy as np

import pool
from shards import LABEL_HOP


class Letters:
    def encode(self, text):
        return [ord(c) for c in text]


def shard(folder, name):
    length = 32 * LABEL_HOP
    np.savez(folder / f"{name}.npz", audio=np.zeros(length, np.int16), labels=np.zeros(length // LABEL_HOP, np.uint8), start=[0], length=[length], text=["a"], phones=["1"], language=[0])


def test_rare_kinds_are_heard_although_the_synthesis_writes_faster_than_we_read(tmp_path):
    for n in range(6):
        shard(tmp_path, f"kokoro-{n}")
    for kind in ("recorded", "words"):
        shard(tmp_path, f"{kind}-0")
    heard = pool.Pool(Letters(), "cpu", 0.01, {"kokoro": 1, "recorded": 1, "words": 1})
    assert heard.refresh([tmp_path], 3) == 3
    assert set(heard.hours()) == {"kokoro", "recorded", "words"}
    assert heard.refresh([tmp_path]) == 5 and heard.refresh([tmp_path]) == 0
