"""The simulator, compiled from crates/python-bindings. Use `fairlane.engine`, which wraps it."""

from collections.abc import Mapping, Sequence
from os import PathLike

from fairlane.engine import Problem

__version__: str

class ScenarioError(ValueError):
    """A scenario that cannot be run; the message has a line for each problem."""

    problems: list[Problem]

class AlgorithmError(RuntimeError):
    """A congestion control that cannot be used; the message names what is wrong and where."""

class AlgorithmFault(AlgorithmError):
    """A congestion control that misbehaved while it ran; the message names the algorithm, the callback and the flow."""

class Recording:
    """The calls of one flow's congestion control during a run, to be played again."""

    @property
    def acks(self) -> int:
        """How many acknowledgements the flow got."""

    @property
    def calls(self) -> int:
        """How many calls of the congestion control they led to."""

    def replay(self) -> bool:
        """Plays all calls to the congestion control again; true if everything comes out as it was recorded."""

    def replay_nothing(self) -> None:
        """The same without the congestion control: the recording's own work."""

class Sock:
    """A connection as a Python class sees it: the members of `struct tcp_sock` by their kernel names."""

    @property
    def rtt_min_us(self) -> int:
        """The smallest RTT of the last minutes, in microseconds."""

    @property
    def packets_in_flight(self) -> int:
        """Packets believed to be in the network."""

    def random_u32(self) -> int:
        """The next number of the flow's own random stream, of 32 bits."""

    def __getattr__(self, name: str) -> int: ...
    def __setattr__(self, name: str, value: int) -> None: ...

class RateSample:
    """The argument of `cong_control`: the members of `struct rate_sample`."""

    def __getattr__(self, name: str) -> int: ...

class AckSample:
    """The argument of `pkts_acked`: the members of `struct ack_sample`."""

    def __getattr__(self, name: str) -> int: ...

_Packed = tuple[list[bytes], tuple[float, float] | None]

def run(scenario: str) -> _Packed:
    """Runs one scenario, given as JSON.

    Returns its result packed, in pieces to be joined, and the CPU seconds and MB that a worker used, if one ran it.
    """

def use_threads(count: int) -> None:
    """Sets the number of threads on which this process runs a scenario. Results are the same."""

def contain(policy: str) -> None:
    """Which C files run in this process, how long others may take, and how workers are started, as JSON."""

def missing_protections() -> list[str]:
    """The protections against the algorithms of others that this kernel lacks."""

def serve_workers(sudo_uid: str | None, sudo_gid: str | None) -> None:
    """Starts workers until the caller at the other end of standard input is gone."""

def run_with_capture(scenario: str, capture: str, path: PathLike[str]) -> _Packed:
    """`run` that writes the packets of chosen flows to a pcapng file. `capture` is JSON."""

def run_with_trace(scenario: str, trace: str, path: PathLike[str]) -> _Packed:
    """`run` that writes what TCP asks of the algorithms, as lines of JSON. `trace` is JSON."""

def run_json(scenario: str) -> str:
    """The result of a run of bundled algorithms as JSON, the text that every host of the engine gives."""

def check(scenario: str) -> None:
    """Raises the errors that `run` would raise immediately, without running the scenario."""

def record(scenario: str) -> Recording:
    """Runs one scenario, given as JSON, and returns what TCP asked of the first flow's congestion control."""

def algorithms() -> str:
    """The congestion controls that are built in, with their parameters, as JSON."""

def algorithms_with_state() -> str:
    """The same with the members of each algorithm's own memory, as JSON."""

def describe(word: str, parameters: str) -> str:
    """Everything about one congestion control, with these parameters (JSON), as JSON."""

def interface() -> str:
    """The headers that congestion controls are compiled with, as JSON: texts by path."""

def kernel_members() -> str:
    """The members of the kernel's structures that algorithms may name, as JSON."""

def packetdrill(name: str, text: str, options: str) -> str:
    """Plays a behaviour script in packetdrill's language and returns a report as JSON. `options` is JSON too."""

def compile(path: str | PathLike[str]) -> tuple[str, bytes]:
    """Compiles a C file as it is now: its text, and the shared object."""

def read_program(path: str | PathLike[str]) -> tuple[str, dict[str, bytes]]:
    """A C file as it is now, and those headers of its folder that it includes, by their names there."""

def compile_confined(command: Sequence[str], files: Mapping[str, bytes], output: str) -> tuple[bool, str, bytes]:
    """Runs a compiler, confined, in a folder that holds `files`: whether it succeeded, its messages, and `output`."""

def take_warnings() -> list[str] | None:
    """The compiler's warnings about C files compiled since the last call; None if there were no such files."""

def provide(path: str | PathLike[str], text: str, object: bytes) -> None:
    """From here on this process uses what `compile` returned instead of the file."""

def checksum(data: bytes) -> str:
    """The BLAKE3 hash of some bytes: 128 bits as 32 hexadecimal digits."""

def queue_problems(queue: str) -> str:
    """Why a queue, given as JSON, would be refused: problems as JSON."""

def medium_problems(medium: str) -> str:
    """Why a shared medium, given as JSON, would be refused: problems as JSON."""

def link_problems(link: str) -> str:
    """Why a link, given as JSON, would be refused: problems as JSON."""

def emulate(
    scenario: str, ports: Sequence[int], stop: int, status: int | None, times_ns: tuple[int, int | None, int]
) -> str:
    """Carries packets between devices as a scenario's network does; a report as JSON.

    The times are the origin, the duration, and what waking the thread takes.
    """

def contract() -> str:
    """The declarations of scenario, result and units, as JSON."""

def build() -> str:
    """Hashes of the sources that this was built from, as JSON: `simulator`, and `algorithms` by name."""
