"""The kit: what people's folders look like, what is left out and why, how it is split, and a whole small run from recordings to a package."""
import csv
import json
import os
import random
import subprocess
import sys
import wave

import numpy as np
import pytest

from fit import audio, recordings, spelling, split

TRAINING = os.path.join(os.path.dirname(__file__), "..")
WORDS = "oluwombo luwooma nnyo naye nze sisobola mwana gwe ebyo ebintu ani yabikuyigiriza enkuba omugenyi".split()


def write_wav(path, seconds=2.0, seed=0, rate=16000, channels=1):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    noise = np.random.default_rng(seed).standard_normal((int(seconds * rate), channels)) * 3000
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(noise.astype("<i2").tobytes())


def write_table(path, rows, delimiter="\t"):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as out:
        csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)


# Text --------------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("wrong, right", [
    ("mÅ©ndÅ© Å©rÄ©a", "mũndũ ũrĩa"), ("Ä¨ndo", "Ĩndo"), ("ngâ€™ombe", "ng’ombe"), ("må©ndå©", "mũndũ"),
    ("mũndũ ũrĩa", "mũndũ ũrĩa"), ("café und Äpfel", "café und Äpfel"), ("mÃ…Â©ndÃ…Â©", "mũndũ"),
])
def test_double_encoding_is_undone_and_right_text_is_left_alone(wrong, right):
    assert spelling.repair(wrong) == right


@pytest.mark.parametrize("line, code, words", [
    ("Ng’ombe, [laughs] “yaffe”!", "lg", "ng'ombe yaffe"), ("N'omwana 'bwe' yagenda.", "lg", "n'omwana bwe yagenda"),
    ("Émile — ŋŋenda", "lg", "émile ŋŋenda"), ("Mu 1962", "lg", None), ("...", "lg", None),
    ("MÅ©ndÅ© wa Nairobi-inÄ©", "ki", "mũndũ wa nairobi-inĩ"), ("Ng'ato <noise> obiro", "luo", "ng'ato obiro"),
])
def test_text_is_normalised_as_benchmarks_do(line, code, words):
    assert spelling.normalise(line, code) == words


# Layouts -----------------------------------------------------------------------------------------------------------------

def test_kaldi_folders_are_read_with_a_prefix_and_from_another_place(tmp_path):
    write_wav(tmp_path / "data" / "wav" / "s1" / "s1_01.wav")
    os.makedirs(tmp_path / "data" / "train")
    for name, line in (("wav.scp", "s1_01\tasr_iban/data/wav/s1/s1_01.wav"), ("text", "s1_01  masjid al takwa"), ("utt2spk", "s1_01\ts1")):
        (tmp_path / "data" / "train" / f"train_{name}").write_text(f"{line}\ns1_02\tnowhere/s1_02.wav\n")
    found, problems = recordings.read(str(tmp_path))
    assert [(r.name, r.text, r.speaker) for r in found] == [("s1_01", "masjid al takwa", "s1")] and os.path.isfile(found[0].audio)
    assert problems == {"no audio file": ["s1_02"]}


def test_festvox_and_texts_beside_the_audio_are_read(tmp_path):
    write_wav(tmp_path / "suba" / "wav" / "a1.wav")
    (tmp_path / "suba" / "txt.done.data").write_text('( a1 "Awantu waganyana" )\n( a2 "omwoyo" )\n')
    found, problems = recordings.read(str(tmp_path / "suba"))
    assert [(r.name, r.text) for r in found] == [("a1", "Awantu waganyana")] and problems == {"no audio file": ["a2"]}
    write_wav(tmp_path / "dev" / "abiayi_2015_102.wav")
    write_wav(tmp_path / "dev" / "martial_2015_7.wav")
    (tmp_path / "dev" / "abiayi_2015_102.mb.cleaned").write_text("ngá labhólá\n", encoding="utf-8")
    found, problems = recordings.read(str(tmp_path / "dev"), "texts")
    assert [(r.speaker, r.text) for r in found] == [("abiayi", "ngá labhólá")] and problems == {"no text": ["martial_2015_7.wav"]}


def test_audio_without_text_is_read_only_when_asked_for(tmp_path):
    write_wav(tmp_path / "clips" / "a.wav")
    with pytest.raises(recordings.LayoutError):
        recordings.read(str(tmp_path))
    assert [(r.name, r.text, r.speaker) for r in recordings.read(str(tmp_path), "audio")[0]] == [("clips/a.wav", "", "")]


