"""Generates the page on agreement with Linux (docs/concepts/fidelity.md) from the runs.

Values, tables and plots come from the runs, the text is in `agreement_page.md.jinja`, and the explanations of large
differences are written by hand, in `explanations.toml` in the folder of the recorded data.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from fairlane.engine.result_bytes import Result
from fairlane.files import write_text
from fairlane.scenario.load import load as load_experiment
from fairlane.show.comparison.agreement_text import summary_lines
from fairlane.show.plots.figure import COLOURS, figure, matplotlib
from fairlane.show.text.sweep_table import markdown_table
from fairlane.study.linux import against, kernel_recordings, recorded_series, similar_recordings
from fairlane.study.linux.kernel_recordings import Recordings
from fairlane.study.linux.recorded_study import Rerun
from fairlane.study.linux.score import (
    ERRORS,
    NOT_EXPLAINED,
    Errors,
    explain,
    explanations,
    summarise,
    without_repeat,
    worst_first,
)
from fairlane.study.paper.comparison import Cell

SHOWN = [
    "single-20m-40ms-1bdp-reno",
    "single-20m-40ms-1bdp-cubic",
    "single-20m-40ms-1bdp-bbr",
    "rtt-20m-20ms-vs-120ms-1bdp-cubic",
    "pair-20m-40ms-2bdp-bbr-vs-cubic",
    "aqm-20m-40ms-fq_codel-cubic-vs-cubic",
]
"""The scenarios whose windows are plotted."""
COLUMNS = 2
FAR = {"goodput": 2.0, "share": 8.0, "rtt": 5.0, "retransmits": 1.5}
"""Errors above which a scenario needs an explanation."""
REPLAYED = {"goodput": 1, "rtt": 1, "retransmits": 2}
"""Errors of runs with Linux's losses, with their digits."""
METRICS = ("share, %", "mean RTT, ms", "retransmissions")
"""The metrics of the table of cells: all but goodput, which the share tells."""
_HEADS = ["goodput, %", "share, points", "RTT, %", "retransmissions"]


def write(
    path: Path,
    folder: Path,
    rows: Sequence[Errors],
    runs: Mapping[str, Result],
    replayed: Mapping[str, Result] | None = None,
    more: str = "",
) -> list[Path]:
    """Writes the page and its plot; returns their paths.

    `folder` holds Linux's results, `rows` are the errors of the simulated runs, `runs` their whole results by name, and
    `replayed` those of runs with Linux's losses. `more` is a section that follows.
    """
    picture = path.parent.parent / "images" / "fidelity-windows.png"
    picture.parent.mkdir(parents=True, exist_ok=True)
    _draw_windows(picture, folder, runs)
    followed = {
        name: one for name, one in runs.items() if name == without_repeat(name) and not name.startswith("lossy-")
    }
    found = recorded_series.divergences(folder, followed)
    scenarios = [[f"`{row.scenario}`", *row.cells] for row in worst_first(rows)]
    text = _filled(
        "page",
        version=folder.name.removeprefix("linux-"),
        repeats=max(sum(name.startswith("lossy-20m-100ms-0.1pct-cubic-r") for name in runs) - 3, 0),
        summary=table(["median / 90th percentile / worst", "scenarios", *_HEADS], summary_lines(rows)),
        picture=picture.name,
        tolerance=f"{recorded_series.TOLERANCE:.0%}",
        divergences=table(["scenario", "flow", "at, s", "how"], map(_divergence, found)),
        reasons=_list([*explanations(folder).get("divergences", {}).values(), *alone(found)]),
        replays=_replays(folder, replayed, rows) if replayed else None,
        scenarios=table(["scenario", *_HEADS], scenarios),
        explained=_explained(folder, rows),
        more=more,
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, text)
    return [path, picture]


