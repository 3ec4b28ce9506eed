"""A recording of any length into text."""

import wave

from .errors import SautiError

# The first bytes of other formats, so that such a file is refused by name instead of being read as noise.
KNOWN_BEGINNINGS = (
    (b"ID3", "MP3"),
    (b"\xff\xfb", "MP3"),
    (b"\xff\xf3", "MP3"),
    (b"OggS", "Ogg"),
    (b"fLaC", "FLAC"),
    (b"\x1a\x45\xdf\xa3", "WebM or Matroska"),
    (b"\xff\xf1", "AAC"),
)
PIECE_FRAMES = 16_000


async def transcribe(path, model, client, on_delta=lambda event: None, on_final=lambda event: None):
    """Text, words and utterances of a WAVE file (mono, 16 kHz, 16 bits) of any length, and what it cost."""
    check_format(path)
    utterances = []

    def keep(final):
        utterances.append(final)
        on_final(final)

    async with client.continuous(model, kind="recording") as stream:
        stream.on_delta, stream.on_final = on_delta, keep
        with wave.open(path) as file:
            while pcm := file.readframes(PIECE_FRAMES):
                await stream.send(pcm)
        summary = await stream.finish()
    words = [word for utterance in utterances for word in utterance["words"]]
    text = " ".join(utterance["text"] for utterance in utterances if utterance["text"])
    return {"text": text, "words": words, "utterances": utterances, **summary}


def check_format(path):
    with open(path, "rb") as file:
        head = file.read(12)
    if head[:4] != b"RIFF" or head[8:] != b"WAVE":
        kind = "MP4" if head[4:8] == b"ftyp" else next((k for b, k in KNOWN_BEGINNINGS if head.startswith(b)), "no WAVE file")
        raise SautiError("invalid_audio", f"{path} is {kind}; this takes WAVE, mono, 16 kHz, 16 bits")
    try:
        with wave.open(path) as file:
            kind = (file.getframerate(), file.getnchannels(), file.getsampwidth())
    except (wave.Error, EOFError) as cause:
        raise SautiError("invalid_audio", f"{path} is a damaged or compressed WAVE file: {cause}") from cause
    if kind != (16_000, 1, 2):
        raise SautiError("invalid_audio", f"{path} must be mono, 16 kHz, 16 bits")
