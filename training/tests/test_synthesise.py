"""The workers that speak: where all have failed, the whole has."""
import types

import pytest

import synthesise


def supervised(tmp_path, monkeypatch, source):
    script = tmp_path / "worker.py"
    script.write_text(source)
    monkeypatch.setattr(synthesise.sys, "argv", ["worker.py"])
    synthesise.supervise(types.SimpleNamespace(seconds=1, seed=1, workers=2), str(script))


def test_says_when_no_worker_has_ended_well(tmp_path, monkeypatch):
    with pytest.raises(SystemExit, match="no worker ended well"):
        supervised(tmp_path, monkeypatch, "raise OSError('a library is missing')")


def test_one_worker_that_ends_well_is_enough(tmp_path, monkeypatch):
    supervised(tmp_path, monkeypatch, "import sys; sys.exit('1000' in sys.argv)")
