"""A congestion control that is to go into the kernel: its text, the parameters to change, and its name there."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fairlane.kernel import KernelError
from fairlane.prototype.words import file_and_class, means_c, means_python

NAME_BYTES = 15
"""The kernel keeps 16 bytes for a name, the last one a zero."""

PREFIX = "fl_"
"""The prefix of the bundled algorithms' kernel names, so that none is mistaken for the kernel's own."""


@dataclass(frozen=True)
class KernelProgram:
    """What to compile, and how to change it before it is loaded."""

    source: str
    """The C text."""
    path: Path
    """Where it was read from; messages name it, and its folder has further headers."""
    table: str
    """The variable that holds its callbacks."""
    own_name: str
    """The name that the text gives it."""
    kernel_name: str
    """The name that it gets."""
    parameters: Mapping[str, int]
    """What differs from the defaults."""

    @classmethod
    def find(cls, word: str, parameters: Mapping[str, int], name: str | None = None) -> "KernelProgram":
        """The algorithm `word`, a built-in name or a C file, to be called `name` (None: as its text says).

        Raises AlgorithmError if there is none, if it does not compile, or if it has no such parameters.
        """
        from fairlane.algorithm import describe

        if means_python(word):
            raise KernelError(f"{word} is a Python class; write it in C for the kernel: fairlane algorithm new mine")
        found = describe(word, parameters)
        path, _ = file_and_class(word)
        return cls(
            source=found["source"],
            path=path if path is not None and means_c(word) else Path(f"{found['name']}.c"),
            table=found["table"],
            own_name=found["kernel_name"],
            kernel_name=_checked(name or found["kernel_name"], word),
            parameters=dict(parameters),
        )


def _checked(name: str, word: str) -> str:
    if not name:
        raise KernelError(f"{word} gives itself no name; set .name in its struct tcp_congestion_ops, or use --as NAME")
    if len(name.encode()) > NAME_BYTES:
        raise KernelError(f"the name '{name}' is too long for the kernel; use at most {NAME_BYTES} letters")
    if not name.isascii() or not all(letter.isalnum() or letter in "_.-" for letter in name):
        raise KernelError(f"'{name}' cannot be a name in the kernel; use letters, digits and _")
    return name
