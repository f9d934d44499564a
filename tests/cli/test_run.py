"""`fairlane show` and `fairlane run`: output and errors."""

import json
import re
from pathlib import Path

import fairlane
import pytest

EXPERIMENT = """
duration = "1s"

[network]
rate = "5mbit"
rtt = "20ms"
buffer = "1bdp"

[[flows]]
algorithm = "cubic"

[[flows]]
name = "rival"
algorithm = "reno"

[sweep]
"network.buffer" = ["1bdp", "4bdp"]
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "small.toml"
    path.write_text(EXPERIMENT)
    return "small.toml"


def test_show_prints_the_runs_the_time_and_the_disk(cli, file):
    outcome = cli("show", file, "--repeats", 3, "--seed", 10, "--jobs", 2)
    assert (outcome.status, outcome.err) == (0, "")
    heading, first, second, blank, total, cost = outcome.out.splitlines()
    assert heading.split() == ["buffer", "seeds", "stored"]
    assert first.split() == ["1bdp", "10", "to", "12", "0", "of", "3"]
    assert second.split() == ["4bdp", "10", "to", "12", "0", "of", "3"]
    assert blank == ""
    assert total.startswith("small: 2 points, 6 runs, 6 ")
    assert re.fullmatch(r"about \d+ s with 2 jobs, about [\d.]+ kB on disk", cost)
    assert not Path("results").exists()


@pytest.mark.parametrize("command", ["show", "run"])
def test_a_queue_without_end_is_warned_of(cli, file, tmp_path, command):
    links = 'links = [{ name = "a", rate = "5mbit" }, { name = "back", delay = "20ms" }]'
    flow = 'flows = [{ algorithm = "reno", forward = ["a"], reverse = ["back"] }]'
    (tmp_path / file).write_text(f'duration = "1s"\n{flow}\n[network]\n{links}\n')
    outcome = cli(command, file)
    assert outcome.status == 0
    assert outcome.err.startswith("small.toml: network.links.a: ")
    assert outcome.err.count("\n") == 1


def test_show_counts_stored_runs(cli, file):
    assert cli("run", file).status == 0
    outcome = cli("show", file, "--repeats", 1)
    assert "1bdp        1  1 of 1" in outcome.out
    assert "small: 2 points, 2 runs, 0 " in outcome.out


def test_show_shortens_long_tables(cli, file, tmp_path):
    values = ", ".join(f'"{n}p"' for n in range(10, 50))
    (tmp_path / file).write_text(EXPERIMENT.replace('"1bdp", "4bdp"', values))
    outcome = cli("show", file)
    assert "10 more; --all" in outcome.out
    assert len(cli("show", file, "--all").out.splitlines()) == 44


def test_the_estimate_of_the_disk_is_near(cli, file, tmp_path):
    said = re.search(r"about ([\d.]+) kB on disk", cli("show", file, "--repeats", 20).out)
    assert cli("run", file, "--repeats", 20).status == 0
    size = sum(found.stat().st_size for found in (tmp_path / "results").rglob("*") if found.is_file())
    assert float(said[1]) * 1000 == pytest.approx(size, rel=0.5)


def test_show_prints_the_schema(cli):
    outcome = cli("show", "--schema")
    assert outcome.status == 0
    assert json.loads(outcome.out)["title"] == "Fairlane experiment"


def test_run_stores_and_says_where(cli, file):
    outcome = cli("run", file, "--jobs", 2)
    assert (outcome.status, outcome.err) == (0, "")
    assert re.fullmatch(r"small: 2 runs \(2 computed\) in \d+ s, in results/small\n", outcome.out)
    results = fairlane.open("results/small")
    assert results.flows["name"].to_list() == ["cubic", "rival"] * 2
    assert results.runs["seed"].to_list() == [1, 1]


def test_options_override_the_file(cli, file):
    assert cli("run", file, "--repeats", 2, "--seed", 7, "--results", "elsewhere").status == 0
    assert fairlane.open("elsewhere").runs["seed"].to_list() == [7, 8, 7, 8]


def test_results_say_how_they_came_about(cli, file):
    assert cli("run", file).status == 0
    row = fairlane.open("results/small").runs.row(0, named=True)
    for column in (
        "fairlane",
        "simulator",
        "command",
        "host",
        "system",
        "processor",
        "python",
        "finished",
        "algorithms",
    ):
        assert row[column], column
    assert row["seed"] == 1
    # The whole scenario is in there: it gives the same result again.
    again = fairlane.simulate(json.loads(row["scenario"]))
    assert again["jain_index"] == row["jain_index"]
    assert fairlane.open("results/small").plans[0].settings["network"]["rate"] == "5mbit"


def test_warm_up_and_interval_by_choice(cli, file, tmp_path):
    (tmp_path / file).write_text(EXPERIMENT + '\n[metrics]\ninterval = "50ms"\nwarm_up = "200ms"\n')
    assert cli("run", file).status == 0
    results = fairlane.open("results/small")
    assert results.series("flow", ["mbps"]).group_by("run", "flow").len()["len"].min() >= 19
    assert results.flows["duration_s"].unique().to_list() == [pytest.approx(0.8)]


@pytest.mark.parametrize("command", ["show", "run"])
def test_all_mistakes_in_one_go(cli, file, tmp_path, command):
    (tmp_path / file).write_text(EXPERIMENT.replace("rtt", "rt").replace('"reno"', '"rno"'))
    outcome = cli(command, file)
    assert outcome.status == 2
    assert outcome.out == ""
    heading, *errors = outcome.err.splitlines()
    assert heading == "fairlane: 2 errors"
    algorithm, unknown = sorted(errors)
    assert algorithm.startswith("  small.toml: flows.rival.algorithm: unknown algorithm 'rno'")
    assert unknown.startswith("  small.toml: network.rt: ")
    assert "did you mean rtt or rate? Known: buffer, " in unknown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run"], "FILE"),
        (["show"], "FILE"),
        (["run", "nowhere.toml"], "nowhere.toml: "),
        (["run", "small.toml", "--jobs", "0"], "--jobs: 0 "),
        (["run", "small.toml", "--repeats", "many"], "--repeats: 'many'"),
        (["run", "small.toml", "--jbs", "1"], "did you mean --jobs?"),
        (["show", "small.toml", "--seed", "-1"], "--seed: -1 "),
    ],
)
def test_impossible_requests_take_one_line(cli, file, arguments, said):
    outcome = cli(*arguments)
    assert outcome.status == 2
    assert said in outcome.err
    assert outcome.err.count("\n") == 1


def test_results_in_place_of_a_file(cli, file, tmp_path):
    (tmp_path / "taken").write_text("")
    outcome = cli("run", file, "--results", "taken")
    assert outcome.status == 1
    assert "'taken'" in outcome.err
    assert outcome.err.count("\n") == 1


def test_a_single_run_is_called_so(cli, file, tmp_path):
    (tmp_path / file).write_text(EXPERIMENT.partition("[sweep]")[0])
    assert "small: 1 point, 1 run, 1 " in cli("show", file).out


def test_a_template_runs_by_its_name(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert cli("run", "rrul", "--repeats", "1").status == 0
    assert set(fairlane.open("results/rrul").flows["name"]) == {"download", "upload", "ping"}
    outcome = cli("run", "rrull")
    assert outcome.status != 0
    assert "rrull" in outcome.err
