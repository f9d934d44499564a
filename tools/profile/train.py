"""Runs the networks of a profile, in an extension that counts executed code.

The networks differ from those of `benchmarks/`, so that these show the effect of a profile on other networks.

Usage: python tools/profile/train.py LIBRARY    LLVM_PROFILE_FILE names where the counts go
"""

import importlib.util
import sys
from importlib.machinery import ExtensionFileLoader
from typing import Any

NETWORKS: list[dict[str, Any]] = [
    # One flow of most algorithms, on a link of home size.
    *(
        {"flows": [(algorithm, 1)], "rate": "80mbit", "rtt": "25ms", "duration": "3s"}
        for algorithm in ("cubic", "cubic", "reno", "bbr", "bbr3", "vegas", "htcp", "illinois", "westwood")
    ),
    # Many flows, long and short queues, jumbo frames and offload.
    {"flows": [("cubic", 60)], "rate": "4gbit", "rtt": "50ms", "duration": "500ms", "mtu": 8900},
    {"flows": [("cubic", 60)], "rate": "4gbit", "rtt": "50ms", "duration": "500ms", "mtu": 8900, "offload": True},
    {"flows": [("cubic", 30), ("bbr", 30)], "rate": "2gbit", "rtt": "40ms", "duration": "700ms", "offload": True},
    {"flows": [("bbr", 60)], "rate": "4gbit", "rtt": "50ms", "duration": "500ms", "mtu": 8900},
    {"flows": [("cubic", 300)], "rate": "1gbit", "rtt": "60ms", "duration": "1s"},
    # Queue disciplines, with flows that compete.
    *(
        {"flows": [("cubic", 5), ("bbr", 5)], "rate": "200mbit", "rtt": "30ms", "duration": "1s", "queue": queue}
        for queue in ("fq_codel", "fq_codel", "codel", "red", "pie", "fq", "fq_pie")
    ),
    # QUIC.
    {"flows": [("cubic", 1)], "transport": "quic", "rate": "50mbit", "rtt": "30ms", "duration": "1500ms"},
    {"flows": [("cubic", 20), ("bbr", 10)], "transport": "quic", "rate": "200mbit", "rtt": "40ms", "duration": "800ms"},
    # Marks, losses and reordering.
    {"flows": [("dctcp", 10)], "rate": "1gbit", "rtt": "1ms", "duration": "500ms", "queue": "red", "ecn": True},
    {"flows": [("cubic", 2), ("bbr", 2)], "rate": "100mbit", "rtt": "40ms", "duration": "3s", "loss": "0.5%"},
    {"flows": [("cubic", 2), ("bbr", 1)], "rate": "100mbit", "rtt": "40ms", "duration": "2s", "jitter": "2ms"},
]


def main() -> None:
    """Runs them all."""
    loader = ExtensionFileLoader("fairlane._engine", sys.argv[1])
    spec = importlib.util.spec_from_file_location("fairlane._engine", sys.argv[1], loader=loader)
    assert spec
    sys.modules["fairlane._engine"] = importlib.util.module_from_spec(spec)
    loader.exec_module(sys.modules["fairlane._engine"])

    from fairlane.engine import run_packed
    from fairlane.scenario.requests import dumbbell, scenario

    packets = 0
    for network in NETWORKS:
        settings = dict(network)
        shared = {"rtt": settings.pop("rtt"), "transport": settings.pop("transport", "tcp")}
        flows = [{"algorithm": name, "count": count, **shared} for name, count in settings.pop("flows")]
        import json

        run_packed(json.dumps(scenario(dumbbell(flows, **settings))))
        packets += 1
    print(f"profile: {packets} networks")


if __name__ == "__main__":
    main()
