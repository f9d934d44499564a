"""Pictures of a Wi-Fi channel."""

from itertools import pairwise

import fairlane
import pytest
from fairlane.show.plots.kinds import draw
from fairlane.show.plots.medium import KINDS, frames, kind_of, stretches
from fairlane.show.plots.options import Options, PlotError

CELL = {
    "duration": "2s",
    "network": {"kind": "wifi", "standard": "n", "beacon_interval": "20ms"},
    "flows": [{"algorithm": "cubic"}, {"algorithm": "cubic"}],
}


@pytest.fixture(scope="module")
def cell(tmp_path_factory):
    return fairlane.run(CELL, results=tmp_path_factory.mktemp("cell"), progress=False)


def test_a_picture_of_the_channel_and_of_aggregates(cell, tmp_path):
    for kind in ("medium", "mpdus-cdf"):
        path = cell.plot(kind, tmp_path / f"{kind}.png")
        assert path.stat().st_size > 8_000, kind
    svg = cell.plot("medium", title="all").svg
    for words in ("data", "collision", "channel", "station-1-up", "time, ms"):
        assert f"<!-- {words} -->" in svg
    assert "<!-- MPDUs per PPDU -->" in cell.plot("mpdus-cdf").svg


def test_frames_that_are_alone_do_not_overlap(cell):
    rows = frames(cell, set(cell.runs["run"])).sort("start_ms").rows(named=True)
    assert len(rows) == 500
    assert {kind_of(row) for row in rows} == {"data", "collision", "other"}
    assert {one.kind for one in stretches(rows)} <= set(KINDS)
    alone = [row for row in rows if not row["collided"]]
    for before, after in pairwise(alone):
        assert before["until_ms"] <= after["start_ms"] + 1e-6


def test_undrawable_results_are_reported(cell, pairs, tmp_path):
    for kind in ("medium", "mpdus-cdf"):
        with pytest.raises(PlotError, match="Wi-Fi"):
            pairs.plot(kind, tmp_path / "picture.png")
    with pytest.raises(PlotError, match="begins at 1"):
        draw("medium", tmp_path / "picture.png", cell, Options(until_s=0.5))
