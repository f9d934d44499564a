"""What people see while they wait."""

import sys

import pytest
from fairlane.sweep.progress import meanwhile


def test_says_what_takes_a_while_and_wipes_it(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with meanwhile("counting"):
        assert capsys.readouterr().err.endswith("counting ...")
    assert capsys.readouterr().err == "\r\x1b[K"


def test_wipes_it_when_it_fails(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with pytest.raises(ValueError, match="wrong"), meanwhile("counting"):
        raise ValueError("wrong")
    assert capsys.readouterr().err.endswith("\r\x1b[K")


def test_is_silent_where_nobody_watches(capsys):
    with meanwhile("counting"):
        pass
    assert capsys.readouterr().err == ""
