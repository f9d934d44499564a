"""Fails the writes and the allocations of commands, one after the other: no finished run is lost, no traceback printed.

    python -m tests.faults.walk KIND[:STRIDE[:CASE[:FIRST]]] ...

KIND is "full" (ENOSPC), "broken" (EIO), "filling" (ENOSPC from one call on), "memory" (allocations of the interpreter)
or "libraries" (those of other packages, some of which end the process by a signal). Every STRIDE-th call fails, from
FIRST on: walks from other numbers come to all calls in the end.
Prints counts, and exits with status 1 after any finding. After each fault:

- the exit status is 0, 1 or 2, and standard error has a few whole lines and no traceback;
- the runs that were finished before can be read, and no other values than without the fault;
- the same command completes, and everything equals the outcome without the fault.
"""

import contextlib
import errno
import json
import os
import pickle
import re
import shutil
import signal
import struct
import subprocess
import sys
import sysconfig
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl
from fairlane.cli import main
from fairlane.results.store.layout import Layout, StoreError
from fairlane.results.store.store import Store
from fairlane.results.tables import ResultTables
from fairlane.runs.backends import backend, provenance
from fairlane.runs.recorder import Recorder
from fairlane.runs.sweep import runner
from fairlane.scenario.load import load

for _name in ("export", "plot", "report", "reproduce", "run", "table", "verify"):  # once, before processes are forked
    import_module(f"fairlane.cli.{_name}")
import_module("fairlane.results.metrics")

EXPERIMENT = """
duration = "1s"
repeats = 2
start_jitter = "100ms"
[network]
rate = "10mbit"
rtt = "20ms"
buffer = "1bdp"
[[flows]]
algorithm = "cubic"
[sweep]
"network.rtt" = ["10ms", "20ms", "40ms"]
"""
KINDS = {"full": (errno.ENOSPC, False), "broken": (errno.EIO, False), "filling": (errno.ENOSPC, True)}
_INTERPRETER = "/libpython" if sysconfig.get_config_var("Py_ENABLE_SHARED") else os.path.realpath(sys.executable)
ALLOCATIONS = {"memory": _INTERPRETER, "libraries": "/site-packages/"}
"""Part of the path of the code whose allocations fail."""
LIMIT_S = 300
MOST_LINES = 8
_OWN = re.compile(r"_s$|_mb$|^finished$|^command$|^usage")
"""Columns of a run that differ each time: times, memory."""


class Finding(AssertionError):
    """A fault that was not survived."""


@dataclass(frozen=True)
class Case:
    """A command, and the folder that it starts from."""

    name: str
    start: str
    """The folder in which its files are."""
    arguments: Callable[[Path], list[object]]
    output: str = ""
    """A file or folder that it writes, besides the store."""


_STUDY = ("reproduce", "modestbbr", "--quick", "--only", "ratios")
CASES = [
    Case("run", "begun", lambda place: ["run", place / "small.toml", "--results", place / "store", "--jobs", 2]),
    Case("report", "whole", lambda place: ["report", place / "store", "-o", place / "page.html"], "page.html"),
    Case("export", "whole", lambda place: ["export", place / "store", "csv", "-o", place / "tables"], "tables"),
    Case("latex", "whole", lambda place: ["report", place / "store", "--latex", place / "paper"], "paper"),
    Case("flent", "whole", lambda place: ["export", place / "store", "flent", "-o", place / "flent"], "flent"),
    Case("plot", "whole", lambda place: ["plot", place / "store", "box", "-o", place / "plot.png"], "plot.png"),
    Case("table", "spoiled", lambda place: ["table", place / "store"]),
    Case("repair", "damaged", lambda place: ["verify", place / "store", "--repair"]),
    Case("reproduce", "reproduced", lambda place: [*_STUDY, "--results", place / "store"], "store/ratios"),
]


