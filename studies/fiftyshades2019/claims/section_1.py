"""Sections I and V: conclusions of the paper."""

from itertools import product

from fairlane.study.claims import Evidence, Judgement, Runs, all_of, any_of, generally, negated

from . import (
    DELAY,
    EVERY,
    HYBRID,
    LOSS,
    SAME,
    REPRESENTATIVES,
    alone,
    claim,
    four,
    goodput,
    longer,
    pair,
    rtt,
)


@claim(
    "fiftyshades2019-i-1",
    explanation="Veno and Illinois get more than CUBIC, Hybla and Westwood; in Table VI, which does not say who gets more, these pairs have indices of 0.61 to 0.78. Queues of 1300 and 1700 packets for two flows do not change it; 1000 do, and so does a node that merges packets, at a cost",
    cause="unexplained",
    variant="merging",
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
    """ "Large (up to 60s)": flows of one algorithm need more than half a minute to equal shares, for some algorithm.

    Flows that never have equal shares count as 60 s, the length of a run.
    """
    time = "time_to_fairness_3s_s"
    runs = [pair(evidence, name, name) for name in EVERY] + [four(evidence, name, name) for name in REPRESENTATIVES]
    return any_of(one[time] > 30 for one in runs)


@claim("fiftyshades2019-i-4")
def bbr_favours_the_longer_path_and_queues(evidence: Evidence) -> Judgement:
    runs = longer(evidence, "bbr")
    return all_of([goodput(runs, 2) > goodput(runs, 1), rtt(runs, 1) > 2 * alone(evidence, "bbr", "mean_rtt_ms")])


@claim("fiftyshades2019-i-5")
def only_isolation_guarantees_a_share(evidence: Evidence) -> Judgement:
    """Of flows of different groups, each gets its share with a queue of its own, and some do not in one queue.

    A share is half of the sum; LoLA leaves some of its own.
    """
    isolated = evidence["isolation"]
    pairs = sorted(isolated.points("algorithm_a", "algorithm_b"))

    def shares(runs: Runs) -> Judgement:
        half = (goodput(runs, 1) + goodput(runs, 2)) * 0.5
        return all_of(goodput(runs, flow) > SAME * half for flow in (1, 2))

    return all_of(
        [
            *(shares(isolated.where(algorithm_a=one, algorithm_b=other)) for one, other in pairs),
            any_of(negated(shares(pair(evidence, str(one), str(other)))) for one, other in pairs),
        ]
    )
