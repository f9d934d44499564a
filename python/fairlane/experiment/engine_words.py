"""What the engine says about a queue, in the words of experiment files."""

import json
import re
from functools import cache
from typing import Any

from fairlane.wording import nearest

_SUFFIXES = {"_ns": 'a time, such as "5ms"', "_bytes": 'bytes, such as "250kB"', "_packets": 'packets, such as "100p"'}
_SUFFIXES |= {"_bps": 'a rate, such as "10mbit"', "_pps": 'packets per second, such as "1000pps"'}
_TYPES = {"a boolean": "true or false", "u32": "a whole number", "u64": "a whole number", "f64": "a number"}


def queue_fault(queue: dict[str, Any]) -> tuple[str, str]:
    """Why the engine would refuse a queue: the option, if it is about one, and the words; nothing if it would not."""
    message = _refusal(json.dumps(queue))
    if not message:
        return "", ""
    missing = re.search(r"missing field `(.*?)`", message)
    if missing:
        name, ending = _split(missing[1])
        return name, f"is missing; it is {_SUFFIXES.get(ending, 'a number')}"
    odd = re.search(r"invalid (?:type|value): .*, expected (.*?)(?: at line.*)?$", message)
    if odd:
        others = (name for name in queue if name != "kind" and not _refuses_as(_without(queue, name), message))
        return next(others, ""), f"must be {_TYPES.get(odd[1], odd[1])}"
    text = re.sub(rf"\b([a-z_]+?)({'|'.join(_SUFFIXES)})\b", r"\1", in_file_words(message))
    if text.startswith("unknown option "):
        name = re.split(r"[;. ]", text.removeprefix("unknown option "))[0]
        return name, text.replace(f" {name}", "", 1)
    name, _, rest = text.partition(" ")
    return (name, rest) if name in queue_options(queue["kind"]) else ("", text)


def _without(queue: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in queue.items() if key != name}


def _refuses_as(queue: dict[str, Any], message: str) -> bool:
    """Whether the engine has the same against this queue, wherever in the text."""
    return _refusal(json.dumps(queue)).partition(" at line ")[0] == message.partition(" at line ")[0]


@cache
def queue_kinds() -> tuple[str, ...]:
    """Every discipline that the engine knows."""
    return tuple(re.findall(r"`(.*?)`", _refusal(json.dumps({"kind": "?"})))[1:])


@cache
def queue_options(kind: str) -> dict[str, str]:
    """The options of a discipline, without the unit, and the engine's ending, which is the unit."""
    known = re.findall(r"`(.*?)`", _refusal(json.dumps({"kind": kind, "?": 0})))[1:]
    return dict(sorted(_split(name) for name in known))


@cache
def _refusal(queue: str) -> str:
    """What the engine says against a queue."""
    from fairlane.engine import ScenarioError, check

    links = [{"name": "link", "rate_bps": 10**9, "queue": json.loads(queue)}, {"name": "back"}]
    flows = [{"algorithm": "reno", "forward": ["link"], "reverse": ["back"]}]
    try:
        check({"seed": 1, "duration_ns": 1, "links": links, "flows": flows})
    except ScenarioError as error:
        return str(error)
    return ""


def in_file_words(message: str) -> str:
    """A message of the engine without what belongs to its JSON.

    >>> in_file_words("scenario: unknown field `targt_ns`, expected one of `target_ns`, `ecn` at line 1 column 9")
    'unknown option targt; did you mean target? Known: target, ecn'
    """
    text = re.sub(r" at line \d+ column \d+$", "", message.removeprefix("scenario: "))
    text = text.removeprefix('link "link": ').removeprefix("queue.")
    found = re.fullmatch(r"unknown (variant|field) `(.*?)`, (?:expected (.*)|there are no fields)", text)
    if not found:
        return text
    kind, word, expected = found.groups()
    known = re.findall(r"`(.*?)`", expected or "")
    if kind == "variant":
        return f"there is no '{word}'{nearest(word, known) or '.'} Known: {', '.join(known)}"
    plain, wanted = _split(word)
    names = {_split(name)[0]: _split(name)[1] for name in known}
    if plain in names and names[plain] != wanted:
        return f"{plain} must be {_SUFFIXES.get(names[plain], 'a plain number, or true or false')}"
    return f"unknown option {plain}{nearest(plain, names) or '.'} Known: {', '.join(names) or 'none'}"


def _split(name: str) -> tuple[str, str]:
    for suffix in _SUFFIXES:
        if name.endswith(suffix):
            return name.removesuffix(suffix), suffix
    return name, ""
