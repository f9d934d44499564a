"""The simulator as Python functions: dictionaries in, dictionaries out.

The only module that imports `fairlane._engine`. A scenario is described in docs/reference/scenario.md;
times in it are integer nanoseconds and rates bits per second.

C files that are neither bundled nor trusted never run in this process: the engine has them run by a confined worker
(SECURITY.md). `contain` says which are trusted and how long a worker may take.
"""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NotRequired, TypedDict, cast

from fairlane import _engine
from fairlane._engine import (
    AckSample,
    AlgorithmError,
    AlgorithmFault,
    RateSample,
    Recording,
    ScenarioError,
    Sock,
    __version__,
)
from fairlane.engine.result_bytes import Result, as_dictionary, unpack
from fairlane.engine.types import WifiMedium

__all__ = [
    "AckSample",
    "AlgorithmError",
    "AlgorithmFault",
    "RateSample",
    "Recording",
    "ScenarioError",
    "Sock",
    "__version__",
]
"""Names of the extension; what is defined below is public, too."""
_SPAWNER = """
import sys
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("fairlane._engine", sys.argv[1])
engine = module_from_spec(spec)
spec.loader.exec_module(engine)
import os
engine.serve_workers(os.environ.get("SUDO_UID"), os.environ.get("SUDO_GID"))
"""
"""The program of the process that starts workers: the engine alone, without this package."""


class Problem(TypedDict):
    """A problem of a scenario. Names of keys stand in backticks in `what` and `remedy`."""

    path: list[str | int]
    """Keys and indices from the top of the scenario to the value."""
    what: str
    """Such as "is 0"."""
    remedy: str
    """Such as "give a longer time"; may be empty."""


class Parameter(TypedDict):
    """A parameter of an algorithm."""

    name: str
    default: int
    type: str
    unit: str | None
    doc: str | None


Class = TypedDict("Class", {"class": str | None})
"""The signal to which an algorithm responds, such as "loss-based"; of bundled algorithms only."""


class Summary(Class):
    """An algorithm in a list."""

    name: str
    aliases: list[str]
    summary: str
    parameters: list[Parameter]


class Description(Summary):
    """Everything about an algorithm."""

    header: str
    """Its opening comment."""
    source: str
    """Its text."""
    table: str
    """The variable that holds its callbacks."""
    kernel_name: str
    warnings: NotRequired[list[str]]
    """The compiler's, about a C file: `file:line: warning: ...`."""


class KernelMember(TypedDict):
    """A member of the kernel's structures."""

    structure: str
    name: str
    """In Python."""
    path: str
    """In C."""
    unit: str
    writable: bool
    kept: bool
    """Whether the simulator keeps it."""


class Containment(TypedDict):
    """The way in which C files of others are run."""

    trusted: list[str]
    run_timeout_s: float | None


class Build(TypedDict):
    """Hashes of the sources."""

    simulator: str
    crates: list[str]
    """The crates that the first hash covers."""
    algorithms: dict[str, str]


class Verdict(TypedDict):
    """The outcome of a behaviour script."""

    verdict: str
    """passed, failed or unsupported."""
    message: str
    notes: list[str]
    printed: list[str]


@dataclass(frozen=True)
class Usage:
    """A worker's resource usage for one run."""

    cpu_s: float
    peak_rss_mb: float
    """The most memory that it held, in MB (10^6 bytes)."""


_containment: Containment = {"trusted": [], "run_timeout_s": None}


def contain(trusted: Iterable[str | Path] = (), run_timeout_s: float | None = None) -> None:
    """Sets how the C files of others are run.

    Those in `trusted` run in this process, with its rights. A worker that runs another is ended after `run_timeout_s`
    seconds of real time; without it the scenario determines the limit, generously.
    """
    _containment.update({"trusted": [str(Path(path).resolve()) for path in trusted], "run_timeout_s": run_timeout_s})
    spawner = [sys.executable, "-I", "-S", "-c", _SPAWNER, str(_engine.__file__)]
    _engine.contain(json.dumps({**_containment, "spawner": spawner}))


def containment() -> Containment:
    """The arguments of the last `contain`, for a process that is to do the same."""
    return _containment.copy()


def missing_protections() -> list[str]:
    """Protections for the algorithms of others that this kernel lacks; the rest is used."""
    return _engine.missing_protections()


contain()

_threads = 1


def use_threads(count: int) -> None:
    """Sets the number of threads on which this process runs a scenario, 1 at first. Results are the same."""
    global _threads
    _threads = count
    _engine.use_threads(count)


