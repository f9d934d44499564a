"""The kernel's functions and constants for congestion controls, under their kernel names.

The functions do what those of `algorithms/interface/` do for C programs (RFC 5681 as Linux counts it); a test
compares the two.
"""

from fairlane.engine import AckSample, RateSample, Sock

__all__ = [
    "CA_EVENT_COMPLETE_CWR",
    "CA_EVENT_CWND_RESTART",
    "CA_EVENT_ECN_IS_CE",
    "CA_EVENT_ECN_NO_CE",
    "CA_EVENT_LOSS",
    "CA_EVENT_TX_START",
    "SK_PACING_NEEDED",
    "SK_PACING_NONE",
    "TCP_CA_CWR",
    "AckSample",
    "RateSample",
    "Sock",
    "TCP_CA_Disorder",
    "TCP_CA_Loss",
    "TCP_CA_Open",
    "TCP_CA_Recovery",
    "after",
    "before",
    "tcp_cong_avoid_ai",
    "tcp_in_slow_start",
    "tcp_is_cwnd_limited",
    "tcp_reno_cong_avoid",
    "tcp_reno_ssthresh",
    "tcp_reno_undo_cwnd",
    "tcp_slow_start",
]

TCP_CA_Open, TCP_CA_Disorder, TCP_CA_CWR, TCP_CA_Recovery, TCP_CA_Loss = range(5)
"""States of loss recovery (`icsk_ca_state`)."""

CA_EVENT_TX_START, CA_EVENT_CWND_RESTART, CA_EVENT_COMPLETE_CWR, CA_EVENT_LOSS = range(4)
CA_EVENT_ECN_NO_CE, CA_EVENT_ECN_IS_CE = 4, 5
"""The events of `cwnd_event`."""

SK_PACING_NONE, SK_PACING_NEEDED = 0, 1
"""Values of `sk_pacing_status`."""


def before(first: int, second: int) -> bool:
    """Whether one sequence number comes before another; they count modulo 2^32.

    >>> before(2**32 - 10, 5), before(5, 5), before(7, 5)
    (True, False, False)
    """
    return (first - second) % 2**32 >= 2**31


def after(first: int, second: int) -> bool:
    """Whether one sequence number comes after another."""
    return before(second, first)


def tcp_in_slow_start(sock: Sock) -> bool:
    """Below ssthresh (RFC 5681 section 3.1)."""
    return sock.snd_cwnd < sock.snd_ssthresh


def tcp_is_cwnd_limited(sock: Sock) -> bool:
    """Whether the window, and not the application, limits what is sent."""
    if sock.is_cwnd_limited:
        return True
    # In slow start the window may run ahead of what is sent, by a factor of two.
    return tcp_in_slow_start(sock) and sock.snd_cwnd < 2 * sock.max_packets_out


def tcp_slow_start(sock: Sock, acked: int) -> int:
    """One packet more for each one delivered, up to ssthresh; returns what is left of `acked`."""
    grown = min(sock.snd_cwnd + acked, sock.snd_ssthresh)
    acked -= grown - sock.snd_cwnd
    sock.snd_cwnd = min(grown, sock.snd_cwnd_clamp)
    return acked


def tcp_cong_avoid_ai(sock: Sock, per_packets: int, acked: int) -> None:
    """Additive increase: one packet for every `per_packets` delivered."""
    if sock.snd_cwnd_cnt >= per_packets:  # left over from a larger one: worth one packet, not a burst
        sock.snd_cwnd_cnt = 0
        sock.snd_cwnd += 1
    sock.snd_cwnd_cnt += acked
    if sock.snd_cwnd_cnt >= per_packets:
        grow, sock.snd_cwnd_cnt = divmod(sock.snd_cwnd_cnt, per_packets)
        sock.snd_cwnd += grow
    sock.snd_cwnd = min(sock.snd_cwnd, sock.snd_cwnd_clamp)


def tcp_reno_cong_avoid(sock: Sock, ack: int, acked: int) -> None:
    """Reno's growth: slow start, then one packet per window."""
    if not tcp_is_cwnd_limited(sock):
        return
    if tcp_in_slow_start(sock):
        acked = tcp_slow_start(sock, acked)
        if not acked:
            return
    tcp_cong_avoid_ai(sock, sock.snd_cwnd, acked)


def tcp_reno_ssthresh(sock: Sock) -> int:
    """Half the window."""
    return max(sock.snd_cwnd >> 1, 2)


def tcp_reno_undo_cwnd(sock: Sock) -> int:
    """The window before the reduction, or the present one if that is larger."""
    return max(sock.snd_cwnd, sock.prior_cwnd)
