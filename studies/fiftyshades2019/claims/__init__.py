"""Claims of Turkovic et al. as predicates over the measured values; a file for each section.

"About" means within 10 % unless a claim says otherwise; "much" and the like are turned into numbers here, each next to
the claim that it belongs to. Each published claim stands here once.
"""

from fairlane.study.claims import Claims, Evidence, Measurement, Runs

CLAIMS = Claims()
claim = CLAIMS.claim
other_reading = CLAIMS.other_reading
contradiction = CLAIMS.contradiction

LOSS = ("reno", "bic", "cubic", "highspeed", "htcp", "hybla", "westwood")
DELAY = ("vegas", "lola")
HYBRID = ("veno", "illinois", "yeah", "bbr")
EVERY = (*LOSS, *DELAY, *HYBRID)
REPRESENTATIVES = ("cubic", "vegas", "bbr")
"""The algorithms that the paper runs with four flows, one of each group."""

NOT_AS_MEASURED = "it is about how the curves of one run look; no figure is given that would decide it"

SAME = 0.8
"""Two goodputs are similar if the smaller is at least this share of the larger."""
FAIR = 0.82
"""The lowest index that the paper calls good sharing: "between 0.82 and 0.96" (IV-D)."""


def alone(evidence: Evidence, algorithm: str, metric: str) -> Measurement:
    return evidence["baseline"].where(algorithm=algorithm)[metric]


def with_udp(evidence: Evidence, algorithm: str, metric: str) -> Measurement:
    return evidence["ack-compression"].where(algorithm=algorithm)[metric]


def pair(evidence: Evidence, first: str, second: str) -> Runs:
    return evidence["two-flows"].where(algorithm_a=first, algorithm_b=second)


def four(evidence: Evidence, one: str, three: str) -> Runs:
    return evidence["four-flows"].where(one=one, three=three, third=three, fourth=three)


def longer(evidence: Evidence, algorithm: str) -> Runs:
    """Two flows, the second over a path that is 200 ms longer."""
    return evidence["rtt-two-flows"].where(algorithm=algorithm, added_rtt="201ms")


def after_20_s(flow: Runs) -> Measurement:
    """Goodput after the first 20 of the 60 s of a run, in Mbps."""
    return flow["goodput_mbps"] * 1.5 - flow["goodput_first_20s_mbps"] * 0.5


def goodput(runs: Runs, flow: int) -> Measurement:
    return runs.of(str(flow))["goodput_mbps"]


def rtt(runs: Runs, flow: int) -> Measurement:
    return runs.of(str(flow))["mean_rtt_ms"]
