"""`fairlane.matrix`: algorithms against each other, as `fairlane matrix` on the command line."""

from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

from fairlane.api.results import Results
from fairlane.api.run import run
from fairlane.scenario.competition import competition
from fairlane.scenario.request_settings import Settings, check_names


def matrix(
    *algorithms: str,
    against: str | Sequence[str] | None = None,
    results: str | Path | None = None,
    jobs: int | None = None,
    progress: bool = True,
    **settings: Unpack[Settings],
) -> Results:
    """Lets algorithms share one bottleneck in pairs, each with each, and returns the results.

    `against` names the rivals, "all" for every bundled algorithm; without it, the algorithms meet each other and
    themselves. Settings are those of `duel`, with three repeats. `results.matrix("share_pct")` has the matrix of a
    metric. `results`, `jobs` and `progress` are those of `run`; runs that are stored are not run again.

    Raises what `run` raises.
    """
    if not algorithms:
        raise TypeError('matrix() needs at least one algorithm, for example fairlane.matrix("cubic", "bbr")')
    check_names("matrix", settings, "against", "results", "jobs", "progress")
    rivals = [against] if isinstance(against, str) else against
    return run(competition(algorithms, rivals, dict(settings)), results, jobs=jobs, progress=progress)
