"""Metrics of a sweep, out of a store that the engine's own results fill."""

import json

import fairlane
import polars as pl
import pytest
from fairlane import _engine
from fairlane.metrics import MetricError
from fairlane.metrics.relative import relative
from fairlane.metrics.table import table
from fairlane.store import batch
from fairlane.store.layout import Layout
from fairlane.store.plan import Axis, Plan, PlannedRun

ALGORITHMS = ["cubic", "reno"]
BUFFERS = [12_500, 25_000]


def scenario(first: str, buffer: int, seed: int) -> dict:
    return {
        "seed": seed,
        "duration_ns": 10_000_000_000,
        "links": [
            {"name": "bottleneck", "rate_bps": 10_000_000, "delay_ns": 10_000_000,
             "queue": {"kind": "fifo", "limit_bytes": buffer}, "loss": {"kind": "independent", "probability": 0.001}},
            {"name": "return", "delay_ns": 10_000_000},
        ],
        "flows": [{"algorithm": name, "forward": ["bottleneck"], "reverse": ["return"]} for name in (first, "cubic")],
    }  # fmt: skip


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Two algorithms against CUBIC, two buffers, two repeats."""
    layout = Layout(tmp_path_factory.mktemp("results") / "store")
    layout.create()
    runs, planned = [], []
    for first in ALGORITHMS:
        for buffer in BUFFERS:
            for repeat in range(2):
                key = f"{len(runs):032x}"
                body = _engine.run(json.dumps(scenario(first, buffer, repeat))).encode()
                runs.append(({"run": key, "wall_s": 0.1}, body))
                groups = ({"name": "first", "algorithm": first}, {"name": "second", "algorithm": "cubic"})
                planned.append(PlannedRun(key, {"against": first, "buffer_kb": buffer / 1000}, repeat, repeat, groups))
    batch.write(layout, runs)
    axes = (
        Axis("against", "against", "", tuple(ALGORITHMS), tuple(ALGORITHMS)),
        Axis("buffer", "buffer_kb", "kB", (12.5, 25.0), ("12.5kB", "25kB")),
    )
    Plan("pairs", axes, tuple(planned)).save(layout)
    return fairlane.open(layout.root)


def test_per_flow(results):
    frame = table(results, ["goodput_mbps", "share_pct", "convergence_3s_s"])
    assert frame.height == 16
    assert frame.columns == ["experiment", "run", "against", "buffer_kb", "seed", "repeat", "flow", "group", "name",
                             "algorithm", "goodput_mbps", "share_pct", "convergence_3s_s"]  # fmt: skip
    assert frame["goodput_mbps"].to_list() == results.flows["goodput_mbps"].to_list()
    assert frame.group_by("run").agg(pl.col("share_pct").sum())["share_pct"].to_list() == pytest.approx([100] * 8)
    assert frame["convergence_3s_s"].null_count() == 0


def test_per_group_and_per_run(results):
    groups = table(results, ["total_goodput_mbps", "goodput_mbps"], per="group")
    assert groups.height == 16
    assert groups["total_goodput_mbps"].to_list() == groups["goodput_mbps"].to_list()  # one flow in each group
    runs = table(
        results,
        ["jain_index", "jain_index_1s", "goodput_mbps", "bottleneck_utilisation_pct", "p95_queue_kb"],
        per="run",
    )
    assert runs["jain_index"].to_list() == pytest.approx(results.runs["jain_index"].to_list())
    assert runs["bottleneck_utilisation_pct"].min() > 85
    assert runs["p95_queue_kb"].max() <= 25


def test_per_link(results):
    links = table(results, ["mean_queue_kb", "utilisation_pct"], per="link")
    assert links.height == 16
    assert set(links.filter(pl.col("name") == "return")["utilisation_pct"]) == {None}


def test_filters(results):
    frame = table(results, ["goodput_mbps"], filters={"against": "reno", "buffer": "25kB"})
    assert frame.height == 4
    assert set(frame["buffer_kb"]) == {25.0}


def test_what_does_not_fit(results):
    with pytest.raises(MetricError, match="jain_index is a metric of a flows"):
        table(results, ["jain_index"])
    with pytest.raises(MetricError, match="unknown kind of row"):
        table(results, ["goodput_mbps"], per="packet")
    with pytest.raises(MetricError, match="did you mean goodput_mbps"):
        table(results, ["goodput"])


def test_relative_retransmissions(results):
    """Elephants 2023, equation 4: to CUBIC against CUBIC with the same buffer and repeat."""
    runs = table(results, ["total_retransmits"], per="run")
    frame = relative(runs, "total_retransmits", ["against", "buffer_kb", "repeat"], {"against": "cubic"})
    for row in frame.iter_rows(named=True):
        reference = runs.filter(
            pl.col("against") == "cubic", pl.col("buffer_kb") == row["buffer_kb"], pl.col("repeat") == row["repeat"]
        )["total_retransmits"].item()
        assert row["total_retransmits_relative"] == pytest.approx(row["total_retransmits"] / reference)
    with pytest.raises(MetricError, match="against=bbr is not among the results"):
        relative(runs, "total_retransmits", ["against"], {"against": "bbr"})


def test_histograms_are_stored(results):
    run = results.runs["run"][0]
    histogram = results.stored("flow_distribution", {run}).filter(pl.col("flow") == 0)
    flow = results.flows.filter(pl.col("run") == run, pl.col("flow") == 0)
    assert histogram["samples"].sum() == flow["packet_rtt_samples"].item()
