"""From one point of an experiment to the scenarios that the engine runs, one for each repeat."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import cast

from fairlane.algorithm.name import Algorithm, AlgorithmNameError, parse
from fairlane.engine import Summary
from fairlane.engine.declarations import in_file, settings_of
from fairlane.engine.messages import unknown
from fairlane.engine.types import CrossTrafficConfig, FlowConfig, Scenario, Workload
from fairlane.scenario import kernels
from fairlane.scenario.contract_forms import ACCECN
from fairlane.scenario.diagnostics import Diagnostic, Report, reporter
from fairlane.scenario.experiment import MOST_FLOWS, Experiment, Flow
from fairlane.scenario.fabrics import Fabric
from fairlane.scenario.network import Dumbbell, Links, ParkingLot, Wifi
from fairlane.scenario.plan import MOST_SAMPLES
from fairlane.scenario.topology import dumbbell, fabric, links, parking_lot, wifi
from fairlane.scenario.topology.wiring import Path, Wiring
from fairlane.scenario.units import MAX_TIME_NS, show_bytes, show_time
from fairlane.scenario.variation import Differences, Variation
from fairlane.scenario.workloads import engine_workload

NO_ACCECN = f'"{ACCECN}" is TCP\'s accurate feedback'
QUIC_COUNTS_MARKS = "write true, because QUIC always reports the number of marks"
SCREAM = "scream"
"""The congestion control of RTP flows, which is no program."""
Settings = dict[str, object]
"""Settings of an endpoint in the engine's form, before they are merged."""


