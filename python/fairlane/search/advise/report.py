"""A recommendation as text, and as a plot of goodput against delay."""

import math
from pathlib import Path

from fairlane.results.metrics.summary import mean_of
from fairlane.search.advise.answer import Advice, Candidate
from fairlane.search.advise.question import NOTHING
from fairlane.show.plots.delay_throughput import Mark, draw_marks
from fairlane.show.plots.styles import places
from fairlane.show.text.aligned import LEFT, RIGHT, text_table, with_interval

_NAMES = {"reverse_rate": "reverse rate", "up_rate": "uplink", "wifi": "802.11"}


def report(advice: Advice, link: str | None, plot: Path | None, file: Path | None) -> str:
    """The link, a row for each candidate, the recommendation, and the files that were written."""
    columns = [
        ("algorithm", LEFT),
        ("queue", LEFT),
        ("goodput down\nand up, Mbps" if "up_rate" in advice.settings else "goodput\nMbps", RIGHT),
        (_heading(f"{advice.delay_label}, ms"), RIGHT),
    ]
    columns += [("upload\nMbps", RIGHT)] if "up_rate" in advice.settings else []
    columns += [("Jain's\nindex", RIGHT)] if advice.flows > 1 else []
    columns += [("goodput/RTT\nMbps/ms" if advice.beside == NOTHING else "goodput/delay\nMbps/ms", RIGHT), ("", LEFT)]
    best = "best" if len(advice.best) == 1 else "among the best"
    rows = [[*_cells(one, advice.flows), best if one in advice.best else ""] for one in advice.candidates]
    what = f"{link}: " if link else ""
    values = ", ".join(f"{_NAMES.get(name, name)} {value}" for name, value in advice.settings.items())
    flows = f"{advice.flows} bulk flow{'s' if advice.flows > 1 else ''}"
    flows += " in each direction" if "up_rate" in advice.settings else ""
    flows += "" if advice.beside == NOTHING else f" and a {advice.beside}"
    sure = f"Means of {advice.repeats} runs with 95 % confidence intervals. {advice.criteria}"
    uploads = ", uploads of a station each, close to the access point" if "wifi" in advice.settings else ""
    assumed = (
        f"Assumed: {flows} of one algorithm{uploads}, that start together and last to the end; no other traffic. "
        "Disciplines with tc's defaults, unless their name says more."
    )
    left_out = f"Left out, because such runs take long: {', '.join(advice.left_out)}." if advice.left_out else ""
    found = "\n".join(filter(None, [advice.sentence, advice.reason]))
    parts = [
        f"{what}{values}, {flows}",
        text_table(columns, rows),
        found,
        "\n".join(filter(None, [sure, advice.bottleneck.capitalize(), left_out, assumed, advice.agreement])),
    ]
    parts += [f"plot: {plot}"] if plot else []
    parts.append(f"The same runs: fairlane run {file}" if file else f"The same runs, as a file:\n\n{advice.file}")
    if advice.commands:
        algorithm, *queue = advice.commands
        downloads = "; of downloads these are the servers" if "up_rate" in advice.settings else ""
        parts.append(f"To type, on the hosts that send{downloads}:\n\n{algorithm}")
        if queue:
            parts.append("To type, at the device where packets wait (its name instead of eth0):\n\n" + "\n".join(queue))
    return "\n\n".join(parts)


def _cells(one: Candidate, flows: int) -> list[str]:
    values = [(one.goodput_mbps, 2), (one.delay_ms, 2), *([(one.jain, 3)] if flows > 1 else []), (one.power, 3)]
    values[2:2] = [(one.upload_mbps, 2)] if one.upload_mbps else []
    return [one.algorithm, one.queue, *(_mean(numbers, digits) for numbers, digits in values)]


def _heading(text: str) -> str:
    """In two lines, if it is long."""
    return text.replace("queuing ", "queuing\n").replace(" of a ", " of\na ")


def _mean(values: tuple[float, ...], digits: int) -> str:
    """With the digits, or those that leave three significant ones of a small mean, and none of a large one."""
    mean = mean_of(values)
    if mean is None:
        return "-"
    if 0 < abs(mean.estimate) < 10**-digits * 100:
        digits = min(digits + 2, max(digits, 2 - math.floor(math.log10(abs(mean.estimate)))))
    elif abs(mean.estimate) >= 1000:
        digits = 0
    return with_interval(mean, digits)


SIZE_INCHES = (8.5, 4.8)


def draw(path: Path, advice: Advice) -> None:
    """A mark for each candidate: its colour is the algorithm, its shape the queue; the best have a ring."""
    algorithms = list(dict.fromkeys(one.algorithm for one in advice.candidates))
    colours = dict(zip(algorithms, places(algorithms), strict=True))
    queues = sorted({one.queue for one in advice.candidates})
    marks = []
    for one in advice.candidates:
        x, y = mean_of(one.delay_ms), mean_of(one.goodput_mbps)
        if x is not None and y is not None:
            tooltip = f"{one.name}: {with_interval(y, 2)} Mbps, {with_interval(x, 2)} ms"
            shape, is_best = queues.index(one.queue), one in advice.best
            marks.append(
                Mark(x, y, colours[one.algorithm], shape, one.algorithm, one.queue, tooltip, one.queue, is_best=is_best)
            )
    title = advice.sentence.partition(" As good")[0]
    draw_marks(path, marks, f"{advice.delay_label}, ms", "goodput, Mbps", SIZE_INCHES, title if len(title) < 80 else "")
