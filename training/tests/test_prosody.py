"""Another melody and rhythm for synthetic speech."""
import numpy as np
import torch

from kokoro.prosody import VOICED, Prosody


def test_durations_keep_their_sum_and_their_ends():
    frames = torch.tensor([[4.0, 2.0, 9.0, 3.0, 1.0, 6.0, 5.0]])
    for seed in range(20):
        changed = Prosody(seed).durations(frames)
        assert changed.shape == frames.shape and float(changed[0, 0]) == 4.0 and float(changed[0, -1]) == 5.0
        assert np.isclose(float(changed.sum()), 30.0, atol=1e-3) and float(changed.min()) > 0


def test_pitch_leaves_unvoiced_sound_alone():
    hertz = torch.cat([torch.full((1, 1, 40), 180.0), torch.zeros(1, 1, 20), torch.full((1, 1, 30), 140.0)], 2)
    changed = Prosody(3).pitch(hertz)
    assert torch.equal(changed[..., 40:60], hertz[..., 40:60])
    voiced = changed[hertz > VOICED]
    assert float(voiced.min()) >= 50 and float(voiced.max()) <= 500 and not torch.allclose(voiced, hertz[hertz > VOICED])


def test_a_seed_gives_the_same_prosody_again():
    hertz = torch.full((1, 1, 90), 200.0)
    assert torch.equal(Prosody(5).pitch(hertz), Prosody(5).pitch(hertz))
