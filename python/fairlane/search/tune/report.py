"""The table, the JSON object and the plot of a search: the defaults, and the Pareto front."""

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from fairlane.engine.messages import counted
from fairlane.search.tune.loading import LoadedTuning
from fairlane.search.tune.search import Trial
from fairlane.show.plots.canvas import canvas, dress
from fairlane.show.plots.figure import COLOURS
from fairlane.show.text.aligned import LEFT, RIGHT, number, text_table


def labels(tuning: LoadedTuning) -> list[str]:
    """Labels of the objectives for columns and axes: metric, whose, and which end is good."""
    found = []
    for metric, objective in zip(tuning.metrics, tuning.form.objectives, strict=True):
        whose = f" of {objective.group}" if metric.of == "flow" and objective.group != "tuned" else ""
        found.append(f"{metric.axis_label}{whose} ({objective.goal})")
    return found


def summary(tuning: LoadedTuning, found: Sequence[Trial], best: Sequence[Trial], folder: Path) -> str:
    """The numbers of trials and computed runs, the failures, and a duel with the first of the best."""
    failed = [trial for trial in found if not trial.values]
    computed = counted(sum(trial.computed for trial in found), "run")
    lines = [f"{tuning.name}: {counted(len(found), 'trial')}, {computed} computed, in {folder}"]
    lines += [f"{len(failed)} of them failed; the first: {failed[0].failure}"] if failed else []
    choice = ",".join(f"{name}={value}" for name, value in best[0].parameters.items())
    return "\n".join([*lines, f"try one: fairlane duel {tuning.form.algorithm}:{choice} cubic"])


def report(tuning: LoadedTuning, trials: Sequence[Trial], best: Sequence[Trial]) -> str:
    """A row for the defaults and one for each of the best."""
    names = list(tuning.form.parameters)
    columns = [("trial", LEFT), *((name, RIGHT) for name in names), *((label, RIGHT) for label in labels(tuning))]
    chosen = {trial.number: trial for trial in (*best, *(trial for trial in trials if trial.number == 0))}
    order = sorted(
        chosen.values(), key=lambda trial: (trial not in best, list(best).index(trial) if trial in best else 0)
    )
    rows = []
    for trial in order:
        mark = "defaults" if trial.number == 0 else str(trial.number)
        mark += "" if trial in best else " (beaten)" if trial.values else " (failed)"
        values = [number(value, metric.digits) for value, metric in zip(trial.values, tuning.metrics, strict=False)]
        values += ["–"] * (len(tuning.metrics) - len(values))
        rows.append([mark, *(str(trial.parameters[name]) for name in names), *values])
    return text_table(columns, rows)


PANEL_INCHES = 3.4


def draw(path: Path, tuning: LoadedTuning, trials: Sequence[Trial], best: Sequence[Trial]) -> None:
    """One panel for each pair of objectives; for a single objective its value over the trials."""
    measured = [trial for trial in trials if trial.values]
    names = labels(tuning)
    pairs = list(combinations(range(len(names)), 2))
    columns = max(1, min(3, len(pairs)))
    lines = max(1, -(-len(pairs) // columns))
    width = PANEL_INCHES * columns
    with canvas(path, width, 2.9 * lines, tuning.form.title or None) as made:
        panels = made.subplots(lines, columns, squeeze=False).flat
        handles: list[Any] = []
        if not pairs:
            axis = next(iter(panels))
            handles = _marks(axis, [(trial, trial.number, trial.values[0]) for trial in measured], best, joined=False)
            dress(axis, "trial", names[0], grid="both")
        for (x, y), axis in zip(pairs, panels, strict=False):
            points = [(trial, trial.values[x], trial.values[y]) for trial in measured]
            handles = _marks(axis, points, best, joined=len(names) == 2)
            dress(axis, names[x], names[y], grid="both")
        for axis in list(made.axes)[max(1, len(pairs)) :]:
            axis.set_visible(False)
        # Below, because the title is above.
        made.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False, columnspacing=1.2)


def _marks(
    axis: Any, points: Sequence[tuple[Trial, float, float]], best: Sequence[Trial], *, joined: bool
) -> list[Any]:
    chosen = {trial.number for trial in best}
    others = [(x, y) for trial, x, y in points if trial.number not in chosen]
    front = sorted((x, y) for trial, x, y in points if trial.number in chosen)
    default = [(x, y) for trial, x, y in points if trial.number == 0]
    handles = []
    if others:
        handles += axis.plot(*zip(*others, strict=True), "o", color="0.65", markersize=3.5, label="tried")
    if front:
        style = {"color": COLOURS[0], "markersize": 5, "linestyle": "-" if joined else "none", "linewidth": 0.9}
        name = "beaten by none" if joined or len(front) > 1 else "best"
        handles += axis.plot(*zip(*front, strict=True), marker="o", label=name, **style)
    if default:
        mark = {"markersize": 9, "markeredgecolor": "black", "markeredgewidth": 0.6, "linestyle": "none", "zorder": 5}
        handles += axis.plot(*zip(*default, strict=True), marker="*", color=COLOURS[1], label="defaults", **mark)
    return handles


def as_json(tuning: LoadedTuning, found: Sequence[Trial], best: Sequence[Trial]) -> dict[str, object]:
    """The objectives and all trials."""
    objectives = [
        {"metric": objective.metric, "goal": objective.goal, "flows": objective.group}
        for objective in tuning.form.objectives
    ]
    rows = [
        {
            "trial": trial.number,
            "parameters": trial.parameters,
            "values": list(trial.values),
            "best": trial in best,
            **({"failure": trial.failure} if trial.failure else {}),
        }
        for trial in found
    ]
    return {"algorithm": tuning.form.algorithm, "objectives": objectives, "trials": rows}
