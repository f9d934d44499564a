"""The plans of a store: which runs its experiments consist of, one file each.

A plan may have 100,000 runs. The file therefore has their keys, seeds and repeats as columns, and what the runs of one
point share only once.
"""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from fairlane.files import write_bytes
from fairlane.results.store.checksummed_json import (
    BROKEN,
    Damage,
    content_of,
    damage_of,
    digest,
    holds,
    seal,
    unseal,
)
from fairlane.results.store.layout import Layout, cannot_write
from fairlane.scenario.plan import Axis, Plan, PlannedRun


def save(plan: Plan, layout: Layout) -> None:
    """Writes a plan, if it is a new one."""
    path = layout.plans / f"{plan.experiment}.json"
    content = _encoded(plan)
    try:
        if not holds(path, content):
            write_bytes(path, content)
    except OSError as error:
        raise cannot_write(path, error) from None


def load_all(layout: Layout, note: Callable[[Damage], None] = lambda damage: None) -> list[Plan]:
    """All plans of a store, in the order of their names; `note` is told of damaged ones, which are left out."""
    found = []
    for path in sorted(layout.plans.glob("[!.]*.json")):  # others are incomplete: their writer was killed
        try:
            content = content_of(path)
            plan = _decoded(unseal(content), digest(content))
            if plan.experiment == path.stem:  # another name could lead out of the store
                found.append(plan)
            else:
                note(Damage(path, "is the plan of another experiment"))
        except BROKEN as error:
            note(damage_of(path, error, "the form of a plan"))
    return found


def identity(plan: Plan) -> str:
    """A hash of all that a plan says."""
    return plan.read_from or digest(_encoded(plan))


def _encoded(plan: Plan) -> bytes:
    places: dict[tuple[int, int], int] = {}
    points: list[dict[str, Any]] = []
    place_of = []
    for run in plan.runs:
        # The runs of one point share these objects, when they are planned and when they are loaded.
        place = places.setdefault((id(run.axes), id(run.groups)), len(points))
        if place == len(points):
            points.append({"axes": run.axes, "groups": run.groups})
        place_of.append(place)
    runs = {
        "run": [run.run for run in plan.runs],
        "point": place_of,
        "seed": [run.seed for run in plan.runs],
        "repeat": [run.repeat for run in plan.runs],
    }
    return seal(
        {
            "experiment": plan.experiment,
            "title": plan.title,
            "study": plan.study,
            "settings": plan.settings,
            "axes": [asdict(axis) for axis in plan.axes],
            "points": points,
            "runs": runs,
        }
    )


_MOST_CELLS = 50_000_000
"""Axes times runs: points are stored once, tables have their axes in every row."""


def _decoded(data: dict[str, Any], read_from: str) -> Plan:
    from fairlane.results.store.json_forms import PLAN

    PLAN.validate_python(data, strict=True)
    columns_of_axes = {axis["column"] for axis in data["axes"]}
    if any(len(axis["values"]) != len(axis["labels"]) for axis in data["axes"]) or any(
        set(point["axes"]) != columns_of_axes for point in data["points"]
    ):
        raise ValueError("axes and points do not fit together")
    if len(data["axes"]) * len(data["runs"]["run"]) > _MOST_CELLS:
        raise ValueError("more axes than any table has")
    axes = [Axis(**{**axis, "values": tuple(axis["values"]), "labels": tuple(axis["labels"])}) for axis in data["axes"]]
    points = [(point["axes"], tuple(point["groups"])) for point in data["points"]]
    runs = data["runs"]
    columns = zip(runs["run"], runs["point"], runs["seed"], runs["repeat"], strict=True)
    return Plan(
        data["experiment"],
        tuple(axes),
        tuple(
            PlannedRun(key, points[point][0], seed, repeat, points[point][1]) for key, point, seed, repeat in columns
        ),
        data["title"],
        data["settings"],
        data["study"],
        read_from,
    )
