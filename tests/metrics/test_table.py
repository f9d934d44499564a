"""Metrics of a sweep, out of a store that the engine's own results fill."""

import fairlane
import polars as pl
import pytest
from fairlane.metrics import MetricError
from fairlane.metrics.relative import relative
from fairlane.metrics.table import table


def test_per_flow(pairs):
    frame = table(pairs, ["goodput_mbps", "share_pct", "convergence_3s_s"])
    assert frame.height == 16
    assert frame.columns == ["experiment", "run", "against", "buffer_kb", "seed", "repeat", "flow", "group", "name",
                             "algorithm", "goodput_mbps", "share_pct", "convergence_3s_s"]  # fmt: skip
    assert frame["goodput_mbps"].to_list() == pairs.flows["goodput_mbps"].to_list()
    assert frame.group_by("run").agg(pl.col("share_pct").sum())["share_pct"].to_list() == pytest.approx([100] * 8)
    assert frame["convergence_3s_s"].null_count() == 0


def test_per_group_and_per_run(pairs):
    groups = table(pairs, ["total_goodput_mbps", "goodput_mbps"], per="group")
    assert groups.height == 16
    assert groups["total_goodput_mbps"].to_list() == groups["goodput_mbps"].to_list()  # one flow in each group
    runs = table(
        pairs,
        ["jain_index", "jain_index_1s", "goodput_mbps", "bottleneck_utilisation_pct", "p95_queue_kb"],
        per="run",
    )
    assert runs["jain_index"].to_list() == pytest.approx(pairs.runs["jain_index"].to_list())
    assert runs["bottleneck_utilisation_pct"].min() > 85
    assert runs["p95_queue_kb"].max() <= 25


def test_per_link(pairs):
    links = table(pairs, ["mean_queue_kb", "utilisation_pct"], per="link")
    assert links.height == 16
    assert set(links.filter(pl.col("name") == "return")["utilisation_pct"]) == {None}


def test_filters(pairs):
    frame = table(pairs, ["goodput_mbps"], filters={"against": "reno", "buffer": "25kB"})
    assert frame.height == 4
    assert set(frame["buffer_kb"]) == {25.0}


def test_what_does_not_fit(pairs):
    with pytest.raises(MetricError, match="jain_index is a metric of a flows"):
        table(pairs, ["jain_index"])
    with pytest.raises(MetricError, match="unknown kind of row"):
        table(pairs, ["goodput_mbps"], per="packet")
    with pytest.raises(MetricError, match="did you mean goodput_mbps"):
        table(pairs, ["goodput"])


def test_relative_retransmissions(pairs):
    """Elephants 2023, equation 4: to CUBIC against CUBIC with the same buffer and repeat."""
    runs = table(pairs, ["total_retransmits"], per="run")
    frame = relative(runs, "total_retransmits", ["against", "buffer_kb", "repeat"], {"against": "cubic"})
    for row in frame.iter_rows(named=True):
        reference = runs.filter(
            pl.col("against") == "cubic", pl.col("buffer_kb") == row["buffer_kb"], pl.col("repeat") == row["repeat"]
        )["total_retransmits"].item()
        assert row["total_retransmits_relative"] == pytest.approx(row["total_retransmits"] / reference)
    with pytest.raises(MetricError, match="against=bbr is not among the results"):
        relative(runs, "total_retransmits", ["against"], {"against": "bbr"})


def test_histograms_are_stored(pairs):
    run = pairs.runs["run"][0]
    histogram = pairs.stored("flow_distribution", {run}).filter(pl.col("flow") == 0)
    flow = pairs.flows.filter(pl.col("run") == run, pl.col("flow") == 0)
    assert histogram["samples"].sum() == flow["packet_rtt_samples"].item()


def test_an_axis_may_be_called_algorithm(tmp_path):
    flows = [{"name": "flow", "algorithm": "cubic"}]
    network = {"rate": "5mbit", "rtt": "20ms", "buffer": "1bdp"}
    sweep = {"flows.flow.algorithm": {"name": "algorithm", "values": ["cubic", "reno"]}}
    results = fairlane.run(
        {"name": "one", "duration": "2s", "network": network, "flows": flows, "sweep": sweep},
        results=tmp_path,
        progress=False,
    )
    assert results.table(["goodput_mbps"], per="group")["algorithm"].to_list() == ["cubic", "reno"]
