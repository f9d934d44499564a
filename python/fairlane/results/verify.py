"""Verifies a store, all of it, and repairs it: what is intact stays, what is damaged is set aside."""

from dataclasses import dataclass
from pathlib import Path

from fairlane.engine import checksum
from fairlane.results import view
from fairlane.results.store import batch, plans
from fairlane.results.store.checksummed_json import Damage, DamagedError, content_of, damage_of
from fairlane.results.store.layout import Layout, StoreError
from fairlane.results.store.store import Store
from fairlane.results.tables import ResultTables
from fairlane.scenario.plan import Plan


@dataclass(frozen=True)
class Verification:
    """The findings of a verification."""

    damage: tuple[Damage, ...]
    size_bytes: int
    """The number of files that were read."""
    runs: dict[str, tuple[int, int]]
    """For each experiment how many of its runs are intact, and how many it has."""
    obstacle: str
    """One line if the results cannot be read although no file is damaged, for want of a plan; otherwise empty."""


def verify(folder: Path) -> Verification:
    """Reads every file of a store. Raises StoreError."""
    store, every = _verified(folder)
    files = [path for path in folder.rglob("*") if path.is_file() and store.layout.corrupt not in path.parents]
    size_bytes = sum(path.stat().st_size for path in files)
    return Verification(tuple(store.damage.values()), size_bytes, _counts(store, every), _obstacle(folder))


def repair(folder: Path) -> Verification:
    """Sets damaged files aside, makes the tables for users again, and verifies the result. Raises StoreError."""
    store, _ = _verified(folder)
    layout = store.layout
    layout.create()
    store.recover()
    for damage in list(store.damage.values()):
        if damage.path.parent in (layout.plans, layout.programs):
            batch.set_aside(layout, damage.path)
    store.set_damage_aside()
    store.settle()
    view.save(store, plans.load_all(layout))
    return verify(folder)


def _verified(folder: Path) -> tuple[Store, list[Plan]]:
    layout = Layout(folder)
    if not layout.is_store():
        raise StoreError(f"no results in '{folder}'; name the folder that an experiment was run into")
    store = Store.at(folder)
    every = plans.load_all(layout, store.note)
    store.verify()
    for path in sorted(layout.programs.glob("*.json")):
        try:
            if checksum(content_of(path)) != path.stem:
                raise DamagedError("does not match its checksum")
        except (DamagedError, OSError) as error:
            store.note(damage_of(path, error, loses_runs=False))
    for damage in view.damaged_tables(store):
        store.note(damage)
    return store, every


def _obstacle(folder: Path) -> str:
    """The reason why readers refuse a store."""
    try:
        ResultTables(folder)
    except StoreError as error:
        return str(error)
    return ""


def _counts(store: Store, every: list[Plan]) -> dict[str, tuple[int, int]]:
    wanted = {plan.experiment: {run.run for run in plan.runs} for plan in every}
    return {experiment: (len(keys & store.keys), len(keys)) for experiment, keys in wanted.items()}
