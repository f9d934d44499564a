"""What every topology gives: links for the engine, and who crosses which."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

from fairlane import units
from fairlane.experiment.engine_words import queue_fault
from fairlane.experiment.mistakes import Mistake, Place
from fairlane.experiment.network import LinkSettings
from fairlane.experiment.queue import engine_queue

ETHERNET_HEADER_BYTES = 14
"""What Linux's tc counts beside the IP packet."""
MAHIMAHI_HEADER_BYTES = 4
MAHIMAHI_PACKET_BITS = 1500 * 8


class Crossing(Protocol):
    """What a topology must know of a flow or of cross traffic to find its path."""

    @property
    def direction(self) -> str:
        """`forward` or `reverse`."""
        ...

    @property
    def hops(self) -> list[int] | None:
        """First and last hop of a parking lot."""
        ...


@dataclass
class Wiring:
    """Links and paths in the engine's form."""

    links: list[dict[str, Any]]
    flows: list[tuple[list[str], list[str]]]
    """For each flow the links that data and acknowledgements cross."""
    cross_traffic: list[list[str]]


Report = Callable[[Place, str], None]
"""Takes a mistake: where, what and what to do."""


def reporter(mistakes: list[Mistake]) -> Report:
    """A function that gathers mistakes."""
    return lambda place, text: mistakes.append(Mistake(place, text))


@dataclass(frozen=True)
class LinkMaker:
    """Turns the settings of a link into the engine's form."""

    mtu: int
    report: Report

    def link(
        self,
        name: str,
        settings: LinkSettings,
        delay_ns: int,
        rtt_ns: int,
        place: Place,
        *,
        overhead: int | None = None,
    ) -> dict[str, Any]:
        """A link. `rtt_ns`: what a BDP of its buffer is counted with."""
        made: dict[str, Any] = {"name": name, "delay_ns": delay_ns}
        trace = self.trace(settings, place) if settings.trace is not None else None
        rate_bps = settings.rate
        if trace:
            made["trace_ms"] = trace
            rate_bps = len(trace) * MAHIMAHI_PACKET_BITS * 1000 // max(trace[-1], 1)
        elif rate_bps is not None:
            made["rate_bps"] = rate_bps
        given = settings.overhead_bytes if settings.overhead_bytes is not None else overhead
        made["overhead_bytes"] = (
            given if given is not None else MAHIMAHI_HEADER_BYTES if trace else ETHERNET_HEADER_BYTES
        )
        self._add_queue(made, settings, rate_bps, rtt_ns, place)
        if settings.burst is not None:
            made["burst_bytes"] = settings.burst
        if settings.jitter is not None:
            made["jitter"] = {"max_ns": settings.jitter.max, "reorder": settings.jitter.reorder}
        if settings.loss is not None:
            made["loss"] = settings.loss.model_dump()
        if settings.duplicate:
            made["duplicate_probability"] = settings.duplicate
        if settings.changes:
            made["changes"] = [
                {"at_ns": change.at, **_given(rate_bps=change.rate, delay_ns=change.delay)}
                for change in settings.changes
            ]
        return made

    def trace(self, settings: LinkSettings, place: Place) -> list[int] | None:
        """A packet-delivery trace from its file."""
        path = Path(str(settings.trace))
        if settings.rate is not None:
            self.report((*place, "trace"), "a trace stands in place of a rate; remove one of the two")
        try:
            entries = [int(line) for line in path.read_text(encoding="ascii").split()]
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it must hold one whole number of ms a line"
            self.report((*place, "trace"), f"'{path}' cannot be read: {reason}; name a trace in mahimahi's form")
            return None
        if not entries or entries[-1] <= 0 or min(entries) < 0 or entries != sorted(entries):
            self.report((*place, "trace"), f"'{path}' must hold times in ms in rising order; mend the file")
            return None
        return entries

    def _add_queue(
        self, made: dict[str, Any], settings: LinkSettings, rate_bps: int | None, rtt_ns: int, place: Place
    ) -> None:
        if rate_bps is None:
            for name in ("buffer", "queue", "burst"):
                if getattr(settings, name) is not None:
                    self.report((*place, name), "has no effect on a link without a rate; give the link a rate")
            return
        frame_bytes = self.mtu + int(made["overhead_bytes"])

        def bdp_bytes(amount: Fraction) -> int:
            return units.Buffer(amount, "bdp").as_bytes(rate_bps, rtt_ns)

        options = settings.queue if settings.queue is not None else {"kind": "fifo"}
        if settings.is_endless_by_omission:
            options = {"kind": "unlimited"}
        try:
            queue = engine_queue(options, settings.buffer, bdp_bytes, frame_bytes)
        except units.QuantityError as error:
            self.report((*place, "queue"), str(error))
            return
        if queue["kind"] not in ("fifo", "unlimited") or settings.queue is not None:
            option, fault = queue_fault(queue)
            too_small = _too_small(queue, frame_bytes) if option and option not in options else ""
            if too_small:  # what nobody gave follows from the limit
                option, fault = "", too_small
            if fault:
                self.report((*place, "queue", option) if option else (*place, "queue"), fault)
        limit = queue.get("limit_bytes")
        key = "buffer" if settings.buffer is not None else "queue"
        if isinstance(limit, int) and limit > units.MAX_BYTES:
            self.report((*place, key), f"{limit} bytes are too many; the most is 1000GB")
        elif isinstance(limit, int) and limit < frame_bytes:
            self.report((*place, key), f"{limit} bytes hold no packet of {frame_bytes}; write 1p or more")
        made["queue"] = queue


def _too_small(queue: dict[str, Any], frame_bytes: int) -> str:
    """What to say if a larger limit alone would help a queue."""
    limit = queue.get("limit_bytes")
    if limit is None:
        return ""
    for more in range(1, 1000):
        larger = limit + more * frame_bytes
        if not queue_fault({**queue, "limit_bytes": larger})[1]:
            needed, kind = units.show_bytes(larger), queue["kind"]
            return f"{units.show_bytes(limit)} are too few for {kind}; give a buffer of {needed} or more"
    return ""


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
