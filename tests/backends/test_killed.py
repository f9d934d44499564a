"""SIGKILL at random moments, on each kind of real kernel: twice here; `killing.py` takes another number."""

import random
import subprocess
import sys
from pathlib import Path

import pytest
from fairlane.algorithm.kernel import KernelError
from fairlane.runs.backends import backend
from fairlane.runs.backends.linux import building

sys.path.insert(0, str(Path(__file__).parent))
import killing
import testbed as beds

MOMENTS = 2
WHOLE_S = 3.0
"""Moments are drawn up to here: later than the start of a run, and earlier than the end of both."""


def test_namespaces(tmp_path):
    try:
        building.agent()
        backend("namespaces")
    except KernelError as error:
        pytest.skip(str(error))
    one = killing.Killing(tmp_path, "namespaces", MOMENTS)
    killing.at_random_moments(one, MOMENTS, random.Random(1), whole_s=WHOLE_S)


def test_vm(tmp_path, stock_kernel):
    one = killing.Killing(tmp_path, f"vm:{stock_kernel}", MOMENTS)
    killing.at_random_moments(one, MOMENTS, random.Random(2), whole_s=WHOLE_S)


def test_hosts(tmp_path):
    pytest.importorskip("asyncssh", reason="hosts over SSH need asyncssh")
    if reason := beds.lacking():
        pytest.skip(reason)
    (tmp_path / "bed").mkdir()
    try:
        bed = beds.create(tmp_path / "bed")
    except (OSError, subprocess.CalledProcessError, RuntimeError) as error:
        pytest.skip(f"no testbed can be made here: {error}")
    try:
        one = killing.Killing(tmp_path, str(bed.file), MOMENTS, "1s")
        killing.at_random_moments(one, MOMENTS, random.Random(3), bed.state, WHOLE_S)
    finally:
        bed.remove()


def test_only_new_resources_count_as_leaked():
    before = {"namespaces": {"a", "b"}, "router": ["queue"]}
    assert killing.left(before, {"namespaces": {"b"}, "router": ["queue"]}) == {}
    assert killing.left(before, {"namespaces": {"b", "c"}, "router": []}) == {"namespaces": {"c"}, "router": []}
