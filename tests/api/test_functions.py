"""Functions of `fairlane` do what the commands of the same names do."""

import json
import re

import fairlane
import pytest

FILE = {
    "name": "two",
    "duration": "1s",
    "repeats": 3,
    "start_jitter": "50ms",
    "network": {"rate": "5mbit", "rtt": "20ms"},
    "flows": [{"algorithm": "cubic"}, {"algorithm": "bbr"}],
    "sweep": {"network.buffer": ["1bdp", "100ms"]},
}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return fairlane.run({**FILE, "sweep": {"network.buffer": ["20ms", "100ms"]}}, tmp_path_factory.mktemp("api") / "r",
                        progress=False)  # fmt: skip


def test_everything_is_exported():
    assert {"check", "compare", "matrix", "reproduce", "report", "trace", "tune", "MetricError"} <= set(dir(fairlane))
    for name in dir(fairlane):
        assert getattr(fairlane, name) is not None


def test_means_are_those_of_the_table(results, cli):
    means = results.means(["goodput_mbps", "mean_rtt_ms"])
    assert means.columns[:5] == ["buffer_ms", "group", "name", "algorithm", "n"]
    printed = json.loads(cli("table", results.path, "--metrics", "goodput_mbps,mean_rtt_ms", "--format", "json").out)
    for row, other in zip(means.iter_rows(named=True), printed, strict=True):
        assert (row["n"], row["algorithm"]) == (3, other["algorithm"])
        for column in ("goodput_mbps", "goodput_mbps_ci95_low", "mean_rtt_ms_ci95_high"):
            assert row[column] == pytest.approx(other[column])
    whole = results.means(["goodput_mbps"], by=["algorithm"], buffer="100ms")
    assert whole["algorithm"].to_list() == ["cubic", "bbr"]
    assert whole["n"].to_list() == [3, 3]


def test_what_identifies_a_run_is_at_the_end(results):
    tables = [
        results.flows,
        results.runs,
        results.links,
        results.series("flow", ["mbps"]),
        results.table(["share_pct"]),
    ]
    for table in tables:
        assert table.columns[-2:] == ["experiment", "run"]
    assert results.table(["share_pct"]).columns[:3] == ["buffer_ms", "seed", "repeat"]


def test_every_measured_column_is_a_metric(results):
    numeric = [name for name, kind in results.flows.schema.items() if kind.is_numeric()]
    words = {"seed", "repeat", "flow", "group", "buffer_ms"}
    for name in set(numeric) - words:
        values = results.table([name])[name]
        assert values.to_list() == pytest.approx(results.flows[name].cast(values.dtype).to_list(), nan_ok=True), name
    assert results.table(["mean_queue_bytes"], per="link")["mean_queue_bytes"].max() > 1000
    assert results.table(["events", "bytes_delivered"], per="run")["events"].min() > 100
    with pytest.raises(fairlane.MetricError, match=r"unknown metric 'bytes_deliverd'; did you mean bytes_delivered"):
        results.table(["bytes_deliverd"])


def test_compare(results, tmp_path):
    same = fairlane.compare(results, results.path)
    assert not same.regressed
    assert set(same.frame["verdict"]) == {"same"}
    slower = {**FILE, "network": {**FILE["network"], "rate": "4mbit"}, "sweep": {"network.buffer": ["20ms", "100ms"]}}
    other = fairlane.run(slower, tmp_path / "slower", progress=False)
    found = fairlane.compare(results, other, ["total_goodput_mbps"], buffer="100ms")
    assert found.regressed
    [row] = found.frame.iter_rows(named=True)
    assert (row["buffer_ms"], row["metric"], row["verdict"]) == (100, "total_goodput_mbps", "worse")
    assert row["difference_high"] < 0 < row["after"] < row["before"]


def test_report(results, tmp_path):
    assert fairlane.report(results) == results.path / "report.html"
    assert "<title>" in fairlane.report(results.path, out=tmp_path / "page.html").read_text()
    with pytest.raises(ValueError, match="in memory"):
        fairlane.report(fairlane.duel("reno", rate="1mbit", duration="100ms"))


def test_check_takes_parameters(monkeypatch):
    from fairlane.search.check_networks import networks

    monkeypatch.setattr("fairlane.search.check.networks", lambda *asked: networks(*asked)[:2])
    verdicts = {one.check: one for one in fairlane.check("cubic", beta=10)}
    assert re.search(r"cubic, \d+ parameters", verdicts["compiles for the simulator"].detail)
    default = {one.check: one for one in fairlane.check("cubic")}
    assert verdicts["fills a link alone"].detail != default["fills a link alone"].detail


def test_trace_has_the_callbacks_of_a_time():
    lines = fairlane.trace("reno", "cubic", rate="5mbit", duration="1s", begin="100ms", end="200ms", flow=1)
    assert {line["flow"] for line in lines} == {1}
    assert all(100_000_000 <= line["t_ns"] <= 200_000_000 for line in lines)
    assert "pkts_acked" in {line["call"] for line in lines}


def test_tune_has_a_row_for_each_trial(tmp_path):
    pytest.importorskip("optuna")
    file = tmp_path / "search.toml"
    file.write_text(
        'algorithm = "cubic"\ntrials = 3\nparameters.beta = { low = 300, high = 900 }\n'
        'objectives = [{ metric = "retransmits_per_s", goal = "lowest" }]\n'
        '[experiment]\nduration = "1s"\nnetwork = { rate = "5mbit", rtt = "20ms" }\nflows = [{ algorithm = "cubic" }]\n'
    )
    trials = fairlane.tune(file, tmp_path / "tuned", progress=False)
    assert trials.columns[:2] == ["trial", "beta"]
    assert trials["beta"][0] == 717
    lowest = trials.columns[2]
    assert trials.filter(trials["best"])[lowest].unique().to_list() == [trials[lowest].min()]


def test_reproduce_has_the_papers_numbers_and_claims(tmp_path):
    done = fairlane.reproduce("fiftyshades2019", tmp_path / "r", only="baseline", repeats=1, progress=False)
    numbers = done.numbers
    assert numbers.filter(numbers["item"] == "table-1").drop_nulls(["ours", "paper"]).height > 10
    assert {"not run", "undecided"} <= set(done.claims["status"])
    assert fairlane.open(done.folder).runs.height == 13
    with pytest.raises(ValueError, match="unknown study 'fiftyshade'; did you mean fiftyshades2019"):
        fairlane.reproduce("fiftyshade")
