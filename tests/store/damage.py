"""Damages files of a small store in every way, and reads it: a wrong value must never appear in silence.

Usage: python -m tests.store.damage [TRIALS]
"""

import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from fairlane.results import view
from fairlane.results.store import batch, plans
from fairlane.results.store.journal import Journal
from fairlane.results.store.layout import Layout, StoreError
from fairlane.results.store.store import Store
from fairlane.results.tables import ResultTables
from fairlane.results.verify import repair

from .conftest import finished, plan

RUNS = 6
Rows = dict[str, Counter[tuple[object, ...]]]


def build(folder: Path, with_journal: bool) -> None:
    """Six runs: in two batches with tables for users, or the last two in a journal that a killed process left."""
    layout = Layout(folder)
    layout.create()
    batch.write(layout, [finished(number) for number in range(4)])
    if with_journal:
        journal = Journal(layout.journals)
        for number in range(4, RUNS):
            journal.append(*finished(number))
        journal.close()
    else:
        batch.write(layout, [finished(number) for number in range(4, RUNS)])
    plans.save(plan(RUNS), layout)
    view.save(Store.at(folder), [plan(RUNS)])


def read(folder: Path) -> tuple[Rows, str]:
    """Every row of every table, and the notice about them."""
    results = ResultTables(folder)
    frames = {"runs": results.runs, "flows": results.flows, "links": results.links}
    frames |= {kind: results.series(kind) for kind in ("flow", "link") if results.flows.height}
    rows = {
        name: Counter(tuple(sorted(row.items(), key=repr)) for row in frame.iter_rows(named=True))
        for name, frame in frames.items()
    }
    return rows, results.notice


def damages(content: bytes, chance: random.Random) -> Iterator[bytes]:
    """The content with a bit flipped, with a byte replaced, cut short, or with a block of zeros, at random places."""
    while True:
        at = chance.randrange(len(content))
        yield content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1 :]
        at = chance.randrange(len(content))
        yield content[:at] + bytes([(content[at] + chance.randrange(1, 256)) % 256]) + content[at + 1 :]
        yield content[: chance.randrange(len(content))]
        at = chance.randrange(len(content))
        zeros = content[:at] + bytes(min(512, len(content) - at)) + content[at + 512 :]
        if zeros != content:
            yield zeros


def trial(folder: Path, path: Path, content: bytes, before: Rows) -> str:
    """Replaces a file and reads the store: "same", "named" or "refused". Raises AssertionError for a silent change."""
    path.write_bytes(content)
    try:
        rows, notice = read(folder)
    except StoreError as error:
        return "refused" if path.name in str(error) else f"refused, and {path.name} is not named"
    if rows == before:
        return "same"
    assert notice, f"{path}: other results, and nothing is said"
    for table, found in rows.items():
        assert found <= before[table], f"{path}: {table} has rows that were never written"
    return "named"


def trials(folder: Path, with_journal: bool, count: int, check_repair: bool = False) -> Counter[str]:
    """As many trials on every file together; how they went."""
    build(folder, with_journal)
    intact = {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    before, notice = read(folder)
    assert not notice
    chance = random.Random(1)
    damaged: dict[Path, Iterator[bytes]] = {
        path: damages(content, chance) for path, content in intact.items() if content
    }
    outcomes: Counter[str] = Counter()
    for number in range(count):
        path = list(damaged)[number % len(damaged)]
        content = next(damaged[path])
        outcomes[trial(folder, path, content, before)] += 1
        if check_repair:
            assert not repair(folder).damage, f"{path}: damage is left after the repair"
            try:
                rows, _ = read(folder)
            except StoreError:
                assert path.parent.name == "plans"
                rows = {}
            assert all(found <= before[table] for table, found in rows.items())
            shutil.rmtree(folder / "corrupt", ignore_errors=True)
        restore(folder, intact)
    return outcomes


def restore(folder: Path, intact: dict[Path, bytes]) -> None:
    """Restores the original files."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_file() and path not in intact:
            path.unlink()
        elif path.is_dir() and not any(path in known.parents for known in intact) and path.name != "journals":
            path.rmdir()
    for path, content in intact.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)


def main(count: int) -> None:
    """Prints how many trials went how."""
    kinds: dict[str, Callable[[Path], Counter[str]]] = {
        "batches and tables": lambda folder: trials(folder, False, count),
        "batch and journal": lambda folder: trials(folder, True, count),
        "repair": lambda folder: trials(folder, False, count // 10, check_repair=True),
    }
    for name, run in kinds.items():
        with tempfile.TemporaryDirectory() as folder:
            print(f"{name}: {dict(run(Path(folder) / 'results'))}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
