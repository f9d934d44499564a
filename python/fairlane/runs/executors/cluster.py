"""Workers of a Dask cluster as an executor: on this machine, on others, or started by SLURM.

Scenarios travel to the workers and packed results travel back, so that no file system is shared. A worker is a process
with one thread (`dask worker --nthreads 1`): CPU time and memory of a run are then its own. When a worker dies, Dask
gives its runs to another: one, or a few short ones that travel together.

Algorithms travel as they were when the sweep began: a C file as its text, the hash of that, and the machine code that
the submitting machine made of it, because the key of a run covers this code. Workers therefore need no compiler.
"""

import json
import logging
import math
import platform
import re
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

from fairlane.algorithm import program_files
from fairlane.engine import contain, containment
from fairlane.files import cache_folder, temporary_folder
from fairlane.runs.backends import SIMULATOR, backend, provenance
from fairlane.runs.executors import Answer, Request, answer
from fairlane.runs.executors.batches import Batches
from fairlane.runs.executors.cluster_answers import decode, encode, plain_messages
from fairlane.runs.interpreter import safe_children, without_signals

INSTALL = "pip install distributed dask-jobqueue"
CONNECT_S = 5
ANSWER_S = 60
"""After this long a worker that says nothing about its version is hung, or the machine is overloaded."""
DEATHS = 10
"""A run whose workers died this many times is reported as failed."""
AHEAD = 2
"""Tasks per worker that are submitted at a time, so that none waits for the next."""
WHERE_S = 1.0
"""Interval at which the list of workers is fetched."""

_SETTINGS = {
    "distributed.scheduler.allowed-failures": DEATHS,
    "distributed.logging": {},
    # Sampling of workers, whose results Fairlane does not show, takes a tenth of the CPU time of short runs.
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.tick.limit": "30s",
}
"""Of Dask, for this process and the workers that it starts."""


class ClusterError(RuntimeError):
    """A cluster that cannot be used; one line with the cause and the remedy."""


class ClusterExecutor:
    """Workers that a Dask scheduler knows, which are asked as one."""

    records = False

    def __init__(self, client: Any, name: str, jobs: int, at_most: int | None = None) -> None:
        self.client, self.name = client, name
        self.jobs = jobs if at_most is None else min(at_most, jobs)
        self._programs: dict[str, str] = {}
        self._batches = Batches(self._compute, AHEAD * jobs if at_most is None else min(at_most, AHEAD * jobs))
        self._futures: set[Any] = set()
        self._lock = threading.Lock()
        self._killed = False
        self._where = ("", -math.inf)

    @property
    def slots(self) -> int:
        """Requests at a time: those that go together, and those that wait so that no worker does."""
        return self._batches.most

    def room(self) -> AbstractContextManager[None]:
        """Waits until another request would be computed soon."""
        return self._batches.room()

    def provide(self, files: Mapping[str, str]) -> None:
        """Has all runs use these programs: by the path of an algorithm the file that holds its program."""
        self._programs = {path: Path(file).read_text(encoding="utf-8") for path, file in files.items()}

    def spawn(self) -> "ClusterExecutor":
        """The cluster itself: each thread submits one run at a time, which is computed wherever there is room."""
        return self

    def where(self) -> str:
        """The number of workers now, for the progress bar."""
        text, asked_s = self._where
        if time.monotonic() - asked_s > WHERE_S:  # each answer of the scheduler takes a millisecond
            # A scheduler that is lost has no workers, either.
            workers = self.client.scheduler_info(n_workers=-1).get("workers", {}).values()
            machines = len({str(worker["host"]) for worker in workers})
            text = f" on {len(workers)} workers ({machines} {'machine' if machines == 1 else 'machines'})"
            self._where = (text, time.monotonic())
        return text

    def ask(self, request: Request) -> Answer | None:
        """The answer; None after `kill`."""
        return self._batches.ask(request)

    def finish(self) -> None:
        """There is nothing to end."""

    def reap(self) -> str:
        """A run without an answer; it died of `kill` only."""
        return "it was cancelled"

    def kill(self) -> None:
        """Cancels all runs, whether they are queued or computed."""
        with self._lock:
            self._killed = True
            futures = list(self._futures)
        self._batches.close()
        for future in futures:
            future.cancel(force=True)

    def _compute(self, requests: Sequence[Request]) -> list[Answer | None]:
        """The answers of one task."""
        from distributed import KilledWorker
        from distributed.client import ClosedClientError

        future = None
        try:
            with self._lock:
                if self._killed:
                    return [None] * len(requests)
                future = self._submit(requests)
                self._futures.add(future)
            return [*decode(self._wait(future), [request["scenario"] for request in requests])]
        except KilledWorker as error:
            if len(requests) > 1:  # one of them may be to blame, but not all
                return [answer for request in requests for answer in self._compute([request])]
            return [{"error": "KilledWorker", "message": f"{error.allowed_failures + 1} workers died over it"}]
        except (CancelledError, ClosedClientError, OSError) as error:
            if self._killed:
                return [None] * len(requests)
            if future is not None and future.status == "error":
                return [_failed(error)] * len(requests)
            reason = _said(error) if isinstance(error, OSError) else "no scheduler answers"
            message = f"the cluster at {self.name} is lost ({reason}); what is finished is kept"
            return [{"error": "ClusterError", "message": message, "fatal": True} for _ in requests]
        except Exception as error:  # any error of a worker
            return [_failed(error)] * len(requests)
        finally:
            if future is not None:
                with self._lock:
                    self._futures.discard(future)
                future.release()

    def _wait(self, future: Any) -> object:
        """The result of a future. Raises CancelledError; Dask lets a future wait for a scheduler that is lost."""
        while True:
            try:
                return future.result(timeout=WHERE_S)
            except (TimeoutError, UnboundLocalError):  # the second is Dask's, for an answer at the end of the time
                if future.status == "error":  # it is the worker's
                    raise
                if self.client.status not in ("running", "connecting"):
                    raise CancelledError from None

    def _submit(self, requests: Sequence[Request]) -> Any:
        """Queues some runs as one task; returns its future."""
        used = {
            path: text
            for path, text in self._programs.items()
            if any(json.dumps(path)[1:-1] in request["scenario"] for request in requests)
        }
        sent = [{"run": request["run"], "scenario": request["scenario"]} for request in requests]
        return self.client.submit(_compute, sent, used, _here(), pure=False)


