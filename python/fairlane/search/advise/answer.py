"""Turns the results of the runs into a recommendation, or into the statement that there is none."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Unpack

from fairlane.api.results import Results
from fairlane.api.run import simulated
from fairlane.engine.libraries import pl
from fairlane.engine.messages import unknown
from fairlane.results.metrics.averaging import listed
from fairlane.results.metrics.bottleneck import bottleneck_note
from fairlane.results.metrics.summary import mean_of
from fairlane.results.statistics import interval_of_difference
from fairlane.scenario.links import QueueTable
from fairlane.scenario.request_settings import LinkSettings, RequestError, check_names
from fairlane.scenario.units import time_ns
from fairlane.search.advise.question import (
    ENOUGH_GOODPUT,
    ENOUGH_UPLOAD,
    NOTHING,
    OBJECTIVES,
    PROBES,
    Question,
    ask,
    beside_by_default,
)
from fairlane.study.linux.similar_recordings import agreement_with_linux

PAYLOAD_SHARE = 1448 / 1514
"""Of an Ethernet frame."""
MATTERS = 0.02
"""Differences of less than 2 % do not matter."""
ALIKE = 0.1
"""Wide intervals tell little apart: Linux's default is no reason for a mean that is worse by more."""


@dataclass(frozen=True)
class Candidate:
    """One algorithm with one queue: a value of each metric for each repeat."""

    algorithm: str
    queue: str
    goodput_mbps: tuple[float, ...]
    delay_ms: tuple[float, ...]
    """95th percentile of the queuing delay; over Wi-Fi, of the RTT of packets; of a probe its own delay."""
    jain: tuple[float, ...]
    """Empty for a single flow."""
    power: tuple[float, ...]
    """Goodput over the RTT of the 95th percentile, Mbps per ms (Kleinrock 1979); of a probe over its delay."""
    upload_mbps: tuple[float, ...] = ()
    """The uploads' part of the goodput; empty without an uplink."""

    @property
    def name(self) -> str:
        """`cubic, fq_codel`."""
        return f"{self.algorithm}, {self.queue}"


def decisive(candidate: Candidate, want: str) -> tuple[float, ...]:
    """The values that decide, one for each repeat; more is better."""
    if want == "latency":
        return tuple(-ms for ms in candidate.delay_ms)
    return {"balance": candidate.power, "throughput": candidate.goodput_mbps, "fairness": candidate.jain}[want]


