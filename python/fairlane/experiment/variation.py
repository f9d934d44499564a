"""What differs between repeats: starts and delays, by little, so that no outcome rests on an accident of timing.

Without it, two repeats on a deterministic network would be the same run twice, and the interval of their mean would
be a width of nothing around an accident: which packet of two that arrive together is dropped decides who wins.
"""

import hashlib
from dataclasses import dataclass
from typing import Any

from fairlane.experiment.model import Experiment

START_JITTER_NS = 100_000_000
START_SHARE = 0.01
DELAY_SHARE = 0.005
"""Well below what a path of the Internet varies by, and below 1 %, so that a delay remains what the file says."""


@dataclass(frozen=True)
class Variation:
    """How much later flows may start, and how much longer delays may be."""

    start_ns: int
    delay_share: float

    @classmethod
    def of(cls, experiment: Experiment) -> "Variation":
        """What the file says; where it says nothing, a little if there are repeats."""
        repeated = experiment.repeats > 1
        start_ns, share = experiment.start_jitter, experiment.delay_jitter
        if start_ns is None:
            start_ns = min(START_JITTER_NS, int(experiment.duration * START_SHARE)) if repeated else 0
        if share is None:
            share = DELAY_SHARE if repeated else 0.0
        return cls(start_ns, share)

    def apply(self, scenario: dict[str, Any], seed: int) -> dict[str, Any]:
        """The scenario of the repeat with this seed."""
        flows, links = scenario["flows"], scenario["links"]
        if self.start_ns:
            flows = [
                {**flow, "start_ns": flow["start_ns"] + int(_part(f"start {seed} {index}") * (self.start_ns + 1))}
                for index, flow in enumerate(flows)
            ]
        if self.delay_share:
            links = [self._longer(link, _part(f"delay {seed} {link['name']}")) for link in links]
        varied = {"seed": seed, **scenario, "links": links, "flows": flows}
        if self.delay_share and "media" in scenario:
            varied["media"] = [
                self._longer(medium, _part(f"delay {seed} medium {medium['name']}")) for medium in scenario["media"]
            ]
        return varied

    def _longer(self, link: dict[str, Any], part: float) -> dict[str, Any]:
        factor = 1 + self.delay_share * part
        longer = {**link, "delay_ns": round(link["delay_ns"] * factor)} if "delay_ns" in link else dict(link)
        if "changes" in link:
            longer["changes"] = [
                {**change, "delay_ns": round(change["delay_ns"] * factor)} if "delay_ns" in change else change
                for change in link["changes"]
            ]
        return longer


def _part(purpose: str) -> float:
    """From 0 to less than 1, by the seed and what it is for alone: adding a flow moves no other."""
    digest = hashlib.blake2b(purpose.encode(), digest_size=8).digest()
    return (int.from_bytes(digest, "big") >> 11) / 2**53