def write_with_kernels(
    path: Path,
    folder: Path,
    rows: Sequence[Errors],
    done: Rerun,
    kernels: Sequence[tuple[Recordings, Mapping[str, Sequence[Errors]]]],
    agreement: Path | None,
) -> list[Path]:
    """Writes the page, with sections about recorded kernels, each with its errors, and about cells if there are some.

    `agreement` gets the errors of each scenario for other reports. Returns the paths.
    """
    written, sections = [], []
    if kernels:
        sections = [kernels_section(one, errors) for one, errors in kernels]
        sections.append(cells_section(kernels[0][0].folder.parent / "cells"))
    if agreement is not None:
        plain = next(((one.folder, errors) for one, errors in kernels), (folder, {}))  # others have impaired paths
        found = similar_recordings.collect(folder, rows, *plain)
        similar_recordings.write(agreement, found)
        written.append(agreement)
    return [*written, *write(path, folder, rows, done.results, done.replayed, "\n".join(filter(None, sections)))]


def _draw_windows(path: Path, folder: Path, runs: Mapping[str, Result]) -> None:
    """Draws congestion windows over time, a panel per scenario: Linux thick and pale, ours thin and dark."""
    found = {name: recorded_series.linux(folder, name) for name in SHOWN if name in runs}
    panels = {name: (linux, recorded_series.ours(runs[name])) for name, linux in found.items() if linux}
    rows = -(-len(panels) // COLUMNS)
    with figure(path, 9.6, 0.6 + 2.0 * rows) as canvas:
        axes = canvas.subplots(rows, COLUMNS, squeeze=False).flatten()
        for place, (title, pairs) in zip(axes, panels.items(), strict=False):
            for number, (theirs, mine) in enumerate(zip(*pairs, strict=True)):
                colour = COLOURS[number % len(COLOURS)]
                place.plot(theirs.t_s, theirs.cwnd_packets, color=colour, linewidth=3.2, alpha=0.35)
                place.plot(mine.t_s, mine.cwnd_packets, color=colour, linewidth=0.9)
            place.set_title(title)
            place.set_xlim(left=0)
            place.set_ylim(bottom=0)
            place.set_ylabel("cwnd, packets")
        for place in axes[len(panels) :]:
            place.remove()
        for place in axes[max(0, len(panels) - COLUMNS) : len(panels)]:
            place.set_xlabel("time, s")
        canvas.legend(
            handles=[
                matplotlib("lines").Line2D([], [], color="0.3", linewidth=3.2, alpha=0.35, label="Linux"),
                matplotlib("lines").Line2D([], [], color="0.1", linewidth=0.9, label="Fairlane"),
                matplotlib("lines").Line2D([], [], color=COLOURS[0], label="first flow"),
                matplotlib("lines").Line2D([], [], color=COLOURS[1], label="second flow"),
            ],
            loc="outside lower center",
            ncols=4,
            frameon=False,
        )


def kernels_section(recordings: Recordings, found: Mapping[str, Sequence[Errors]]) -> str:
    """The part about a folder of several kernels' recordings. `found` are the errors of the simulator by release."""
    folder, linux, about = recordings.folder, recordings.linux, recordings.about
    between = [[both, f"`{row.scenario}`", *row.cells] for both, row in kernel_recordings.between(linux)]
    return _filled(
        "kernels",
        repeats=kernel_recordings.REPEATS,
        folder=folder.name,
        title=about.title,
        about=about.text,
        guest_us=f"{about.guest_ns / 1000:g}",
        targets={key: f"{limit:g}" for key, limit in kernel_recordings.TARGETS.items()},
        deviations=f"{kernel_recordings.DEVIATIONS:g}",
        summary=table(
            ["Linux", "experiment", "scenarios", *_HEADS],
            ([release, *line] for release, rows in found.items() for line in summary_lines(rows)),
        ),
        far=_far(folder, found),
        between=between and table(["Linux", "scenario", *ERRORS], between),
    )


def cells_section(folder: Path) -> str:
    """The part about one cell of each study; empty if the folder has no recordings."""
    lines: list[list[str]] = []
    reasons: dict[tuple[str, str], list[str]] = {}
    for one in (one for path in sorted(folder.glob("*.csv"), reverse=True) for one in against.read(path)):
        experiment, place = one.item.name, one.item.title
        algorithms = _algorithms(folder / f"{experiment}.toml")
        for number, row in enumerate(one.rows):
            flow = algorithms[number] if algorithms else str(row.place[1])
            head = [f"`{experiment}`", f"{one.item.source}, {place.partition(':')[0]}", flow]
            lines.append([*head, *map(_both, row.cells[1:])])
        reason = explain(folder, f"{experiment} {place}", experiment)
        if reason != NOT_EXPLAINED or any(cell.differs for row in one.rows for cell in row.cells[1:]):
            reasons.setdefault((experiment, reason), []).append(place)
    if not lines:
        return ""
    return _filled(
        "cells",
        table=table(["experiment", "kernel", "flow", *METRICS], lines),
        reasons=[f"`{experiment}` ({', '.join(places)}): {text}" for (experiment, text), places in reasons.items()],
    )


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table whose columns after the first are numbers."""
    return markdown_table(head, list(lines), labels=1) + "\n"


def alone(found: Sequence[recorded_series.Divergence]) -> list[str]:
    """A summary of the flows that are alone on a link, which have no random variation."""
    flows = [one for one in found if one.scenario.startswith("single-")]
    follow = [one for one in flows if one.at_s is None]
    if not follow:
        return []
    diverged = "".join(f"; `{one.scenario}` diverges at {one.at_s:g} s" for one in flows if one.at_s is not None)
    text = f"Of {len(flows)} flows alone on the link, {len(follow)} follow Linux's window to the end"
    return [f"{text}, with the same losses at the same times{diverged}."]


def _list(texts: Iterable[str]) -> str:
    return "".join(f"- {text}\n" for text in texts)


def _divergence(one: recorded_series.Divergence) -> list[str]:
    return [f"`{one.scenario}`", str(one.flow + 1), "never" if one.at_s is None else f"{one.at_s:g}", one.how]


def _replays(folder: Path, replayed: Mapping[str, Result], rows: Sequence[Errors]) -> dict[str, object]:
    again = recorded_series.replay_errors(folder, replayed)
    names = {row.scenario for row in again}
    both = [*(row for row in rows if row.scenario not in names), *again]
    lines = [
        [f"`{row.scenario}`", str(row.runs), *(f"{row[key]:.{digits}f}" for key, digits in REPLAYED.items())]
        for row in sorted(again, key=lambda row: -row.goodput)
    ]
    found = summarise(both)
    return {
        "table": table(["scenario", "runs", "goodput, %", "RTT, %", "retransmissions"], lines),
        "scenarios": len(both),
        "figures": ", ".join(f"{key} {found[key].median:g} / {found[key].p90:g}" for key in REPLAYED),
    }


def _explained(folder: Path, rows: Sequence[Errors]) -> str:
    """The scenarios with large errors by their explanation."""
    groups: dict[str, list[str]] = {}
    for row in rows:
        if far := row.beyond(FAR):
            groups.setdefault(explain(folder, row.scenario), []).append(f"`{row.scenario}` ({', '.join(far)})")
    return _list(f"{', '.join(sorted(names))}: {text}" for text, names in sorted(groups.items()))


def _far(folder: Path, found: Mapping[str, Sequence[Errors]]) -> str:
    """The scenarios with errors beyond random variation by their explanation."""
    groups: dict[str, dict[str, list[str]]] = {}
    for release, rows in found.items():
        for row in worst_first(row for row in rows if row.far):
            text = explain(folder, f"{release} {row.scenario}", row.scenario)
            errors = ", ".join(f"{key} {row[key]:.1f}" for key in row.far)
            groups.setdefault(text, {}).setdefault(row.scenario, []).append(f"{release}: {errors}")
    return _list(
        "; ".join(f"`{name}` ({'; '.join(errors)})" for name, errors in scenarios.items()) + f": {text}"
        for text, scenarios in groups.items()
    )


def _algorithms(path: Path) -> list[str]:
    """The algorithm of each flow, if the experiment is in the folder."""
    if not path.exists():
        return []
    return [flow["algorithm"] for flow in load_experiment(path).points[0].point.repeat(0)["flows"]]


def _both(cell: Cell) -> str:
    known = filter(None, (cell.interval, cell.paper_interval))
    text = " / ".join(f"{one.estimate:.1f} ± {one.half_width:.1f}" for one in known)
    return f"**≠** {text}" if cell.differs else text


def _filled(part: str, **values: object) -> str:
    """A part of the page: a macro of the template."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    template = environment.get_template("agreement_page.md.jinja")
    return str(getattr(template.module, part)(**values))
