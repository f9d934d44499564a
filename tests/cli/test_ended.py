"""A command that is ended by a signal while it computes, or whose files cannot be written."""

import marshal
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fairlane.cli import commands

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


AT_THE_FIRST_IMPORT = """
import posix, sys

class Interrupts:
    def find_spec(name, path=None, target=None):
        if "fairlane" in sys.modules and name != "fairlane.__main__":
            posix.kill(posix.getpid(), 2)

sys.meta_path.insert(0, Interrupts)
"""
IN_MAIN = """
import os
from fairlane.__main__ import main
from fairlane.cli import process

process.fill_descriptors = lambda: os.kill(os.getpid(), 2)
main()
"""


@pytest.mark.parametrize(
    ("hook", "words"),
    [
        (AT_THE_FIRST_IMPORT, ["-m", "fairlane"]),
        (AT_THE_FIRST_IMPORT, ["-c", "from fairlane.__main__ import main; main()"]),
        ("", ["-c", IN_MAIN]),
    ],
)
def test_ctrl_c_before_the_command_begins_is_silent(tmp_path, monkeypatch, hook, words):
    (tmp_path / "sitecustomize.py").write_text(hook)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}")
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


def test_a_reader_that_is_gone_ends_a_command_in_silence():
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "fairlane", "algorithms"]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=60)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


SMALL = """
duration = "1s"
network = { rate = "10mbit", rtt = "20ms" }
flows = [{ algorithm = "cubic" }]
"""


FULL = """
import errno, os, sys
from pathlib import Path
from fairlane.cli import main

def full(*_):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

Path.replace = full
sys.exit(main([*sys.argv[1:], "--plot", "a.png"]))
"""


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("duel cubic reno --time 1s", "goodput"),
        ("duel cubic --time 1s --repeats 2", "goodput"),
        ("duel cubic --time 1s --json", "goodput_mbps"),
        ("advise --rate 10mbit --rtt 20ms --algorithms cubic,bbr --queues fifo", "use"),
    ],
)
def test_a_plot_that_cannot_be_written_costs_no_result(tmp_path, monkeypatch, command, printed):
    monkeypatch.delenv("FAIRLANE_TRACEBACK", raising=False)
    done = subprocess.run([sys.executable, "-c", FULL, *command.split()], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert printed in done.stdout.lower()
    assert done.stderr == "fairlane: a.png: No space left on device\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not shutil.which("prlimit"), reason="prlimit is not installed")
@pytest.mark.parametrize(
    ("command", "file"),
    [("lab start buffer", "README.md"), ("algorithm new mine", "mine.c"), ("export results csv -o tables", "runs.csv")],
)
def test_a_file_that_cannot_be_written_is_named_and_leaves_no_part(tmp_path, cli, monkeypatch, command, file):
    (tmp_path / "small.toml").write_text(SMALL)
    if command.startswith("export"):
        assert cli("run", tmp_path / "small.toml", "--results", tmp_path / "results").status == 0
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    monkeypatch.delenv("FAIRLANE_TRACEBACK", raising=False)
    # Without -B the limit would cut off the bytecode of every module that is imported for the first time.
    limited = ["prlimit", "--fsize=400", "--", sys.executable, "-B", "-m", "fairlane", *command.split()]
    done = subprocess.run(limited, cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert file in line
    assert "File too large" in line
    assert {path for path in tmp_path.rglob("*") if path.is_file()} == before
    assert not (tmp_path / "buffer").exists()


def test_bytecode_that_a_full_disk_cut_off_is_named(cli, monkeypatch):
    """Python itself notices neither the short write nor the damage."""

    monkeypatch.setattr(commands, "invoke", lambda _: marshal.loads(marshal.dumps("code")[:-1]))
    done = cli("algorithms")
    assert done.status == 1
    assert "__pycache__" in done.err
