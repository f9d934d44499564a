"""Where exported files go, and what they are called: after the place of their run in the sweep."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from fairlane.metrics.metric import MetricError
from fairlane.metrics.subject import Run
from fairlane.plots.groups import words

if TYPE_CHECKING:
    from fairlane.store.results import Results


class ExportError(MetricError):
    """Results that cannot be exported like this; one line with the remedy."""


def title_of(results: "Results", run: Run) -> str:
    """The run in words: `rtt=20ms buffer=1bdp seed=3`."""
    axes = [f"{axis.name}={words(run[axis.column], axis.column, results)}" for axis in results.axes]
    return " ".join([str(run["experiment"]), *axes, f"seed={run['seed']}"])


def file_name(results: "Results", run: Run, *more: object) -> str:
    """A name without spaces and slashes: `buffers-20ms-1bdp-seed3`."""
    several = len(results.experiments) > 1 or not results.axes
    parts = [run["experiment"]] if several else []
    parts += [words(run[axis.column], axis.column, results) for axis in results.axes]
    parts += [f"seed{run['seed']}", *more]
    return "-".join(re.sub(r"[^A-Za-z0-9._]+", "_", str(part)).strip("_") for part in parts)


def places(names: Iterable[str], out: Path, suffix: str) -> list[Path]:
    """A path for each name: `out` itself if it has the suffix, files in the folder `out` otherwise."""
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
    return paths


def write(path: Path, content: bytes) -> Path:
    """Writes a file, its folder too."""
    make_folder(path)
    try:
        path.write_bytes(content)
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
    """What is said about a file that cannot be written."""
    return ExportError(f"cannot write '{path}' ({error.strerror or error}); name another place, or change its rights")
