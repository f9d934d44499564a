"""Errors of a file: each with file, key, reason and remedy."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from fairlane.files import shortened

Place = tuple[str | int, ...]
"""Keys and list indices from the top of the file."""


@dataclass(frozen=True)
class Diagnostic:
    """An error and its place."""

    place: Place
    text: str
    """Reason and remedy."""


Report = Callable[[Place, str], None]
"""Takes an error: place, and text with reason and remedy."""


def reporter(diagnostics: list[Diagnostic]) -> Report:
    """A function that gathers diagnostics."""
    return lambda place, text: diagnostics.append(Diagnostic(place, text))


class ExperimentError(ValueError):
    """An experiment that cannot be run; one line for each error."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = [shortened(line) for line in lines]
        super().__init__("\n".join(self.lines))


def key_text(place: Place, data: object = None) -> str:
    """The text of a place: `flows[0].rtt`; named entries of `data` use their name, as in a sweep: `flows.rival.rtt`.

    >>> key_text(("flows", 0, "sender", "ecn")), key_text(())
    ('flows[0].sender.ecn', 'the file')
    >>> key_text(("flows", 0, "rtt"), {"flows": [{"name": "rival"}]})
    'flows.rival.rtt'
    """
    text = ""
    for part in place:
        data = inside(data, part)
        name = data.get("name") if isinstance(part, int) and isinstance(data, Mapping) else None
        if isinstance(name, str) and name.replace("-", "_").isidentifier() and place[-1] != "name":
            text += f".{name}"
        else:
            text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text or "the file"


def inside(data: object, part: str | int) -> object:
    """The value of a table's key or at a list's index; None if there is none."""
    if isinstance(data, Mapping):
        return data.get(part)
    return data[part] if isinstance(data, list) and isinstance(part, int) and part < len(data) else None