def threads() -> int:
    """The argument of the last `use_threads`, for a process that is to do the same."""
    return _threads


def run(scenario: Mapping[str, Any]) -> dict[str, Any]:
    """Runs a scenario and returns its result.

    Raises ScenarioError if the scenario cannot be run, AlgorithmError if a congestion control cannot
    be used, and its kind AlgorithmFault if one misbehaves.
    Other Python threads keep running.
    """
    return as_dictionary(run_packed(json.dumps(scenario)))


def run_json(scenario: str) -> str:
    """The result as JSON, the same text from every host of the engine; for scenarios of bundled algorithms."""
    return _engine.run_json(scenario)


def run_packed(scenario: str) -> bytes:
    """`run` for callers that have JSON and need a result as the store keeps it; see `fairlane.engine.result_bytes`."""
    return b"".join(run_pieces(scenario))


def run_pieces(scenario: str) -> Sequence[bytes]:
    """`run_packed` for results that may be large: they come in pieces, and need not be in memory a second time."""
    return run_measured(scenario)[0]


def run_measured(scenario: str) -> tuple[Sequence[bytes], Usage | None]:
    """`run_pieces`, and what a worker used; None if this process did the work."""
    pieces, usage = _engine.run(scenario)
    return pieces, None if usage is None else Usage(*usage)


def run_with_capture(
    scenario: str, path: Path, flows: Sequence[int], *, at: str = "sender", payload_bytes: int = 0, from_ns: int = 0
) -> Result:
    """Runs a scenario (JSON), returns its metrics, and writes the packets of these flows to a pcapng file.

    They are recorded as tcpdump at one host sees them: `at` is "sender" or "receiver". `payload_bytes` says how much
    of each payload (zeros) to keep. Before `from_ns` only the first packet of each end is kept. Raises OSError if the
    file cannot be written.
    """
    capture = {"flows": list(flows), "at": at, "payload_bytes": payload_bytes, "from_ns": from_ns}
    return unpack(b"".join(_engine.run_with_capture(scenario, json.dumps(capture), path)[0])).metrics


def run_with_qlog(scenario: str, path: Path, flow: int, *, at: str = "sender") -> Result:
    """Runs a scenario (JSON), returns its metrics, and writes what one QUIC endpoint of this flow logs, as qlog.

    `at` is "sender" or "receiver". Raises ScenarioError if the flow is not there or does not use QUIC, and OSError
    if the file cannot be written.
    """
    log = {"flows": [flow], "at": at, "format": "qlog"}
    return unpack(b"".join(_engine.run_with_capture(scenario, json.dumps(log), path)[0])).metrics


def run_with_trace(scenario: Mapping[str, Any], path: Path, **what: Any) -> Result:
    """Runs a scenario, returns its result, and writes what TCP asks of the algorithms to a file of JSON lines.

    `what`: `calls` (a line for each callback), `printed` (for each that printed), `watch` (for each change of these
    members: kernel names, and `state.NAME`), `flows` (only these), `from_ns`, `until_ns`, `most_lines`. A line has
    `t_ns`, `flow`, `at` (the host: sender or receiver), `call`, and what there is of `arguments`, `tcp` (what TCP had
    changed), `sent` (data packets since the last callback, and how many of them were retransmissions), `set` (what the
    algorithm changed: old and new value), `answer`, `printed` and `watch`.
    Raises what `run` raises, and OSError if the file cannot be written.
    """
    pieces, _ = _engine.run_with_trace(json.dumps(scenario), json.dumps(what), path)
    return as_dictionary(b"".join(pieces))


def check(scenario: Mapping[str, Any]) -> None:
    """Raises the errors that `run` would raise immediately, without running the scenario."""
    _engine.check(json.dumps(scenario))


def checksum(data: bytes) -> str:
    """The BLAKE3 hash of some bytes, which names what is on disk: 128 bits as 32 hexadecimal digits."""
    return _engine.checksum(data)


def queue_problems(queue: Mapping[str, Any]) -> list[Problem]:
    """Errors of a queue in the engine's form; empty if it is valid."""
    return cast("list[Problem]", json.loads(_engine.queue_problems(json.dumps(queue))))


