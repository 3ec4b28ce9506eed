"""A grown network hears what the one it was grown from hears, and all of it can learn."""
import pytest
import torch

import random_model
from grow import grow
from model import Config

CONFIG = Config(mel=80, dim=64, layers=3, heads=4, sub=(32, 48), vocab=17, prompts=4, pred=48, joint=32, mid=2, dropout=0.0)


def test_a_grown_network_hears_the_same():
    model = random_model.random_model(CONFIG, 3)
    deeper = grow(model, 9)
    assert deeper.c.layers == len(deeper.encoder.blocks) == 9
    mels, prompt = torch.randn(2, 80, 8 * 28) * 3 - 6, torch.tensor([0, 1])
    with torch.no_grad():
        for before, after in zip(model.encoder(mels, prompt, 6), deeper.encoder(mels, prompt, 6)):
            torch.testing.assert_close(after, before)


def test_the_new_layers_learn_from_the_first_step():
    deeper = grow(random_model.random_model(CONFIG, 3), 6)
    last, _ = deeper.encoder(torch.randn(1, 80, 8 * 14) * 3 - 6, torch.tensor([0]), 13)
    last.square().mean().backward()
    assert deeper.encoder.blocks[1].first.down.weight.grad.abs().sum() > 0


def test_only_multiples_of_the_layers_can_be_grown():
    with pytest.raises(SystemExit, match="multiple of 3"):
        grow(random_model.random_model(CONFIG, 3), 10)
