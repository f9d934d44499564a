"""Why ours differs from the paper, where several claims have one cause. Numbers of ours are read from the runs."""

from collections.abc import Callable, Iterable

from fairlane.study.claims import Evidence, Measurement, NotMeasured, Runs

from . import BANDS, WIRED, WIRELESS, against, alone, excess_pct, goodput, transfers

Sentence = str | Callable[[Evidence], str]


def said(*sentences: Sentence) -> Callable[[Evidence], str]:
    """An explanation of these sentences; those whose runs are not stored say which runs they need."""

    def explanation(evidence: Evidence) -> str:
        return " ".join(_spoken(one, evidence) for one in sentences)

    return explanation


def _spoken(sentence: Sentence, evidence: Evidence) -> str:
    if isinstance(sentence, str):
        return sentence
    try:
        return sentence(evidence)
    except NotMeasured as error:
        return f"({str(error)[0].upper()}{str(error)[1:]}.)"


def number(measurement: Measurement, digits: int = 0) -> str:
    """The estimate alone."""
    return f"{measurement.interval.estimate:.{digits}f}"


def less(one: Measurement, other: Measurement) -> str:
    """How much less, in percent."""
    return f"{number((1 + -1 * (one / other)) * 100)} %"


def span(measurements: Iterable[Measurement], digits: int = 0) -> str:
    """The range of the estimates."""
    values = sorted(one.interval.estimate for one in measurements)
    return f"{values[0]:.{digits}f} to {values[-1]:.{digits}f}"


TWO_FILL_THE_LAN = (
    "Two flows of any algorithm fill the simulated LAN; the paper's leave most of it idle, and it gives no cause "
    "(beyond-queue-lan shows other queues)."
)
DEEP_WAN_1 = (
    "The queue lasts many seconds at this rate, so that a run is a few dozen round trips: which flow gets more is random, "
    "and the link is never idle. The paper gives no cause for its idle links."
)
NO_VARIATION = (
    "The simulated path has no other traffic, and downloads of one algorithm hardly differ; only the path varied in the paper."
)
CUT_BY_ERRORS = (
    "Errors of single MPDUs are all that varies here. They cut the windows of loss-based algorithms at other times in each "
    "download, and BBR's not, so that its downloads differ least; the paper gives no cause why its BBR varies."
)
DEEP_QUEUE = (
    "Before a queue of many times the BDP two flows of one algorithm need longer than a run to get the same, and H-TCP is no "
    "exception; before a shorter one all share equally, H-TCP too (explain with the variant short-queue shows it)."
)


def _close_to_90(evidence: Evidence) -> str:
    pair = against(evidence, "wan-2", "bbr")
    return f"BBR and CUBIC have {number(pair['total_goodput_mbps'], 1)} Mbps, of which BBR has {number(goodput(pair, 1), 1)}."


NEARLY_90 = said(
    _close_to_90,
    "Each 10 s ProbeRTT stops BBR for two round trips of 260 ms, which costs it 5 %. In the paper it loses 4 % of the link in "
    "all, as if ProbeRTT were rarer; why is not known.",
)


def _times(evidence: Evidence) -> str:
    time = "convergence_time_30s_s"
    here = {network: [alone(evidence, network, name)[time] for name in WIRED] for network in ("lan", "wan-2")}
    cubic = {network: number(alone(evidence, network, "cubic")[time]) for network in here}
    return (
        f"The times are {span(here['lan'])} s in the LAN and {span(here['wan-2'])} s in WAN-2, of CUBIC {cubic['lan']} and "
        f"{cubic['wan-2']} s; the paper has 129 and 54 s for CUBIC."
    )


CYCLE = said(
    "The window of a loss-based flow in the LAN stays where its host's interface stops it (TCP Small Queues) until a loss, "
    "as in Figure 7, and the time of convergence is that of the losses before it. CUBIC's window grows back in a few seconds.",
    _times,
)


def _smallest_and_largest(evidence: Evidence) -> str:
    excess = [excess_pct(evidence, *cell) for cell in transfers(evidence, "bbr")]
    return f"BBR's excess is {span(excess, 1)} % over the grid; at 30 ms, where the queue loses nothing, it is {_at_30_ms(evidence)} %."


