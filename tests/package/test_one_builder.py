"""The same request gives the same scenario, from the command line and from Python."""

import json
import re
import shutil
from pathlib import Path

import fairlane
import pytest
from fairlane import engine
from fairlane.algorithm import program_files
from fairlane.algorithm.name import parse
from fairlane.cli.duel import command as duel_command
from fairlane.engine.declarations import queues
from fairlane.scenario.queue import limit_key
from fairlane.scenario.request_settings import SETTINGS

SOURCE = Path(__file__).parents[2] / "algorithms" / "reno.c"


@pytest.mark.parametrize("buffer", [None, "0.5bdp", "40p"])
@pytest.mark.parametrize("kind", [kind for kind in queues() if limit_key(kind)])
def test_the_command_and_the_function_send_the_same_queue(cli, kind, buffer):
    if kind == "red" and buffer is not None:
        buffer = {"0.5bdp": "2bdp", "40p": "100p"}[buffer]  # less is too small for its thresholds
    options = ("--rate", "20mbit", "--rtt", "20ms", "--time", "1s", "--queue", kind)
    outcome = cli("duel", "reno", *options, *(("--buffer", buffer) if buffer else ()), "--json")
    assert outcome.status == 0, outcome.err
    results = fairlane.duel("reno", rate="20mbit", rtt="20ms", duration="1s", queue=kind, buffer=buffer)
    assert json.loads(results.runs["scenario"][0]) == json.loads(outcome.out)["scenario"]


ELSEWHERE = {"accecn": 'ecn="accecn"', "plot": "Results.plot", "as_json": "Results.flows"}
"""Options of the command line that Python offers in another form."""
OF_THE_PROCESS = {"trust", "run_timeout", "threads"}
"""Options that are set for the whole process: `fairlane.engine`."""


def test_the_command_and_the_function_take_the_same():
    options = {one.name for one in duel_command.params}
    parameters = {
        *fairlane.duel.__code__.co_varnames[: fairlane.duel.__code__.co_kwonlyargcount],
        "algorithms",
        *SETTINGS,
    }
    assert options - set(ELSEWHERE) - OF_THE_PROCESS - {"help"} == parameters


def test_the_command_and_the_function_send_the_same_scenario(cli):
    options = ("--rate", "20mbit", "--time", "1s", "--interval", "50ms", "--start-jitter", "80ms", "--seed", "4")
    outcome = cli("duel", "reno", "cubic", *options, "--json")
    assert outcome.status == 0, outcome.err
    asked = {"rate": "20mbit", "duration": "1s", "interval": "50ms", "start_jitter": "80ms", "seed": 4}
    results = fairlane.duel("reno", "cubic", **asked)
    assert json.loads(results.runs["scenario"][0]) == json.loads(outcome.out)["scenario"]


def test_python_has_the_harm_of_the_command(cli):
    outcome = cli("duel", "bbr", "cubic", "--rate", "10mbit", "--time", "3s", "--baseline", "--json")
    assert outcome.status == 0, outcome.err
    of_flows = json.loads(outcome.out)["harm"]
    harm = fairlane.duel("bbr", "cubic", rate="10mbit", duration="3s", baseline=True).harm
    found = {(row["flow"], row["metric"]): [row["harm"]] for row in harm.to_dicts()}
    assert found == {
        (flow, metric): values["harm"] for flow, one in enumerate(of_flows) for metric, values in one.items()
    }
    with pytest.raises(fairlane.ExperimentError, match="at least two algorithms"):
        fairlane.duel("cubic", duration="1s", baseline=True)


def test_python_writes_the_output_of_algorithms(cli, tmp_path):
    source = tmp_path / "loud.c"
    at = SOURCE.read_text().index("BPF_PROG")
    opened = SOURCE.read_text().index("{", at)
    body = SOURCE.read_text()[: opened + 1] + '\n\tbpf_printk("called");' + SOURCE.read_text()[opened + 1 :]
    source.write_text(body)
    fairlane.duel(str(source), duration="300ms", log=tmp_path / "python.log")
    assert cli("duel", source, "--time", "300ms", "--log", tmp_path / "command.log").status == 0
    lines = (tmp_path / "python.log").read_text()
    assert "called" in lines
    assert lines == (tmp_path / "command.log").read_text()
    with pytest.raises(fairlane.ExperimentError, match="simulator"):
        fairlane.duel("reno", duration="300ms", repeats=3, log=tmp_path / "python.log")


def test_a_queue_without_a_limit_of_its_own_has_one_bdp():
    results = fairlane.duel("reno", rate="20mbit", rtt="20ms", duration="1s", queue={"kind": "red", "ecn": True})
    queue = json.loads(results.runs["scenario"][0])["links"][0]["queue"]
    assert queue == {"kind": "red", "ecn": True, "limit_bytes": 50_000}


def test_one_of_several_algorithms_in_a_c_file(tmp_path):
    path = tmp_path / "mine.c"
    shutil.copy(SOURCE, path)
    table = engine.describe(str(path))["table"]
    word = f"{path}:{table}"
    assert parse(word, []).source == word
    assert engine.describe(word)["table"] == table
    assert fairlane.duel(word, duration="1s").flows["algorithm"].to_list() == [table]
    with pytest.raises(fairlane.AlgorithmError, match="tcp_congestion_ops"):
        engine.describe(f"{path}:other")


def test_an_edit_of_a_c_file_changes_the_version_of_each_algorithm_in_it(tmp_path):
    path = tmp_path / "mine.c"
    shutil.copy(SOURCE, path)
    words = (str(path), f"{path}:one", f"{path}:two")
    before = [program_files.version(word) for word in words]
    assert len(set(before)) == 3
    path.write_text(path.read_text() + "\nint edited = 1;\n")
    program_files.forget()
    assert not {program_files.version(word) for word in words} & set(before)


def test_numbers_with_units_in_their_names():
    text = fairlane.duel("reno*2", "cubic", rate="10mbit", rtt=["20ms", "30ms"], buffer="1bdp", duration="1s")
    numbers = fairlane.duel("reno*2", "cubic", rate_mbps=10, rtt_ms=[20, 30], buffer_bdp=1, duration_s=1)
    assert text.runs["scenario"].to_list() == numbers.runs["scenario"].to_list()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rate": 20}, "rate_mbps=20"),
        ({"rate_mbps": "20mbit"}, "rate_mbps: is not a number: '20mbit'"),
        ({"rate": "20mbit", "rate_mbps": 20}, "rate: is given twice"),
        ({"buffer_bdp": 1, "buffer_kb": 100}, "buffer: is given twice"),
        ({"queue": "codel:target"}, "queue: 'codel:target'"),
    ],
)
def test_one_line_for_a_wrong_quantity(arguments, message):
    with pytest.raises(fairlane.ExperimentError, match=re.escape(message)):
        fairlane.duel("cubic", **arguments)


def test_an_unknown_argument_is_named():
    with pytest.raises(TypeError, match="did you mean rate_mbps"):
        fairlane.duel("cubic", rate_mpbs=20)