SECOND = {"latency": "throughput", "balance": "latency", "throughput": "latency", "fairness": "throughput"}
"""The objective that breaks the ties of another one."""
_CRITERION = {"latency": "delay", "balance": "goodput per delay", "throughput": "goodput", "fairness": "fairness"}
PLAIN_QUEUES = ("fq_codel", "cake", "fq", "codel", "pie")
"""Of equals the first: fq_codel is the default of most distributions. FIFOs come last, the smallest buffer first."""


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

    beside: str = NOTHING
    """The flow whose delay counts: one of `PROBES`, or `NOTHING`: then it is that of the bottleneck's queue."""
    queues: Mapping[str, QueueTable] = field(default_factory=dict)
    """The tables of queue disciplines by the candidates' labels."""
    agreement: str = ""
    """How far these runs are from what was compared with Linux."""
    bottleneck: str = ""
    """The busiest link, if the queuing delay is that of another one than `bottleneck`."""
    left_out: tuple[str, ...] = ()
    """The usual candidates, algorithms and queues, that would take too long on such a link."""

    @property
    def delay_label(self) -> str:
        """The meaning of the candidates' `delay_ms`."""
        if self.beside != NOTHING:
            return PROBES[self.beside].label
        return f"p95 {'RTT' if 'wifi' in self.settings else 'queuing delay'}"

    @property
    def pick(self) -> Candidate | None:
        """The recommendation: of the best with a mean like the first one's the plainest, CUBIC and fq_codel first.

        None if no candidate has a value.
        """
        return min(_alike(self.best, self.want, ALIKE), key=_plainness, default=None)

    @property
    def algorithm(self) -> str | None:
        """The recommended algorithm."""
        return self.pick.algorithm if self.pick else None

    @property
    def queue(self) -> str | None:
        """The recommended queue discipline, with the buffer size of a FIFO."""
        return self.pick.queue if self.pick else None

    @property
    def sentence(self) -> str:
        """The recommendation in words, and what is as good."""
        if not self.pick:
            return "No recommendation: no candidate has a value."
        text = f"Use {self.pick.algorithm} with {self.pick.queue}."
        alike = _alike(self.best, self.want, ALIKE)
        uncertain = [one for one in self.best if one not in alike]
        for heading, found in (("As good", alike), (f"Not surely worse in {self.repeats} runs", uncertain)):
            others = [one for one in sorted(found, key=_plainness) if one is not self.pick]
            if others and {one.algorithm for one in self.best} == {self.pick.algorithm}:
                text += f" {heading}: {listed([one.queue for one in others])}."
            elif others:
                text += f" {heading}: {'; '.join(one.name for one in others)}."
        every = {one.algorithm for one in self.candidates}
        of_queue = [one for one in _equals(self.candidates, self.want) if one.queue == self.pick.queue]
        equal = {one.algorithm for one in _alike(of_queue, self.want, MATTERS)}
        if len(every) > 1 and equal == every:
            criterion = _CRITERION[self.want]
            text += f" With {self.pick.queue}, the algorithm matters little: {criterion} differs by 2 % at most."
        return text

    @property
    def reason(self) -> str:
        """The values that decided, against those of the worst candidate."""
        if not self.pick or len(self.candidates) < 2:
            return ""
        first, other = ("throughput", "latency") if self.want == "throughput" else ("latency", "throughput")
        rest = [one for one in self.candidates if one is not self.pick]
        if len(_not_worse(self.candidates, first)) == len(self.candidates):  # all are alike in this
            first, other = other, first
        have = [one for one in rest if decisive(one, first)]
        worst = min(have or rest, key=lambda one: mean(decisive(one, first) or (0.0,)))
        values = [_value(one, first, self.delay_label) for one in (self.pick, worst)]
        also = [_value(one, other, self.delay_label) for one in (self.pick, worst)]
        return f"Why: {values[0]} and {also[0]} with it; {values[1]} and {also[1]} with {worst.name}."

    @property
    def criteria(self) -> str:
        """The objective, and what breaks ties."""
        second = _CRITERION[SECOND[self.want]]
        has_upload = self.want == "latency" and bool(self.candidates[0].upload_mbps)
        upload = f" and {100 * ENOUGH_UPLOAD:g} % of the median one upstream" if has_upload else ""
        return (
            f"Best: {OBJECTIVES[self.want]}{upload}, unless the difference may be below 2 %; ties are broken by "
            f"{second}, then by what Linux has by default if its mean is within 10 %."
        )

    def as_dict(self) -> dict[str, object]:
        """Everything, for JSON."""
        return {
            "want": self.want,
            "algorithm": self.algorithm,
            "queue": self.queue,
            "sentence": self.sentence,
            "reason": self.reason,
            "beside": self.beside,
            "commands": self.commands,
            "agreement": self.agreement,
            "bottleneck": self.bottleneck,
            "left_out": list(self.left_out),
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

    @property
    def commands(self) -> list[str]:
        """Lines for a shell that set up the recommendation."""
        from fairlane.search.advise.commands import commands

        return commands(self.pick.algorithm, self.queues.get(self.pick.queue), self.settings) if self.pick else []

    def __repr__(self) -> str:
        return f"Advice for {self.want}: {self.sentence}"


def advise(
    *,
    flows: int = 2,
    want: str = "balance",
    algorithms: Sequence[str] | None = None,
    queues: Sequence[str] | None = None,
    beside: str | None = None,
    up_rate: str | None = None,
    seed: int = 1,
    **settings: Unpack[LinkSettings],
) -> Advice:
    """Recommends a congestion control, a queue discipline and a buffer size for a link.

    Settings are those of the command line, and as for `duel` `link` is a typical link, whose values others replace.
    `want` is "balance", "latency", "throughput" or "fairness". Without `algorithms` the candidates are cubic, bbr and
    bbr3, and those that the typical link adds; without `queues` FIFOs and all queue disciplines. `beside` is a flow
    next to the load whose delay counts: "ping", "page", "call" or "nothing"; by default a ping for low latency, else
    nothing. `up_rate` gives the link an uplink with the same queue and as many bulk flows. Takes up to half a minute.
    Raises ExperimentError for a link that cannot be.
    """
    check_names(
        "advise", settings, "flows", "want", "algorithms", "queues", "beside", "up_rate", "seed", known=LinkSettings
    )
    if want not in OBJECTIVES:
        raise RequestError(("want", unknown("objective", want, OBJECTIVES)))
    if want == "fairness" and flows == 1:
        raise RequestError(("want", "a single flow shares with no other; raise {flows}"))
    beside = beside or beside_by_default(want)
    if beside not in (NOTHING, *PROBES):
        raise RequestError(("beside", unknown("flow", beside, (*PROBES, NOTHING))))
    question = ask(settings, flows, algorithms=algorithms, queues=queues, beside=beside, up_rate=up_rate, seed=seed)
    results = simulated(question.experiment)
    candidates = _candidates(question, results)
    ordered, best = judge(candidates, want)
    repeats = max(len(one.goodput_mbps) for one in candidates)
    scenarios = [json.dumps(one.point.scenario) for one in question.experiment.points]
    agreement = agreement_with_linux(scenarios)
    return Advice(
        want,
        tuple(ordered),
        tuple(best),
        question.settings,
        flows,
        question.text,
        repeats,
        beside,
        question.queues,
        agreement.sentence if agreement else "",
        bottleneck_note(results) or "" if beside == NOTHING and "wifi" not in question.settings else "",
        question.left_out,
    )


def _candidates(question: Question, results: Results) -> list[Candidate]:
    """The candidates with the values of each repeat."""
    # The RTT of packets includes that of the path, as the delay of a probe does.
    includes_path = "wifi" in question.settings or question.beside != NOTHING
    rtt_ms = 0.0 if includes_path else time_ns(question.settings["rtt"]) / 1e6
    groups = results.table(["total_goodput_mbps", "total_throughput_mbps", "jain_index"], per="group")
    # Data that waited behind a hole since the warm-up counts where it is delivered: no link carried it in this time.
    carried = pl.col("total_throughput_mbps") * PAYLOAD_SHARE
    groups = groups.with_columns(total_goodput_mbps=pl.min_horizontal("total_goodput_mbps", carried))
    delays = results.table([question.delay_metric], per="run" if question.beside == NOTHING else "group")
    if question.beside != NOTHING:
        # A probe that never got an answer has waited for the whole run; of a call the worse direction counts.
        delays = delays.filter(delays["name"].str.starts_with(question.beside))
        waited = pl.col(question.delay_metric).fill_null(question.longest_ms).max()
        delays = delays.group_by("algorithm", "queue", "repeat", maintain_order=True).agg(waited)
    labels = results.axis("queue")
    words = dict(zip(labels.values, labels.labels, strict=True))
    candidates = []
    for (algorithm, queue), rows in delays.group_by(["algorithm", "queue"], maintain_order=True):
        of = groups.filter(groups["algorithm"] == algorithm, groups["queue"] == queue)
        bulk = [of.filter(of["name"] == name) for name in question.bulk]
        goodputs = [part["total_goodput_mbps"].drop_nulls().to_list() for part in bulk]
        goodput = tuple(sum(rates) for rates in zip(*goodputs, strict=True))
        upload = tuple(goodputs[1]) if len(goodputs) > 1 else ()
        jain = tuple(bulk[0]["jain_index"].drop_nulls().to_list())
        delay = tuple(rows[question.delay_metric].fill_null(question.longest_ms).to_list())
        power = tuple(rate / (rtt_ms + ms) for rate, ms in zip(goodput, delay, strict=True))
        candidates.append(Candidate(str(algorithm), words[queue], goodput, delay, jain, power, upload))
    return candidates


def judge(candidates: Sequence[Candidate], want: str) -> tuple[list[Candidate], list[Candidate]]:
    """All candidates in order, and the best: the first, and each that is not surely and noticeably worse.

    Several of those are judged by a second objective in the same way.
    """
    eligible = _eligible(candidates, want)
    ordered = sorted(eligible, key=lambda one: -mean(decisive(one, want)))
    rest = [one for one in candidates if one not in ordered]
    rest.sort(key=lambda one: -mean(decisive(one, want) or (float("-inf"),)))
    if not ordered:
        return rest, []
    best = _not_worse(_not_worse(ordered, want), SECOND[want])
    return [*ordered, *rest], best


def _eligible(candidates: Sequence[Candidate], want: str) -> list[Candidate]:
    return _enough(candidates) if want == "latency" else [one for one in candidates if decisive(one, want)]


def _equals(candidates: Sequence[Candidate], want: str) -> list[Candidate]:
    """Those that the first criterion alone does not tell from the best."""
    return _not_worse(_eligible(candidates, want), want)


def _enough(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those with enough goodput, and enough of it upstream, if there are such.

    The median is what an uplink can do beside downloads: the highest may be that of a queue that starves their ACKs.
    """
    found = [one for one in candidates if one.delay_ms]
    for name, share, usual in (("goodput_mbps", ENOUGH_GOODPUT, max), ("upload_mbps", ENOUGH_UPLOAD, median)):
        rates: dict[str, float] = {one.name: mean(getattr(one, name) or [0.0]) for one in found}
        least = share * usual(rates.values() or [0.0])
        found = [one for one in found if rates[one.name] >= least] or found
    return found


def _not_worse(candidates: Sequence[Candidate], want: str) -> list[Candidate]:
    """The best by one objective, and each that is not surely and noticeably worse; in the same order."""
    having = [one for one in candidates if decisive(one, want)]
    if not having:
        return list(candidates)
    first = decisive(max(having, key=lambda one: mean(decisive(one, want))), want)
    allowed = MATTERS * abs(mean(first))
    return [one for one in having if not interval_of_difference(decisive(one, want), first).lies_above(allowed)]


def _alike(candidates: Sequence[Candidate], want: str, share: float) -> list[Candidate]:
    """Those whose mean is worse than the best one by no more than this share of it."""
    means = [mean(decisive(one, want)) for one in candidates]
    first = max(means, default=0.0)
    return [one for one, value in zip(candidates, means, strict=True) if first - value <= share * abs(first)]


def _plainness(candidate: Candidate) -> tuple[bool, int, str, str]:
    kind = candidate.queue
    rank = PLAIN_QUEUES.index(kind) if kind in PLAIN_QUEUES else len(PLAIN_QUEUES)
    return candidate.algorithm != "cubic", rank, candidate.algorithm, kind


def _value(candidate: Candidate, want: str, delay_label: str) -> str:
    if want == "throughput":
        return f"goodput {_digits(mean(candidate.goodput_mbps))} Mbps"
    return f"{delay_label} {_digits(mean(candidate.delay_ms))} ms"


def _digits(value: float) -> str:
    """Three significant digits, without an exponent.

    >>> _digits(0.3871), _digits(77.78), _digits(4737.0)
    ('0.387', '77.8', '4,740')
    """
    return f"{float(f'{value:.3g}'):,g}"


def mean(values: Sequence[float]) -> float:
    """The mean of some values, at least one."""
    return sum(values) / len(values)


def _described(values: Sequence[float]) -> dict[str, float | None] | None:
    found = mean_of(values)
    if found is None:
        return None
    low, high = (found.low, found.high) if found.is_known else (None, None)
    return {"mean": found.estimate, "ci95_low": low, "ci95_high": high}
