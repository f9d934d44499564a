"""Queue disciplines in an experiment file: tc's names, values with units.

The disciplines, their parameters and units come from the contract; here is the one rule that names follow. An option
has the name that tc gives it (`target = "5ms"`), the engine's parameter ends with the unit (`target_ns`), and the
value's unit selects it. So a new discipline of the engine needs no change here. The engine checks ranges.
"""

from collections.abc import Callable, Mapping
from math import isfinite

from fairlane.engine.declarations import Setting, option_of, plain_type, queues, schema_of
from fairlane.engine.messages import nearest, unknown
from fairlane.scenario import units
from fairlane.scenario.diagnostics import Place
from fairlane.scenario.forms import Definitions, Form, JsonSchema, Reader

Options = Mapping[str, str | int | float | bool]
"""A queue as a file gives it: `kind` and options."""
Queue = dict[str, str | int | float | bool]
"""A queue in the engine's form."""

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
    return next((name for name, one in queues()[kind].items() if "x-limit" in one), None)


def has_own_limit(kind: str) -> bool:
    """Whether tc gives the discipline a limit, so that none has to be given."""
    key = limit_key(kind)
    return key is None or queues()[kind][key]["x-limit"] == "default"


def options_of(kind: str) -> dict[str, list[str]]:
    """The options of a discipline, and the parameters that each may stand for: one for each unit."""
    found: dict[str, list[str]] = {}
    for parameter in queues()[kind]:
        found.setdefault(option_of(parameter), []).append(parameter)
    return found


def engine_queue(
    options: Options, buffer: units.Buffer | None, bytes_of: Callable[[units.Buffer], int], frame_bytes: int
) -> Queue:
    """The engine's form of a queue. `buffer` is its limit unless the options have one; `bytes_of` resolves BDPs.

    Raises QuantityError for a value that cannot be.
    """
    kind = str(options["kind"])
    made: Queue = {"kind": kind}
    for name, value in options.items():
        if name != "kind":
            made.update(_option(kind, name, value, bytes_of))
    if buffer is None or kind not in queues():
        return made
    key = limit_key(kind, buffer)
    limits = (option_of(name) for name, one in queues()[kind].items() if "x-limit" in one)
    if key is not None and not any(name in options for name in limits):
        made[key] = _limit(key, buffer, bytes_of, frame_bytes)
    return made


def queue_problem(options: Options, queue: Queue) -> tuple[str, str]:
    """The first problem of a queue that a file gives as `options`: option and text, both empty if there is none.

    `queue` is its engine's form.
    """
    from fairlane.engine import queue_problems

    kind = str(queue["kind"])
    if kind not in queues():
        return "", f"there is no '{kind}'{nearest(kind, queues()) or '.'} Known: {', '.join(queues())}"
    declared = queues()[kind]
    known = options_of(kind)
    for option in options:
        if option != "kind" and option not in known:
            return option, unknown(f"option of {kind}", option, known)
    for parameter, value in queue.items():
        option = option_of(parameter)
        if parameter != "kind" and not (parameter in declared and _has_type(declared[parameter], value)):
            return option, f"must be {_wanted(kind, known[option])}"
    for parameter in schema_of(f"QueueConfig.{kind}").get("required", ()):
        if parameter not in queue:
            return option_of(parameter), f"is missing; give {_wanted(kind, [parameter])}"
    for problem in queue_problems(queue):
        text = "; ".join(_in_file_words(part, kind) for part in (problem["what"], problem["remedy"]) if part)
        return option_of(str(problem["path"][-1])), text
    return "", ""


_OWN_RATE = {"cake": "bandwidth", "fq": "maxrate"}
"""Disciplines that shape by themselves if they have this option."""
_WITHOUT_RATE = ("policer", "router")
"""Disciplines that need no rate of the link."""


def rate_of(options: Options | None) -> int | None:
    """The rate to which a discipline itself limits what crosses a link without a rate, in bit/s.

    0 if it has no single one; None for a discipline that does nothing there. A rate that cannot be read counts as 0:
    `queue_problem` reports it.
    """
    kind = str((options or {}).get("kind"))
    option = _OWN_RATE.get(kind, "rate")
    if options is None or (kind not in _WITHOUT_RATE and not (kind in _OWN_RATE and option in options)):
        return None
    try:
        return units.rate_bps(str(options[option])) if kind != "fq" else 0
    except (KeyError, units.QuantityError):
        return 0


