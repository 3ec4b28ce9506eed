"""Opus through libopus: recordings travel as their packets and are decoded where they are used; clean speech is sent through the codec as phones do.

    python codec.py --folder swahili --language sw --out real/sw.npz [--hours 2]                  packs recordings and their texts into one file
    python codec.py --folder clips --layout audio --language en-clips --out real/en-clips.npz --bitrate 16000 --shuffle --hours 20     recordings without texts

A folder has one of the layouts of `fit/recordings.py`; its audio may be in any format that soundfile or ffmpeg reads. What is Opus already stays as it is.
"""
import argparse
import collections
import concurrent.futures
import ctypes
import ctypes.util
import functools
import os
import random

import numpy as np

from fit import audio, recordings
from shards import RATE

FRAME = 320  # 20 ms
VOIP, LOW_DELAY, SET_BITRATE, SET_COMPLEXITY = 2048, 2051, 4002, 4010
PACKED_BITRATE = 24000  # of what is not Opus yet
PACKED_COMPLEXITY = 2  # two and a half times as fast as 8, at the same size
QUICK_COMPLEXITY = 0
DELAY = 104  # samples that an encoder at 16 kHz puts in front (6.5 ms)
LESS_DELAY = {VOIP: 0, LOW_DELAY: 64}  # of which this one leaves out so many; they are put there, so that a packet does not have to say how it was made


