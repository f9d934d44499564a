"""Sections 5.1 and 5.2: one flow, and downloads, in LAN, WAN-1 and WAN-2."""

from itertools import product

from fairlane.study.claims import Evidence, Judgement, Measurement, about, all_of, any_of, between, most

from . import CLAIMS, FULL, RATE_MBPS, SAME, STEADY, WIRED, alone, downloads
from .reasons import NO_VARIATION

claim = CLAIMS.claim

CHOSEN = "The simulated network was chosen so that CUBIC alone has Table 3's figures: this was put in."


def fills(evidence: Evidence, network: str, algorithm: str) -> Judgement:
    return alone(evidence, network, algorithm)["goodput_mbps"] >= FULL * RATE_MBPS[network]


def others(*names: str) -> tuple[str, ...]:
    return tuple(name for name in WIRED if name not in names)


@claim("lin2019-s511-1")
def cubic_fills_lan_and_wan_1(evidence: Evidence) -> Judgement:
    return all_of(
        [
            about(evidence["baseline-lan"]["goodput_mbps"], 93.21),
            about(evidence["baseline-wan-1"]["goodput_mbps"], 1.07),
        ]
    )


@claim(
    "lin2019-s511-2", contradicted="Section 5.3 has CUBIC at about 1.5 Mbps on the path that is built after this one"
)
def cubic_uses_two_fifths_of_the_lossy_network(evidence: Evidence) -> Judgement:
    return about(evidence["baseline-wan-2"]["goodput_mbps"], 40)


@claim("lin2019-s512-1", cause="testbed", variant="switch-in-the-lan")
def most_fill_the_lan_with_16_ms(evidence: Evidence) -> Judgement:
    return most(
        all_of([fills(evidence, "lan", name), about(alone(evidence, "lan", name)["p95_rtt_ms"], 16)]) for name in WIRED
    )


@claim("lin2019-s512-2")
def bbr_and_yeah_fill_the_lan_with_less_rtt(evidence: Evidence) -> Judgement:
    """Less than all but Vegas."""
    time = "p95_rtt_ms"
    return all_of(
        [
            *(fills(evidence, "lan", name) for name in ("bbr", "yeah")),
            *(
                alone(evidence, "lan", name)[time] < alone(evidence, "lan", other)[time]
                for name, other in product(("bbr", "yeah"), others("bbr", "yeah", "vegas"))
            ),
        ]
    )


@claim("lin2019-s512-3")
def vegas_uses_70_per_cent_of_the_lan_with_the_least_rtt(evidence: Evidence) -> Judgement:
    time = "p95_rtt_ms"
    vegas = alone(evidence, "lan", "vegas")
    return all_of(
        [
            about(vegas["goodput_mbps"], 70),
            *(vegas[time] < alone(evidence, "lan", other)[time] for other in others("vegas")),
        ]
    )


@claim(
    "lin2019-s512-4",
    explanation="CUBIC's RTT swings, and its window does less: its host's interface stops it on plateaus (TCP Small Queues)",
    cause="unexplained",
    variant="switch-in-the-lan",
)
def bbr_is_steady_and_cubic_swings(evidence: Evidence) -> Judgement:
    """Stable is a standard deviation of at most a fifth of the mean, for RTT and window; radically is above that."""
    spreads = {
        name: [runs["rtt_stddev_ms"] / runs["mean_rtt_ms"], runs["cwnd_stddev_kb"] / runs["mean_cwnd_kb"]]
        for name, runs in ((name, alone(evidence, "lan", name)) for name in ("bbr", "cubic"))
    }
    return all_of([*(one <= STEADY for one in spreads["bbr"]), *(one > STEADY for one in spreads["cubic"])])


@claim("lin2019-obs1")
def bbr_fills_the_lan_with_a_lower_and_steadier_rtt(evidence: Evidence) -> Judgement:
    bbr, cubic = alone(evidence, "lan", "bbr"), alone(evidence, "lan", "cubic")
    return all_of(
        [
            fills(evidence, "lan", "bbr"),
            *(bbr[metric] < cubic[metric] for metric in ("mean_rtt_ms", "rtt_stddev_ms")),
        ]
    )


@claim("lin2019-s513-1", cause="unexplained")
def all_fill_wan_1_with_the_same_rtt(evidence: Evidence) -> Judgement:
    cubic = alone(evidence, "wan-1", "cubic")["p95_rtt_ms"]
    return all_of(
        judgement
        for name in WIRED
        for judgement in (
            fills(evidence, "wan-1", name),
            between(alone(evidence, "wan-1", name)["p95_rtt_ms"] / cubic, 1 / SAME, SAME),
        )
    )


def retransmits(evidence: Evidence, network: str, algorithm: str) -> Measurement:
    return alone(evidence, network, algorithm)["retransmits_per_s"]


@claim("lin2019-s513-2", cause="unexplained")
def bbr_retransmits_ten_times_as_much_in_wan_1(evidence: Evidence) -> Judgement:
    return about(retransmits(evidence, "wan-1", "bbr") / retransmits(evidence, "wan-1", "cubic"), 10)


@claim("lin2019-s513-3")
def scalable_and_yeah_lie_between_bbr_and_the_rest(evidence: Evidence) -> Judgement:
    rest = others("bbr", "scalable", "yeah")
    return all_of(
        judgement
        for name in ("scalable", "yeah")
        for judgement in (
            retransmits(evidence, "wan-1", name) < retransmits(evidence, "wan-1", "bbr"),
            *(retransmits(evidence, "wan-1", name) > retransmits(evidence, "wan-1", other) for other in rest),
        )
    )


