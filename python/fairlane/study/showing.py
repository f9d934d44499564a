"""How long it takes to show what came out, before anything runs.

Fitted to the four studies with all of their runs there (11 to 58 s) on an AMD EPYC, November 2026, at a time when runs
took 0.75 of what `fairlane.sweep.estimate` says.
"""

from collections.abc import Sequence

from fairlane.study.rerun import Job
from fairlane.study.study import Item

PICTURE_S = 1.0
"""Drawing one."""
RUN_S = 0.008
"""Reading a run, comparing it and judging by it."""


def showing_s(items: Sequence[Item], jobs: Sequence[Job], runs: int) -> float:
    """About how many seconds of one processor these items need, and the claims about them."""
    return PICTURE_S * sum(pictures(item, jobs) for item in items) + RUN_S * runs


def pictures(item: Item, jobs: Sequence[Job]) -> int:
    """One of the item; those over time have one for each point, or one for all if every flow is alone."""
    count = 1
    for job in jobs:
        if item.timeline and job.name in item.experiments:
            wanted = [point.point for point in job.experiment.points if item.wants(point.axes)]
            alone = all(len(point.scenario["flows"]) == 1 for point in wanted)
            count += min(1, len(wanted)) if alone else len(wanted)
    return count