class Point:
    """A checked point: gives the scenario of each repeat."""

    def __init__(self, experiment: Experiment, bundled: Sequence[Summary], diagnostics: list[Diagnostic]) -> None:
        report = reporter(diagnostics)
        built = None
        if isinstance(experiment.network, Fabric):
            built = fabric.Built(experiment.network, experiment.flows, report)
            experiment = replace(experiment, flows=built.expanded(experiment.flows))
        self.experiment = experiment
        self.variation = Variation.of(experiment)
        self._check_times(report)
        self._check_memory(report)
        _check_names(experiment.flows, report)
        for index, flow in enumerate(experiment.flows):
            _check_transport(flow, index, report)
        _check_accecn(experiment, report)
        _check_receivers(experiment, bundled, report)
        workloads = [engine_workload(flow.workload, index, report) for index, flow in enumerate(experiment.flows)]
        algorithms = [_algorithm(flow, index, bundled, report) for index, flow in enumerate(experiment.flows)]
        single = [flow for flow in experiment.flows for _ in range(flow.count)]
        if len(single) > MOST_FLOWS:
            report(("flows",), f"are {len(single)} in all; the most is {MOST_FLOWS}")
            single = single[:MOST_FLOWS]
        wiring = _wire(experiment, report) if built is None else built.wire(experiment.flows, experiment.cross_traffic)
        self.media = wiring.media
        self.groups = tuple(
            {"name": flow.name or algorithm.name, "algorithm": algorithm.name, "count": flow.count}
            for flow, algorithm in zip(experiment.flows, algorithms, strict=True)
        )
        metrics = experiment.metrics.settings
        self.scenario: Scenario = {
            **experiment.hosts.settings,
            "duration_ns": experiment.duration,
            "series_interval_ns": metrics["series_interval_ns"],
            "links": wiring.links,
            "flows": [
                made
                for index, (flow, workload, algorithm, paths) in enumerate(
                    zip(experiment.flows, workloads, algorithms, wiring.flows, strict=True)
                )
                for made in self._flows(
                    f"flows[{index}]", flow, workload, algorithm, paths, wiring.rates.get(index, [])
                )
            ],
        }
        if wiring.media:
            for medium in wiring.media:
                if medium["kind"] == "wifi" and "access_log" in medium:
                    medium["access_log"] = {"from_ns": experiment.duration // 2, **medium["access_log"]}
            self.scenario["media"] = wiring.media
        if metrics["warm_up_ns"]:
            self.scenario["warm_up_ns"] = metrics["warm_up_ns"]
        if metrics["watch"]:
            self.scenario["watch"] = list(dict.fromkeys(metrics["watch"]))
        if experiment.cross_traffic:
            self.scenario["cross_traffic"] = [
                self._source(index, path, report) for index, path in enumerate(wiring.cross_traffic)
            ]

    @cached_property
    def entries(self) -> list[int]:
        """Of each flow of the scenario the number of its entry in the file."""
        return [entry for entry, flow in enumerate(self.experiment.flows) for _ in range(flow.count)]

    def repeat(self, number: int) -> Scenario:
        """The scenario of a repeat: its seed, and what differs between repeats."""
        return self.variation.apply(self.scenario, self.experiment.seed + number)

    def differences(self, number: int) -> Differences:
        """The values in which a repeat differs from the others."""
        return self._of_repeats(self.experiment.seed + number)

    @cached_property
    def _of_repeats(self) -> Callable[[int], Differences]:
        return self.variation.of_repeats(self.scenario)

    def _flows(
        self,
        entry: str,
        flow: Flow,
        workload: Workload,
        algorithm: Algorithm,
        paths: list[Path],
        rates_per_s: Sequence[float],
    ) -> list[FlowConfig]:
        experiment = self.experiment
        hosts = experiment.hosts
        both: Settings = {
            name: value for name, value in (("offload", hosts.offload), ("ecn", hosts.ecn)) if value is not None
        }
        sender = _merged(both, kernels.sender(hosts.kernel, hosts.memory), hosts.sender, flow.sender)
        receiver = _merged(both, kernels.receiver(hosts.kernel, hosts.memory), hosts.receiver, flow.receiver)
        if flow.transport != "tcp":
            sender, receiver = _without_tcp("SenderHost", sender), _without_tcp("ReceiverHost", receiver)
        if "small_queue_limit_bytes" in sender and self._starts_over_wifi(paths[0][0]):
            sender = {**kernels.over_wifi(hosts.kernel), **sender}
        if "tcp_memory_bytes" in sender:
            sender = {"machine": entry, **sender}
        if flow.transport == "tcp" and workload["kind"] in ("ping", "call"):
            sender = {"nagle": False, **sender}  # as programs for which latency counts do (TCP_NODELAY)
        # QUIC's congestion control is part of the program, so the release of the kernel does not matter.
        of_kernel = kernels.parameters(hosts.kernel, algorithm.source) if flow.transport == "tcp" else {}
        made = {
            "algorithm": algorithm.source,
            "parameters": of_kernel | dict(algorithm.parameters),
            "forward": paths[0][0],
            "reverse": paths[0][1],
            "stop_ns": flow.stop or experiment.duration,
            "mtu": flow.mtu or experiment.network.mtu,
            "workload": workload,
            "sender": sender,
            "receiver": receiver,
        }
        if flow.transport == "quic":
            made |= {"transport": "quic", "quic": {"profile": "ietf", **flow.quic}}
        elif flow.transport == "rtp":
            made["transport"] = "rtp"
        found = []
        for index in range(flow.count):
            forward, reverse = paths[index % len(paths)]
            own = {"forward": forward, "reverse": reverse, "start_ns": flow.start + index * flow.start_every}
            if rates_per_s:
                own["workload"] = {**workload, "rate_per_s": rates_per_s[index]}
            found.append(cast(FlowConfig, {**made, **own}))
        return found

    def _starts_over_wifi(self, path: list[str]) -> bool:
        stations = [station for medium in self.media if medium["kind"] == "wifi" for station in medium["stations"]]
        return any(station["uplink"]["name"] == path[0] for station in stations)

    def _source(self, index: int, path: list[str], report: Report) -> CrossTrafficConfig:
        made: CrossTrafficConfig = {"stop_ns": self.experiment.duration}
        made = {**made, **self.experiment.cross_traffic[index].settings, "path": path}
        if ("on_ns" in made) != ("off_ns" in made):
            report(("cross_traffic", index), "needs both `on` and `off`, or none of them")
        if "on_ns" not in made:
            del made["exponential"]
        return made

    def _check_memory(self, report: Report) -> None:
        hosts, sizes = self.experiment.hosts, dict[str, int]()
        for index, flow in enumerate(self.experiment.flows):
            both = {**hosts.sender, **flow.sender}
            size = flow.sender.get("tcp_memory_bytes", hosts.sender.get("tcp_memory_bytes"))
            if size is None or flow.transport != "tcp":
                continue
            name = str(both.get("machine", f"flows[{index}]"))
            if sizes.setdefault(name, size) != size:
                place = ("flows", index, "sender") if "tcp_memory_bytes" in flow.sender else ("hosts", "sender")
                other = show_bytes(sizes[name])
                text = f"is {show_bytes(size)}, but {other} for another flow of machine {name}; give both the same"
                report((*place, "tcp_memory"), text)

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
        metrics = experiment.metrics.settings
        if metrics["warm_up_ns"] >= end_ns:
            report(("metrics", "warm_up"), f"leaves nothing of the {show_time(end_ns)} of a run; shorten it")
        samples = end_ns / metrics["series_interval_ns"] * (sum(flow.count for flow in experiment.flows) + 2)
        if samples > MOST_SAMPLES:
            most = f"{MOST_SAMPLES:.0e}".replace("+0", "")
            report(("metrics", "interval"), f"makes {samples:.0g} samples in a run; the most is {most}: lengthen it")


def _wire(experiment: Experiment, report: Report) -> Wiring:
    """The paths of each entry of `flows`: equal flows share theirs, except that each has a Wi-Fi station of its own."""
    network = experiment.network
    for index, flow in enumerate(experiment.flows):
        for key in ("source", "destination", "traffic"):
            if getattr(flow, key) is not None:
                report(("flows", index, key), "has an effect in networks of switches only; leave it out")
    if isinstance(network, Dumbbell):
        return dumbbell.wire(network, experiment.flows, experiment.cross_traffic, report)
    for index, flow in enumerate(experiment.flows):
        if flow.netem_limit is not None:
            report(("flows", index, "netem_limit"), "has an effect in a dumbbell only; leave it out")
    if isinstance(network, ParkingLot):
        return parking_lot.wire(network, experiment.flows, experiment.cross_traffic, report)
    if isinstance(network, Wifi):
        return wifi.wire(network, experiment.flows, experiment.cross_traffic, report)
    assert isinstance(network, Links)
    return links.wire(network, experiment.flows, experiment.cross_traffic, report)


def _check_names(flows: Sequence[Flow], report: Report) -> None:
    """Two entries of one name could not be told apart in tables, nor swept one by one."""
    first: dict[str, int] = {}
    for index, flow in enumerate(flows):
        if flow.name is None:
            continue
        before = first.setdefault(flow.name, index)
        if before != index:
            text = f"is the name of flows[{before}], too; give each its own, or one entry a count"
            report(("flows", index, "name"), text)


def _check_transport(flow: Flow, index: int, report: Report) -> None:
    """Each transport has settings that mean nothing to the other."""
    word = flow.transport.upper()
    if flow.transport != "quic" and flow.quic:
        report(("flows", index, "quic"), f'is set, but the flow uses {word}; add transport = "quic", or remove it')
    if flow.transport == "rtp" and flow.workload["kind"] != "call":
        report(("flows", index, "workload"), "is not call, the only one that RTP carries; write call")
    if flow.transport == "tcp":
        return
    for end, table in (("sender", "SenderHost"), ("receiver", "ReceiverHost")):
        settings = cast(Settings, getattr(flow, end))
        for name in (name for name in settings if name not in _without_tcp(table, settings)):
            remedy = "remove it, or see `quic`" if flow.transport == "quic" else "remove it"
            text = f"is a setting of TCP, but the flow uses {word}; {remedy}"
            report(("flows", index, end, in_file(table, name)), text)
        if settings.get("ecn") == ACCECN:
            counts = QUIC_COUNTS_MARKS.replace("QUIC", word)
            report(("flows", index, end, "ecn"), f"{NO_ACCECN}, but the flow uses {word}; {counts}")


def _check_receivers(experiment: Experiment, bundled: Sequence[Summary], report: Report) -> None:
    """The algorithm of a receiving host is a bundled one, without parameters."""
    known = sorted(name for one in bundled for name in (one["name"], *one.get("aliases", ())))
    flows = [(("flows", index, "receiver"), flow.receiver) for index, flow in enumerate(experiment.flows)]
    hosts: tuple[str | int, ...] = ("hosts", "receiver")
    for place, receiver in [(hosts, experiment.hosts.receiver), *flows]:
        name = receiver.get("algorithm")
        if name is not None and name not in known:
            report((*place, "algorithm"), unknown("bundled algorithm", str(name), known))


def _check_accecn(experiment: Experiment, report: Report) -> None:
    """Hosts may have what only some of their flows understand, but not what none does."""
    if any(flow.transport == "tcp" for flow in experiment.flows):
        return
    hosts = experiment.hosts
    given = ((), hosts.ecn), (("sender",), hosts.sender.get("ecn")), (("receiver",), hosts.receiver.get("ecn"))
    for place, ecn in given:
        if ecn == ACCECN:
            report(("hosts", *place, "ecn"), f"{NO_ACCECN}, but no flow uses TCP; {QUIC_COUNTS_MARKS}")


def _algorithm(flow: Flow, index: int, bundled: Sequence[Summary], report: Report) -> Algorithm:
    if flow.transport == "rtp":
        if flow.algorithm != SCREAM or flow.parameters:
            report(("flows", index, "algorithm"), f"RTP flows have {SCREAM}, without parameters; write {SCREAM}")
        return Algorithm(SCREAM)
    algorithm = read_algorithm(flow.algorithm, flow.parameters, index, bundled, report)
    parameters = {**algorithm.parameters, **flow.parameters}
    for name, value in parameters.items():
        if not -(2**63) <= value < 2**63:
            report(("flows", index, "parameters", name), f"{value} is not a 64-bit integer")
            return Algorithm(algorithm.source)
    return Algorithm(algorithm.source, parameters)


def read_algorithm(
    text: str, parameters: Mapping[str, int], index: int, bundled: Sequence[Summary], report: Report
) -> Algorithm:
    """The algorithm of a flow; mistakes in its name or its `parameters` are reported."""
    try:
        algorithm = parse(text, bundled)
    except (AlgorithmNameError, ValueError) as error:  # ValueError: a path that no system knows
        report(("flows", index, "algorithm"), str(error))
        return Algorithm("reno")
    known = {name for one in bundled for name in (one["name"], *one.get("aliases", ()))} if parameters else set()
    for name in parameters:
        if algorithm.source in known:
            try:
                parse(f"{algorithm.source}:{name}=0", bundled)
            except AlgorithmNameError as error:
                report(("flows", index, "parameters"), str(error))
        if name in algorithm.parameters:
            report(("flows", index, "parameters", name), "is set in `algorithm` as well; set it once")
    return algorithm


def _merged(*layers: Mapping[str, object]) -> Settings:
    """The settings of a host: those of both ends, of the kernel, of the experiment, and of the flow; None is unset."""
    made = {name: value for layer in layers for name, value in layer.items() if value is not None}
    if made.get("ecn") == ACCECN:
        made |= {"ecn": True, ACCECN: True}
    return made


def _without_tcp(table: str, host: Settings) -> Settings:
    """The settings that mean something to QUIC."""
    declared = settings_of(table)
    return {name: value for name, value in host.items() if "x-transport" not in declared[name]}
