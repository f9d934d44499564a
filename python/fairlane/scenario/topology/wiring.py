"""What every topology gives: links for the engine, and who crosses which."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

from fairlane import files
from fairlane.engine.contract.vocabulary import ETHERNET_OVERHEAD_BYTES, TUN_OVERHEAD_BYTES
from fairlane.files import FileError
from fairlane.scenario import cellular, units
from fairlane.scenario.diagnostics import Diagnostic, Place
from fairlane.scenario.link import LinkSettings
from fairlane.scenario.queue import engine_queue, queue_problem

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
    media: list[dict[str, Any]] = field(default_factory=list)
    """Media that stations share."""


Report = Callable[[Place, str], None]
"""Takes an error: where, what and what to do."""


def reporter(diagnostics: list[Diagnostic]) -> Report:
    """A function that gathers diagnostics."""
    return lambda place, text: diagnostics.append(Diagnostic(place, text))


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
            given if given is not None else TUN_OVERHEAD_BYTES if trace else ETHERNET_OVERHEAD_BYTES
        )
        self._add_queue(made, settings, rate_bps, rtt_ns, place)
        if settings.burst is not None:
            made["burst_bytes"] = settings.burst
        if settings.jitter is not None:
            made["jitter"] = {
                "max_ns": settings.jitter.max,
                "reorder": settings.jitter.reorder,
                "correlation": settings.jitter.correlation,
            }
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
            self.report((*place, "trace"), "a trace replaces a rate; remove one of the two")
        if path.name == cellular.NAME and not path.exists():
            return list(cellular.delivery_times_ms())
        try:
            entries = [int(line) for line in files.text(path, "").split()]
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
        if settings.is_unbounded_by_omission:
            options = {"kind": "unlimited"}
        try:
            queue = engine_queue(options, settings.buffer, bdp_bytes, frame_bytes)
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
        made["queue"] = queue


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
