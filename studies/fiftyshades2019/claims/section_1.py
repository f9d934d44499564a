"""Sections I and V: what the paper concludes."""

from itertools import product

from fairlane.claims import Evidence, Judgement, all_of, generally

from . import (
    CLAIMS,
    DELAY,
    EVERY,
    HYBRID,
    LOSS,
    alone,
    claim,
    goodput,
    longer,
    pair,
    rtt,
)


@claim(
    "fiftyshades2019-i-1",
    explanation="Westwood, which gives back what it does not need, gets less than Illinois, Veno and YeAH",
    cause="unexplained",
)
def loss_based_flows_overpower_the_others(evidence: Evidence) -> Judgement:
    """In general: "Loss-based flows overpower delay-based and hybrid flows" is about 42 pairs and names none."""
    return generally(
        goodput(pair(evidence, loss, other), 1) > goodput(pair(evidence, loss, other), 2)
        for loss, other in product(LOSS, DELAY + HYBRID)
    )


@claim("fiftyshades2019-i-2")
def loss_based_flows_set_the_delay(evidence: Evidence) -> Judgement:
    return all_of(
        rtt(pair(evidence, loss, other), 2) > 2 * alone(evidence, other, "mean_rtt_ms")
        for loss, other in product(LOSS, (*DELAY, "bbr"))
    )


@claim("fiftyshades2019-i-3")
def convergence_takes_up_to_a_minute(evidence: Evidence) -> Judgement:
    return all_of(pair(evidence, name, name)["convergence_time_3s_s"] <= 60 for name in EVERY)


@claim("fiftyshades2019-i-4")
def bbr_favours_the_longer_path_and_queues(evidence: Evidence) -> Judgement:
    runs = longer(evidence, "bbr")
    return all_of([goodput(runs, 2) > goodput(runs, 1), rtt(runs, 1) > 2 * alone(evidence, "bbr", "mean_rtt_ms")])


CLAIMS.untestable("fiftyshades2019-i-5", "a conclusion that no experiment of the paper tests")
