"""`fairlane.compare` and `fairlane.report`, as the commands of these names."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fairlane.api.results import Results
from fairlane.results.compare import TOLERANCE, Comparison
from fairlane.results.compare import compare as compare_tables
from fairlane.results.metrics.catalogue import USUAL, find


def compare(
    before: Results | str | Path,
    after: Results | str | Path,
    metrics: Sequence[str] | None = None,
    *,
    per: str = "run",
    tolerance: float = TOLERANCE,
    **filters: Any,
) -> Comparison:
    """Compares two results of the same sweep, with confidence intervals of the differences.

    Both are results or their folders. `metrics` are by default the usual ones that have a better direction; `per` is
    "group", "flow", "run" or "link". Differences up to `tolerance`, a share of the value before, do not matter.
    `.regressed` says whether a metric became worse by more, and by more than random variation; `.frame` has a row for
    each point and metric. Filters are those of `Results.table`.

    Raises MetricError, StoreError, and `fairlane.results.compare.CompareError` if they have nothing in common.
    """
    first, second = (one if isinstance(one, Results) else Results(one) for one in (before, after))
    if metrics is None:
        metrics = [name for name in USUAL[per] if find(name).better]
    return compare_tables(first, second, metrics, per=per, tolerance=tolerance, filters=filters)


def report(*results: Results | str | Path, out: str | Path | None = None, quick: bool = False) -> Path:
    """Writes a report on one HTML page and returns its path; runs nothing.

    Each of `results` is a folder, or results that have one. `out` is by default report.html in the folder, or here if
    there are several. `quick`: the quick subset of a study, even if the whole study is stored.

    Raises StoreError, and ValueError for results that are only in memory.
    """
    from fairlane.files import write_text
    from fairlane.show.report.page import page
    from fairlane.show.report.study_contents import gather

    if not results:
        raise TypeError("report() needs at least one folder of results")
    folders = [one.path if isinstance(one, Results) else Path(one) for one in results]
    if any(folder is None for folder in folders):
        raise ValueError("results in memory have no report; run the experiment with fairlane.run")
    chosen = [folder for folder in folders if folder is not None]
    again = ["fairlane", "report", *map(str, chosen), *(["--quick"] if quick else [])]
    path = Path(out) if out is not None else (chosen[0] if len(chosen) == 1 else Path()) / "report.html"
    write_text(path, page(gather(chosen, quick=True if quick else None), shlex.join(again)))
    return path
