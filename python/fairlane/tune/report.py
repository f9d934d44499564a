"""The table of a search: the defaults, and the choices that no other one beats."""

from collections.abc import Sequence

from fairlane.present.table import LEFT, RIGHT, number, text_table
from fairlane.tune.evaluation import Trial
from fairlane.tune.loading import LoadedTuning


def labels(tuning: LoadedTuning) -> list[str]:
    """How columns and axes call the objectives: metric, whose, and which end is good."""
    found = []
    for metric, objective in zip(tuning.metrics, tuning.form.objectives, strict=True):
        whose = f" of {objective.flows}" if metric.of == "flow" and objective.flows != "tuned" else ""
        found.append(f"{metric.axis_label}{whose} ({objective.goal})")
    return found


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
