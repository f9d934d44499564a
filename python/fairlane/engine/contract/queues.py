"""Queue disciplines as types. Generated from crates/contract by `python -m tools.reference`; do not edit."""

from typing import Literal, NotRequired, TypedDict


class FifoQueue(TypedDict):
    """First in, first out; packets that arrive at a full queue are dropped. Takes exactly one of the two limits."""

    kind: Literal["fifo"]
    limit_bytes: NotRequired[int | None]
    """Limit in frame bytes."""
    limit_packets: NotRequired[int | None]
    """Limit in packets."""


class UnlimitedQueue(TypedDict):
    """First in, first out, without a limit."""

    kind: Literal["unlimited"]


class RedQueue(TypedDict):
    """RED (Floyd and Jacobson 1993): drops arriving packets with a probability that grows with the mean queue length.

    As in Linux, the mean does not decay if a token bucket (`burst_bytes`) empties the queue. tc's `qevent` shows early
    drops and marks to filters; by itself it changes no packet's fate, so it is not here.
    """

    kind: Literal["red"]
    limit_bytes: int
    """Hard limit of the queue."""
    min_bytes: NotRequired[int | None]
    """Mean queue length at which drops begin."""
    max_bytes: NotRequired[int | None]
    """Mean queue length at which every packet is dropped."""
    avpkt_bytes: NotRequired[int]
    """Typical packet size."""
    burst_packets: NotRequired[int | None]
    """Packets that an empty queue accepts in a row without a drop."""
    probability: NotRequired[float]
    """Drop probability when the mean reaches `max_bytes`."""
    bandwidth_bps: NotRequired[int]
    """Rate by which the mean decays while the queue is idle."""
    ecn: NotRequired[bool]
    """Mark packets of ECN-capable senders instead of dropping them."""
    harddrop: NotRequired[bool]
    """With `ecn`, drop all the same above `max_bytes`."""
    nodrop: NotRequired[bool]
    """With `ecn`, never drop early what cannot be marked."""
    adaptive: NotRequired[bool]
    """Adapt the probability between 1 % and 50 % to keep the mean in the middle (Floyd, Gummadi and Shenker 2001)."""


class CodelQueue(TypedDict):
    """CoDel (RFC 8289): drops from the head, at increasing frequency, while packets wait too long."""

    kind: Literal["codel"]
    limit_packets: NotRequired[int]
    """Hard limit of the queue."""
    target_ns: NotRequired[int]
    """Acceptable standing delay."""
    interval_ns: NotRequired[int]
    """About the longest RTT of the traffic."""
    ecn: NotRequired[bool]
    """Mark packets of ECN-capable senders instead of dropping them."""
    ce_threshold_ns: NotRequired[int | None]
    """Mark every packet that waited longer than this."""


class FqCodelQueue(TypedDict):
    """FQ-CoDel (RFC 8290): flows are hashed into queues served by round robin, with CoDel in each.

    tc's `ce_threshold_selector` matches any bits of the DS field; packets here have only the two ECN bits, so only
    ECT(1) can be selected.
    """

    kind: Literal["fq_codel"]
    limit_packets: NotRequired[int]
    """Limit of all queues together."""
    flows: NotRequired[int]
    """Number of queues; flows that hash to the same one share it."""
    target_ns: NotRequired[int]
    """Acceptable standing delay, as for codel."""
    interval_ns: NotRequired[int]
    """About the longest RTT of the traffic, as for codel."""
    quantum_bytes: NotRequired[int | None]
    """Quantum of the round robin between queues."""
    ecn: NotRequired[bool]
    """Mark packets of ECN-capable senders instead of dropping them."""
    ce_threshold_ns: NotRequired[int | None]
    """Mark every packet that waited longer than this."""
    ce_threshold_ect1_only: NotRequired[bool]
    """Apply `ce_threshold_ns` only to packets with ECT(1) (RFC 9331), as tc's `ce_threshold_selector 0x1/0x3`; CE
    counts as ECT(1) only if it was sent as such.
    """
    memory_limit_bytes: NotRequired[int]
    """Memory of all queues together, including 790 bytes of kernel data per packet."""
    drop_batch_packets: NotRequired[int]
    """Most packets that the longest queue loses at once when a limit is exceeded."""


