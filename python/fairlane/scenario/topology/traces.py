"""Traces of links: packet deliveries in mahimahi's form, or rates, with or without delays, in columns.

1          12 Mbit/s: the times in ms at which a packet of 1500 bytes may leave; the list repeats
2
0.0 2.98   2.98 Mbit/s in the first second, then 2.48: seconds, and the rate from then on in Mbit/s
1.0 2.48
0.0 2.98 31.5   the same, and the one-way delay of the link from then on in ms
1.0 2.48 28
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fairlane import files
from fairlane.scenario import cellular, mobile_links
from fairlane.scenario.mobile_links import Step
from fairlane.scenario.stations import mean_rate_bps
from fairlane.scenario.units import MAX_RATE_BPS, MAX_TIME_NS

STOPPED_BPS = 1
"""A rate of 0 in a trace: a link has none, and this passes no packet."""


class TraceError(ValueError):
    """A trace that cannot be read: file, line, reason and remedy."""


@dataclass(frozen=True)
class Trace:
    """The contents of a trace: one of the two forms."""

    deliveries_ms: Sequence[int] = ()
    steps: Sequence[Step] = ()
    """Times, the first of them 0, with rates and delays."""

    @property
    def mean_bps(self) -> int:
        """The mean rate; of rates that of the time that the trace covers."""
        if self.deliveries_ms:
            return int(mean_rate_bps(self.deliveries_ms))
        times = [at_ns for at_ns, _, _ in self.steps]
        if len(times) == 1:
            return self.steps[0][1]
        # The last rate is taken to last as long as the others do on average.
        ends = [*times[1:], times[-1] + times[-1] // (len(times) - 1)]
        total = sum(rate * (end - start) for (start, rate, _), end in zip(self.steps, ends, strict=True))
        return max(1, total // ends[-1])


def read(path: Path) -> Trace:
    """The trace in a file, or a generated one. Raises TraceError, or FileError."""
    if path.name == cellular.NAME and not path.exists():
        return Trace(deliveries_ms=cellular.delivery_times_ms())
    if path.name in mobile_links.NAMES and not path.exists():
        return Trace(steps=[(at_ns, max(rate, STOPPED_BPS), delay) for at_ns, rate, delay in
                            mobile_links.steps(path.name)])  # fmt: skip
    lines = files.lines(path, "")
    if sum(line.count(" ") + line.count(",") + line.count("\t") for line in lines) > files.MAX_VALUES:
        raise TraceError(f"'{path}' holds more than {files.MAX_VALUES:,} values; cut it")
    rows = [(number, line.replace(",", " ").split()) for number, line in enumerate(lines, start=1)]
    rows = [(number, words) for number, words in rows if words]
    if not rows:
        raise TraceError(f"'{path}' is empty; name a trace with a time in ms on each line")
    try:
        return Trace(steps=_steps(rows)) if _has_columns(rows) else Trace(deliveries_ms=_deliveries(rows))
    except _LineError as error:
        raise TraceError(f"'{path}' line {error.line}: {error}") from None


class _LineError(Exception):
    """A fault in a line."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.line = line


_Rows = Sequence[tuple[int, Sequence[str]]]


def _has_columns(rows: _Rows) -> bool:
    """Whether each line has a time and a rate, and a delay or none; one line of integers is deliveries."""
    if len({len(words) for _, words in rows}) > 1 or len(rows[0][1]) not in (2, 3):
        return False
    return len(rows) > 1 or not all(word.isdecimal() for word in rows[0][1])


def _deliveries(rows: _Rows) -> list[int]:
    found: list[int] = []
    for line, words in rows:
        for word in words:
            if not (word.isascii() and word.isdecimal()):
                remedy = f"a line has a time in ms, or {_COLUMNS}"
                raise _LineError(line, f"'{word[:40]}' is not an integer number of ms; {remedy}")
            time_ms = int(word[:12])
            if time_ms * 1_000_000 > MAX_TIME_NS:
                raise _LineError(line, f"{word[:40]} ms is too long; the most is {MAX_TIME_NS // 1_000_000}")
            if found and time_ms < found[-1]:
                raise _LineError(line, f"{time_ms} ms is earlier than the {found[-1]} ms before it; sort the times")
            found.append(time_ms)
    if found[-1] == 0:
        raise _LineError(rows[-1][0], "the last time is 0, so that the trace cannot repeat; give a later one")
    return found


def _steps(rows: _Rows) -> list[Step]:
    found: list[Step] = []
    for line, (time, rate, *delay) in rows:
        at_ns = round(_number(time, line, "a time in seconds") * 1e9)
        rate_bps = round(_number(rate, line, "a rate in Mbit/s") * 1e6)
        delay_ns = round(_number(delay[0], line, "a delay in ms") * 1e6) if delay else None
        if max(at_ns, delay_ns or 0) > MAX_TIME_NS or rate_bps > MAX_RATE_BPS:
            raise _LineError(line, f"{time} s, {rate} Mbit/s or a delay is too large; a line has {_COLUMNS}")
        if found and at_ns <= found[-1][0]:
            raise _LineError(line, f"{time} s is not later than the line before; sort the times")
        found.append((at_ns, max(rate_bps, STOPPED_BPS), delay_ns))
    return [(0, *found[0][1:]), *found[1:]]


_COLUMNS = "seconds and Mbit/s, and a delay in ms if it changes"


def _number(word: str, line: int, meaning: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not 0 <= number < math.inf:
        raise _LineError(line, f"'{word[:40]}' is not {meaning}; a line of columns has {_COLUMNS}")
    return number
