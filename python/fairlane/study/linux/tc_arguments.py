"""The arguments of tc for a queue, as an experiment file has them.

Options have the same names in both. tc leaves units out, and counts in its own: a bare time is in microseconds
(tc(8), TIMES), k and M of a size are 1024 and 1024 squared (tc(8), SIZES). A flag stands alone, and `no` negates it.
"""

import re
from collections.abc import Sequence

from fairlane.engine.declarations import plain_type, queues
from fairlane.engine.messages import unknown
from fairlane.scenario.queue import options_of

Value = float | int | str | bool

_SIZES = {"": 1, "b": 1, "k": 1024, "kb": 1024, "m": 1024**2, "mb": 1024**2, "g": 1024**3, "gb": 1024**3}
_FIXED = {"cake": ("besteffort", "flows")}
"""Flags of a discipline that the simulator always behaves by."""


def parse(kind: str, words: Sequence[str]) -> dict[str, Value]:
    """The options of a queue. Raises ValueError for options that tc rejects or the simulator lacks.

    >>> parse("fq_codel", ["target", "8ms", "memory_limit", "32Mb", "noecn"])
    {'target': '8ms', 'memory_limit': '33554432B', 'ecn': False}
    """
    options = options_of(kind)
    made: dict[str, Value] = {}
    left = [word for word in words if word not in _FIXED.get(kind, ())]
    while left:
        name = left.pop(0)
        name = name if name in options else name.replace("-", "_")  # cake's ack-filter
        flag = name.removeprefix("no") if name not in options else name
        if flag in options and plain_type(queues()[kind][options[flag][0]]) == "boolean":
            made[flag] = flag == name
            continue
        if name not in options:
            raise ValueError(unknown(f"option of {kind}", name, options))
        if not left:
            raise ValueError(f"'{name}' has no value; write it as for tc")
        settings = queues()[kind]
        units = ["" if one == name else settings[one].get("x-unit", "") for one in options[name]]
        made[name] = _value(name, left.pop(0), units)
    return made


def _value(name: str, text: str, units: Sequence[str]) -> Value:
    found = re.fullmatch(r"([0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?)([A-Za-z%/]*)", text)
    if not found:
        raise ValueError(f"{name} is '{text}', which is not a number; fix it")
    number, unit = found[1], found[2].lower()
    if "packets" in units and unit in ("p", "") and (unit or units[0] == "packets"):
        return f"{number}p"
    if "ns" in units:
        return f"{number}{unit or 'us'}"
    if "bytes" in units:
        if unit not in _SIZES:
            raise ValueError(f"{name} is '{text}', which is not a size; write for example 400000 or 32Mb")
        return f"{round(float(number) * _SIZES[unit])}B"
    if "bit/s" in units:
        return f"{number}{unit or 'bit'}"
    if "packets/s" in units:
        return f"{number}pps"
    if unit not in ("", "%", "hz"):
        raise ValueError(f"{name} is '{text}', which is not a plain number; fix it")
    return float(number) if re.search(r"[.eE]", number) else int(number)
