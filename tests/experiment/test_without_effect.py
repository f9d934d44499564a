"""Each setting of a host takes effect somewhere, and is named where it does not."""

from collections.abc import Mapping
from typing import Any

import fairlane
import pytest
from fairlane.engine.declarations import in_file, settings_of
from fairlane.scenario import cautions
from fairlane.scenario.load import load
from fairlane.scenario.without_effect import may_request

OWN_RATE = [one["name"] for one in fairlane.engine.algorithms() if may_request("rate", one["name"])]
BASE: dict[str, Any] = {
    "duration": "2s",
    "network": {"rate": "10mbit", "rtt": "40ms", "buffer": "0.5bdp"},
    "flows": [{"algorithm": "cubic"}],
}
MARKING = {"rate": "10mbit", "rtt": "40ms", "queue": {"kind": "codel", "ecn": True}}
LOSSY = {**BASE["network"], "loss": "1%"}
JITTER = {**BASE["network"], "jitter": {"max": "30ms", "reorder": True}}
LARGE = {"rate": "100mbit", "rtt": "100ms", "buffer": "1bdp"}
MEDIUM = {"rate": "100mbit", "rtt": "40ms", "buffer": "1bdp"}
FAST = {"rate": "1gbit", "rtt": "2ms", "buffer": "1bdp", "duration": "200ms"}
# The delay jumps by more than a timeout, and back.
LATE = {**BASE["network"], "changes": [{"at": "1s", "delay": "600ms"}], "duration": "3s"}
BURSTS = {"kind": "on_off", "on": "100ms", "off": "500ms"}
WRITES = {"kind": "request_response", "response": "1MB"}

# Settings, and other settings without which they make no difference to the run.
EFFECTS: dict[str, tuple[object, dict[str, Any]]] = {
    "sender.offload": (True, {"network": FAST, "workload": {**WRITES, "request": "1MB"}}),
    "sender.segmentation_offload": (False, {}),
    "sender.pacing": ("fq", {}),
    "sender.small_queue_limit": ("10kB", {}),
    "sender.small_queue_limits_paced": (False, {"sender": {"small_queue_limit": "3kB"}, "algorithm": "bbr"}),
    "sender.pacing_shift": (7, {"algorithm": "bbr"}),
    "sender.wmem_max": ("20kB", {}),
    "sender.header_room": ("4000B", {"sender": {"tcp_memory": "64KiB"}}),
    "sender.tcp_memory": ("64KiB", {}),
    "sender.machine": ("one", {"sender": {"tcp_memory": "100KiB"}, "flows": 2, "other_machine": "one"}),
    "sender.ecn": (True, {"network": MARKING}),
    "sender.ecn accecn": ("accecn", {"network": MARKING, "receiver": {"ecn": "accecn"}}),
    "sender.ect1": (True, {"network": {**MARKING, "queue": {"kind": "dualpi2"}}, "sender": {"ecn": True}}),
    "sender.arp": ("40ms", {}),
    "sender.sack": (False, {"network": LOSSY}),
    "sender.timestamps": (False, {}),
    "sender.rto_min": ("1s", {"network": {**LOSSY, "loss": "10%"}}),
    "sender.initial_cwnd": (40, {}),
    "sender.route_memory": (True, {"workload": {"kind": "poisson_flows", "rate_per_s": 20, "mean": "100kB"}}),
    "sender.route_ssthresh": (5, {}),
    "sender.tail_loss_probe": (False, {"network": LOSSY, "workload": BURSTS}),
    "sender.forward_rto": (False, {"network": LATE, "sender": {"undo": False}}),
    "sender.undo": (False, {"network": JITTER}),
    "sender.slow_start_after_idle": (False, {"workload": BURSTS}),
    "sender.nagle": (True, {"workload": {"kind": "ping", "interval": "5ms", "bytes": "100B"}}),
    "receiver.algorithm": ("cubic", {"network": MARKING, "algorithm": "dctcp"}),
    "receiver.offload": (True, {"network": FAST}),
    "receiver.offload_interval": ("5ms", {"receiver": {"offload": True}}),
    "receiver.rmem_initial": ("8KiB", {}),
    "receiver.rmem_max": ("40KiB", {}),
    "receiver.adv_win_scale": (1, {"receiver": {"rmem_max": "60KiB"}}),
    "receiver.autotune": (False, {"network": LARGE}),
    "receiver.ecn": (False, {"network": MARKING, "sender": {"ecn": True}}),
    "receiver.ecn accecn": ("accecn", {"network": MARKING, "sender": {"ecn": "accecn"}}),
    "receiver.sack": (False, {"network": LOSSY}),
    "receiver.timestamps": (False, {}),
    "receiver.sack_compression": (False, {"network": {**MEDIUM, "loss": "0.5%"}}),
    "receiver.sack_compression_rtt_percent": (1, {"network": {**MEDIUM, "loss": "0.5%"}}),
    "receiver.prompt_right_sizing": (True, {"network": LARGE}),
    "receiver.prompt_rtt": (True, {"network": LARGE}),
    "receiver.ack_division": (10, {}),
    "receiver.optimistic_ack": ("20kB", {}),
    "receiver.conceal_ce": (True, {"network": MARKING, "sender": {"ecn": True}}),
    "receiver.rcvbuf_low_rtt": ("1s", {"network": LARGE, "receiver": {"prompt_right_sizing": True}}),
}

