"""The tests of a crate are one program of several files: a file that `main.rs` does not name would never run."""

import re
from pathlib import Path

import pytest

PROGRAMS = sorted((Path(__file__).parents[2] / "crates").glob("*/tests/*/main.rs"))


@pytest.mark.parametrize("main", PROGRAMS, ids=lambda main: main.parts[-4])
def test_every_file_is_part_of_the_program(main):
    named = re.findall(r"^mod (\w+);$", main.read_text(), re.MULTILINE)
    files = {path.stem for path in main.parent.glob("*.rs")} - {"main"}
    folders = {path.parent.name for path in main.parent.glob("*/mod.rs")}
    assert named == sorted(files | folders)


def test_there_are_such_programs():
    assert PROGRAMS
