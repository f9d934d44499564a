//! Media that several stations share.

mod wifi;

pub use self::wifi::{AccessLogConfig, WifiBand, WifiConfig, WifiQueueConfig};
pub use self::wifi::{WifiDriver, WifiRateControl, WifiScheduler, WifiStandard, WifiStationConfig};

use crate::settings::{MAX_RATE_BPS, MAX_TIME_NS};
use crate::{LinkConfig, LossConfig, QueueConfig};
use fairlane_contract_derive::Limits;
use schemars::JsonSchema;
use serde::Deserialize;

/// A medium that several stations share. Paths name its stations as they name links.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema, Limits)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum MediumConfig {
    /// One transmission at a time, in either direction, with a fixed turnaround time between senders.
    HalfDuplex(HalfDuplexConfig),
    /// An 802.11 cell: an access point and its stations, which contend for one channel.
    Wifi(WifiConfig),
}

/// A half-duplex channel: its stations take turns. When the turn passes to another station, the channel is silent for
/// the turnaround time.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields)]
pub struct HalfDuplexConfig {
    /// Name of the medium in messages.
    #[schemars(length(max = 100), extend("examples" = ["air"]))]
    pub name: String,
    /// Rate at which every station transmits.
    #[schemars(range(min = 1, max = MAX_RATE_BPS), extend("examples" = ["100mbit"]))]
    pub rate_bps: u64,
    /// Silence before the first frame of a station other than the last sender.
    #[serde(default)]
    #[schemars(range(max = MAX_TIME_NS), extend("examples" = ["50us"]))]
    pub turnaround_ns: u64,
    /// Most frames that a station sends in one turn while others wait.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub frames_per_turn: u32,
    /// Propagation delay.
    #[serde(default)]
    #[schemars(range(max = MAX_TIME_NS))]
    pub delay_ns: u64,
    /// Bytes of a frame in addition to the IP packet. Absent, 14 (Ethernet as tc counts it).
    #[serde(default)]
    #[schemars(range(max = 65_535), extend("x-hint" = "(tc: 14 for Ethernet)", "x-file" = "overhead_bytes"))]
    pub overhead_bytes: Option<u32>,
    /// Stations that send over the channel.
    #[schemars(length(min = 2, max = 256))]
    pub stations: Vec<StationConfig>,
}

/// One station of a shared medium.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields)]
pub struct StationConfig {
    /// Name by which paths and results refer to the station; no link may have the same.
    #[schemars(length(max = 100), extend("examples" = ["client"]))]
    pub name: String,
    /// Queue of the packets that the station sends.
    #[serde(default)]
    pub queue: QueueConfig,
    /// Random loss of the packets that the station sends.
    #[serde(default)]
    pub loss: Option<LossConfig>,
    /// Largest IP packet sent here, from which some queues derive defaults. Absent, the largest MTU of the flows that
    /// cross the station.
    #[serde(default)]
    #[schemars(range(min = 68, max = 65_535), extend("x-hint" = ", or leave it out for that of the flows", "x-file" = ""))]
    pub mtu_bytes: Option<u32>,
}

fn one() -> u32 {
    1
}

impl MediumConfig {
    /// Its name in messages.
    pub fn name(&self) -> &str {
        match self {
            Self::HalfDuplex(channel) => &channel.name,
            Self::Wifi(cell) => &cell.name,
        }
    }

    pub fn is_wifi(&self) -> bool {
        matches!(self, Self::Wifi(_))
    }

    /// Names of its stations (in a cell, of its transmit queues) in the order of their numbers.
    pub fn station_names(&self) -> Vec<&str> {
        match self {
            Self::HalfDuplex(channel) => channel.stations.iter().map(|station| station.name.as_str()).collect(),
            Self::Wifi(cell) => cell.queues().map(|queue| queue.name.as_str()).collect(),
        }
    }

    /// The largest IP packet of each station, for the caller to complete.
    pub fn mtus_mut(&mut self) -> Vec<&mut Option<u32>> {
        match self {
            Self::HalfDuplex(channel) => channel.stations.iter_mut().map(|station| &mut station.mtu_bytes).collect(),
            Self::Wifi(cell) => {
                let both = cell.stations.iter_mut().flat_map(|one| [&mut one.uplink, &mut one.downlink]);
                both.map(|queue| &mut queue.mtu_bytes).collect()
            }
        }
    }
}

impl HalfDuplexConfig {
    /// The link that a station would have if it did not share the channel.
    pub fn as_link(&self, station: &StationConfig) -> LinkConfig {
        LinkConfig {
            name: station.name.clone(),
            rate_bps: Some(self.rate_bps),
            delay_ns: self.delay_ns,
            overhead_bytes: self.overhead_bytes,
            mtu_bytes: station.mtu_bytes,
            queue: station.queue.clone(),
            loss: station.loss.clone(),
            ..LinkConfig::default()
        }
    }
}
