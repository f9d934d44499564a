"""Links of an experiment file become links of the scenario."""

import fairlane
import pytest
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.load import load

S = 1_000_000_000
DUMBBELL = {"rate": "10mbit", "rtt": "20ms"}


def problems(**keys):
    """The lines of an experiment's problems."""
    network = {key: value for key, value in {**DUMBBELL, "buffer": "1bdp", **keys}.items() if value is not None}
    with pytest.raises(ExperimentError) as found:
        load({"duration": "1s", "network": network, "flows": [{"algorithm": "reno"}]})
    return str(found.value).splitlines()


def link(**keys):
    network = {key: value for key, value in {**DUMBBELL, **keys}.items() if value is not None}
    experiment = load({"duration": "1s", "network": network, "flows": [{"algorithm": "reno"}]})
    return experiment.points[0].point.repeat(0)["links"][0]


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("2ms", {"max_ns": 2_000_000, "reorder": False, "correlation": 0.0}),
        (
            {"max": "2ms", "reorder": True, "correlation": "90%"},
            {"max_ns": 2_000_000, "reorder": True, "correlation": 0.9},
        ),
    ],
)
def test_jitter_reaches_the_engine_with_its_correlation(given, made):
    assert link(jitter=given)["jitter"] == made


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ({"at": "6s", "length": "4s"}, [{"kind": "listed", "at_ns": [6 * S], "length_ns": 4 * S}]),
        ({"at": ["6s"], "length": "4s"}, [{"kind": "listed", "at_ns": [6 * S], "length_ns": 4 * S}]),
        ({"every": "5s", "length": "0.2s"}, [{"kind": "periodic", "every_ns": 5 * S, "length_ns": S // 5}]),
        (
            [{"at": "1s", "length": "1s"}, {"mean_length": "1s", "mean_distance": "5s"}],
            [
                {"kind": "listed", "at_ns": [S], "length_ns": S},
                {"kind": "random", "mean_length_ns": S, "mean_distance_ns": 5 * S},
            ],
        ),
    ],
)
def test_outages_by_list_period_or_at_random(given, made):
    assert link(outages=given)["outages"] == made


def test_what_netem_does():
    made = link(
        reorder="25%",
        corrupt={"probability": "1%", "correlation": "20%"},
        slot={"min": "800us", "max": "1ms", "packets": 20, "bytes": "64kB"},
        jitter={"spread": "5ms", "distribution": "paretonormal", "correlation": "25%"},
        loss={"kind": "independent", "probability": "1%", "correlation": "25%"},
        duplicate="1%",
        duplicate_correlation="10%",
        changes=[{"at": "1s", "loss": "2%"}],
    )
    assert made["reorder"] == {"probability": 0.25, "correlation": 0.0, "gap": 1}
    assert made["corrupt"] == {"probability": 0.01, "correlation": 0.2}
    assert made["slot"] == {"min_ns": 800_000, "max_ns": 1_000_000, "packets": 20, "bytes": 64_000}
    assert (made["jitter"]["spread_ns"], made["jitter"]["distribution"]) == (5_000_000, "paretonormal")
    assert made["loss"] == {"kind": "independent", "probability": 0.01, "correlation": 0.25}
    assert (made["duplicate_probability"], made["duplicate_correlation"]) == (0.01, 0.1)
    assert made["changes"][0]["loss"]["probability"] == 0.02


def test_an_ecn_fault_as_a_word_or_with_a_share():
    assert link(ecn_fault="lose_ce")["ecn_fault"] == {"fault": "lose_ce", "probability": 1.0}
    some = {"fault": "bleach", "probability": "10%"}
    assert link(ecn_fault=some)["ecn_fault"] == {"fault": "bleach", "probability": 0.1}
    assert "network.ecn_fault" in problems(ecn_fault="wash")[0]


def test_bursts_of_loss_in_time():
    loss = {"kind": "bursts", "times": {"every": "5s", "length": "200ms"}, "loss_bad": "50%"}
    made = link(loss=loss)["loss"]
    assert made["times"] == {"kind": "periodic", "every_ns": 5 * S, "length_ns": S // 5}
    assert (made["loss_bad"], made["loss_good"]) == (0.5, 0.0)


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (
            {"outages": {"every": "1s", "length": "1s"}},
            "network.outages[0].length: leaves no time between outages; give less than `every`",
        ),
        ({"when_down": "hold"}, "network.when_down: has no effect on a link that is never down; give `outages`"),
        ({"outages": {"length": "1s"}}, "network.outages.at: is missing"),
        (
            {"jitter": {"max": "1ms", "spread": "1ms"}},
            "network.jitter: has both `max` and `spread`; remove one of them",
        ),
        ({"reorder": "150%"}, "network.reorder: '150%' is more than 100%"),
        ({"slot": {"min": "2ms", "max": "1ms"}}, "network.slot: has a `max` below its `min`"),
        ({"changes": [{"at": "1s"}]}, "network.changes[0]: changes nothing; give it `rate`, `delay` or `loss`"),
        (
            {"changes": [{"at": "1s", "rate": "1mbit"}, {"at": "0.5s", "rate": "2mbit"}]},
            "network.changes[1].at: is not later than the change before it; sort changes by time",
        ),
        ({"duplicate_correlation": "10%"}, "network.duplicate_correlation: has no effect; give `duplicate`"),
    ],
)
def test_a_fault_of_a_link_is_one_line_with_its_key(keys, line):
    (found,) = problems(**keys)
    assert line in found


