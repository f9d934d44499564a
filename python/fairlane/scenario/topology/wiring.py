"""The result of every topology: links for the engine, and the path of each flow."""

import re
from dataclasses import dataclass, field, replace
from pathlib import Path as File
from typing import TypeVar, cast

from fairlane.engine.declarations import constant, in_file
from fairlane.engine.types import ChangeConfig, LinkConfig, MediumConfig, QueueConfig
from fairlane.files import FileError
from fairlane.scenario import units
from fairlane.scenario.diagnostics import Place, Report
from fairlane.scenario.link_settings import LinkSettings
from fairlane.scenario.network import Dumbbell, ParkingLot
from fairlane.scenario.queue import Options, engine_queue, queue_problem, rate_of
from fairlane.scenario.topology import traces

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
    rates: dict[int, list[float]] = field(default_factory=dict)
    """By index of the entry of `flows`: the transfers per second of each flow, where these differ."""


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
        rate_bps = settings.rate_bps
        if settings.trace is not None:
            rate_bps = self._add_trace(made, settings, place)
        elif rate_bps is not None:
            made["rate_bps"] = rate_bps
        default = constant("TUN_OVERHEAD_BYTES" if "trace_ms" in made else "ETHERNET_OVERHEAD_BYTES")
        made["overhead_bytes"] = settings.settings.get("overhead_bytes", default)
        self._add_queue(made, settings, rate_bps, rtt_ns, place)
        if given.keys() - {"burst_bytes", "mtu_bytes"}:
            self._check(made, place)
        return made

    def _check(self, link: LinkConfig, place: Place) -> None:
        """Reports the engine's problems with a link, by the names of the file."""
        from fairlane.engine import link_problems

        checked = {key: value for key, value in link.items() if key not in ("queue", "trace_ms")}
        if "trace_ms" in link:
            checked["trace_ms"] = [1]
        for problem in link_problems(checked):
            where = tuple(part if isinstance(part, int) else _key(part) for part in problem["path"])
            text = "; ".join(part for part in (problem["what"], problem["remedy"]) if part)
            self.report((*place, *where), re.sub(r"`(\w+)`", lambda word: f"`{_key(word[1])}`", text))

    def _add_trace(self, made: LinkConfig, settings: LinkSettings, place: Place) -> int | None:
        """Adds a trace from its file; returns its mean rate, or a stand-in."""
        if settings.rate_bps is not None:
            self.report((*place, "trace"), "a trace replaces a rate; remove one of the two")
        try:
            trace = traces.read(File(str(settings.trace)))
        except FileError as error:
            self.report((*place, "trace"), f"'{settings.trace}' {error.reason}; name a trace in mahimahi's form")
            return STAND_IN_BPS
        except traces.TraceError as error:
            self.report((*place, "trace"), str(error))
            return STAND_IN_BPS
        if trace.deliveries_ms:
            made["trace_ms"] = list(trace.deliveries_ms)
            return trace.mean_bps
        if made.get("changes"):
            self.report((*place, "changes"), "a trace of rates replaces changes; remove one of the two")
        _, made["rate_bps"], first_ns = trace.steps[0]
        if first_ns is not None:
            made["delay_ns"] = first_ns
        changes: list[ChangeConfig] = []
        for at_ns, rate_bps, delay_ns in trace.steps[1:]:
            changes.append({"at_ns": at_ns, "rate_bps": rate_bps})
            if delay_ns is not None:
                changes[-1]["delay_ns"] = delay_ns
        made["changes"] = changes
        return trace.mean_bps

    def _rate_of_queue(self, settings: LinkSettings, place: Place) -> int | None:
        """The rate of the queue of a link that has none: 0 if that has no BDP. None if the queue does nothing."""
        queue_bps = rate_of(settings.queue)
        is_policer = (settings.queue or {}).get("kind") == "policer"
        given: dict[str, object] = {"buffer": settings.buffer} if queue_bps is None or is_policer else {}
        if queue_bps is None:
            given["queue"] = settings.queue
        given["burst"] = settings.settings.get("burst_bytes")
        remedy = "give the link a rate"
        if (settings.queue or {}).get("kind") == "cake":
            remedy += ", or cake a bandwidth"
        for name, value in given.items():
            if value is not None:
                self.report((*place, name), f"has no effect on a link without a rate; {remedy}")
        return queue_bps

    def _add_queue(
        self, made: LinkConfig, settings: LinkSettings, rate_bps: int | None, rtt_ns: int, place: Place
    ) -> None:
        if rate_bps is None:
            rate_bps = self._rate_of_queue(settings, place)
            if rate_bps is None:
                return
        frame_bytes = self.mtu + (made["overhead_bytes"] or 0)

        def bytes_of(size: units.Buffer) -> int:
            if not rate_bps and size.unit != "bytes":
                raise units.QuantityError("a link without a rate has no BDP; write bytes or packets")
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
        elif isinstance(limit, int) and limit < frame_bytes and settings.buffer is DEFAULT_BUFFER:
            queue["limit_bytes"] = frame_bytes  # the file chose no buffer: a short path still holds one frame
        elif isinstance(limit, int) and limit < frame_bytes:
            self.report((*place, key), f"{limit} bytes are smaller than one {frame_bytes}-byte frame; write 1p or more")
        made["queue"] = cast(QueueConfig, queue)


def with_buffers(network: T) -> T:
    """The network, whose queues have the limits of a duel where the file gives none."""
    made = network.with_default_buffer(DEFAULT_BUFFER)
    return replace(made, reverse=made.reverse.with_default_buffer(units.buffer(units.TXQUEUELEN)))


DEFAULT_BUFFER = replace(units.buffer("1bdp"))
"""Another object than that of a file that says 1bdp."""


STAND_IN_BPS = 10**9
"""Rate of a link whose own is missing or wrong, for the rest of the check."""


def _key(setting: str) -> str:
    """The name of a setting of a link, or of one of its tables, in files."""
    return in_file("LinkConfig", setting)


def with_rate(network: T, report: Report) -> T:
    """The network, whose bottleneck must have a rate, or a queue that has; one without gets a stand-in."""
    if network.rate_bps is not None or network.trace is not None or rate_of(network.queue) is not None:
        return network
    report(("network", "rate"), 'is missing; write for example rate = "100mbit"')
    return replace(network, settings={**network.settings, "rate_bps": STAND_IN_BPS})
