//! An 802.11 cell: an access point and its stations, which contend for one channel.

use crate::settings::MAX_TIME_NS;
use crate::{OutageConfig, QueueConfig};
use fairlane_contract_derive::Limits;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An access point and its stations on one channel. EDCA (802.11 §10.23) decides which one transmits; the packets that
/// are queued at that moment leave as one A-MPDU.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields)]
pub struct WifiConfig {
    /// Name of the medium in messages.
    #[schemars(length(max = 100), extend("examples" = ["cell"]))]
    pub name: String,
    /// Generation of 802.11.
    pub standard: WifiStandard,
    /// Frequency band. 2.4 GHz has a SIFS of 10 us and a signal extension of 6 us, 5 GHz a SIFS of 16 us.
    pub band: WifiBand,
    /// Width of the channel in MHz: 20, 40 or, for ac and ax, 80.
    #[schemars(extend("examples" = [40]))]
    pub width_mhz: u32,
    /// Guard interval: 400 or 800 ns (n, ac); 800, 1600 or 3200 ns (ax).
    #[schemars(extend("examples" = ["800ns"]))]
    pub guard_interval_ns: u32,
    /// Stations of the cell.
    #[schemars(length(min = 1, max = 256))]
    pub stations: Vec<WifiStationConfig>,
    /// Largest contention window of a station in slots.
    #[serde(default = "cw_max")]
    #[schemars(range(min = 15, max = 32_767), extend("x-hint" = "(15, 31, 63, ...)", "x-file" = "cw_max"))]
    pub station_cw_max: u32,
    /// Largest contention window of the access point in slots; hostapd sets 63 for data.
    #[serde(default = "access_point_cw_max")]
    #[schemars(range(min = 15, max = 32_767), extend("x-hint" = "(15, 31, 63, ...)", "x-file" = "access_point.cw_max"))]
    pub access_point_cw_max: u32,
    /// Order in which the access point serves its stations.
    #[serde(default)]
    #[schemars(extend("x-file" = "access_point.scheduler"))]
    pub access_point_scheduler: WifiScheduler,
    /// Limit of all queues of the access point together, in addition to the limit of each. With the scheduler
    /// `oldest_first` they are one queue, first in, first out.
    #[serde(default)]
    #[schemars(
        range(min = 1, max = 1_000_000),
        extend(
            "x-hint" = ", or leave it out for no common limit",
            "x-file" = "access_point.shared_limit",
            "examples" = [1000]
        )
    )]
    pub access_point_limit_packets: Option<u32>,
    /// A-MPDUs that a node forms ahead of its accesses, the one on the air included; they share the Block Ack window
    /// and cannot grow any more. ath9k has 2; 0 forms an A-MPDU at the access.
    #[serde(default)]
    #[schemars(range(max = 16), extend("x-hint" = "(ath9k: 2)"))]
    pub hardware_aggregates: u32,
    /// Frames to record one by one, for figures of the channel. Absent, none.
    #[serde(default)]
    #[schemars(extend("x-file" = "record"))]
    pub access_log: Option<AccessLogConfig>,
    /// Delay that driver, interrupts and forwarding of the access point add to each packet from a station.
    #[serde(default)]
    #[schemars(range(max = MAX_TIME_NS), extend("x-file" = "access_point.latency"))]
    pub access_point_latency_ns: u64,
    /// Time for which the winner of an access may transmit; 0 means one A-MPDU.
    #[serde(default)]
    #[schemars(range(max = MAX_TIME_NS))]
    pub txop_limit_ns: u64,
    /// Most MPDUs of an A-MPDU; above 64, which only ax has, also the Block Ack window.
    #[serde(default = "max_ampdu_mpdus")]
    #[schemars(range(min = 1, max = 256))]
    pub max_ampdu_mpdus: u32,
    /// Most bytes of an A-MPDU. Absent, the standard's limit: 65535 (n), 1048575 (ac), 6500631 (ax).
    #[serde(default)]
    #[schemars(range(min = 1), extend("x-hint" = ", or leave it out for the standard's limit"))]
    pub max_ampdu_bytes: Option<u32>,
    /// Longest PPDU, preamble included.
    #[serde(default = "max_ppdu_ns")]
    #[schemars(
        range(min = 1, max = MAX_TIME_NS),
        extend("x-hint" = "(standard: 5484 us)", "examples" = ["4ms"])
    )]
    pub max_ppdu_ns: u64,
    /// Bytes of an MPDU in addition to the IP packet: MAC header 26, LLC/SNAP 8, FCS 4. CCMP (WPA2) adds 16.
    #[serde(default = "mpdu_overhead_bytes")]
    #[schemars(range(max = 1_000), extend("x-hint" = "(38, or 54 with CCMP)", "x-file" = ""))]
    pub mpdu_overhead_bytes: u32,
    /// Retransmissions after which an MPDU is dropped. Absent, never, as 802.11-2020 specifies under a Block Ack
    /// agreement.
    #[serde(default)]
    #[schemars(range(max = 1_000_000))]
    pub retry_limit: Option<u32>,
    /// Request a missing Block Ack with a BlockAckReq before data is retransmitted.
    #[serde(default)]
    pub block_ack_request: bool,
    /// RTS and CTS before every A-MPDU.
    #[serde(default)]
    pub rts_cts: bool,
    /// The access point decodes the frame of a collision that it hears this many dB louder than all others together.
    /// Absent, it decodes none.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 200.0), extend("examples" = [10]))]
    pub capture_db: Option<f64>,
    /// Time between two beacons, usually 102.4 ms. Absent, the access point sends none.
    #[serde(default)]
    #[schemars(
        range(min = 10_000_000, max = MAX_TIME_NS),
        extend("x-hint" = ", or leave it out for no beacons", "examples" = ["102.4ms"])
    )]
    pub beacon_interval_ns: Option<u64>,
    /// Times at which no frame is received: scans, roaming, interference.
    #[serde(default)]
    pub outages: Option<OutageConfig>,
}

