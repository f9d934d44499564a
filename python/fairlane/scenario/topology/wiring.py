"""The result of every topology: links for the engine, and the path of each flow."""

from dataclasses import dataclass, field, replace
from pathlib import Path as File
from typing import TypeVar, cast

from fairlane import files
from fairlane.engine.declarations import constant
from fairlane.engine.types import LinkConfig, MediumConfig, QueueConfig
from fairlane.files import FileError
from fairlane.scenario import cellular, units
from fairlane.scenario.diagnostics import Place, Report
from fairlane.scenario.network import Dumbbell, LinkSettings, ParkingLot
from fairlane.scenario.queue import Options, engine_queue, queue_problem
from fairlane.scenario.rates import mean_rate_bps

T = TypeVar("T", Dumbbell, ParkingLot)
Path = tuple[list[str], list[str]]
"""The links that data and acknowledgements cross."""


@dataclass
class Wiring:
    """Links and paths in the engine's form."""

    links: list[LinkConfig]
    flows: list[list[Path]]
    """For each entry of `flows` the paths of its flows: one for all, or one for each."""
    cross_traffic: list[list[str]]
    media: list[MediumConfig] = field(default_factory=list)
    """Media that stations share."""


def with_access(
    links: list[LinkConfig], names: tuple[str, str], extra_ns: int, there: list[str], back: list[str]
) -> Path:
    """A flow's path with what its RTT has beyond that of the network, on access `links` of its own, which are added."""
    if extra_ns <= 0:
        return there, back
    halves_ns = extra_ns // 2, extra_ns - extra_ns // 2
    links += [{"name": name, "delay_ns": half_ns} for name, half_ns in zip(names, halves_ns, strict=True)]
    return [names[0], *there], [*back, names[1]]


@dataclass(frozen=True)
class LinkMaker:
    """Turns the settings of a link into the engine's form."""

    mtu: int
    report: Report

    def link(self, name: str, settings: LinkSettings, delay_ns: int, rtt_ns: int, place: Place) -> LinkConfig:
        """A link. `rtt_ns`: the RTT for a BDP of its buffer."""
        given = {key: value for key, value in settings.settings.items() if key not in ("rate_bps", "overhead_bytes")}
        made = cast(LinkConfig, {"name": name, "delay_ns": delay_ns, **given})
        trace = self.trace(settings, place) if settings.trace is not None else None
        rate_bps = settings.rate_bps
        if trace:
            made["trace_ms"] = trace
            rate_bps = int(mean_rate_bps(trace))
        elif rate_bps is not None:
            made["rate_bps"] = rate_bps
        default = constant("TUN_OVERHEAD_BYTES" if trace else "ETHERNET_OVERHEAD_BYTES")
        made["overhead_bytes"] = settings.settings.get("overhead_bytes", default)
        self._add_queue(made, settings, rate_bps, rtt_ns, place)
        return made

    def trace(self, settings: LinkSettings, place: Place) -> list[int] | None:
        """A packet-delivery trace from its file."""
        path = File(str(settings.trace))
        if settings.rate_bps is not None:
            self.report((*place, "trace"), "a trace replaces a rate; remove one of the two")
        if path.name == cellular.NAME and not path.exists():
            return list(cellular.delivery_times_ms())
        try:
            entries = [int(word) for line in files.lines(path, "") for word in line.split()]
        except FileError as error:
            self.report((*place, "trace"), f"'{path}' {error.reason}; name a trace in mahimahi's form")
            return None
        except ValueError:
            self.report((*place, "trace"), f"'{path}' must contain one integer number of ms per line; fix the file")
            return None
        if not entries or entries[-1] <= 0 or min(entries) < 0 or entries != sorted(entries):
            self.report((*place, "trace"), f"'{path}' must contain times in ms in increasing order; fix the file")
            return None
        return entries

    def _add_queue(
        self, made: LinkConfig, settings: LinkSettings, rate_bps: int | None, rtt_ns: int, place: Place
    ) -> None:
        if rate_bps is None:
            given = {"buffer": settings.buffer, "queue": settings.queue, "burst": settings.settings.get("burst_bytes")}
            for name, value in given.items():
                if value is not None:
                    self.report((*place, name), "has no effect on a link without a rate; give the link a rate")
            return
        frame_bytes = self.mtu + (made["overhead_bytes"] or 0)

        def bytes_of(size: units.Buffer) -> int:
            return size.as_bytes(rate_bps, rtt_ns)

        options: Options = settings.queue if settings.queue is not None else {"kind": "fifo"}
        if settings.is_unbounded_by_omission:
            options = {"kind": "unlimited"}
        try:
            queue = engine_queue(options, settings.buffer, bytes_of, frame_bytes)
        except units.QuantityError as error:
            self.report((*place, "queue"), str(error))
            return
        if queue["kind"] not in ("fifo", "unlimited") or settings.queue is not None:
            option, problem = queue_problem(options, queue)
            if problem and option and option not in options:
                # Defaults follow from the limit.
                is_limit = settings.buffer is not None and option in ("limit", "memlimit")
                self.report((*place, "buffer") if is_limit else (*place, "queue", option), problem)
            elif problem:
                self.report((*place, "queue", option) if option else (*place, "queue"), problem)
        limit = queue.get("limit_bytes")
        key = "buffer" if settings.buffer is not None else "queue"
        if isinstance(limit, int) and limit > units.MAX_BYTES:
            self.report((*place, key), f"{limit} bytes are too many; the most is 1000GB")
        elif isinstance(limit, int) and limit < frame_bytes:
            self.report((*place, key), f"{limit} bytes are smaller than one {frame_bytes}-byte frame; write 1p or more")
        made["queue"] = cast(QueueConfig, queue)


def with_buffers(network: T) -> T:
    """The network, whose queues have the limits of a duel where the file gives none."""
    made = network.with_default_buffer("1bdp")
    return replace(made, reverse=made.reverse.with_default_buffer(units.TXQUEUELEN))


def with_rate(network: T, report: Report) -> T:
    """The network, whose bottleneck must have a rate; one without gets 1 Gbit/s for the rest of the check."""
    if network.rate_bps is not None or network.trace is not None:
        return network
    report(("network", "rate"), 'is missing; write for example rate = "100mbit"')
    return replace(network, settings={**network.settings, "rate_bps": 10**9})
