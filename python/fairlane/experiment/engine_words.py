"""What the engine says about a queue, in the words of experiment files."""

import json
import re
from functools import cache
from typing import Any

from fairlane.wording import nearest

_SUFFIXES = {"_ns": 'a time, such as "5ms"', "_bytes": 'bytes, such as "250kB"', "_packets": 'packets, such as "100p"'}
_SUFFIXES["_bps"] = 'a rate, such as "10mbit"'


def queue_fault(queue: dict[str, Any]) -> str:
    """Why the engine would refuse a queue; nothing if it would not."""
    return _queue_fault(json.dumps(queue))


@cache
def _queue_fault(queue: str) -> str:
    from fairlane.engine import ScenarioError, check

    links = [{"name": "link", "rate_bps": 10**9, "queue": json.loads(queue)}, {"name": "back"}]
    flows = [{"algorithm": "reno", "forward": ["link"], "reverse": ["back"]}]
    try:
        check({"seed": 1, "duration_ns": 1, "links": links, "flows": flows})
    except ScenarioError as error:
        return in_file_words(str(error))
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
