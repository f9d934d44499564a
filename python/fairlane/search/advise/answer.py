"""Turns the results of the runs into a recommendation, or into the statement that there is none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from fairlane.api.run import simulated
from fairlane.engine.messages import unknown
from fairlane.results.metrics.summary import mean_of
from fairlane.results.statistics import interval_of_difference
from fairlane.scenario.request_settings import LinkSettings, RequestError, check_names
from fairlane.scenario.units import time_ns
from fairlane.search.advise.question import ENOUGH_GOODPUT, OBJECTIVES, ask

MATTERS = 0.02
"""Differences of less than 2 % do not matter."""


@dataclass(frozen=True)
class Candidate:
    """One algorithm with one queue: a value of each metric for each repeat."""

    algorithm: str
    queue: str
    goodput_mbps: tuple[float, ...]
    delay_ms: tuple[float, ...]
    """95th percentile of the queuing delay; over Wi-Fi, of the RTT of packets."""
    jain: tuple[float, ...]
    """Empty for a single flow."""
    power: tuple[float, ...]
    """Goodput over the RTT of the 95th percentile, Mbps per ms (Kleinrock 1979)."""

    @property
    def name(self) -> str:
        """`cubic, fq_codel`."""
        return f"{self.algorithm}, {self.queue}"


def decisive(candidate: Candidate, want: str) -> tuple[float, ...]:
    """The values that decide, one for each repeat; more is better."""
    if want == "latency":
        return tuple(-ms for ms in candidate.delay_ms)
    return {"balance": candidate.power, "throughput": candidate.goodput_mbps, "fairness": candidate.jain}[want]


@dataclass(frozen=True)
class Advice:
    """Every candidate, the best one first, and those that cannot be distinguished from it."""

    want: str
    candidates: tuple[Candidate, ...]
    best: tuple[Candidate, ...]
    """One: the recommendation. Several: the intervals of their differences include 0, or differences do not matter."""
    settings: Mapping[str, str]
    flows: int
    file: str
    """The experiment file that gives the same runs."""
    repeats: int

    @property
    def delay_label(self) -> str:
        """The meaning of the candidates' `delay_ms`."""
        return "RTT" if "wifi" in self.settings else "queuing delay"

    @property
    def algorithm(self) -> str | None:
        """The recommended algorithm; None if the best candidates have several."""
        return _only([one.algorithm for one in self.best])

    @property
    def queue(self) -> str | None:
        """The recommended queue discipline, with the buffer size of a FIFO; None if the best have several."""
        return _only([one.queue for one in self.best])

    @property
    def sentence(self) -> str:
        """The recommendation in words."""
        parts = [f"use {name}" for name in (self.algorithm, self.queue) if name]
        if self.algorithm and self.queue:
            return f"Use {self.algorithm} with {self.queue}."
        if not parts:
            names = "; ".join(one.name for one in self.best)
            return f"No recommendation: the intervals of these overlap: {names}."
        undecided = "algorithm" if self.queue else "queue"
        rest = dict.fromkeys(one.algorithm if self.queue else one.queue for one in self.best)
        return f"{parts[0].capitalize()}. The {undecided} is undecided: the intervals of {', '.join(rest)} overlap."

    def as_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {
            "want": self.want,
            "algorithm": self.algorithm,
            "queue": self.queue,
            "sentence": self.sentence,
            "link": dict(self.settings),
            "flows": self.flows,
            "repeats": self.repeats,
            "candidates": [
                {
                    "algorithm": one.algorithm,
                    "queue": one.queue,
                    "among_the_best": one in self.best,
                    **{name: _described(getattr(one, name)) for name in ("goodput_mbps", "delay_ms", "jain", "power")},
                }
                for one in self.candidates
            ],
            "experiment_file": self.file,
        }

    def __repr__(self) -> str:
        return f"Advice for {self.want}: {self.sentence}"


def advise(
    *,
    flows: int = 2,
    want: str = "balance",
    algorithms: Sequence[str] | None = None,
    seed: int = 1,
    **settings: Unpack[LinkSettings],
) -> Advice:
    """Recommends a congestion control, a queue discipline and a buffer size for a link.

    Settings are those of the command line, and as for `duel` `link` is a typical link, whose values others replace.
    `want` is "balance", "latency", "throughput" or "fairness". Without `algorithms` the candidates are cubic, bbr and
    bbr3, and those that the typical link adds. Takes up to half a minute. Raises ExperimentError for a link that cannot
    be.
    """
    check_names("advise", settings, "flows", "want", "algorithms", "seed", known=LinkSettings)
    if want not in OBJECTIVES:
        raise RequestError(("want", unknown("objective", want, OBJECTIVES)))
    if want == "fairness" and flows == 1:
        raise RequestError(("want", "a single flow shares with no other; raise {flows}"))
    question = ask(settings, flows, algorithms=algorithms, seed=seed)
    results = simulated(question.experiment)
    metrics = ("total_goodput_mbps", question.delay_metric, "jain_index")
    frame = results.table(list(metrics), per="run")
    # The RTT of packets includes that of the path.
    rtt_ms = 0.0 if "wifi" in question.settings else time_ns(question.settings["rtt"]) / 1e6
    labels = results.axis("queue")
    words = dict(zip(labels.values, labels.labels, strict=True))
    candidates = []
    for (algorithm, queue), rows in frame.group_by(["algorithm", "queue"], maintain_order=True):
        goodput, delay, jain = (tuple(rows[name].drop_nulls().to_list()) for name in metrics)
        power = tuple(rate / (rtt_ms + ms) for rate, ms in zip(goodput, delay, strict=True))
        candidates.append(Candidate(str(algorithm), words[queue], goodput, delay, jain, power))
    ordered, best = judge(candidates, want)
    repeats = max(len(one.goodput_mbps) for one in candidates)
    return Advice(want, tuple(ordered), tuple(best), question.settings, flows, question.text, repeats)


def judge(candidates: Sequence[Candidate], want: str) -> tuple[list[Candidate], list[Candidate]]:
    """All candidates in order, and the best: the first, and each that is not surely and noticeably worse."""
    most = max(mean(one.goodput_mbps) for one in candidates)
    least = ENOUGH_GOODPUT * most if want == "latency" else 0.0
    eligible = [one for one in candidates if decisive(one, want) and mean(one.goodput_mbps) >= least]
    ordered = sorted(eligible, key=lambda one: -mean(decisive(one, want)))
    rest = [one for one in candidates if one not in ordered]
    if not ordered:
        return rest, []
    first = decisive(ordered[0], want)
    allowed = MATTERS * abs(mean(first))
    best = [one for one in ordered if not interval_of_difference(decisive(one, want), first).lies_above(allowed)]
    return [*ordered, *rest], best


def mean(values: Sequence[float]) -> float:
    """The mean of some values, at least one."""
    return sum(values) / len(values)


def _described(values: Sequence[float]) -> dict[str, float | None] | None:
    found = mean_of(values)
    if found is None:
        return None
    low, high = (found.low, found.high) if found.is_known else (None, None)
    return {"mean": found.estimate, "ci95_low": low, "ci95_high": high}


def _only(names: Sequence[str]) -> str | None:
    return names[0] if len(set(names)) == 1 else None
