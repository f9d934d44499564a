"""`python -m tools.soak`: counts, what it says of a violation, shrinking, and the networks' numbers."""

import json
import sys

import pytest
from fairlane.scenario import requests

from tools.soak import soak as command
from tools.soak import verdicts
from tools.soak.networks import network
from tools.soak.shrink import shrink


def run(monkeypatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["soak", *arguments])
    return command.main()


def test_networks_are_judged_and_repeated(monkeypatch, capsys):
    assert run(monkeypatch, "--from", "0", "--count", "3") == 0
    out = capsys.readouterr().out
    assert "networks: 3, refused: 0, repeated: 3" in out
    assert "results_are_equal_in_another_process: 0 networks break it" in out


def test_a_network_is_a_function_of_its_number():
    for number in (0, 4, 7, 10**9):
        assert network(number) == network(number)
        requests.scenario(network(number))
    assert network(1) != network(2)


def two_flows_are_unlawful(seen):
    if len(seen.scenario["flows"]) == 2:
        yield "two flows"


@pytest.fixture
def unlawful(monkeypatch) -> int:
    """Number of a network that breaks a law made for it."""
    monkeypatch.setattr(verdicts, "LAWS", (two_flows_are_unlawful,))
    return next(
        number
        for number in range(100)
        if len(network(number)["flows"]) == 3 and "workload" not in json.dumps(network(number))
    )


def test_a_violation_names_the_network_and_a_smaller_one(unlawful, monkeypatch, capsys):
    number = next(number for number in range(200) if len(network(number)["flows"]) == 2)
    verdict = verdicts.judge(number)
    assert verdict.violations == [("two_flows_are_unlawful", "two flows")]
    command.show(verdict)
    first, repeat, smaller = capsys.readouterr().out.splitlines()
    assert first == f"network {number}: two_flows_are_unlawful: two flows"
    assert repeat.strip() == f"python -m tools.soak --only {number}"
    assert len(smaller) < len(json.dumps(network(number)))
    assert command.breaks(json.loads(smaller), "two_flows_are_unlawful")


def test_shrinking_keeps_what_the_finding_needs(unlawful):
    smaller = shrink(network(unlawful), lambda experiment: command.breaks(experiment, "two_flows_are_unlawful"))
    assert len(smaller["flows"]) == 2
    assert all(set(flow) == {"algorithm"} for flow in smaller["flows"])


def test_another_result_in_another_process_is_a_violation(monkeypatch):
    verdict = verdicts.judge(1)
    verdict.digest = "another"
    assert verdicts.judge_again([verdict]) == 1
    assert [law for law, _ in verdict.violations] == [verdicts.SAME_AGAIN]


def test_an_error_of_a_run_is_a_violation(monkeypatch):
    def fail(_scenario):
        raise AssertionError("the queue is negative")

    monkeypatch.setattr(verdicts.engine, "run", fail)
    assert verdicts.judge(1).violations == [(verdicts.NO_ERROR, "AssertionError: the queue is negative")]


@pytest.mark.parametrize(("text", "expected"), [("90s", 90), ("30m", 1800), ("1.5h", 5400)])
def test_times(text, expected):
    assert command.seconds(text) == expected
