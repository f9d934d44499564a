"""What a person writes to name a congestion control: `cubic`, `./mine.bpf.c`, `mine.py:Mine`, `bbr:param=1,other=2`.

A path may name one of several algorithms in its file (`./mine.c:table`, `mine.py:Class`); parameters follow after
another colon.

What belongs here: reading that text and checking it against the built-in algorithms, so that a slip of
the pen costs one line and no run. What a C file holds is checked by the engine when it compiles it, and what a Python
file holds when it is loaded.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fairlane.algorithms.prototype import names as words
from fairlane.engine.messages import unknown


class AlgorithmNameError(ValueError):
    """A congestion control, or a parameter of one, that does not exist."""


@dataclass(frozen=True)
class Algorithm:
    """A congestion control and the parameters that differ from its defaults."""

    source: str
    """A built-in name, the path of a C file, or that of a Python file with the name of a class."""
    parameters: Mapping[str, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """How tables and plots call it: without folder and file suffix, with its parameters."""
        short, _, cls = self.source.rsplit("/", 1)[-1].partition(":")
        short = cls or short.removesuffix(".c").removesuffix(".bpf").removesuffix(".py")
        values = ",".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"{short}:{values}" if values else short


def parse(text: str, bundled: list[dict[str, Any]]) -> Algorithm:
    """Reads `text`; `bundled` is what `fairlane.engine.algorithms()` returns."""
    if words.means_python(text):
        source, settings = words.split(text)
        path, _ = words.file_and_class(source)
        if path is not None and not path.is_file():
            raise AlgorithmNameError(f"no file '{path}'; give the path of a Python file, such as ./mine.py")
        return Algorithm(source, _parameters(text, settings) if settings else {})
    if words.means_c(text):
        source, settings = words.split(text)
        path, _ = words.file_and_class(source)
        if path is None or not path.is_file():
            raise AlgorithmNameError(
                f"no file '{source}'; give the path of a C file, or a name that `fairlane algorithms` lists"
            )
        if path.suffix != ".c":
            raise AlgorithmNameError(f"'{path}' is not a C file; give the path of a file that ends in .c or .py")
        return Algorithm(source, _parameters(text, settings) if settings else {})
    source, colon, settings = text.partition(":")
    parameters = _parameters(text, settings) if colon else {}
    known = {name: algorithm for algorithm in bundled for name in (algorithm["name"], *algorithm.get("aliases", ()))}
    if source not in known:
        raise AlgorithmNameError(
            unknown("algorithm", source, known) + ", and any C file by its path, such as ./mine.bpf.c"
        )
    valid = [parameter["name"] for parameter in known[source].get("parameters", [])]
    for name in parameters:
        if name not in valid:
            raise AlgorithmNameError(unknown(f"parameter of {source}", name, valid))
    return Algorithm(source, parameters)


def describe(word: str, parameters: Mapping[str, int] | None = None) -> dict[str, Any]:
    """Everything about one congestion control, a built-in name or the path of a C or Python file.

    The keys are those of `fairlane.engine.algorithms`, and `header` (its opening comment), `source`, `table` (the
    variable that holds its callbacks) and `kernel_name`. Raises AlgorithmError if the program or a parameter is not
    valid.
    """
    if words.means_python(word):
        from fairlane.algorithms.prototype import loading

        return loading.describe(word, parameters or {})
    from fairlane import engine

    return engine.describe(word, parameters)


def _parameters(text: str, settings: str) -> dict[str, int]:
    parameters: dict[str, int] = {}
    for setting in settings.split(","):
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
