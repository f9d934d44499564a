"""Claims of Lin et al. as predicates over the measured values; a file for each part of the paper.

A number is in a predicate where the claim itself has it, and then "about" means within 10 % unless it says otherwise; a
number that the paper gives as an example decides nothing. Words are turned into numbers here, the same for all claims.
If a claim covers Wi-Fi and wired networks, its predicate tests only the wired part, unless it says otherwise.
"""

from fairlane.study.claims import Claims, Evidence, Measurement, Runs

CLAIMS = Claims()

WIRED = ("cubic", "bic", "reno", "scalable", "highspeed", "yeah", "hybla", "htcp", "vegas", "illinois", "bbr")
"""The algorithms that the paper runs in wired networks (5.1)."""
WIRELESS = ("cubic", "reno", "bbr", "westwood", "veno")
"""The algorithms that the paper runs over Wi-Fi (6.1)."""
BANDS = ("wifi-2g4", "wifi-5g")
COMPETITORS = tuple(name for name in WIRED if name not in ("cubic", "reno"))
"""The algorithms that compete with CUBIC and NewReno (Appendix A)."""
SELECTED = ("illinois", "htcp", "hybla", "yeah", "bbr")
"""The algorithms that Section 5.3 discusses, other than CUBIC."""
NETWORKS = ("lan", "wan-1", "wan-2")
RATE_MBPS = {"lan": 100, "wan-1": 1, "wan-2": 100}

FULL = 0.9
"""The share of the rate that counts as full utilisation: as in 5.1.2, and the maximum of 7.3."""
FAIR = 0.95
"""The least index that is reasonable (4.2)."""
OPTIMAL = 0.99
"""The least index that is optimal (4.2)."""
HIGH = 0.8
"""The least share of the rate that is a high utilisation in Appendix A.2 (800 of 1000 kbps)."""
AT_START_S = 33.0
"""A window of 30 s converges at 30 s at the earliest; up to a tenth more is at the start."""
SAME = 1.25
"""Figures whose ratio is at most this are about the same."""
MINOR = 0.05
"""The largest change that is minor (7.4: beyond 100 packets, "minor variation"); more is growth or a fall."""
STEADY = 0.2
"""The largest standard deviation over time, as a share of the mean, of a quantity that is stable."""

CITED = "the paper cites it from elsewhere and does not measure it"


def alone(evidence: Evidence, network: str, algorithm: str) -> Runs:
    """One flow in a real network (5.1, 5.4)."""
    return evidence[f"performance-{network}"].where(algorithm=algorithm)


def downloads(evidence: Evidence, network: str, algorithm: str) -> Runs:
    """Downloads by curl (5.2)."""
    return evidence[f"download-{network}"].where(algorithm=algorithm)


def against(evidence: Evidence, network: str, algorithm: str, other: str = "cubic") -> Runs:
    """An algorithm as flow 1 against another in a simulated network (5.3)."""
    return evidence[f"friendliness-{network}"].where(algorithm_a=algorithm, algorithm_b=other)


def twice(evidence: Evidence, network: str, algorithm: str) -> Runs:
    """Two flows of one algorithm in a simulated network (5.3)."""
    return evidence[f"fairness-{network}"].where(algorithm=algorithm)


def goodput(runs: Runs, flow: int) -> Measurement:
    """Of the first or second flow."""
    return runs.of(str(flow))["goodput_mbps"]


def transfers(evidence: Evidence, algorithm: str) -> dict[tuple[str, str], Runs]:
    """Transfers of 1 GB by RTT and loss, all that were run (7.1)."""
    return _grid(evidence["transmission-cost"].where(algorithm=algorithm))


def excess_pct(evidence: Evidence, rtt: str, loss: str) -> Measurement:
    """How much more BBR puts on the wire than CUBIC."""
    bbr, cubic = (transfers(evidence, name)[rtt, loss]["wire_mb"] for name in ("bbr", "cubic"))
    return (bbr / cubic - 1) * 100


def converging(evidence: Evidence, algorithm: str) -> dict[tuple[str, str], Runs]:
    """One flow by RTT and loss, all that were run (7.2)."""
    return _grid(evidence["convergence-line"].where(algorithm=algorithm))


def _grid(runs: Runs) -> dict[tuple[str, str], Runs]:
    return {
        (rtt, loss): cell.where(reverse_loss=loss)
        for rtt, row in runs.by("rtt").items()
        for loss, cell in row.by("loss").items()
    }
