"""The pages of the documentation, and their steps."""

import importlib.util
import tomllib
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]


def tool(path: str) -> ModuleType:
    """A program of tools/, which are in no package."""
    spec = importlib.util.spec_from_file_location(f"tools_{Path(path).stem}", ROOT / "tools" / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


walk = tool("site/walk.py")
"""Finds the steps of a page."""

FOLDERS = (
    "algorithms",
    "benchmarks",
    "calibration/linux-6.12",
    "studies",
    "studies/fiftyshades2019",
    "studies/modestbbr",
)
PAGES = {
    str(path.relative_to(ROOT)): path.read_text()
    for path in [
        ROOT / "README.md",
        *sorted((ROOT / "docs").rglob("*.md")),
        *(ROOT / folder / "README.md" for folder in FOLDERS),
    ]
}
"""The text of every page by its path."""

HOW = tomllib.loads((Path(__file__).parent / "commands.toml").read_text())
"""Commands that tests replace or skip."""
