"""Rates of flows: goodput, throughput, sending rate, bytes on the wire, completion times."""

from collections.abc import Sequence

from fairlane.engine.libraries import np
from fairlane.results.metrics.common_time import common_time_s, measured_s
from fairlane.results.metrics.metric import column, measured, metric, quotient, values_of
from fairlane.results.metrics.subject import Flow

measured(
    "goodput_mbps",
    """Payload that reached the receiving application, over the flow's time.

    (D_s - D_r - D_o) / dt: without headers, retransmissions and copies.
    """,
    source="Turkovic et al. 2019, equation 3",
    better="more",
)
measured(
    "throughput_mbps",
    "Frames that reached the receiver, Ethernet header included, over the flow's time.",
    source="Turkovic et al. 2019, IV-A",
)
measured(
    "sending_rate_mbps",
    "Frames that the sender put on the wire, Ethernet header included, over the flow's time.",
    source="Turkovic et al. 2019, IV-A",
)
measured(
    "mean_pacing_mbps",
    "Mean of the sampled pacing rates; algorithms that do not pace have one all the same, from window and RTT.",
    label="mean pacing rate",
    source="Linux sk_pacing_rate",
)
measured(
    "goodput_ratio_pct",
    """Goodput over sending rate.

    (D_s - D_r - D_o) / D_s, with D_s all bits sent, D_r retransmitted bits, D_o headers.
    """,
    formula=quotient("goodput_mbps", "sending_rate_mbps", 100),
    source="Turkovic et al. 2019, equation 4",
    better="more",
)


_LAST_START = "Zhang et al. 2018 (Modest BBR), figure 4"


@metric(label="goodput before the last start", source=_LAST_START, better="more")
def goodput_before_last_start_mbps(flow: Flow) -> float | None:
    """Goodput before the last flow of the run started; none of that flow."""
    return _goodput(flow, since=False)


@metric(label="goodput since the last start", source=_LAST_START, better="more")
def goodput_since_last_start_mbps(flow: Flow) -> float | None:
    """Goodput since the last flow of the run started."""
    return _goodput(flow, since=True)


@metric(label="longest stall", source="CC-Fuzz (HotNets 2022)", better="less")
def longest_stall_s(flow: Flow) -> float | None:
    """The longest time in which the application received nothing, in whole samples, from the flow's start on."""
    if not flow.is_sampled:
        return None
    times_s = np.concatenate([[float(flow["start_s"])], flow.series("t_s")[flow.series("mbps") > 0]])
    return float(np.diff(np.append(times_s, flow.series("t_s")[-1])).max())


BACKOFF_SAMPLES = 10
"""Shorter silences are too coarse in samples to compare."""


@metric(label="growth of silences", source="RFC 6298, 5.5; RFC 9743, 5.2 (loss of all feedback)", better="more")
def backoff_factor(flow: Flow) -> float | None:
    """The least growth from a silence of the sender to the next, while the application receives nothing.

    2 if the retransmission timeout doubles. Of the silences of at least 10 samples in the longest stall; None unless
    there are two.
    """
    if not flow.is_sampled:
        return None
    received = np.flatnonzero(np.concatenate([[1.0], flow.series("mbps"), [1.0]]) > 0)
    longest = int(np.diff(received).argmax())
    sends = np.flatnonzero(flow.series("sending_rate_mbps")[received[longest] : received[longest + 1] - 1] > 0)
    silences = np.diff(sends)[np.diff(sends) >= BACKOFF_SAMPLES]
    return float((silences[1:] / silences[:-1]).min()) if len(silences) > 1 else None


def _goodput(flow: Flow, *, since: bool) -> float | None:
    """A sample that straddles the start counts where it ends."""
    if flow.run is None:
        return None
    joined_s = max(float(one["start_s"]) for one in flow.run.everyone)
    times_s, mbps = flow.series("t_s"), flow.series("mbps")
    widths_s = np.diff(times_s, prepend=float(flow["start_s"]))
    chosen = times_s > joined_s + 1e-9 if since else times_s <= joined_s + 1e-9
    return float(np.average(mbps[chosen], weights=widths_s[chosen])) if chosen.any() else None


@metric(of="flows", label="total goodput", source="Lin et al. 2019, tables 5 to 10 (Sum)", better="more")
def total_goodput_mbps(flows: Sequence[Flow]) -> float | None:
    """Goodput of all flows together; from the first start to the last end if they are not simultaneous."""
    return _total_mbps(flows, "goodput_mbps")


@metric(of="flows", label="total throughput", source="Elephants 2023, 5.1 (throughput per sender, S_i)")
def total_throughput_mbps(flows: Sequence[Flow]) -> float | None:
    """Throughput of all flows together; over the same time as `total_goodput_mbps`."""
    return _total_mbps(flows, "throughput_mbps")


def _total_mbps(flows: Sequence[Flow], rate: str) -> float:
    if common_time_s(flows) is None:
        return sum(map(float, values_of(flows, rate)))
    times_s = [measured_s(flow) for flow in flows]
    length_s = max(end for _, end in times_s) - min(begin for begin, _ in times_s)
    return sum(float(flow[rate]) * float(flow["duration_s"]) for flow in flows) / length_s


@metric(of="flows", label="total retransmissions", digits=0, source="Elephants 2023, 5.4 (R)", better="less")
def total_retransmits(flows: Sequence[Flow]) -> float | None:
    """Retransmissions of all flows; relative to those of CUBIC against CUBIC they are the paper's RR (equation 4)."""
    return sum(map(float, values_of(flows, "retransmits")))


@metric(of="flows", digits=0, label="flows")
def flow_count(flows: Sequence[Flow]) -> float | None:
    """The number of flows."""
    return len(flows)


_WIRE = "Lin et al. 2019, 7.1, footnote 9"


@metric(label="on-wire volume", source=_WIRE)
def wire_mb(flow: Flow) -> float | None:
    """Ethernet frames that both ends sent, in units of 10^6 bytes."""
    return (flow["wire_bytes_forward"] + flow["wire_bytes_reverse"]) / 1e6


measured(
    "wire_forward_mb",
    "Ethernet frames that the data sender sent.",
    formula=column("wire_bytes_forward", per=1e6),
    label="on-wire volume, forward",
    source=_WIRE,
)
measured(
    "wire_reverse_mb",
    "Ethernet frames that the data receiver sent.",
    formula=column("wire_bytes_reverse", per=1e6),
    label="on-wire volume, reverse",
    source=_WIRE,
)
measured(
    "completion_s",
    "From the first SYN to the last byte at the receiver; none unless a flow of a given size was done in time.",
    label="completion time",
    source="Zhang et al. 2019 (Modest BBR), IV-A: transfer completion time",
    digits=3,
    better="less",
)
