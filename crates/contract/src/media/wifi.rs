//! An 802.11 cell: an access point and its stations, which contend for one channel.

use crate::QueueConfig;
use schemars::JsonSchema;
use serde::Deserialize;

/// An access point and its stations on one channel. All hear each other; who transmits is decided by EDCA (802.11
/// §10.23), and what is queued at that moment is sent as one A-MPDU.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WifiConfig {
    /// Name of the medium in messages.
    pub name: String,
    /// Generation of the PHY.
    pub standard: WifiStandard,
    /// Frequency band. 2.4 GHz has a SIFS of 10 us and a signal extension of 6 us, 5 GHz a SIFS of 16 us.
    pub band: WifiBand,
    /// Width of the channel: 20, 40 or (ac, ax) 80.
    pub width_mhz: u32,
    /// Guard interval: 400 or 800 (n, ac); 800, 1600 or 3200 (ax).
    pub guard_interval_ns: u32,
    /// Stations of the cell.
    pub stations: Vec<WifiStationConfig>,
    /// Largest contention window of the stations, in slots.
    #[serde(default = "cw_max")]
    pub station_cw_max: u32,
    /// Largest contention window of the access point, in slots. hostapd gives it 63 for data.
    #[serde(default = "access_point_cw_max")]
    pub access_point_cw_max: u32,
    /// In which order the access point serves its stations.
    #[serde(default)]
    pub access_point_scheduler: WifiScheduler,
    /// Most packets that wait in the access point for all stations together, in addition to the limits of each queue:
    /// one queue for all stations, with the scheduler `oldest_first`.
    #[serde(default)]
    pub access_point_limit_packets: Option<u32>,
    /// A-MPDUs that a node forms ahead of its accesses and hands to its hardware, where they cannot grow any more; the
    /// one on the air counts. They share the Block Ack window: with 2, as in ath9k, each has at most 32 MPDUs. 0: an
    /// A-MPDU is formed at the access.
    #[serde(default)]
    pub hardware_aggregates: u32,
    /// What is recorded of single accesses. Absent means nothing.
    #[serde(default)]
    pub access_log: Option<AccessLogConfig>,
    /// What driver, interrupts and forwarding of the access point add to each packet that a station sent.
    #[serde(default)]
    pub access_point_latency_ns: u64,
    /// How long the winner of an access may go on sending; 0 means one A-MPDU.
    #[serde(default)]
    pub txop_limit_ns: u64,
    /// Most MPDUs of an A-MPDU, and MPDUs that may be outstanding (the Block Ack window) if that is above 64: up to 64,
    /// or 256 for ax, whose Block Acks are then 24 bytes longer.
    #[serde(default = "max_ampdu_mpdus")]
    pub max_ampdu_mpdus: u32,
    /// Most bytes of an A-MPDU. Absent means what the standard allows: 65535 (n), 1048575 (ac), 6500631 (ax).
    #[serde(default)]
    pub max_ampdu_bytes: Option<u32>,
    /// Longest PPDU, preamble included.
    #[serde(default = "max_ppdu_ns")]
    pub max_ppdu_ns: u64,
    /// Bytes of an MPDU in addition to the IP packet: MAC header 26, LLC/SNAP 8, FCS 4. CCMP (WPA2) adds 16.
    #[serde(default = "mpdu_overhead_bytes")]
    pub mpdu_overhead_bytes: u32,
    /// An MPDU is dropped after this many retransmissions. Absent means never, as 802.11-2020 has it for MPDUs under a
    /// Block Ack agreement.
    #[serde(default)]
    pub retry_limit: Option<u32>,
    /// After an exchange without Block Ack, ask for one with a BlockAckReq before data is retransmitted.
    #[serde(default)]
    pub block_ack_request: bool,
    /// Precede every A-MPDU with RTS and CTS.
    #[serde(default)]
    pub rts_cts: bool,
    /// Of frames that collide, the access point decodes one that it hears by this many dB louder than all others
    /// together. Absent means that nothing of a collision is decoded.
    #[serde(default)]
    pub capture_db: Option<f64>,
    /// Time between two beacons of the access point. Absent means no beacons.
    #[serde(default)]
    pub beacon_interval_ns: Option<u64>,
    /// Times at which nothing is received: scans, roaming, interference.
    #[serde(default)]
    pub outages: Option<OutageConfig>,
}

/// Generations of 802.11.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WifiStandard {
    /// 802.11n (HT, Wi-Fi 4).
    N,
    /// 802.11ac (VHT, Wi-Fi 5).
    Ac,
    /// 802.11ax (HE, Wi-Fi 6), single-user PPDUs only.
    Ax,
}

/// Which station an access point serves next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WifiScheduler {
    /// One A-MPDU for each station in turn.
    #[default]
    RoundRobin,
    /// Deficit round-robin over airtime with a quantum of 300 us, as in Linux's mac80211; what a station sends counts,
    /// too.
    Airtime,
    /// The station whose packet has waited longest in the access point, as one queue for all stations would have it.
    OldestFirst,
}

