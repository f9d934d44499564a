"""A working folder of others: neither Fairlane nor a process that it starts takes modules or settings from it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fairlane import files
from fairlane.runs import interpreter

from tests.hostile.test_reading import EXPERIMENT

SHADOWED = [
    *(name for name in sys.stdlib_module_names if name not in sys.builtin_module_names),
    *("numpy", "polars", "click", "pydantic", "dask", "distributed", "matplotlib", "PIL", "fairlane"),
]
"""Modules that processes import, of which the folder has others."""
CANARY = "import pathlib\npathlib.Path(__file__).with_name('canary').touch()\nraise ImportError('of others')\n"
SCRIPT = """
import sys
from fairlane.cli import main
if __name__ == "__main__":
    sys.exit(main())
"""
"""The command as pip installs it."""


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """A folder with an experiment, other modules of all names, and settings of matplotlib that would block it."""
    folder = tmp_path / "theirs"
    folder.mkdir()
    for name in SHADOWED:
        (folder / f"{name}.py").write_text(CANARY)
    (folder / "file.toml").write_text(f"repeats = 2\n{EXPERIMENT}")
    os.mkfifo(folder / "matplotlibrc")
    return folder


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "arguments",
    [
        "run file.toml --results ../store --jobs 2",
        "run file.toml --results ../store --on dask --jobs 1",
        "shell --rate 10mbit --no-check -- true",
        "duel cubic ../mine.c --time 1s --plot ../plot.png",
    ],
)
def test_nothing_is_imported_from_it(theirs: Path, arguments: str) -> None:
    shutil.copy(files.data_folder("studies").parent / "algorithms" / "cubic.c", theirs.parent / "mine.c")
    (theirs.parent / "script").write_text(SCRIPT)
    command = [sys.executable, "../script", *arguments.split()]
    done = subprocess.run(command, cwd=theirs, capture_output=True, text=True, timeout=100)
    assert not (theirs / "canary").exists(), done.stderr
    if arguments.startswith("shell") and "namespace" in done.stderr:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr


def test_all_python_processes_are_started_so() -> None:
    """Those of the emulated network, too, which take too long for this test."""
    package = Path(files.__file__).parent
    started = [path for path in package.rglob("*.py") if re.search(r"executable[^\n]*\"-m\"", path.read_text("utf-8"))]
    assert {path.name for path in started} == {"interpreter.py"}
    assert "-P" in interpreter.module("any")


def test_matplotlib_is_imported_in_one_place() -> None:
    package = Path(files.__file__).parent
    importing = [
        path
        for path in package.rglob("*.py")
        if re.search(r"(?m)^\s*(import|from) matplotlib", path.read_text("utf-8"))
    ]
    assert {path.name for path in importing} == {"figure.py"}  # there for types alone
