"""Section IV-F: QUIC over a bottleneck of 10 Mbps."""

from collections.abc import Callable, Sequence

from fairlane.study.claims import Evidence, Judgement, Measurement, Runs, all_of, any_of, between

from . import after_20_s, claim, four, goodput, longer, pair


def over_quic(evidence: Evidence, experiment: str, **axes: str) -> Runs:
    return evidence[f"quic-{experiment}"].where(transport="quic", **axes)


def quic_pair(evidence: Evidence) -> Runs:
    """BBR, then CUBIC."""
    return over_quic(evidence, "two-flows", algorithm_a="bbr", algorithm_b="cubic")


def quic_four(evidence: Evidence, one: str, three: str) -> Runs:
    return over_quic(evidence, "four-flows", one=one, three=three)


def quic_longer(evidence: Evidence, algorithm: str) -> Runs:
    return over_quic(evidence, "rtt-two-flows", algorithm=algorithm)


def together(runs: Runs, flows: Sequence[str], measured: Callable[[Runs], Measurement]) -> Measurement:
    """The sum over these flows."""
    one, *rest = (measured(runs.of(flow)) for flow in flows)
    return sum(rest, one)


def same_order(first: tuple[Measurement, Measurement], second: tuple[Measurement, Measurement]) -> Judgement:
    """Of two goodputs, the same is the larger one in both."""
    (a, b), (c, d) = first, second
    return any_of([all_of([a > b, c > d]), all_of([a < b, c < d])])


@claim("fiftyshades2019-q1")
def algorithms_interact_as_over_tcp(evidence: Evidence) -> Judgement:
    """Where CUBIC meets BBR, and where the paths of two flows differ, the same flow gets more."""
    both, tcp = quic_pair(evidence), pair(evidence, "cubic", "bbr")
    mixes = [same_order((goodput(both, 2), goodput(both, 1)), (goodput(tcp, 1), goodput(tcp, 2)))]
    for one, three in (("bbr", "cubic"), ("cubic", "bbr")):
        mixed, tcp_mixed = quic_four(evidence, one, three), four(evidence, one, three)
        mixes.append(same_order((goodput(mixed, 1), goodput(mixed, 2)), (goodput(tcp_mixed, 1), goodput(tcp_mixed, 2))))
    for algorithm in ("cubic", "bbr"):
        far, tcp_far = quic_longer(evidence, algorithm), longer(evidence, algorithm)
        mixes.append(same_order((goodput(far, 1), goodput(far, 2)), (goodput(tcp_far, 1), goodput(tcp_far, 2))))
    return all_of(mixes)


@claim("fiftyshades2019-q2")
def bbr_over_quic_favours_the_longer_path(evidence: Evidence) -> Judgement:
    runs = quic_longer(evidence, "bbr")
    return goodput(runs, 2) > 2 * goodput(runs, 1)


@claim("fiftyshades2019-q3")
def cubic_over_quic_favours_the_shorter_path_less_than_over_tcp(evidence: Evidence) -> Judgement:
    """Far less: the ratio of the two goodputs is at most two thirds of the ratio over TCP."""
    quic, tcp = quic_longer(evidence, "cubic"), longer(evidence, "cubic")
    ratio = goodput(quic, 1) / goodput(quic, 2)
    return all_of([ratio > 1, ratio < (goodput(tcp, 1) / goodput(tcp, 2)) * (2 / 3)])


@claim("fiftyshades2019-q4")
def cubic_outperforms_bbr_over_quic(evidence: Evidence) -> Judgement:
    two, one, three = quic_pair(evidence), quic_four(evidence, "cubic", "bbr"), quic_four(evidence, "bbr", "cubic")
    return all_of(
        [
            goodput(two, 2) > goodput(two, 1),
            *(goodput(one, 1) > goodput(one, flow) for flow in (2, 3, 4)),
            *(goodput(three, flow) > goodput(three, 1) for flow in (2, 3, 4)),
        ]
    )


@claim("fiftyshades2019-q5")
def bbr_over_quic_gains_on_cubic_slowly(evidence: Evidence) -> Judgement:
    """The BBR flows of each mix together: more after 20 s than before, and less than their share all the same."""
    found = []
    for runs, flows, share_mbps in (
        (quic_pair(evidence), ["1"], 5),
        (quic_four(evidence, "cubic", "bbr"), ["2", "3", "4"], 7.5),
        (quic_four(evidence, "bbr", "cubic"), ["1"], 2.5),
    ):
        first = together(runs, flows, lambda flow: flow["goodput_first_20s_mbps"])
        later = together(runs, flows, after_20_s)
        found += [later > first, together(runs, flows, lambda flow: flow["goodput_mbps"]) < share_mbps]
    return all_of(found)


@claim(
    "fiftyshades2019-q6",
    explanation="a receiver that acknowledges every tenth packet leaves BBR's estimate of the rate low on a path of 1 ms",
    cause="unexplained",
)
def a_lone_quic_flow_fills_its_link(evidence: Evidence) -> Judgement:
    """97 % of 10 Mbps, give or take 5 %."""
    return all_of(
        between(over_quic(evidence, "baseline", algorithm=name)["throughput_mbps"], 9.2, 10)
        for name in ("cubic", "bbr")
    )
