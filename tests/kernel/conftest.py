"""Tests in the running kernel: as root, where the kernel takes programs; elsewhere they are skipped and say why.

They leave no trace: programs get names that contain the process's number, and are unloaded at the end; what an
earlier test run left when it was killed is unloaded first. The host's own default is never changed.
"""

import contextlib
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fairlane.algorithm.kernel import KernelError, Lacking, loading, registry
from fairlane.algorithm.kernel.program import KernelProgram

ALGORITHMS = Path(__file__).parents[2] / "algorithms"
PROGRAMS = sorted(path.stem for path in ALGORITHMS.glob("*.c"))

Loader = Callable[..., str]


@pytest.fixture(scope="session")
def load() -> Iterator[Loader]:
    """Loads an algorithm under a name of its own, and unloads it at the end."""
    if reason := loading.cannot_load():
        pytest.skip(reason)
    try:
        unload_leftovers()
    except Lacking as lacking:
        pytest.skip(str(lacking))
    names: list[str] = []

    def load_one(word: str, parameters: dict[str, int] | None = None) -> str:
        name = f"fl{os.getpid()}_{len(names)}"
        names.append(name)
        loading.load(KernelProgram.find(word, parameters or {}, name))
        return name

    yield load_one
    for name in names:
        with contextlib.suppress(KernelError):
            registry.unload(name)


@pytest.fixture(scope="session")
def namespaces() -> None:
    """Namespaces and a token bucket are to be had."""
    for tool in ("ip", "tc", "unshare"):
        if not shutil.which(tool):
            pytest.skip(f"there is no {tool}; install iproute2 and util-linux")
    for command in (
        "true",
        "ip link add n0 type veth peer name n1",
        "tc qdisc add dev lo root tbf rate 1mbit burst 15400 limit 10000",
    ):
        tried = subprocess.run(["unshare", "--net", *command.split()], capture_output=True, text=True)
        if tried.returncode != 0:
            pytest.skip(f"no network of our own here; {command}: {tried.stderr.strip()}")


def unload_leftovers() -> None:
    for name in registry.loaded_names():
        match = re.fullmatch(r"fl(\d+)_\d+", name)
        if match and not Path(f"/proc/{match[1]}").exists():
            with contextlib.suppress(KernelError):
                registry.unload(name)