class Opus:
    """One stream in each direction, 16 kHz mono."""

    def __init__(self, library=None):
        self.lib = ctypes.CDLL(library or ctypes.util.find_library("opus"))
        self.lib.opus_decoder_create.restype = self.lib.opus_encoder_create.restype = ctypes.c_void_p
        self.error = ctypes.c_int()

    def decode(self, packets):
        """[bytes] -> int16 samples, without the encoder's delay."""
        decoder = ctypes.c_void_p(self.lib.opus_decoder_create(RATE, 1, ctypes.byref(self.error)))
        room, out = (ctypes.c_short * 5760)(), []
        for packet in packets:
            count = self.lib.opus_decode(decoder, packet, len(packet), room, 5760, 0)
            out.append(np.frombuffer(room, np.int16, max(count, 0)).copy())
        self.lib.opus_decoder_destroy(decoder)
        return np.concatenate(out)[DELAY:] if out else np.zeros(0, np.int16)

    def through(self, wave, bitrate):
        """int16 samples as they come out of a call at this bit rate, of the same length."""
        return self.decode(self.encode(wave, bitrate, 1))[:len(wave)]

    def encode(self, wave, bitrate, complexity, application=VOIP):
        """int16 samples -> [bytes]"""
        encoder = ctypes.c_void_p(self.lib.opus_encoder_create(RATE, 1, application, ctypes.byref(self.error)))
        self.lib.opus_encoder_ctl(encoder, SET_BITRATE, ctypes.c_int(int(bitrate)))
        self.lib.opus_encoder_ctl(encoder, SET_COMPLEXITY, ctypes.c_int(complexity))
        padded = np.zeros(-(-(len(wave) + DELAY) // FRAME) * FRAME, np.int16)
        padded[LESS_DELAY[application]:][:len(wave)] = wave
        room, packets = ctypes.create_string_buffer(1500), []
        for at in range(0, len(padded), FRAME):
            part = np.ascontiguousarray(padded[at:at + FRAME])
            size = self.lib.opus_encode(encoder, part.ctypes.data_as(ctypes.c_void_p), FRAME, room, 1500)
            packets.append(room.raw[:max(size, 0)])
        self.lib.opus_encoder_destroy(encoder)
        return packets


def ogg_packets(data):
    """The packets of an Ogg file, headers left out."""
    packets, open_packet, at = [], b"", 0
    while at + 27 <= len(data) and data[at:at + 4] == b"OggS":
        segments = data[at + 27:at + 27 + data[at + 26]]
        body = at + 27 + len(segments)
        for size in segments:
            open_packet += data[body:body + size]
            body += size
            if size < 255:
                packets.append(open_packet)
                open_packet = b""
        at = body
    return packets[2:]


def packets_of(recording, bitrate, longest, quick=False):
    """The packets of one recording and its samples, or (None, the reason why it cannot be used)."""
    try:
        if (data := opus_file(recording.audio)) is not None:
            packets = ogg_packets(data)
            return packets, len(Opus().decode(packets))
        samples = decoder()(recording.audio() if callable(recording.audio) else recording.audio)
        audio.check(samples, recording.text, longest)
        return Opus().encode(samples, bitrate, *((QUICK_COMPLEXITY, LOW_DELAY) if quick else (PACKED_COMPLEXITY, VOIP))), len(samples)
    except audio.AudioError as error:
        return None, str(error)


decoder = functools.cache(audio.decoder)


def opus_file(source):
    """The bytes of an Ogg Opus file, None for every other one."""
    if callable(source) or not source.endswith((".opus", ".ogg")):
        return None
    data = open(source, "rb").read()
    return data if b"OpusHead" in data[:64] else None


def chosen(args):
    """The recordings of all folders, as many of a speaker as are wanted."""
    found, of_speaker = [], collections.Counter()
    for folder in args.folder:
        found += recordings.read(folder, args.layout)[0]
    if args.shuffle:
        random.Random(0).shuffle(found)
    for recording in found:
        of_speaker[recording.speaker] += 1
        if not recording.speaker or of_speaker[recording.speaker] <= args.per_speaker:
            yield recording


def pack(args):
    """Packets of all clips one after the other, their sizes, and for each clip its number of packets, speaker and text."""
    kept, clips, problems, seconds = [], [], collections.Counter(), 0.0
    work = functools.partial(packets_of, bitrate=args.bitrate, longest=args.longest, quick=args.quick)
    with concurrent.futures.ProcessPoolExecutor(args.workers) as workers:
        waiting, source = collections.deque(), chosen(args)
        while seconds < args.hours * 3600 and len(kept) < args.clips:
            while len(waiting) < 8 * args.workers and (recording := next(source, None)):  # no more is decoded than is wanted
                waiting.append((recording, workers.submit(work, recording)))
            if not waiting:
                break
            recording, result = waiting.popleft()
            packets, size = result.result()
            if packets is None:
                problems[size] += 1
                continue
            kept.append(recording)
            clips.append(packets)
            seconds += size / RATE
        for _, result in waiting:
            result.cancel()
    np.savez(args.out, data=np.frombuffer(b"".join(p for clip in clips for p in clip), np.uint8), size=np.array([len(p) for clip in clips for p in clip], np.uint16),
             count=np.array([len(clip) for clip in clips]), speaker=np.array([r.speaker for r in kept]), text=np.array([r.text for r in kept]), language=args.language)
    named = {r.speaker for r in kept if r.speaker}
    print(f"{args.out}: {len(kept)} clips, {seconds / 3600:.2f} h, {len(named)} speakers that are named; left out: {dict(problems)}")


def clip_count(path):
    return len(np.load(path)["count"])


def unpack(path, library=None, part=0, parts=1):
    """Yields (int16 samples, speaker, text) of a packed file, or of every so many clips: several processes decode side by side."""
    packed, opus = np.load(path), Opus(library)
    data, ends = packed["data"].tobytes(), np.concatenate([[0], np.cumsum(packed["size"].astype(np.int64))]).tolist()
    first = np.cumsum(packed["count"]) - packed["count"]
    for at, count, speaker, text in list(zip(first.tolist(), *(packed[k].tolist() for k in ("count", "speaker", "text"))))[part::parts]:
        yield opus.decode([data[ends[i]:ends[i + 1]] for i in range(at, at + count)]), speaker, text


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--folder", required=True, nargs="+")
    ap.add_argument("--layout", choices=recordings.LAYOUTS, help="where it cannot be seen from the folder")
    ap.add_argument("--language", required=True)
    ap.add_argument("--out", required=True)
    ap.add_argument("--hours", type=float, default=1e9, help="at most so much, from the beginning")
    ap.add_argument("--clips", type=int, default=1 << 40, help="at most so many")
    ap.add_argument("--per-speaker", type=int, default=1 << 40, help="at most so many clips of a speaker who is named")
    ap.add_argument("--longest", type=float, default=audio.LONGEST, help="seconds of a clip; Opus files are not asked")
    ap.add_argument("--shuffle", action="store_true", help="in an order drawn at random, always the same, so that the limits take of everything")
    ap.add_argument("--bitrate", type=int, default=PACKED_BITRATE)
    ap.add_argument("--quick", action="store_true", help="without Opus' model of speech: three times as fast, and at 24,000 bits a second as true as 16,000 with it")
    ap.add_argument("--workers", type=int, default=os.cpu_count())
    pack(ap.parse_args())


if __name__ == "__main__":
    main()
