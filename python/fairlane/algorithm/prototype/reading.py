"""What a class says about itself: its parameters, the comments that give their units and meaning, and what it reads."""

import ast
import inspect
import re
from typing import Any

from fairlane.engine import kernel_members

_ASSIGNMENT = r"^\s+{}\s*(?::[^=\n]*)?=[^#\n]*#\s*(.+)$"


def parameters(cls: type) -> dict[str, int]:
    """The class's integer attributes whose names do not start with _, in order.

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


def not_kept(node: ast.ClassDef | None) -> tuple[int, str] | None:
    """Line and name of the first member of a method's argument that the kernel has and the simulator does not keep.

    >>> not_kept(ast.parse("class Mine:\\n    def init(self, sock):\\n        self.window = sock.rcv_wnd").body[0])
    (3, 'rcv_wnd')
    """
    names = {member["name"] for member in kernel_members() if not member["kept"]}
    for method in ast.walk(node) if node else ():
        if not isinstance(method, ast.FunctionDef):
            continue
        arguments = {argument.arg for argument in method.args.args[1:]}
        for read in ast.walk(method):
            if (
                isinstance(read, ast.Attribute)
                and read.attr in names
                and isinstance(read.value, ast.Name)
                and read.value.id in arguments
            ):
                return read.lineno, read.attr
    return None