# Settings that have no effect, each with a part of the line that says why.
WITHOUT: list[tuple[str, object, dict[str, Any], str]] = [
    ("sender.offload", True, {"network": FAST}, "GRO merges data and not ACKs"),
    ("sender.ecn", True, {"receiver": {"ecn": False}}, "the receiver refuses ECN"),
    ("sender.ecn", "accecn", {}, "the receiver does not offer accurate feedback"),
    ("receiver.algorithm", "bbr", {}, "the receiver sends no data"),
    ("receiver.ecn", True, {}, "the sender does not ask for ECN"),
    ("receiver.conceal_ce", True, {}, "the sender does not ask for ECN"),
    ("receiver.ecn", "accecn", {"sender": {"ecn": True}}, "the sender does not offer accurate feedback"),
    ("sender.ect1", True, {}, "ECN is not negotiated"),
    ("sender.ect1", True, {"sender": {"ecn": True}, "receiver": {"ecn": False}}, "the receiver refuses ECN"),
    ("sender.pacing", "none", {}, "cubic does not pace"),
    ("sender.pacing_shift", 7, {"sender": {"segmentation_offload": False}}, "neither builds bursts"),
    ("sender.small_queue_limits_paced", False, {}, "no small queue limit"),
    ("sender.machine", "one", {}, "has no limit"),
    ("receiver.offload_interval", "5ms", {}, "offload is off"),
    ("receiver.sack_compression_rtt_percent", 1, {"receiver": {"sack_compression": False}}, "are not compressed"),
    ("receiver.sack_compression_rtt_percent", 1, {"sender": {"sack": False}}, "without SACK"),
    ("receiver.sack_compression", False, {"sender": {"sack": False}}, "without SACK"),
    ("receiver.sack", False, {"sender": {"sack": False}}, "the sender does not offer SACK"),
    ("receiver.timestamps", False, {"sender": {"timestamps": False}}, "the sender does not offer timestamps"),
    ("receiver.rcvbuf_low_rtt", "1ms", {}, "buffers grow as before Linux 6.16"),
    ("sender.tail_loss_probe", False, {"receiver": {"sack": False}}, "without SACK"),
]


