"""Takes out of an experiment what has the wrong form, so that the rest can be looked at.

What is left out falls back to its default. What is required gets a value that no other setting can be at odds with.
"""

from collections.abc import Mapping
from typing import Any

from fairlane.scenario.diagnostics import Place

_REQUIRED: dict[str | int, Any] = {
    "duration": "1000s",
    "algorithm": "reno",
    "rate": "1gbit",
    "rtt": "100ms",
    "hops": 64,
    "hop_delay": "1ms",
    "network": {"rate": "1gbit", "rtt": "100ms"},
    "flows": [{"algorithm": "reno"}],
    "response": "1kB",
    "bytes": "1kB",
    "on": "1s",
    "off": "1s",
    "mean": "1kB",
    "rate_per_s": 1.0,
    "name": "unnamed",
}


def repair(data: Any, place: Place) -> Any:
    """A copy without what stands at `place`; what cannot be absent is replaced.

    >>> repair({"seed": -1, "duration": 5}, ("seed",)), repair({"flows": [{"algorithm": 3}]}, ("flows", 0, "algorithm"))
    ({'duration': 5}, {'flows': [{'algorithm': 'reno'}]})
    """
    if not place:
        return data
    part, rest = place[0], place[1:]
    if isinstance(data, list) and isinstance(part, int) and part < len(data):
        inner = repair(data[part], rest) if rest else {}
        return [*data[:part], inner, *data[part + 1 :]]
    if not isinstance(data, Mapping):
        return data
    if rest and isinstance(data.get(str(part)), (Mapping, list)):
        return {**data, str(part): repair(data[str(part)], rest)}
    others = {key: value for key, value in data.items() if key != part}
    # A dumbbell's rate may be missing or wrong; other tables know no such key, or can do without it.
    return {**others, str(part): _REQUIRED[part]} if part in _REQUIRED and _needed(part, others) else others


def _needed(part: str | int, others: Mapping[str, Any]) -> bool:
    if part == "name":
        return "algorithm" not in others and "network" not in others  # a link's
    if part in ("rtt", "hops"):
        return "algorithm" not in others  # of the network; a flow can do without
    return True
