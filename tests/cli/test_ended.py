"""A command that is ended by a signal while it computes."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

LONG = """
repeats = 2
duration = "100000s"

[network]
rate = "1gbit"
rtt = "20ms"

[[flows]]
algorithm = "cubic"
"""


def workers(process):
    """The processes that a command has started and that still run, by their ids."""
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = place.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if int(parent) == process.pid and state != "Z":
            found.append(place.parent.name)
    return found


def _heed_hangups():
    """A program that nohup started ignores them, and tests may run under it."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def _started(folder, *command):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-m", "fairlane", *command], cwd=folder, preexec_fn=_heed_hangups, **pipes)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_signal_ends_a_command_and_its_workers(tmp_path, name):
    (tmp_path / "long.toml").write_text(LONG)
    with _started(tmp_path, "run", "long.toml", "--jobs", "2", "--results", "results") as process:
        end = time.monotonic() + 60
        while len(started := workers(process)) < 2:
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < end
            time.sleep(0.05)
        time.sleep(1.0)  # the workers compute
        process.send_signal(getattr(signal, name))
        error = process.communicate(timeout=30)[1]
    assert process.returncode == {"SIGTERM": 143, "SIGHUP": 129, "SIGINT": 130}[name]
    assert "Traceback" not in error
    assert [line for line in error.splitlines() if line.startswith("fairlane: ")] == ["fairlane: stopped"]
    end = time.monotonic() + 5
    while any(Path("/proc", one).exists() for one in started):
        assert time.monotonic() < end, "a worker still computes"
        time.sleep(0.05)


def test_a_signal_ends_runs_in_threads(tmp_path):
    """These compute in the process of the command, whose end does not wait for them."""
    with _started(tmp_path, "duel", "cubic", "reno", "--time", "100000s", "--repeats", "2") as process:
        end = time.monotonic() + 60
        while len(list(Path(f"/proc/{process.pid}/task").iterdir())) < 3:
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < end
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        try:
            error = process.communicate(timeout=10)[1]
        finally:
            process.kill()
    assert (process.returncode, error.split("\n")[1:]) == (143, ["", "fairlane: stopped", ""])