class PieQueue(TypedDict):
    """PIE (RFC 8033): drops arriving packets with a probability that a controller adjusts to reach a target delay."""

    kind: Literal["pie"]
    limit_packets: NotRequired[int]
    """Hard limit of the queue."""
    target_ns: NotRequired[int]
    """Delay that the controller aims at."""
    tupdate_ns: NotRequired[int]
    """Time between two steps of the controller, rounded up to timer ticks as in the kernel."""
    alpha: NotRequired[int]
    """Weight of the distance to the target, in sixteenths per second."""
    beta: NotRequired[int]
    """Weight of the trend, in sixteenths per second."""
    ecn: NotRequired[bool]
    """Mark packets of ECN-capable senders while the drop probability is at most 10 %."""
    bytemode: NotRequired[bool]
    """Drop small packets less often."""
    dq_rate_estimator: NotRequired[bool]
    """Estimate delays from the backlog and a measured rate instead of timestamps."""


class FqPieQueue(TypedDict):
    """FQ-PIE: flows are hashed into queues as in FQ-CoDel, with PIE in each.

    Linux's `memory_limit` is missing: it counts what exceeds it but drops nothing.
    """

    kind: Literal["fq_pie"]
    limit_packets: NotRequired[int]
    """Limit of all queues together."""
    flows: NotRequired[int]
    """Number of queues; flows that hash to the same one share it."""
    target_ns: NotRequired[int]
    """Delay that the controllers aim at."""
    tupdate_ns: NotRequired[int]
    """Time between two steps of the controllers, rounded up to timer ticks as in the kernel."""
    alpha: NotRequired[int]
    """Weight of the distance to the target, in sixteenths per second."""
    beta: NotRequired[int]
    """Weight of the trend, in sixteenths per second."""
    quantum_bytes: NotRequired[int | None]
    """Quantum of the round robin between queues."""
    ecn: NotRequired[bool]
    """Mark packets of ECN-capable senders instead of dropping them."""
    ecn_prob: NotRequired[int]
    """Mark only while the drop probability is at most this."""
    bytemode: NotRequired[bool]
    """Drop small packets less often."""
    dq_rate_estimator: NotRequired[bool]
    """Estimate delays from the backlog and a measured rate instead of timestamps."""


class FqQueue(TypedDict):
    """fq on a router: round robin between flows, each paced to at most `maxrate_bps`.

    This is fq on a forwarding host, where no packet belongs to a local socket; for pacing on the sender see
    `sender.pacing`. tc's `pacing`, `horizon`, `horizon_drop` and `timer_slack` concern departure times set by local
    sockets, and `bands`, `priomap` and `weights` their priorities; forwarded packets have neither. `buckets` sizes a
    table and changes no packet's fate.
    """

    kind: Literal["fq"]
    limit_packets: NotRequired[int]
    """Limit of all flows together."""
    flow_limit_packets: NotRequired[int]
    """Limit of each flow."""
    quantum_bytes: NotRequired[int | None]
    """Quantum of the round robin between flows."""
    initial_quantum_bytes: NotRequired[int | None]
    """Quantum of a new flow."""
    maxrate_bps: NotRequired[int | None]
    """Largest rate of each flow."""
    low_rate_threshold_bps: NotRequired[int]
    """Flows with a `maxrate_bps` of at most this send packet by packet."""
    refill_delay_ns: NotRequired[int]
    """A flow that was silent for this time starts with a full quantum."""
    orphan_mask: NotRequired[int]
    """Number of queues minus one; flows that hash to the same one share it."""
    ce_threshold_ns: NotRequired[int | None]
    """Mark every packet that leaves this much later than it could."""


class CakeQueue(TypedDict):
    """CAKE (Høiland-Jørgensen, Täht and Morton 2018) with `besteffort flows`: one tin of flow queues with COBALT.

    A set-associative hash into 1024 queues, deficit round robin with sparse flows first, COBALT (CoDel and BLUE) in
    each queue, ECN always on. There are no tins by DSCP, no ACK filter and no ingress mode.
    """

    kind: Literal["cake"]
    bandwidth_bps: NotRequired[int | None]
    """Rate of cake's own shaper, which has no burst; for a link without `rate_bps`."""
    rtt_ns: NotRequired[int]
    """About the longest RTT of the traffic: COBALT's interval, and twenty times its target."""
    memlimit_bytes: NotRequired[int | None]
    """Memory of all queues together, including 790 bytes of kernel data per packet."""


