//! The TCP stacks of the two hosts of a flow.

use fairlane_contract_derive::Limits;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The part of a host that paces a flow's packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema, Limits)]
#[serde(rename_all = "snake_case")]
pub enum Pacing {
    /// TCP's own timer, if the algorithm asks for pacing.
    #[default]
    Internal,
    /// An fq queue on the host paces every flow.
    Fq,
    /// No pacing, as in kernels before 4.13 without an fq queue: the algorithm's pacing rate is ignored.
    None,
}

/// The host that sends the data. An absent setting has Linux's default.
#[derive(Clone, Debug, Deserialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields, default)]
#[schemars(extend("x-transport" = "tcp"))]
pub struct SenderHost {
    /// Merge arriving data, such as requests (GRO). Pure ACKs are not merged, as in Linux.
    pub offload: bool,
    /// TSO autosizing. Kernels since 4.17 build bursts even if the network card cannot segment.
    #[schemars(extend("x-linux" = "none"))]
    pub segmentation_offload: bool,
    /// The part of the host that paces.
    pub pacing: Pacing,
    /// TCP Small Queues: limit of a connection's data in the host's own queue, which is the first link or Wi-Fi queue
    /// of its path (`tcp_limit_output_bytes`: 4 MiB since Linux 6.16, 1 MiB since 4.20, 256 KiB before). About one
    /// millisecond at the pacing rate is a second limit. Absent, the host's interface never limits a connection.
    #[schemars(range(min = 1), extend("examples" = ["1MiB"]))]
    pub small_queue_limit_bytes: Option<u64>,
    /// The small queue limit also holds for paced connections. In Linux 4.20 to 6.15 it does not.
    pub small_queue_limits_paced: bool,
    /// A connection may have 2^-shift s of its pacing rate in the host's queue, and sends bursts of up to that size
    /// (`sk_pacing_shift`). Wi-Fi drivers set 8 or 7.
    #[schemars(range(max = 20), extend("x-linux" = "none", "x-hint" = "(Linux: 10; Wi-Fi drivers: 7 or 8)", "examples" = [10]))]
    pub pacing_shift: u8,
    /// Largest send buffer (`tcp_wmem`). The default suits 66 MB in flight, 5.2 Gbit/s at 100 ms; Linux has 4 MiB.
    #[schemars(range(min = 1), extend("examples" = ["4MiB"]))]
    pub wmem_max_bytes: u64,
    /// Room for headers in each packet buffer (`MAX_TCP_HEADER`), which the send buffer counts: 320 bytes, or 256 in
    /// kernels without Wi-Fi and AX.25, such as Debian's cloud kernels.
    #[schemars(range(min = 1), extend("examples" = ["320B"]))]
    pub header_room_bytes: u32,
    /// Memory that the send buffers of all flows of a machine share: above it no send buffer grows (the first number of
    /// `tcp_mem`; Linux: 3/64 of the machine's memory). Absent, memory never runs out.
    #[schemars(range(min = 65_536), extend("x-linux" = "none", "x-hint" = ", or remove it", "examples" = ["1.5GiB"]))]
    pub tcp_memory_bytes: Option<u64>,
    /// Name of the machine, for `tcp_memory`. Flows with the same name share its memory, as do all flows without a name.
    pub machine: Option<String>,
    /// Time that the flow's first packet waits for the peer's hardware address, as on hosts that have not talked before
    /// (RFC 826). It is one round trip within the local network; over a bridge with a delay, such as netem's, the delay
    /// counts twice. Of a workload with many flows only the first one waits.
    #[schemars(extend("x-linux" = "none", "x-transport" = "any", "examples" = ["40ms"]))]
    pub arp_ns: u64,
    /// Ask for ECN, to which the receiver agrees unless its own `ecn` is false.
    #[schemars(extend("x-transport" = "any"))]
    pub ecn: bool,
    /// With ECN, offer accurate feedback (AccECN, RFC 9768). Unless the peer offers it too, ECN is classic.
    #[schemars(extend("x-linux" = "6.18", "x-file" = ""))]
    pub accecn: bool,
    /// With ECN, send ECT(1) instead of ECT(0), as scalable senders do (RFC 9331).
    #[schemars(extend("x-linux" = "none", "x-transport" = "any"))]
    pub ect1: bool,
    /// Selective acknowledgements (RFC 2018, `tcp_sack`). Both hosts must offer them; without them losses are recovered
    /// as by NewReno (RFC 6582).
    pub sack: bool,
    /// TCP timestamps (RFC 7323, `tcp_timestamps`). Both hosts must offer them.
    pub timestamps: bool,
    /// Floor of the retransmission timeout (the route attribute `rto_min`, or `tcp_rto_min_us`). The timeout is the
    /// smoothed RTT plus at least this.
    #[schemars(range(min = 1_000, max = 120_000_000_000u64), extend("x-hint" = "(Linux: 200 ms)", "examples" = ["200ms"]))]
    pub rto_min_ns: u64,
    /// Initial congestion window in packets.
    #[schemars(range(min = 1, max = 10_000), extend("x-hint" = "(Linux: 10)", "examples" = [10]))]
    pub initial_cwnd_packets: u32,
    /// Start with the slow-start threshold and the reordering degree that earlier connections over the same path ended
    /// with (`tcp_metrics`), as Linux does before 5.6, and later with `tcp_no_ssthresh_metrics_save = 0`.
    pub route_memory: bool,
    /// Slow-start threshold in packets that the path's metrics have when the run begins: its connections start warm.
    #[schemars(range(min = 2, max = 1_000_000), extend("x-linux" = "none", "x-hint" = ", or remove it", "examples" = [60]))]
    pub route_ssthresh_packets: Option<u32>,
    /// Send tail loss probes (RFC 8985 section 7).
    pub tail_loss_probe: bool,
    /// Detect spurious timeouts with F-RTO (RFC 5682).
    pub forward_rto: bool,
    /// Undo window reductions that prove spurious.
    #[schemars(extend("x-linux" = "none"))]
    pub undo: bool,
    /// Reduce cwnd after an idle period (RFC 2861, `tcp_slow_start_after_idle`).
    pub slow_start_after_idle: bool,
    /// Nagle's algorithm: hold back a small segment while others are in flight.
    pub nagle: bool,
}

