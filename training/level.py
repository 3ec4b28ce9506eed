"""How loud somebody speaks, step by step as the server does it (`server/src/recogniser/engine/features/speech-level.ts`): quiet speech is raised
to about the level of the training's voices before it is encoded."""
import math

import numpy as np

import features

SPEECH_LEVEL_DB = -22  # of full scale; what `export.py` writes into packages

BLOCK = 640
QUIETER_SHARE = 0.9
FALL_DB_PER_SECOND = 1
MAX_RAISE_DB = 24
SILENCE_DB = -60


class SpeechLevel:
    def __init__(self):
        self.decibels = -math.inf

    def raise_by(self, samples, wanted_db):
        """What to add to the log-mel features of these samples (-1 to 1), so that speech is about as loud as wanted."""
        faded = self.decibels - FALL_DB_PER_SECOND * len(samples) / features.RATE
        self.decibels = max(faded, level_db(samples))
        if self.decibels < SILENCE_DB:
            return 0.0
        return min(max(wanted_db - self.decibels, 0), MAX_RAISE_DB) * math.log(10) / 10


def level_db(samples):
    blocks = np.sort(samples[:len(samples) // BLOCK * BLOCK].reshape(-1, BLOCK).astype(np.float64).var(1))
    if not len(blocks):
        return -math.inf
    power = blocks[math.floor(QUIETER_SHARE * (len(blocks) - 1) + 0.5)]
    return 10 * math.log10(power) if power > 0 else -math.inf
