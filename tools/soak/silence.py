"""A law of its own: how long a connection may be silent.

A sender with data in flight sends again when its retransmission timer expires: after one RTO, then after twice that,
and so on (RFC 6298 section 5.5; over QUIC probe timeouts, RFC 9002 section 6.2). It never waits longer than 120 s.
"""

from collections.abc import Iterator

from tools.soak.seen import Row, Samples, Seen

LONGEST_S = 120.0
LEAST_RTO_S = 0.2
"""TCP_RTO_MIN: the variance counts as at least this much (RFC 6298 asks for 1 s, Linux for 200 ms)."""
UNMEASURED_S = 3.0
"""RTO before an RTT is known, if the handshake had to be repeated (RFC 6298 section 5.7); else 1 s."""

LATE = 1.125
"""The kernel's timer wheel fires up to an eighth of the time late."""


def silence_lasts_at_most_the_back_off(seen: Seen) -> Iterator[str]:
    """Between two signs of life of a bulk flow lies at most the RTO, doubled for each timeout before.

    Linux starts the timer when pacing lets the next packet go, up to two packets later. An RTT ends the back-off, and
    nothing else does: Karn's algorithm (RFC 6298 section 5) measures no retransmission.
    """
    step_s = seen.scenario["series_interval_ns"] / 1e9
    for flow, row, samples in seen.flows():
        if flow.get("workload", {"kind": "bulk"})["kind"] != "bulk":
            continue
        last_s, longest_s, is_measured, resent = row["start_s"], 0.0, False, False
        slowest_mbps = min((rate for rate in samples["pacing_mbps"] if rate), default=1e9)
        pacing_s = 2 * row["mss_bytes"] * 8e-6 / slowest_mbps
        for at_s, is_alive, has_rtt, resends in _signs_of_life(samples):
            silent_s = at_s - last_s
            rto_s = _largest_rto_s(row) if is_measured else UNMEASURED_S
            # A timeout may seem early: the timer was started before the last sign of life, or the one before that.
            has_expired = resent or longest_s > LEAST_RTO_S / 2
            allowed_s = min(LONGEST_S, 2 * max(rto_s, longest_s) if has_expired else rto_s)
            if silent_s > (allowed_s + pacing_s) * LATE + 2 * step_s:
                yield f"flow {row['flow']} is silent for {silent_s:.2f} s until {at_s:.2f} s, its RTO {allowed_s:.2f} s"
                break
            if is_alive:
                resent = resends
                last_s, longest_s = at_s, 0.0 if has_rtt else max(longest_s, silent_s)
            is_measured |= has_rtt


def _largest_rto_s(row: Row) -> float:
    """An upper bound of the RTO before back-off, by the shortest and the longest RTT of the run.

    The smoothed RTT is at most the longest one. The mean deviation is at most the difference of both, or half of the
    first RTT (RFC 6298 section 2.2).
    """
    longest_s = max(row["packet_rtt_max_ms"] or 0, row["max_rtt_ms"] or 0, row["min_rtt_ms"] or 0) / 1e3
    deviation_s = max(longest_s - (row["min_rtt_ms"] or 0) / 1e3, longest_s / 2)
    return longest_s + max(LEAST_RTO_S, 4 * deviation_s)


def _signs_of_life(samples: Samples) -> Iterator[tuple[float, bool, bool, bool]]:
    """Of each interval: its end, whether a packet was sent or arrived, an RTT was measured, data were sent again."""
    in_flight = None
    columns = ("t_s", "sending_rate_mbps", "throughput_mbps", "packet_rtt_ms", "inflight_packets", "retransmits")
    for at_s, sent, arrived, rtt, now_in_flight, again in zip(*(samples[name] for name in columns), strict=True):
        has_rtt = rtt is not None
        yield at_s, sent > 0 or arrived > 0 or has_rtt or now_in_flight != in_flight, has_rtt, again > 0
        in_flight = now_in_flight
