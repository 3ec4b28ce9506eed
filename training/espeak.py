"""espeak-ng as a library: phones in, samples and the time of every phone out. It is a tool of the training and is not shipped."""
import ctypes
import ctypes.util
import os

import numpy as np

import sounds

SYNCHRONOUS, PHONEME_EVENTS, PHONEMES, UTF8, IPA = 2, 1, 0x100, 1, 2
RATE_PARAMETER, VOLUME, PITCH, RANGE = 1, 2, 3, 4
EVENT_END, EVENT_PHONEME = 0, 7
PAUSE = "_:"

BASES = ("tn", "es", "pt-br", "id", "hi", "ro", "en-us", "it", "sq", "el", "ca", "ku", "pap", "la", "mi", "cy")
HELD_OUT_BASE = "eu"
HELD_OUT_VARIANTS = ("f3", "m4", "klatt4", "Andy", "Alicia", "grandma", "michel", "steph2")
EFFECTS = ("Demonic", "whisper", "whisperf", "croak", "UniRobot", "anikaRobot", "AnxiousAndy", "fast", "Storm", "Tweaky", "Mr serious")


class Event(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_uint), ("text_position", ctypes.c_int), ("length", ctypes.c_int),
                ("audio_ms", ctypes.c_int), ("sample", ctypes.c_int), ("user_data", ctypes.c_void_p), ("name", ctypes.c_char * 8)]


CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(Event))


class Espeak:
    def __init__(self, folder=None):
        """folder: holds libespeak-ng.so.1, its neighbours and espeak-ng-data, where it is not installed."""
        if folder:
            for name in ("libpcaudio.so.0", "libsonic.so.0"):
                ctypes.CDLL(os.path.join(folder, name), mode=ctypes.RTLD_GLOBAL)
        library = os.path.join(folder, "libespeak-ng.so.1") if folder else ctypes.util.find_library("espeak-ng")
        self.lib = ctypes.CDLL(library)
        self.rate = self.lib.espeak_Initialize(SYNCHRONOUS, 200, folder.encode() if folder else None, PHONEME_EVENTS)
        assert self.rate > 0, "espeak-ng did not start"
        self.callback = CALLBACK(self.receive)  # kept, or it would be collected
        self.lib.espeak_SetSynthCallback(self.callback)
        self.lib.espeak_TextToPhonemes.restype = ctypes.c_char_p
        self.tables, self.waves, self.events = {}, [], []

    def receive(self, wave, count, events):
        if wave and count > 0:
            self.waves.append(np.ctypeslib.as_array(wave, (count,)).copy())
        i = 0
        while events[i].type != EVENT_END:
            if events[i].type == EVENT_PHONEME:
                self.events.append((events[i].name.decode("utf8", "replace"), events[i].sample))
            i += 1
        return 0

    def synth(self, phonemes):
        return self.read(f"[[{phonemes}]]", UTF8 | PHONEMES), self.events

    def read(self, text, flags=UTF8):
        """Text of the chosen voice's own language -> int16 wave at self.rate."""
        self.waves, self.events, data = [], [], text.encode()
        self.lib.espeak_Synth(data, len(data) + 1, 0, 1, 0, flags, None, None)
        return np.concatenate(self.waves) if self.waves else np.zeros(0, np.int16)

    def ipa(self, text):
        """How the chosen voice's language would say it, in IPA."""
        data = ctypes.create_string_buffer(text.encode() + b"\0")
        at, clauses = ctypes.c_void_p(ctypes.addressof(data)), []
        while at.value:
            clauses.append(self.lib.espeak_TextToPhonemes(ctypes.byref(at), UTF8, IPA).decode())
        return " ".join(clauses)

    def voice(self, name, words_per_minute=160, pitch=50, pitch_range=50):
        if self.lib.espeak_SetVoiceByName(name.encode()) != 0:
            raise ValueError(f"espeak-ng knows no voice {name!r}; `espeak-ng --voices` shows the names, in the column File behind the slash")
        for parameter, value in ((RATE_PARAMETER, words_per_minute), (PITCH, pitch), (RANGE, pitch_range), (VOLUME, 90)):
            self.lib.espeak_SetParameter(parameter, int(value), 0)

    def table(self, base):
        """{phone: mnemonic} of what this base voice really speaks between two vowels; None where it lacks a sound."""
        if base not in self.tables:
            self.voice(base)
            self.tables[base] = {p: next((m for m in names if self.speaks(m)), None) for p, names in sounds.ESPEAK.items()}
        return self.tables[base]

    def speaks(self, mnemonic):
        names = [n for n, _ in self.synth(f"p_a_'{mnemonic}_a_p" if mnemonic[0] in "iIeEaOouU" else f"a_{mnemonic}_'a")[1]]
        return mnemonic in names

    def say(self, words, base, pause=0.0, rng=None):
        """words as `sounds.spoken` gives them -> int16 wave at self.rate, [(label, start sample)]"""
        table, label = self.table(base), {}
        for phone, mnemonic in table.items():
            label.setdefault(mnemonic, sounds.label_of(phone))
        spell = lambda s: ("'" if s.stressed else "") + table[s.phone] + (":" if s.long and s.phone in sounds.VOWELS else "")
        texts = ["|".join(spell(s) for s in w if table[s.phone]) for w in words]
        text = "".join(t + (f" {PAUSE} " if pause and rng.random() < pause else " ") for t in texts)
        wave, events = self.synth(text)
        return wave, [(event_label(name, label), at) for name, at in events]


UNKNOWN = 255


def event_label(name, label):
    name = name.strip("'\",%:;|")
    if not name or name.startswith("_"):
        return 0
    return label.get(name, UNKNOWN)
