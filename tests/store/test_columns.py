"""Measured columns keep their names, regardless of the sweep."""

import fairlane
import pytest
from fairlane.engine.declarations import metric_columns, sample_columns

SWEPT = {
    "name": "swept",
    "duration": "1s",
    "network": {"rate": "10mbit", "rtt": "20ms", "buffer": "1bdp"},
    "flows": [{"algorithm": "cubic"}, {"algorithm": "reno"}],
    "sweep": {"network.rtt": ["20ms", "40ms"], "flows.1.start": ["200ms", "400ms"]},
}


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    return fairlane.run(SWEPT, tmp_path_factory.mktemp("swept") / "store", jobs=1, progress=False)


def test_an_axis_does_not_hide_samples(swept):
    series = swept.series("flow", ["rtt_ms"])
    assert sorted(series["swept_rtt_ms"].unique()) == [20, 40]
    # Sampled RTTs are those of the path and more, and change.
    measured = series.drop_nulls("rtt_ms")  # none before the first measurement
    assert (measured["rtt_ms"] >= measured["swept_rtt_ms"]).all()
    assert series["rtt_ms"].n_unique() > 10
    # The name does not depend on which samples are asked for, nor on the filter.
    assert set(swept.series("flow", ["mbps"], rtt="40ms")["swept_rtt_ms"]) == {40}


def test_an_axis_does_not_hide_figures(swept):
    assert [axis.name for axis in swept.axes] == ["rtt", "start"]
    assert [axis.column for axis in swept.axes] == ["rtt_ms", "start_ms"]
    seconds = {**SWEPT, "duration": "2500ms", "sweep": {"flows.1.start": ["1s", "2s"]}}
    flows = fairlane.run(seconds, swept.path.parent / "seconds", jobs=1, progress=False).flows
    assert flows["swept_start_s"].to_list() == [1, 1, 2, 2]
    assert flows["start_s"].to_list() == [0, 1, 0, 2]  # only one of the two flows was moved


def test_the_lists_are_complete(swept):
    own = {*swept.head, "flow", "link", "group", "name", "algorithm", "t_s"}
    tables = [swept.runs, swept.flows, swept.links]
    assert {column for table in tables for column in table.columns} - own <= metric_columns()
    samples = [swept.stored(f"{kind}_series", set(swept.runs["run"])) for kind in ("flow", "link")]
    assert {column for table in samples for column in table.columns} - {
        "run",
        "flow",
        "link",
        "t_s",
    } <= sample_columns()
