"""Says IPA with one of Kokoro's voices, or with a mix of them, and reports when each phoneme is heard."""
import json
import os

import numpy as np
import torch

from .graph import Graph

RATE = 24000


class Kokoro:
    def __init__(self, folder, device="cpu"):
        self.folder, self.device = folder, torch.device(device)
        self.vocab = json.load(open(os.path.join(folder, "tokenizer.json")))["model"]["vocab"]
        self.graph = Graph(os.path.join(folder, "kokoro-quantized.onnx"), self.device)
        self.styles = {}

    def voices(self):
        return sorted(f[:-4] for f in os.listdir(os.path.join(self.folder, "voices")) if f.endswith(".bin"))

    def style(self, voice, length):
        """voice: a name, {name: weight} to mix, or a pair of those: one for the sound of the voice, one for its melody and rhythm."""
        if isinstance(voice, tuple):
            sound, melody = (self.style(v, length) for v in voice)
            return torch.cat([sound[:, :128], melody[:, 128:]], 1)
        mix = {voice: 1.0} if isinstance(voice, str) else voice
        for name in mix:
            if name not in self.styles:
                raw = np.fromfile(os.path.join(self.folder, "voices", name + ".bin"), np.float32).reshape(-1, 256)
                self.styles[name] = torch.from_numpy(raw).to(self.device)
        return sum(w * self.styles[n][length][None] for n, w in mix.items())

    @torch.no_grad()
    def say(self, ipa, voice, speed=1.0, rate=RATE, prosody=None):
        symbols = [c for c in ipa if c in self.vocab][:500]
        ids = torch.tensor([[0, *(self.vocab[c] for c in symbols), 0]])
        changes = {self.graph.durations: prosody.durations, self.graph.pitch: prosody.pitch} if prosody else None
        wave, frames = self.graph.run(
            {"input_ids": ids, "style": self.style(voice, len(symbols)), "speed": torch.tensor([speed], device=self.device)}, changes)
        frames = frames.flatten().cpu().numpy()
        seconds_per_frame = wave.numel() / RATE / frames.sum()
        ends = np.cumsum(frames) * seconds_per_frame
        spans = [(s, float(ends[i]), float(ends[i + 1])) for i, s in enumerate(symbols)]  # ends[0] closes the leading pad
        return convert(wave.flatten().float(), rate).cpu().numpy(), spans


def convert(wave, rate):
    """To another rate on the device, by the Fourier transform, in whole seconds so that few plans are made."""
    if rate == RATE:
        return wave
    seconds = -(-len(wave) // RATE)
    spectrum = torch.fft.rfft(wave, seconds * RATE)
    out = torch.fft.irfft(spectrum[:seconds * rate // 2 + 1], seconds * rate) * (rate / RATE)
    return out[:len(wave) * rate // RATE]
