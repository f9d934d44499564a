"""The evidence on a claim: our value with its interval, the required range, and the paper's value, on one scale."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from fairlane.results.statistics import Interval
from fairlane.show.report.html import svg
from fairlane.show.text.aligned import short

WIDTH, HEIGHT, EDGE = 300, 26, 7
NOT_MEASURED = "not measured"
"""Instead of a statistic that the runs do not give: one repeat has no spread."""
MOST_ROWS = 6
"""More comparisons are counted, and listed in words."""


@dataclass(frozen=True)
class EvidenceRow:
    """A value and its bounds, in the paper's unit."""

    title: str
    unit: str
    value: Interval
    paper: float | None
    """The paper's own value; None if it prints none."""
    low: Interval | None
    """The claim requires a value above this."""
    high: Interval | None
    """The claim requires a value below this."""
    bound_title: str
    """The measured quantity that is the bound; empty for a number."""
    verdict: str
    scale: tuple[float, float] | None = None
    """The ends of the drawing; None until rows are drawn together."""

    @property
    def values(self) -> list[float]:
        """All values in the drawing."""
        bounds = [bound for bound in (self.low, self.high) if bound is not None]
        ends = [end for one in (self.value, *bounds) for end in _ends(one)]
        return ends if self.paper is None else [*ends, self.paper]

    @property
    def wanted(self) -> str:
        """The required range, in words: `above 95 Mbps`."""
        unit = f" {self.unit}" if self.unit else ""
        if self.low and self.high:
            return f"{short(self.low.estimate)} to {short(self.high.estimate)}{unit}"
        bound = self.low or self.high
        if bound is None:
            return ""
        of = f" ({self.bound_title})" if self.bound_title else ""
        required = f"{_with_ends(bound)}{unit}" if bound.is_measured else f"a value that was {NOT_MEASURED}"
        return f"{'above' if self.low else 'below'} {required}{of}"

    @property
    def ours(self) -> str:
        """Our value with its interval."""
        return _with_ends(self.value) + (f" {self.unit}" if self.unit and self.value.is_measured else "")

    @property
    def papers(self) -> str:
        """The paper's value; empty if it prints none."""
        return "" if self.paper is None else f"{short(self.paper)}{f' {self.unit}' if self.unit else ''}"

    @property
    def svg(self) -> Markup:
        """The drawing as markup."""
        return drawn(self)


def drawn(row: EvidenceRow) -> Markup:
    """The value as a dot with its interval, the required range as a band, the paper's value as a diamond."""
    low, high = row.scale or scale_of([row])
    bounds = [bound for bound in (row.low, row.high) if bound is not None and bound.is_measured]

    def x(value: float) -> float:
        return EDGE + (value - low) / (high - low) * (WIDTH - 2 * EDGE)

    left = x(row.low.estimate) if row.low in bounds and row.low else EDGE
    right = x(row.high.estimate) if row.high in bounds and row.high else WIDTH - EDGE
    middle = HEIGHT / 2
    parts = [f'<path class="scale" d="M{EDGE} {middle}H{WIDTH - EDGE}"/>']
    if bounds and right > left:
        parts.append(f'<rect class="wanted" x="{left:.1f}" y="3" width="{right - left:.1f}" height="{HEIGHT - 6}"/>')
    for bound in bounds:
        parts.append(f'<path class="bound" d="M{x(bound.estimate):.1f} 2V{HEIGHT - 2}"/>')
        first, last = map(x, _ends(bound))
        if last - first > 1:
            parts.append(f'<path class="bound-range" d="M{first:.1f} {HEIGHT - 4}H{last:.1f}"/>')
    if row.paper is not None:
        at = x(row.paper)
        parts.append(f'<path class="paper-value" d="M{at:.1f} {middle - 6}l6 6l-6 6l-6 -6z"/>')
    if row.value.is_measured:
        first, last = map(x, _ends(row.value))
        parts.append(f'<path class="range" d="M{first:.1f} {middle}H{last:.1f}"/>')
        parts.append(f'<circle class="dot" cx="{x(row.value.estimate):.1f}" cy="{middle}" r="4.5"/>')
    title = f"ours {row.ours}; claimed {row.wanted}" + (f"; paper {row.papers}" if row.papers else "")
    return svg(f"evidence {row.verdict}", WIDTH, HEIGHT, title, parts)


def scale_of(rows: Sequence[EvidenceRow]) -> tuple[float, float]:
    """The ends of one scale for all these rows; it begins at 0 unless that would waste half of it."""
    values = [value for row in rows for value in row.values if math.isfinite(value)] or [0.0]
    low, high = min(values), max(values)
    if 0 <= low < high / 2:
        low = 0.0
    margin = 0.08 * (high - low) or abs(high) * 0.1 or 1.0
    return low - (margin if low else 0.0), high + margin


def on_shared_scales(rows: Sequence[EvidenceRow]) -> list[EvidenceRow]:
    """The rows that are shown: those of one metric have one scale."""
    found = list(rows[:MOST_ROWS])
    kinds = [(row.title.partition(",")[0], row.unit) for row in found]
    scales = {kind: scale_of([row for row, of in zip(found, kinds, strict=True) if of == kind]) for kind in kinds}
    return [replace(row, scale=scales[kind]) for row, kind in zip(found, kinds, strict=True)]


def shown_first(rows: Sequence[EvidenceRow], verdict: str) -> list[EvidenceRow]:
    """Those that have the verdict of the claim first, in their order."""
    return [row for row in rows if row.verdict == verdict] + [row for row in rows if row.verdict != verdict]


def _ends(interval: Interval) -> tuple[float, float]:
    return (interval.low, interval.high) if interval.is_known else (interval.estimate, interval.estimate)


def _with_ends(interval: Interval) -> str:
    if not interval.is_measured:
        return NOT_MEASURED
    digits = interval.few_digits
    if not interval.is_known or interval.low == interval.high:
        return short(interval.estimate) if interval.n == 1 else f"{interval.estimate:,.{digits}f}"
    return f"{interval.estimate:,.{digits}f} ({interval.low:,.{digits}f} to {interval.high:,.{digits}f})"
