"""Settings of hosts, flows and cross traffic that are valid, and that have no effect where they are.

A setting is reported if it takes effect at no point of the sweep; the line says what keeps it from doing so.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fairlane import engine
from fairlane.algorithm.c_text import requests
from fairlane.algorithm.name import Algorithm, Kind
from fairlane.engine.declarations import complete, in_file, schema_of
from fairlane.engine.types import FlowConfig
from fairlane.scenario.contract_forms import ACCECN
from fairlane.scenario.experiment import Experiment, Flow
from fairlane.scenario.network import Dumbbell
from fairlane.scenario.scenario import Point

ONE_WAY = ("bulk", "bytes", "writes", "on_off", "poisson_flows", "arrivals", "iperf3")
"""Workloads without data towards the sender."""


@dataclass(frozen=True)
class Ends:
    """The two hosts of a flow with defaults, its algorithm, and the kind of its workload."""

    sender: Mapping[str, Any]
    receiver: Mapping[str, Any]
    algorithm: str
    workload: str

    @property
    def asks_for_ecn(self) -> bool:
        """Whether the sender requests ECN."""
        return bool(self.sender.get("ecn")) or may_request("ecn", self.algorithm)

    @property
    def refuses_ecn(self) -> bool:
        """Whether the receiver refuses ECN to a sender that requests it, and whose algorithm does not force it."""
        return self.receiver.get("ecn") is False and not may_request("ecn", self.algorithm)

    @property
    def is_paced(self) -> bool:
        """Whether the algorithm may ask for pacing."""
        return may_request("pacing", self.algorithm)


def may_request(what: str, algorithm: str) -> bool:
    """Whether the text of a bundled algorithm has this request (`c_text.requests`); a file may do anything."""
    return Algorithm(algorithm).kind is not Kind.BUNDLED or what in requests(engine.describe(algorithm)["source"])


Reason = Callable[[Ends], str | None]
"""Why a setting has no effect on a flow, with the remedy; None if it has one."""
_NO_ECN = "ECN is not negotiated: the sender does not ask for it; set ecn = true at the sender, or leave it out"


def _ecn_of_sender(ends: Ends) -> str | None:
    refused = "the receiver refuses ECN (receiver.ecn = false); leave one of the two out"
    return refused if ends.refuses_ecn else None


def _ecn_of_receiver(ends: Ends) -> str | None:
    asks = "the sender does not ask for ECN, and a receiver cannot; set ecn = true at the sender"
    return None if ends.asks_for_ecn else asks


def _accecn_of_sender(ends: Ends) -> str | None:
    classic = f'the receiver does not offer accurate feedback, so ECN is classic; set ecn = "{ACCECN}" there, too'
    return _ecn_of_sender(ends) or (None if ends.receiver.get(ACCECN) else classic)


def _accecn_of_receiver(ends: Ends) -> str | None:
    classic = f'the sender does not offer accurate feedback, so ECN is classic; set ecn = "{ACCECN}" there, too'
    return _ecn_of_receiver(ends) or (None if ends.sender.get(ACCECN) or "." in ends.algorithm else classic)


def _ect1(ends: Ends) -> str | None:
    return _ecn_of_sender(ends) if ends.asks_for_ecn else _NO_ECN


def _pacing(ends: Ends) -> str | None:
    if ends.sender["pacing"] == "fq" or ends.is_paced:
        return None
    return f"{ends.algorithm} does not pace; leave it out"


def _pacing_shift(ends: Ends) -> str | None:
    if ends.sender["segmentation_offload"] or "small_queue_limit_bytes" in ends.sender:
        return None
    return "the sender neither builds bursts nor limits its own queue; set small_queue_limit, or leave it out"


def _offload_of_sender(ends: Ends) -> str | None:
    merges = "GRO merges data and not ACKs, and no data comes to the sender; set it at the receiver, or leave it out"
    return merges if ends.workload in ONE_WAY else None


def _without_sack(ends: Ends) -> str | None:
    has_sack = ends.sender["sack"] and ends.receiver["sack"]
    return None if has_sack else "the connection is without SACK; leave one of the two out"


def _sack_compression(ends: Ends) -> str | None:
    off = "SACKs are not compressed; leave one of the two out"
    return _without_sack(ends) if ends.receiver["sack_compression"] else off


def _algorithm_of_receiver(ends: Ends) -> str | None:
    """It controls data of the receiver, and the echo of marks if either algorithm needs ECN."""
    algorithms = ends.algorithm, str(ends.receiver.get("algorithm"))
    if ends.workload not in ONE_WAY or any(may_request("ecn", name) for name in algorithms):
        return None
    return "the receiver sends no data, and neither algorithm needs ECN; leave it out"


def _needs(end: str, other: str, is_there: Callable[[Mapping[str, Any]], object], remedy: str) -> Reason:
    def reason(ends: Ends) -> str | None:
        host: Mapping[str, Any] = getattr(ends, end)
        return None if is_there(host) else f"{other}; {remedy}"

    return reason


REASONS: dict[tuple[str, str], Reason] = {
    ("sender", "offload"): _offload_of_sender,
    ("sender", "ecn"): _ecn_of_sender,
    ("sender", ACCECN): _accecn_of_sender,
    ("sender", "ect1"): _ect1,
    ("sender", "pacing"): _pacing,
    ("sender", "pacing_shift"): _pacing_shift,
    ("sender", "small_queue_limits_paced"): _needs(
        "sender",
        "no small queue limit is set",
        lambda host: "small_queue_limit_bytes" in host,
        "set small_queue_limit, or leave it out",
    ),
    ("sender", "machine"): _needs(
        "sender",
        "the machine's memory has no limit",
        lambda host: "tcp_memory_bytes" in host,
        "set tcp_memory, or leave it out",
    ),
    ("receiver", "algorithm"): _algorithm_of_receiver,
    ("receiver", "ecn"): _ecn_of_receiver,
    ("receiver", ACCECN): _accecn_of_receiver,
    ("receiver", "conceal_ce"): _ecn_of_receiver,
    ("receiver", "offload_interval_ns"): _needs(
        "receiver", "offload is off", lambda host: host["offload"], "set offload = true, or leave it out"
    ),
    ("receiver", "sack_compression"): _without_sack,
    ("receiver", "sack_compression_rtt_percent"): _sack_compression,
    ("receiver", "rcvbuf_low_rtt_ns"): _needs(
        "receiver",
        "buffers grow as before Linux 6.16",
        lambda host: host["prompt_right_sizing"],
        "set prompt_right_sizing = true, or leave it out",
    ),
    ("sender", "tail_loss_probe"): _without_sack,
    ("receiver", "sack"): _needs(
        "sender",
        "the sender does not offer SACK",
        lambda host: host["sack"],
        "leave one of the two out",
    ),
    ("receiver", "timestamps"): _needs(
        "sender",
        "the sender does not offer timestamps",
        lambda host: host["timestamps"],
        "leave one of the two out",
    ),
}
"""Conditions of settings, by end and name; every other one takes effect on every TCP flow."""
_TABLES = {"sender": "SenderHost", "receiver": "ReceiverHost"}


class _Findings:
    """Settings that took effect somewhere, and reasons of those that did not."""

    def __init__(self) -> None:
        self.effective: set[str] = set()
        self.reasons: dict[str, str] = {}

    def note(self, key: str, reason: str | None) -> None:
        if reason is None:
            self.effective.add(key)
        else:
            self.reasons.setdefault(key, reason)

    def lines(self) -> list[str]:
        return [f"{key} has no effect: {reason}" for key, reason in self.reasons.items() if key not in self.effective]


def lines(points: Iterable[Point]) -> list[str]:
    """A line for each setting that takes effect at none of these points."""
    found = _Findings()
    for point in points:
        for key, reason in of_point(point):
            found.note(key, reason)
    return found.lines()


def of_point(point: Point) -> Iterator[tuple[str, str | None]]:
    """Settings that the file gives, each with the reason why it has no effect on a flow, or None."""
    experiment = point.experiment
    made = iter(point.scenario["flows"])
    for index, flow in enumerate(experiment.flows):
        first = next(made)
        for _ in range(flow.count - 1):
            next(made)
        yield from _of_flow(experiment, flow, index, first, experiment.duration)
    yield from _of_hosts(experiment)
    for index, source in enumerate(experiment.cross_traffic):
        if source.settings.get("exponential") and "on_ns" not in source.settings:
            yield (
                f"cross_traffic[{index}].exponential",
                "the source is not on and off; give on and off, or leave it out",
            )


def _of_flow(
    experiment: Experiment, flow: Flow, index: int, made: FlowConfig, duration_ns: int
) -> Iterator[tuple[str, str | None]]:
    name = f"flows.{flow.name}" if flow.name else f"flows[{index}]"
    if flow.start_every:
        yield f"{name}.start_every", None if flow.count > 1 else "there is one flow; give a count, or leave it out"
    if flow.stop is not None and flow.stop > duration_ns:
        yield f"{name}.stop", "the run is over before; shorten it, or leave it out"
    if flow.netem_limit is not None and isinstance(experiment.network, Dumbbell):
        is_longer = flow.rtt is not None and flow.rtt > experiment.network.rtt
        yield f"{name}.netem_limit", None if is_longer else "its rtt is not beyond the network's; leave it out"
    if flow.transport == "quic":
        for setting, reason in _of_quic(flow.quic, made["algorithm"]).items():
            yield f"{name}.quic.{in_file('QuicSettings', setting)}", reason
    hosts = complete("SenderHost", made.get("sender", {})), complete("ReceiverHost", made.get("receiver", {}))
    ends = Ends(*hosts, made["algorithm"], made["workload"]["kind"])
    for end in ("sender", "receiver"):
        own, shared = getattr(flow, end), getattr(experiment.hosts, end)
        for setting, value in {**shared, **own}.items():
            where = f"{name}.{end}" if setting in own else f"hosts.{end}"
            yield from _of_end(where, end, setting, value, ends, flow.transport)


def _of_quic(given: Mapping[str, Any], algorithm: str) -> dict[str, str | None]:
    """The settings of QUIC endpoints that have a condition, each with the reason why it has no effect, or None."""
    is_paced, has_streams = given.get("pacing", True), not given.get("datagrams")
    unpaced = None if is_paced else "pacing is off; leave one of the two out"
    has_own = Algorithm(algorithm).kind is Kind.BUNDLED and may_request("rate", algorithm)
    own = f"{algorithm} sets the pacing rate itself; leave it out" if has_own else None
    reasons = {
        "slow_start_pacing_percent": unpaced or own,
        "avoidance_pacing_percent": unpaced or own,
        "burst_packets": unpaced,
        "streams": None if has_streams else "the data goes in datagrams; leave one of the two out",
        "stream_window_bytes": None if has_streams else "the data goes in datagrams; leave one of the two out",
    }
    return {name: reason for name, reason in reasons.items() if name in given}


def _of_end(
    where: str, end: str, setting: str, value: object, ends: Ends, transport: str
) -> Iterator[tuple[str, str | None]]:
    declared = schema_of(_TABLES[end])["properties"][setting]
    key = f"{where}.{in_file(_TABLES[end], setting) or setting}"
    if transport != "tcp" and "x-transport" in declared:
        yield key, "no flow uses TCP; leave it out, or see `quic`"
        return
    if value is None or value == declared.get("default", False):
        return  # the same without it
    reason = REASONS.get((end, ACCECN if value == ACCECN else setting))
    yield key, reason(ends) if reason else None


def _of_hosts(experiment: Experiment) -> Iterator[tuple[str, str | None]]:
    """Settings of all hosts that only TCP has."""
    hosts = experiment.hosts
    given = {
        "kernel": hosts.kernel,
        "memory": None if hosts.memory == "ample" else hosts.memory,
        "offload": hosts.offload,
    }
    has_tcp = any(flow.transport == "tcp" for flow in experiment.flows)
    for name, value in given.items():
        if value:
            yield f"hosts.{name}", None if has_tcp else "no flow uses TCP; leave it out, or see `quic`"