@contextmanager
def opened(place: str, jobs: int | None) -> Iterator[ClusterExecutor]:
    """The cluster `dask` (processes of this machine), `dask://HOST:PORT` or `slurm`. Raises ClusterError.

    `jobs` is the number of workers of a cluster that is started here, and for any other the most runs at a time.
    """
    distributed = _library("distributed")
    for source in ("client", "batched", "protocol.core"):  # runs that are lost say so in one line
        logging.getLogger(f"distributed.{source}").setLevel(logging.CRITICAL + 1)
    with ExitStack() as stack:
        stack.enter_context(_library("dask").config.set(_SETTINGS))
        if place in _STARTED:
            stack.enter_context(safe_children())
            if place == "dask":  # by default a folder of one name in /tmp, which another user may have made
                private = stack.enter_context(temporary_folder("dask"))
                stack.enter_context(_library("dask").config.set({"temporary-directory": str(private)}))
            if place == "slurm":  # the import sets a handler of SIGINT, which only this thread may; ours stays
                handler = signal.getsignal(signal.SIGINT)
                _library("dask_jobqueue")
                signal.signal(signal.SIGINT, handler)
            cluster, jobs = _start(partial(_STARTED[place], jobs))
            stack.enter_context(cluster)
            direct = place == "dask"  # results need not pass through the scheduler
            client = stack.enter_context(distributed.Client(cluster, direct_to_workers=direct))
            client.wait_for_workers(1)
            yield ClusterExecutor(client, place, jobs)
            return
        address = _address(place)
        stack.enter_context(plain_messages())
        try:
            client = stack.enter_context(distributed.Client(address, timeout=CONNECT_S))
        except (OSError, ValueError) as error:
            raise ClusterError(f"no Dask scheduler answers at {place} ({error}); start one: dask scheduler") from None
        _check_versions(client, place)
        threads = sum(client.nthreads().values())
        yield ClusterExecutor(client, place, threads, jobs)


def _address(place: str) -> str:
    """The address of the scheduler dask://HOST:PORT, as Dask writes it. Raises ClusterError."""
    found = re.fullmatch(r"dask://(\[[0-9a-fA-F:.%\w]+\]|(?!-)[\w.-]+):([0-9]+)", place)
    if not found:
        raise ClusterError(f"--on {place}: is not dask://HOST:PORT; dask scheduler prints host and port")
    if len(found[2]) > 5 or not 1 <= int(found[2]) <= 65535:
        raise ClusterError(f"--on {place}: {found[2]} is not a port, a number from 1 to 65535; fix it")
    return f"tcp://{found[1]}:{found[2]}"


def _start(starts: Callable[[], tuple[Any, int]]) -> tuple[Any, int]:
    """The cluster that `starts` starts, in threads and processes that Ctrl-C in a terminal does not reach.

    This thread, which it does reach, waits meanwhile.
    """
    started: Future[tuple[Any, int]] = Future()

    def start() -> None:
        with without_signals(signal.SIGINT):
            try:
                started.set_result(starts())
            except BaseException as error:
                started.set_exception(error)

    threading.Thread(target=start, daemon=True).start()
    try:
        return started.result()
    except KeyboardInterrupt:
        started.add_done_callback(lambda done: done.exception() or done.result()[0].close())
        raise


