"""A small plot for the terminal: one strip of blocks per flow, all on the same scale.

Strips stay legible without colour and never hide one another, however many flows there are.
"""

from collections.abc import Callable, Sequence

EIGHTHS = " ▁▂▃▄▅▆▇█"
PLAIN = " .:-=+*%@"
"""For terminals that cannot show blocks."""
COLOURS = (
    *("38;5;33", "38;5;166", "38;5;36", "38;5;175", "38;5;214", "38;5;117", "38;5;250", "38;5;137"),
    *("38;5;98", "38;5;124", "38;5;106", "38;5;163", "38;5;63", "38;5;210", "38;5;65", "38;5;44"),
)
"""The colours of `fairlane.show.plots.figure` in a terminal; light grey replaces black."""
MOST_STRIPS = 20


def strips(
    series: Sequence[tuple[str, Sequence[float], Sequence[float]]],
    *,
    title: str,
    most: float,
    show: Callable[[float], str] = "{:g}".format,
    end_s: float,
    width: int,
    colours: Sequence[int] | None = None,
    blocks: bool = True,
) -> str:
    """Draws (label, times in s, values) of each flow, all on one scale, against time from 0 to `end_s`.

    The scale ends at `most`, or at a round part of it that is about enough for all; `show` writes it with its unit.
    `colours` are places in `COLOURS`, one for each; None draws without colour.
    """
    shown = series[:MOST_STRIPS]
    label_width = max(len(label) for label, _, _ in shown)
    plot_width = max(10, width - label_width - 2)
    columns = [_resample(times_s, values, end_s, plot_width) for _, times_s, values in shown]
    height = _height(len(shown))
    highest = max((value for column in columns for value in column if value is not None), default=0.0)
    top = next(most / part for part in (10, 5, 4, 2, 1) if part == 1 or most / part >= 0.95 * highest)
    lines = [f"{title}, each strip from 0 to {show(top)}"]
    for number, ((label, _, _), values) in enumerate(zip(shown, columns, strict=True)):
        rows = _bars(values, top, height, EIGHTHS if blocks else PLAIN)
        if number and height > 1 and rows[0].strip():
            lines.append("")  # a full strip must not grow into the one above
        for line, row in enumerate(rows):
            text = row.rstrip()
            if colours is not None and text:
                text = f"\x1b[{COLOURS[colours[number] % len(COLOURS)]}m{text}\x1b[0m"
            name = label if line == height - 1 else ""
            lines.append(f"{name:<{label_width}}  {text}".rstrip())
    lines.append(" " * (label_width + 2) + _axis(end_s, plot_width))
    if len(series) > len(shown):
        lines.append(f"(the first {len(shown)} of {len(series)} flows)")
    return "\n".join(lines)


def _height(flows: int) -> int:
    return {1: 6, 2: 4, 3: 3, 4: 3}.get(flows, 2 if flows <= 8 else 1)


def _resample(times_s: Sequence[float], values: Sequence[float], end_s: float, width: int) -> list[float | None]:
    """Mean value of each column; where samples are rare, the next one: it covers the time before it."""
    sums, counts = [0.0] * width, [0] * width
    for time_s, value in zip(times_s, values, strict=True):
        column = min(width - 1, max(0, int((time_s - 1e-9) / end_s * width)))
        sums[column] += value
        counts[column] += 1
    result: list[float | None] = [total / count if count else None for total, count in zip(sums, counts, strict=True)]
    first = next((i for i, count in enumerate(counts) if count), width)
    last = max((i for i, count in enumerate(counts) if count), default=-1)
    for column in range(last - 1, first, -1):
        if result[column] is None:
            result[column] = result[column + 1]
    return result


def _bars(values: Sequence[float | None], top: float, height: int, glyphs: str) -> list[str]:
    steps = len(glyphs) - 1
    levels = [max(1, round(value / top * height * steps)) if value else 0 for value in values]
    return [
        "".join(glyphs[min(steps, max(0, level - row * steps))] for level in levels)
        for row in range(height - 1, -1, -1)
    ]


def _axis(end_s: float, width: int) -> str:
    begin, middle, end = "0 s", f"{end_s / 2:g} s", f"{end_s:g} s"
    half = width // 2 - len(middle) // 2
    line = f"{begin:<{half}}{middle}"
    return f"{line}{end:>{max(len(end) + 1, width - len(line))}}"
