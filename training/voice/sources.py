"""What is learned from: the recordings and sounds that codec.py packed, without those that the endpointing bench measures with."""
import os

import numpy as np

import codec
import english_words
from shards import RATE

from .labels import label

# How often each source is heard. Those with many speakers most.
SHARES = {"many": .22, "en-people": .10, "en-clips": .16, "en-learners": .06, "sw": .06, "yo": .06, "ha": .08, "lg": .07, "lg-people": .02, "fon": .05,
          "iba": .04, "ibb": .06, "en": .08}
MOST_CLIPS = 3000  # of a source that a process reads: its memory and its time are limited
MEASURED = {"sw", "yo", "ha", "lg", "en"}  # the endpointing bench has these recordings, too
STEADY = set("rain wind sea_waves engine train airplane helicopter vacuum_cleaner washing_machine crackling_fire crickets insects pouring_water "
             "keyboard_typing clock_tick footsteps".split())
# The bench takes its halves among the sounds that it asks for at a time.
ASKED_TOGETHER = (STEADY, {"breathing", "snoring"}, {"coughing", "sneezing", "laughing", "crying_baby"})


def is_learned(name, number, count):
    """Of the bench's recordings every second one is left to `--half=report`, and of the others every fifth: limits are chosen on those."""
    if name == "en" and number not in english_words.heard(range(count)):
        return False
    return name not in MEASURED or (number % 2 == 0 and number % 10 != 8)


def reported_sources(sounds):
    """[(source, kind)] -> the sources in the bench's half that reports."""
    return set().union(*(sorted({source for source, kind in sounds if kind in kinds})[1::2] for kinds in ASKED_TOGETHER))


def learned_sources(sounds, is_measured=True):
    """[(source, kind)] -> the sources that are neither in the bench's half that reports, nor chosen on."""
    reported = reported_sources(sounds) if is_measured else set()
    return {source for i, source in enumerate(sorted({source for source, _ in sounds} - reported)) if i % 5 != 4}


def read_speech(folder, part, parts, opus=None):
    """Yields (source, (samples, labels)), a clip of each source in turn: every so many of what codec.py packed. A file that is not there yet is looked
    for in every round, until all others are read."""
    reading, missing = {}, set(SHARES)
    while True:
        for name in [name for name in SHARES if name in missing and os.path.exists(os.path.join(folder, f"{name}.npz"))]:
            missing.remove(name)
            reading[name] = read_source(os.path.join(folder, f"{name}.npz"), name, part, parts, opus)
        if not reading:
            return
        for name in list(reading):
            if clip := next(reading[name], None):
                yield name, clip
            else:
                del reading[name]


def read_source(path, name, part, parts, opus):
    """The clips that may be learned from and have labels."""
    count = codec.clip_count(path)
    for i, (clip, _, _) in zip(range(MOST_CLIPS), codec.unpack(path, opus, part, parts)):
        if is_learned(name, part + i * parts, count) and (labelled := label(clip, strict=name not in MEASURED)):
            yield labelled


def read_sounds(path, opus=None, is_measured=True):
    """-> (sounds that last, single sounds); is_measured: whether the bench has these sounds, too"""
    sounds = [(wave, source.rsplit("-", 1)[0] if source[-2] == "-" else source, kind) for wave, source, kind in codec.unpack(path, opus)]
    learned = learned_sources([sound[1:] for sound in sounds], is_measured)
    heard = [(np.trim_zeros(wave), kind) for wave, source, kind in sounds if source in learned]
    heard = [(wave, kind) for wave, kind in heard if len(wave) > RATE // 20]
    return [wave for wave, kind in heard if kind in STEADY], [wave for wave, kind in heard if kind not in STEADY]
