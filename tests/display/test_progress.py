"""Progress bars."""

import contextlib
import io
import re

import pytest
from fairlane.show.text.progress import Bar, meanwhile


class Terminal(io.StringIO):
    def isatty(self):
        return True

    @property
    def shown(self):
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self.getvalue())

    @property
    def wiped(self):
        return self.getvalue().rstrip("\r").endswith("\x1b[2K")


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    return Terminal()


def test_shows_progress_and_erases_it(terminal):
    with contextlib.redirect_stderr(terminal), meanwhile("counting"):
        pass
    assert "counting ..." in terminal.shown
    assert terminal.wiped


def test_wipes_it_when_it_fails(terminal):
    with contextlib.redirect_stderr(terminal), pytest.raises(ValueError, match="wrong"), meanwhile("counting"):
        raise ValueError("wrong")
    assert terminal.wiped


def test_a_bar_counts_and_is_wiped(terminal):
    with contextlib.redirect_stderr(terminal):
        bar = Bar(4, "[tables]")
        bar.step()
        bar.show(0.25, 75.0)
        bar.finish()
    assert "0 of 4 [tables]" in terminal.shown
    assert "1 of 4 [tables], 1 min 15 s left" in terminal.shown
    assert terminal.wiped


def test_is_silent_without_a_terminal(capsys):
    with meanwhile("counting"):
        bar = Bar(2, "runs")
        bar.step()
        bar.finish()
    assert capsys.readouterr().err == ""
    assert bar.text(None) == "1 of 2 runs"


def test_a_bar_of_nothing_is_never_drawn(terminal):
    with contextlib.redirect_stderr(terminal):
        bar = Bar(0, "runs")
        for _ in range(2):
            bar.step(drawn_every=2)
        bar.finish()
    assert terminal.getvalue() == ""


def test_a_bar_does_not_redirect_output(terminal, capsys):
    with contextlib.redirect_stderr(terminal):
        bar = Bar(2, "runs")
        print("a result")
        bar.finish()
    assert capsys.readouterr().out == "a result\n"
    assert "a result" not in terminal.shown
