"""Hostile input: what hangs is interrupted, and so fails instead of blocking all tests."""

import signal

import pytest

LIMIT_S = 120
"""A test here takes a few seconds at most, even on a busy machine."""


@pytest.fixture(autouse=True)
def nothing_hangs():
    def interrupt(_signal, _frame):
        raise TimeoutError(f"not done after {LIMIT_S} s")

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.alarm(LIMIT_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
