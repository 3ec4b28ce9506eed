"""The streaming reference: a package run chunk by chunk with ONNX Runtime, as the server runs it."""
import argparse
import json
import os
import time

import numpy as np
import onnxruntime as ort
import torch

import beam
import features
import language_model
import level
import shards

MAX_SYMBOLS = 10
CHUNK_FRAMES = 14
TAIL = int(1.3 * features.RATE)


class Package:
    def __init__(self, folder, manifest, threads=1):
        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = threads
        load = lambda part: ort.InferenceSession(os.path.join(folder, manifest["files"][part]["path"]), options, providers=["CPUExecutionProvider"])
        self.m, self.encoder, self.decoder, self.joiner = manifest, load("encoder"), load("decoder"), load("joiner")
        lines = open(os.path.join(folder, manifest["files"]["tokens"]["path"]), encoding="utf-8").read().splitlines()
        self.pieces = [line.rsplit(" ", 1)[0] for line in lines]
        self.frame_scorer = load("frame_scorer") if "frame_scorer" in manifest["files"] else None
        model = manifest["files"].get("language_model")
        self.language_model = model and language_model.load(os.path.join(folder, model["path"]))
        self.filters = features.mel_filters(manifest["features"]["mel_bins"])
        self.silence = next(self.steps(np.zeros(0, np.int16), CHUNK_FRAMES - 1))[0][:, :, -1:]

    def transcribe(self, samples, look_ahead):
        """int16 samples -> text; silence is added after them, as at a flush."""
        return self.text(self.decode(self.encode(samples, look_ahead)))

    def encode(self, samples, look_ahead):
        return np.concatenate([outputs[0] for outputs in self.steps(samples, look_ahead)], 2)

    def steps(self, samples, look_ahead):
        """What the encoder gives, chunk by chunk."""
        e = self.m["encoder"]
        shift = e["subsampling"] * (look_ahead + 1)
        frames = -(-(len(samples) + TAIL) // (features.HOP * shift)) * shift
        padded = np.zeros(frames * features.HOP, np.float32)
        padded[:len(samples)] = samples.astype(np.float32) / 32768
        mels = features.log_mel(torch.from_numpy(padded)[None], self.filters).numpy()
        self.raise_quiet_speech(mels, padded, shift)
        mels = np.pad(mels, ((0, 0), (0, 0), (e["pre_encode_cache"], 0)))
        state = [np.zeros((1, e["layers"], e["left"], e["dim"]), np.float32), np.zeros((1, e["layers"], e["dim"], e["conv_cache"]), np.float32), np.zeros(1, np.int64)]
        prompt = [] if self.m["prompt_index"] is None else [np.array([self.m["prompt_index"]])]
        names = [i.name for i in self.encoder.get_inputs()]
        for start in range(0, frames, shift):
            window = np.ascontiguousarray(mels[:, :, start:start + e["pre_encode_cache"] + shift])
            outputs = self.encoder.run(None, dict(zip(names, [window, np.array([window.shape[2]]), *state, *prompt])))
            state = outputs[2:5]
            yield outputs

    def raise_quiet_speech(self, mels, samples, shift):
        wanted, speech = self.m["features"].get("speech_level_db"), level.SpeechLevel()
        for start in range(0, mels.shape[2], shift) if wanted is not None else ():
            mels[:, :, start:start + shift] += speech.raise_by(samples[start * features.HOP:(start + shift) * features.HOP], wanted)

    def decode(self, encoded):
        return self.decode_greedily(encoded) if self.language_model is None else self.decode_with_language(encoded)

    def decode_greedily(self, encoded):
        pieces, blank = [], self.m["vocab_size"]
        prediction = self.predict(blank, None)
        for t in range(encoded.shape[2]):
            for _ in range(MAX_SYMBOLS):
                best = int(self.join(encoded, t, [prediction]).argmax())
                if best == blank:
                    break
                pieces.append(best)
                prediction = self.predict(best, prediction)
        return pieces

    def decode_with_language(self, encoded):
        join = lambda frame, predictions: self.join(self.silence if frame == beam.SILENCE else encoded, frame, predictions)
        alone = self.frame_scorer and self.frame_scorer.run(None, {"encoded": np.ascontiguousarray(encoded[0].T)})[0].astype(np.float64)
        return beam.Beam(self.language_model, self.predict, join, self.m["vocab_size"], alone).decode(encoded.shape[2])

    def predict(self, piece, before):
        """What the decoder predicts after one more piece, and its memory."""
        size = (self.m["decoder"]["layers"], 1, self.m["decoder"]["hidden"])
        h, c = [np.zeros(size, np.float32)] * 2 if before is None else before[1]
        predicted, _, *state = self.decoder.run(None, {"targets": np.array([[piece]], np.int32), "target_length": np.ones(1, np.int32), "h": h, "c": c})
        return predicted, state

    def join(self, encoded, frame, predictions):
        """A row of logits for each prediction at one frame."""
        rows = [self.joiner.run(None, {"encoder_outputs": encoded[:, :, [frame]], "decoder_outputs": p})[0].reshape(-1) for p, _ in predictions]
        return np.stack(rows)

    def text(self, pieces):
        return "".join(self.pieces[i] for i in pieces if self.pieces[i] != "<unk>").replace("▁", " ").strip()


def open_package(folder):
    return Package(folder, json.load(open(os.path.join(folder, "manifest.json"), encoding="utf-8")))


def read_wav(path):
    samples = shards.read_wav(path)
    assert samples is not None, "16 kHz mono, 16 bit"
    return samples


def milliseconds_per_chunk(package, rounds=60):
    """CPU time of the encoder for one full chunk of 1.12 s, on one thread."""
    samples = np.zeros(17920 * 8, np.int16)
    package.encode(samples, 13)
    chunks = -(-(len(samples) + TAIL) // 17920)
    start = time.process_time()
    for _ in range(rounds // chunks):
        package.encode(samples, 13)
    return (time.process_time() - start) * 1000 / (rounds // chunks * chunks)


def main():
    """python stream.py --package ../models/svc-asr-kikuyu-v1 [--look-ahead 13] [--time] clip.wav ..."""
    ap = argparse.ArgumentParser()
    ap.add_argument("--package", required=True)
    ap.add_argument("--look-ahead", type=int, default=13)
    ap.add_argument("--time", action="store_true", help="CPU-ms of the encoder per chunk, features included")
    ap.add_argument("wavs", nargs="*")
    args = ap.parse_args()
    torch.set_num_threads(1)
    package = open_package(args.package)
    for path in args.wavs:
        print(f"{os.path.basename(path)}\t{package.transcribe(read_wav(path), args.look_ahead)}")
    if args.time:
        print(f"{milliseconds_per_chunk(package):.1f} CPU-ms per chunk of 1.12 s")


if __name__ == "__main__":
    main()