class Faults:
    """The page that `faults.c` reads in all processes; its members are those of `struct plan`."""

    _HEAD = struct.Struct("<5Q88s")

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR)

    def set(self, at: int = 0, error: int = 0, lasting: bool = False, process: int = 0, memory_of: str = "") -> None:
        """Counts anew; call `at` fails."""
        head = self._HEAD.pack(0, at, lasting, error, process, memory_of.encode())
        os.pwrite(self._file, head.ljust(4096, b"\0"), 0)

    def seen(self) -> tuple[int, str]:
        """How many calls were counted, and which one failed."""
        page = os.pread(self._file, 4096, 0)
        return self._HEAD.unpack_from(page)[0], page[self._HEAD.size :].split(b"\0", 1)[0].decode(errors="replace")


@dataclass(frozen=True)
class Ended:
    """A command that ended."""

    status: int
    out: str
    err: str


def forked(work: Callable[[], object], folder: Path) -> tuple[int, Any, str, str]:
    """Does work in a process of its own: its status, what it returned, and what was printed."""
    out, err, found = (folder / name for name in ("out", "err", "found"))
    for path in (out, err, found):
        path.write_bytes(b"")
    child = os.fork()
    if child == 0:
        status = 70
        try:
            signal.alarm(LIMIT_S)
            os.dup2(os.open(out, os.O_WRONLY | os.O_TRUNC), 1)
            os.dup2(os.open(err, os.O_WRONLY | os.O_TRUNC), 2)
            value = work()
            with contextlib.suppress(OSError, ValueError):
                sys.stdout.flush()
                sys.stderr.flush()
            found.write_bytes(pickle.dumps(value))
            status = value if isinstance(value, int) else 0
        except BaseException:
            os.write(2, traceback.format_exc().encode())
        finally:
            os._exit(status)
    _, waited = os.waitpid(child, 0)
    content = found.read_bytes()
    value = pickle.loads(content) if content else None
    return os.waitstatus_to_exitcode(waited), value, out.read_text(), err.read_text()


def values(store: Path) -> dict[str, Counter[str]]:
    """Every row of every table, without what differs each time; runs by key."""
    results = ResultTables(store)
    frames: dict[str, pl.DataFrame] = {"runs": results.runs, "flows": results.flows, "links": results.links}
    frames |= {kind: results.series(kind) for kind in ("flow", "link") if results.flows.height}
    return {
        name: Counter(
            json.dumps(
                {column: value for column, value in row.items() if value is not None and not _OWN.search(column)},
                default=str,
                sort_keys=True,
            )
            for row in frame.drop("scenario", "cpu", strict=False).iter_rows(named=True)
        )
        for name, frame in frames.items()
    }


def readable(store: Path) -> dict[str, Any]:
    """The readable content: the keys of finished runs, and all values."""
    try:
        return {"keys": set(Store.at(store).keys), "values": values(store)}
    except StoreError as error:
        return {"keys": set(), "values": {}, "error": str(error)}


def files(path: Path) -> dict[str, bytes]:
    """The content of a file, or of each one of a folder."""
    inside = [path] if path.is_file() else sorted(one for one in path.rglob("*") if one.is_file())
    return {str(one.relative_to(path)): one.read_bytes() for one in inside}


