"""Section 5.4: convergence time and stability in LAN, WAN-1 and WAN-2."""

from fairlane.study.claims import Evidence, Judgement, Measurement, about, all_of, between, most

from . import AT_START_S, CLAIMS, NETWORKS, SAME, WIRED, alone
from .reasons import CYCLE

claim = CLAIMS.claim


def time(evidence: Evidence, network: str, algorithm: str) -> Measurement:
    return alone(evidence, network, algorithm)["convergence_time_30s_s"]


def stability(evidence: Evidence, network: str, algorithm: str) -> Measurement:
    return alone(evidence, network, algorithm)["stability_30s_kb"]


@claim("lin2019-s54-1", explanation=CYCLE, cause="unexplained")
def most_take_long_to_converge(evidence: Evidence) -> Judgement:
    return all_of(most(time(evidence, network, name) > AT_START_S for name in WIRED) for network in ("lan", "wan-2"))


@claim("lin2019-s54-2")
def all_converge_at_once_in_wan_1(evidence: Evidence) -> Judgement:
    return all_of(time(evidence, "wan-1", name) <= AT_START_S for name in WIRED)


FASTER = ("bic", "cubic", "htcp", "hybla", "illinois", "reno", "scalable")
"""The category "faster" of Table 11."""


@claim("lin2019-s54-3", explanation=CYCLE, cause="unexplained", variant="rare-losses-in-the-lan")
def seven_converge_faster_in_wan_2(evidence: Evidence) -> Judgement:
    return all_of(time(evidence, "wan-2", name) < time(evidence, "lan", name) for name in FASTER)


@claim("lin2019-s54-4", explanation=CYCLE, cause="chance")
def three_converge_equally_fast(evidence: Evidence) -> Judgement:
    return all_of(
        between(time(evidence, "wan-2", name) / time(evidence, "lan", name), 1 / SAME, SAME)
        for name in ("bbr", "highspeed", "yeah")
    )


@claim("lin2019-s54-5")
def vegas_converges_more_slowly_in_wan_2(evidence: Evidence) -> Judgement:
    return time(evidence, "wan-2", "vegas") > time(evidence, "lan", "vegas")


@claim("lin2019-s54-6", explanation=CYCLE, cause="testbed", variant="lossless-lan")
def cubic_takes_longest_in_the_lan(evidence: Evidence) -> Judgement:
    """Tests the effect of the plateaus that the paper sees in a figure."""
    cubic = time(evidence, "lan", "cubic")
    return all_of([cubic > AT_START_S, *(cubic > time(evidence, "lan", name) for name in WIRED if name != "cubic")])


@claim("lin2019-s54-7", contradicted="in the LAN Vegas (3 kB) is steadier than YeAH (10 kB)")
def bbr_and_yeah_are_steadiest(evidence: Evidence) -> Judgement:
    rest = [name for name in WIRED if name not in ("bbr", "yeah")]
    return all_of(
        stability(evidence, network, name) < stability(evidence, network, other)
        for network in ("lan", "wan-2")
        for name in ("bbr", "yeah")
        for other in rest
    )


@claim("lin2019-s54-8")
def yeahs_window_is_nearly_twice_bbrs(evidence: Evidence) -> Judgement:
    """Nearly twice is 1.6 to 2.2 times, 2 within the tolerance of "about"; similar within 10 %."""
    yeah, bbr = alone(evidence, "lan", "yeah"), alone(evidence, "lan", "bbr")
    return all_of(
        [
            between(yeah["mean_cwnd_kb"] / bbr["mean_cwnd_kb"], 1.6, 2.2),
            about(yeah["goodput_mbps"] / bbr["goodput_mbps"], 1),
        ]
    )


@claim("lin2019-obs6", contradicted="HighSpeed takes 81.9 s in WAN-2 and 76.5 s in the LAN", cause="unexplained")
def loss_based_converge_faster_and_are_less_stable_in_wan_2(evidence: Evidence) -> Judgement:
    """All that Table 2 calls loss-based."""
    return all_of(
        judgement
        for name in ("cubic", "bic", "reno", "scalable", "highspeed")
        for judgement in (
            time(evidence, "wan-2", name) < time(evidence, "lan", name),
            stability(evidence, "wan-2", name) > stability(evidence, "lan", name),
        )
    )


@claim("lin2019-obs7")
def bbr_and_yeah_converge_at_the_start(evidence: Evidence) -> Judgement:
    """At most 37 s, the paper's longest that it counts as this."""
    return all_of(time(evidence, network, name) <= 37 for network in NETWORKS for name in ("bbr", "yeah"))
