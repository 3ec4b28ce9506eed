"""Opus through libopus: recordings travel as their packets and are decoded where they are used; clean speech is sent through the codec as phones do.

    python codec.py --manifest swa/manifest.tsv --language sw --out real/sw.npz [--hours 2]     packs Ogg Opus or 16 kHz WAV files and their texts into one file
"""
import argparse
import csv
import ctypes
import ctypes.util
import os

import numpy as np

from shards import RATE, read_wav

FRAME = 320  # 20 ms
VOIP, SET_BITRATE, SET_COMPLEXITY = 2048, 4002, 4010
PACKED_BITRATE = 24000  # of WAV files
DELAY = 104  # samples that an encoder at 16 kHz puts in front (6.5 ms)


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

    def encode(self, wave, bitrate, complexity):
        """int16 samples -> [bytes]"""
        encoder = ctypes.c_void_p(self.lib.opus_encoder_create(RATE, 1, VOIP, ctypes.byref(self.error)))
        self.lib.opus_encoder_ctl(encoder, SET_BITRATE, ctypes.c_int(int(bitrate)))
        self.lib.opus_encoder_ctl(encoder, SET_COMPLEXITY, ctypes.c_int(complexity))
        padded = np.zeros(-(-(len(wave) + DELAY) // FRAME) * FRAME, np.int16)
        padded[:len(wave)] = wave
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


def packets_of(path, opus):
    if not path.endswith(".wav"):
        return ogg_packets(open(path, "rb").read())
    samples = read_wav(path)
    assert samples is not None, f"{path} is not 16 kHz mono with 16 bits"
    return opus.encode(samples, PACKED_BITRATE, 8)


def pack(args):
    """Packets of all clips one after the other, their sizes, and for each clip its number of packets, speaker and text."""
    folder = os.path.dirname(args.manifest)
    rows = list(csv.DictReader(open(args.manifest, encoding="utf-8"), delimiter="\t", quoting=csv.QUOTE_NONE))
    chosen, seconds = [], 0.0
    for row in rows:
        if seconds >= args.hours * 3600:
            break
        chosen.append(row)
        seconds += float(row["seconds"])
    opus = Opus()
    clips = [packets_of(os.path.join(folder, row["file"]), opus) for row in chosen]
    np.savez(args.out, data=np.frombuffer(b"".join(p for clip in clips for p in clip), np.uint8), size=np.array([len(p) for clip in clips for p in clip], np.uint16),
             count=np.array([len(clip) for clip in clips]), speaker=np.array([r["speaker"] for r in chosen]), text=np.array([r["text"] for r in chosen]), language=args.language)
    print(f"{args.out}: {len(chosen)} clips, {seconds / 3600:.2f} h")


def unpack(path, library=None):
    """Yields (int16 samples, speaker, text) of a packed file."""
    packed, opus = np.load(path), Opus(library)
    data, ends = packed["data"].tobytes(), np.cumsum(packed["size"].astype(np.int64))
    first = 0
    for count, speaker, text in zip(packed["count"].tolist(), packed["speaker"].tolist(), packed["text"].tolist()):
        spans = [(int(ends[i - 1]) if i else 0, int(ends[i])) for i in range(first, first + count)]
        first += count
        yield opus.decode([data[a:b] for a, b in spans]), speaker, text


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--manifest", required=True)
    ap.add_argument("--language", required=True)
    ap.add_argument("--out", required=True)
    ap.add_argument("--hours", type=float, default=1e9, help="at most so much, from the beginning")
    pack(ap.parse_args())


if __name__ == "__main__":
    main()
