"""Names of congestion controls: `cubic`, `bbr:cwnd_gain=600`, `./mine.c`, `./mine.c:table:beta=3`, `mine.py:Mine`.

A name is read once, into an `Algorithm` that knows what kind it is, which file it comes from and which parameters it
sets. A path may name one of several algorithms in its file; parameters follow after another colon. The engine checks
the contents of a C file when it compiles it, and `prototype.loading` those of a Python file.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Any

from fairlane.engine.messages import unknown

IN_PROCESS = "python:"
"""The prefix of the name of a class that was registered in this process."""


class AlgorithmNameError(ValueError):
    """A congestion control, or a parameter of one, that does not exist."""


class Kind(Enum):
    """The origin of a congestion control."""

    BUNDLED = "bundled"
    C = "C"
    PYTHON = "Python"


@dataclass(frozen=True)
class Algorithm:
    """A congestion control and the parameters that differ from its defaults."""

    source: str
    """A bundled name, the path of a C file, or that of a Python file, with the table or class in it; no parameters."""
    parameters: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def kind(self) -> Kind:
        """A path that is not one of Python is one of C.

        >>> [Algorithm(name).kind.value for name in ("a/mine.py", "mine.py:Mine", "python:Mine", "cubic", "a.py/x.c")]
        ['Python', 'Python', 'Python', 'bundled', 'C']
        """
        return _kind(self.source)

    @cached_property
    def path(self) -> Path | None:
        """The file; None for a bundled one or a class of this process."""
        return Path(self._file_and_part[0]) if self._is_file else None

    @cached_property
    def file(self) -> str:
        """The path of the file as it was written; empty if there is none."""
        return self._file_and_part[0] if self._is_file else ""

    @cached_property
    def part(self) -> str:
        """The class or table in the file, or the class of this process; empty if the name has none."""
        if self.source.startswith(IN_PROCESS):
            return self.source.removeprefix(IN_PROCESS)
        return self._file_and_part[1] if self._is_file else ""

    @property
    def name(self) -> str:
        """The name in tables and plots: without folder and file suffix, with its parameters."""
        short, _, cls = self.source.rsplit("/", 1)[-1].partition(":")
        short = cls or short.removesuffix(".c").removesuffix(".bpf").removesuffix(".py")
        values = ",".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"{short}:{values}" if values else short

    @property
    def _is_file(self) -> bool:
        return self.kind is not Kind.BUNDLED and not self.source.startswith(IN_PROCESS)

    @cached_property
    def _file_and_part(self) -> tuple[str, str]:
        folder, slash, rest = self.source.rpartition("/")
        name, _, part = rest.partition(":")
        return folder + slash + name, part


def read(text: str, settings: Sequence[str] = ()) -> Algorithm:
    """The algorithm that a text names, with its parameters and further ones (`beta=717`); the file need not exist.

    Raises AlgorithmNameError for parameters that are not name=integer.

    >>> read("./mine.c:table:beta=4"), read("cubic", ["beta=717"])
    (Algorithm(source='./mine.c:table', parameters={'beta': 4}), Algorithm(source='cubic', parameters={'beta': 717}))
    """
    if _kind(text) is Kind.BUNDLED:
        source, colon, own = text.partition(":")
    else:
        folder, slash, rest = text.rpartition("/")
        head, colon, own = rest.rpartition(":")
        if colon and ("=" in own or "," in own):
            source = folder + slash + head
        else:
            source, colon, own = text, "", ""
    written = [*(own.split(",") if colon else ()), *settings]
    return Algorithm(source, _parameters(text, written))


def parse(text: str, bundled: Iterable[Mapping[str, Any]], settings: Sequence[str] = ()) -> Algorithm:
    """`read`, and checks that the algorithm exists: `bundled` is the result of `fairlane.engine.algorithms()`."""
    found = read(text, settings)
    if found.kind is Kind.PYTHON:
        if found.path is not None and not found.path.is_file():
            raise AlgorithmNameError(f"no file '{found.path}'; give the path of a Python file, such as ./mine.py")
    elif found.path is not None:
        if not found.path.is_file():
            raise AlgorithmNameError(
                f"no file '{found.source}'; give the path of a C file, or a name that `fairlane algorithms` lists"
            )
        if found.path.suffix != ".c":
            raise AlgorithmNameError(f"'{found.path}' is not a C file; give the path of a file that ends in .c or .py")
    else:
        _check_bundled(found, bundled)
    return found


def _check_bundled(found: Algorithm, bundled: Iterable[Mapping[str, Any]]) -> None:
    names: list[str] = []
    for algorithm in bundled:
        own = (algorithm["name"], *algorithm.get("aliases", ()))
        if found.source in own:
            break
        names += own
    else:
        raise AlgorithmNameError(
            unknown("algorithm", found.source, names) + ", and any C file by its path, such as ./mine.bpf.c"
        )
    valid = [parameter["name"] for parameter in algorithm.get("parameters", [])]
    for name in found.parameters:
        if name not in valid:
            raise AlgorithmNameError(unknown(f"parameter of {found.source}", name, valid))


def _kind(text: str) -> Kind:
    file = text.rpartition("/")[2].partition(":")[0]
    if text.startswith(IN_PROCESS) or file.endswith(".py"):
        return Kind.PYTHON
    return Kind.C if "/" in text or file.endswith(".c") else Kind.BUNDLED


def _parameters(text: str, settings: Sequence[str]) -> dict[str, int]:
    parameters: dict[str, int] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not (name and equals and value):
            raise AlgorithmNameError(
                f"'{text}' has a setting that is not name=value: '{setting}'; write for example cubic:beta=717"
            )
        if name in parameters:
            raise AlgorithmNameError(f"'{text}' sets '{name}' twice; set it once")
        parameters[name] = _number(text, name, value)
    return parameters


def _number(text: str, name: str, value: str) -> int:
    try:
        number = int(value, 0)
    except ValueError:
        try:
            rounded = int(float(value))
        except (ValueError, OverflowError):
            message = f"'{text}': '{value}' for '{name}' is not a number; write for example {name}=1"
            raise AlgorithmNameError(message) from None
        if rounded != float(value):
            message = f"'{text}': {name}={value} is not an integer; parameters are integers"
            raise AlgorithmNameError(message) from None
        number = rounded
    if not -(2**63) <= number < 2**63:
        raise AlgorithmNameError(f"'{text}': {name}={value} does not fit into 64 bits")
    return number
