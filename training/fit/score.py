"""What the network writes for held-out clips, chunk by chunk as when streaming, and how far it is from what was said."""
import copy

import numpy as np
import torch

import beam
import features
from evaluate import TAIL, error_rates, hear_with_torch


def errors(clips, heard):
    """(WER, CER) in per cent."""
    return error_rates([(clip.text, text) for clip, text in zip(clips, heard)])


def by_sound(model, tokens, clips, look_ahead, device):
    return hear_with_torch(model, tokens, clips, look_ahead, device, rows=32)


@torch.no_grad()
def with_language(model, tokens, clips, language_model, look_ahead, prompt, device):
    """The same search that the service does: with the language model, and with what each frame says by itself."""
    model.eval()
    parts = [copy.deepcopy(part).cpu() for part in (model.predictor, model.joiner)]
    filters, texts = features.mel_filters(model.c.mel).to(device), []
    for clip in clips:
        frames = -(-(len(clip.wave) + TAIL) // 1280)
        wave = torch.zeros(1, frames * 1280)
        wave[0, :len(clip.wave)] = torch.from_numpy(clip.wave.astype(np.float32)) / 32768
        encoded, _ = model.encoder(features.log_mel(wave.to(device), filters), torch.tensor([prompt], device=device), look_ahead)
        search = Search(*parts, encoded[0].float().cpu())
        alone = model.piece_ctc(encoded[0].float()).log_softmax(-1).cpu().numpy().astype(np.float64)
        texts.append(tokens.decode(beam.Beam(language_model, search.predict, search.join, tokens.blank, alone).decode(frames)))
    return texts


class Search:
    """The small networks after the encoder, one step at a time."""

    def __init__(self, predictor, joiner, encoded):
        self.predictor, self.joiner = predictor, joiner
        self.encoded = self.joiner.enc(encoded)

    def predict(self, piece, before):
        out, state = self.predictor.lstm(self.predictor.embedding(torch.tensor([[piece]])), before[1] if before else None)
        return self.joiner.pred(out[0, 0]), state

    def join(self, frame, predictions):
        return self.joiner.out(torch.tanh(self.encoded[frame] + torch.stack([p for p, _ in predictions]))).numpy()