def emulate(
    scenario: Mapping[str, Any],
    ports: Sequence[int],
    stop: int,
    *,
    status: int | None = None,
    origin_ns: int,
    duration_ns: int | None = None,
    wake_ns: int = 0,
) -> dict[str, Any]:
    """Carries packets between devices as the scenario's network does, in real time; returns a report.

    `ports` are file descriptors of TUN devices, two for each flow: what the first one reads takes the forward path to
    the second one, and what that one reads takes the reverse path. The network's time 0 is `origin_ns` of the monotonic
    clock. The run ends after `duration_ns`, or when something can be read from `stop`. Each sample of the links is
    written to `status` as a line of JSON. A packet for which this thread had to be woken is taken to have come
    `wake_ns` before it was read. Raises ScenarioError, or OSError if a device fails.
    """
    text = _engine.emulate(json.dumps(scenario), ports, stop, status, (origin_ns, duration_ns, wake_ns))
    return cast("dict[str, Any]", json.loads(text))


def medium_problems(medium: WifiMedium) -> list[Problem]:
    """Errors of a shared medium in the engine's form; empty if it is valid."""
    return cast("list[Problem]", json.loads(_engine.medium_problems(json.dumps(medium))))


def link_problems(link: Mapping[str, Any]) -> list[Problem]:
    """Errors of a link in the engine's form; empty if it is valid."""
    return cast("list[Problem]", json.loads(_engine.link_problems(json.dumps(link))))


def record(scenario: Mapping[str, Any]) -> Recording:
    """Runs a scenario and returns what TCP asked of the first flow's congestion control, a C program."""
    return _engine.record(json.dumps(scenario))


@cache
def algorithms() -> tuple[Summary, ...]:
    """The bundled congestion controls."""
    return tuple(json.loads(_engine.algorithms()))


def algorithms_with_state() -> str:
    """The bundled congestion controls with the members of their own memory, as JSON (for `crates/web`)."""
    return _engine.algorithms_with_state()


def describe(word: str, parameters: Mapping[str, int] | None = None) -> Description:
    """Everything about one C program, a bundled name or the path of a file; see `fairlane.algorithm.describe`."""
    return cast(Description, json.loads(_engine.describe(word, json.dumps(dict(parameters or {})))))


def compile(path: Path) -> tuple[str, bytes]:
    """Compiles a C file as it is now. Returns its text and the shared object, a function of all that was compiled.

    Raises AlgorithmError.
    """
    return _engine.compile(path)


def read_program(path: Path) -> tuple[str, dict[str, bytes]]:
    """A C file as it is now, and those headers of its folder that it includes, by their names there; compiles nothing.

    Raises OSError, or AlgorithmError if a file is not regular, or larger than a limit.
    """
    text, headers = _engine.read_program(path)
    return text, {str(name): content for name, content in headers.items()}


def compile_confined(command: Sequence[str], files: Mapping[str, bytes], output: str) -> tuple[bool, str, bytes]:
    """Runs a compiler that may read `files` (by their paths in its folder) and the system's headers, and nothing else.

    Root's rights are dropped. Returns whether it succeeded, its messages, and the content of the file `output`. Raises
    OSError if the compiler cannot be started.
    """
    return _engine.compile_confined(list(command), dict(files), output)


def take_warnings() -> list[str] | None:
    """The compiler's warnings about the C files that were compiled since the last call; None if there were none."""
    return _engine.take_warnings()


def provide(path: str, text: str, object: bytes) -> None:
    """From here on this process uses what `compile` returned where scenarios name this file, and in these words."""
    _engine.provide(path, text, object)


@cache
def interface() -> dict[str, str]:
    """The headers that congestion controls are compiled with: texts by path below the include folder."""
    return cast("dict[str, str]", json.loads(_engine.interface()))


@cache
def kernel_members() -> tuple[KernelMember, ...]:
    """The members of the kernel's structures that algorithms may name (docs/reference/kernel-members.md)."""
    return tuple(json.loads(_engine.kernel_members()))


def packetdrill(name: str, text: str, **options: Any) -> Verdict:
    """Plays a behaviour script against the simulator's TCP; messages call it `name`.

    Options: `setup`, shell commands to take settings from before the script's own, `tolerance_usecs`, `hz`, `algorithm`
    and its `parameters` for connections whose socket sets none. Only `algorithm` may be a C file, which a worker runs;
    the script can name built-in ones.
    """
    return cast(Verdict, json.loads(_engine.packetdrill(name, text, json.dumps(options))))


@cache
def contract() -> dict[str, Any]:
    """The declarations: `scenario`, its JSON Schema; `columns` of each table of results; `units`."""
    return cast("dict[str, Any]", json.loads(_engine.contract()))


@cache
def build() -> Build:
    """Hashes of the sources: of the simulator, and of each bundled algorithm."""
    return cast(Build, json.loads(_engine.build()))
