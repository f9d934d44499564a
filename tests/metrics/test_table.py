"""Metrics of a sweep, from a store with results of the engine."""

import fairlane
import polars as pl
import pytest
from fairlane.results.metrics import MetricError
from fairlane.results.metrics.catalogue import catalogue
from fairlane.results.metrics.definitions.fairness import share_pct
from fairlane.results.metrics.frame import table
from fairlane.results.metrics.source import runs
from fairlane.results.metrics.summary import relative, summarise


def test_per_flow(pairs):
    frame = table(pairs, ["goodput_mbps", "share_pct", "convergence_time_3s_s"])
    assert frame.height == 16
    assert frame.columns == ["experiment", "run", "against", "buffer_kb", "seed", "repeat", "flow", "group", "name",
                             "algorithm", "goodput_mbps", "share_pct", "convergence_time_3s_s"]  # fmt: skip
    assert frame["goodput_mbps"].to_list() == pairs.flows["goodput_mbps"].to_list()
    assert frame.group_by("run").agg(pl.col("share_pct").sum())["share_pct"].to_list() == pytest.approx([100] * 8)
    assert frame["convergence_time_3s_s"].null_count() == 0


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


def test_metrics_that_do_not_fit_are_refused(pairs):
    with pytest.raises(MetricError, match="jain_index"):
        table(pairs, ["jain_index"])
    with pytest.raises(MetricError, match="row"):
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
    with pytest.raises(MetricError, match="against=bbr"):
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


def _rows(values):
    """Rows of points and repeats."""
    return pl.DataFrame(
        [{"place": place, "repeat": repeat, "x": value} for (place, repeat), value in values.items()],
        schema_overrides={"x": pl.Float64()},
    )


def test_an_interval_covers_random_variation_and_not_the_sweep():
    """Two points that differ by 100 and repeats that differ by 0.1: their mean is known to about 0.1."""
    frame = _rows({(place, repeat): 100.0 * place + 0.1 * repeat for place in (0, 1) for repeat in range(5)})
    row = summarise(frame, [], ["x"]).row(0, named=True)
    assert row["n"] == 10
    assert row["repeats"] == 5
    assert row["x"] == pytest.approx(50.2)
    assert 50.0 <= row["x_ci95_low"] < 50.2 < row["x_ci95_high"] <= 50.4
    alike = frame.with_columns(pl.col("x") - 100.0 * pl.col("place"))
    high = row["x_ci95_high"] - 50.0
    assert summarise(alike, ["place"], ["x"])["x_ci95_high"].to_list() == pytest.approx([high, high])


def test_repeats_of_different_points_have_no_interval():
    """A repeat that lacks a point is not comparable."""
    frame = _rows(
        {(place, repeat): 1.0 * repeat for place in (0, 1) for repeat in range(5) if (place, repeat) != (1, 4)}
    )
    row = summarise(frame, [], ["x"]).row(0, named=True)
    assert row["x"] == pytest.approx((10 + 6) / 9)
    assert (row["x_ci95_low"], row["x_ci95_high"], row["n"]) == (None, None, 9)
    lacking = frame.with_columns(pl.when(pl.col("repeat") == 4).then(None).otherwise(pl.col("x")).alias("x"))
    assert summarise(lacking, [], ["x"])["x_ci95_high"].item() is not None  # four repeats of both places


def test_metrics_of_many_flows_together(pairs):
    """A metric has the same values for many flows at once and for each flow."""
    together = [metric for metric in catalogue("flow") if metric.each is not None]
    assert len(together) > 25
    for run in runs(pairs):
        for metric in together:
            each = [metric(flow) for flow in run.flows]
            assert metric.of_each(run.flows) == metric.of_each(list(run.flows)) == each, metric.name
        some = run.flows.by("group")
        assert [flow for flows in some.values() for flow in flows] == list(run.flows), "the same objects"
        assert share_pct.of_each(some[1]) == [share_pct(run.flows[1])]
