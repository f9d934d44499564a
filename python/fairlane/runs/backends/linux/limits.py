"""Keys of a scenario that a kernel does not support, each with the reason; and values that it cannot show."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from fairlane.algorithm.name import Algorithm, Kind
from fairlane.engine.declarations import settings_of
from fairlane.engine.types import FlowConfig, LinkConfig, QueueConfig, Scenario
from fairlane.runs.backends.linux import tc
from fairlane.scenario.stations import largest_rate_bps

_WORKLOADS = frozenset({"bulk", "iperf3", "bytes", "request_response", "ping", "writes", "on_off"})


@dataclass(frozen=True)
class Abilities:
    """The abilities of a kernel and its tools."""

    name: str
    """The kernel's name in messages."""
    version: tuple[int, int]
    queues: Collection[str]
    """Queue disciplines, as tc calls them."""
    algorithms: Collection[str]
    """Congestion controls of its own."""
    hz: int
    forgets_routes: bool = False
    """Whether no connection before the run can leave metrics of its route."""
    takes_programs: bool = True
    """Whether congestion controls can be loaded as BPF programs."""
    fastest_bps: int | None = None
    """The largest rate that it can carry."""
    delays_frames: bool = True
    """Whether netem adds the time that a frame needs on the wire."""
    without_netem: str = "use --on vm, whose kernels have it, --on namespaces:emulated, or --on simulator"
    """The remedy for a kernel without netem."""


def limits(scenario: Scenario, kernel: Abilities) -> list[str]:
    """One line for each thing that the kernel cannot do; empty if it can run the scenario."""
    found = of_network(scenario, kernel)
    for index, flow in enumerate(scenario["flows"]):
        found += [f"flows[{index}].{line}" for line in of_flow(flow, kernel)]
    return list(dict.fromkeys(found))


def of_network(scenario: Scenario, kernel: Abilities) -> list[str]:
    """Keys of the network that the kernel's tc does not support."""
    return list(dict.fromkeys(_lines_of_network(scenario, kernel)))


def _lines_of_network(scenario: Scenario, kernel: Abilities) -> Iterator[str]:
    if scenario.get("media"):
        yield "media: a shared medium such as Wi-Fi exists in the simulator only; use links, or --on simulator"
    if scenario.get("watch"):
        yield "metrics.watch: looks into the simulator only; leave it out, or --on simulator"
    for link in scenario.get("links", []):
        for line in _of_link(link, kernel):
            yield f"links.{link['name']}.{line}"
    impaired = [link["name"] for link in scenario.get("links", []) if _needs_netem(link, kernel)]
    if impaired and "netem" not in kernel.queues:
        yield (
            f"network.rtt, or delay, jitter, loss or a rate without burst of links ({', '.join(impaired)}):"
            f" {kernel.name} has no netem, which makes them; {kernel.without_netem}"
        )


def _needs_netem(link: LinkConfig, kernel: Abilities) -> bool:
    rate_bps = link.get("rate_bps") if kernel.delays_frames else None
    return bool(link.get("delay_ns") or link.get("outages") or tc.wire(_without_listed(link), 0, rate_bps))


def fastest_bps(scenario: Scenario) -> int:
    """The largest rate of a link, at any time; 0 if none has one."""
    return max((_fastest_bps(link) for link in scenario.get("links", [])), default=0)


def _fastest_bps(link: LinkConfig) -> int:
    return max(largest_rate_bps(link), link.get("queue", {}).get("bandwidth_bps") or 0)


def _of_link(link: LinkConfig, kernel: Abilities) -> Iterator[str]:
    unlimited: QueueConfig = {"kind": "unlimited"}
    queue = link.get("queue", unlimited)
    kind, rate_bps = queue["kind"], _fastest_bps(link)
    if link.get("trace_ms"):
        yield "trace: tc has no trace-driven link; write a rate and changes"
    elif kernel.fastest_bps and rate_bps > kernel.fastest_bps:
        yield (
            f"rate: {rate_bps / 1e6:g} Mbit/s; {kernel.name} carries at most {kernel.fastest_bps / 1e6:g} Mbit/s"
            " before its own processor limits the flows"
        )
    needed = {"fifo": "bfifo", "unlimited": "pfifo"}.get(kind, kind)
    if kind not in tc.KINDS:
        yield f"queue.kind: {kind} is not available on real kernels here; choose one of {', '.join(sorted(tc.KINDS))}"
    elif needed not in {"bfifo", "pfifo", *kernel.queues}:
        yield f"queue.kind: {kernel.name} has no {kind}"
    elif kind == "fq_codel" and queue.get("ce_threshold_ect1_only"):
        yield "queue.ce_threshold_ect1_only: not set through tc; leave it out"
    if link.get("rate_bps") and "tbf" not in kernel.queues:
        yield f"rate: {kernel.name} has no tbf"
    if link.get("jitter") and not link["jitter"].get("reorder"):
        yield "jitter: netem's jitter reorders packets; write reorder = true, or leave jitter out"
    if any(outages["kind"] == "random" for outages in link.get("outages", ())):
        yield "outages: random times exist in the simulator only; write at or every"
    if link.get("when_down") == "hold":
        yield 'when_down: netem loses packets, as "drop" does, and holds none; leave it out'
    for loss in (link.get("loss"), *(change.get("loss") for change in link.get("changes", ()))):
        if loss and loss["kind"] not in _LOSSES:
            yield f"loss: netem cannot lose packets at given times, as {loss['kind']} does"
    if link.get("ecn_fault"):
        yield "ecn_fault: netem changes no ECN field; leave it out, or --on simulator"
    if link.get("reorder") and not link.get("delay_ns"):
        yield "reorder: netem's packets skip the delay of the link, which has none; give it one"


