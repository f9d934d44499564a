"""Names of exported files, after the point of their run in the sweep, and how they are written."""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from fairlane.engine.messages import counted
from fairlane.files import replacing
from fairlane.results.metrics.metric import MetricError
from fairlane.results.metrics.source import runs
from fairlane.results.metrics.subject import Run
from fairlane.results.tables import ResultTables

Json = dict[str, Any]
"""A value of a file in another program's format."""


class ExportError(MetricError):
    """ResultTables that cannot be exported like this; one line with the remedy."""


def title_of(results: ResultTables, run: Run) -> str:
    """The run in words: `rtt=20ms buffer=1bdp seed=3`."""
    axes = [f"{axis.name}={axis.label(run[axis.column])}" for axis in results.axes]
    return " ".join([str(run["experiment"]), *axes, f"seed={run['seed']}"])


def file_name(results: ResultTables, run: Run, *more: object) -> str:
    """A name without spaces and slashes: `buffers-20ms-1bdp-seed3`."""
    several = len(results.experiments) > 1 or not results.axes
    parts = [run["experiment"]] if several else []
    parts += [axis.label(run[axis.column]) for axis in results.axes]
    parts += [f"seed{run['seed']}", *more]
    return "-".join(re.sub(r"[^A-Za-z0-9._]+", "_", str(part)).strip("_") for part in parts)


Tell = Callable[[str], None]
"""Receives one line of what the user must know about an export."""

MANY_FILES = 1000
NAMED = 3
"""Flows that were left out and are named; of more only the number is given."""


def ignore(line: str) -> None:
    """Discards the line."""


def sampled_runs(results: ResultTables, filters: Mapping[str, Any], tell: Tell) -> list[Run]:
    """The runs with flows of which there are samples, and only these flows; `tell` is told of the others and why."""
    every = list(runs(results, filters))
    short = [flow for run in every for flow in run.flows if not flow.is_sampled]
    if short:
        named = [
            f"flow {flow['flow']} ({flow.label}) of {title_of(results, flow.run)}" for flow in short[:NAMED] if flow.run
        ]
        more = [f"{len(short) - NAMED:,} more"] if len(short) > NAMED else []
        tell(
            f"{counted(len(short), 'flow')} left out, too short for a sample: "
            f"{'; '.join([*named, *more])}; shorten metrics.interval in the experiment file to include them"
        )
    for run in every:
        run.flows = [flow for flow in run.flows if flow.is_sampled]
    found = [run for run in every if run.flows]
    if every and not found:
        raise ExportError("every flow is too short for a sample; shorten metrics.interval in the experiment file")
    return found


def places(names: Iterable[str], out: Path, suffix: str, tell: Tell) -> list[Path]:
    """A path for each name: `out` itself if it has the suffix, files in the folder `out` otherwise.

    `tell` is told if they are many.
    """
    wanted = list(names)
    if not wanted:
        raise ExportError("no flow in the results is like that; widen --where")
    if out.name.endswith(suffix):
        if len(wanted) > 1:
            raise ExportError(
                f"{len(wanted)} files would go into '{out}'; name a folder instead, or choose one with --where"
            )
        return [out]
    if out.suffix and not out.is_dir() and out.suffix[1:].isalpha():
        raise ExportError(f"'{out}' is neither a folder nor a file in {suffix}; end it so, or leave the suffix out")
    seen: dict[str, int] = {}
    paths = []
    for name in wanted:
        seen[name] = seen.get(name, 0) + 1
        paths.append(out / f"{name}{f'-{seen[name]}' if seen[name] > 1 else ''}{suffix}")
    if len(paths) > MANY_FILES:
        tell(f"{len(paths):,} files will be written to '{out}'; --where selects fewer")
    return paths


def write(path: Path, content: bytes) -> Path:
    """Writes a file, its folder too."""
    make_folder(path)
    try:
        with replacing(path) as temporary:
            temporary.write_bytes(content)
    except OSError as error:
        raise refused(path, error) from None
    return path


def make_folder(path: Path) -> None:
    """Makes the folder that a file goes into."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refused(path.parent, error) from None


def refused(path: Path, error: OSError) -> ExportError:
    """The error for a file that cannot be written."""
    return ExportError(
        f"cannot write '{path}' ({error.strerror or error}); choose another path, or change its permissions"
    )
