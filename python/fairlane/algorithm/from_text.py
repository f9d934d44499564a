"""Imports Python files of users from their text.

Python would run a compiled file in `__pycache__` instead, which whoever gave the file may have filled with other code:
neither a reader nor the checksum of a remembered consent sees it. The same goes for modules without a text beside a
file. A compiled file is also out of date after a change of equal length within a second.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import FileFinder, ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType


class _FromText(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


class _Inside:
    """Finds modules in a folder; with `namespaces` its folders without an `__init__.py`, else all others."""

    def __init__(self, folder: Path, *, is_package: bool, namespaces: bool) -> None:
        self._folder, self._is_package, self._namespaces = folder, is_package, namespaces

    def find_spec(self, name: str, path: Sequence[str] | None = None, _target: object = None) -> ModuleSpec | None:
        if path is None:
            path = [] if self._is_package else [str(self._folder)]
        for entry in path:
            if Path(entry).is_relative_to(self._folder):
                found = FileFinder(entry, (_FromText, [".py"])).find_spec(name)
                if found is not None and (found.loader is None) == self._namespaces:
                    return found
        return None


def module(name: str, file: Path, *, is_package: bool = False) -> ModuleType:
    """The module of this name that a file is, which has not run. Raises OSError for other files than of Python."""
    folders = [str(file.parent)] if is_package else None
    spec = spec_from_file_location(name, file, loader=_FromText(name, str(file)), submodule_search_locations=folders)
    if spec is None or file.suffix != ".py":
        raise OSError("it is not a Python file")
    return module_from_spec(spec)


def execute(made: ModuleType) -> None:
    """Runs a module of `module`."""
    _FromText(made.__name__, str(made.__file__)).exec_module(made)


@contextmanager
def importable(folder: Path, *, is_package: bool = False) -> Iterator[None]:
    """Modules in this folder can be imported, before others of their names; those of a package only as its parts."""
    first, last = (_Inside(folder, is_package=is_package, namespaces=later) for later in (False, True))
    sys.meta_path.insert(sys.meta_path.index(PathFinder), first)
    sys.meta_path.append(last)
    try:
        yield
    finally:
        sys.meta_path.remove(first)
        sys.meta_path.remove(last)
