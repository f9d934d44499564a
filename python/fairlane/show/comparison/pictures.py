"""Plots of a rerun table or figure: ours as lines with full markers, the paper's thin with hollow ones; or bars."""

from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from fairlane.show.comparison import heat_maps
from fairlane.show.comparison.comparison_table import across, one_line, word
from fairlane.show.plots.canvas import label_edges, tell
from fairlane.show.plots.figure import entitle, figure, matplotlib
from fairlane.show.plots.styles import Style, named_algorithm, style_of, styles_of
from fairlane.show.text.aligned import short
from fairlane.study.paper.comparison import Comparison, Row
from fairlane.study.paper.definition import Key, Value

PANEL_INCHES = (2.4, 1.9)
NAME_INCHES = 0.15
"""Between names that stand side by side, nearly upright."""
MOST_ACROSS = 5
LABELLED_INCHES = 0.7
"""Of two bars with a number each."""
LETTER_INCHES = 0.075
MOST_LABELLED = 6
"""The maximum number of pairs of bars with room for a number above each."""
MOST_UNLIKE = 4
"""Panels whose highest values differ by more than this factor have scales of their own."""
LOG_FROM = 100
"""Numbers that differ by more than this factor have a logarithmic axis."""


def draw_comparison(path: Path, comparison: Comparison) -> None:
    """Draws boxes if the study requests them, lines or two heat maps if an axis goes across, else bars."""
    if comparison.item.plot == "box":
        _draw_boxes(path, comparison)
    elif heat_maps.fits(comparison):
        heat_maps.draw(path, comparison)
    elif comparison.item.across:
        _draw_lines(path, comparison)
    else:
        _draw_bars(path, comparison)