def _at_30_ms(evidence: Evidence) -> str:
    return span((excess_pct(evidence, *cell) for cell in transfers(evidence, "bbr") if cell[0] == "30ms"), 1)


ON_THE_WIRE = said(
    _smallest_and_largest,
    "There both send the same data, and the excess is ACKs: a receiver acknowledges at once each packet behind a loss, and "
    "the faster BBR has more of them. Their number depends on how many packets the receiver merges, which was inferred from "
    "one number (fairlane calibrate lin2019 line).",
)


# Wi-Fi.

AS_FITTED = {
    "max_mpdus": 64,
    "ahead": 3,
    "mpdu_loss": "22%",
    "turns": "3008us",
    "latency": "0.5ms",
    "gro": True,
    "pacing_shift": 10,
    "pacing": "none",
}
"""The first line of beyond-bbr-wifi."""


def _changed(evidence: Evidence, algorithm: str, **change: object) -> Runs:
    """One flow over Wi-Fi with one fitted value changed."""
    return evidence["beyond-bbr-wifi"].where(algorithm=algorithm, **{**AS_FITTED, **change})


def _less_with(evidence: Evidence, algorithm: str = "bbr of 4.9", **change: object) -> Measurement:
    """By how many percent BBR has less goodput than CUBIC."""
    bbr, cubic = (_changed(evidence, name, **change)["goodput_mbps"] for name in (algorithm, "cubic"))
    return (1 + -1 * (bbr / cubic)) * 100


def _less_here(evidence: Evidence) -> str:
    found = " and ".join(
        less(alone(evidence, band, "bbr")["goodput_mbps"], alone(evidence, band, "cubic")["goodput_mbps"])
        for band in BANDS
    )
    return f"BBR has {found} less goodput than CUBIC at 2.4 and 5 GHz here, 30 and 23 % less in the paper."


def _less_by_one_change(evidence: Evidence) -> str:
    plain = _less_with(evidence)
    small = [
        abs((_less_with(evidence, **change) - plain).interval.estimate)
        for change in ({"latency": "1.5ms"}, {"gro": False})
    ]
    return (
        f"One change at a time, in runs of 60 s: as fitted {number(plain)} % less, with A-MPDUs formed at the access instead "
        f"of ahead {number(_less_with(evidence, ahead=0))} %, with single MPDUs {number(_less_with(evidence, max_mpdus=1))} %, "
        f"without errors {number(_less_with(evidence, mpdu_loss='0%'))} %, with one A-MPDU in each access "
        f"{number(_less_with(evidence, turns='0us'))} %, with the allowance for aggregated ACKs of Linux 5.1 "
        f"{number(_less_with(evidence, 'bbr since 5.1'))} %; latency and ACK thinning change it by {max(small):.0f} points at "
        "most (beyond-bbr-wifi)."
    )


def _less_by_wire(evidence: Evidence) -> str:
    runs = evidence["beyond-turns-wifi"].where(acks="by wire")
    bbr, cubic = (runs.where(algorithm=name)["goodput_mbps"] for name in ("bbr of 4.9", "cubic"))
    return f"With acknowledgements by wire BBR has {less(bbr, cubic)} less (beyond-turns-wifi)."


LESS_THAN_THE_PAPER = said(_less_here, _less_by_one_change, _less_by_wire)


def _rates(evidence: Evidence, band: str) -> str:
    return ", ".join(f"{name} {number(alone(evidence, band, name)['retransmits_per_s'], 2)}" for name in WIRELESS)


def _retransmissions(evidence: Evidence) -> str:
    return (
        f"Retransmissions per second are at 2.4 GHz: {_rates(evidence, 'wifi-2g4')}; at 5 GHz: "
        f"{_rates(evidence, 'wifi-5g')}."
    )


def _longer_outages(evidence: Evidence) -> str:
    runs = evidence["beyond-outages-wifi"].where(outages="1 s each 60 s", retry_limit=7)
    rates = ", ".join(f"{name} {number(runs.where(algorithm=name)['retransmits_per_s'], 1)}" for name in WIRELESS)
    return f"With outages of 1 s each minute instead of errors they are: {rates} (beyond-outages-wifi)."


