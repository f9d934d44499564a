"""`fairlane table`."""

import csv
import io
import json

import fairlane
import pytest
from fairlane.show.text.aligned import FEW_REPEATS


def test_a_row_for_each_place_of_the_sweep(cli, pairs):
    outcome = cli("table", pairs.path)
    assert (outcome.status, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert lines[1].split()[:3] == ["against", "buffer", "name"]
    assert len(lines) == 2 + 2 * 2 * 2
    assert "12.5kB" in lines[2]
    assert "±" not in outcome.out, "two repeats have no interval"


def test_intervals_of_few_repeats_are_marked(cli, tmp_path):
    """An axis that is averaged over adds runs but no repeats: there are three samples."""
    file = tmp_path / "few.toml"
    file.write_text(
        'duration = "1s"\nrepeats = 3\nnetwork = { rate = "5mbit", rtt = "10ms", buffer = "1bdp" }\n'
        'flows = [{ name = "f", algorithm = "cubic" }, { name = "g", algorithm = "reno" }]\n'
        '[sweep]\n"network.rtt" = ["10ms", "40ms"]\n'
    )
    assert cli("run", file, "--results", tmp_path / "results").status == 0
    asked = ["table", tmp_path / "results", "--metrics", "goodput_mbps", "--by", "name"]
    out = cli(*asked).out
    assert out.splitlines()[0] == "Averaged over rtt."
    assert "±" in out.splitlines()[4]
    assert out.splitlines()[4].split()[-1] == "6"
    assert out.splitlines()[-1] == FEW_REPEATS
    outcome = cli(*asked, "--format", "json")
    assert outcome.err == "averaged over rtt\n"
    row = json.loads(outcome.out)[0]
    assert (row["n"], row["repeats"]) == (6, 3)
    assert row["goodput_mbps_ci95_low"] < row["goodput_mbps"] < row["goodput_mbps_ci95_high"]


def test_a_metric_of_the_run_keeps_the_groups(cli, pairs):
    """The mean goodput of Reno and CUBIC is no flow's goodput."""
    asked = ["table", pairs.path, "--metrics", "goodput_mbps,jain_index,bottleneck_utilisation_pct", "--format", "json"]
    rows = json.loads(cli(*asked).out)
    assert len(rows) == 2 * 2 * 2
    runs = json.loads(cli(*asked, "--per", "run").out)
    for run in runs:
        same = [row for row in rows if (row["against"], row["buffer_kb"]) == (run["against"], run["buffer_kb"])]
        assert [row["jain_index"] for row in same] == [run["jain_index"]] * 2
        assert [row["bottleneck_utilisation_pct"] for row in same] == [run["bottleneck_utilisation_pct"]] * 2
        assert same[0]["goodput_mbps"] != same[1]["goodput_mbps"]
        assert run["goodput_mbps"] == pytest.approx(sum(row["goodput_mbps"] for row in same) / 2)


@pytest.mark.parametrize(
    ("options", "title"),
    [
        ([], None),
        (["--by", "buffer", "--per", "run", "--metrics", "jain_index"], "Averaged over against."),
        (["--by", "buffer", "--metrics", "goodput_mbps"], "Averaged over against."),
        (["--by", "algorithm", "--metrics", "goodput_mbps"], "Averaged over against, buffer and flows."),
        (["--per", "run", "--metrics", "goodput_mbps"], "Averaged over the flows of each run."),
    ],
)
def test_averaged_axes_are_named(cli, pairs, options, title):
    first = cli("table", pairs.path, *options).out.splitlines()[0]
    assert first == title if title else "Averaged" not in first


def test_shares_are_of_the_time_in_common(cli, tmp_path):
    """CUBIC has the link to itself for 4 s of 8: goodputs add up to more than the link's rate, shares do not."""
    file = tmp_path / "late.toml"
    file.write_text(
        'duration = "8s"\nnetwork = { rate = "10mbit", rtt = "20ms", buffer = "1bdp" }\n'
        'flows = [{ name = "f", algorithm = "cubic" }, { name = "g", algorithm = "reno", start = "4s" }]\n'
    )
    assert cli("run", file, "--results", tmp_path / "results").status == 0
    out = cli("table", tmp_path / "results", "--metrics", "goodput_mbps,share_pct").out
    assert "from 4 s to 8 s" in out.splitlines()[0]
    results = fairlane.open(tmp_path / "results")
    series = results.series("flow", ["mbps"])
    late = series.filter(series["t_s"] > 4 + 1e-6)
    means = [late.filter(late["name"] == name)["mbps"].mean() for name in ("f", "g")]
    assert results.table(["share_pct"])["share_pct"].to_list() == pytest.approx(
        [100 * one / sum(means) for one in means], rel=0.01
    )
    goodputs = results.table(["goodput_mbps"])["goodput_mbps"].sum()
    assert goodputs > 10 > results.table(["total_goodput_mbps"], per="run")["total_goodput_mbps"].item() > 8.5


def test_shares_with_a_ping_are_shown_only_on_request(cli, tmp_path):
    """A ping beside a download: Jain's index is 0.5, and nobody is treated unfairly."""
    file, results = tmp_path / "ping.toml", tmp_path / "results"
    file.write_text(
        'duration = "2s"\nnetwork = { rate = "5mbit", rtt = "20ms", buffer = "1bdp" }\n'
        'flows = [{ name = "d", algorithm = "cubic" }, { name = "p", algorithm = "cubic", workload = "ping" }]\n'
    )
    assert "application" not in cli("run", file, "--results", results).out, "pings pause by nature"
    assert "Jain" not in cli("table", results, "--per", "run").out
    assert "share" not in cli("table", results, "--per", "flow").out
    assert "Jain" in cli("table", results, "--per", "run", "--metrics", "jain_index").out


def test_an_axis_may_have_the_name_of_a_column(cli, tmp_path):
    file = tmp_path / "one.toml"
    file.write_text(
        'duration = "1s"\n[network]\nrate = "5mbit"\nrtt = "10ms"\nbuffer = "1bdp"\n[[flows]]\nname = "f"\n'
        'algorithm = "cubic"\n[sweep]\n"flows.f.algorithm" = { name = "algorithm", values = ["cubic", "reno"] }\n'
    )
    assert cli("run", file, "--results", tmp_path / "results").status == 0
    outcome = cli("table", tmp_path / "results", "--metrics", "goodput_mbps")
    assert (outcome.status, outcome.err) == (0, "")
    assert [line.split()[0] for line in outcome.out.splitlines()[-2:]] == ["cubic", "reno"]


def test_an_axis_across(cli, pairs):
    out = cli("table", pairs.path, "--metrics", "jain_index", "--across", "buffer").out
    assert [line.split() for line in out.splitlines()[:2]] == [["buffer", "buffer"], ["against", "12.5kB", "25kB"]]
    assert len(out.splitlines()) == 4


def test_formats_say_the_same(cli, pairs):
    def run(form):
        return cli("table", pairs.path, "--per", "run", "--metrics", "jain_index", "--format", form).out

    rows = json.loads(run("json"))
    assert [row["n"] for row in rows] == [2, 2, 2, 2]
    from_csv = list(csv.DictReader(io.StringIO(run("csv"))))
    assert [float(row["jain_index"]) for row in from_csv] == [row["jain_index"] for row in rows]
    assert f"{rows[0]['jain_index']:.3f}" in run("markdown").splitlines()[2]
    assert run("latex").splitlines()[0] == "\\begin{tabular}{llrr}"


def test_filters_take_the_words_of_the_experiment(cli, pairs):
    out = cli("table", pairs.path, "--where", "buffer=25kB", "--where", "against=reno").out
    assert len(out.splitlines()) == 4
    assert out == cli("table", pairs.path, "--where", "buffer_kb=25", "--where", "against=reno").out


def test_shares_are_of_all_flows_whichever_are_shown(cli, pairs):
    """A flow's share does not become 100 % if the other flow is filtered out."""
    alone = cli("table", pairs.path, "--metrics", "share_pct", "--where", "name=first", "--per", "flow").out
    together = cli("table", pairs.path, "--metrics", "share_pct", "--per", "flow").out
    shares = [line.split()[-3:] for line in together.splitlines() if " first " in line]
    assert len(shares) == 4
    assert [line.split()[-3:] for line in alone.splitlines()[2:]] == shares


def test_relative_to_a_reference(cli, pairs):
    options = ["--metrics", "total_retransmits", "--relative-to", "against=cubic", "--by", "against"]
    out = cli("table", pairs.path, *options).out
    assert "relative total retransmissions" in out
    assert next(line for line in out.splitlines() if line.startswith("cubic")).split()[1] == "1.000"


def test_a_metric_of_ones_own(cli, pairs, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "from fairlane.results.metrics import metric\n"
        "@metric(of='flow', unit='ms')\n"
        "def queueing_rtt_ms(flow):\n    return flow['mean_rtt_ms'] - flow['min_rtt_ms']\n"
    )
    outcome = cli("table", pairs.path, "--metrics-from", file, "--metrics", "queueing_rtt_ms")
    assert (outcome.status, outcome.err) == (0, "")
    assert "queueing rtt" in outcome.out
    file.write_text("import nothing_of_that_name")
    outcome = cli("table", pairs.path, "--metrics-from", file, "--metrics", "queueing_rtt_ms")
    assert outcome.status == 1
    assert "ModuleNotFoundError" in outcome.err


def test_the_list(cli):
    out = cli("table", "--list").out
    assert any(line.startswith("jain_index ") for line in out.splitlines())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--metrics", "goodput"], "did you mean goodput_mbps"),
        (["--per", "packet"], "'packet'"),
        (["--metrics", "jain_index", "--per", "flow"], "jain_index"),
        (["--where", "buffer"], "--where"),
        (["--where", "bufer=25kB"], "did you mean buffer"),
        (["--where", "buffer=26kB"], "buffer '26kB'"),
        (["--across", "rat"], "axis 'rat'"),
        (["--by", "rat"], "axis 'rat'"),
        (["--format", "pdf"], "'pdf'"),
        (["--relative-to", "against=bbr"], "against"),
        (["--where", "algorithm=bbr"], "unknown value of algorithm 'bbr'. Known: cubic, reno"),
        (["--where", "name=firts"], "did you mean first?"),
        (["--where", "flow=first"], "unknown value of flow 'first'. Known: 0, 1"),
        (["--experiment", "pear"], "did you mean pairs"),
    ],
)
def test_mistakes_take_one_line(cli, pairs, arguments, message):
    outcome = cli("table", pairs.path, *arguments)
    assert outcome.status in (1, 2)
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


def test_no_results(cli, tmp_path):
    outcome = cli("table", tmp_path)
    assert outcome.status == 2
    assert "no results" in outcome.err


def test_an_axis_that_is_called_algorithm(cli, tmp_path):
    """As `"flows.*.algorithm"` is: the column of the flows has the same name."""
    experiment = {
        "name": "both",
        "duration": "1s",
        "network": {"rate": "10mbit", "rtt": "20ms", "buffer": "1bdp"},
        "flows": [{"name": "first", "algorithm": "cubic"}, {"name": "second", "algorithm": "cubic"}],
        "sweep": {"flows.*.algorithm": ["cubic", "reno"]},
    }
    fairlane.run(experiment, tmp_path / "results", progress=False)
    outcome = cli("table", tmp_path / "results")
    assert (outcome.status, outcome.err) == (0, "")
    assert [line.split()[:2] for line in outcome.out.splitlines()[2:]] == [
        ["first", "cubic"],
        ["second", "cubic"],
        ["first", "reno"],
        ["second", "reno"],
    ]
