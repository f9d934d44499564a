"""Each limit of sending on a network in which it is known which one holds the sender."""

import random
from typing import Any

import pytest
from fairlane.engine import run
from fairlane.results.limits import OF_CONGESTION_CONTROL, SHARES, Limit, mean_limit
from fairlane.scenario import requests

from tools.random_networks import experiment

EVERY = tuple(SHARES.values())


def flow(settings: dict[str, Any], **network: Any) -> dict[str, Any]:
    """A flow alone: 50 Mbit/s, 40 ms and a long queue, if the test does not say otherwise."""
    one = {"algorithm": "cubic", "rtt": "40ms", **settings}
    found = requests.dumbbell([one], **{"rate": "50mbit", "buffer": "4bdp", "duration": "4s", **network})
    return run(requests.scenario(found))["flows"][0]


TINY_WINDOW = {"rmem_max": "64KiB", "autotune": False}


@pytest.mark.parametrize(
    ("limit", "settings", "least"),
    [
        ("receive window", {"receiver": TINY_WINDOW}, 0.95),
        ("send buffer", {"sender": {"wmem_max": "100kB"}}, 0.9),
        ("application", {"workload": {"kind": "ping"}}, 0.95),
        ("application", {"workload": {"kind": "on_off", "on": "10ms", "off": "2s"}}, 0.7),
        ("cwnd", {}, 0.98),
        ("pacing", {"algorithm": "bbr"}, 0.9),
        ("pacing", {"algorithm": "bbr", "sender": {"pacing": "fq"}}, 0.85),
        ("cwnd", {"algorithm": "bbr", "sender": {"pacing": "none"}}, 0.9),
        ("receive window", {"transport": "quic", "quic": {"connection_window": "20kB", "pacing": False}}, 0.9),
        ("application", {"transport": "quic", "workload": {"kind": "ping"}}, 0.95),
        ("cwnd", {"transport": "quic", "quic": {"pacing": False}}, 0.97),
        ("pacing", {"transport": "quic", "algorithm": "bbr"}, 0.9),
    ],
)
def test_the_limit_that_holds_a_sender_has_most_of_its_time(limit, settings, least):
    found = flow(settings)
    assert found["limited_by"] == limit
    assert found[SHARES[limit]] > least, {name: found[name] for name in EVERY}
    assert mean_limit([found]) == Limit(limit, found[SHARES[limit]])


def test_a_sender_over_wifi_is_held_by_the_small_queue_of_its_host():
    """A link layer that transmits in bursts returns room for new data late; the window is much larger."""
    network = {"kind": "wifi", "standard": "n", "wire": {"delay": "5ms"}}
    hosts = {"sender": {"small_queue_limit": "256KiB"}}
    settings = {"duration": "4s", "network": network, "hosts": hosts, "flows": [{"algorithm": "cubic"}], "seed": 1}
    found = run(requests.scenario(settings))["flows"][0]
    assert found["limited_by"] == "small queue", {name: found[name] for name in EVERY}


def test_a_wider_limit_gives_way_to_the_next():
    """A window of 64 KiB is the limit of a long path; on a short one it is larger than the BDP, and cwnd is."""
    long, short = (flow({"receiver": TINY_WINDOW, "rtt": rtt}, buffer="20p") for rtt in ("80ms", "4ms"))
    assert long["rwnd_limited_share"] > 0.9
    assert short["rwnd_limited_share"] < 0.5


def test_a_connection_is_busy_while_data_is_in_flight():
    """A ping in every 200 ms of a path of 40 ms: busy for a fifth of the time, and limited by its application."""
    found = flow({"workload": {"kind": "ping", "interval": "200ms"}})
    assert found["busy_share"] == pytest.approx(0.2, abs=0.02)
    assert found["app_limited_share"] == pytest.approx(0.985, abs=1e-3), "the handshake took 1.5 round trips"


def test_the_warm_up_does_not_count():
    """The receive window limits from the first second on; slow start before it is left out."""
    found = flow({"receiver": TINY_WINDOW}, metrics={"warm_up": "1s"})
    assert found["rwnd_limited_share"] == pytest.approx(1.0, abs=1e-3)
    assert found["busy_share"] == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("number", random.Random(38).sample(range(432), 24))
def test_shares_of_any_network_are_of_one_time(number):
    """Limits exclude each other, and the two that kernels tell apart are part of the busy time."""
    try:
        flows = run(requests.scenario(experiment(number)))["flows"]
    except ValueError:
        pytest.skip("the file is refused")
    for one in flows:
        if one["busy_share"] is None:
            continue
        shares = [one[name] for name in EVERY]
        assert min(shares) >= 0
        assert sum(shares) <= 1 + 1e-9
        busy, held = one["busy_share"], one["rwnd_limited_share"] + one["sndbuf_limited_share"]
        assert held - 1e-9 <= busy <= 1 + 1e-9
        assert busy + one["app_limited_share"] >= sum(shares) - 1e-9, "only the application's time may be idle"
        assert one["limited_by"] is None or one[SHARES[one["limited_by"]]] == max(shares)


def test_the_limits_of_congestion_control_are_limits():
    assert set(SHARES) >= OF_CONGESTION_CONTROL
