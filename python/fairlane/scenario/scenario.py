"""From one point of an experiment to the scenarios that the engine runs, one for each repeat."""

from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from fairlane.algorithm.name import Algorithm, AlgorithmNameError, parse
from fairlane.engine.contract.vocabulary import QUIC, RECEIVER, SENDER, WORKLOADS
from fairlane.files import FileError
from fairlane.scenario import kernels
from fairlane.scenario.base_model import Table
from fairlane.scenario.diagnostics import Diagnostic, Place
from fairlane.scenario.model import Experiment, Flow
from fairlane.scenario.network import Dumbbell, ParkingLot, Wifi
from fairlane.scenario.queue import option_of
from fairlane.scenario.sizes import BOX, arrivals, cdf_points
from fairlane.scenario.topology import dumbbell, links, parking_lot, wifi
from fairlane.scenario.topology.wiring import Report, Wiring, reporter
from fairlane.scenario.units import MAX_TIME_NS, show_bytes, show_time
from fairlane.scenario.variation import Differences, Variation
from fairlane.scenario.workload import Arrivals, PoissonFlows, Video

SENDER_NAMES = {option_of(name): name for name in SENDER}
RECEIVER_NAMES = {option_of(name): name for name in RECEIVER}
QUIC_NAMES = {option_of(name): name for name in QUIC}
"""The engine's names have units, because its values have none."""
QUIC_HOST_SETTINGS = {"ecn", "ect1"}
QUIC_PACKET_BYTES = range(1200, 65_508)
"""RFC 9000 section 14.1, and the largest UDP payload."""
QUIC_ACK_DELAYS_NS = (1_000_000, 25_000_000)
"""The shortest and the longest that quinn-proto's receiver can be asked for."""
"""The settings of hosts that are not TCP's alone."""
ACCECN = "accecn"
NO_ACCECN = f'"{ACCECN}" is TCP\'s accurate feedback'
QUIC_COUNTS_MARKS = "write true, because QUIC always reports the number of marks"
MAX_FLOWS = 20_000
WIFI_PACING_SHIFT = 7
"""What mac80211 gives the sockets whose packets it sends: 8 ms at the pacing rate, because a shorter queue leaves too
little to aggregate (Linux commit 36148c2bbfbe, 2018)."""
BEFORE_WIFI = ("4.4", "4.9", "4.13", "4.15")
"""Releases before that."""
LEAST_TCP_MEMORY_BYTES = 64 << 10
"""A few segments; the simulator refuses less."""