impl Default for SenderHost {
    fn default() -> Self {
        Self {
            offload: false,
            segmentation_offload: true,
            pacing: Pacing::Internal,
            small_queue_limit_bytes: None,
            small_queue_limits_paced: true,
            pacing_shift: 10,
            wmem_max_bytes: DEFAULT_BUFFER_BYTES,
            header_room_bytes: 320,
            tcp_memory_bytes: None,
            machine: None,
            arp_ns: 0,
            ecn: false,
            accecn: false,
            ect1: false,
            sack: true,
            timestamps: true,
            rto_min_ns: 200_000_000,
            initial_cwnd_packets: 10,
            route_memory: false,
            route_ssthresh_packets: None,
            tail_loss_probe: true,
            forward_rto: true,
            undo: true,
            slow_start_after_idle: true,
            nagle: true,
        }
    }
}

/// The host that receives the data. An absent setting has Linux's default.
#[derive(Clone, Debug, Deserialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields, default)]
#[schemars(extend("x-transport" = "tcp"))]
pub struct ReceiverHost {
    /// Name of the bundled algorithm at this end. Absent, that of the flow, which both ends run. It echoes marks if it
    /// needs ECN (DCTCP), and controls data that this end sends.
    #[schemars(extend("x-linux" = "none", "examples" = ["cubic"]))]
    pub algorithm: Option<String>,
    /// Merge arriving data (GRO) and acknowledge a batch once.
    pub offload: bool,
    /// With offload: the shortest time between two interrupts of the network interface, which merges the packets that
    /// arrive in between (`ethtool -C rx-usecs`). Interfaces of 10 Gbit/s and more use 8 to 50 us, many Gigabit
    /// Ethernet cards 50 to 125 us.
    #[schemars(extend("examples" = ["100us"]))]
    pub offload_interval_ns: u64,
    /// Initial receive buffer (`tcp_rmem`).
    #[schemars(range(min = 1), extend("examples" = ["128KiB"]))]
    pub rmem_initial_bytes: u32,
    /// Largest receive buffer (`tcp_rmem`). The default suits 42 MB in flight, 3.3 Gbit/s at 100 ms; Linux has 6 MiB, and
    /// 32 MiB since 6.16.
    #[schemars(range(min = 1), extend("examples" = ["6MiB"]))]
    pub rmem_max_bytes: u32,
    /// `tcp_adv_win_scale` of kernels before 6.6: the window is the buffer less its 2^-n-th part, so that 1, their
    /// default, leaves half. Absent, the window follows from the memory that segments take, as in Linux 6.6 and later.
    #[schemars(range(min = 1, max = 31), extend("x-hint" = "(Linux before 6.6: 1)", "examples" = [1]))]
    pub adv_win_scale: Option<u8>,
    /// Autotune the receive buffer.
    pub autotune: bool,
    /// Agree to ECN. Absent, it does if the sender asks for it (Linux's `tcp_ecn = 2`); QUIC always reports marks.
    #[schemars(extend("x-transport" = "any"))]
    pub ecn: Option<bool>,
    /// With ECN, offer accurate feedback (AccECN, RFC 9768). Unless the peer offers it too, ECN is classic.
    #[schemars(extend("x-linux" = "6.18", "x-file" = ""))]
    pub accecn: bool,
    /// Selective acknowledgements (RFC 2018, `tcp_sack`). Both hosts must offer them.
    pub sack: bool,
    /// TCP timestamps (RFC 7323, `tcp_timestamps`). Both hosts must offer them.
    pub timestamps: bool,
    /// Compress SACKs for up to 1 ms (`tcp_comp_sack_delay_ns`).
    pub sack_compression: bool,
    /// Compress SACKs for at most this percentage of the RTT (`tcp_comp_sack_rtt_percent`): 5 before Linux 6.19, 33
    /// since.
    #[schemars(range(min = 1, max = 1_000), extend("x-linux" = "6.19", "x-hint" = "(Linux: 5, and 33 since 6.19)", "examples" = [33]))]
    pub sack_compression_rtt_percent: u32,
    /// Size the receive buffer as Linux does since 6.16: once per shortest RTT, with room for data beyond a hole, and
    /// without 16 segments in reserve.
    pub prompt_right_sizing: bool,
    /// The receiver's own RTT falls to a shorter sample at once, and the first segment does not raise the window to the
    /// one of the handshake, as measured in Linux 6.12.117 and 7.2.12; implied by `prompt_right_sizing`.
    pub prompt_rtt: bool,
    /// With `prompt_right_sizing`: below this RTT the receive buffer grows more slowly (`tcp_rcvbuf_low_rtt`). Linux has
    /// 1 ms since 6.19.
    #[schemars(extend("x-linux" = "6.19", "x-hint" = "(Linux: 1 ms since 6.19)", "examples" = ["1ms"]))]
    pub rcvbuf_low_rtt_ns: u64,
    /// Misbehave: divide the progress of each acknowledgement among this many (ACK division, Savage et al. 1999, "TCP
    /// congestion control with a misbehaving receiver").
    #[schemars(range(min = 2, max = 1_000), extend("x-linux" = "none", "x-hint" = ", or remove it", "examples" = [10]))]
    pub ack_division: Option<u32>,
    /// Misbehave: acknowledge this much data before its arrival (optimistic ACKs, Savage et al. 1999). Data that was
    /// lost is acknowledged, too, and never delivered. The sender ignores ACKs of data that it has not sent.
    #[schemars(range(min = 1), extend("x-linux" = "none", "x-hint" = ", or remove it", "examples" = ["30kB"]))]
    pub optimistic_ack_bytes: Option<u32>,
    /// Misbehave: agree to ECN and report CE as ECT, so that the sender sees no mark (RFC 3540 section 1).
    #[schemars(extend("x-linux" = "none"))]
    pub conceal_ce: bool,
}

impl Default for ReceiverHost {
    fn default() -> Self {
        Self {
            algorithm: None,
            offload: false,
            offload_interval_ns: 25_000,
            rmem_initial_bytes: 131_072,
            rmem_max_bytes: DEFAULT_BUFFER_BYTES as u32,
            adv_win_scale: None,
            autotune: true,
            ecn: None,
            accecn: false,
            sack: true,
            timestamps: true,
            sack_compression: true,
            sack_compression_rtt_percent: 5,
            prompt_right_sizing: false,
            prompt_rtt: false,
            rcvbuf_low_rtt_ns: 0,
            ack_division: None,
            optimistic_ack_bytes: None,
            conceal_ce: false,
        }
    }
}

/// Socket buffers large enough for every path in the literature.
const DEFAULT_BUFFER_BYTES: u64 = 64 << 20;
