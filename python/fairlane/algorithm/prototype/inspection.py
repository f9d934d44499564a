"""Inspects a class: callbacks and their arguments, parameters with unit and meaning, members of the kernel it reads."""

import ast
import inspect
import re

from fairlane.engine import Parameter, kernel_members

CALLBACKS = {
    "init": ("sock",),
    "release": ("sock",),
    "ssthresh": ("sock",),
    "cong_avoid": ("sock", "ack", "acked"),
    "cong_control": ("sock", "ack", "flag", "sample"),
    "set_state": ("sock", "new_state"),
    "cwnd_event": ("sock", "event"),
    "in_ack_event": ("sock", "flags"),
    "pkts_acked": ("sock", "sample"),
    "undo_cwnd": ("sock",),
    "min_tso_segs": ("sock",),
    "sndbuf_expand": ("sock",),
}
"""Names, and the arguments of each after `self`."""


def is_candidate(cls: type) -> bool:
    """Whether a class looks as if it were meant as a congestion control."""
    return any(hasattr(cls, name) for name in ("ssthresh", "undo_cwnd", "cong_avoid", "cong_control"))


def mistake(cls: type) -> str | None:
    """The reason why a class is not a congestion control, with the remedy."""
    lacking = [name for name in ("ssthresh", "undo_cwnd") if not hasattr(cls, name)]
    if not (hasattr(cls, "cong_avoid") or hasattr(cls, "cong_control")):
        lacking.append("cong_avoid or cong_control")
    if lacking:
        first = lacking[0].split()[0]
        return (
            f"lacks {', '.join(lacking)}; write it as a method: def {first}({', '.join(('self', *CALLBACKS[first]))})"
        )
    for name, arguments in CALLBACKS.items():
        if hasattr(cls, name) and not _takes(cls, name, len(arguments)):
            return f"{name} must take these arguments: def {name}({', '.join(('self', *arguments))})"
    try:
        inspect.signature(cls).bind()
    except TypeError:
        return "needs arguments to be made; __init__ gets none, as each flow gets an object of its own"
    except ValueError:
        pass  # a class of an extension does not say
    return None


def _takes(cls: type, name: str, count: int) -> bool:
    method = getattr(cls, name)
    if not callable(method):
        return False
    if not isinstance(inspect.getattr_static(cls, name), staticmethod | classmethod):
        count += 1  # the object itself
    try:
        inspect.signature(method).bind(*range(count))
    except TypeError:
        return False
    except ValueError:
        return True
    return True


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


def described(cls: type) -> list[Parameter]:
    """Name, default, type, unit and meaning of each parameter; the last two from `alpha = 2  # packets, meaning`."""
    try:
        text = inspect.getsource(cls)
    except (OSError, TypeError):
        text = ""
    rows: list[Parameter] = []
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
