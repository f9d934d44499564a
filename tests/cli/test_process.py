"""Every end of a command is one line: with closed or full streams, little memory, and file names that are no text."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from fairlane import cli as package
from fairlane.cli import main


def _run(line: str, *arguments: bytes | str) -> "subprocess.CompletedProcess[bytes]":
    """`fairlane ARGUMENTS` as a process of its own, with the redirections and limits of a line of the shell."""
    command = f'{line} exec "$@"' if line.endswith(";") else f'exec "$@" {line}'
    return subprocess.run(
        ["sh", "-c", command, "sh", sys.executable, "-m", "fairlane", *arguments],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        timeout=60,
    )


DUEL = ("duel", "cubic", "--rate", "10mbit", "--rtt", "20ms")


@pytest.mark.parametrize(
    ("line", "arguments", "status", "said"),
    [
        (">&-", DUEL, 2, b"standard output is closed"),
        (">/dev/full", DUEL, 1, b"the output cannot be written: No space left on device"),
        (">/dev/full", ("--help",), 1, b"the output cannot be written: No space left on device"),
        (">/dev/full", ("--version",), 1, b"the output cannot be written: No space left on device"),
        (">/dev/full", ("duel", "--help"), 1, b"the output cannot be written: No space left on device"),
        ("ulimit -v 300000;", DUEL, 2, b"the limit on address space is 0.31 GB; allow at least 2 GB"),
        ("ulimit -s 128;", DUEL, 2, b"the limit on the stack is 0.00013 GB; allow at least 0.001 GB (ulimit -s)"),
        ("", ("show", b"\xff.toml"), 2, b"is not UTF-8; rename the file"),
    ],
)
def test_a_command_that_cannot_work_says_so_in_one_line(
    line: str, arguments: Sequence[bytes | str], status: int, said: bytes
) -> None:
    done = _run(line, *arguments)
    assert said in done.stderr
    assert (done.returncode, done.stderr.count(b"\n")) == (status, 1)


def test_closed_input_and_errors_change_nothing() -> None:
    for line in ("<&-", "<&- 2>&-"):
        done = _run(line, *DUEL)
        assert (done.returncode, b"cubic" in done.stdout, done.stderr) == (0, True, b"")


def test_a_c_file_is_compiled_without_standard_input(tmp_path: Path) -> None:
    source = Path(__file__).parents[2] / "algorithms" / "reno.c"
    mine = tmp_path / "mine.c"
    mine.write_bytes(source.read_bytes())
    done = _run("<&-", "duel", str(mine), *DUEL[2:])
    assert (done.returncode, done.stderr) == (0, b"")


def test_an_unexpected_error_names_its_kind(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise LookupError("no\nsuch thing")

    monkeypatch.setattr(package.commands, "main", broken)
    monkeypatch.delenv(package.process.TRACEBACK, raising=False)
    assert main(["algorithms"]) == package.process.FAULT
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "LookupError: no such thing at test_process.py:" in said


def _lack() -> "list[BaseException]":
    """Errors that the interpreter and libraries raise when an allocation failed."""
    wrapped = ImportError("cannot load")
    wrapped.__cause__ = MemoryError()
    unparsed = SyntaxError("invalid syntax")
    unparsed.filename = package.__file__
    return [MemoryError(), SystemError("error return without exception set"), RuntimeError("can't allocate read lock"),
            wrapped, unparsed]  # fmt: skip


@pytest.mark.parametrize("error", _lack(), ids=lambda error: type(error).__name__)
def test_a_lack_of_memory_is_no_fault(
    error: BaseException, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacks(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(package.commands, "main", lacks)
    monkeypatch.delenv(package.process.TRACEBACK, raising=False)
    assert main(["algorithms"]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "there is not enough memory" in said


def test_an_error_of_the_syntax_of_another_file_is_no_lack_of_memory() -> None:
    error = SyntaxError("invalid syntax")
    error.filename = "/tmp/mine.py"
    assert not package.process.lacks_memory(error)


def test_an_error_of_the_interpreter_with_a_cause_is_no_lack_of_memory() -> None:
    assert not package.process.lacks_memory(SystemError("bad argument to internal function"))


class _Unprintable(MemoryError):
    """As numpy's _ArrayMemoryError: its text needs an import, which fails without memory, too."""

    def __str__(self) -> str:
        raise ImportError("cannot load module more than once per process")


def test_an_error_without_a_text_ends_in_one_line() -> None:
    assert (
        package.process.last_line(_Unprintable()) == "there is not enough memory; use fewer --jobs, or raise the limit"
    )
