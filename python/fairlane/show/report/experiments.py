"""The facts of an experiment for its page: number of runs, settings, software."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairlane.results.tables import ResultTables
from fairlane.show.report.medium import Air
from fairlane.show.report.series import Recording


@dataclass(frozen=True)
class Experiment:
    """A page of its own."""

    name: str
    title: str
    runs: int
    planned: int
    points: int
    repeats: str
    seeds: str
    axes: Sequence[tuple[str, str]]
    """Name and values of what was swept."""
    settings: str
    """The experiment file, inheritance resolved, as TOML."""
    assumptions: Mapping[str, str]
    differences: Mapping[str, str]
    recording: Recording | None = None
    """Its runs over time, as many as there is room for."""
    air: Air | None = None
    """The use of the air of a Wi-Fi cell."""


@dataclass(frozen=True)
class Making:
    """The provenance of results."""

    commands: Sequence[tuple[str, int]]
    """As they were typed, with the number of runs that each computed."""
    software: Sequence[tuple[str, str]]
    algorithms: Sequence[tuple[str, str]]
    """With their digests."""
    machines: Sequence[str]
    days: str
    cpu_s: float
    runs: int


def experiment(
    results: ResultTables,
    name: str,
    assumptions: Mapping[str, str] | None = None,
    differences: Mapping[str, str] | None = None,
) -> Experiment:
    """Runs, axes and settings of one experiment."""
    plan, runs = results.plans[0], results.runs
    places = {tuple(run.axes.items()) for run in plan.runs}
    seeds = sorted({run.seed for run in plan.runs})
    return Experiment(
        name=name,
        title=plan.title,
        runs=runs.height,
        planned=len(plan.runs),
        points=len(places),
        repeats=_span(repeat_counts(results)),
        seeds=_span(seeds),
        axes=[(axis.name, ", ".join(dict.fromkeys(axis.labels))) for axis in plan.axes if len(axis.values) > 1],
        settings=toml_text(plan.settings),
        assumptions=assumptions or {},
        differences=differences or {},
    )


def repeat_counts(results: ResultTables) -> list[int]:
    """The distinct numbers of repeats that points of the sweep have."""
    axes = [axis.column for axis in results.axes if axis.column in results.runs.columns]
    frame = results.runs.group_by(axes).len() if axes else results.runs.select(len=results.runs.height)
    return sorted(set(frame["len"]))


def _span(numbers: Sequence[int]) -> str:
    if not numbers:
        return "-"
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"


def making(every: Sequence[ResultTables]) -> Making:
    """The provenance of all these results; runs that experiments share count once."""
    rows: dict[str, dict[str, Any]] = {}
    columns = ["run", "command", "fairlane", "simulator", "algorithms", "python", "system", "processor", "processors"]
    columns += ["cpu_s", "finished"]
    for results in every:
        present = [column for column in columns if column in results.runs.columns]
        rows |= {row["run"]: row for row in results.runs.select(present).iter_rows(named=True)}
    commands = _tally(row.get("command") for row in rows.values())
    algorithms: dict[str, list[str]] = {}
    for text in dict.fromkeys(row.get("algorithms") or "{}" for row in rows.values()):
        for algorithm, digest in _hashes(text).items():
            if digest not in algorithms.setdefault(algorithm, []):
                algorithms[algorithm].append(digest)
    software = [
        (title, ", ".join(_tally(row.get(column) for row in rows.values())))
        for column, title in (("fairlane", "Fairlane"), ("simulator", "simulator"), ("python", "Python"))
    ]
    machines = _tally(
        f"{row.get('processor')}, {row.get('processors')} CPUs, {row.get('system')}" for row in rows.values()
    )
    days = sorted({str(row["finished"])[:10] for row in rows.values() if row.get("finished")})
    return Making(
        commands=list(commands.items()),
        software=software,
        algorithms=[(name, ", ".join(digests)) for name, digests in sorted(algorithms.items())],
        machines=list(machines),
        days=days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}" if days else "-",
        cpu_s=sum(row.get("cpu_s") or 0.0 for row in rows.values()),
        runs=len(rows),
    )


def _hashes(text: str) -> dict[str, str]:
    """The hashes of algorithms; none if a store of others has another text there."""
    try:
        found = json.loads(text)
    except (RecursionError, ValueError):
        return {}
    return {name: str(one) for name, one in found.items()} if isinstance(found, dict) else {}


def _tally(values: Iterable[Any]) -> Counter[str]:
    return Counter(str(value) for value in values if value is not None)


_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_text(settings: Mapping[str, Any]) -> str:
    """Plain values first, then tables and lists of tables, each under its heading.

    >>> print(toml_text({"flows": [{"name": "a"}], "network": {"rate": "1gbit", "queue": {"kind": "fq"}}, "hz": 250}))
    hz = 250
    <BLANKLINE>
    [[flows]]
    name = "a"
    <BLANKLINE>
    [network]
    rate = "1gbit"
    <BLANKLINE>
    [network.queue]
    kind = "fq"
    """
    return "\n".join(_table(settings, ())).strip()


def _table(table: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    lines = [f"{_key(name)} = {_value(value)}" for name, value in table.items() if not _has_heading(value, path)]
    for name, value in table.items():
        if not _has_heading(value, path):
            continue
        inner = (*path, name)
        heading = ".".join(map(_key, inner))
        if isinstance(value, Mapping):
            lines += ["", f"[{heading}]", *_table(value, inner)]
        else:
            for one in value:
                lines += ["", f"[[{heading}]]", *_table(one, inner)]
    return lines


def _has_heading(value: Any, path: tuple[str, ...]) -> bool:
    """Tables and lists of tables; deeper ones are written inline."""
    if isinstance(value, Mapping):
        return len(path) < 2
    return isinstance(value, list) and bool(value) and not path and all(isinstance(one, Mapping) for one in value)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_key(name)} = {_value(one)}' for name, one in value.items())} }}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_value, value))}]"
    # Strings, numbers, true and false are written as in JSON.
    return json.dumps(value, ensure_ascii=False)
