"""Headers and modules beside a program of others neither block a command nor fill the memory, before any of it runs."""

import os
import resource
import subprocess
import sys

import pytest
from fairlane.algorithm import program_files
from fairlane.files import FileError

EXPERIMENT = """
duration = "1s"
flows = [{{ algorithm = "./{}" }}]
network = {{ rate = "10mbit", rtt = "20ms", buffer = "1bdp" }}
"""
MODULE = "import beside\n"
HEADER = '#include "beside.h"\n'
MEMORY_BYTES = 6 << 30


def pipe(path):
    os.mkfifo(path)


def endless(path):
    path.symlink_to("/dev/zero")


def itself(path):
    path.symlink_to(path.name)


def folder(path):
    path.mkdir()


def huge(path):
    with path.open("wb") as file:
        file.truncate(50 << 30)  # takes no space on the disk


def chain(path):
    """More headers than Python has stack."""
    form = "import beside{0}\n" if path.suffix == ".py" else '#include "beside{0}.h"\n'
    for number in range(3000):
        path.with_name(f"beside{number or ''}{path.suffix}").write_text(form.format(number + 1))


def deep(path):
    """Nested deeper than Python parses, whatever the language."""
    path.write_text("(" * 100_000)


def long_name(path):
    path.write_text(f'#include "{"x" * 5000}"\n#include "a\0b"\n')


MADE = [pipe, endless, itself, folder, huge, chain, deep, long_name]


@pytest.mark.parametrize("make", MADE, ids=lambda make: make.__name__)
@pytest.mark.parametrize(("program", "beside"), [("theirs.py", "beside.py"), ("theirs.c", "beside.h")])
def test_a_command_ends_with_a_line_whatever_is_beside_a_program(make, program, beside, tmp_path):
    (tmp_path / program).write_text(MODULE if beside.endswith(".py") else HEADER)
    (tmp_path / "file.toml").write_text(EXPERIMENT.format(program))
    make(tmp_path / beside)
    for command in ("show", "run"):
        ended = subprocess.run(
            [sys.executable, "-m", "fairlane", command, "file.toml"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=100,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES)),
        )
        assert (ended.returncode, ended.stderr.count("\n")) == (2, 1), ended.stderr[:2000]
        assert ended.stderr.startswith("fairlane: "), ended.stderr


def test_files_of_a_program_are_in_the_order_of_inclusion_each_once(tmp_path):
    for name, text in [
        ("a.c", '#include "b.h"\n#include "d.h"\n'),
        ("b.h", '#include "c.h"\n#include "a.c"\n'),
        ("c.h", '#include "d.h"\n#include "none.h"\n'),
        ("d.h", ""),
    ]:
        (tmp_path / name).write_text(text)
    assert [path.name for path in program_files.files(str(tmp_path / "a.c"))] == ["a.c", "b.h", "c.h", "d.h"]


def test_modules_of_a_program_are_looked_for_in_its_folder(tmp_path):
    (tmp_path / "package").mkdir()
    for name, text in [
        ("a.py", "import package.b\nfrom c import d\n"),
        ("package/__init__.py", "from . import e\n"),
        ("package/b.py", "import c\n"),
        ("package/e.py", ""),
        ("package/c.py", ""),
        ("c.py", ""),
    ]:
        (tmp_path / name).write_text(text)
    found = [str(path.relative_to(tmp_path)) for path in program_files.files(str(tmp_path / "a.py"))]
    assert found == ["a.py", "package/__init__.py", "package/e.py", "package/b.py", "c.py"]


def test_a_program_has_limits(tmp_path, monkeypatch):
    monkeypatch.setattr(program_files, "MAX_FILES", 3)
    chain(tmp_path / "beside.h")
    with pytest.raises(FileError, match=r"beside\.h: includes or imports more than 3 files"):
        program_files.files(str(tmp_path / "beside.h"))
    monkeypatch.setattr(program_files, "MAX_TOTAL_BYTES", 30)
    with pytest.raises(FileError, match="or 0 MiB"):
        program_files.files(str(tmp_path / "beside1.h"))