@claim("lin2019-s514-1", contradicted="on the same path most downloads stay under 15 Mbps (5.2)")
def most_reach_30_to_60_mbps_in_wan_2(evidence: Evidence) -> Judgement:
    return most(
        all_of(
            [
                between(alone(evidence, "wan-2", name)["goodput_mbps"], 30, 60),
                between(alone(evidence, "wan-2", name)["p95_rtt_ms"], 245, 260),
            ]
        )
        for name in WIRED
    )


@claim(
    "lin2019-s514-2",
    cause="unexplained",
    explanation="behind a policer BBR is the fastest, as in the paper, but waits nowhere, and has the lowest RTT; where "
    "what exceeds the rate waits in a queue, it has the highest",
    variant="shaped-wan-2",
)
def bbr_is_fastest_in_wan_2_with_a_middling_rtt(evidence: Evidence) -> Judgement:
    bbr, rest = alone(evidence, "wan-2", "bbr"), [alone(evidence, "wan-2", name) for name in others("bbr")]
    return all_of(
        [
            *(bbr["goodput_mbps"] > other["goodput_mbps"] for other in rest),
            any_of(bbr["p95_rtt_ms"] > other["p95_rtt_ms"] for other in rest),
            any_of(bbr["p95_rtt_ms"] < other["p95_rtt_ms"] for other in rest),
        ]
    )


@claim("lin2019-s514-3")
def bbr_retransmits_ten_times_as_much_in_wan_2(evidence: Evidence) -> Judgement:
    return retransmits(evidence, "wan-2", "bbr") >= 10 * retransmits(evidence, "wan-2", "cubic")


@CLAIMS.contradiction("lin2019-s514-1")
def downloads_on_the_same_path_are_slower(_numbers: Evidence) -> Judgement:
    """Section 5.2: on the same path the downloads of all but BBR are typically under 15 Mbps."""
    return between(Measurement.published("5.2, largest of the typical speeds in Mbps", 15), 30, 60)


CLAIMS.untestable(
    "lin2019-s514-4", "that the path loses in bursts was put into the simulated one because the paper says so here"
)


@claim(
    "lin2019-s514-5",
    cause="unexplained",
    explanation="windows below the BDP make timeouts rare, but do not prevent them",
    variant="small-windows-in-wan-2",
)
def nothing_times_out_in_wan_2(evidence: Evidence) -> Judgement:
    return all_of(alone(evidence, "wan-2", name)["timeouts"] <= 0 for name in ("bbr", "cubic"))


@claim("lin2019-obs2")
def cubic_leaves_the_lossy_network_underused(evidence: Evidence) -> Judgement:
    cubic = alone(evidence, "wan-2", "cubic")
    return all_of([cubic["goodput_mbps"] < FULL * 100, cubic["retransmits_per_s"] > 0])


@claim("lin2019-obs3")
def bbr_pays_in_wan_2_with_retransmissions(evidence: Evidence) -> Judgement:
    return all_of(
        alone(evidence, "wan-2", "bbr")[metric] > alone(evidence, "wan-2", other)[metric]
        for metric in ("goodput_mbps", "retransmits_per_s")
        for other in others("bbr")
    )


# Section 5.2: downloads.


@claim("lin2019-s52-1", contradicted="in Section 5.1.2 Vegas has 70 Mbps in the same LAN")
def downloads_fill_lan_and_wan_1(evidence: Evidence) -> Judgement:
    return all_of(
        downloads(evidence, network, name)["goodput_mbps"] >= FULL * RATE_MBPS[network]
        for network, name in product(("lan", "wan-1"), WIRED)
    )


@CLAIMS.contradiction("lin2019-s52-1")
def vegas_does_not_fill_the_lan(_numbers: Evidence) -> Judgement:
    """Section 5.1.2: Vegas has about 70 of 100 Mbps in the same LAN."""
    return Measurement.published("5.1.2, Vegas in Mbps", 70) >= FULL * RATE_MBPS["lan"]


def vary_more(evidence: Evidence, network: str, *names: str) -> Judgement:
    return all_of(
        downloads(evidence, network, name)["goodput_mbps"].stddev
        > downloads(evidence, network, other)["goodput_mbps"].stddev
        for name, other in product(names, others(*names))
    )


@claim("lin2019-s52-2", explanation=NO_VARIATION, cause="unexplained")
def htcp_illinois_and_vegas_vary_most_in_the_lan(evidence: Evidence) -> Judgement:
    return vary_more(evidence, "lan", "htcp", "illinois", "vegas")


@claim("lin2019-s52-3", explanation=NO_VARIATION, cause="unexplained")
def bbr_newreno_and_yeah_vary_most_in_wan_1(evidence: Evidence) -> Judgement:
    return vary_more(evidence, "wan-1", "bbr", "reno", "yeah")


@claim("lin2019-s52-4", contradicted="on the same path most algorithms have 30 to 60 Mbps in Section 5.1.4")
def only_bbr_downloads_fast_in_wan_2(evidence: Evidence) -> Judgement:
    return all_of(
        [
            about(downloads(evidence, "wan-2", "bbr")["goodput_mbps"], 90),
            *(downloads(evidence, "wan-2", name)["goodput_mbps"] < 15 for name in others("bbr")),
        ]
    )


@CLAIMS.contradiction("lin2019-s52-4")
def most_are_faster_on_the_same_path(_numbers: Evidence) -> Judgement:
    """Section 5.1.4: on the same path most algorithms have 30 to 60 Mbps."""
    return Measurement.published("5.1.4, least of most algorithms in Mbps", 30) < 15
