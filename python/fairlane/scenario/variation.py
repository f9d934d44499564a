"""Differences between repeats: starts and delays, by little, so that no outcome rests on an accident of timing.

Without it, two repeats on a deterministic network would be the same run twice, and the interval of their mean would
be a width of nothing around an accident: which packet of two that arrive together is dropped decides who wins.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:  # workers import this module, and need no reader of files
    from fairlane.engine.types import Scenario
    from fairlane.scenario.experiment import Experiment

START_JITTER_NS = 100_000_000
START_SHARE = 0.01
DELAY_SHARE = 0.005
"""Well below what a path of the Internet varies by, and below 1 %, so that a delay remains what the file says."""

Delays = int | None | list[int | None]
"""Of a link or medium, in nanoseconds; a list if they change during the run."""
Differences = tuple[int, list[int], list[Delays], list[Delays]]
"""Seed, starts of the flows in nanoseconds, delays of links and of media: all in which repeats of a point differ."""


@dataclass(frozen=True)
class Variation:
    """Bounds of the differences: later starts, and longer delays."""

    start_ns: int
    delay_share: float

    @classmethod
    def of(cls, experiment: "Experiment") -> "Variation":
        """The file's settings; without them a little if there are repeats."""
        repeated = experiment.repeats > 1
        start_ns, share = experiment.start_jitter, experiment.delay_jitter
        if start_ns is None:
            start_ns = min(START_JITTER_NS, int(experiment.duration * START_SHARE)) if repeated else 0
        if share is None:
            share = DELAY_SHARE if repeated else 0.0
        return cls(start_ns, share)

    def apply(self, scenario: "Scenario", seed: int) -> "Scenario":
        """The scenario of the repeat with this seed."""
        _, starts_ns, *delays_ns = self.of_repeats(scenario)(seed)
        flows = [{**flow, "start_ns": start_ns} for flow, start_ns in zip(scenario["flows"], starts_ns, strict=True)]
        varied: dict[str, object] = {"seed": seed, **scenario, "flows": flows}
        for (name, links), delays in zip(_delaying(scenario), delays_ns, strict=True):
            if links is not None:
                varied[name] = list(map(_delayed, links, delays))
        return cast("Scenario", varied)

    def of_repeats(self, scenario: "Scenario") -> Callable[[int], Differences]:
        """All that is special about a repeat, by its seed and without its scenario: there may be 100,000 repeats."""
        starts_ns = [flow["start_ns"] for flow in scenario["flows"]]
        links = [(link["name"], _given_delays(link)) for link in scenario["links"]]
        media = [(f"medium {one['name']}", _given_delays(one)) for one in scenario.get("media", ())]

        def of(seed: int) -> Differences:
            return (
                seed,
                self._starts_ns(starts_ns, seed),
                [self._delays_ns(delays_ns, f"delay {seed} {name}") for name, delays_ns in links],
                [self._delays_ns(delays_ns, f"delay {seed} {name}") for name, delays_ns in media],
            )

        return of

    def _starts_ns(self, starts_ns: list[int], seed: int) -> list[int]:
        if not self.start_ns:
            return starts_ns
        range_ns = self.start_ns + 1
        return [start_ns + int(_part(f"start {seed} {index}") * range_ns) for index, start_ns in enumerate(starts_ns)]

    def _delays_ns(self, delays_ns: Delays, purpose: str) -> Delays:
        if delays_ns is None or not self.delay_share:
            return delays_ns
        factor = 1 + self.delay_share * _part(purpose)
        if isinstance(delays_ns, list):
            return [None if one is None else round(one * factor) for one in delays_ns]
        return round(delays_ns * factor)


def differences(scenario: "Scenario") -> Differences:
    """In what a scenario may differ from the other repeats of its point."""
    starts_ns = [flow["start_ns"] for flow in scenario["flows"]]
    links, media = ([_given_delays(one) for one in links or ()] for _, links in _delaying(scenario))
    return scenario["seed"], starts_ns, links, media


def without_differences(scenario: "Scenario") -> dict[str, Any]:
    """The part of a scenario that all repeats of its point share."""
    rest = {**scenario, "seed": None, "flows": [{**flow, "start_ns": None} for flow in scenario["flows"]]}
    for name, links in _delaying(scenario):
        if links is not None:
            rest[name] = [_delayed(one, None, everywhere=True) for one in links]
    return rest


_Delaying = Mapping[str, Any]
"""A link or a medium."""


def _delaying(scenario: "Scenario") -> tuple[tuple[str, Sequence[_Delaying] | None], ...]:
    return ("links", scenario.get("links")), ("media", scenario.get("media"))


def _given_delays(link: _Delaying) -> Delays:
    if "changes" in link:
        return [link.get("delay_ns"), *(change.get("delay_ns") for change in link["changes"])]
    delay_ns: int | None = link.get("delay_ns")
    return delay_ns


def _delayed(link: _Delaying, delays_ns: Delays, *, everywhere: bool = False) -> dict[str, Any]:
    """A link or medium with these delays; `everywhere`, if it has none, too."""
    first_ns, *others_ns = delays_ns if isinstance(delays_ns, list) else [delays_ns]
    made = {**link, "delay_ns": first_ns} if everywhere or "delay_ns" in link else dict(link)
    if "changes" in link:
        changes = zip(link["changes"], others_ns or [None] * len(link["changes"]), strict=True)
        made["changes"] = [
            {**change, "delay_ns": delay_ns} if everywhere or "delay_ns" in change else change
            for change, delay_ns in changes
        ]
    return made


def _part(purpose: str) -> float:
    """From 0 to less than 1, by the seed and what it is for alone: adding a flow moves no other."""
    digest = hashlib.blake2b(purpose.encode(), digest_size=8).digest()
    return (int.from_bytes(digest, "big") >> 11) / 2**53
