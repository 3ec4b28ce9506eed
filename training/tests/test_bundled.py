"""The bundled packages: every file is the one its manifest names, and the samples are heard as `reference.json` says."""
import json
import os

import pytest

import stream
from package_files import sha256

MODELS = os.path.join(os.path.dirname(__file__), "..", "..", "models")
PACKAGES = {"kikuyu": "svc-asr-kikuyu-v1", "dholuo": "svc-asr-dholuo-v1"}


@pytest.mark.parametrize("name", PACKAGES.values())
def test_files_are_those_of_the_manifest(name):
    folder = os.path.join(MODELS, name)
    manifest = json.load(open(os.path.join(folder, "manifest.json"), encoding="utf-8"))
    for entry in manifest["files"].values():
        assert sha256(os.path.join(folder, entry["path"])) == entry["sha256"]


def distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a):
        row = [i + 1] + [min(row[j + 1] + 1, row[j] + (x != y)) for j, y in enumerate(b)]
        for j in range(1, len(row)):
            row[j] = min(row[j], row[j - 1] + 1)
    return row[-1]


def test_samples_are_heard_as_before_but_for_near_ties():
    # Processors sum in different orders, and int8 rounds what they sum: see bundled-models.test.ts.
    reference = json.load(open(os.path.join(MODELS, "samples", "reference.json"), encoding="utf-8"))
    packages = {language: stream.open_package(os.path.join(MODELS, name)) for language, name in PACKAGES.items()}
    for file, expected in reference.items():
        samples = stream.read_wav(os.path.join(MODELS, "samples", file))
        heard = packages[file.split("-")[0]].transcribe(samples, 13)
        assert distance(heard.split(), expected["13"].split()) <= 1 and distance(heard, expected["13"]) <= 3
