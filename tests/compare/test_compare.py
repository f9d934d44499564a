"""`fairlane compare`, on results of the real simulator."""

import json

import fairlane
import pytest
from fairlane.results.compare import CompareError, Verdict, compare

EXPERIMENT = """
name = "{name}"
duration = "5s"
repeats = 4

[network]
topology = "dumbbell"
rate = "10mbit"
rtt = "20ms"
buffer = "{buffer}"

[[flows]]
algorithm = "{algorithm}"

[[flows]]
algorithm = "cubic"
start = "0.1s"

[sweep]
"network.rtt" = ["10ms", "20ms"]
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compare")

    def make(label, name="mine", buffer="1bdp", algorithm="cubic", text=EXPERIMENT):
        file = folder / f"{label}.toml"
        file.write_text(text.format(name=name, buffer=buffer, algorithm=algorithm))
        return fairlane.run(file, results=folder / label)

    return make


@pytest.fixture(scope="module")
def small(made):
    return made("small")


@pytest.fixture(scope="module")
def deep(made):
    return made("deep", buffer="16bdp")


def test_the_same_experiment_twice_is_the_same(cli, small, made):
    again = made("again", name="renamed")
    outcome = cli("compare", small.path, again.path)
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.strip() == "10 values compared: 10 same."


def test_a_deeper_buffer_makes_the_delay_worse(cli, small, deep):
    outcome = cli("compare", small.path, deep.path, "--metrics", "mean_rtt_ms,total_goodput_mbps")
    assert outcome.status == 1
    lines = outcome.out.splitlines()
    assert [line.split()[0] for line in lines[1:3]] == ["10ms", "20ms"], "the worst come first"
    assert all(line.endswith("worse") for line in lines[1:3])
    assert cli("compare", deep.path, small.path, "--metrics", "mean_rtt_ms").status == 0, "the other way it is better"


def test_one_place_of_the_sweep(small, deep):
    found = compare(small, deep, ["mean_rtt_ms"], filters={"rtt_ms": 20})
    assert [(change.place["rtt_ms"], change.verdict) for change in found.changes] == [(20, Verdict.WORSE)]
    assert found.changes[0].percent[1] > 50


def test_groups_are_paired_by_their_entry(cli, small, deep):
    out = cli("compare", small.path, deep.path, "--per", "group", "--metrics", "mean_rtt_ms", "--all").out
    assert len(out.splitlines()) == 1 + 4 + 2


def test_other_axes_cannot_be_compared(cli, small, made):
    other = made("other", text=EXPERIMENT.replace('"network.rtt" = ["10ms", "20ms"]', '"network.rate" = ["5mbit"]'))
    outcome = cli("compare", small.path, other.path)
    assert outcome.status == 2
    assert "axis" in outcome.err
    with pytest.raises(CompareError):
        compare(small, other, ["jain_index"])


def test_bad_input(cli, small, tmp_path):
    assert cli("compare", small.path, tmp_path).err.startswith("fairlane compare: AFTER: ")
    assert cli("compare", small.path, small.path, "--tolerance", "many").status == 2
    assert "did you mean" in cli("compare", small.path, small.path, "--metrics", "goodput_mbp").err
    assert "'flock'" in cli("compare", small.path, small.path, "--per", "flock").err


def test_formats_for_programs(cli, small, deep):
    """The same verdicts as JSON, as a table in Markdown, and as JUnit for CI systems."""
    import json
    from xml.etree import ElementTree

    asked = ["compare", small.path, deep.path, "--metrics", "mean_rtt_ms,jain_index", "--format"]
    outcome = cli(*asked, "json")
    found = json.loads(outcome.out)
    assert outcome.status == 1
    assert found["regressed"]
    worse = [change for change in found["changes"] if change["verdict"] == "worse"]
    assert {change["metric"] for change in worse} == {"mean_rtt_ms"}
    assert worse[0]["ci95"][0] > 0
    assert worse[0]["place"]["rtt"] in ("10ms", "20ms")
    suite = ElementTree.fromstring(cli(*asked, "junit").out)
    assert suite.get("failures") == str(len(worse)) == str(len(suite.findall("testcase/failure")))
    assert suite.get("tests") == str(len(found["changes"])) == str(len(suite.findall("testcase")))
    lines = cli(*asked, "markdown").out.splitlines()
    assert lines[0].startswith("| rtt | metric | before |")
    assert lines[-1].startswith(f"{len(found['changes'])} values compared: ")


def test_experiment_files_are_run_first(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, algorithm in (("before", "cubic"), ("after", "reno")):
        text = EXPERIMENT.format(name="mine", buffer="1bdp", algorithm=algorithm).replace('"5s"', '"1s"')
        (tmp_path / f"{name}.toml").write_text(text)
    outcome = cli("compare", "before.toml", "after.toml", "--format", "json", "--jobs", 1)
    assert json.loads(outcome.out), "output of the runs is not part of it"
    assert "8 runs (8 computed)" in outcome.err
    again = cli("compare", "results/before", "after.toml", "--format", "json")
    assert again.out == outcome.out
    assert "8 runs (8 already stored)" in again.err


def test_where_runs_are_computed_needs_runs(cli, small):
    assert "BEFORE or AFTER" in cli("compare", small.path, small.path, "--on", "dask").err
    assert "BEFORE or AFTER" in cli("compare", small.path, small.path, "--jobs", 2).err
