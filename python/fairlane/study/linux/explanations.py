"""Explanations of large differences, written by hand: `explanations.toml` in the folder of the recorded data."""

from pathlib import Path
from typing import Any

from fairlane import files
from fairlane.files import FileError

UNKNOWN = "not explained yet."


def explain(folder: Path, *names: str) -> str:
    """The explanation of the first of these names that has one, or of a pattern `NAME*` that matches it."""
    known = load(folder)
    for name in names:
        if name in known:
            return str(known[name])
    for name in names:
        for pattern, text in known.items():
            if pattern.endswith("*") and name.startswith(pattern[:-1]):
                return str(text)
    return UNKNOWN


def load(folder: Path) -> dict[str, Any]:
    """The file's table. Raises FileError."""
    path = folder / "explanations.toml"
    if not path.is_file():
        return {}
    found = files.toml(path, "fix the file, or remove it")
    divergences = found.get("divergences", {})
    if not isinstance(divergences, dict) or not all(isinstance(text, str) for text in divergences.values()):
        raise FileError(path, "divergences is not a table of text", "fix it, or remove it")
    return found
