"""The frames of the features end where the contract needs them to, and streaming windows see the same values."""
import torch

import features


def test_a_chunk_of_17920_samples_gives_exactly_112_frames():
    wave = torch.randn(1, 17920 * 2) * 0.1
    filters = features.mel_filters(80)
    whole = features.log_mel(wave, filters)
    assert whole.shape == (1, 80, 224)
    torch.testing.assert_close(features.log_mel(wave[:, :17920], filters), whole[:, :, :112])


def test_filters_have_equal_area_and_cover_all_bins():
    filters = features.mel_filters(128)
    assert filters.shape == (257, 128) and (filters.sum(1)[2:255] > 0).all()
