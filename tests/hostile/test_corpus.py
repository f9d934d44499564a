"""Inputs that once failed, or that reach rare branches: files below corpus/, in a folder for each subject.

A finding of `make campaign` that is fixed adds its input here.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import click
import pytest
from fairlane.algorithm.kernel import KernelError
from fairlane.runs.backends.hosts import testbeds
from fairlane.runs.emulation import shell

from tests.hostile.campaign import SUBJECTS
from tests.hostile.outcomes import command, reading
from tests.hostile.subjects import answers, machines, programs

CORPUS = Path(__file__).parent / "corpus"


def open_shell(path: Path) -> str:
    with mock.patch.object(shell, "run", side_effect=click.exceptions.Exit(0)):
        return command("shell", *json.loads(path.read_text()))


def duels(path: Path) -> str:
    return " ".join(sorted({programs.duel(path, transport) for transport in ("tcp", "quic")}))


REPLAYS: dict[str, Callable[[Path], str]] = {
    "cluster_answer": lambda path: answers.answered(path.read_bytes()),
    "testbed": lambda path: reading(lambda: testbeds.read(str(path)), KernelError),
    "kernel_package": machines.added,
    "shell_arguments": open_shell,
    "c_algorithm": duels,
    "python_algorithm": duels,
}
ACCEPTED = {"config-not-utf8.deb", "builtin-not-ascii.deb", "dashes.json", "huge-member.py.txt"}
"""All others are refused."""
NEEDED = {"kernel_package": ("dpkg-deb", "zstd")}
FILES = sorted(path for path in CORPUS.glob("*/*") if path.name != "__pycache__")


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_once_failed_is_survived(path, tmp_path):
    if lacking := [program for program in NEEDED.get(path.parent.name, ()) if shutil.which(program) is None]:
        pytest.skip(f"needs {lacking[0]}")
    copy = Path(shutil.copy(path, tmp_path / path.name.removesuffix(".txt")))  # Python that is none, for our tools
    assert REPLAYS[path.parent.name](copy) == ("accepted" if path.name in ACCEPTED else "refused")


def test_each_folder_is_a_subject_of_the_campaign():
    assert {path.name for path in CORPUS.iterdir()} == set(REPLAYS)
    assert set(REPLAYS) <= {subject.__name__ for subject in SUBJECTS}
    assert {path.name for path in FILES} >= ACCEPTED
