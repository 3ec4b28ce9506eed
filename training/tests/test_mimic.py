"""Our sentences in the voices of strangers."""
import numpy as np
import pytest
import torch

import features
from mimic import examples, learn, network, sound, speak
from shards import LABEL_HOP, RATE, UNKNOWN, ShardWriter
from sounds import LABEL, WORD_END

TINY = network.Config(dim=32, layers=2, heads=2, told=8)


def voiced(seconds, hertz=140.0):
    """A buzz with a formant, and a pause in the middle."""
    t = np.arange(int(seconds * RATE)) / RATE
    wave = sum(np.sin(2 * np.pi * hertz * k * t) / (1 + abs(hertz * k - 700) / 200) for k in range(1, 30))
    wave[len(wave) // 2:len(wave) // 2 + RATE // 10] = 0
    return (wave / np.abs(wave).max() * 0.5).astype(np.float32)


def write_shards(folder, kind, voices, seconds=2.0, known=True):
    writer = ShardWriter(folder, f"{kind}-x")
    for i, voice in enumerate(voices):
        wave = (voiced(seconds, 100 + 20 * i) * 32767).astype(np.int16)
        labels = np.full(len(wave) // LABEL_HOP, LABEL["a"] if known else UNKNOWN, np.uint8)
        writer.add(wave, labels, "mama", [LABEL["m"], LABEL["a"], WORD_END], "ki", voice)
    writer.flush()


@pytest.fixture
def strangers(tmp_path):
    write_shards(tmp_path, "recorded", ["one", "two", "two"])
    write_shards(tmp_path, "heard", ["three"], known=False)
    write_shards(tmp_path, "espeak", ["synthetic"])
    return examples.Strangers([tmp_path], "cpu")


def test_what_the_recogniser_hears_survives_the_way_to_mel_frames_and_back():
    wave = torch.from_numpy(voiced(1.0))[None]
    again = sound.waves_of(sound.tokens_of(wave))
    before, after = (features.log_mel(w, features.mel_filters(80)).clamp(min=-9) for w in (wave, again))
    assert again.shape == wave.shape
    assert (before - after).abs().mean() < 0.3


def test_strangers_are_recordings_whose_sounds_are_known_each_once(strangers):
    assert strangers.voices == ["one", "two", "two"]
    tokens, phones, inside = strangers.draw(np.random.default_rng(1), 10)
    assert tokens.shape[:2] == phones.shape == inside.shape and tokens.shape[2] == network.Config.token
    assert (phones[inside] == LABEL["a"]).all() and not phones[~inside].any()


def test_a_voice_with_few_clips_is_heard_as_much_more_often(strangers):
    assert strangers.weight[0] == pytest.approx(2 ** 0.5 * strangers.weight[1])


def test_one_stretch_of_every_row_is_hidden():
    lengths = np.array([40, 90, 150] * 50)
    hidden = learn.hide(np.random.default_rng(0), lengths, 150)
    assert ((hidden.sum(1) >= np.ceil(0.35 * lengths)) & (hidden.sum(1) <= lengths)).all()
    assert (np.abs(np.diff(np.pad(hidden, ((0, 0), (1, 1))).astype(int), axis=1)).sum(1) == 2).all()
    assert not hidden[np.arange(150) >= lengths[:, None]].any()


def test_tracks_are_stretched_and_no_sound_is_too_short_for_a_recording():
    track = np.array([0, 0, 5, 7, 7, 7, 0], np.uint8)
    assert examples.stretched(track, 1.0).tolist() == [0, 0, 5, 5, 7, 7, 7, 0, 0]
    assert len(examples.stretched(np.repeat(track, 10), 1.5)) == 105


def test_a_label_that_is_not_known_is_that_of_the_sound_before():
    assert examples.filled(np.array([UNKNOWN, 3, UNKNOWN, UNKNOWN, 4], np.uint8)).tolist() == [3, 3, 3, 3, 4]


def test_the_network_learns_to_complete_what_is_hidden(strangers):
    torch.manual_seed(0)
    rng, net = np.random.default_rng(0), network.Mimic(TINY)
    opt, losses = torch.optim.Adam(net.parameters(), 3e-3), []
    for _ in range(40):
        tokens, phones, inside = strangers.draw(rng, 6)
        hidden = torch.from_numpy(learn.hide(rng, inside.sum(1).numpy(), inside.shape[1]))
        loss = learn.flow_loss(net, tokens, phones, inside, hidden, torch.zeros(len(tokens), dtype=torch.bool))
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    assert np.mean(losses[-10:]) < 0.8 * np.mean(losses[:5])


def test_what_is_known_stays_as_it_is_and_padding_changes_nothing(strangers):
    tokens, phones, inside = strangers.take(np.array([0, 1]), np.array([0, 0]), np.array([60, 60]), 60)
    hidden = torch.zeros_like(inside)
    hidden[:, 40:] = True
    net = network.Mimic(TINY).eval()
    torch.nn.init.normal_(net.leave.weight)
    done = network.complete(net, torch.where(hidden[..., None], 0.0, tokens), hidden, phones, inside, 2)
    assert torch.equal(done[:, :40], tokens[:, :40])
    noisy = torch.randn_like(tokens)
    padded = [torch.nn.functional.pad(t, (0, 0) * (t.dim() - 2) + (0, 20)) for t in (noisy, tokens, hidden, phones)]
    time = torch.full((2,), 0.5)
    long = net(*padded, time, torch.nn.functional.pad(inside, (0, 20)))
    assert torch.allclose(long[:, :60], net(noisy, tokens, hidden, phones, time, inside), atol=1e-4)


def test_guidance_pushes_what_is_said_away_from_what_would_be_said_anyway():
    class Straight(torch.nn.Module):
        """Goes to 1 where it is told a sound, and to 0 where it is told nothing."""
        def forward(self, noisy, known, hidden, phones, time, inside):
            return torch.where((phones == network.ANY)[..., None], 0.0, 1.0) - noisy / (1 - time[:, None, None])
    known, hidden = torch.zeros(1, 3, 4), torch.ones(1, 3, dtype=torch.bool)
    phones = torch.full((1, 3), LABEL["a"])
    plain, pushed = (network.complete(Straight(), known, hidden, phones, hidden, 1, guidance) for guidance in (0.0, 2.0))
    assert plain.mean() == pytest.approx(1, abs=1e-5) and pushed.mean() == pytest.approx(3, abs=1e-5)


def test_our_sentences_are_written_in_voices_of_strangers(tmp_path, strangers):
    network.save(network.Mimic(TINY), list(network.Mimic(TINY).parameters()), str(tmp_path / "mimic.pt"))
    scores = examples.scores_of([tmp_path], ["ki"])
    speak.speak(network.load(str(tmp_path / "mimic.pt"), "cpu"), strangers, scores, tmp_path / "out", "mimic-1", 0, 1500, 1)
    shard = np.load(next((tmp_path / "out").glob("mimic-1-*.npz")))
    assert set(shard["text"]) == {"mama"} and set(shard["voice"]) <= {"mimic:one", "mimic:two"}
    assert shard["phones"][0].split() == [str(LABEL["m"]), str(LABEL["a"]), str(WORD_END)]
    length = int(shard["length"][0])
    assert 2.0 * RATE <= length <= 3.3 * RATE  # at the pace of people
    assert (shard["labels"][:length // LABEL_HOP] == LABEL["a"]).all()


class Deaf:
    """Hears nothing of what was asked for."""


def test_what_our_recogniser_does_not_understand_is_left_out(tmp_path, strangers, monkeypatch):
    monkeypatch.setattr(speak.real_voices, "phones_heard", lambda model, clips, device: [[LABEL["s"]] * 9 for _ in clips])
    net = network.Mimic(TINY).eval()
    speak.speak(net, strangers, examples.scores_of([tmp_path], ["ki"]), tmp_path / "out", "mimic-1", 0, 1500, 1, recogniser=Deaf())
    assert not list((tmp_path / "out").glob("*"))
