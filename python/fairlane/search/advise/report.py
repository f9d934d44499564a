"""A recommendation as text, and as a plot of goodput against delay."""

import math
from pathlib import Path
from typing import Any

from fairlane.results.metrics.summary import mean_of
from fairlane.search.advise.answer import Advice, Candidate
from fairlane.search.advise.question import OBJECTIVES
from fairlane.show.plots.canvas import canvas, dress
from fairlane.show.plots.figure import matplotlib
from fairlane.show.plots.options import PAGE_INCHES
from fairlane.show.plots.styles import places, style_of
from fairlane.show.text.aligned import LEFT, RIGHT, number, text_table

_NAMES = {"reverse_rate": "reverse rate", "wifi": "802.11"}


def report(advice: Advice, link: str | None, plot: Path | None, file: Path | None) -> str:
    """The link, a row for each candidate, the recommendation, and the files that were written."""
    columns = [
        ("algorithm", LEFT),
        ("queue", LEFT),
        ("goodput\nMbps", RIGHT),
        (f"p95 {advice.delay_label}, ms".replace("queuing ", "queuing\n"), RIGHT),
    ]
    columns += [("Jain's\nindex", RIGHT)] if advice.flows > 1 else []
    columns += [("goodput/RTT\nMbps/ms", RIGHT), ("", LEFT)]
    best = "best" if len(advice.best) == 1 else "among the best"
    rows = [[*_cells(one, advice.flows), best if one in advice.best else ""] for one in advice.candidates]
    what = f"{link}: " if link else ""
    values = ", ".join(f"{_NAMES.get(name, name)} {value}" for name, value in advice.settings.items())
    flows = f"{advice.flows} bulk flow{'s' if advice.flows > 1 else ''}"
    sure = (
        f"Means of {advice.repeats} runs with 95 % confidence intervals. Best: {OBJECTIVES[advice.want]}, unless the "
        "difference may be below 2 %."
    )
    uploads = ", uploads of a station each, close to the access point" if "wifi" in advice.settings else ""
    assumed = (
        f"Assumed: {flows} of one algorithm{uploads}, that start together and last to the end; no other traffic. "
        "Disciplines with tc's defaults, unless their name says more."
    )
    parts = [f"{what}{values}, {flows}", text_table(columns, rows), advice.sentence, f"{sure}\n{assumed}"]
    parts += [f"plot: {plot}"] if plot else []
    parts.append(f"The same runs: fairlane run {file}" if file else f"The same runs, as a file:\n\n{advice.file}")
    return "\n\n".join(parts)


def _cells(one: Candidate, flows: int) -> list[str]:
    values = [(one.goodput_mbps, 2), (one.delay_ms, 2), *([(one.jain, 3)] if flows > 1 else []), (one.power, 3)]
    return [one.algorithm, one.queue, *(_mean(numbers, digits) for numbers, digits in values)]


def _mean(values: tuple[float, ...], digits: int) -> str:
    """With the digits, or those that leave three significant ones of a small mean, and none of a large one."""
    mean = mean_of(values)
    if mean is None:
        return "-"
    if 0 < abs(mean.estimate) < 10**-digits * 100:
        digits = min(digits + 2, max(digits, 2 - math.floor(math.log10(abs(mean.estimate)))))
    elif abs(mean.estimate) >= 1000:
        digits = 0
    half = f" ±{number((mean.high - mean.low) / 2, digits)}" if mean.is_known else ""
    return number(mean.estimate, digits) + half


def draw(path: Path, advice: Advice) -> None:
    """A mark for each candidate: its colour is the algorithm, its shape the queue; the best have a ring."""
    algorithms = list(dict.fromkeys(one.algorithm for one in advice.candidates))
    styles = dict(zip(algorithms, places(algorithms), strict=True))
    queues = sorted({one.queue for one in advice.candidates})
    with canvas(path, PAGE_INCHES * 0.75, 3.2, advice.sentence if len(advice.sentence) < 80 else None) as made:
        axis = made.subplots()
        for one in advice.candidates:
            x, y = mean_of(one.delay_ms), mean_of(one.goodput_mbps)
            if x is None or y is None:
                continue
            colour, marker = style_of(styles[one.algorithm]).colour, style_of(queues.index(one.queue)).marker
            errors = {
                name: [[mean.estimate - mean.low], [mean.high - mean.estimate]]
                for name, mean in (("xerr", x), ("yerr", y))
                if mean.is_known
            }
            axis.errorbar(x.estimate, y.estimate, fmt=marker, color=colour, elinewidth=0.7, markersize=6, **errors)
            if one in advice.best:
                axis.plot(x.estimate, y.estimate, "o", color="black", fillstyle="none", markersize=12, linewidth=0.8)
        dress(axis, f"95th percentile of {advice.delay_label}, ms (less to the right)", "goodput, Mbps", grid="both")
        axis.invert_xaxis()
        axis.set_ylim(bottom=0)
        handles: list[Any] = [
            matplotlib("lines").Line2D([], [], color=style_of(styles[name]).colour, linewidth=3, label=name)
            for name in algorithms
        ]
        handles += [
            matplotlib("lines").Line2D([], [], color="0.3", marker=style_of(place).marker, linestyle="none", label=name)
            for place, name in enumerate(queues)
        ]
        ring: dict[str, Any] = {"marker": "o", "fillstyle": "none", "markersize": 10, "linestyle": "none"}
        handles.append(matplotlib("lines").Line2D([], [], color="black", label="best", **ring))
        made.legend(handles=handles, loc="outside right upper", frameon=False)
