"""Any recording as 16 kHz mono int16 samples: by soundfile or ffmpeg, whichever is installed and can read it, otherwise WAV only."""
import io
import shutil
import subprocess
import wave

import numpy as np

from shards import RATE, resample, to_int16

SHORTEST, LONGEST = 0.3, 23.0  # seconds; the training's longest row holds no more
FASTEST = 30  # letters per second: more means that the text belongs to another recording


class AudioError(Exception):
    pass


def decoder():
    """The function that reads a file (path or bytes): the library first, because starting a program costs more than decoding a clip."""
    readers = [r for r in (library_reader(), ffmpeg_reader(), read_wav) if r]
    if readers == [read_wav]:
        print("neither the package soundfile nor ffmpeg is installed: only WAV files can be read (pip install soundfile, or apt-get install ffmpeg)", flush=True)

    def read(source):
        for reader in readers[:-1]:
            try:
                return reader(source)
            except AudioError:
                continue
        return readers[-1](source)
    return read


def library_reader():
    try:
        import soundfile
    except (ImportError, OSError):  # the package, or the library that it needs
        return None

    def read(source):
        try:
            samples, rate = soundfile.read(io.BytesIO(source) if isinstance(source, bytes) else source, dtype="float32", always_2d=True)
        except soundfile.LibsndfileError as error:
            raise AudioError("cannot be decoded") from error
        return at_our_rate(samples, rate)
    return read


def ffmpeg_reader():
    ffmpeg = shutil.which("ffmpeg")
    return ffmpeg and (lambda source: through_ffmpeg(ffmpeg, source))


def through_ffmpeg(ffmpeg, source):
    given = source if isinstance(source, bytes) else None
    command = [ffmpeg, "-nostdin", "-v", "error", "-threads", "1", "-i", "pipe:0" if given else source, "-f", "s16le", "-ac", "1", "-ar", str(RATE), "-"]
    done = subprocess.run(command, input=given, capture_output=True)
    if done.returncode != 0 or not done.stdout:
        raise AudioError("cannot be decoded")
    return np.frombuffer(done.stdout, np.int16)


def read_wav(source):
    try:
        with wave.open(io.BytesIO(source) if isinstance(source, bytes) else source) as file:
            if file.getsampwidth() != 2:
                raise AudioError("cannot be decoded")
            samples = np.frombuffer(file.readframes(file.getnframes()), np.int16).reshape(-1, file.getnchannels())
            return at_our_rate(samples.astype(np.float32) / 32768, file.getframerate())
    except (wave.Error, EOFError):
        raise AudioError("cannot be decoded") from None


def at_our_rate(samples, rate):
    mono = samples.mean(1)
    return to_int16(mono if rate == RATE or not len(mono) else resample(mono, rate))


def check(samples, text, longest=LONGEST):
    """Raises an AudioError where sound and text cannot belong to a usable clip."""
    seconds = len(samples) / RATE
    if seconds < SHORTEST:
        raise AudioError(f"shorter than {SHORTEST} s")
    if seconds > longest:
        raise AudioError(f"longer than {longest:.0f} s")
    if len(text) > FASTEST * seconds:
        raise AudioError("more text than can be said in its time")
    if not samples.any():
        raise AudioError("silent")