class Walk:
    """A walk through the calls of commands, in a folder of its own."""

    def __init__(self, faults: Faults, folder: Path) -> None:
        self.faults, self.folder, self.place = faults, folder, folder / "place"
        self.starts = folder / "starts"
        self.aside = folder / "aside"
        self.aside.mkdir()
        self.prepare()

    def command(self, case: Case, place: Path, before: Callable[[], None] = lambda: None) -> Ended:
        """Runs a command in a process."""

        def work() -> int:
            before()
            status = main([str(word) for word in case.arguments(place)])
            sys.stdout.flush()
            self.faults_off()
            return status

        status, _, out, err = forked(work, self.aside)
        return Ended(status, out, err)

    def faults_off(self) -> None:
        """Nothing fails any more."""
        os.pwrite(self.faults._file, bytes(8), 8)

    def read(self, store: Path) -> dict[str, Any]:
        """The content of a store that readers find."""
        status, found, _, err = forked(lambda: readable(store), self.aside)
        if status:
            raise Finding(f"the store cannot be read: {err}")
        assert isinstance(found, dict)
        return found

    def prepare(self) -> None:
        """Makes the folders that cases start from, at the place where they are used: files name their place."""
        self.faults.set()
        begun, whole = self.starts / "begun", self.starts / "whole"
        begun.mkdir(parents=True)
        self.at_place(begun)
        for work in (self._first_point, self._left_journal):
            status, _, _, err = forked(work, self.aside)
            assert status == 0, err
        self.keep("begun")
        ended = self.command(CASES[0], self.place)
        assert ended.status == 0, ended
        self.keep("whole")
        for name, spoil in (("spoiled", False), ("damaged", True)):
            shutil.copytree(whole, self.starts / name)
            _flip(self.starts / name / "store" / "flows.parquet")
            if spoil:
                _flip(sorted((self.starts / name / "store" / "batches").glob("*/flows.parquet"))[0])

    def _first_point(self) -> int:
        file = self.place / "small.toml"
        file.write_text(EXPERIMENT.replace(', "20ms", "40ms"', ""))
        status = main(["run", str(file), "--results", str(self.place / "store")])
        file.write_text(EXPERIMENT)
        return status

    def _left_journal(self) -> int:
        """Computes one more run, whose process is killed before it makes a batch."""
        experiment = load(self.place / "small.toml")
        planned = runner.plan(experiment, identity=backend().identity())
        store = Store.at(self.place / "store")
        task = runner.prepare(experiment, planned, store.keys).tasks[0]
        recorder = Recorder(Layout(self.place / "store"), provenance.common(backend().identity()))
        recorder.record({"run": task.run, "scenario": task.scenario, "meta": task.meta}, backend().run(task.scenario))
        return 0

    def keep(self, name: str) -> None:
        """Keeps the folder as one to start from."""
        shutil.rmtree(self.starts / name, ignore_errors=True)
        shutil.copytree(self.place, self.starts / name)

    def at_place(self, start: Path) -> None:
        """Puts a copy of a folder to the place."""
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(start, self.place)

    def _reproduce(self) -> None:
        """Makes the folder of a study whose runs are stored; only its case needs it."""
        self.faults.set()
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir()
        ended = self.command(CASES[-1], self.place)
        assert ended.status == 0, ended
        self.keep("reproduced")

    def walk(self, case: Case, kind: str, stride: int, first: int = 1) -> tuple[int, int, list[str]]:
        """Fails every `stride`-th call; returns the number of calls, of faults, and the findings."""
        start = self.starts / case.start
        if case.start == "reproduced" and not start.exists():
            self._reproduce()
        self.at_place(start)
        before = self.read(self.place / "store")
        self.arm(kind, 0)
        undisturbed = self.command(case, self.place, lambda: self.begin(kind))
        calls, _ = self.faults.seen()
        if undisturbed.status not in (0, 1):
            raise Finding(f"{case.name} without a fault: {undisturbed}")
        self._settled = [(undisturbed.status == 0, files(self.place)), (False, files(start))]
        wanted = (self.read(self.place / "store"), files(self.place / case.output) if case.output else {})
        findings, injected = [], 0
        for at in range(first, calls + 1, stride):
            self.at_place(start)
            self.arm(kind, at)
            ended = self.command(case, self.place, lambda: self.begin(kind))
            _, failed = self.faults.seen()
            self.faults.set()
            injected += bool(failed)
            try:
                self.check(case, kind, ended, before, wanted, undisturbed)
            except Finding as finding:
                where = failed.replace(str(self.place), "")
                findings.append(f"{case.name} {kind} {at} ({where}): {finding}")
                print(findings[-1], flush=True)
        return calls, injected, findings

    def arm(self, kind: str, at: int) -> None:
        """Has call `at` fail, from now on or, of allocations, from `begin` on."""
        error, lasting = KINDS.get(kind, (errno.ENOMEM, False))
        self._armed = {"at": at, "error": error, "lasting": lasting}
        self.faults.set(**({**self._armed, "at": 0} if kind in ALLOCATIONS else self._armed))

    def begin(self, kind: str) -> None:
        """In the process of the command: allocations fail from here on."""
        if kind in ALLOCATIONS:
            self.faults.set(**self._armed, process=os.getpid(), memory_of=ALLOCATIONS[kind])

    def check(
        self, case: Case, kind: str, ended: Ended, before: dict[str, Any], wanted: tuple[Any, Any], undisturbed: Ended
    ) -> None:
        """Raises Finding unless the fault was survived."""
        said = f"status {ended.status}, out {ended.out[-300:]!r}, err {ended.err[-3000:]}"
        lines = ended.err.splitlines()
        aborted = kind == "libraries" and ended.status in (-signal.SIGABRT, -signal.SIGSEGV)
        if ended.status not in (0, 1, 2) and not aborted:
            raise Finding(said)
        if not aborted and ("Traceback" in ended.err or len(lines) > MOST_LINES):
            raise Finding(said)
        if ended.status and not lines and not aborted:
            raise Finding(f"no word: {said}")
        if (ended.status == 0, files(self.place)) in self._settled:
            return  # the files are those without the fault, or those from before the command, which said why
        store = self.place / "store"
        after = self.read(store)
        if not before["keys"] & wanted[0]["keys"] <= after["keys"]:  # a repair loses what was damaged
            raise Finding(f"runs are lost: {said}")
        for table, rows in after["values"].items():
            if others := rows - (wanted[0]["values"][table] | before["values"].get(table, Counter())):
                raise Finding(f"{table} has other values: {list(others)[:1]}; {said}")
            if (before["values"].get(table, Counter()) & wanted[0]["values"][table]) - rows:
                raise Finding(f"{table} has lost values: {said}")
        complete = ended.status == undisturbed.status == 0
        if complete and (after["keys"], after["values"]) != (wanted[0]["keys"], wanted[0]["values"]):
            raise Finding(f"not complete, and not said: {said}")
        again = self.command(case, self.place)
        if again.status != 0 or "Traceback" in again.err:
            raise Finding(f"the same command again: {again}, first {said}")
        end = self.read(store)
        if (end["keys"], end["values"]) != (wanted[0]["keys"], wanted[0]["values"]):
            raise Finding(f"the same command again does not complete: {said}")
        if case.output and files(self.place / case.output) != wanted[1]:
            names = sorted(files(self.place / case.output).keys() ^ wanted[1].keys())
            raise Finding(f"the output is another one ({names}): {said}")


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def compiled(folder: Path) -> Path:
    """The library. Raises OSError without a C compiler."""
    made, source = folder / "faults.so", Path(__file__).with_name("faults.c")
    command = ["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", made, source, "-ldl"]
    subprocess.run(command, check=True, capture_output=True)
    return made


