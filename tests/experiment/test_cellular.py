"""The generated trace of a cellular link has the statistics of its model."""

from itertools import pairwise
from random import Random
from statistics import pstdev

import fairlane
import pytest
from fairlane.scenario.cellular import LENGTH_S, MOST_PER_S, NOISE_PER_S, TICK_S, delivery_times_ms, rates_per_s


def test_rates_move_as_the_model_says() -> None:
    steps, outages = [], []
    for seed in range(20):
        rates = rates_per_s(Random(seed))
        assert 0 <= min(rates) <= max(rates) <= MOST_PER_S
        steps += [two - one for one, two in pairwise(rates) if 200 < one < 800]
        runs = "".join("0" if rate == 0 else " " for rate in rates).split()
        outages += [len(run) * TICK_S for run in runs]
    assert pstdev(steps) == pytest.approx(NOISE_PER_S * TICK_S**0.5, rel=0.02)
    assert sum(outages) / len(outages) == pytest.approx(1.0, rel=0.2)


def test_packets_follow_the_rates() -> None:
    times = delivery_times_ms()
    assert times == delivery_times_ms.__wrapped__(1) == tuple(sorted(times))
    assert times[-1] <= 1000 * LENGTH_S
    rates = [rates_per_s(Random(seed)) for seed in range(8)]
    expected = sum(map(sum, rates)) * TICK_S
    assert sum(len(delivery_times_ms(seed)) for seed in range(8)) == pytest.approx(expected, rel=0.15)


def test_a_link_is_named_by_it(tmp_path) -> None:
    result = fairlane.duel("cubic", trace="cellular", duration="5s", buffer="100p")
    assert 1 < result.flows["goodput_mbps"][0] < 12
    (tmp_path / "x.toml").write_text(
        'duration = "5s"\n'
        'network = { trace = "cellular", rtt = "20ms", buffer = "100p" }\n'
        'flows = [{ algorithm = "cubic" }]\n'
    )
    again = fairlane.run(tmp_path / "x.toml", results=tmp_path / "results", progress=False)
    assert again.flows["goodput_mbps"].to_list() == result.flows["goodput_mbps"].to_list()
