"""Commented experiment files to start from: one for each kind of network in `fairlane/templates/experiments`."""

from pathlib import Path

FOLDER = Path(__file__).parent / "templates" / "experiments"


def templates() -> dict[str, str]:
    """Names, and the first line of each file without its mark."""
    found = sorted(FOLDER.glob("*.toml"))
    return {path.stem: path.read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("# ") for path in found}


def path_of(name: str) -> Path:
    """The path of a template."""
    return FOLDER / f"{name}.toml"


def text_of(name: str) -> str:
    """The content of a template."""
    return path_of(name).read_text(encoding="utf-8")
