"""The same request gives the same scenario, wherever it is made."""

import json
import shutil
from pathlib import Path

import fairlane
import pytest
from fairlane import engine
from fairlane.algorithm import parse
from fairlane.backends import provenance
from fairlane.contract.vocabulary import QUEUES
from fairlane.experiment.queue import limit_key

SOURCE = Path(__file__).parents[2] / "algorithms" / "reno.c"


@pytest.mark.parametrize("buffer", [None, "0.5bdp", "40p"])
@pytest.mark.parametrize("kind", [kind for kind in QUEUES if limit_key(kind)])
def test_the_command_and_the_function_send_the_same_queue(cli, kind, buffer):
    if kind == "red" and buffer is not None:
        buffer = {"0.5bdp": "2bdp", "40p": "100p"}[buffer]  # less is too small for its thresholds
    options = ("--rate", "20mbit", "--rtt", "20ms", "--time", "1s", "--queue", kind)
    outcome = cli("duel", "reno", *options, *(("--buffer", buffer) if buffer else ()), "--json")
    assert outcome.status == 0, outcome.err
    results = fairlane.duel("reno", rate="20mbit", rtt="20ms", duration="1s", queue=kind, buffer=buffer)
    assert json.loads(results.runs["scenario"][0]) == json.loads(outcome.out)["scenario"]


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
    with pytest.raises(fairlane.AlgorithmError, match="no struct tcp_congestion_ops"):
        engine.describe(f"{path}:other")


def test_an_edit_of_a_c_file_changes_the_version_of_each_algorithm_in_it(tmp_path):
    path = tmp_path / "mine.c"
    shutil.copy(SOURCE, path)
    words = (str(path), f"{path}:one", f"{path}:two")
    before = [provenance.version(word) for word in words]
    assert len(set(before)) == 3
    path.write_text(path.read_text() + "\n/* edited */\n")
    provenance.forget()
    assert not {provenance.version(word) for word in words} & set(before)
