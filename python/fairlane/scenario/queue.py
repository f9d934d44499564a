"""Queue disciplines in an experiment file: tc's names, values with units.

The disciplines, their parameters and units come from the contract; here is the one rule that names follow. An option
has the name that tc gives it (`target = "5ms"`), the engine's parameter ends with the unit (`target_ns`), and the
value's unit says which. So a discipline that the engine learns needs no change here. Ranges are checked by the engine.
"""

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from fairlane.engine.contract.vocabulary import QUEUES
from fairlane.engine.messages import nearest
from fairlane.scenario import units

_ENDINGS = {
    "_ns": 'a time, such as "5ms"',
    "_bytes": 'bytes, such as "250kB"',
    "_packets": 'packets, such as "100p"',
    "_bps": 'a rate, such as "10mbit"',
    "_pps": 'packets per second, such as "1000pps"',
}
"""Units that a value of a file has behind it, and the parameter at the end of its name."""
_TYPES = {"integer": "an integer", "number": "a number", "boolean": "true or false"}


def limit_key(kind: str, buffer: units.Buffer | None = None) -> str | None:
    """The parameter that limits the length of a discipline; None for one without a limit."""
    if kind == "fifo" and buffer is not None and buffer.unit == "packets":
        return "limit_packets"
    return next((name for name, one in QUEUES[kind].items() if one.limits), None)


def has_own_limit(kind: str) -> bool:
    """Whether tc gives the discipline a limit, so that none has to be given."""
    key = limit_key(kind)
    return key is None or QUEUES[kind][key].limits == "default"


def option_of(parameter: str) -> str:
    """What a file calls a parameter.

    >>> option_of("target_ns"), option_of("ecn"), option_of("alpha_hz")
    ('target', 'ecn', 'alpha_hz')
    """
    return re.sub(rf"({'|'.join(_ENDINGS)})$", "", parameter)


def options_of(kind: str) -> dict[str, list[str]]:
    """The options of a discipline, and the parameters that each may stand for: one for each unit."""
    found: dict[str, list[str]] = {}
    for parameter in QUEUES[kind]:
        found.setdefault(option_of(parameter), []).append(parameter)
    return found


def engine_queue(
    options: Mapping[str, Any], buffer: units.Buffer | None, bdp_bytes: Callable[[Fraction], int], frame_bytes: int
) -> dict[str, Any]:
    """The engine's form of a queue. `buffer` is its limit unless the options have one; `bdp_bytes` resolves BDPs.

    Raises QuantityError for a value that cannot be.
    """
    kind = options["kind"]
    made: dict[str, Any] = {"kind": kind}
    for name, value in options.items():
        if name != "kind":
            made.update(_option(name, value, bdp_bytes))
    if buffer is None or kind not in QUEUES:
        return made
    key = limit_key(kind, buffer)
    if key is not None and not any(option_of(one) in options for one, told in QUEUES[kind].items() if told.limits):
        made[key] = _limit(key, buffer, bdp_bytes, frame_bytes)
    return made


def queue_problem(options: Mapping[str, Any], queue: Mapping[str, Any]) -> tuple[str, str]:
    """What is wrong with a queue that a file gives as `options`: the option and the words, both empty if nothing is.

    `queue` is its engine's form.
    """
    from fairlane.engine import queue_problems

    kind = queue["kind"]
    if kind not in QUEUES:
        return "", f"there is no '{kind}'{nearest(kind, QUEUES) or '.'} Known: {', '.join(QUEUES)}"
    known = options_of(kind)
    for option in options:
        if option != "kind" and option not in known:
            return option, f"unknown option{nearest(option, known) or '.'} Known: {', '.join(known) or 'none'}"
    for parameter, value in queue.items():
        option = option_of(parameter)
        if parameter != "kind" and not (parameter in QUEUES[kind] and _has_type(QUEUES[kind][parameter].type, value)):
            return option, f"must be {_wanted(kind, known[option])}"
    for parameter, told in QUEUES[kind].items():
        if told.is_required and parameter not in queue:
            return option_of(parameter), f"is missing; give {_wanted(kind, [parameter])}"
    for problem in queue_problems(queue):
        text = "; ".join(_in_file_words(part, kind) for part in (problem["what"], problem["remedy"]) if part)
        return option_of(str(problem["path"][-1])), text
    return "", ""


def _limit(key: str, buffer: units.Buffer, bdp_bytes: Callable[[Fraction], int], frame_bytes: int) -> int:
    if buffer.unit == "packets":
        return int(buffer.amount) * (1 if key == "limit_packets" else frame_bytes)
    size = bdp_bytes(buffer.amount) if buffer.unit == "bdp" else int(buffer.amount)
    return max(1, size // frame_bytes) if key == "limit_packets" else size


def _option(name: str, value: Any, bdp_bytes: Callable[[Fraction], int]) -> dict[str, Any]:
    if not isinstance(value, str):
        return {name: value}
    unit = value.strip().lstrip("+-.0123456789eE").strip().lower()
    if unit in units.TIME_UNITS:
        return {f"{name}_ns": units.time_ns(value)}
    if unit.endswith(("bit", "bps", "bit/s")):
        return {f"{name}_bps": units.rate_bps(value)}
    if unit in units.PACKET_RATE_UNITS:
        return {f"{name}_pps": units.packets_per_s(value)}
    if unit == "%":
        return {name: units.probability(value)}
    if unit in units.PACKET_UNITS:
        return {f"{name}_packets": int(units.buffer(value).amount)}
    if unit == "bdp" or unit in units.BYTE_UNITS:
        size = units.buffer(value)
        return {f"{name}_bytes": bdp_bytes(size.amount) if size.unit == "bdp" else int(size.amount)}
    return {name: value}


def _has_type(type_name: str, value: Any) -> bool:
    if type_name == "boolean":
        return isinstance(value, bool)
    return isinstance(value, int if type_name == "integer" else (int, float)) and not isinstance(value, bool)


def _wanted(kind: str, parameters: list[str]) -> str:
    forms = []
    for parameter in parameters:
        ending = parameter.removeprefix(option_of(parameter))
        forms.append(_ENDINGS[ending] if ending else _TYPES[QUEUES[kind][parameter].type])
    return " or ".join(forms)


def _in_file_words(text: str, kind: str) -> str:
    """The engine names parameters in backticks; a file calls them otherwise."""
    for parameter in QUEUES[kind]:
        text = text.replace(f"`{parameter}`", f"`{option_of(parameter)}`")
    return text
