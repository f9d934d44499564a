"""Round trips of pings. Skipped where this user cannot create namespaces."""

import os
import subprocess
import sys

import pytest

LOOPBACK = """
import sys
from fairlane.runs.emulation import devices, namespaces
from fairlane.runs.emulation.probes import echoes
from fairlane.algorithm.kernel import KernelError
try:
    namespaces.become_root_of_own()
    namespaces.enter(namespaces.new_network())
    devices.ip("link set lo up")
except KernelError as error:
    sys.exit(f"cannot: {error}")
for pair in zip(echoes("127.0.0.1", 5, 0.001), echoes("127.0.0.1", 5, 0.001)):
    print(*(value for echo in pair for value in (echo.rtt_ns, echo.woken_ns)))
"""


def test_two_that_ask_at_the_same_time_do_not_take_each_others_replies():
    """A reply to the other one came before the request and would give a negative time."""
    done = subprocess.run([sys.executable, "-c", LOOPBACK], capture_output=True, text=True, env=dict(os.environ))
    if "cannot: " in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    rows = [[int(word) for word in line.split()] for line in done.stdout.splitlines()]
    assert len(rows) == 5
    for first, first_woken, second, second_woken in rows:
        assert 0 < first <= first_woken
        assert 0 < second <= second_woken
