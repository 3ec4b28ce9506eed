"""The bundled packages: every file is the one its manifest names, and the samples are heard as `reference.json` says."""
import json
import os

import pytest

import export
import stream

MODELS = os.path.join(os.path.dirname(__file__), "..", "..", "models")
PACKAGES = {"kikuyu": "svc-asr-kikuyu-v1", "dholuo": "svc-asr-dholuo-v1"}


@pytest.mark.parametrize("name", PACKAGES.values())
def test_files_are_those_of_the_manifest(name):
    folder = os.path.join(MODELS, name)
    manifest = json.load(open(os.path.join(folder, "manifest.json"), encoding="utf-8"))
    for entry in manifest["files"].values():
        assert export.sha256(os.path.join(folder, entry["path"])) == entry["sha256"]


def test_samples_are_heard_as_before():
    reference = json.load(open(os.path.join(MODELS, "samples", "reference.json"), encoding="utf-8"))
    packages = {language: stream.open_package(os.path.join(MODELS, name)) for language, name in PACKAGES.items()}
    for file, expected in reference.items():
        samples = stream.read_wav(os.path.join(MODELS, "samples", file))
        assert packages[file.split("-")[0]].transcribe(samples, 13) == expected["13"]
