"""A congestion control that is to go into the kernel: its text, the parameters to change, and its name there.

Only the text is read here. What the compiled object says about itself is read by
`fairlane.algorithm.kernel.description`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fairlane.algorithm.kernel import KernelError
from fairlane.algorithm.name import Algorithm, Kind

NAME_BYTES = 15
"""The kernel keeps 16 bytes for a name, the last one a zero."""

PREFIX = "fl_"
"""The prefix of the bundled algorithms' kernel names, so that none is mistaken for the kernel's own."""


@dataclass(frozen=True)
class KernelProgram:
    """A program to compile, and its changes before it is loaded."""

    source: str
    """The C text."""
    path: Path
    """Its file; messages name it."""
    parameters: Mapping[str, int]
    """Values that differ from the defaults."""
    headers: Mapping[str, bytes] = field(default_factory=dict)
    """Those that the text includes from its own folder, by their names there."""
    table: str = ""
    """The variable that holds its callbacks; empty: the first complete one."""
    name: str = ""
    """The name that it gets in the kernel; empty: the one that the text gives it."""

    @classmethod
    def find(cls, word: str, parameters: Mapping[str, int], name: str | None = None) -> "KernelProgram":
        """The algorithm `word`, a built-in name or a C file, to be called `name` (None: as its text says).

        Raises AlgorithmError if no built-in one has this name, KernelError if the file cannot be read.
        """
        from fairlane.engine import describe, read_program

        algorithm = Algorithm(word)
        if algorithm.kind is Kind.PYTHON:
            raise KernelError(f"{word} is a Python class; write it in C for the kernel: fairlane algorithm new mine")
        name = "" if name is None else checked_name(name, word)
        if algorithm.path is None:
            found = describe(word)
            return cls(found["source"], Path(f"{found['name']}.c"), dict(parameters), name=name)
        try:
            source, headers = read_program(algorithm.path)
        except OSError as error:
            raise KernelError(f"{algorithm.path}: {error.strerror}; name a C file that you may read") from None
        return cls(source, algorithm.path, dict(parameters), headers, algorithm.part, name)


def checked_name(name: str, word: str) -> str:
    """The name if the kernel can have it; raises KernelError otherwise."""
    if not name:
        raise KernelError(f"{word} gives itself no name; set .name in its struct tcp_congestion_ops, or use --as NAME")
    if len(name.encode()) > NAME_BYTES:
        raise KernelError(f"the name '{name}' is too long for the kernel; use at most {NAME_BYTES} letters")
    if not name.isascii() or not all(letter.isalnum() or letter in "_.-" for letter in name):
        raise KernelError(f"'{name}' cannot be a name in the kernel; use letters, digits and _")
    return name