/// Generations of 802.11.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema, Limits)]
#[serde(rename_all = "snake_case")]
pub enum WifiStandard {
    /// 802.11n (HT, Wi-Fi 4).
    N,
    /// 802.11ac (VHT, Wi-Fi 5).
    Ac,
    /// 802.11ax (HE, Wi-Fi 6), single-user PPDUs only.
    Ax,
}

/// Order in which an access point serves its stations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema, Limits)]
#[serde(rename_all = "snake_case")]
pub enum WifiScheduler {
    /// One A-MPDU for each station in turn.
    #[default]
    RoundRobin,
    /// Deficit round robin over airtime with a quantum of 300 us, as in Linux's mac80211. The station's own frames count.
    Airtime,
    /// The station whose packet has waited longest in the access point, as in one queue for all stations.
    OldestFirst,
}

/// A part of a run of which every frame is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields)]
pub struct AccessLogConfig {
    /// Time of the first recorded frame.
    #[schemars(extend("x-file" = "start"))]
    pub from_ns: u64,
    /// Most frames that are recorded; 0 for none.
    #[schemars(range(max = 1_000_000), extend("x-file-default" = 500, "examples" = [500]))]
    pub frames: u32,
}

/// Frequency bands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema, Limits)]
pub enum WifiBand {
    /// 2.4 GHz.
    #[serde(rename = "2.4ghz")]
    Ghz2_4,
    /// 5 GHz.
    #[serde(rename = "5ghz")]
    Ghz5,
}

/// A station, with the queues in both directions between it and the access point.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields)]
pub struct WifiStationConfig {
    /// Name of the station in messages.
    #[schemars(length(max = 90), extend("examples" = ["laptop"]))]
    pub name: String,
    /// Signal strength of the station at the access point, relative to the others, for `capture_db`.
    #[serde(default)]
    #[schemars(range(min = -200.0, max = 200.0))]
    pub signal_db: f64,
    /// Names of the stations that this one does not hear, and that do not hear it. The access point hears all.
    #[serde(default)]
    #[schemars(length(max = 256), extend("examples" = [["phone"]]))]
    pub hidden_from: Vec<String>,
    /// Delay that driver and interrupts of the station add to each packet that it receives, and to each report of a
    /// transmission to its host.
    #[serde(default)]
    #[schemars(range(max = MAX_TIME_NS))]
    pub latency_ns: u64,
    /// Queue of the packets that the station sends to the access point.
    #[schemars(extend("x-file" = ""))]
    pub uplink: WifiQueueConfig,
    /// Queue of the packets that the access point sends to the station.
    pub downlink: WifiQueueConfig,
}

