"""Where the data files of Fairlane are: in the source tree that it runs from, or inside the installed package."""

import os
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_SOURCE_TREE = _PACKAGE.parent.parent


def data_folder(name: str) -> Path:
    """The folder `studies` or `calibration`: the repository's if we run from there, else its copy in the wheel."""
    if (_SOURCE_TREE / "pyproject.toml").is_file() and (_SOURCE_TREE / name).is_dir():
        return _SOURCE_TREE / name
    return _PACKAGE / "data" / name


def cache_folder() -> Path:
    """Where large things are kept that can be made again: `$XDG_CACHE_HOME/fairlane`, or ~/.cache/fairlane."""
    root = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(root) if root else Path.home() / ".cache") / "fairlane"
