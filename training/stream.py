"""The streaming reference: a package run chunk by chunk with ONNX Runtime, as the server runs it."""
import os

import numpy as np
import onnxruntime as ort
import torch

import features

MAX_SYMBOLS = 10
TAIL = int(1.3 * features.RATE)


class Package:
    def __init__(self, folder, manifest, threads=1):
        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = threads
        load = lambda part: ort.InferenceSession(os.path.join(folder, manifest["files"][part]["path"]), options, providers=["CPUExecutionProvider"])
        self.m, self.encoder, self.decoder, self.joiner = manifest, load("encoder"), load("decoder"), load("joiner")
        lines = open(os.path.join(folder, manifest["files"]["tokens"]["path"]), encoding="utf-8").read().splitlines()
        self.pieces = [line.rsplit(" ", 1)[0] for line in lines]
        self.filters = features.mel_filters(manifest["features"]["mel_bins"])

    def transcribe(self, wave, look_ahead):
        """int16 samples -> text; silence is added behind, as at a flush."""
        return self.text(self.decode(self.encode(wave, look_ahead)))

    def encode(self, wave, look_ahead):
        e = self.m["encoder"]
        shift = e["subsampling"] * (look_ahead + 1)
        frames = -(-(len(wave) + TAIL) // (features.HOP * shift)) * shift
        padded = np.zeros(frames * features.HOP, np.float32)
        padded[:len(wave)] = wave.astype(np.float32) / 32768
        mels = features.log_mel(torch.from_numpy(padded)[None], self.filters).numpy()
        mels = np.pad(mels, ((0, 0), (0, 0), (e["pre_encode_cache"], 0)))
        state = [np.zeros((1, e["layers"], e["left"], e["dim"]), np.float32), np.zeros((1, e["layers"], e["dim"], e["conv_cache"]), np.float32), np.zeros(1, np.int64)]
        prompt = [] if self.m["prompt_index"] is None else [np.array([self.m["prompt_index"]])]
        names, out = [i.name for i in self.encoder.get_inputs()], []
        for start in range(0, frames, shift):
            window = np.ascontiguousarray(mels[:, :, start:start + e["pre_encode_cache"] + shift])
            encoded, _, *state = self.encoder.run(None, dict(zip(names, [window, np.array([window.shape[2]]), *state, *prompt])))
            out.append(encoded)
        return np.concatenate(out, 2)

    def decode(self, encoded):
        blank, hidden = self.m["vocab_size"], self.m["decoder"]["hidden"]
        pieces, state = [], [np.zeros((self.m["decoder"]["layers"], 1, hidden), np.float32)] * 2
        ask = lambda last, s: self.decoder.run(None, {"targets": np.array([[last]], np.int32), "target_length": np.ones(1, np.int32), "h": s[0], "c": s[1]})
        predicted, _, *state = ask(blank, state)
        for t in range(encoded.shape[2]):
            for _ in range(MAX_SYMBOLS):
                best = int(self.joiner.run(None, {"encoder_outputs": encoded[:, :, t:t + 1], "decoder_outputs": predicted})[0].argmax())
                if best == blank:
                    break
                pieces.append(best)
                predicted, _, *state = ask(best, state)
        return pieces

    def text(self, pieces):
        return "".join(self.pieces[i] for i in pieces if self.pieces[i] != "<unk>").replace("▁", " ").strip()