def test_common_voice_is_read_from_what_is_validated(tmp_path):
    write_wav(tmp_path / "clips" / "a.mp3")
    write_table(tmp_path / "validated.tsv", [["client_id", "path", "sentence"], ["s1", "a.mp3", "Mwana gwe"], ["s1", "b.mp3", "Ebyo"], ["s2", "a.mp3", ""]])
    write_table(tmp_path / "test.tsv", [["client_id", "path", "sentence"], ["s1", "a.mp3", "Mwana gwe"]])
    found, problems = recordings.read(str(tmp_path))
    assert [(r.name, r.text, r.speaker) for r in found] == [("a.mp3", "Mwana gwe", "s1")]
    assert problems == {"no audio file": ["b.mp3"], "no text": ["a.mp3"]}


def test_next_voices_are_joined_by_the_name_of_the_file(tmp_path):
    for part, name in (("train/scripted", "One"), ("train/unscripted", "two")):
        write_wav(tmp_path / part / "audios" / f"{name}.wav")
        write_table(tmp_path / part / "files" / "transcripts.csv", [["filename", "transcription", "recorder_uuid"], [f"{name.lower()}.WAV", "MÅ©ndÅ©, Å©rÄ©a", "u1"], ["gone", "x", "u1"]], ",")
    found, problems = recordings.read(str(tmp_path))
    assert [(r.name, spelling.normalise(r.text, "ki"), r.speaker) for r in found] == [("one.WAV", "mũndũ ũrĩa", "u1"), ("two.WAV", "mũndũ ũrĩa", "u1")]
    assert problems == {"no audio file": ["gone", "gone"]}


def test_next_voices_in_parquet_files_bring_their_audio_with_them(tmp_path):
    parquet, arrow = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    write_wav(tmp_path / "clip.wav", 1.0)
    data = open(tmp_path / "clip.wav", "rb").read()
    rows = [{"audio": {"bytes": data, "path": "k1.wav"}, "filename": "k1.wav", "transcription": "Ber", "recorder_uuid": "u7"}]
    os.makedirs(tmp_path / "anv/dev/scripted/audios")
    parquet.write_table(arrow.Table.from_pylist(rows), tmp_path / "anv/dev/scripted/audios/dev_scripted_000.parquet")
    found, _ = recordings.read(str(tmp_path / "anv"))
    assert [(r.name, r.text, r.speaker) for r in found] == [("k1.wav", "Ber", "u7")]
    assert len(audio.decoder()(found[0].audio())) == 16000


def test_a_folder_of_no_known_layout_is_refused_with_what_it_lacks(tmp_path):
    with pytest.raises(recordings.LayoutError, match="manifest.tsv"):
        recordings.read(str(tmp_path))


# Audio -------------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("rate, channels", [(16000, 1), (44100, 2), (8000, 1)])
def test_wav_files_of_any_rate_become_16_khz_mono(tmp_path, rate, channels):
    write_wav(tmp_path / "a.wav", 1.0, rate=rate, channels=channels)
    for read in (audio.read_wav, audio.decoder()):
        assert abs(len(read(str(tmp_path / "a.wav"))) - 16000) < 40


def test_what_cannot_be_a_clip_is_named(tmp_path):
    (tmp_path / "a.wav").write_text("hello")
    with pytest.raises(audio.AudioError, match="cannot be decoded"):
        audio.decoder()(str(tmp_path / "a.wav"))
    noise = np.ones(16000, np.int16)
    for samples, text, reason in ((noise[:100], "a", "shorter"), (np.tile(noise, 30), "a", "longer"), (noise, "a" * 40, "more text"), (0 * noise, "a", "silent")):
        with pytest.raises(audio.AudioError, match=reason):
            audio.check(samples, text)


# Split -------------------------------------------------------------------------------------------------------------------

def test_no_speaker_and_no_sentence_is_in_two_parts():
    rng = random.Random(3)
    rows = [(f"s{rng.randrange(60)}", f"sentence {rng.randrange(500)}") for _ in range(1000)]
    parts, new_speakers = split.split(rows, seed=1)
    assert new_speakers and parts == split.split(rows, seed=1)[0] != split.split(rows, seed=2)[0]
    held = {part: {rows[i] for i in parts[part]} for part in ("test", "dev")}
    train = {rows[i] for i in parts["train"]}
    for part, chosen in held.items():
        assert len(chosen) > 20
        assert not {s for s, _ in chosen} & {s for s, _ in train} and not {t for _, t in chosen} & {t for _, t in train}
    assert not {s for s, _ in held["test"]} & {s for s, _ in held["dev"]}


@pytest.mark.parametrize("speaker", ["one", ""])
def test_a_single_speaker_is_split_by_sentence_and_that_is_said(speaker):
    rows = [(speaker, f"sentence {i % 90}") for i in range(180)]
    parts, new_speakers = split.split(rows)
    assert not new_speakers and min(map(len, parts.values())) > 5
    texts = {part: {rows[i][1] for i in numbers} for part, numbers in parts.items()}
    assert not texts["train"] & texts["test"] and not texts["train"] & texts["dev"] and not texts["test"] & texts["dev"]


