"""Queue disciplines in an experiment file: tc's names, values with units.

Which disciplines and options there are is the engine's business; here is the one rule that names follow. An option
is called as in tc (`target = "5ms"`), the engine's has the unit behind it (`target_ns`), and the value's unit says
which. So a discipline that the engine learns needs no change here.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from fairlane import units
from fairlane.queues import LIMIT_KEYS

WITHOUT_LIMIT = ("unlimited", "policer")


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
    limited = any(name.startswith(("limit", "memlimit")) for name in options)
    if buffer is not None and kind not in WITHOUT_LIMIT and not limited:
        made.update(_limit(kind, buffer, bdp_bytes, frame_bytes))
    return made


def _limit(kind: str, buffer: units.Buffer, bdp_bytes: Callable[[Fraction], int], frame_bytes: int) -> dict[str, int]:
    in_packets = buffer.unit == "packets"
    key = "limit_packets" if kind == "fifo" and in_packets else LIMIT_KEYS.get(kind, "limit_packets")
    if in_packets:
        packets = int(buffer.amount)
        return {key: packets if key == "limit_packets" else packets * frame_bytes}
    size = bdp_bytes(buffer.amount) if buffer.unit == "bdp" else int(buffer.amount)
    return {key: max(1, size // frame_bytes) if key == "limit_packets" else size}


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
