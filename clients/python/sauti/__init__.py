"""Sauti from Python: speech recognition for Kikuyu and Dholuo, live or from recordings.

Needs httpx and websockets, Python 3.11 or later.

    client = Sauti("https://sauti.example", api_key=os.environ["SAUTI_API_KEY"])
    async with client.continuous("svc-asr-kikuyu-v1") as stream:
        stream.on_final = lambda final: print(final["text"])
        await stream.send(pcm)              # mono 16 kHz signed 16-bit little-endian, of any length

Or from a shell:  python -m sauti svc-asr-kikuyu-v1 recording.wav
"""

from .client import Sauti
from .continuous import ContinuousStream
from .errors import SautiError
from .recording import transcribe
from .stream import Stream, open_stream

__all__ = ["ContinuousStream", "Sauti", "SautiError", "Stream", "open_stream", "transcribe"]
