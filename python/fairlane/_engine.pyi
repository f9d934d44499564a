"""The simulator, compiled from crates/python-bindings. Use `fairlane.engine`, which wraps it."""

from os import PathLike

__version__: str

class ScenarioError(ValueError):
    """A scenario that cannot be run; the message names what is wrong and the remedy, in one line."""

class AlgorithmError(RuntimeError):
    """A congestion control that misbehaved; the message names the algorithm and the callback."""

def run(scenario: str) -> str:
    """Runs one scenario, given as JSON, and returns its result as JSON."""

def run_with_capture(scenario: str, capture: str, path: PathLike[str]) -> str:
    """`run` that writes the packets of chosen flows to a pcapng file. `capture` is JSON."""

def check(scenario: str) -> None:
    """Raises what `run` would raise at once, without running the scenario."""

def algorithms() -> str:
    """The congestion controls that are built in, with their parameters, as JSON."""

def describe(word: str, parameters: str) -> str:
    """Everything about one congestion control, with these parameters (JSON), as JSON."""

def interface() -> str:
    """The headers that congestion controls are compiled with, as JSON: texts by path."""

def packetdrill(name: str, text: str, options: str) -> str:
    """Plays a behaviour script in packetdrill's language and returns a report as JSON. `options` is JSON too."""

def build() -> str:
    """Hashes of the sources that this was built from, as JSON: `simulator`, and `algorithms` by name."""