/// A part of a run in which every access is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AccessLogConfig {
    /// Accesses that begin before this are left out.
    pub from_ns: u64,
    /// Most frames that are recorded.
    pub frames: u32,
}

/// Frequency bands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum WifiBand {
    /// 2.4 GHz.
    #[serde(rename = "2.4ghz")]
    Ghz2_4,
    /// 5 GHz.
    #[serde(rename = "5ghz")]
    Ghz5,
}

/// One station and what is sent in both directions between it and the access point.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WifiStationConfig {
    /// Name of the station in messages.
    pub name: String,
    /// How loud the access point hears the station, relative to the others; needed for `capture_db` only.
    #[serde(default)]
    pub signal_db: f64,
    /// Names of the stations that this one does not hear, and that do not hear it. The access point hears all.
    #[serde(default)]
    pub hidden_from: Vec<String>,
    /// What driver and interrupts of the station add to each packet that it receives, and to each report to its host
    /// that a packet was transmitted.
    #[serde(default)]
    pub latency_ns: u64,
    /// What the station sends to the access point.
    pub uplink: WifiQueueConfig,
    /// What the access point sends to the station.
    pub downlink: WifiQueueConfig,
}

/// A transmit queue of the cell and the rate at which it is served.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WifiQueueConfig {
    /// Name by which paths and results refer to the queue; no link may have the same.
    pub name: String,
    /// Modulation and coding scheme: 0 to 31 (n: includes the number of streams), 0 to 9 (ac), 0 to 11 (ax).
    pub mcs: u32,
    /// Spatial streams, 1 to 4. Absent means as many as an n MCS has, and 1 for ac and ax.
    #[serde(default)]
    pub streams: Option<u32>,
    /// Probability that an MPDU arrives with an error and must be retransmitted.
    #[serde(default)]
    pub mpdu_loss: f64,
    /// How the rate of a PPDU is chosen. `mcs` is the highest that is used.
    #[serde(default)]
    pub rate_control: WifiRateControl,
    /// Probability of an error for each MCS from 0 on, with the same number of streams; `mpdu_loss` for those that are
    /// not listed.
    #[serde(default)]
    pub mpdu_losses: Vec<f64>,
    /// Queue of the packets that wait for access.
    #[serde(default)]
    pub queue: QueueConfig,
    /// What the driver takes from the queue before its packets win access. Absent means nothing.
    #[serde(default)]
    pub driver: Option<WifiDriver>,
    /// Largest IP packet sent here, from which some queues derive defaults. Absent means the largest MTU of the flows
    /// that cross the queue.
    #[serde(default)]
    pub mtu_bytes: Option<u32>,
}

/// How a node chooses the rate of a PPDU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WifiRateControl {
    /// Always the same.
    #[default]
    Fixed,
    /// By the share of MPDUs that Block Acks confirmed at each rate, as Linux's `minstrel_ht` does. Collisions count as
    /// errors of the rate.
    Minstrel,
}

/// A queue of the driver, behind the queue discipline: first in, first out, and out of the discipline's reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum WifiDriver {
    /// A number of packets.
    Fifo {
        /// Most packets.
        limit_packets: u32,
    },
    /// Airtime Queue Limits (mac80211): packets whose estimated airtime, from the driver's queue to the Block Ack, does
    /// not exceed a limit for each receiver.
    Aql {
        /// The limit while the node's queues hold more than `total_ns` together.
        #[serde(default = "aql_low_ns")]
        low_ns: u64,
        /// The limit while they do not.
        #[serde(default = "aql_high_ns")]
        high_ns: u64,
        /// What separates the two.
        #[serde(default = "aql_total_ns")]
        total_ns: u64,
    },
}

/// When nothing is received.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum OutageConfig {
    /// At given times, in order, without overlap.
    Listed {
        /// When each begins.
        at_ns: Vec<u64>,
        /// How long each lasts.
        length_ns: u64,
    },
    /// At random times; lengths and distances are exponentially distributed.
    Random {
        /// Mean length of an outage.
        mean_length_ns: u64,
        /// Mean time between the end of one and the begin of the next.
        mean_distance_ns: u64,
    },
}

// IEEE80211_DEFAULT_AQL_TXQ_LIMIT_L and _H, IEEE80211_AQL_THRESHOLD.
fn aql_low_ns() -> u64 {
    5_000_000
}
fn aql_high_ns() -> u64 {
    12_000_000
}
fn aql_total_ns() -> u64 {
    24_000_000
}
fn cw_max() -> u32 {
    1_023
}
fn access_point_cw_max() -> u32 {
    63
}
fn max_ampdu_mpdus() -> u32 {
    64
}
fn max_ppdu_ns() -> u64 {
    5_484_000
}
fn mpdu_overhead_bytes() -> u32 {
    38
}

impl WifiConfig {
    /// The transmit queues in the order in which they are numbered: uplink and downlink of each station.
    pub fn queues(&self) -> impl Iterator<Item = &WifiQueueConfig> {
        self.stations.iter().flat_map(|station| [&station.uplink, &station.downlink])
    }
}