class Point:
    """A checked point: gives the scenario of each repeat."""

    def __init__(self, experiment: Experiment, bundled: list[dict[str, Any]], diagnostics: list[Diagnostic]) -> None:
        report = reporter(diagnostics)
        self.experiment = experiment
        self.variation = Variation.of(experiment)
        self._check_times(report)
        self._check_memory(report)
        for index, flow in enumerate(experiment.flows):
            _check_transport(flow, index, report)
        _check_accecn(experiment, report)
        workloads = [_workload(flow, index, report) for index, flow in enumerate(experiment.flows)]
        algorithms = [_algorithm(flow, index, bundled, report) for index, flow in enumerate(experiment.flows)]
        single = [flow for flow in experiment.flows for _ in range(flow.count)]
        if len(single) > MAX_FLOWS:
            report(("flows",), f"are {len(single)} in all; the most is {MAX_FLOWS}")
            single = single[:MAX_FLOWS]
        wiring = _wire(experiment, report)
        self.media = wiring.media
        self.groups = tuple(
            {"name": flow.name or algorithm.name, "algorithm": algorithm.name, "count": flow.count}
            for flow, algorithm in zip(experiment.flows, algorithms, strict=True)
        )
        self.scenario: dict[str, Any] = {
            "duration_ns": experiment.duration,
            "hz": experiment.hosts.hz,
            "series_interval_ns": experiment.metrics.interval,
            "links": wiring.links,
            "flows": [
                made
                for index, (flow, workload, algorithm, paths) in enumerate(
                    zip(experiment.flows, workloads, algorithms, wiring.flows, strict=True)
                )
                for made in self._flows(f"flows[{index}]", flow, workload, algorithm, paths)
            ],
        }
        if wiring.media:
            for medium in wiring.media:
                if (log := medium.get("access_log")) and log["from_ns"] is None:
                    log["from_ns"] = experiment.duration // 2
            self.scenario["media"] = wiring.media
        if experiment.metrics.warm_up:
            self.scenario["warm_up_ns"] = experiment.metrics.warm_up
        if experiment.metrics.watch:
            self.scenario["watch"] = list(dict.fromkeys(experiment.metrics.watch))
        if experiment.cross_traffic:
            self.scenario["cross_traffic"] = [
                self._source(index, path, report) for index, path in enumerate(wiring.cross_traffic)
            ]

    def repeat(self, number: int) -> dict[str, Any]:
        """The scenario of a repeat: its seed, and what differs between repeats."""
        return self.variation.apply(self.scenario, self.experiment.seed + number)

    def differences(self, number: int) -> Differences:
        """What is special about a repeat."""
        return self._of_repeats(self.experiment.seed + number)

    @cached_property
    def _of_repeats(self) -> Callable[[int], Differences]:
        return self.variation.of_repeats(self.scenario)

    def _flows(
        self, entry: str, flow: Flow, workload: dict[str, Any], algorithm: Algorithm, paths: tuple[list[str], list[str]]
    ) -> list[dict[str, Any]]:
        experiment = self.experiment
        hosts = experiment.hosts
        both = {"offload": hosts.offload, "ecn": hosts.ecn}
        sender = _host(SENDER_NAMES, both, kernels.sender(hosts.kernel, hosts.memory), hosts.sender, flow.sender)
        receiver = _host(
            RECEIVER_NAMES, both, kernels.receiver(hosts.kernel, hosts.memory), hosts.receiver, flow.receiver
        )
        if flow.transport == "quic":
            sender, receiver = _without_tcp(sender), _without_tcp(receiver)
        # QUIC's congestion control is part of the program, so the release of the kernel does not matter.
        of_kernel = kernels.parameters(hosts.kernel, algorithm.source) if flow.transport == "tcp" else {}
        made: dict[str, Any] = {
            "algorithm": algorithm.source,
            "parameters": of_kernel | dict(algorithm.parameters),
            "forward": paths[0],
            "reverse": paths[1],
            "stop_ns": flow.stop or experiment.duration,
            "mtu": flow.mtu or experiment.network.mtu,
            "workload": workload,
            "sender": sender,
            "receiver": receiver,
        }
        if self._starts_over_wifi(paths[0]) and "small_queue_limit_bytes" in sender and hosts.kernel not in BEFORE_WIFI:
            made["sender"] = {"pacing_shift": WIFI_PACING_SHIFT, **sender}
        if "tcp_memory_bytes" in sender:
            made["sender"] = {"machine": entry, **made["sender"]}
        if flow.transport == "tcp" and flow.workload.kind == "ping":
            made["sender"] = {"nagle": False, **made["sender"]}  # as programs that measure latency do (TCP_NODELAY)
        if flow.transport == "quic":
            made |= {"transport": "quic", "quic": _host(QUIC_NAMES, {}, flow.quic)}
        return [{**made, "start_ns": flow.start + index * flow.start_every} for index in range(flow.count)]

    def _starts_over_wifi(self, path: list[str]) -> bool:
        cells = [medium for medium in self.media if medium["kind"] == "wifi"]
        return any(station["uplink"]["name"] == path[0] for cell in cells for station in cell["stations"])

    def _source(self, index: int, path: list[str], report: Report) -> dict[str, Any]:
        source = self.experiment.cross_traffic[index]
        if (source.on is None) != (source.off is None):
            report(("cross_traffic", index), "needs both `on` and `off`, or none of them")
        made = {
            "path": path,
            "rate_bps": source.rate,
            "packet_bytes": source.packet,
            "start_ns": source.start,
            "stop_ns": source.stop or self.experiment.duration,
        }
        if source.on is not None and source.off is not None:
            made |= {"on_ns": source.on, "off_ns": source.off, "exponential": source.exponential}
        return made

    def _check_memory(self, report: Report) -> None:
        hosts, sizes = self.experiment.hosts, dict[str, int]()
        for index, flow in enumerate(self.experiment.flows):
            place = ("flows", index, "sender") if flow.sender.tcp_memory else ("hosts", "sender")
            size = flow.sender.tcp_memory or hosts.sender.tcp_memory
            if size is None or flow.transport != "tcp":
                continue
            if size < LEAST_TCP_MEMORY_BYTES:
                report((*place, "tcp_memory"), f"is {show_bytes(size)}; give at least 64KiB, or leave it out")
            name = flow.sender.machine or hosts.sender.machine or f"flows[{index}]"
            if sizes.setdefault(name, size) != size:
                other = show_bytes(sizes[name])
                what = f"is {show_bytes(size)}, but {other} for another flow of machine {name}; give both the same"
                report((*place, "tcp_memory"), what)

    def _check_times(self, report: Report) -> None:
        experiment = self.experiment
        end_ns = experiment.duration
        jitter_ns = self.variation.start_ns
        for index, flow in enumerate(experiment.flows):
            last_ns = flow.start + (flow.count - 1) * flow.start_every + jitter_ns
            over_ns = min(flow.stop or end_ns, end_ns)
            if last_ns >= over_ns:
                key = "start" if flow.start + jitter_ns >= over_ns else "start_every"
                when = show_time(last_ns)
                report(
                    ("flows", index, key), f"begins at {when}, when it is over ({show_time(over_ns)}); start earlier"
                )
            if last_ns > MAX_TIME_NS:
                report(("flows", index, "start_every"), "goes beyond 1000000s; start more often")
        if experiment.metrics.warm_up >= end_ns:
            report(("metrics", "warm_up"), f"leaves nothing of the {show_time(end_ns)} of a run; shorten it")
        samples = end_ns / experiment.metrics.interval * (sum(flow.count for flow in experiment.flows) + 2)
        if samples > 1e8:
            report(("metrics", "interval"), f"makes {samples:.0g} samples in a run; the most is 1e8: lengthen it")


