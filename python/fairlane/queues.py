"""Queue disciplines by the names that tc gives them, and what the engine calls their parameters.

What belongs here: which disciplines there are, in what unit each counts its limit, and the reading of tc's
arguments. How a discipline behaves is the engine's business (crates/network/src/queue).
"""

from typing import Any

LIMIT_KEYS = {
    "fifo": "limit_bytes",
    "red": "limit_bytes",
    "codel": "limit_packets",
    "fq_codel": "limit_packets",
    "pie": "limit_packets",
    "fq_pie": "limit_packets",
    "fq": "limit_packets",
    "cake": "memlimit_bytes",
    "dualpi2": "limit_packets",
}
"""Each discipline, and the parameter that limits its length."""
OWN_LIMITS = [kind for kind in LIMIT_KEYS if kind not in ("fifo", "red")]
"""The disciplines for which tc has a limit of its own."""

_TC_RED = {
    "limit": "limit_bytes",
    "min": "min_bytes",
    "max": "max_bytes",
    "avpkt": "avpkt_bytes",
    "burst": "burst_packets",
    "probability": "probability",
    "bandwidth": "bandwidth_bps",
}


def from_tc(kind: str, arguments: str) -> dict[str, Any] | None:
    """The engine's queue for tc's `kind` and `arguments`; None if the engine has no such queue."""
    if kind not in LIMIT_KEYS or kind == "fifo":
        return None
    words = arguments.split()
    if words and kind != "red":
        return None
    settings = {_TC_RED[name]: _tc_number(value) for name, value in zip(words[::2], words[1::2], strict=True)}
    return {"kind": kind, **settings}


def _tc_number(text: str) -> int | float:
    if text.endswith("Mbit"):
        return round(float(text.removesuffix("Mbit")) * 1e6)
    return int(text) if text.isdigit() else float(text)
