"""The training, for a given time (wall clock): what a mistake costs, and the steps."""
import dataclasses
import math

import torch
from torch import nn
from torch.nn import functional as F

from train import Average

from .labels import FAR, IN_SPEECH, TAIL, UNSURE, VOICE
from .network import CONTEXT, FRAME
from .scenes import KIND
from .tracks import FRAMES

SEGMENT = 320  # frames between two steps
SURE = 0.999  # of a label: nobody is surer
WINDOW = 16  # frames (0.5 s) of which one must be voice in speech, and none in silence
MARGIN = 2  # of a logit, on the right side
SOON = 10  # frames (320 ms) behind the first 160 ms after speech
WARM = 100  # steps until the full rate
AVERAGE = 0.998  # of the weights, per step


@dataclasses.dataclass(frozen=True)
class Costs:
    """Of a frame of voice, beside 1 for one of silence; of a gap within words that is not taken for voice; of voice in the first 160 ms after speech; of half
    a second of speech without any voice, and of half a second of silence with some, once more where it begins soon after speech. The last is the logit that
    is voice to the endpointer: half seconds are wanted on their side of it."""
    voice: float = 2.0
    gap: float = 0.1
    tail: float = 0.1
    missed: float = 1.5
    false: float = 0.4
    after: float = 0.0
    limit: float = 0.0


COSTS = {"even": Costs(1, 0, 0.15, 0.3, 0.3), "careful": Costs(), "holding": Costs(1.5, 0.5, 0.05, 1, 0.8),
         "prompt": Costs(after=0.8), "decided": Costs(missed=2.5, false=0.6, after=1.2, limit=2.6)}


def mistake(logits, codes, costs):
    """[B, T], [B, T] -> one number"""
    kind, in_speech = codes & KIND, (codes & IN_SPEECH) > 0
    gap = (kind == UNSURE) & in_speech
    wanted = ((kind == VOICE) | gap).float() * (2 * SURE - 1) + 1 - SURE
    weight = (kind == FAR).float() + costs.tail * (kind == TAIL) + costs.voice * (kind == VOICE) + costs.gap * gap
    frames = (F.binary_cross_entropy_with_logits(logits, wanted, reduction="none") * weight).sum() / (kind != UNSURE).sum().clamp(min=1)
    highest = logits.unfold(1, WINDOW, 1).amax(2)
    missed = mean_of(F.softplus(costs.limit + MARGIN - highest), windows(in_speech))
    heard, silent = F.softplus(highest - costs.limit + MARGIN), windows(kind == FAR)
    false, after = mean_of(heard, silent), mean_of(heard, silent * soon_after(kind == TAIL)[:, :silent.shape[1]])
    return frames + costs.missed * missed + costs.false * false + costs.after * after


def soon_after(mask):
    """Whether one of the SOON frames before was so; [B, T] -> [B, T]"""
    return F.max_pool1d(F.pad(mask.float(), (SOON, 0))[:, None], SOON, 1)[:, 0, :mask.shape[1]]


def windows(mask):
    """Whether WINDOW frames in a row are all so; [B, T] -> [B, T - WINDOW + 1]"""
    return mask.float().unfold(1, WINDOW, 1).amin(2)


def mean_of(values, weights):
    return (values * weights).sum() / weights.sum().clamp(min=1)


@torch.no_grad()
def errors(logits, codes):
    """Per cent of the half seconds of speech without voice, and of the half seconds of silence with some."""
    highest = logits.unfold(1, WINDOW, 1).amax(2)
    missed = mean_of((highest < 0).float(), windows((codes & IN_SPEECH) > 0))
    false = mean_of((highest > 0).float(), windows((codes & KIND) == FAR))
    return 100 * missed.item(), 100 * false.item()


class Training:
    def __init__(self, spectra, network, rate, costs):
        self.spectra, self.network, self.rate, self.costs, self.steps = spectra, network, rate, costs, 0
        self.average = Average(network)
        self.optimiser = torch.optim.AdamW(network.parameters(), rate, weight_decay=1e-3)

    @torch.no_grad()
    def check(self, wave, codes):
        missed, false = errors(self.network(self.spectra(wave), len(wave))[0], codes)
        return f"{self.steps} steps, missed {missed:.2f} %, false {false:.2f} %"

    def averaged(self, network):
        """The network with the average of the weights."""
        names = (name for name, _ in self.network.named_parameters())
        network.load_state_dict({name: value.cpu() for name, value in zip(names, self.average.mean)})
        return network

    def learn(self, wave, codes, done):
        """Steps through streams from their beginning to their end; returns the last loss."""
        state = context = None
        for at in range(0, FRAMES, SEGMENT):
            part, marks = wave[:, at * FRAME:(at + SEGMENT) * FRAME], codes[:, at:at + SEGMENT]
            logits, state = self.network(self.spectra(part, context), len(part), state)
            state, context = tuple(s.detach() for s in state), part[:, -CONTEXT:]
            loss = mistake(logits, marks, self.costs)
            self.step(loss, done)
        return loss.item()

    def step(self, loss, done):
        for group in self.optimiser.param_groups:
            group["lr"] = self.rate * min(1, (self.steps + 1) / WARM) * (0.5 + 0.5 * math.cos(math.pi * done)) + 1e-6
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimiser.step()
        self.steps += 1
        self.average.update(AVERAGE)
