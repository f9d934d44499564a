"""Which limit kept a flow's sender from sending, as shares of the flow's time.

At any time it is the one that stopped the last attempt to send. `ss -i` shows the first three (`busy`, `rwnd_limited`,
`sndbuf_limited`), the latter two as shares of the busy time. The handshake belongs to none.
"""

from fairlane.results.metrics.metric import column, measured

_CHRONO = "Linux tcp_chrono"


def _share(name: str, meaning: str, label: str, source: str = "") -> None:
    share = column(name.replace("_pct", "_share"), optional=True, per=0.01)
    measured(name, meaning, formula=share, label=label, digits=1, source=source)


_share(
    "busy_pct",
    "Share of the time in which the sender had data in its queue or in flight.",
    "busy time",
    f"{_CHRONO}, tcpi_busy_time",
)
_share(
    "rwnd_limited_pct",
    "Share of the time in which the receive window limited the sender, over QUIC flow control.",
    "limited by the receive window",
    f"{_CHRONO}, tcpi_rwnd_limited",
)
_share(
    "sndbuf_limited_pct",
    "Share of the time in which the send buffer limited the sender: everything in it was sent, and it was full.",
    "limited by the send buffer",
    f"{_CHRONO}, tcpi_sndbuf_limited",
)
_share(
    "small_queue_limited_pct",
    """Share of the time in which data in the queue of the sender's own host limited it.

    None where a kernel ran, as of the three below.
    """,
    "limited by the small queue",
    "Linux TCP Small Queues",
)
_share(
    "app_limited_pct",
    "Share of the time in which the application limited the sender: it had nothing to send.",
    "limited by the application",
    "draft-cheng-iccrg-delivery-rate-estimation",
)
_share(
    "cwnd_limited_pct",
    "Share of the time in which the congestion window limited the sender.",
    "limited by cwnd",
    "RFC 7661",
)
_share("pacing_limited_pct", "Share of the time in which pacing limited the sender.", "limited by pacing")
