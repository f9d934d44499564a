"""A write or an allocation that fails loses no finished run, and ends no command with a traceback.

`python -m tests.faults.walk` fails every one, here some of each kind do.
"""

import platform
import re
import subprocess
import sys

import pytest

from . import walk

WALKS = [
    "full:53:run:3",
    "broken:75:run:22",
    "full:3:report:2",
    "broken:11:export",
    "full:8:repair:3",
    "memory:3000:table",
]
FEWEST = {"run": 2, "report": 1, "export": 2, "repair": 3, "table": 2}
pytestmark = pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"), reason="the library is for x86-64 Linux"
)


@pytest.fixture
def environment(tmp_path):
    try:
        with walk.preloaded(tmp_path) as found:
            yield found
    except FileNotFoundError:
        pytest.skip("there is no C compiler")


def walked(environment, *words):
    command = [sys.executable, "-m", "tests.faults.walk", *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=500)


@pytest.mark.timeout(500)
def test_a_call_that_fails_loses_no_finished_run(environment):
    ended = walked(environment, *WALKS)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    counts = re.findall(r"^(\w+), \w+: \d+ calls, (\d+) failed, 0 findings$", ended.stdout, re.MULTILINE)
    assert len(counts) == len(WALKS), ended.stdout
    for case, failed in counts:  # a walk in which nothing fails would find nothing
        assert int(failed) >= FEWEST[case], ended.stdout
