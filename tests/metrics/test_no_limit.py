"""Values that mean "no limit" or "not measured" are empty in every output."""

import csv
import json
import re
from pathlib import Path

import fairlane
import polars as pl
import pytest

EXPERIMENT = """
duration = "2s"
network = { rate = "20mbit", rtt = "200ms", buffer = "1bdp" }
metrics = { interval = "50ms", watch = ["snd_ssthresh", "sk_pacing_rate", "snd_cwnd_clamp", "state.inflight_high"] }
flows = [{ algorithm = "cubic" }]
[sweep]
"flows.0.algorithm" = ["cubic", "reno", "vegas", "bbr", "bbr3", "copa", "illinois"]
"""
HUGE = 0x7FFF_FFFF
"""No value of these runs comes near: rates are in Mbit/s, windows in packets and bytes."""
OPTIONAL = ("rtt_ms", "rttvar_us", "pacing_mbps", "receive_window_bytes", "snd_ssthresh", "sk_pacing_rate")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("limits")
    file = folder / "x.toml"
    file.write_text(EXPERIMENT)
    return fairlane.run(file, folder / "results", jobs=1, progress=False), folder


def _numbers(frame: pl.DataFrame) -> dict[str, float]:
    return {name: frame[name].max() or 0 for name, kind in frame.schema.items() if kind.is_numeric()}


def test_tables_and_their_means_have_no_stand_ins(results) -> None:
    opened, _ = results
    series = opened.series("flow")
    for table in (series, opened.flows, opened.links, opened.runs):
        assert {name: value for name, value in _numbers(table).items() if value >= HUGE and name != "seed"} == {}
    for name in OPTIONAL:
        assert 0 < series[name].null_count() < series.height, name
    assert series["snd_cwnd_clamp"].null_count() == series.height
    # BBR3 has no upper bound of the data in flight before its first loss; 0 would be one.
    mine = series.filter(pl.col("algorithm") == "bbr3", pl.col("rtt_ms").is_not_null())["state.inflight_high"]
    assert mine.null_count() > 0
    assert (mine.drop_nulls() > 0).all()
    # The first sample is of the handshake.
    first = series.group_by("run").first()
    assert first.select(pl.col("rtt_ms", "rttvar_us", "receive_window_bytes").null_count().sum()).row(0) == (7, 7, 7)
    assert opened.flows["mean_pacing_mbps"].max() < 100


def test_files_leave_the_cells_empty(cli, results) -> None:
    _, folder = results
    stored, out = folder / "results", folder / "out"
    for form in ("csv", "parquet"):
        assert cli("export", stored, form, "-o", out / form, "--tables", "flows,flow-series").status == 0
    with (out / "csv" / "flow-series.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {rows[0][name] for name in OPTIONAL} == {""}
    frame = pl.read_parquet(out / "parquet" / "flow-series.parquet")
    assert _numbers(frame)["sk_pacing_rate"] < HUGE
    assert frame["snd_ssthresh"].null_count() > 0
    assert cli("export", stored, "iperf3", "-o", out / "iperf3", "--interval", "100ms").status == 0
    report = json.loads(next((out / "iperf3").glob("*cubic*")).read_text())
    assert "rtt" not in report["intervals"][0]["streams"][0], "nothing was measured in the handshake"
    assert report["intervals"][-1]["streams"][0]["rtt"] > 200_000
    assert report["end"]["streams"][0]["sender"]["min_rtt"] > 200_000
    assert cli("export", stored, "flent", "-o", out / "flent").status == 0


@pytest.mark.parametrize("kind", ["pacing", "rtt", "watched"])
def test_plots_leave_gaps(cli, results, kind: str) -> None:
    _, folder = results
    plot = folder / f"{kind}.svg"
    assert cli("plot", folder / "results", kind, "--where", "algorithm=cubic", "-o", plot).status == 0
    labels = re.findall(r"<!-- (.*?) -->|>([^<>]+)</text>", plot.read_text())
    assert labels
    assert [one for pair in labels for one in pair if re.match("[×1]*e(9|[1-9][0-9])", one)] == [], (
        "a scale of the axis"
    )


def test_a_watched_member_without_a_limit_is_null_in_json_and_none_in_text(cli) -> None:
    network = ("--rate", "20mbit", "--rtt", "20ms", "--time", "1s")
    told = json.loads(cli("duel", "cubic", *network, "--watch", "snd_ssthresh", "--json").out)
    values = [value for _, value in told["watched"][0]["snd_ssthresh"]]
    assert values[0] is None
    assert all(value < 10_000 for value in values[1:])
    calls = cli("algorithm", "trace", "cubic", *network, "--json").out
    assert str(HUGE) not in calls
    assert str(2**64 - 1) not in calls
    text = cli("algorithm", "trace", "cubic", *network).out
    assert "sk_pacing_rate none ->" in text or "snd_ssthresh none ->" in text


def test_a_metric_of_nothing_but_missing_limits_is_missing(tmp_path: Path) -> None:
    """This run ends before the handshake."""
    flow = {"algorithm": "cubic"}
    network = {"rate": "20mbit", "rtt": "200ms", "buffer": "1bdp"}
    experiment = {"duration": "150ms", "network": network, "flows": [flow], "metrics": {"interval": "50ms"}}
    short = fairlane.run(experiment, tmp_path, jobs=1, progress=False)
    for name in ("mean_pacing_mbps", "mean_rtt_ms", "max_rtt_ms", "min_rtt_ms"):
        assert short.flows[name].to_list() == [None], name
