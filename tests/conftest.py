"""Fixtures of all Python tests: the command line as a function, and the results of a small sweep."""

import ctypes
import fcntl
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import fairlane
import pytest
from fairlane import engine
from fairlane.algorithm.kernel import KernelError
from fairlane.cli import main
from fairlane.runs.backends.vm import kernels
from hypothesis import settings

# The same cases each time, regardless of the machine's load.
settings.register_profile("fairlane", deadline=None, derandomize=True)
settings.load_profile("fairlane")


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
    monkeypatch.setenv("FAIRLANE_TRACEBACK", "1")

    def run(*arguments: object) -> Outcome:
        before = engine.containment()
        try:
            status = main([str(argument) for argument in arguments])
        finally:
            engine.contain(**before)
        captured = capsys.readouterr()
        return Outcome(status, captured.out, captured.err)

    return run


@pytest.fixture(scope="module")
def stock_kernel(request: pytest.FixtureRequest) -> Iterator[str]:
    """The name of a kernel for QEMU; it is fetched once and stays in pytest's cache."""
    name = "debian-12"
    patch = pytest.MonkeyPatch()
    cache = request.config.cache.mkdir("kernels")
    patch.setenv("XDG_CACHE_HOME", str(cache))
    try:
        with open(cache / "lock", "w") as lock:  # another process of these tests may be about to do the same
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (kernels.root() / name / "kernel.json").exists():
                kernels.add(name)
        kernels.make_ready(kernels.find(name))
        yield name
    except KernelError as error:
        pytest.skip(str(error))
    finally:
        patch.undo()


@pytest.fixture(scope="session")
def two_flows() -> str:
    """An experiment of four points that takes no time; without `repeats`, which the test adds."""
    return """
duration = "4s"
start_jitter = "200ms"
delay_jitter = "0.5%"

[network]
rate = "10mbit"
rtt = "20ms"
buffer = "1bdp"

[[flows]]
name = "a"
algorithm = "cubic"

[[flows]]
name = "b"
algorithm = "cubic"

[sweep]
"flows.a.algorithm" = { name = "algorithm_a", values = ["cubic", "reno"] }
"network.buffer" = ["1bdp", "2bdp"]
"""


_ALGORITHMS = ["cubic", "reno"]
_BUFFERS = [12_500, 25_000]


def _scenario(first: str, buffer: int, seed: int) -> dict[str, Any]:
    return {
        "seed": seed,
        "duration_ns": 10_000_000_000,
        "links": [
            {"name": "bottleneck", "rate_bps": 10_000_000, "delay_ns": 10_000_000,
             "queue": {"kind": "fifo", "limit_bytes": buffer}, "loss": {"kind": "independent", "probability": 0.001}},
            {"name": "return", "delay_ns": 10_000_000},
        ],
        "flows": [{"algorithm": name, "forward": ["bottleneck"], "reverse": ["return"]} for name in (first, "cubic")],
    }  # fmt: skip


@pytest.fixture(scope="session")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> "fairlane.Results":
    """Two algorithms against CUBIC, two buffers, two repeats."""
    from fairlane import engine
    from fairlane.results.store import batch, plans
    from fairlane.results.store.layout import Layout
    from fairlane.scenario.plan import Axis, Plan, PlannedRun

    layout = Layout(tmp_path_factory.mktemp("results") / "store")
    layout.create()
    runs, planned = [], []
    for first in _ALGORITHMS:
        for buffer in _BUFFERS:
            for repeat in range(2):
                key = f"{len(runs):032x}"
                body = engine.run_packed(json.dumps(_scenario(first, buffer, repeat)))
                runs.append(({"run": key, "wall_s": 0.1}, body))
                groups = ({"name": "first", "algorithm": first}, {"name": "second", "algorithm": "cubic"})
                planned.append(PlannedRun(key, {"against": first, "buffer_kb": buffer / 1000}, repeat, repeat, groups))
    batch.write(layout, runs)
    axes = (
        Axis("against", "against", "", tuple(_ALGORITHMS), tuple(_ALGORITHMS)),
        Axis("buffer", "buffer_kb", "kB", (12.5, 25.0), ("12.5kB", "25kB")),
    )
    plans.save(Plan("pairs", axes, tuple(planned)), layout)
    return fairlane.open(layout.root)


NOBODY = 65534


def _as_ordinary_user(work: Callable[[], Any]) -> Any:
    """Result of `work`, for which files are those of a user without rights.

    Only this thread's file system identity changes (setfsuid), and the threads' that it starts: a forked child of a
    process with threads can wait for ever.
    """
    if os.geteuid() != 0:
        return work()
    c = ctypes.CDLL(None)
    c.setfsgid(NOBODY)
    c.setfsuid(NOBODY)
    try:
        return work()
    finally:
        c.setfsuid(0)
        c.setfsgid(0)


@pytest.fixture
def as_ordinary_user() -> Callable[[Callable[[], Any]], Any]:
    """Does something without the rights of root, for whom nothing is read-only."""
    return _as_ordinary_user


@pytest.fixture(scope="session")
def studied() -> tuple[str, ...]:
    """The thirteen algorithms that Lin et al. compare."""
    named = "cubic bic reno scalable highspeed yeah hybla htcp westwood veno vegas illinois bbr"
    return tuple(named.split())
