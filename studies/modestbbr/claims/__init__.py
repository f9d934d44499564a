"""Claims of Zhang, Cui and Tso about Modest BBR, as predicates over the measured values.

A file for each section.

"About" means within 10 % of the paper's figure unless a claim says otherwise; of a gain in percent, within 10 % of the
gain. "Much" and the like are turned into numbers here, each next to the claim that it belongs to. `modest_bbr` is the
program with its defaults; studies/modestbbr/README.md has the other readings of the paper.
"""

from fairlane.study.claims import Claims, Evidence, Judgement, Measurement, Runs, about

CLAIMS = Claims()
claim = CLAIMS.claim

CITIES = ("Singapore", "Shenzhen", "Beijing", "London", "NewYork")
CITED = "the paper cites it from elsewhere and does not measure it"
READING = "it depends on how Algorithm 1 is read, which cannot be run as printed (studies/modestbbr/README.md)"

LINK_MBPS = 100 * (1500 - 40) / (1500 + 38)
"""The most payload that Ethernet of 100 Mbit/s carries in packets of 1500 bytes: 94.9, and less with TCP options."""

CLOSE = 0.8
"""Throughputs are close if one is at least this share of the other: in the paper's least close pair, 3/4 of 95.2 Mbps
(Modest BBR against CUBIC) and 88.1 Mbps (BBR against CUBIC), the share is 0.81."""


def pair(evidence: Evidence, first: str, second: str) -> Runs:
    return evidence["pairs"].where(algorithm_a=first, algorithm_b=second)


def goodput(evidence: Evidence, first: str, second: str, flow: str) -> Measurement:
    return pair(evidence, first, second).of(flow)["goodput_mbps"]


def resent(evidence: Evidence, first: str, second: str, flow: str) -> Measurement:
    return pair(evidence, first, second).of(flow)["retransmits_per_30s"]


def total(evidence: Evidence, first: str, second: str, metric: str) -> Measurement:
    """Of both flows together."""
    return pair(evidence, first, second)[metric]


def download(evidence: Evidence, algorithm: str) -> Runs:
    return evidence["internet"].where(algorithm=algorithm, loss="0.01%")


def mean_over_cities(evidence: Evidence, algorithm: str, metric: str) -> Measurement:
    return download(evidence, algorithm)[metric]


def five(evidence: Evidence, algorithm: str) -> Runs:
    return evidence["parking-lot"].where(algorithm=algorithm)


def gain_is_about(ratio: Measurement, gain: float) -> Judgement:
    """A ratio is 1 plus a gain, give or take a tenth of the gain."""
    return about(ratio - 1, gain)
