"""A difference counts only if it exceeds the tolerance and random variation."""

import pytest
from fairlane.results.compare import Verdict, judge
from fairlane.results.metrics import find

GOODPUT, RTT, CWND = (find(name) for name in ("goodput_mbps", "mean_rtt_ms", "mean_cwnd_packets"))
NOISE = [-0.2, -0.1, 0.0, 0.05, 0.1, 0.2]


def around(mean: float, scale: float = 1.0) -> list[float]:
    return [mean + scale * noise for noise in NOISE]


@pytest.mark.parametrize(
    ("metric", "before", "after", "verdict"),
    [
        (GOODPUT, 50, 40, Verdict.WORSE),
        (GOODPUT, 40, 50, Verdict.BETTER),
        (RTT, 40, 50, Verdict.WORSE),
        (RTT, 50, 40, Verdict.BETTER),
        (CWND, 50, 40, Verdict.CHANGED),
        (GOODPUT, 50, 50.1, Verdict.SAME),  # within 1 %, its interval too
    ],
)
def test_the_direction_of_the_metric_decides(metric, before, after, verdict):
    assert judge({}, metric, around(before), around(after), 0.01, 0.95).verdict is verdict


def test_random_variation_is_undecided_and_needs_more_repeats():
    change = judge({}, GOODPUT, around(50, 30), around(48, 30), 0.01, 0.95)
    assert change.verdict is Verdict.UNDECIDED
    assert change.repeats > 6
    assert change.difference.low < -0.5 < change.difference.high


def test_two_repeats_decide_nothing():
    change = judge({}, GOODPUT, [50.0, 51.0], [20.0, 21.0], 0.01, 0.95)
    assert (change.verdict, change.repeats) == (Verdict.UNDECIDED, 3)


def test_the_same_values_are_the_same_even_of_one_run():
    assert judge({}, GOODPUT, [50.0], [50.0], 0.01, 0.95).verdict is Verdict.SAME


def test_from_nothing_to_something():
    change = judge({}, find("retransmits"), [0.0] * 4, [3.0, 4.0, 5.0, 4.0], 0.01, 0.95)
    assert (change.verdict, change.percent) == (Verdict.WORSE, None)
