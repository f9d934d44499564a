"""hosts.kernel and hosts.memory: releases of Linux by name."""

from pathlib import Path
from typing import Any

import fairlane
import pytest
from fairlane.scenario import kernels
from fairlane.scenario.load import load

MSS = 1448


def first_flow(algorithm: str = "cubic", **hosts: Any) -> dict[str, Any]:
    experiment = {
        "duration": "10s",
        "network": {"rate": "1gbit", "rtt": "100ms", "buffer": "1bdp"},
        "flows": [{"algorithm": algorithm}],
        "hosts": hosts,
    }
    return load(experiment).points[0].point.repeat(0)["flows"][0]


def test_without_a_release_nothing_is_set() -> None:
    flow = first_flow()
    assert (flow["sender"], flow["receiver"], flow["parameters"]) == ({}, {}, {})


@pytest.mark.parametrize(
    ("kernel", "pacing", "compressed", "scale"),
    [
        ("4.4", "none", False, 1),
        ("4.13", "internal", False, 1),
        ("5.4", "internal", True, 1),
        ("6.12", "internal", True, None),
    ],
)
def test_a_release_has_every_change_up_to_it(kernel: str, pacing: str, compressed: bool, scale: int | None) -> None:
    flow = first_flow(kernel=kernel)
    assert flow["sender"]["pacing"] == pacing
    assert flow["receiver"]["sack_compression"] is compressed
    assert flow["receiver"].get("adv_win_scale") == scale


def test_7_x_is_later_than_6_19() -> None:
    receiver = first_flow(kernel="7.2")["receiver"]
    assert (receiver["sack_compression_rtt_percent"], receiver["rcvbuf_low_rtt_ns"]) == (33, 1_000_000)
    assert receiver["prompt_right_sizing"]
    assert [first_flow(kernel=kernel)["receiver"].get("prompt_rtt") for kernel in ("6.1", "6.12")] == [None, True]


def test_algorithms_are_those_of_the_release_and_the_file_wins() -> None:
    assert first_flow("bbr", kernel="4.13")["parameters"] == {"pacing_margin": 0, "extra_acked_gain": 0}
    assert first_flow("bbr:pacing_margin=2", kernel="4.13")["parameters"]["pacing_margin"] == 2
    assert first_flow("bbr", kernel="5.4")["parameters"] == {"pacing_margin": 1, "extra_acked_gain": 256}
    assert first_flow("scalable", kernel="4.9")["parameters"] == {"growth_per_ack": 1, "increase_every": 50}
    assert first_flow(kernel="4.4", sender={"pacing": "fq"})["sender"]["pacing"] == "fq"


def test_linux_memory_is_that_of_the_release() -> None:
    assert first_flow(kernel="4.13", memory="linux")["receiver"]["rmem_max_bytes"] == 6 << 20
    assert first_flow(memory="linux")["receiver"]["rmem_max_bytes"] == 32 << 20
    assert first_flow(memory="5.4")["sender"]["wmem_max_bytes"] == 4 << 20


def test_the_window_of_4_13_is_2172_packets() -> None:
    """6 MiB, of which half is offered, hold 2172 segments; the sender has more memory than that here."""
    experiment = {
        "duration": "15s",
        "network": {"rate": "1gbit", "rtt": "200ms", "buffer": "4bdp"},
        "flows": [{"algorithm": "reno"}],
        "hosts": {"kernel": "4.13", "memory": "linux", "sender": {"wmem_max": "64MiB"}},
        "metrics": {"warm_up": "10s"},
    }
    goodput_mbps = fairlane.run(experiment).flows["goodput_mbps"][0]
    assert goodput_mbps == pytest.approx(2172 * MSS * 8 / 0.2 / 1e6, rel=0.02)


def test_the_page_shows_the_table() -> None:
    page = Path(__file__).parents[2] / "docs" / "concepts" / "hosts.md"
    assert kernels.markdown() in page.read_text(encoding="utf-8")


def test_32_mib_to_receive_carry_more_than_6_mib() -> None:
    """400 Mbit/s and 200 ms hold 10 MB: more than a buffer of 6 MiB lets be in flight, less than one of 32 MiB."""

    def goodput_mbps(kernel: str) -> float:
        experiment = {
            "duration": "15s",
            "network": {"rate": "400mbit", "rtt": "200ms", "buffer": "1bdp"},
            "flows": [{"algorithm": "cubic"}],
            "hosts": {"kernel": kernel, "memory": "linux", "sender": {"wmem_max": "64MiB"}},
            "metrics": {"warm_up": "10s"},
        }
        return float(fairlane.run(experiment).flows["goodput_mbps"][0])

    assert goodput_mbps("6.12") <= 6 * 2**20 * 8 / 0.2 / 1e6
    assert goodput_mbps("7.2") > 0.9 * 400
