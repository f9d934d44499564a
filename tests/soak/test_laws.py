"""Each law of tools/soak holds for a network, and fails for a result that was spoiled against it."""

import copy
from itertools import product

import pytest
from fairlane import engine
from fairlane.scenario import requests

from tools.soak.laws import LAWS
from tools.soak.seen import Seen

EXPERIMENT = {
    "duration": "4s",
    "seed": 1,
    "network": {"rate": "5mbit", "rtt": "40ms", "queue": "fifo", "buffer": "20p", "loss": "1%"},
    "flows": [{"algorithm": "cubic"}, {"algorithm": "bbr", "start": "300ms"}],
    "cross_traffic": [{"rate": "500kbit"}],
    "metrics": {"interval": "10ms"},
}


@pytest.fixture(scope="module")
def seen() -> Seen:
    scenario = requests.scenario(EXPERIMENT)
    return Seen(scenario, engine.run(scenario))


def broken(scenario: dict, result: dict) -> set[str]:
    return {law.__name__ for law in LAWS if any(True for _ in law(Seen(scenario, result)))}


def spoil(result: dict, place: tuple, change) -> None:
    *way, last = place
    for key in way:
        result = result[key]
    result[last] = change(result[last])


def times(factor: float):
    return lambda value: type(value)(value * factor)


FLOW, LINK = ("flows", 0), ("links", 0)
FLOW_SERIES, LINK_SERIES = ("series", "flows", 0), ("series", "links", 0)


@pytest.mark.parametrize(
    ("law", "place", "change"),
    [
        ("flows_conserve_bytes", (*FLOW, "throughput_mbps"), times(0.8)),
        ("flows_conserve_bytes", (*FLOW, "throughput_mbps"), times(1.3)),
        ("flows_conserve_bytes", (*FLOW, "data_packets_received"), times(1.1)),
        ("links_conserve_bytes", (*LINK, "transmitted_bytes"), times(0.95)),
        ("links_conserve_bytes", (*LINK, "transmitted_bytes"), times(1.3)),
        ("links_conserve_bytes", (*FLOW, "wire_bytes_forward"), times(1.1)),
        ("losses_have_a_link", (*FLOW, "lost_packets"), times(5)),
        ("losses_have_a_link", ("cross_traffic", 0, "delivered_packets"), times(2)),
        ("round_trips_take_at_least_the_propagation_delay", (*FLOW, "min_rtt_ms"), lambda _: 38.0),
        ("round_trips_take_at_least_the_propagation_delay", (*FLOW, "packet_rtt_min_ms"), lambda _: 38.0),
        (
            "round_trips_take_at_least_the_propagation_delay",
            (*FLOW_SERIES, "packet_rtt_ms"),
            lambda cells: [*cells[:-1], 38.0],
        ),
        (
            "links_keep_to_their_rate",
            (*LINK_SERIES, "throughput_mbps"),
            lambda cells: [*cells[:-50], *[5.5] * 50],
        ),
        ("queues_keep_to_their_limit", (*LINK, "max_queue_bytes"), lambda _: 20 * 1514 + 1),
        ("shares_are_shares", (*LINK, "utilisation"), lambda _: 1.01),
        ("shares_are_shares", ("jain_index",), lambda _: 0.49),
        ("shares_are_shares", ("jain_index",), lambda _: 1.01),
        ("goodput_is_part_of_throughput", (*FLOW, "goodput_mbps"), times(1.2)),
        ("goodput_is_part_of_throughput", (*FLOW_SERIES, "mbps"), lambda cells: [cell * 1.2 for cell in cells]),
        (
            "goodput_is_part_of_throughput",
            (*FLOW_SERIES, "sending_rate_mbps"),
            lambda cells: [cell * 0.8 for cell in cells],
        ),
        ("windows_hold_a_packet", (*FLOW_SERIES, "cwnd_packets"), lambda cells: [*cells[:-1], 0]),
    ],
)
def test_a_spoiled_result_breaks_the_law(seen, law, place, change):
    assert broken(seen.scenario, seen.result) == set()
    result = copy.deepcopy(seen.result)
    spoil(result, place, change)
    assert law in broken(seen.scenario, result)


SILENT_S = 0.9
"""More than the RTO, and less than the doubled one."""


@pytest.mark.parametrize(
    ("silent_s", "resent", "is_broken"), [(0.5, 0, False), (SILENT_S, 0, True), (SILENT_S, 1, False), (2.5, 1, True)]
)
def test_a_silent_flow_breaks_the_law_after_its_back_off(seen, silent_s, resent, is_broken):
    result = copy.deepcopy(seen.result)
    samples = result["series"]["flows"][0]
    for row, at_s in enumerate(samples["t_s"]):
        if at_s <= 1:
            last = row
        elif at_s <= 1 + silent_s:
            samples["sending_rate_mbps"][row] = samples["throughput_mbps"][row] = 0.0
            samples["packet_rtt_ms"][row], samples["inflight_packets"][row] = None, 9
    samples["retransmits"][last] = resent  # a timeout, which may have come early
    assert ("silence_lasts_at_most_the_back_off" in broken(seen.scenario, result)) == is_broken


def test_every_law_is_spoiled_here():
    marks = test_a_spoiled_result_breaks_the_law.pytestmark
    spoiled = {case[0] for mark in marks for case in mark.args[1]} | {"silence_lasts_at_most_the_back_off"}
    assert spoiled == {law.__name__ for law in LAWS}


@pytest.mark.parametrize(("queue", "transport"), list(product(["fifo", "codel", "fq_codel", "cake"], ["tcp", "quic"])))
def test_the_accounts_of_a_link_are_exact_where_all_frames_have_one_size(queue, transport):
    experiment = {
        "duration": "3s",
        "network": {"rate": "10mbit", "rtt": "20ms", "queue": queue},
        "flows": [{"algorithm": "reno", "transport": transport}],
    }
    scenario = requests.scenario(experiment)
    assert broken(scenario, engine.run(scenario)) == set()