# A whole run -------------------------------------------------------------------------------------------------------------

@pytest.fixture
def folder(tmp_path):
    """Three minutes of noise with sentences: enough for every step, not for learning."""
    rows, rng = [["path", "text", "speaker"]], random.Random(1)
    for i in range(90):
        rows.append([f"{i}.wav", " ".join(rng.sample(WORDS, 3)), f"s{i % 30}"])
        write_wav(tmp_path / "mine" / f"{i}.wav", 2.0, i)
    write_table(tmp_path / "mine" / "manifest.tsv", [*rows, ["none.wav", "mwana", "s1"], ["1.wav", "Mu 1962", "s1"]])
    return tmp_path


def small_checkpoint(path):
    """The bundled network's shape in small, with its pieces."""
    import torch
    from model import Config, Model, save_checkpoint
    torch.manual_seed(0)
    save_checkpoint(Model(Config(dim=32, layers=2, heads=4, sub=(24, 32), pred=24, joint=24, mid=1)), str(path))


def run_fit(folder, *more):
    command = [sys.executable, "-m", "fit", str(folder / "mine"), "--code", "lg", "--language", "Luganda", "--work", str(folder / "work"),
               "--init", str(folder / "small.pt"), "--pieces", "60", "--device", "cpu", "--threads", "1", "--batch-seconds", "20", *more]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": TRAINING})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_from_recordings_to_a_package_and_on_from_where_it_stopped(folder):
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    small_checkpoint(folder / "small.pt")
    first = run_fit(folder, "--minutes", "0.02", "--near", "sw")
    assert "left out: 1 x no audio file: none.wav" in first and "left out: 1 x digits or no words in the text: 1.wav" in first
    second = run_fit(folder, "--minutes", "0.04")
    assert "are not read again" in second and "going on after" in second
    package = folder / "work" / "package"
    manifest = json.load(open(package / "manifest.json", encoding="utf-8"))
    assert (manifest["id"], manifest["language_code"], manifest["prompt_index"], manifest["vocab_size"]) == ("svc-asr-luganda-v1", "lg", None, 60)
    assert {"encoder.int8.onnx", "decoder.onnx", "joiner.onnx", "tokens.txt", "language-model.bin", "README.md"} < set(os.listdir(package))
    assert "speakers that the training did not hear" in open(package / "README.md", encoding="utf-8").read()


def test_known_pieces_keep_what_they_meant_and_the_prompt_moves_into_the_network(folder):
    torch = pytest.importorskip("torch")
    from fit.vocabulary import learn_pieces, nearest, transplant
    from model import load_checkpoint
    from tokens import Tokens
    small_checkpoint(folder / "small.pt")
    model, old = load_checkpoint(str(folder / "small.pt")).eval(), Tokens.load(os.path.join(TRAINING, "checkpoints", "tokens.json"))
    new = learn_pieces([" ".join(WORDS)], 60)
    fitted, mels = transplant(model, old, new, 2).eval(), torch.randn(1, 80, 112)
    with torch.no_grad():
        assert torch.allclose(fitted.encoder(mels, None, 13)[0], model.encoder(mels, torch.tensor([2]), 13)[0], atol=1e-5)
    assert torch.equal(fitted.joiner.out.weight[new.ids["a"]], model.joiner.out.weight[old.ids["a"]])
    assert torch.equal(fitted.joiner.out.weight[-1], model.joiner.out.weight[-1])
    assert all(nearest(piece, old) for piece in new.pieces[1:])


def test_the_package_is_quantised_as_the_runtime_does_it(folder):
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    quantization = pytest.importorskip("onnxruntime.quantization")
    import onnx
    import export
    from model import load_checkpoint
    small_checkpoint(folder / "small.pt")
    export.write_graphs(load_checkpoint(str(folder / "small.pt")).eval(), str(folder), "fp32")
    ours, theirs = str(folder / "ours.onnx"), str(folder / "theirs.onnx")
    export.quantise(str(folder / "encoder.onnx"), ours)
    quantization.quantize_dynamic(str(folder / "encoder.onnx"), theirs, op_types_to_quantize=["MatMul"], per_channel=True,
                                  weight_type=quantization.QuantType.QInt8, extra_options={"MatMulConstBOnly": True})
    stored = lambda path: {w.name: onnx.numpy_helper.to_array(w) for w in onnx.load(path).graph.initializer}
    a, b = stored(ours), stored(theirs)
    assert a.keys() == b.keys() and all(np.array_equal(a[k], b[k]) for k in a)