LOST_BY_RETRIES = said(
    "TCP Small Queues keep the queue short, as in the paper, so that no queue overflows: a segment is lost when its MPDU fails "
    "eight times in a row. This strikes every algorithm in proportion to what it sends, a few dozen times in ten minutes.",
    _retransmissions,
    _longer_outages,
)


def _settling(evidence: Evidence) -> str:
    time = "convergence_time_30s_s"
    times = {band: span(alone(evidence, band, name)[time] for name in WIRELESS) for band in BANDS}
    return f"The times are {times['wifi-2g4']} s at 2.4 GHz and {times['wifi-5g']} s at 5 GHz, in the paper 30 to 595 and 30 to 257 s."


GROWTH = said(
    "A flow that TCP Small Queues hold back grows only in the round trips in which its window is full. Missing MPDUs make the "
    "receiver wait and fill it many times a second, so that windows settle in a minute; in the paper they grow as if it were "
    "full once a second. Losses cut them at random times, and the times of the two bands differ by chance.",
    _settling,
)


def _pacing_rates(evidence: Evidence) -> str:
    rates = [number(alone(evidence, band, "bbr")["mean_pacing_mbps"]) for band in BANDS]
    cubic = [number(alone(evidence, band, "cubic")["goodput_mbps"]) for band in BANDS]
    return (
        f"BBR's pacing rate is {' and '.join(rates)} Mbps at 2.4 and 5 GHz, above CUBIC's goodput of {' and '.join(cubic)}: it "
        "does not hold BBR back."
    )


PACED_FASTER = said(
    _pacing_rates,
    "The paper infers the small rate from gaps of 0.07 ms between segments, but one segment each 0.07 ms is 165 Mbps, more "
    "than the 124.7 of CUBIC. BBR's window, two BDPs of the smallest RTT, is the limit.",
)


def _gaps(evidence: Evidence) -> str:
    gaps = {name: alone(evidence, "wifi-2g4", name)["segment_gap_ms"] for name in ("bbr", "cubic")}
    return f"The mean gap between segments is {number(gaps['bbr'], 3)} ms for BBR and {number(gaps['cubic'], 3)} for CUBIC."


def _gaps_with_fq(evidence: Evidence) -> str:
    without, paced = (_changed(evidence, "bbr of 4.9", pacing=pacing)["segment_gap_ms"] for pacing in ("none", "fq"))
    return f"With fq BBR's gaps are {number(paced / without, 1)} times as long (beyond-bbr-wifi)."


GAPS = said(
    "The paper's BBR sends a segment each 0.07 ms, which is 165 Mbps, twice its goodput: its packets were paced. Here BBR of "
    "4.9 sends without fq, in bursts of several segments with no gap between them, and CUBIC's bursts wait for the channel.",
    _gaps,
    _gaps_with_fq,
)
LASTING_DIFFERENCE = (
    "Against CUBIC the first laptop has less whatever it runs, as if it were the slower one at 2.4 GHz (testbeds.laptops-2g4). "
    "But of two flows of one algorithm now the first, now the second has less in the paper: two BBR flows have 90.68 and 10.12 "
    "Mbps (Table 16), 180.75 and 11.85 at 5 GHz (Table 17), two Veno flows 12.32 and 51.62. No lasting difference of laptops "
    "gives that, and flows of one algorithm behind equal ones share evenly."
)


def _falls(evidence: Evidence) -> str:
    rtt = {name: [alone(evidence, band, name)["mean_rtt_ms"] for band in BANDS] for name in WIRELESS}
    falls = ", ".join(f"{name} {less(there, here)}" for name, (here, there) in rtt.items())
    return f"The RTT falls by: {falls}. CUBIC's queue is short at 2.4 GHz already ({number(rtt['cubic'][0])} ms, the paper 23)."


SHORT_QUEUE = said(
    _falls,
    "BBR's RTT is little more than the latency of hosts and frames, which is the same in both bands.",
)
