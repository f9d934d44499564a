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

from fairlane.algorithm.prototype import kernel_functions
from fairlane.algorithm.prototype.kernel_functions import *  # noqa: F403 (all of its names)
from fairlane.algorithm.prototype.round_trips import RoundTrips

__all__ = ["RoundTrips"]
__all__ += kernel_functions.__all__
