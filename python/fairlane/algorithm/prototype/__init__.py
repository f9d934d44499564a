"""Congestion controls as Python classes, to try an idea before it becomes a C program.

A class has the callbacks of a C program as methods, under the same names and with the same arguments; each flow gets an
object of its own, which keeps the flow's state. It is given as `mine.py`, `mine.py:Class`, or, within one process, as
the class itself: `fairlane.duel(Mine, "cubic")`. docs/guides/python-algorithm.md shows how.

    kernel_functions   what the kernel offers to a congestion control, under its names
    round_trips        a base class that measures RTTs round by round
    loading            finds and checks a class
    inspection         callbacks, parameters and their comments
    watchdog           ends a callback that does not return

The calls themselves are made by crates/python-bindings.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairlane.algorithm.prototype.kernel_functions import (
        CA_EVENT_COMPLETE_CWR,
        CA_EVENT_CWND_RESTART,
        CA_EVENT_ECN_IS_CE,
        CA_EVENT_ECN_NO_CE,
        CA_EVENT_LOSS,
        CA_EVENT_TX_START,
        SK_PACING_NEEDED,
        SK_PACING_NONE,
        TCP_CA_CWR,
        AckSample,
        RateSample,
        Sock,
        TCP_CA_Disorder,
        TCP_CA_Loss,
        TCP_CA_Open,
        TCP_CA_Recovery,
        after,
        before,
        tcp_cong_avoid_ai,
        tcp_in_slow_start,
        tcp_is_cwnd_limited,
        tcp_reno_cong_avoid,
        tcp_reno_ssthresh,
        tcp_reno_undo_cwnd,
        tcp_slow_start,
    )
    from fairlane.algorithm.prototype.round_trips import RoundTrips

__all__ = [
    "CA_EVENT_COMPLETE_CWR",
    "CA_EVENT_CWND_RESTART",
    "CA_EVENT_ECN_IS_CE",
    "CA_EVENT_ECN_NO_CE",
    "CA_EVENT_LOSS",
    "CA_EVENT_TX_START",
    "SK_PACING_NEEDED",
    "SK_PACING_NONE",
    "TCP_CA_CWR",
    "AckSample",
    "RateSample",
    "RoundTrips",
    "Sock",
    "TCP_CA_Disorder",
    "TCP_CA_Loss",
    "TCP_CA_Open",
    "TCP_CA_Recovery",
    "after",
    "before",
    "tcp_cong_avoid_ai",
    "tcp_in_slow_start",
    "tcp_is_cwnd_limited",
    "tcp_reno_cong_avoid",
    "tcp_reno_ssthresh",
    "tcp_reno_undo_cwnd",
    "tcp_slow_start",
]


def __getattr__(name: str) -> Any:
    if name in __all__:  # loaded on demand, so that the command line starts fast
        home = "round_trips" if name == "RoundTrips" else "kernel_functions"
        return getattr(import_module(f"fairlane.algorithm.prototype.{home}"), name)
    raise AttributeError(f"module 'fairlane.algorithm.prototype' has no attribute {name!r}")
