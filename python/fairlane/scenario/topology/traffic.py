"""Traffic matrices: the pairs of hosts between which an entry of `flows` sends, and how often."""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fairlane import files
from fairlane.engine.messages import unknown
from fairlane.files import FileError
from fairlane.scenario.diagnostics import Place, Report
from fairlane.scenario.experiment import Flow
from fairlane.scenario.fabrics import Traffic
from fairlane.scenario.topology.routes import Routes, Step
from fairlane.scenario.workloads import mean_bytes, read_sizes

MOST_PAIRS = 20_000
"""All-to-all traffic of more hosts: each sends to as many others as there is room for, and receives from as many."""
_REMEDY = "write the columns source, destination and weight, and a row for each pair of hosts"


@dataclass(frozen=True)
class Pair:
    """Two hosts."""

    source: str
    destination: str
    weight: float = 1.0
    rate_per_s: float | None = None
    """Transfers per second; none without a load."""


def pairs(
    flow: Flow,
    index: int,
    hosts: Sequence[str],
    servers: Sequence[str],
    routes: Routes,
    rates: Mapping[Step, int],
    report: Report,
) -> list[Pair]:
    """The pairs of an entry of `flows`; where `servers` are given, only they send. Empty after a report."""
    place: Place = ("flows", index)
    if not hosts:
        return []
    if flow.traffic is None:
        ends = {key: getattr(flow, key) for key in ("source", "destination")}
        for key, host in ends.items():
            if host is None:
                report((*place, key), f'is missing; name a host, such as {key} = "{hosts[0]}", or give `traffic`')
            elif host not in hosts:
                report((*place, key), unknown("host", host, hosts))
        if ends["source"] is not None and ends["source"] == ends["destination"]:
            report((*place, "destination"), "is the source; name another host")
            return []
        return [Pair(**ends)] if all(host in hosts for host in ends.values()) else []
    if flow.source is not None or flow.destination is not None:
        report((*place, "traffic"), "says which hosts send; remove `source` and `destination`")
    if flow.rtt is not None:
        report((*place, "rtt"), "follows from the delays of the links here; change those")
    found = _matrix(flow.traffic, hosts, servers, (*place, "traffic"), index, report)
    return _with_load(flow, found, routes, rates, (*place, "traffic"), report)


def _matrix(
    traffic: Traffic, hosts: Sequence[str], servers: Sequence[str], place: Place, index: int, report: Report
) -> list[Pair]:
    draw = random.Random(f"traffic {index}")  # independent of the seed: all repeats have the same pairs
    others = [host for host in hosts if host not in servers]
    if traffic.matrix == "file":
        return _of_file(traffic, hosts, place, report)
    if servers:
        return [Pair(server, host) for server in servers for host in others]
    circle = draw.sample(others, len(others))
    if traffic.matrix == "incast":
        receiver = traffic.receiver or others[0]
        if receiver not in others:
            report((*place, "receiver"), unknown("host", receiver, others))
            return []
        senders = [host for host in circle if host != receiver]
        if traffic.senders > len(senders):
            report((*place, "senders"), f"is {traffic.senders}, but there are {len(senders)} other hosts; lower it")
        return [Pair(host, receiver) for host in senders[: traffic.senders]]
    if traffic.matrix == "permutation":
        return _rings(circle, [1])
    most = max(1, min(len(circle) - 1, MOST_PAIRS // len(circle)))
    uniform = _rings(circle, draw.sample(range(1, len(circle)), most))
    if traffic.matrix == "all-to-all":
        return uniform
    spots = circle[: traffic.spots]
    hot = [Pair(host, spot) for spot in spots for host in others if host != spot]
    return [
        *(replace(pair, weight=traffic.share / len(hot)) for pair in hot),
        *(replace(pair, weight=(1 - traffic.share) / len(uniform)) for pair in uniform),
    ]


def _rings(circle: Sequence[str], offsets: Sequence[int]) -> list[Pair]:
    """Each host sends to those that follow it on a circle at these distances: all send and receive equally."""
    return [Pair(host, circle[(at + offset) % len(circle)]) for offset in offsets for at, host in enumerate(circle)]


def _of_file(traffic: Traffic, hosts: Sequence[str], place: Place, report: Report) -> list[Pair]:
    path = Path(traffic.file or "")
    found: list[Pair] = []
    try:
        if traffic.file is None:
            raise FileError(path, "is missing", _REMEDY)
        columns, rows = files.csv_rows(path, _REMEDY)
        if not {"source", "destination"} <= set(columns):
            raise FileError(path, "has no columns source and destination", _REMEDY)
        known = set(hosts)
        for number, row in enumerate(rows, start=2):
            pair = Pair(row["source"], row["destination"], _weight(row.get("weight"), path, number))
            for host in (pair.source, pair.destination):
                if host not in known:
                    raise FileError(path, f"line {number}: {unknown('host', host, hosts)}", "")
            if pair.source != pair.destination and pair.weight > 0:
                found.append(pair)
    except FileError as error:
        report((*place, "file"), str(error))
    return found


def _weight(text: str | None, path: Path, line: int) -> float:
    try:
        weight = float(text) if text else 1.0
    except ValueError:
        weight = -1.0
    if not 0 <= weight <= 1e15:
        raise FileError(path, f"line {line}: '{text}' is not a weight", _REMEDY)
    return weight


def _with_load(
    flow: Flow, found: list[Pair], routes: Routes, rates: Mapping[Step, int], place: Place, report: Report
) -> list[Pair]:
    """The pairs with the rates of their transfers, for a load of the busiest link."""
    traffic = flow.traffic
    if traffic is None or traffic.load is None:
        if traffic is not None and traffic.sizes is not None:
            report((*place, "sizes"), 'has an effect with a load only; add load = "60%", or set `workload`')
        return found
    if traffic.sizes is None:
        report((*place, "sizes"), 'is missing; write for example sizes = "web-search"')
        return found
    if not found:
        return found
    if flow.workload["kind"] != "bulk":
        report((*place, "load"), "brings its own workload; remove `workload`")
    busy: dict[Step, float] = defaultdict(float)
    total = sum(pair.weight for pair in found) or 1.0
    for pair in found:
        for step, share in routes.shares(pair.source, pair.destination).items():
            if step in rates:
                busy[step] += pair.weight / total * share / rates[step]
    if not busy:
        report((*place, "load"), "needs links with rates; give them some")
        return found
    transfers_per_s = traffic.load / max(busy.values()) / 8 / mean_bytes(read_sizes(traffic.sizes))
    return [replace(pair, rate_per_s=transfers_per_s * pair.weight / total) for pair in found]
