"""SIGKILL at random times while a real kernel runs an experiment: leaked resources and lost runs.

    python tests/backends/killing.py vm|namespaces|hosts MOMENTS [SEED]

Only the command itself is killed, as by the kernel when memory runs out: its children must find out by themselves. The
last start is not killed; after it there may be nothing on the machine that was not there before.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import testbed as beds

MARK = "FAIRLANE_KILLED_TEST"
"""A variable that all processes of a run inherit."""

EXPERIMENT = """
duration = "{duration}"
repeats = {repeats}
flows = [{{ algorithm = "cubic", forward = ["up"], reverse = ["back"] }}]
[network]
topology = "links"
links = [{{ name = "up", rate = "5mbit", burst = "1600B", buffer = "30kB" }}, {{ name = "back" }}]
"""


@dataclass
class Killing:
    """An experiment on a place, in a folder."""

    folder: Path
    place: str
    repeats: int
    duration: str = "200ms"
    kept: set = field(default_factory=set)
    killed: int = 0

    def __post_init__(self):
        (self.folder / "tmp").mkdir()
        self.path = self.folder / "small.toml"
        self.path.write_text(EXPERIMENT.format(duration=self.duration, repeats=self.repeats))
        self.environment = {
            **os.environ,
            MARK: str(self.folder),
            "TMPDIR": str(self.folder / "tmp"),
        }

    def start(self):
        command = [sys.executable, "-m", "fairlane", "run", self.path, "--on", self.place, "--jobs", "2"]
        command += ["--results", self.folder / "results"]
        with open(self.folder / "log", "ab") as log:
            return subprocess.Popen(command, cwd=self.folder, env=self.environment, stdout=log, stderr=log)

    def finished(self):
        from fairlane.results.store.store import Store

        folder = self.folder / "results"
        return Store.at(folder).keys if (folder / "fairlane-store.json").exists() else set()

    def kill_after(self, seconds):
        """Starts, and kills after that time; True if it had not ended by itself."""
        process = self.start()
        deadline_s = time.monotonic() + seconds
        while process.poll() is None and time.monotonic() < deadline_s:
            time.sleep(0.01)
        seen = self.finished()
        is_killed = process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
        after = self.finished()
        assert self.kept <= seen <= after, "a finished run was lost"
        self.kept = after
        self.killed += is_killed
        return is_killed

    def finish(self):
        """Computes missing runs; returns the seconds that it takes."""
        begin_s = time.monotonic()
        process = self.start()
        assert process.wait() == 0, (self.folder / "log").read_text()
        assert self.kept <= self.finished(), "a finished run was lost"
        assert len(self.finished()) == self.repeats
        return time.monotonic() - begin_s

    def processes(self):
        """Command lines of processes that are still there."""
        mark = f"{MARK}={self.folder}".encode()
        found = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            try:
                if mark in path.read_bytes().split(b"\0"):
                    found.append((path.parent / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
            except OSError:
                continue
        return [one for one in found if one]

    def files(self):
        return sorted(path.name for path in (self.folder / "tmp").iterdir())


def machine():
    """Devices, namespaces and rules of this machine, which a run must not leave behind."""
    from fairlane.algorithm.kernel import registry

    found = {"congestion controls": {name for name in registry.available() if name.startswith("fl_")}}
    for name, command in (("devices", "ip -br link"), ("namespaces", "ip netns"), ("queues", "tc qdisc show")):
        lines = subprocess.run(command.split(), capture_output=True, text=True).stdout.splitlines()
        found[name] = {line if name == "queues" else line.split()[0] for line in lines}
    found["mounts"] = {line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()}
    return found


def left(before, after):
    """New resources since `before`; earlier ones of other processes may disappear meanwhile."""
    return {
        name: now - before[name] if isinstance(now, set) else now
        for name, now in after.items()
        if (now - before[name] if isinstance(now, set) else now != before[name])
    }


def at_random_moments(killing, moments, drawn, state=machine, whole_s=6.0):
    """Kills at that many moments of a start; then nothing is left and nothing lost."""
    before = state()
    while killing.killed < moments:
        if not killing.kill_after(drawn.uniform(0, whole_s)):
            killing.repeats += 2  # all runs were done: some more are asked for
            killing.path.write_text(EXPERIMENT.format(duration=killing.duration, repeats=killing.repeats))
    killing.finish()
    deadline_s = time.monotonic() + 30
    while (killing.processes() or left(before, state())) and time.monotonic() < deadline_s:
        time.sleep(0.1)  # a killed process ends when the kernel has taken it apart
    assert killing.processes() == []
    assert killing.files() == []
    assert left(before, state()) == {}


def main():
    name, moments = sys.argv[1], int(sys.argv[2])
    drawn = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    with tempfile.TemporaryDirectory() as folder:
        if name != "hosts":
            killing = Killing(Path(folder), name, moments)
            at_random_moments(killing, moments, drawn)
        else:
            (Path(folder) / "bed").mkdir()
            bed = beds.create(Path(folder) / "bed")
            try:
                killing = Killing(Path(folder), str(bed.file), moments, "1s")
                at_random_moments(killing, moments, drawn, bed.state)
            finally:
                bed.remove()
        print(f"{name}: killed {killing.killed} times, {len(killing.finished())} runs stored, nothing left, none lost")


if __name__ == "__main__":
    main()
