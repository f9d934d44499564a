"""A small experiment, and the command line as a process that can be killed."""

import subprocess
import sys
from pathlib import Path

import pytest

EXPERIMENT = """
duration = "{duration}"
repeats = {repeats}
start_jitter = "100ms"

[network]
rate = "10mbit"
rtt = "20ms"
buffer = "1bdp"

[[flows]]
algorithm = "cubic"

[[flows]]
name = "rival"
algorithm = "reno"

[sweep]
"network.rtt" = ["10ms", "20ms", "40ms"]
"flows.rival.algorithm" = ["reno", "bbr"]
"""


@pytest.fixture
def experiment(tmp_path):
    """Writes an experiment of six points and returns its path."""

    def write(repeats: int = 5, duration: str = "2s", more: str = "", name: str = "small") -> Path:
        path = tmp_path / f"{name}.toml"
        path.write_text(EXPERIMENT.format(repeats=repeats, duration=duration) + more)
        return path

    return write


@pytest.fixture
def start(tmp_path):
    """Starts `fairlane ...` in a process and a session of its own."""
    started: list[subprocess.Popen[str]] = []

    def begin(*arguments: object) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-m", "fairlane", *map(str, arguments)],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()
