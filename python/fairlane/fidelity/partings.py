"""When the windows of a simulated run leave those that Linux recorded, and what happened then."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairlane.fidelity import series

ALGORITHMS = {"reno", "cubic", "bbr"}
"""Scenarios of these alone are followed; of the others those in which a flow is alone and nothing is left to chance."""


@dataclass(frozen=True)
class Parting:
    """Of one flow."""

    scenario: str
    flow: int
    at_s: float | None
    """None if the windows never part."""
    theirs: int
    ours: int
    """Retransmissions in the second around it."""

    @property
    def how(self) -> str:
        """What differed at that time."""
        if self.at_s is None:
            return ""
        if self.theirs == self.ours:
            return f"windows grow apart, the losses being the same ({self.ours})" if self.ours else "windows grow apart"
        packets = "1 packet" if self.theirs == 1 else f"{self.theirs} packets"
        return f"Linux sends {packets} once more, the simulator {self.ours}"


def find(folder: Path, runs: dict[str, dict[str, Any]]) -> list[Parting]:
    """The partings of the runs by name, those of one kind together."""
    found = []
    for name, result in sorted(runs.items()):
        algorithms = {flow["algorithm"] for flow in result["flows"]}
        theirs = series.linux(folder, name)
        if not theirs or not (name.startswith("single-") or algorithms <= ALGORITHMS):
            continue
        for number, (linux, ours) in enumerate(zip(theirs, series.ours(result), strict=True)):
            at_s = series.parting_s(linux, ours)
            counts = [0 if at_s is None else series.retransmits_around(flow, at_s) for flow in (linux, ours)]
            found.append(Parting(name, number, at_s, *counts))
    return found