def _on_this_machine(jobs: int | None) -> tuple[Any, int]:
    from fairlane.runs.executors.processes import usable_cpus

    jobs = jobs or usable_cpus()
    distributed = _library("distributed")
    started = distributed.LocalCluster(
        n_workers=jobs,
        threads_per_worker=1,
        memory_limit=0,
        dashboard_address=None,
        # Its server for metrics takes any free port, since 8787 may be taken, and answers this machine alone.
        scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
        silence_logs=logging.CRITICAL,
        security=distributed.Security.temporary(),  # or any user of this machine could have it run code
        protocol="tls://",
    )
    return started, jobs


def _on_slurm(jobs: int | None) -> tuple[Any, int]:
    """Workers with one core each; queue, account, memory and wall time come from Dask's own configuration."""
    if jobs is None:
        raise ClusterError("slurm: the number of workers is missing; write for example --jobs 32")
    try:
        # Its server for metrics takes any free port, since 8787 may be taken.
        options = {"dashboard": False, "dashboard_address": ":0"}
        cluster = _library("dask_jobqueue").SLURMCluster(
            cores=1,
            processes=1,
            scheduler_options=options,
            security=_library("distributed").Security.temporary(),
            shared_temp_directory=str(_private_folder()),
        )
    except ValueError as error:  # a setting without a default
        raise ClusterError(f"slurm: {error}; write it into ~/.config/dask/jobqueue.yaml") from None
    cluster.scale(jobs=jobs)
    return cluster, jobs


def _private_folder() -> Path:
    """The folder in which workers of other machines find the key of this cluster: homes are shared."""
    folder = cache_folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


_STARTED: dict[str, Callable[[int | None], tuple[Any, int]]] = {"dask": _on_this_machine, "slurm": _on_slurm}


def _library(name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        raise ClusterError(f"a cluster needs {name}, which is not installed; install it: {INSTALL}") from None


def _check_versions(client: Any, place: str) -> None:
    """Refuses workers without Fairlane or with another version of it, by name."""
    ours = metadata.version("fairlane")
    try:
        ask = {"on_error": "return", "callback_timeout": ANSWER_S}
        answers = client.sync(client._run, metadata.version, "fairlane", **ask)
    except Exception as error:  # whatever the cluster sends
        raise ClusterError(
            f"{place}: its workers cannot be asked for their version: {_said(error) or type(error).__name__}"
        ) from None
    # A worker that dies at this moment gives a broken connection; its nanny starts another one in the same environment.
    found = {worker: answer for worker, answer in answers.items() if not isinstance(answer, OSError)}
    if not found:
        raise ClusterError(f"{place} has no workers; start some: dask worker HOST:PORT --nthreads 1")
    for worker, version in sorted(found.items()):
        if not isinstance(version, str):
            raise ClusterError(f"worker {worker}: Fairlane is not installed there; install version {ours}")
        if version != ours:
            raise ClusterError(f"worker {worker} has Fairlane {version}, here is {ours}; install the same on both")


def _failed(error: Exception) -> Answer:
    """The answer about a run of which a worker raised an error."""
    return {"error": type(error).__name__, "message": f"a worker failed: {_said(error) or type(error).__name__}"}


def _said(error: Exception) -> str:
    """The text of an error of a worker, whose arguments may be anything."""
    return " ".join(text for text in error.args if isinstance(text, str))


def _here() -> dict[str, Any]:
    """Properties that a worker must share with this process, and how it contains C files of others."""
    return {"simulator": provenance.simulator(), "machine": platform.machine(), "containment": containment()}


_one_at_a_time = threading.Lock()
"""Programs are shared by the threads of a worker, and two submitters may have different files of one path."""
_provided: dict[str, str] = {}


def _compute(requests: Sequence[Request], used: Mapping[str, str], there: Mapping[str, Any]) -> bytes:
    """Computes some runs on a worker; the answers as bytes."""
    return encode(_answers(requests, used, there))


def _answers(requests: Sequence[Request], used: Mapping[str, str], there: Mapping[str, Any]) -> list[Answer]:
    here = _here()
    for what, name in (("simulator", "build of Fairlane"), ("machine", "processor architecture")):
        if here[what] != there[what]:
            message = f"a worker on {socket.gethostname()} has another {name} ({here[what]}, not {there[what]})"
            message += "; install the same on both"
            return [{"error": "VersionError", "message": message, "fatal": True} for _ in requests]
    with _one_at_a_time:
        if there["containment"] != here["containment"]:
            contain(**there["containment"])
        for path, content in used.items():
            if _provided.get(path) != content:
                program_files.provide(path, content)
                _provided[path] = content
        runner = backend(SIMULATOR)
        return [answer(request, lambda request: runner.run(request["scenario"]), None) for request in requests]
