"""SIGKILL at random moments, on each kind of real kernel: twice here; `killing.py` takes another number."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from fairlane.backends import backend
from fairlane.backends.linux import building
from fairlane.backends.vm import kernels
from fairlane.kernel import KernelError

sys.path.insert(0, str(Path(__file__).parent))
import killing
import testbed as beds

MOMENTS = 2


def test_namespaces(tmp_path):
    try:
        building.agent()
        backend("namespaces")
    except KernelError as error:
        pytest.skip(str(error))
    one = killing.Killing(tmp_path, "namespaces", MOMENTS)
    killing.at_random_moments(one, MOMENTS, random.Random(1))


def test_vm(tmp_path, request, monkeypatch):
    cache = os.fspath(request.config.cache.mkdir("kernels"))
    monkeypatch.setenv("XDG_CACHE_HOME", cache)
    suite = "debian-12"
    try:
        if not (kernels.root() / suite / "kernel.json").exists():
            kernels.add(suite)
        backend(f"vm:{suite}")
    except KernelError as error:
        pytest.skip(str(error))
    one = killing.Killing(tmp_path, f"vm:{suite}", MOMENTS, environment={"XDG_CACHE_HOME": cache})
    killing.at_random_moments(one, MOMENTS, random.Random(2))


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
        killing.at_random_moments(one, MOMENTS, random.Random(3), bed.state)
    finally:
        bed.remove()