def experiment(key: str, value: object, more: Mapping[str, Any], *, at: str = "flow") -> dict[str, Any]:
    """The experiment with this setting of the flow's host, or of all hosts; `value` None leaves it out."""
    flow: dict[str, Any] = {"algorithm": more.get("algorithm", "cubic")}
    flow |= {name: dict(more[name]) for name in ("sender", "receiver", "workload") if name in more}
    end, name = key.split()[0].split(".")
    network = dict(more.get("network", BASE["network"]))
    made: dict[str, Any] = {**BASE, "duration": network.pop("duration", BASE["duration"]), "network": network}
    if at == "flow" and value is not None:
        flow[end] = {**flow.get(end, {}), name: value}
    elif value is not None:
        made["hosts"] = {end: {name: value}}
    flows = [flow]
    if more.get("flows"):
        other = {**flow, "sender": {**flow.get("sender", {}), "machine": more["other_machine"]}}
        flows.append(other)
    return {**made, "flows": flows}


def remarks(settings: dict[str, Any]) -> list[str]:
    return cautions.remarks(load(settings))


def outcome(settings: dict[str, Any]) -> tuple[Any, ...]:
    from fairlane.engine import run

    result = run(load(settings).points[0].point.repeat(0))
    return result["events"], result["flows"], result["series"]["flows"]


def test_every_setting_of_a_host_is_here() -> None:
    declared = {
        f"{end}.{in_file(table, name) or 'ecn accecn'}"
        for end, table in (("sender", "SenderHost"), ("receiver", "ReceiverHost"))
        for name in settings_of(table)
    }
    assert declared == set(EFFECTS)


@pytest.mark.parametrize("key", EFFECTS)
def test_it_takes_effect(key: str) -> None:
    value, more = EFFECTS[key]
    given, absent = experiment(key, value, more), experiment(key, None, more)
    assert [line for line in remarks(given) if line.startswith(f"flows[0].{key.split()[0]} has no effect")] == []
    assert outcome(given) != outcome(absent), key


@pytest.mark.parametrize(("key", "value", "more", "reason"), WITHOUT)
@pytest.mark.parametrize("at", ["flow", "hosts"])
def test_it_is_named_where_it_has_none(key: str, value: object, more: dict[str, Any], reason: str, at: str) -> None:
    given = experiment(key, value, more, at=at)
    place = f"flows[0].{key}" if at == "flow" else f"hosts.{key}"
    (line,) = [line for line in remarks(given) if line.startswith(f"{place} has no effect: ")]
    assert reason in line
    instead = True if value == "accecn" and key == "sender.ecn" else None
    assert outcome(given) == outcome(experiment(key, instead, more)), "it is true"


# The same of QUIC's endpoints: a value, and what else the flow needs.
QUIC_EFFECTS: dict[str, tuple[object, dict[str, Any]]] = {
    "profile": ("gquic", {}),
    "packet": ("1300B", {}),
    "initial_cwnd": (40, {}),
    "pacing": (False, {}),
    "slow_start_pacing_percent": (400, {}),
    "avoidance_pacing_percent": (300, {}),
    "burst": (2, {}),
    "proportional_rate_reduction": (True, {}),
    "ack_every": (10, {}),
    "max_ack_delay": ("5ms", {}),
    "ack_reordering_threshold": (5, {}),
    "packet_threshold": (10, {}),
    "time_threshold_permille": (2000, {}),
    "initial_rtt": ("20ms", {}),
    "zero_rtt": (True, {}),
    "stream_window": ("20kB", {}),
    "connection_window": ("20kB", {}),
    "streams": (4, {}),
    "datagrams": (True, {}),
    "emulated_connections": (2, {}),
}
QUIC_WITHOUT: list[tuple[str, object, dict[str, Any], str, str]] = [
    ("slow_start_pacing_percent", 400, {"pacing": False}, "cubic", "pacing is off"),
    ("avoidance_pacing_percent", 300, {"pacing": False}, "cubic", "pacing is off"),
    ("burst", 2, {"pacing": False}, "cubic", "pacing is off"),
    *(("slow_start_pacing_percent", 400, {}, name, "sets the pacing rate itself") for name in OWN_RATE),
    *(("avoidance_pacing_percent", 300, {}, name, "sets the pacing rate itself") for name in OWN_RATE),
    ("streams", 4, {"datagrams": True}, "cubic", "in datagrams"),
    ("stream_window", "20kB", {"datagrams": True}, "cubic", "in datagrams"),
]