class Dualpi2Queue(TypedDict):
    """DualPI2 (RFC 9332): a low-latency queue for scalable senders next to one for classic senders, coupled.

    Packets with ECT(1) or CE use a queue of their own, which is marked at the square root of the probability with which
    the classic queue drops. tc's `split_gso` decides whether large segments of local sockets are split before they
    wait; packets arrive here already split.
    """

    kind: Literal["dualpi2"]
    limit_packets: NotRequired[int]
    """Limit of both queues together."""
    memlimit_bytes: NotRequired[int | None]
    """Memory of both queues together, including 790 bytes of kernel data per packet."""
    max_rtt_ns: NotRequired[int | None]
    """Longest RTT of classic senders. Sets target, tupdate, alpha and beta by RFC 9332 Appendix A.1."""
    typical_rtt_ns: NotRequired[int | None]
    """Typical RTT. Without the longest RTT, that is six times this."""
    target_ns: NotRequired[int]
    """Delay that the controller aims at."""
    tupdate_ns: NotRequired[int]
    """Time between two steps of the controller."""
    alpha_hz: NotRequired[float]
    """Weight of the distance to the target."""
    beta_hz: NotRequired[float]
    """Weight of the trend."""
    coupling_factor: NotRequired[int]
    """Ratio of the marking probability of L4S packets to the base probability."""
    step_thresh_ns: NotRequired[int | None]
    """Mark L4S packets that waited longer than this."""
    step_thresh_packets: NotRequired[int | None]
    """Mark L4S packets while the L4S queue is longer than this."""
    min_qlen_step_packets: NotRequired[int]
    """The step marks nothing while the L4S queue is shorter than this."""
    classic_protection_percent: NotRequired[int]
    """Share of the link for classic packets while both queues are backlogged."""
    drop_on_overload: NotRequired[bool]
    """Drop L4S packets, too, once marking all of them does not help; otherwise queues grow to the limit."""
    drop_enqueue: NotRequired[bool]
    """Drop on arrival instead of on departure."""
    any_ect: NotRequired[bool]
    """Treat ECT(0) as L4S, too."""


class PolicerQueue(TypedDict):
    """A policer, as tc's action police: drops packets that exceed a rate and queues nothing.

    Takes exactly one of the two rates, with its burst; most useful on a link without `rate_bps`. Each rate has a
    bucket, full at the start, with tokens up to its burst. A packet that finds enough tokens in every bucket takes them
    from all; otherwise it is dropped and takes none. With an `mtu_bytes` of one frame, `peakrate_bps` drops each packet
    that follows another faster than that, which TCP causes in every round; an MTU of several frames lets as many
    through.

    Without `mtu_bytes` any size passes, as tc's manual says; the kernel, given a rate but no MTU, drops frames above
    2040 bytes because tc's rate table ends there. `mtu_bytes = 2040` does the same. tc's `avrate`, `estimator` and
    `linklayer` are missing; `overhead` is the link's `overhead_bytes`. Actions other than drop hand the packet to
    filters and actions behind the policer, of which there are none here.
    """

    kind: Literal["policer"]
    rate_bps: NotRequired[int | None]
    """Rate above which packets are dropped."""
    burst_bytes: NotRequired[int | None]
    """Largest burst that passes at once; a larger frame never passes."""
    peakrate_bps: NotRequired[int | None]
    """Rate within a burst, above `rate_bps`; its own burst is `mtu_bytes`, which it needs."""
    mtu_bytes: NotRequired[int | None]
    """Larger frames are dropped."""
    pkts_rate_pps: NotRequired[int | None]
    """Packets per second above which packets are dropped, whatever their size."""
    pkts_burst_packets: NotRequired[int | None]
    """Packets that pass at once."""


class RouterQueue(TypedDict):
    """A host that forwards packets in software: a receiving card that merges packets (GRO), processing time for each,
    and a pfifo.

    Merged packets count as one for the limit and for the processor, are dropped together, and leave back to back. They
    wait for the whole `merge_interval_ns`. Packets below 128 bytes, such as ACKs, are not merged. Whatever waits for
    the processor counts for the limit, too.
    """

    kind: Literal["router"]
    limit_packets: NotRequired[int]
    """Most packets that wait (txqueuelen). Merged packets count as one."""
    forwarding_ns: NotRequired[int]
    """Processing time of a packet, in parallel with the transmission of earlier ones: the router forwards at most one
    packet in this time. Merged packets count as one.
    """
    merge_interval_ns: NotRequired[int | None]
    """The receiving card merges packets of a flow that arrive within this time of the first (GRO). Absent, none."""
    merge_packets: NotRequired[int]
    """Most packets that are merged into one: 45 of 1448 bytes are 64 KiB; cards without page lists merge 17."""


QueueConfig = (
    FifoQueue
    | UnlimitedQueue
    | RedQueue
    | CodelQueue
    | FqCodelQueue
    | PieQueue
    | FqPieQueue
    | FqQueue
    | CakeQueue
    | Dualpi2Queue
    | PolicerQueue
    | RouterQueue
)
"""The queue in front of the transmitter."""
