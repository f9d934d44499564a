"""Where the data files of Fairlane are: inside the installed package, or in the source tree beside it."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def data_folder(name: str) -> Path:
    """The folder `studies` or `calibration`: the one in the wheel, else the one of the repository."""
    packaged = _PACKAGE / "data" / name
    return packaged if packaged.is_dir() else _PACKAGE.parent.parent / name