def _draw_lines(path: Path, comparison: Comparison) -> None:
    item = comparison.item
    place = item.by.index(item.across or "")
    places = [item.by.index(column) for column in item.panels]
    ticks = across(comparison.rows, place)
    quantities = _quantities(item.values)
    found, columns, planned = _panels(comparison, places)
    if not places and len(found) == 1:
        columns = min(MOST_ACROSS, len(quantities))
    panels = [(panel, rows, values) for values in quantities for panel, rows in found.items()]
    height = -(-len(panels) // columns)
    drawn = [_lines(comparison, rows, [*places, place], values) for values in quantities for rows in found.values()]
    labels = list(dict.fromkeys(label for one in drawn for label in one))
    styles = dict(zip(labels, styles_of_names([label.split(", ") for label in labels]), strict=True))
    heading = comparison.headings.get(item.across or "", item.across or "").replace("\n", ", ")
    with figure(path, max(5.0, PANEL_INCHES[0] * columns + 0.4), PANEL_INCHES[1] * height + 1.0) as canvas:
        axes = canvas.subplots(height, columns, squeeze=False, sharex=True)
        for axis in axes.flat[len(panels) :]:
            axis.set_visible(False)
        for number, (axis, (panel, rows, values), lines) in enumerate(zip(axes.flat, panels, drawn, strict=False)):
            if not rows:
                _mark_empty(axis, _title(panel), is_planned=panel in planned)
                continue
            for label, points in lines.items():
                _draw_line(
                    axis, points, ticks, styles[label], [*panel, label, one_line(item.values[values[0]].heading)]
                )
            axis.set_title(_title(panel), fontsize=8)
            if len(values) == 1 and (not panel or number % columns == 0):  # else the lines are called so
                axis.set_ylabel(one_line(item.values[values[0]].heading), fontsize=8)
            axis.set_xticks(range(len(ticks)), [word(one) for one in ticks], fontsize=8)
            if item.values[values[0]].compare == "ratio" and _is_wide(rows, values):
                axis.set_yscale("symlog", linthresh=1)  # a logarithm that has a place for 0
                label_edges(axis, _numbers(rows, values), zero=True)
            else:
                _from_zero(axis)
            axis.grid(True, color="0.9", linewidth=0.6)
        _share_scales([(values, axis) for (_, rows, values), axis in zip(panels, axes.flat, strict=False) if rows])
        for axis in axes[-1]:
            axis.set_xlabel(heading, fontsize=8)
        entitle(canvas, item.heading)
        handles = [
            matplotlib("lines").Line2D([], [], **_stroke(one), label=label)
            for label, one in styles.items()
            if label != "all"
        ]
        grey = Style("0.3", (), "o", "")
        handles.append(matplotlib("lines").Line2D([], [], **_stroke(grey), label="Fairlane"))
        if comparison.has_paper:
            handles.append(matplotlib("lines").Line2D([], [], **_stroke(grey, of_paper=True), label="paper"))
        canvas.legend(
            handles=handles,
            loc="outside lower center",
            ncols=min(len(handles), max(2, columns * 2)),
            frameon=False,
            fontsize=8,
            title=_of_numbers(comparison, [*places, place]),
            title_fontsize=8,
            handlelength=3.2,
        )


def _title(panel: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(panel))


def _mark_empty(axis: Any, title: str, *, is_planned: bool) -> None:
    """Keeps the place of a panel that was not run; of one that the sweep does not have, without a word."""
    axis.set_frame_on(False)
    axis.tick_params(left=False, bottom=False, labelleft=False, labelbottom=False)
    if is_planned:
        axis.set_title(title, fontsize=8)
        axis.text(0.5, 0.5, "not run", transform=axis.transAxes, ha="center", va="center", fontsize=8, color="0.3")


def _from_zero(axis: Any) -> None:
    """Matplotlib scales the margin by the spread of the values: too small for similar values once 0 is shown."""
    axis.set_ylim(bottom=0)
    axis.set_ylim(top=max(axis.get_ylim()[1], (1 + axis.margins()[1]) * float(axis.dataLim.ymax)))


def _share_scales(panels: Sequence[tuple[list[int], Any]]) -> None:
    """One scale for all panels of a quantity, unless the smallest would be flat on it."""
    for values in {tuple(values) for values, _ in panels}:
        axes = [axis for of, axis in panels if tuple(of) == values]
        tops = [axis.get_ylim()[1] for axis in axes]
        kinds = {axis.get_yscale() for axis in axes}
        if len(kinds) == 1 and max(tops) <= MOST_UNLIKE * min(tops):
            highest = axes[tops.index(max(tops))]
            for axis in axes:
                axis.set_ylim(highest.get_ylim())
                if kinds == {"symlog"}:
                    axis.yaxis.set_major_locator(highest.yaxis.get_major_locator())
                    axis.yaxis.set_major_formatter(highest.yaxis.get_major_formatter())


def _values(rows: Sequence[Row], of: Callable[[Row], Any]) -> list[Any]:
    """In the order of their appearance, each once."""
    return list(dict.fromkeys(map(of, rows)))


Titles = tuple[str, ...]


def _panels(comparison: Comparison, places: list[int]) -> tuple[dict[Titles, list[Row]], int, set[Titles]]:
    """The rows of each panel by its title; the number of panels per line, one for each value of the last column; and
    the panels that the sweep has.

    A panel of which nothing was run keeps its place, so that an incomplete sweep looks like the complete one.
    """
    rows = comparison.rows
    several = len(_values(rows, lambda row: row.experiment)) > 1
    known = [
        tuple([experiment] * several) + place
        for experiment, place in comparison.planned_panels
        if not several or experiment in comparison.experiments
    ]
    of_rows = [tuple([row.experiment] * several) + tuple(row.place[place] for place in places) for row in rows]
    orders = [list(dict.fromkeys(values)) for values in zip(*known, *of_rows, strict=True)] if places or several else []
    columns = min(MOST_ACROSS, len(orders[-1]) if orders else 1)
    is_grid = bool(orders) and columns == len(orders[-1])
    planned = {tuple(order.index(one) for order, one in zip(orders, panel, strict=True)) for panel in known}
    everywhere = set(product(*(range(len(order)) for order in orders))) if is_grid else planned
    found: dict[tuple[int, ...], list[Row]] = {indices: [] for indices in everywhere}
    for row, panel in zip(rows, of_rows, strict=True):
        indices = tuple(order.index(one) for order, one in zip(orders, panel, strict=True))
        found.setdefault(indices, []).append(row)
    units = [""] if several else []
    units += [comparison.headings.get(comparison.item.by[place], "").partition("\n")[2] for place in places]
    titles = {
        indices: tuple(
            f"{word(order[index])} {unit}".strip() for order, index, unit in zip(orders, indices, units, strict=True)
        )
        for indices in sorted(found)
    }
    panels = {title: found[indices] for indices, title in titles.items()}
    return panels, columns, {titles[indices] for indices in planned & titles.keys()}


def _quantities(values: Sequence[Value]) -> list[list[int]]:
    """The places of the values that share an axis: those of one metric. Others have another unit, or another range."""
    found: dict[str, list[int]] = {}
    for place, value in enumerate(values):
        found.setdefault(value.metric, []).append(place)
    return list(found.values())


def _of_numbers(comparison: Comparison, used: list[int]) -> str:
    """The headings of the numbers in the names of lines."""
    numbered = [
        comparison.headings.get(column, column).replace("\n", ", ")
        for place, column in enumerate(comparison.item.by)
        if place not in used and any(isinstance(row.place[place], float | int) for row in comparison.rows)
    ]
    return "; ".join(numbered)


def _is_wide(rows: Sequence[Row], values: list[int]) -> bool:
    """Whether the small values would be invisible next to the large ones."""
    sizes = [one for one in _numbers(rows, values) if one]
    return bool(sizes) and max(sizes) > LOG_FROM * min(sizes)


def _numbers(rows: Sequence[Row], values: list[int]) -> list[float]:
    """Ours and the paper's."""
    cells = [row.cells[index] for row in rows for index in values]
    return [one for cell in cells for one in (cell.ours, cell.paper) if one is not None]


def _lines(
    comparison: Comparison, rows: list[Row], used: list[int], values: list[int]
) -> dict[str, list[tuple[Key, float | None, float | None]]]:
    """For each line of these values its points: where, ours, the paper's."""
    found: dict[str, list[tuple[Key, float | None, float | None]]] = {}
    for row in rows:
        rest = dict.fromkeys(word(one) for place, one in enumerate(row.place) if place not in used)
        for index in values:
            heading, cell = comparison.item.values[index].heading, row.cells[index]
            words = [*rest, *([one_line(heading)] if len(values) > 1 else [])]
            found.setdefault(", ".join(words) or "all", []).append((row.place[used[-1]], cell.ours, cell.paper))
    return found


def _draw_line(
    axis: Any,
    points: list[tuple[Key, float | None, float | None]],
    ticks: list[Key],
    style: Style,
    words: Sequence[str],
) -> None:
    ours = sorted((ticks.index(at), one, tip(words, at, one, paper)) for at, one, paper in points if one is not None)
    paper = sorted((ticks.index(at), one) for at, _, one in points if one is not None)
    if ours:
        at, values, tips = zip(*ours, strict=True)
        (line,) = axis.plot(at, values, **_stroke(style))
        tell(line, tips)
    if paper:
        axis.plot(*zip(*paper, strict=True), **_stroke(style, of_paper=True))


def _stroke(style: Style, *, of_paper: bool = False) -> dict[str, Any]:
    """Colour, dashes and marker are those of the algorithm; the paper's line is thin, and its markers are hollow."""
    if of_paper:
        return {**_stroke(style), "linewidth": 0.6, "markerfacecolor": "none", "markeredgewidth": 0.8}
    shared = {"color": style.colour, "linestyle": style.dashes, "marker": style.marker, "markersize": 3.5}
    return {**shared, "linewidth": 1.2}


def _draw_bars(path: Path, comparison: Comparison) -> None:
    item = comparison.item
    printed = any(value.published for value in item.values)  # the paper has no bar for the others
    values = [(index, value) for index, value in enumerate(item.values) if value.published or not printed]
    wide = len(comparison.rows) > 14
    styles = styles_of_names([row.place for row in comparison.rows])
    if len({one.colour for one in styles}) == 1 or not any(_names_algorithm(row) for row in comparison.rows):
        styles = [style_of(0)] * len(styles)  # the axis says what a bar is about; a colour would say nothing
    columns = 1 if wide else -(-len(values) // 2)
    names = [" ".join(word(one) for one in row.place) for row in comparison.rows]
    each_inches = LABELLED_INCHES if len(names) <= MOST_LABELLED else NAME_INCHES
    needed = columns * (0.8 + each_inches * len(names))
    inches = 11.0 if wide else max(7.0, min(11.0, needed))
    with figure(path, inches, 2.3 * len(values) + 0.8 if wide else 4.6) as canvas:
        axes = canvas.subplots(-(-len(values) // columns), columns, squeeze=False).flat
        for axis in axes[len(values) :]:
            axis.set_visible(False)
        for axis, (index, value) in zip(axes, values, strict=False):
            places = range(len(names))
            logarithmic = value.compare == "ratio" and _is_wide(comparison.rows, [index])
            sides = [(-0.2, False), (0.2, True)] if comparison.has_paper else [(0.0, False)]
            for shift, of_paper in sides:
                cells = [row.cells[index] for row in comparison.rows]
                numbers = [cell.paper if of_paper else cell.ours for cell in cells]
                heights = [one or 0.0 for one in numbers]
                at = [place + shift for place in places]
                if logarithmic:  # dots: a logarithmic axis has no 0 from which a bar could have a length
                    for x, one, style, text in zip(at, numbers, styles, _tips(comparison, index), strict=True):
                        if one is not None and one > 0:
                            face = "none" if of_paper else style.colour
                            dot = {"marker": "D" if of_paper else "o", "markersize": 4, "markerfacecolor": face}
                            tell(axis.plot([x], [one], color=style.colour, **dot)[0], [text])
                    continue
                edges = [style.colour for style in styles]
                fills: Any = "none" if of_paper else edges
                bars = axis.bar(at, heights, 0.38, color=fills, edgecolor=edges, linewidth=0.8)
                for bar, text in zip(bars, _tips(comparison, index), strict=True):
                    tell(bar, [text])
                if len(names) <= MOST_LABELLED:  # no number is not 0
                    labels = ["" if one is None else heat_maps.three_digits(one) for one in numbers]
                    axis.bar_label(bars, labels, fontsize=7, padding=1)
            axis.set_title(one_line(value.heading))
            touch = LETTER_INCHES * max(map(len, names)) > (inches / columns - 0.8) / len(names)
            rotation = {"rotation": 60, "ha": "right", "fontsize": 7.5} if touch else {}
            axis.set_xticks(list(places), names, **rotation)
            axis.margins(y=0.15)
            if logarithmic:
                axis.set_yscale("log")
                label_edges(axis, _numbers(comparison.rows, [index]))
        ours, paper = (matplotlib("patches").Patch(facecolor=one, edgecolor="0.3") for one in ("0.3", "none"))
        _finish(canvas, comparison, ours, paper)


def _draw_boxes(path: Path, comparison: Comparison) -> None:
    """A panel for each value: median, quartiles, whiskers to 1.5 interquartile ranges, and outliers."""
    item = comparison.item
    rows = comparison.rows
    same = [place for place in range(len(item.by)) if len({row.place[place] for row in rows}) == 1]
    names = [" ".join(word(one) for place, one in enumerate(row.place) if place not in same) for row in rows]
    styles = styles_of_names([row.place for row in rows])
    if not any(named_algorithm(str(one)) for row in rows for one in row.place):
        styles = [style_of(0)] * len(rows)
    with figure(path, max(5.0, 0.6 * len(rows)), 2.3 * len(item.values) + 0.8) as canvas:
        panels = canvas.subplots(len(item.values), 1, squeeze=False).flat
        for index, (axis, value) in enumerate(zip(panels, item.values, strict=True)):
            cells = [row.cells[index] for row in rows]
            boxes = axis.boxplot(
                [list(cell.sample) for cell in cells],
                positions=range(len(cells)),
                widths=0.6,
                patch_artist=True,
                manage_ticks=False,
                medianprops={"color": "black"},
                flierprops={"markersize": 2},
            )
            for box, style, name, cell in zip(boxes["boxes"], styles, names, cells, strict=True):
                box.set(facecolor=style.colour, alpha=0.7)
                tell(box, [tip([name, one_line(value.heading)], "", cell.ours, cell.paper)])
            for place, cell in enumerate(cells):
                if cell.paper is not None:
                    axis.hlines(cell.paper, place - 0.4, place + 0.4, color="0.3", linestyles="--")
            axis.set_title(one_line(value.heading))
            axis.set_xticks(range(len(names)), names, rotation=40, ha="right", fontsize=8)
            axis.grid(True, axis="y", color="0.9", linewidth=0.6)
        ours, paper = (
            matplotlib("patches").Patch(facecolor="0.6", edgecolor="black", alpha=0.7),
            matplotlib("lines").Line2D([], [], color="0.3", linestyle="--"),
        )
        _finish(canvas, comparison, ours, paper)


def _finish(canvas: Any, comparison: Comparison, ours: Any, paper: Any) -> None:
    """Adds the title, and a legend of ours and the paper's where the paper has numbers."""
    entitle(canvas, comparison.item.heading)
    if comparison.has_paper:
        canvas.legend([ours, paper], ["Fairlane", "paper"], loc="outside lower center", ncols=2, frameon=False)


def _names_algorithm(row: Row) -> bool:
    return any(named_algorithm(str(one)) for one in row.place)


def _tips(comparison: Comparison, index: int) -> list[str]:
    """For each row the values of one column in words."""
    heading = one_line(comparison.item.values[index].heading)
    cells = [(row, row.cells[index]) for row in comparison.rows]
    return [tip([*map(word, row.place), heading], "", cell.ours, cell.paper) for row, cell in cells]


def styles_of_names(words: Sequence[Sequence[Key]]) -> list[Style]:
    """The style of each line, bar or box, by the words that name it, as in all other plots.

    Words common to all are ignored: of `bbr cubic`, `reno cubic` and `cubic cubic` the first word counts.

    >>> [one.colour == style.colour for one, style in zip(styles_of_names([["bbr", "cubic"], ["reno", "cubic"]]),
    ...                                                 styles_of(["bbr", "reno"]))]
    [True, True]
    """
    return styles_of(_algorithms(words))


def _algorithms(words: Sequence[Sequence[Key]]) -> list[str | None]:
    """The algorithm of each, None where there is none or more than one.

    >>> _algorithms([["bbr", "cubic"], ["cubic", "cubic"]]), _algorithms([["bbr", "reno"], ["bbr", "cubic"], ["x"]])
    (['bbr', 'cubic'], [None, None, None])
    """
    named = [{name for word in one if (name := named_algorithm(str(word)))} for one in words]
    common = set.intersection(*named) if named else set()
    found: list[str | None] = []
    for names in named:
        told = names - common or names
        found.append(next(iter(told)) if len(told) == 1 else None)
    return found


def tip(words: Sequence[str], at: Key, ours: float | None, paper: float | None) -> str:
    """The tooltip of a point, bar or box.

    >>> tip(["bbr", "all", "goodput Mbps"], 20.0, 9.5123, None), tip(["bbr"], "", 12345.6, 12000)
    ('bbr, goodput Mbps, 20: Fairlane 9.512', 'bbr: Fairlane 12,346, paper 12,000')
    """
    names = dict.fromkeys(one for one in (*words, word(at)) if one not in ("", "all"))
    values = [f"{who} {short(value)}" for who, value in (("Fairlane", ours), ("paper", paper)) if value is not None]
    return f"{', '.join(names)}: {', '.join(values)}"
