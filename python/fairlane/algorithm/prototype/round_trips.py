"""A base for algorithms that look at the RTT once per round trip, as Vegas, Veno and YeAH do."""

from fairlane.algorithm.prototype.kernel_functions import (
    CA_EVENT_CWND_RESTART,
    CA_EVENT_TX_START,
    AckSample,
    Sock,
    TCP_CA_Open,
    after,
    tcp_reno_ssthresh,
    tcp_reno_undo_cwnd,
)

NO_RTT_US = 2**31


class RoundTrips:
    """Measures RTTs round by round, and responds to losses as Reno does.

    A round ends with the ACK of the data that was next to be sent when it started. Idle time and loss recovery start a
    new one.
    """

    base_us: int
    """Minimum RTT since the connection started or was idle."""
    rtt_us: int
    """Minimum RTT of this round."""
    samples: int
    """Number of RTT measurements in this round."""
    is_open: bool
    """Whether no recovery is in progress: only then does the RTT reflect queues."""

    ssthresh = staticmethod(tcp_reno_ssthresh)
    undo_cwnd = staticmethod(tcp_reno_undo_cwnd)

    def init(self, sock: Sock) -> None:
        """Resets all measurements."""
        self.base_us, self.is_open = NO_RTT_US, True
        self.begin_round(sock)

    def begin_round(self, sock: Sock) -> None:
        """Starts a round."""
        self.end_seq, self.rtt_us, self.samples = sock.snd_nxt, NO_RTT_US, 0

    def round_is_over(self, ack: int) -> bool:
        """Whether this ACK ends the round; call `begin_round` next."""
        return after(ack, self.end_seq)

    def set_state(self, sock: Sock, new_state: int) -> None:
        """Recovery starts or ends."""
        self.is_open = new_state == TCP_CA_Open
        self.begin_round(sock)

    def cwnd_event(self, sock: Sock, event: int) -> None:
        """After idle time the path may have changed."""
        if event in (CA_EVENT_CWND_RESTART, CA_EVENT_TX_START):
            RoundTrips.init(self, sock)

    def pkts_acked(self, sock: Sock, sample: AckSample) -> None:
        """Takes the RTT of an ACK, if it has one, plus 1 so that it is never 0."""
        if sample.rtt_us >= 0:
            self.base_us = min(self.base_us, sample.rtt_us + 1)
            self.rtt_us = min(self.rtt_us, sample.rtt_us + 1)
            self.samples += 1
