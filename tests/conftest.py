"""What all Python tests share: the command line as a function."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from fairlane.cli import main


@dataclass(frozen=True)
class Outcome:
    status: int
    out: str
    err: str


CommandLine = Callable[..., Outcome]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """Runs `fairlane ARGUMENTS` in this process."""
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments: object) -> Outcome:
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Outcome(status, captured.out, captured.err)

    return run