def over_quic(algorithm: str, quic: dict[str, Any], network: dict[str, Any] | None = None) -> dict[str, Any]:
    network = dict(network or BASE["network"])
    flow = {"algorithm": algorithm, "transport": "quic", **({"quic": quic} if quic else {})}
    duration = network.pop("duration", BASE["duration"])
    return {**BASE, "duration": duration, "network": network, "flows": [flow]}


def test_every_setting_of_quic_is_here() -> None:
    # An outage of the length of a few probe timeouts: crates/quic/src/tests/limits.rs has one.
    declared = {in_file("QuicSettings", name) for name in settings_of("QuicSettings")}
    assert declared - {"persistent_congestion_threshold"} == set(QUIC_EFFECTS)


@pytest.mark.parametrize("key", QUIC_EFFECTS)
def test_a_setting_of_quic_takes_effect(key: str) -> None:
    value, more = QUIC_EFFECTS[key]
    given, absent = over_quic("cubic", {key: value}, **more), over_quic("cubic", {}, **more)
    assert remarks(given) == []
    assert outcome(given) != outcome(absent), key


@pytest.mark.parametrize(("key", "value", "more", "algorithm", "reason"), QUIC_WITHOUT)
def test_a_setting_of_quic_is_named_where_it_has_none(
    key: str, value: object, more: dict[str, Any], algorithm: str, reason: str
) -> None:
    given = over_quic(algorithm, {**more, key: value})
    (line,) = [line for line in remarks(given) if "no effect" in line]
    assert line.startswith(f"flows[0].quic.{key} has no effect: ")
    assert reason in line
    # The rate that nothing uses is sampled all the same.
    events, flows, _ = outcome(given)
    others, same, _ = outcome(over_quic(algorithm, more))
    assert (events, [flow["goodput_mbps"] for flow in flows]) == (others, [flow["goodput_mbps"] for flow in same])


def test_one_point_of_a_sweep_is_enough() -> None:
    swept = experiment("sender.ect1", True, {"network": MARKING}) | {"sweep": {"flows.0.sender.ecn": [True, False]}}
    assert remarks(swept) == []


def test_one_end_that_asks_for_ecn_is_enough() -> None:
    """Linux's receivers agree (`tcp_ecn = 2`), and QUIC's always report marks."""
    for flow in ({}, {"transport": "quic"}):
        settings = {**BASE, "network": MARKING, "flows": [{"algorithm": "cubic", "sender": {"ecn": True}, **flow}]}
        (found,) = fairlane.engine.run(load(settings).points[0].point.repeat(0))["flows"]
        assert found["marked_packets"] > 0
        settings["flows"][0]["receiver"] = {"ecn": False}
        (found,) = fairlane.engine.run(load(settings).points[0].point.repeat(0))["flows"]
        assert found["marked_packets"] == 0


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"flows": [{"algorithm": "cubic", "start_every": "100ms"}]}, "flows[0].start_every has no effect"),
        ({"flows": [{"algorithm": "cubic", "stop": "10s"}]}, "flows[0].stop has no effect"),
        ({"flows": [{"algorithm": "cubic", "netem_limit": 100}]}, "flows[0].netem_limit has no effect"),
        ({"cross_traffic": [{"rate": "1mbit", "exponential": True}]}, "cross_traffic[0].exponential has no effect"),
        (
            {"flows": [{"algorithm": "cubic", "transport": "quic"}], "hosts": {"sender": {"nagle": False}}},
            "hosts.sender.nagle has no effect: no flow uses TCP",
        ),
        (
            {"flows": [{"algorithm": "cubic", "transport": "quic"}], "hosts": {"kernel": "5.4"}},
            "hosts.kernel has no effect: no flow uses TCP",
        ),
    ],
)
def test_settings_of_flows_and_of_all_hosts(settings: dict[str, Any], line: str) -> None:
    assert [one for one in remarks({**BASE, **settings}) if one.startswith(line)] != []