def _limit(key: str, buffer: units.Buffer, bytes_of: Callable[[units.Buffer], int], frame_bytes: int) -> int:
    if buffer.unit == "packets":
        return int(buffer.amount) * (1 if key == "limit_packets" else frame_bytes)
    size = bytes_of(buffer)
    return max(1, size // frame_bytes) if key == "limit_packets" else size


def _option(kind: str, name: str, value: str | float | bool, bytes_of: Callable[[units.Buffer], int]) -> Queue:
    if not isinstance(value, str):
        return {name: value}
    unit = value.strip().lstrip("+-.0123456789eE").strip().lower()
    declared = queues().get(kind, {})
    if unit in units.TIME_UNITS and f"{name}_bytes" in declared and f"{name}_ns" not in declared:
        return {f"{name}_bytes": bytes_of(units.buffer(value))}  # a limit in time at the link's rate, as a buffer has
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
        return {f"{name}_bytes": bytes_of(units.buffer(value))}
    return {name: value}


def _has_type(setting: Setting, value: object) -> bool:
    type_name = plain_type(setting)
    if type_name == "boolean":
        return isinstance(value, bool)
    return isinstance(value, int if type_name == "integer" else (int, float)) and not isinstance(value, bool)


def _wanted(kind: str, parameters: list[str]) -> str:
    forms = []
    for parameter in parameters:
        ending = parameter.removeprefix(option_of(parameter))
        forms.append(_ENDINGS[ending] if ending else _TYPES[plain_type(queues()[kind][parameter])])
    return " or ".join(forms)


def _in_file_words(text: str, kind: str) -> str:
    """The engine's text, whose parameters in backticks get the names that files have."""
    for parameter in queues()[kind]:
        text = text.replace(f"`{parameter}`", f"`{option_of(parameter)}`")
    return text


class QueueForm(Form):
    """A queue discipline: its kind, or a table of `kind` and options. Options are checked where the limit is known."""

    def read(self, value: object, place: Place, reader: Reader) -> Options:
        if isinstance(value, str):
            return {"kind": value}
        if not isinstance(value, Mapping):
            raise ValueError(f"must be a kind or a table; {_EXAMPLE}")
        if not isinstance(value.get("kind"), str):
            raise ValueError(f"needs a kind; {_EXAMPLE}")
        for name, option in value.items():
            if not isinstance(option, (str, int, float, bool)) or (isinstance(option, float) and not isfinite(option)):
                raise ValueError(f"its option {name} must be text, a finite number, or true or false")
        return value

    def schema(self, definitions: Definitions) -> JsonSchema:
        if "Queue" not in definitions:
            definitions["Queue"] = _schema()
        return {"$ref": "#/$defs/Queue"}


QUEUE = QueueForm()
_EXAMPLE = 'write for example queue = { kind = "codel", target = "5ms" }'


def _schema() -> JsonSchema:
    """Chosen by kind, so that an editor complains about an option and not about all kinds at once."""
    chosen = []
    for kind, parameters in queues().items():
        options = {option_of(name): _OPTIONS.get(one.get("x-unit", ""), {}) for name, one in parameters.items()}
        table = {"type": "object", "properties": {"kind": {"const": kind}, **options}, "additionalProperties": False}
        is_meant = {"properties": {"kind": {"const": kind}}, "required": ["kind"]}
        chosen.append({"if": is_meant, "then": {"title": kind, **table, "required": ["kind"]}})
    return {
        "anyOf": [
            {"enum": list(queues())},
            {"type": "object", "properties": {"kind": {"enum": list(queues())}}, "allOf": chosen},
        ]
    }


_OPTIONS: dict[str, JsonSchema] = {
    "ns": {"type": "string", "examples": ["5ms"]},
    "bytes": {"type": "string", "examples": ["250kB"]},
    "packets": {"type": "string", "examples": ["100p"]},
    "bit/s": {"type": "string", "examples": ["10mbit"]},
    "packets/s": {"type": "string", "examples": ["1000pps"]},
}
"""Values of options by unit."""