def _wire(experiment: Experiment, report: Report) -> Wiring:
    """One path for each entry of `flows`: equal flows share theirs."""
    network = experiment.network
    if isinstance(network, Dumbbell):
        return dumbbell.wire(network, experiment.flows, experiment.cross_traffic, report)
    for index, flow in enumerate(experiment.flows):
        if flow.netem_limit is not None:
            report(("flows", index, "netem_limit"), "has an effect in a dumbbell only; leave it out")
    if isinstance(network, ParkingLot):
        return parking_lot.wire(network, experiment.flows, experiment.cross_traffic, report)
    if isinstance(network, Wifi):
        return wifi.wire(network, experiment.flows, experiment.cross_traffic, report)
    return links.wire(network, experiment.flows, experiment.cross_traffic, report)


def _check_transport(flow: Flow, index: int, report: Report) -> None:
    """Each transport has settings that mean nothing to the other."""
    if flow.transport == "tcp":
        if flow.quic.model_fields_set:
            report(("flows", index, "quic"), 'is set, but the flow uses TCP; add transport = "quic", or remove it')
        return
    packet, delay_ns = flow.quic.packet, flow.quic.max_ack_delay
    if packet is not None and packet not in QUIC_PACKET_BYTES:
        sizes = f"{QUIC_PACKET_BYTES[0]} to {QUIC_PACKET_BYTES[-1]} bytes"
        report(("flows", index, "quic", "packet"), f"is {packet} bytes; write {sizes} (RFC 9000 section 14)")
    if delay_ns is not None and not QUIC_ACK_DELAYS_NS[0] <= delay_ns <= QUIC_ACK_DELAYS_NS[1]:
        longest = " to ".join(show_time(bound) for bound in QUIC_ACK_DELAYS_NS)
        what = f"is {show_time(delay_ns)}; write {longest} (RFC 9000 section 18.2)"
        report(("flows", index, "quic", "max_ack_delay"), what)
    for end, settings in (("sender", flow.sender), ("receiver", flow.receiver)):
        for name, value in settings:
            if value is not None and name not in QUIC_HOST_SETTINGS:
                report(
                    ("flows", index, end, name), "is a setting of TCP, but the flow uses QUIC; remove it, or see `quic`"
                )
        if settings.ecn == ACCECN:
            report(("flows", index, end, "ecn"), f"{NO_ACCECN}, but the flow uses QUIC; {QUIC_COUNTS_MARKS}")


def _check_accecn(experiment: Experiment, report: Report) -> None:
    """Hosts may have what only some of their flows understand, but not what none does."""
    if any(flow.transport == "tcp" for flow in experiment.flows):
        return
    hosts = experiment.hosts
    for place, ecn in ((), hosts.ecn), (("sender",), hosts.sender.ecn), (("receiver",), hosts.receiver.ecn):
        if ecn == ACCECN:
            report(("hosts", *place, "ecn"), f"{NO_ACCECN}, but no flow uses TCP; {QUIC_COUNTS_MARKS}")


