"""Abstract, contributions (Section 1) and conclusions (Section 8)."""

from fairlane.study.claims import Evidence, Judgement, about, all_of, any_of, at_least, negated

from . import (
    AT_START_S,
    BANDS,
    CLAIMS,
    FULL,
    NETWORKS,
    RATE_MBPS,
    WIRED,
    WIRELESS,
    against,
    alone,
    converging,
    excess_pct,
    goodput,
    transfers,
    twice,
)
from .reasons import CYCLE, LESS_THAN_THE_PAPER, LOST_BY_RETRIES, ON_THE_WIRE
from .section_7_3 import congested, idle

claim = CLAIMS.claim


def below_all_others(evidence: Evidence, share: float) -> Judgement:
    """BBR's goodput is at most this share of each other algorithm's over Wi-Fi, in both bands."""
    return all_of(
        alone(evidence, band, "bbr")["goodput_mbps"] <= share * alone(evidence, band, name)["goodput_mbps"]
        for band in BANDS
        for name in WIRELESS
        if name != "bbr"
    )


@claim(
    "lin2019-abs1",
    explanation=LESS_THAN_THE_PAPER,
    contradicted="Tables 12 and 13: 21.2 % below Veno at 2.4 GHz, 18.3 to 20.3 % below three others at 5 GHz",
    cause="unexplained",
)
def bbr_has_22_per_cent_less_over_wifi(evidence: Evidence) -> Judgement:
    return below_all_others(evidence, 0.775)


@claim("lin2019-abs2", contradicted="in WAN-2 it has about 80 of 100 Mbps (5.1.4)")
def bbr_fills_wired_networks_with_low_rtt(evidence: Evidence) -> Judgement:
    """An RTT is low if it is not above CUBIC's by more than 5 %."""
    return all_of(
        judgement
        for network in NETWORKS
        for judgement in (
            alone(evidence, network, "bbr")["goodput_mbps"] >= FULL * RATE_MBPS[network],
            alone(evidence, network, "bbr")["mean_rtt_ms"] < 1.05 * alone(evidence, network, "cubic")["mean_rtt_ms"],
        )
    )


@claim("lin2019-abs3", contradicted="in Section 7.1 the 2.37 % are BBR's growth from an RTT of 100 to one of 200 ms")
def bbr_puts_2_per_cent_more_on_the_wire(evidence: Evidence) -> Judgement:
    """In every cell of the grid, as Section 7.1 has it; the 2.37 % of one cell are an example."""
    return all_of(excess_pct(evidence, *cell) > 0 for cell in transfers(evidence, "bbr"))


@claim("lin2019-abs4")
def bbr_fills_from_20_packets_on(evidence: Evidence) -> Judgement:
    sizes = evidence["queue-size"].where(algorithm="bbr").by("queue", exclude=("10p",))
    return all_of(runs["goodput_mbps"] >= FULL * 100 for runs in sizes.values())


@claim("lin2019-abs5", contradicted="in Table A.20 Scalable, Illinois and BIC have more than CUBIC")
def cubic_pushes_everyone_down_in_the_lan(evidence: Evidence) -> Judgement:
    """To half of its own goodput or less."""
    return all_of(
        goodput(against(evidence, "lan", name), 1) < 0.5 * goodput(against(evidence, "lan", name), 2)
        for name in ("bic", "scalable", "highspeed", "yeah", "hybla", "htcp", "vegas", "illinois", "bbr")
    )


@claim("lin2019-abs6", explanation=LOST_BY_RETRIES, cause="unexplained")
def cubic_retransmits_129_per_cent_more(evidence: Evidence) -> Judgement:
    """Than the mean of the others, over both bands."""
    metric = "retransmits_per_s"
    ratios = [
        alone(evidence, band, "cubic")[metric] / (sum((one[metric] for one in rest[1:]), rest[0][metric]) / len(rest))
        for band in BANDS
        for rest in [[alone(evidence, band, name) for name in WIRELESS if name != "cubic"]]
    ]
    return about((ratios[0] + ratios[1]) / 2, 2.29)


@claim("lin2019-abs7")
def cubic_fills_beside_a_congested_reverse_path(evidence: Evidence) -> Judgement:
    return congested(evidence, "cubic", "goodput_mbps") >= FULL * 100


@claim("lin2019-abs8")
def bbr_converges_at_once_everywhere(evidence: Evidence) -> Judgement:
    return all_of(
        runs["convergence_time_30s_s"] <= AT_START_S
        for runs in (
            *(alone(evidence, network, "bbr") for network in NETWORKS),
            *converging(evidence, "bbr").values(),
        )
    )


