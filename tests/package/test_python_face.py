"""`import fairlane` in scripts and notebooks."""

import importlib.util
import sys
from pathlib import Path

import fairlane
import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("user_script", Path(__file__).parent / "user_script.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def duel():
    return fairlane.duel("cubic", "bbr", rate="10mbit", duration="2s")


def test_the_script(script, tmp_path):
    figures = script.compare(tmp_path)
    assert figures["flows"] == 2
    assert figures["samples"] == 40
    assert figures["share"] == pytest.approx(100)
    assert figures["bytes"] > 10_000


def test_the_quick_question(script):
    cubic, bbr, message, kind = script.ask()
    assert (cubic, bbr, kind) == ("cubic", "bbr", "PNG")
    assert "network.rate" in message


def test_every_public_name_is_documented():
    for name in fairlane.__all__:
        assert name == "__version__" or getattr(fairlane, name).__doc__, name
    public = [name for name in vars(fairlane.Results) if not name.startswith("_")]
    assert all(getattr(fairlane.Results, name).__doc__ for name in public)
    assert (Path(fairlane.__file__).parent / "py.typed").exists()


def test_pandas_frames_hold_the_same(pairs):
    frames = pairs.pandas
    for name in ("runs", "flows", "links"):
        table, frame = getattr(pairs, name), getattr(frames, name)
        assert isinstance(frame, pd.DataFrame)
        assert list(frame.columns) == table.columns
        assert len(frame) == table.height
    assert np.allclose(frames.flows["goodput_mbps"], pairs.flows["goodput_mbps"])
    assert frames.flows["completion_s"].isna().all()  # bulk flows never complete
    assert list(frames.flows["algorithm"]) == pairs.flows["algorithm"].to_list()
    assert len(frames.series("flow", ["mbps"], against="reno")) == pairs.series("flow", ["mbps"], against="reno").height
    assert np.allclose(frames.table(["share_pct"])["share_pct"], pairs.table(["share_pct"])["share_pct"])


def test_without_pandas_one_line_says_so(pairs, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        _ = pairs.pandas.flows


def test_a_notebook_shows_results(duel, pairs):
    lines = repr(duel).splitlines()
    assert lines[2].split()[:2] == ["algorithm", "goodput_mbps"], "a small table, not one line"
    assert any(line.startswith("cubic ") for line in lines[3:])
    html = duel._repr_html_()
    assert "goodput_mbps" in html
    assert "scenario" not in html
    assert len(html) < 10_000
    assert "buffer_kb" in pairs._repr_html_()


def test_a_notebook_shows_pictures(duel, tmp_path):
    picture = duel.plot("overview")
    data, described = picture._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
    assert len(data["image/png"]) < 60_000
    assert 400 < described["image/png"]["width"] < 700
    assert "goodput, window, RTT and queue" in repr(picture)
    assert picture.save(tmp_path / "picture.pdf").read_bytes().startswith(b"%PDF")


def test_mistakes_are_named_before_anything_is_drawn(duel):
    with pytest.raises(ValueError, match="did you mean overview"):
        duel.plot("overvew")
    with pytest.raises(ValueError, match="'wide'"):
        duel.plot("overview", width="wide")


def test_completion_shows_public_names_only():
    assert dir(fairlane) == sorted(fairlane.__all__)


def test_no_results_in_a_folder_is_one_line(tmp_path):
    for wrong in (lambda: fairlane.Results("nope"), lambda: fairlane.open("nope")):
        with pytest.raises(fairlane.StoreError, match="'nope'"):
            wrong()
