"""Reads an experiment file and what it inherits from, and remembers which file said what."""

import copy
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fairlane import files
from fairlane.files import FileError, LimitError
from fairlane.scenario.diagnostics import ExperimentError, Place

Toml = dict[str, object]
"""A table as a file has it."""
TEMPLATES = {path.stem: path for path in sorted((Path(__file__).parent / "templates" / "experiments").glob("*.toml"))}
"""Commented experiment files to start from, by name: one for each kind of network."""
MAX_DEPTH = 20
"""Generations of inheritance."""
MAX_FILES = 200
"""Files that one experiment may consist of."""


@dataclass
class Document:
    """An experiment file, inheritance resolved."""

    path: Path | None
    """None for a dictionary."""
    data: dict[str, Any]
    origins: dict[Place, Path] = field(default_factory=dict)
    """The file of each value."""

    @property
    def shown(self) -> str:
        """Its name in messages."""
        return str(self.path) if self.path else "experiment"

    def origin(self, place: Place) -> str:
        """The file that said what stands at `place`, or the nearest thing above it."""
        for length in range(len(place), 0, -1):
            if place[:length] in self.origins:
                return str(self.origins[place[:length]])
        return self.shown


def read(source: Path | Mapping[str, object], *, remedy: str = "name an experiment file") -> Document:
    """Reads a file, or takes a dictionary of the same form (whose paths are relative to the current folder).

    `remedy` is what helps where the file cannot be read.
    """
    if not isinstance(source, Path):
        try:
            files.check_limits(source)
        except LimitError as error:
            raise ExperimentError([f"experiment: {error}"]) from None
        data = copy.deepcopy(dict(source))
        return _Reader().inherited(Document(None, data), Path(), ())
    return _Reader().read(source, (), remedy)


class _Reader:
    """Reads the files of one experiment, each of them once, however many inherit from it."""

    def __init__(self) -> None:
        self._read: dict[str, Document] = {}

    def read(self, path: Path, above: tuple[Path, ...], remedy: str) -> Document:
        """A file on top of what it inherits from; `above` are the files that inherit from it."""
        known = self._read.get(_identity(path))
        if known is not None:
            return known
        if len(self._read) >= MAX_FILES:
            raise ExperimentError([f"{path}: the experiment inherits from more than {MAX_FILES} files; merge some"])
        try:
            data = files.toml(path, remedy)
        except FileError as error:
            raise ExperimentError([str(error)]) from None
        document = Document(path, data)
        _note(document, data, (), path)
        _make_paths_relative_to(path.parent, data)
        found = self.inherited(document, path.parent, above)
        self._read[_identity(path)] = found
        return found

    def inherited(self, document: Document, folder: Path, above: tuple[Path, ...]) -> Document:
        """The document on top of what it inherits from."""
        parents = document.data.pop("inherits", [])
        parents = [parents] if isinstance(parents, str) else parents
        if not isinstance(parents, list) or not all(_is_path(parent) for parent in parents):
            raise ExperimentError(
                [f'{document.shown}: inherits: must be a file or a list of files, such as "base.toml"']
            )
        base: Toml = {}
        origins: dict[Place, Path] = {}
        chain = (*above, document.path) if document.path else above
        for parent in dict.fromkeys(parents):
            path = folder / parent
            if _identity(path) in map(_identity, chain):
                raise ExperimentError([f"{document.shown}: inherits: {path} inherits from this file; break the circle"])
            if len(chain) > MAX_DEPTH:
                raise ExperimentError(
                    [f"{document.shown}: inherits: more than {MAX_DEPTH} generations of files; merge some"]
                )
            remedy = f"{chain[-1]} inherits from it" if chain else "the experiment inherits from it"
            found = self.read(path, chain, remedy)
            below = {key: value for key, value in found.data.items() if key != "name"}  # a name is of one experiment
            base = merge(base, below)
            origins |= found.origins
        return Document(document.path, merge(base, document.data), origins | document.origins)


def _identity(path: Path) -> str:
    """The same for all names of a file; a path that cannot be resolved fails when it is read."""
    return str(path) if "\0" in str(path) else os.path.realpath(path)


def _is_path(parent: Any) -> bool:
    return isinstance(parent, str) and "\0" not in parent


def merge(base: Mapping[str, object], top: Mapping[str, object]) -> Toml:
    """`top` over `base`: tables are merged, everything else is replaced.

    A table that says which kind of thing it is, and says another kind than the one below, replaces it:
    what belongs to a dumbbell would make no sense in a parking lot.
    """
    merged = dict(base)
    for key, value in top.items():
        below = merged.get(key)
        if isinstance(value, dict) and isinstance(below, dict) and not _differ(below, value):
            merged[key] = merge(below, value)
        else:
            merged[key] = value
    return merged


def _differ(below: Mapping[str, object], value: Mapping[str, object]) -> bool:
    return any(key in value and value[key] != below.get(key) for key in ("kind", "topology"))


def _note(document: Document, value: Any, place: Place, path: Path) -> None:
    """Remembers that `path` said what stands at `place` and below."""
    document.origins[place] = path
    items: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        _note(document, inner, (*place, key), path)


FILES = ("trace", "file", "arrivals")
"""Keys whose values are paths of files."""


def _make_paths_relative_to(folder: Path, data: Any) -> None:
    """Paths of algorithms and files are meant from the file that has them."""
    if isinstance(data, dict):
        for key, value in data.items():
            last = key.rsplit(".", 1)[-1]
            if last in ("algorithm", *FILES):
                data[key] = _moved(folder, value, is_file=last != "algorithm")
            else:
                _make_paths_relative_to(folder, value)
    elif isinstance(data, list):
        for value in data:
            _make_paths_relative_to(folder, value)


def _moved(folder: Path, value: Any, *, is_file: bool) -> Any:
    if isinstance(value, list):
        return [_moved(folder, one, is_file=is_file) for one in value]
    if isinstance(value, dict):
        return {
            key: _moved(folder, one, is_file=is_file) if key in ("values", "algorithm", *FILES) else one
            for key, one in value.items()
        }
    if isinstance(value, str) and not Path(value).is_absolute():
        name = value if is_file else value.rpartition("/")[2].partition(":")[0]
        if is_file or "/" in value or name.endswith((".c", ".py")):
            moved = folder / value
            return str(moved) if "/" in str(moved) else f"./{moved}"
    return value