def _algorithm(flow: Flow, index: int, bundled: list[dict[str, Any]], report: Report) -> Algorithm:
    algorithm = read_algorithm(flow.algorithm, flow.parameters, index, bundled, report)
    parameters = {**algorithm.parameters, **flow.parameters}
    for name, value in parameters.items():
        if not -(2**63) <= value < 2**63:
            report(("flows", index, "parameters", name), f"{value} is not a 64-bit integer")
            return Algorithm(algorithm.source)
    return Algorithm(algorithm.source, parameters)


def read_algorithm(
    text: str, parameters: Mapping[str, Any], index: int, bundled: list[dict[str, Any]], report: Report
) -> Algorithm:
    """What a flow's `algorithm` means; what is wrong with it or its `parameters` is reported."""
    try:
        algorithm = parse(text, bundled)
    except (AlgorithmNameError, ValueError) as error:  # ValueError: a path that no system knows
        report(("flows", index, "algorithm"), str(error))
        return Algorithm("reno")
    known = {name for one in bundled for name in (one["name"], *one.get("aliases", ()))}
    for name in parameters:
        if algorithm.source in known:
            try:
                parse(f"{algorithm.source}:{name}=0", bundled)
            except AlgorithmNameError as error:
                report(("flows", index, "parameters"), str(error))
        if name in algorithm.parameters:
            report(("flows", index, "parameters", name), "is set in `algorithm` as well; set it once")
    return algorithm


def _workload(flow: Flow, index: int, report: Report) -> dict[str, Any]:
    """The engine's form of what the application does; files are read."""
    workload = flow.workload
    names = {option_of(name): name for name in WORKLOADS[workload.kind]}
    names |= {name: name for name in WORKLOADS[workload.kind]}
    made = {names.get(name, name): value for name, value in workload.model_dump().items() if value is not None}
    place: Place = ("flows", index, "workload")
    for key in ("sizes", "object_sizes"):
        if key in made:
            made[key] = _sizes(made[key], (*place, key), report)
    if isinstance(workload, PoissonFlows) and (workload.mean is None) == (workload.sizes is None):
        report((*place, "mean"), 'and `sizes` say the same; give one of them, such as sizes = "web-search"')
        made["mean_bytes"] = 1
        made.pop("sizes", None)
    if isinstance(workload, Arrivals):
        made["arrivals"] = _read(lambda: arrivals(Path(workload.arrivals)), (*place, "arrivals"), report)
        if len(made["arrivals"]) > MAX_FLOWS:
            report((*place, "arrivals"), f"are {len(made['arrivals'])} connections; the most is {MAX_FLOWS}")
    if isinstance(workload, Video):
        if workload.ladder[0] == 0 or any(one >= two for one, two in pairwise(workload.ladder)):
            report((*place, "ladder"), "must rise from one bitrate to the next; sort it")
        if workload.buffer < workload.segment:
            report((*place, "buffer"), "holds no segment; give at least the time of one")
    return made


def _sizes(sizes: Mapping[str, Any], place: Place, report: Report) -> dict[str, Any]:
    if sizes["kind"] != "empirical":
        return {
            name if name in ("kind", "shape", "sigma", "bytes") else f"{name}_bytes": value
            for name, value in sizes.items()
            if value is not None
        }
    name, file = sizes["name"], sizes["file"]
    if (name is None) == (file is None):
        report(place, f"needs either a name ({', '.join(BOX)}) or a file; give one of them")
        name = next(iter(BOX))
    points = _read(lambda: cdf_points(BOX[name] if name is not None else Path(file)), (*place, "file"), report)
    return {"kind": "empirical", "points": points}


def _read(read: Callable[[], list[dict[str, Any]]], place: Place, report: Report) -> list[dict[str, Any]]:
    try:
        return read()
    except FileError as error:
        report(place, str(error))
        return []


def _host(names: Mapping[str, str], both: Mapping[str, Any], *layers: Table | Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a host: what both ends have, then the experiment's, then the flow's own."""
    made = {name: value for name, value in both.items() if value is not None}
    for layer in layers:
        pairs = layer.items() if isinstance(layer, Mapping) else layer
        made |= {names.get(name, name): value for name, value in pairs if value is not None}
    if made.get("ecn") == ACCECN:
        made |= {"ecn": True, "accecn": True}
    return made


def _without_tcp(host: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in host.items() if name in QUIC_HOST_SETTINGS}
