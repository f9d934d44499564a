"""`fairlane.reproduce`, as the command of this name."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fairlane.engine.libraries import pl
from fairlane.engine.messages import unknown
from fairlane.files import data_folder
from fairlane.study.findings import Findings
from fairlane.study.paper.definition import StudyError, load, names


@dataclass(frozen=True)
class Reproduction:
    """The rerun part of a published study."""

    folder: Path
    """That of the results; `fairlane.open` and `fairlane.report` take it."""
    findings: Findings
    """The tables and figures with their experiments' results."""

    @cached_property
    def numbers(self) -> "pl.DataFrame":
        """A row for each number of a table or figure: its place, ours with the 95 % interval, and the paper's."""
        rows = [
            {
                "item": comparison.item.name,
                "experiment": row.experiment,
                "place": ", ".join(str(one) for one in row.place),
                "value": value.heading.replace("\n", " "),
                "ours": cell.ours,
                "ours_ci95_low": cell.interval.low if cell.interval else None,
                "ours_ci95_high": cell.interval.high if cell.interval else None,
                "paper": cell.paper,
                "runs": row.runs,
            }
            for comparison in self.findings.comparisons
            for row in comparison.rows
            for value, cell in zip(comparison.item.values, row.cells, strict=True)
        ]
        numbers = dict.fromkeys(("ours", "ours_ci95_low", "ours_ci95_high", "paper"), pl.Float64())
        words = dict.fromkeys(("item", "experiment", "place", "value"), pl.String())
        return pl.DataFrame(rows, schema={**words, **numbers, "runs": pl.Int64()})

    @cached_property
    def claims(self) -> "pl.DataFrame":
        """A row for each claim of the paper: id, status, and our values in words."""
        verdicts = self.findings.judge()
        rows = [
            {"claim": one.claim.published.id, "status": str(one.status), "summary": one.summary} for one in verdicts
        ]
        return pl.DataFrame(rows, schema=dict.fromkeys(("claim", "status", "summary"), pl.String()))


def reproduce(
    study: str,
    results: str | Path | None = None,
    *,
    only: str | Sequence[str] = (),
    where: str | Sequence[str] = (),
    quick: bool = False,
    repeats: int | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    progress: bool = True,
) -> Reproduction:
    """Reruns a published study, or a part of it, and compares it with the paper; stored runs are not run again.

    `only` names tables, figures or experiments, `where` values of axes ("buffer=1bdp"), `quick` the subset that the
    study defines. `results` is the folder of the store (default: `results/STUDY`). `repeats`, `seed`, `jobs` and
    `progress` are those of `run`.

    Raises ExperimentError, StoreError, and `fairlane.study.paper.definition.StudyError` for a name that the study does
    not have.
    """
    from fairlane.runs.executors.processes import usable_cpus
    from fairlane.show.text.progress import SweepBars
    from fairlane.study.findings import findings
    from fairlane.study.rerun import jobs_for, narrowed

    studies = data_folder("studies")
    if study not in (known := names(studies)):
        raise StudyError(unknown("study", study, known))
    loaded, folder = load(studies / study), Path(results) if results is not None else Path("results") / study
    chosen: list[str | None] = [only] if isinstance(only, str) else list(only) or [None]
    work, items = [], []
    for one in chosen:
        found, experiments = loaded.chosen(one)
        whole = one is None or one in loaded.file.experiments
        work += jobs_for(loaded, found, experiments, quick=quick, whole=whole, repeats=repeats, seed=seed)
        items += [item for item in found if item not in items]
    at_a_time = jobs or usable_cpus()
    with SweepBars(at_a_time) as bars:
        for job in narrowed(work, [where] if isinstance(where, str) else where):
            job.run(folder, at_a_time, bars.watch if progress else None)
    return Reproduction(folder, findings(loaded, items, folder, quick=quick))