_LOSSES = ("independent", "gilbert_elliott")


def _without_listed(link: LinkConfig) -> LinkConfig:
    kept = link.copy()
    if link.get("loss") and link["loss"]["kind"] not in _LOSSES:
        del kept["loss"]
    return kept


def of_flow(flow: FlowConfig, kernel: Abilities) -> Iterator[str]:
    """Keys of a flow that the kernel does not support."""
    sender = flow.get("sender", {})
    workload = flow.get("workload", {"kind": "bulk"})
    if flow.get("transport", "tcp") != "tcp":
        yield f"transport: a kernel has no {flow['transport']}; use tcp, or --on simulator"
    if workload["kind"] not in _WORKLOADS:
        yield f"workload: {workload['kind']} runs in the simulator only"
    if workload.get("exponential"):
        yield "workload.exponential: periods of random length exist in the simulator only"
    if Algorithm(flow["algorithm"]).kind is Kind.PYTHON:
        yield (
            f"algorithm: {flow['algorithm']} is a Python class; a kernel needs C (fairlane algorithm new mine);"
            " or use --on simulator"
        )
    elif not is_built_in(flow, kernel.algorithms) and not kernel.takes_programs:
        yield f"algorithm: {kernel.name} has no {flow['algorithm']} and cannot load programs"
    if len(set(flow["forward"])) < len(flow["forward"]) or len(set(flow["reverse"])) < len(flow["reverse"]):
        yield "path: crosses a link twice"
    if sender.get("pacing") == "fq" and "fq" not in kernel.queues:
        yield f"sender.pacing: {kernel.name} has no fq"
    yield from (f"sender.{line}" for line in _of_host("SenderHost", sender, kernel))
    yield from (f"receiver.{line}" for line in _of_host("ReceiverHost", flow.get("receiver", {}), kernel))


def _of_host(table: str, host: Mapping[str, object], kernel: Abilities) -> Iterator[str]:
    """Settings of a host that the kernel does not have."""
    for name, setting in settings_of(table).items():
        since, default = setting.get("x-linux"), setting.get("default")
        if since is None or host.get(name, default) == default:
            continue
        if name == "route_ssthresh_packets":
            if kernel.forgets_routes:
                yield f"{name}: {kernel.name} is not run before the flows; leave it out, or use --on vm"
        elif since == "none":
            yield f"{name}: no setting of a host in Linux does this; leave it out"
        elif kernel.version < tuple(map(int, since.split("."))):
            without = f"always has {default}" if default else "does not have it"
            yield f"{name}: {kernel.name} {without}; Linux has this setting since {since}"


def is_built_in(flow: FlowConfig, algorithms: Collection[str]) -> bool:
    """Whether the kernel's own congestion control is used: it has one of this name, and no parameter is changed."""
    return flow["algorithm"] in algorithms and not flow.get("parameters")


def notes(scenario: Scenario, kernel: Abilities) -> list[str]:
    """Differences from the scenario that do not prevent its run."""
    found = []
    hz = scenario.get("hz", 1000)
    if hz != kernel.hz:
        found.append(f"hosts.hz: {kernel.name} was built with HZ={kernel.hz}, not {hz}")
    found += dict.fromkeys(line for flow in scenario["flows"] for line in _of_older(flow, kernel))
    found.append(
        "packet RTTs, packets marked lost, and drops by flow are not visible from outside the kernel; these columns are"
        " empty, and queue delays are sampled"
    )
    return found


def _of_older(flow: FlowConfig, kernel: Abilities) -> Iterator[str]:
    """Behaviour of an older kernel that this one does not have; `hosts.kernel` sets it."""
    sender = flow.get("sender", {})
    receiver = flow.get("receiver", {})
    for name, is_given in (
        ("sender.route_memory", sender.get("route_memory")),
        *((f"receiver.{name}", receiver.get(name)) for name in ("prompt_right_sizing", "prompt_rtt")),
    ):
        if is_given:
            yield f"hosts.{name}: {kernel.name} does what its release does, regardless of hosts.kernel"
    if receiver.get("adv_win_scale") is not None and kernel.version >= (6, 6):
        yield f"hosts.receiver.adv_win_scale: {kernel.name} ignores it, as Linux does since 6.6"
    if sender.get("pacing") == "none":
        yield f"hosts.sender.pacing: {kernel.name} paces algorithms that ask for it by a timer of TCP, as since 4.13"
