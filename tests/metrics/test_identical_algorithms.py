"""Algorithms that an experiment does not tell apart are found, with the limit that hides them."""

from dataclasses import replace
from typing import Any

import fairlane
import pytest
from fairlane.results.identical_algorithms import Alike, NoLosses, checks, sentences_of_study
from fairlane.results.limits import limits_text
from fairlane.results.tables import ResultTables

NETWORK = {"rate": "20mbit", "rtt": "40ms", "buffer": "4bdp"}
TINY_WINDOW = {"receiver": {"rmem_max": "64KiB", "autotune": False}}


def results(algorithms: list[str], *, flows: list[dict[str, Any]], **settings: Any) -> ResultTables:
    """Two repeats of each of these algorithms as that of the first flow."""
    named = [{"name": f"flow{number}", "algorithm": "cubic", **flow} for number, flow in enumerate(flows)]
    sweep = {"flows.flow0.algorithm": algorithms}
    return fairlane.run(
        {"duration": "4s", "repeats": 2, "network": NETWORK, "flows": named, "sweep": sweep, **settings}
    )


@pytest.fixture(scope="module")
def hidden() -> ResultTables:
    """Three algorithms next to CUBIC, with windows so small that the queue is never full."""
    return results(["reno", "htcp", "bic"], flows=[TINY_WINDOW, TINY_WINDOW])


def test_algorithms_behind_a_receive_window_are_identical(hidden):
    alike, quiet = checks(hidden)
    assert isinstance(alike, Alike)
    assert (alike.algorithms, alike.equal) == (("reno", "htcp", "bic"), 3)
    assert (alike.conditions, alike.of) == (2, 2), "one for each repeat"
    window = int(hidden.series("flow", ["receive_window_bytes"])["receive_window_bytes"].max()) // 1448
    assert alike.sentence.startswith(
        "3 algorithms behave identically in 2 of 2 conditions, to the last digit (reno, htcp, bic): "
        f"the receive window ({window} packets) limits them "
    )
    assert alike.sentence.endswith(" % of the time, not congestion control.")
    assert isinstance(quiet, NoLosses)
    assert (quiet.runs, quiet.of) == (6, 6)
    assert "no packet is lost or marked in 6 of 6 runs whose flows are all loss-based rivals" in quiet.sentence


def test_the_limit_is_reported_for_any_experiment(hidden):
    assert limits_text(hidden).startswith("12 of 12 flows are limited by the receive window, ")
    assert limits_text(results(["reno", "bic"], flows=[{}])) == "", "cwnd"


def test_a_study_has_the_names_of_its_experiments(hidden):
    first, second = sentences_of_study({"hidden": hidden, "other": results(["reno", "bbr"], flows=[{}, {}])})
    assert first.startswith("Check, hidden: 3 algorithms")
    assert second.startswith("Check, hidden: no packet")


def test_algorithms_that_lose_packets_differ():
    """CUBIC's rivals fill a short queue, and each answers losses in its own way."""
    assert checks(results(["reno", "htcp", "bic"], flows=[{}, {}], network={**NETWORK, "buffer": "0.5bdp"})) == []


def test_only_those_that_are_equal_are_named():
    """A window of less than half a BDP tells BBR from those that the receive window holds."""
    alike, *_ = checks(results(["reno", "bbr:cwnd_gain=100", "bic"], flows=[TINY_WINDOW]))
    assert isinstance(alike, Alike)
    assert alike.algorithms == ("reno", "bic")


def test_a_difference_of_the_last_digits_is_told():
    """Hybla starts faster than Reno does; after that the window decides for a minute."""
    alike, *_ = checks(results(["reno", "bic", "hybla"], flows=[TINY_WINDOW], duration="60s"))
    assert isinstance(alike, Alike)
    assert (alike.algorithms, alike.equal) == (("reno", "bic", "hybla"), 2)
    assert "2 of them to the last digit (reno, bic, hybla)" in alike.sentence
    assert "digit" not in replace(alike, equal=0).sentence


def test_rivals_that_an_application_limits_may_lose_nothing():
    pings = {"workload": {"kind": "ping"}}
    found = checks(results(["reno", "bic"], flows=[pings, pings]))
    assert [type(one) for one in found] == [Alike]
    assert "the application limits them" in found[0].sentence


def test_a_sweep_of_anything_else_compares_no_algorithms():
    alone = {"flows": [{"name": "flow", "algorithm": "cubic"}], "network": NETWORK, "duration": "2s"}
    assert checks(fairlane.run({**alone, "sweep": {"network.buffer": ["1bdp", "1bdp", "2bdp"][1:]}})) == []
