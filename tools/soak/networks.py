"""Networks to soak: those of `tools/random_networks.py`, of which two thirds get something rarer besides.

A network is a function of its number, so that a number repeats a finding.
"""

import random
from typing import Any

from tools import random_networks

INTERVAL = "10ms"
"""Time between the samples that laws about windows of time look at."""


def network(number: int) -> dict[str, Any]:
    """The experiment of this number, in the form of a file."""
    draw = random.Random(f"soak {number}")
    found = random_networks.experiment(number)
    found["metrics"] = {"interval": INTERVAL}
    if draw.random() < 0.15:  # long enough for a timeout that has doubled a few times
        found["duration"] = draw.choice(["12s", "30s"])
        found["flows"] = found["flows"][:2]
    if found["network"].get("kind") == "wifi":
        draw.choice([_plain, _wifi])(found, draw)
    else:
        draw.choice([_plain, _token_bucket, _outage, _heavy_loss, _parking_lot, _reordering])(found, draw)
    return found


def _plain(_found: dict[str, Any], _draw: random.Random) -> None:
    """As `random_networks` made it."""


def _token_bucket(found: dict[str, Any], draw: random.Random) -> None:
    if found["network"]["queue"] != "cake":  # which shapes by itself
        found["network"]["burst"] = draw.choice(["3kB", "15kB", "100kB"])


def _outage(found: dict[str, Any], draw: random.Random) -> None:
    """A time at almost no rate, then another rate."""
    start_ms, length_ms = draw.randrange(300, 1500), draw.choice([50, 300, 1000])
    found["network"]["changes"] = [
        {"at": f"{start_ms}ms", "rate": "20kbit"},
        {"at": f"{start_ms + length_ms}ms", "rate": draw.choice(["1mbit", "30mbit", "200mbit"])},
    ]


def _heavy_loss(found: dict[str, Any], draw: random.Random) -> None:
    """Losses that lead to timeouts, alone or in bursts."""
    if draw.random() < 0.5:
        found["network"]["loss"] = draw.choice(["5%", "20%", "40%"])
    else:
        found["network"]["loss"] = {"kind": "gilbert_elliott", "good_to_bad": "1%", "bad_to_good": "10%"}


def _parking_lot(found: dict[str, Any], draw: random.Random) -> None:
    """Several bottlenecks, which each flow crosses in part."""
    network, hops = found["network"], draw.choice([2, 3, 4])
    del network["rtt"]
    network |= {"topology": "parking_lot", "hops": hops, "hop_delay": f"{draw.randrange(1, 10)}ms"}
    for crossing in [*found["flows"], *found.get("cross_traffic", ())]:
        first = draw.randint(1, hops)
        crossing["hops"] = [first, draw.randint(first, hops)]


def _reordering(found: dict[str, Any], draw: random.Random) -> None:
    """Packets that overtake each other."""
    found["network"]["jitter"] = {"max": draw.choice(["500us", "3ms", "20ms"]), "reorder": True}


def _wifi(found: dict[str, Any], draw: random.Random) -> None:
    """Errors on the air, and the choices of a driver."""
    found["network"] |= {
        "mpdu_loss": draw.choice(["0%", "1%", "10%"]),
        "rate_control": draw.choice(["fixed", "minstrel"]),
        "txop_limit": draw.choice(["0s", "2ms"]),
        "rts_cts": draw.random() < 0.3,
        "hardware_aggregates": draw.choice([0, 2]),
    }
    for flow in found["flows"]:
        flow["direction"] = draw.choice(["forward", "reverse"])
