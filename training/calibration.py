"""Step 5b: the speech on which the scales of the int8 encoder are found, and what the inputs of its matrices look like on it.

Real voices, espeak-ng and Kokoro, each as often as the others, whatever the shards hold of them; two clips of three with the rooms, noises, levels
and telephone lines of the training.
"""
import collections
import random

import numpy as np
import onnx
import onnxruntime as ort
import torch

from augment import augment
from shards import RATE

SECONDS = 4.5  # of each clip: four chunks
BATCH = 32  # clips that lend each other their voices as background


def kind_of(clip):
    """Who speaks: an engine, a language's recordings, or English words."""
    engine, *rest = clip.voice.split(":")
    return f"{engine}:{rest[0]}" if engine in ("recorded", "words") and rest else engine


def draw(clips, count, seed):
    """About so many clips, the same number of each kind."""
    kinds, rng = collections.defaultdict(list), random.Random(seed)
    for clip in clips:
        kinds[kind_of(clip)].append(clip)
    each = -(-count // max(1, len(kinds)))
    drawn = [clip for kind in sorted(kinds) for clip in rng.sample(kinds[kind], min(each, len(kinds[kind])))]
    rng.shuffle(drawn)
    return drawn


def heard(clips, seed, recordings=None):
    """Their samples as a microphone may hear them: int16 [clips, samples]."""
    rng, waves = random.Random(seed), torch.zeros(len(clips), int(SECONDS * RATE))
    for row, clip in zip(waves, clips):
        start = rng.randrange(max(1, len(clip.wave) - len(row)))
        part = clip.wave[start:start + len(row)]
        row[:len(part)] = torch.from_numpy(part.astype(np.float32)) / 32768
    torch.manual_seed(seed)
    changed = torch.cat([augment(part, 1.0, recordings) for part in waves.split(BATCH)])
    changed[::3] = waves[::3]
    return (changed.clamp(-1, 1) * 32767).round().numpy().astype(np.int16)


def observe(package, model, names, waves, frames_kept, rng):
    """{name: rows [N, width]}: these values of the encoder, some frames of every chunk."""
    watched, seen = onnx.ModelProto(), {name: [] for name in names}
    watched.CopyFrom(model)
    watched.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    package.encoder = ort.InferenceSession(watched.SerializeToString(), options, providers=["CPUExecutionProvider"])
    for wave in waves:
        for outputs in package.steps(wave, package.m["look_aheads"][0]):
            for name, values in zip(names, outputs[-len(names):]):
                rows = values.reshape(-1, values.shape[-1])
                seen[name].append(rows[rng.choice(len(rows), min(frames_kept, len(rows)), replace=False)])
    return {name: np.concatenate(rows) for name, rows in seen.items()}
