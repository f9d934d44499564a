"""What a class says about itself: its parameters, and the comments that give their units and meaning."""

import inspect
import re
from typing import Any

_ASSIGNMENT = r"^\s+{}\s*(?::[^=\n]*)?=[^#\n]*#\s*(.+)$"


def parameters(cls: type) -> dict[str, int]:
    """The class's whole numbers whose names do not begin with _, in their order.

    >>> class Mine:
    ...     alpha, _inner, needs_ecn = 2, 3, True
    >>> parameters(Mine)
    {'alpha': 2}
    """
    found: dict[str, int] = {}
    for base in reversed(cls.__mro__):
        for name, value in vars(base).items():
            if isinstance(value, int) and not isinstance(value, bool) and not name.startswith("_"):
                found[name] = value
    return found


def described(cls: type) -> list[dict[str, Any]]:
    """Name, default, type, unit and meaning of each parameter; the last two from `alpha = 2  # packets, meaning`."""
    try:
        text = inspect.getsource(cls)
    except (OSError, TypeError):
        text = ""
    rows = []
    for name, default in parameters(cls).items():
        comment = re.search(_ASSIGNMENT.format(re.escape(name)), text, re.MULTILINE)
        unit, comma, meaning = comment[1].partition(", ") if comment else ("", "", "")
        rows.append(
            {
                "name": name,
                "default": default,
                "type": "int",
                "unit": unit if comma else None,
                "doc": (meaning if comma else unit) or None,
            }
        )
    return rows
