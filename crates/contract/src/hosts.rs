//! The two hosts of a flow and what their TCP stacks are told.

use schemars::JsonSchema;
use serde::Deserialize;
use std::num::NonZeroU8;

/// Who paces the packets of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
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

/// The host that sends the data.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SenderHost {
    /// GRO for arriving acknowledgements.
    pub offload: bool,
    /// TSO autosizing; kernels since 4.17 build bursts even if the network card cannot segment.
    pub segmentation_offload: bool,
    /// Who paces.
    pub pacing: Pacing,
    /// The first station of the path is the host's own network interface, and TCP Small Queues let at most this much of
    /// a connection wait there (tcp_limit_output_bytes: 4 MiB since Linux 6.16, 1 MiB since 4.20, 256 KiB before), and
    /// not more than about a millisecond at its pacing rate. Absent, the host's interface never limits a connection.
    pub small_queue_limit_bytes: Option<u64>,
    /// With small_queue_limit_bytes: connections that are paced obey it too. Linux 4.20 to 6.15 give them the
    /// millisecond alone.
    pub small_queue_limits_paced: bool,
    /// A connection may have its pacing rate / 2^shift bytes in the host's queue, and sends bursts of up to that size
    /// (sk_pacing_shift). Drivers of Wi-Fi use 8 or 7.
    pub pacing_shift: u8,
    /// Largest send buffer (tcp_wmem).
    pub wmem_max_bytes: u64,
    /// Room for headers in front of the data of a segment (MAX_TCP_HEADER), which the size of a send buffer counts: 320
    /// bytes, and 256 in kernels without Wi-Fi and AX.25, as those for virtual machines are.
    pub header_room_bytes: u32,
    /// The connections of the host share its memory for TCP: above this no send buffer grows (the first of the three
    /// numbers of tcp_mem). Linux sets it to 3/64 of the host's memory. Absent, memory never runs out.
    pub tcp_memory_bytes: Option<u64>,
    /// With tcp_memory_bytes: the host's name. Flows of one name share the memory, and so do flows without a name.
    pub machine: Option<String>,
    /// Negotiate ECN; both hosts must ask for it.
    pub ecn: bool,
    /// With ecn, offer accurate feedback (AccECN, RFC 9768); without a peer that offers it too, ECN is classic.
    pub accecn: bool,
    /// With ecn, packets carry ECT(1) instead of ECT(0), as those of scalable senders do (RFC 9331).
    pub ect1: bool,
    /// Use TCP timestamps (RFC 7323).
    pub timestamps: bool,
    /// Initial congestion window.
    pub initial_cwnd_packets: u32,
    /// Connections start with the slow-start threshold and the reordering that earlier connections of the run over the
    /// same path ended with (tcp_metrics; Linux before 5.6, and later with tcp_no_ssthresh_metrics_save = 0).
    pub route_memory: bool,
    /// The slow-start threshold that is remembered of the path when the run begins: its connections start warm.
    pub route_ssthresh_packets: Option<u32>,
    /// Send tail loss probes (RFC 8985).
    pub tail_loss_probe: bool,
    /// Detect spurious timeouts with F-RTO (RFC 5682).
    pub forward_rto: bool,
    /// Undo window reductions that turn out to be spurious.
    pub undo: bool,
    /// Shrink cwnd after an idle period (tcp_slow_start_after_idle).
    pub slow_start_after_idle: bool,
    /// Nagle's algorithm.
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
            ecn: false,
            accecn: false,
            ect1: false,
            timestamps: true,
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

/// The host that receives the data.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReceiverHost {
    /// GRO: merges arriving packets and sends one acknowledgement for a batch.
    pub offload: bool,
    /// With offload: the network interface interrupts at most this often, and what arrives in between is merged
    /// (interrupt moderation, `ethtool -C rx-usecs`). Interfaces of 10 Gbit/s and more use 8 to 50 us, many Gigabit
    /// Ethernet cards 50 to 125 us.
    pub offload_interval_ns: u64,
    /// Initial receive buffer (tcp_rmem).
    pub rmem_initial_bytes: u32,
    /// Largest receive buffer (tcp_rmem). The default suits large paths; Linux itself has 6 MiB, and 32 MiB since 6.16.
    pub rmem_max_bytes: u32,
    /// tcp_adv_win_scale of kernels before 6.6: the window is the buffer less its 2^adv_win_scale-th part; their default
    /// of 1 leaves half. Absent, the window follows from the memory that segments take, as in Linux 6.6 and later.
    pub adv_win_scale: Option<NonZeroU8>,
    /// Receive-buffer autotuning.
    pub autotune: bool,
    /// Negotiate ECN; both hosts must ask for it.
    pub ecn: bool,
    /// With ecn, offer accurate feedback (AccECN, RFC 9768); without a peer that offers it too, ECN is classic.
    pub accecn: bool,
    /// Compress SACK acknowledgements (tcp_comp_sack).
    pub sack_compression: bool,
    /// Compress SACK acknowledgements for at most this part of the RTT (tcp_comp_sack_rtt_percent, since Linux 6.19, where
    /// its default is 33; before, 5 is built in).
    pub sack_compression_rtt_percent: u32,
}

impl Default for ReceiverHost {
    fn default() -> Self {
        Self {
            offload: false,
            offload_interval_ns: 25_000,
            rmem_initial_bytes: 131_072,
            rmem_max_bytes: DEFAULT_BUFFER_BYTES as u32,
            adv_win_scale: None,
            autotune: true,
            ecn: false,
            accecn: false,
            sack_compression: true,
            sack_compression_rtt_percent: 5,
        }
    }
}

/// Socket buffers large enough for every path in the literature; Linux ships with 4 and 6 MB.
const DEFAULT_BUFFER_BYTES: u64 = 64 << 20;
