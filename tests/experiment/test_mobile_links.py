"""Links that vary have the statistics of their sources, and traces of rates may have delays."""

from itertools import pairwise
from math import sqrt
from statistics import fmean, median, pstdev

import fairlane
import pytest
from fairlane.scenario.mobile_links import MEANS_BPS, PERIOD_S, TICK_S, steps
from fairlane.scenario.topology.traces import TraceError, read


@pytest.mark.parametrize("name", MEANS_BPS)
def test_a_link_that_fades_has_the_mean_and_moves_as_fast_as_sprout_found(name) -> None:
    rates = [rate for at_ns, rate, _ in steps(name) if at_ns < PERIOD_S * 1e9]
    assert fmean(rates) == pytest.approx(MEANS_BPS[name], rel=1e-6)
    moves = [two - one for one, two in pairwise(rates) if max(rates) / 4 < one < max(rates) * 3 / 4]
    assert pstdev(moves) / max(rates) == pytest.approx(0.2 * sqrt(TICK_S), rel=0.25)


def test_starlink_steps_every_15_s_with_the_published_quartiles() -> None:
    one = [step for step in steps("starlink") if step[0] < PERIOD_S * 1e9]
    assert {two[0] - first[0] for first, two in pairwise(one)} == {15_000_000_000}
    assert median(rate for _, rate, _ in one) == pytest.approx(87e6, rel=0.01)
    rtts_ms = [25 + (delay_ns or 0) / 1e6 for *_, delay_ns in one]
    assert [sum(rtt < 40 for rtt in rtts_ms), sum(rtt > 60 for rtt in rtts_ms)] == [len(one) / 4] * 2


def test_a_duel_follows_the_steps_and_a_rate_makes_the_link_constant() -> None:
    results = fairlane.duel("bbr", link="starlink", duration="60s")
    series = results.series("flow", ["t_s", "mbps"])
    means = [fmean(series.filter((series["t_s"] > at) & (series["t_s"] <= at + 10))["mbps"]) for at in (35, 50)]
    assert means[1] > 1.7 * means[0]
    constant = fairlane.duel("bbr", link="starlink", rate="20mbit", duration="2s")
    assert '"changes"' not in constant.runs["scenario"][0]


def test_a_trace_may_have_delays(tmp_path) -> None:
    path = tmp_path / "measured.csv"
    path.write_text("0.0, 20, 10\n2.0, 5, 60\n")
    results = fairlane.duel("vegas", trace=path, rtt="40ms", buffer="100p", duration="4s")
    series = results.series("flow", ["t_s", "rtt_ms"])
    rtts = [min(series.filter((series["t_s"] > at) & (series["t_s"] < at + 1))["rtt_ms"]) for at in (0.5, 3.0)]
    assert 30 <= rtts[0] < 35  # 10 ms, and half of the RTT back
    assert rtts[1] >= 80
    path.write_text("0.0, 20, 10\n2.0, 5, -1\n")
    with pytest.raises(TraceError, match="line 2: '-1' is not a delay in ms"):
        read(path)
