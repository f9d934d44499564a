"""The plans of a store: which runs its experiments consist of, one file each."""

import json
from dataclasses import asdict

from fairlane.experiment.plan import Axis, Plan, PlannedRun
from fairlane.store.layout import Layout, cannot_write, write_atomically


def save(plan: Plan, layout: Layout) -> None:
    """Writes a plan, if it is a new one."""
    path = layout.plans / f"{plan.experiment}.json"
    content = json.dumps(asdict(plan), separators=(",", ":")).encode()
    try:
        if not path.exists() or path.read_bytes() != content:
            write_atomically(path, content)
    except OSError as error:
        raise cannot_write(path, error) from None


def load_all(layout: Layout) -> list[Plan]:
    """All plans of a store, in the order of their names. A damaged one is left out; the next run writes it again."""
    found = []
    for path in sorted(layout.plans.glob("*.json")):
        try:
            data = json.loads(path.read_bytes())
            axes = tuple(
                Axis(**{**axis, "values": tuple(axis["values"]), "labels": tuple(axis["labels"])})
                for axis in data.pop("axes")
            )
            runs = tuple(PlannedRun(**{**run, "groups": tuple(run["groups"])}) for run in data.pop("runs"))
            found.append(Plan(axes=axes, runs=runs, **data))
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return found
