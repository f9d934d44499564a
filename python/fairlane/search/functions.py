"""`fairlane.check` and `fairlane.tune`, as the commands of these names."""

from pathlib import Path

from fairlane.engine.libraries import pl
from fairlane.search.check import Verdict
from fairlane.search.check import check as verdicts


def check(algorithm: str, **parameters: int) -> list[Verdict]:
    """Checks an algorithm as `fairlane algorithm check` does: compilers, the kernel's verifier, eleven networks.

    `algorithm` is a bundled name or the path of a C or Python file. Each verdict has `check`, `outcome` ("passes",
    "fails" or "not tried") and `detail`.

    >>> {verdict.check: verdict.outcome for verdict in check("reno")}["fills a link alone"]
    'passes'
    """
    from fairlane.algorithm import trust
    from fairlane.algorithm.name import parse
    from fairlane.engine import algorithms

    trust.allow_named([algorithm])
    named = parse(algorithm, algorithms())
    return list(verdicts(named.source, {**named.parameters, **parameters}))


def tune(
    file: str | Path,
    results: str | Path | None = None,
    *,
    trials: int | None = None,
    jobs: int | None = None,
    progress: bool = True,
) -> "pl.DataFrame":
    """Searches for the Pareto-optimal parameters of an algorithm, as `fairlane tune` does; needs Optuna.

    `file` is a tuning file. Returns a row for each trial, the first with the defaults: `trial`, the parameters, the
    objectives (null where a run failed), and `best`, whether no other trial is better in all of them. `results`,
    `jobs` and `progress` are those of `run`.

    Raises ExperimentError, and `fairlane.search.tune.search.OptunaMissing`.
    """
    from fairlane.runs.executors import Place
    from fairlane.runs.executors.processes import usable_cpus
    from fairlane.search.tune import loading
    from fairlane.search.tune.report import labels
    from fairlane.search.tune.search import front, keep, search
    from fairlane.show.text.progress import Bar

    tuning = loading.read(Path(file))
    if trials is not None:
        tuning = loading.with_trials(tuning, trials)
    folder = Path(results) if results is not None else Path("results") / tuning.name
    found = []
    with Bar(tuning.form.trials if progress else 0, "trials") as bar:
        for trial in search(tuning, folder, Place(jobs or usable_cpus(), None)):
            found.append(trial)
            bar.step()
        keep(tuning, found, folder)
    best = front(found, [objective.goal for objective in tuning.form.objectives])
    chosen = {tuple(trial.parameters.items()) for trial in best}
    values = labels(tuning)
    rows = [
        {
            "trial": trial.number,
            **trial.parameters,
            **dict(zip(values, trial.values or [None] * len(values), strict=True)),
            "best": bool(trial.values) and tuple(trial.parameters.items()) in chosen,
        }
        for trial in found
    ]
    return pl.DataFrame(rows, infer_schema_length=None)