def test_an_outage_stops_a_flow_and_ends():
    result = fairlane.run(
        {
            "duration": "4s",
            "network": {"rate": "20mbit", "rtt": "20ms", "buffer": "1bdp", "outages": {"at": "2s", "length": "0.5s"}},
            "flows": [{"algorithm": "cubic"}],
        }
    )
    series = result.series("flow", ["throughput_mbps"])
    during = series.filter((series["t_s"] > 2.15) & (series["t_s"] <= 2.5))["throughput_mbps"]
    after = series.filter(series["t_s"] > 3.5)["throughput_mbps"]
    assert during.max() == 0
    assert after.min() > 10


@pytest.mark.parametrize(
    ("queue", "made"),
    [
        ({"kind": "policer", "rate": "10mbit", "burst": "100kB"}, {"rate_bps": 10**7, "burst_bytes": 100_000}),
        ({"kind": "policer", "rate": "10mbit", "burst": "1bdp"}, {"rate_bps": 10**7, "burst_bytes": 25_000}),
        ({"kind": "cake", "bandwidth": "10mbit"}, {"bandwidth_bps": 10**7}),
    ],
)
def test_a_queue_with_a_rate_of_its_own_needs_none_of_the_link(queue, made):
    one = link(rate=None, queue=queue)
    assert "rate_bps" not in one
    assert one["queue"].items() >= made.items()


def test_a_buffer_of_cakes_own_rate():
    assert (
        link(rate=None, queue={"kind": "cake", "bandwidth": "10mbit"}, buffer="2bdp")["queue"]["memlimit_bytes"]
        == 50_000
    )


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"queue": "codel"}, ["network.rate: is missing"]),
        ({"queue": {"kind": "cake"}, "buffer": None}, ["network.rate: is missing"]),
        (
            {"queue": {"kind": "policer", "rate": "1mbit", "burst": "9kB"}},
            ["network.buffer: has no effect on a link without a rate"],
        ),
        (
            {"queue": {"kind": "policer", "pkts_rate": "9kpps", "pkts_burst": "9p", "mtu": "1bdp"}, "buffer": None},
            ["network.queue: a link without a rate has no BDP"],
        ),
    ],
)
def test_a_link_without_a_rate_needs_a_queue_that_has_one(keys, expected):
    found = problems(rate=None, **keys)
    assert len(found) == len(expected)
    assert all(text in line for text, line in zip(expected, found, strict=True))


def test_a_default_buffer_holds_a_frame():
    assert link(rate="1mbit", rtt="9ms")["queue"] == {"kind": "fifo", "limit_bytes": 1514}
    assert "1125 bytes are smaller" in problems(rate="1mbit", rtt="9ms")[0]