@claim("lin2019-con1", cause="chance")
def hybla_and_illinois_beat_cubic_by_a_fifth(evidence: Evidence) -> Judgement:
    """Alone on the path, and two flows of each in its simulation."""
    return all_of(
        judgement
        for name in ("hybla", "illinois")
        for judgement in (
            alone(evidence, "wan-2", name)["goodput_mbps"] >= 1.2 * alone(evidence, "wan-2", "cubic")["goodput_mbps"],
            twice(evidence, "wan-2", name)["total_goodput_mbps"]
            >= 1.2 * twice(evidence, "wan-2", "cubic")["total_goodput_mbps"],
        )
    )


@claim("lin2019-con2", explanation=LESS_THAN_THE_PAPER, cause="unexplained")
def bbr_has_20_per_cent_less_than_cubic_over_wifi(evidence: Evidence) -> Judgement:
    return all_of(
        alone(evidence, band, "bbr")["goodput_mbps"] <= 0.8 * alone(evidence, band, "cubic")["goodput_mbps"]
        for band in BANDS
    )


@claim("lin2019-con3a", explanation=ON_THE_WIRE, cause="unexplained")
def bbr_never_costs_more_than_3_per_cent(evidence: Evidence) -> Judgement:
    return all_of(excess_pct(evidence, *cell) <= 3.2 for cell in transfers(evidence, "bbr"))


@claim("lin2019-con3b", contradicted="in Section 7.1 the 10X are BBR at an RTT of 200 ms against BBR at 100 ms")
def bbr_retransmits_ten_times_as_much_somewhere(evidence: Evidence) -> Judgement:
    bbr, cubic, share = transfers(evidence, "bbr"), transfers(evidence, "cubic"), "retransmits_per_packet_pct"
    return any_of(bbr[cell][share] >= 9 * cubic[cell][share] for cell in bbr)


@claim(
    "lin2019-s8-1",
    explanation="BBR's ProbeRTT costs it some per cent even where nothing else does; Vegas and YeAH lose less",
    cause="unexplained",
)
def bbr_is_best_with_a_small_queue(evidence: Evidence) -> Judgement:
    """Of those that the text names, with less than 100 packets."""
    runs = evidence["queue-size"]
    return all_of(
        runs.where(algorithm="bbr", queue=size)["goodput_mbps"]
        > runs.where(algorithm=other, queue=size)["goodput_mbps"]
        for size in ("10p", "20p", "60p")
        for other in ("cubic", "vegas", "yeah", "illinois")
    )


@claim("lin2019-s8-2")
def cubic_fills_all_but_the_lossy_network(evidence: Evidence) -> Judgement:
    full = [
        alone(evidence, "lan", "cubic")["goodput_mbps"] >= FULL * 100,
        alone(evidence, "wan-1", "cubic")["goodput_mbps"] >= FULL * 1,
        idle(evidence, "cubic", "goodput_mbps") >= FULL * 100,
        congested(evidence, "cubic", "goodput_mbps") >= FULL * 100,
        evidence["queue-size"].where(algorithm="cubic", queue="1000p")["goodput_mbps"] >= FULL * 100,
    ]
    return all_of([*full, alone(evidence, "wan-2", "cubic")["goodput_mbps"] < FULL * 100])


@claim(
    "lin2019-s8-3",
    explanation=LESS_THAN_THE_PAPER,
    contradicted="Table 13: 19.2 % below Westwood+ and 18.3 % below Veno at 5 GHz",
    cause="unexplained",
)
def bbr_has_20_per_cent_less_than_all_others_over_wifi(evidence: Evidence) -> Judgement:
    return below_all_others(evidence, 0.8)


@claim("lin2019-s8-4", explanation=CYCLE, cause="testbed", variant="rare-losses-in-the-lan")
def most_converge_sooner_in_the_lossy_network(evidence: Evidence) -> Judgement:
    time = "convergence_time_30s_s"
    return at_least(6, (alone(evidence, "wan-2", name)[time] < alone(evidence, "lan", name)[time] for name in WIRED))


@claim("lin2019-s8-5")
def nobody_is_best_everywhere(evidence: Evidence) -> Judgement:
    """For each algorithm there is a network in which another has clearly more goodput or a clearly shorter RTT."""
    return all_of(
        negated(
            all_of(
                judgement
                for network in NETWORKS
                for other in WIRED
                if other != name
                for judgement in (
                    1.05 * alone(evidence, network, name)["goodput_mbps"]
                    >= alone(evidence, network, other)["goodput_mbps"],
                    alone(evidence, network, name)["mean_rtt_ms"]
                    <= 1.05 * alone(evidence, network, other)["mean_rtt_ms"],
                )
            )
        )
        for name in WIRED
    )
