"""When the windows of a simulated run diverge from those of Linux, and what happened then."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairlane.study.linux import series

ALGORITHMS = {"reno", "cubic", "bbr"}
"""Scenarios with only these are followed; with other algorithms, only those with a single flow and no randomness."""


@dataclass(frozen=True)
class Divergence:
    """Of one flow."""

    scenario: str
    flow: int
    at_s: float | None
    """None if the windows never diverge."""
    theirs: int
    ours: int
    """Retransmissions in the second around it."""

    @property
    def how(self) -> str:
        """What differed at that time."""
        if self.at_s is None:
            return ""
        if self.theirs == self.ours:
            return f"growth differs after the same losses ({self.ours})" if self.ours else "growth differs"
        return f"Linux retransmits {self.theirs}, the simulator {self.ours}"


def find(folder: Path, runs: dict[str, dict[str, Any]]) -> list[Divergence]:
    """The divergences of the runs, sorted by scenario name."""
    found = []
    for name, result in sorted(runs.items()):
        algorithms = {flow["algorithm"] for flow in result["flows"]}
        theirs = series.linux(folder, name)
        if not theirs or not (name.startswith("single-") or algorithms <= ALGORITHMS):
            continue
        for number, (linux, ours) in enumerate(zip(theirs, series.ours(result), strict=True)):
            at_s = series.divergence_s(linux, ours)
            counts = [0 if at_s is None else series.retransmits_around(flow, at_s) for flow in (linux, ours)]
            found.append(Divergence(name, number, at_s, *counts))
    return found