@contextlib.contextmanager
def preloaded(folder: Path) -> Iterator[dict[str, str]]:
    """The environment of a process whose calls can fail below `folder / "walk"`."""
    page = folder / "page"
    page.write_bytes(bytes(4096))
    yield {
        **{name: value for name, value in os.environ.items() if name != "FAIRLANE_TRACEBACK"},
        "LD_PRELOAD": str(compiled(folder)),
        "FAULTS_FILE": str(page),
        "FAULTS_FOLDER": str(folder / "walk" / "place"),
        "PYTHONPATH": os.pathsep.join(sys.path),
        "COLUMNS": "80",
    }


def long(*walks: str) -> int:
    """Walks through the cases and prints counts; returns the exit status. Each walk is KIND:STRIDE:CASE:FIRST."""
    page = Path(os.environ["FAULTS_FILE"])
    folder = page.parent / "walk"
    folder.mkdir()
    walk, failed = Walk(Faults(page), folder), 0
    for given in walks:
        kind, stride, only, first = (*given.split(":"), *("1", "", "1")[given.count(":") :])
        for case in CASES:
            if only in ("", case.name):
                calls, injected, findings = walk.walk(case, kind, int(stride), int(first))
                failed += len(findings)
                print(f"{case.name}, {kind}: {calls} calls, {injected} failed, {len(findings)} findings", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    if "FAULTS_FILE" in os.environ:
        sys.exit(long(*sys.argv[1:]))
    with tempfile.TemporaryDirectory(prefix="faults-") as made, preloaded(Path(made)) as environment:
        sys.exit(subprocess.run([sys.executable, "-m", "tests.faults.walk", *sys.argv[1:]], env=environment).returncode)
