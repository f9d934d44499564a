"""The callbacks of a congestion control, and whether a class has them in the right form."""

import inspect

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
    """What keeps a class from being a congestion control, with the remedy."""
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
