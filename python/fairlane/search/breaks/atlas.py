"""The atlas of a search: one HTML file with the map of failures and a card for each witness."""

import json
import shlex
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from fairlane import engine
from fairlane.algorithm.name import Algorithm
from fairlane.results.metrics import Run
from fairlane.search.breaks.families import MapAxis
from fairlane.search.breaks.objectives import REFERENCE
from fairlane.search.breaks.witness import Witness
from fairlane.search.breaks.worst_cases import Question, Search
from fairlane.show.plots.capacity import capacity
from fairlane.show.plots.run_timeline import Line, draw
from fairlane.show.report.drawings import in_page
from fairlane.show.report.html import rendered

SHADES = 3
"""Of scores from the one at which a network fails on."""


def atlas(question: Question, searches: Sequence[Search], folder: Path, command: str) -> str:
    """The file's text; `command` repeats the search, and `folder` holds its witnesses."""
    return rendered(
        "atlas.html",
        ["atlas.css"],
        title=f"Where {Algorithm(question.algorithm).name} fails",
        reference=Algorithm(question.reference).name,
        searches=[_search(one, folder) for one in searches],
        command=command,
        seed=question.seed,
    )


def _search(one: Search, folder: Path) -> dict[str, Any]:
    x, y = one.family.file.map
    cells = {each.cell: each.score or 0.0 for each in one.archive.values()}
    rows = [
        (title, [_cell(one, cells.get((column, row))) for column in range(x.cells)])
        for row, title in reversed(list(enumerate(_titles(y))))
    ]
    return {
        "name": one.family.name,
        "family": one.family.file,
        "objective": one.objective,
        "evaluations": one.evaluations,
        "failing": len(one.failing),
        "cells": len(one.archive),
        "worst": one.worst,
        "columns": _titles(x),
        "x": x.title,
        "y": y.title,
        "rows": rows,
        "cards": [_card(witness, folder) for witness in one.witnesses],
    }


def _titles(axis: MapAxis) -> list[str]:
    ends = [f"{float(f'{one:.2g}'):g}" for one in axis.bounds()]
    return [f"{low}–{high}" for low, high in pairwise(ends)]


def _cell(one: Search, score: float | None) -> tuple[str, str]:
    """Text and style of a cell."""
    if score is None:
        return "", ""
    if score < one.objective.fails:
        return f"{score:.2f}", "passes"
    worst = max(one.worst, one.objective.fails + 1e-9)
    shade = 1 + int(SHADES * (score - one.objective.fails) / (worst - one.objective.fails) * 0.999)
    return f"{score:.2f}", f"h{shade}"


def _card(witness: Witness, folder: Path) -> dict[str, Any]:
    return {
        "witness": witness,
        "picture": in_page(partial(_draw, witness), witness.name, witness.name),
        "file": witness.text(folder),
        "replay": shlex.join(["fairlane", "break", "--replay", str(folder / f"{witness.name}.toml")]),
    }


def _draw(witness: Witness, path: Path) -> None:
    """Goodput, window and RTT of the algorithm, and of the reference in the same network if the objective has one."""
    scenarios = [json.loads(text) for text in witness.evaluator.scenarios()]
    runs = [(Algorithm(witness.algorithm).name, scenarios[0])]
    if REFERENCE in witness.objective.runs:
        runs.append((f"{Algorithm(witness.reference).name} instead", scenarios[1]))
    lines = []
    for label, scenario in runs:
        flows = list(enumerate(Run.of(engine.run(scenario)).flows))
        several = len(runs) == 1
        for number, flow in flows if several else flows[:1]:
            name = f"{flow['algorithm']} {number + 1}" if several and len(flows) > 1 else label
            lines.append(Line(name, name, flow))
    end_s = scenarios[0]["duration_ns"] / 1e9
    limits = capacity(json.dumps(scenarios[0]), end_s, 200)
    draw(path, "", lines, [], end_s=end_s, capacity=limits, limit_bytes=None, panels=("goodput", "window"))