/// A transmit queue of the cell and the rate at which it is served.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields)]
pub struct WifiQueueConfig {
    /// Name by which paths and results refer to the queue; no link may have the same.
    #[schemars(length(max = 100), extend("x-file" = ""))]
    pub name: String,
    /// Modulation and coding scheme: 0 to 31 for n, which includes the number of streams, 0 to 9 for ac, 0 to 11 for ax.
    #[schemars(range(max = 31), extend("examples" = [9]))]
    pub mcs: u32,
    /// Spatial streams. Absent, the number that an n MCS has, and 1 for ac and ax.
    #[serde(default)]
    #[schemars(range(min = 1, max = 4), extend("examples" = [2]))]
    pub streams: Option<u32>,
    /// Share of MPDUs that arrive with an error and are retransmitted.
    #[serde(default)]
    #[schemars(range(min = 0.0), extend("exclusiveMaximum" = 1.0, "x-unit" = "share"))]
    pub mpdu_loss: f64,
    /// Choice of the rate of a PPDU; `mcs` is the highest.
    #[serde(default)]
    pub rate_control: WifiRateControl,
    /// Share of MPDUs with an error at MCS 0, 1, ... with the same number of streams; `mpdu_loss` where the list ends.
    #[serde(default)]
    #[schemars(length(max = 12), inner(range(min = 0.0, max = 1.0)), extend("x-unit" = "share"))]
    pub mpdu_losses: Vec<f64>,
    /// Queue of the packets that wait for access.
    #[serde(default)]
    pub queue: QueueConfig,
    /// Queue of the driver, which takes packets from the queue before they win access. Absent, none.
    #[serde(default)]
    #[schemars(extend("examples" = ["aql", {"kind": "fifo", "packets": 64}]))]
    pub driver: Option<WifiDriver>,
    /// Largest IP packet sent here, from which some queues derive defaults. Absent, the largest MTU of the flows that
    /// cross the queue.
    #[serde(default)]
    #[schemars(range(min = 68, max = 65_535), extend("x-hint" = ", or leave it out for that of the flows", "x-file" = ""))]
    pub mtu_bytes: Option<u32>,
}

/// Choice of the rate of a PPDU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema, Limits)]
#[serde(rename_all = "snake_case")]
pub enum WifiRateControl {
    /// Always `mcs`.
    #[default]
    Fixed,
    /// By the share of MPDUs that Block Acks confirm at each rate, as Linux's `minstrel_ht`. Collisions count as errors.
    Minstrel,
}

/// A queue of the driver behind the queue discipline, first in, first out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema, Limits)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum WifiDriver {
    /// Limited in packets.
    Fifo {
        /// Most packets.
        #[schemars(range(min = 1, max = 1_000_000), extend("x-file" = "packets", "examples" = [64]))]
        limit_packets: u32,
    },
    /// Airtime Queue Limits (mac80211): limited in estimated airtime, from the driver's queue to the Block Ack, for each
    /// receiver.
    Aql {
        /// Limit while the node's queues hold more than `total` together.
        #[serde(default = "aql_low_ns")]
        #[schemars(range(min = 1, max = MAX_TIME_NS))]
        low_ns: u64,
        /// Limit while they hold less.
        #[serde(default = "aql_high_ns")]
        #[schemars(range(min = 1, max = MAX_TIME_NS))]
        high_ns: u64,
        /// Threshold between the two limits.
        #[serde(default = "aql_total_ns")]
        #[schemars(range(min = 1))]
        total_ns: u64,
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
