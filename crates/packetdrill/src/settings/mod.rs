//! The host that a script describes: sysctls, module parameters, queue of the interface, options of the tool.
//!
//! `shell.rs` finds these in shell commands (none is ever run), `sysctl.rs` maps kernel settings to this TCP. An
//! unknown setting is noted, and the script continues.

mod defaults;
mod shell;
mod sysctl;

pub use shell::apply_commands;

use crate::limits;
use fairlane_tcp::receiver::ReceiverConfig;
use fairlane_tcp::{ConnectionConfig, SenderConfig};
use std::collections::BTreeMap;

/// Configuration of new connections.
#[derive(Clone, Debug)]
pub struct Settings {
    pub algorithm: String,
    /// Of the algorithm.
    pub parameters: BTreeMap<String, i64>,
    pub sender: SenderConfig,
    pub receiver: ReceiverConfig,
    pub timestamps: bool,
    /// `tcp_ecn`: 0 never, 1 request it, 2 accept it.
    pub ecn: i64,
    /// packetdrill's option for the size of an IP packet.
    pub mtu: u32,
    pub tolerance_us: i64,
    /// Tick of the timestamp clock with which the script checks timestamps; 0: no check.
    pub timestamp_tick_us: i64,
    /// Do not merge segments to match an expectation.
    pub strict_segments: bool,
    /// The interface's queue has no room: all packets are dropped.
    pub queue_is_closed: bool,
    /// A requested feature that does not exist here.
    pub missing: Option<&'static str>,
    /// Unknown settings, in the order of the script.
    pub notes: Vec<String>,
}

impl Default for Settings {
    /// The defaults of Linux and of packetdrill.
    fn default() -> Self {
        Self {
            algorithm: "cubic".into(),
            parameters: BTreeMap::new(),
            sender: SenderConfig { exact_writes: true, wmem_max_bytes: 1 << 40, ..SenderConfig::default() },
            receiver: ReceiverConfig { auto_read: false, ..ReceiverConfig::default() },
            timestamps: true,
            ecn: 2,
            mtu: 1500,
            tolerance_us: 4_000,
            timestamp_tick_us: 0,
            strict_segments: false,
            queue_is_closed: false,
            missing: None,
            notes: Vec::new(),
        }
    }
}

impl Settings {
    /// Adds a note, once.
    pub fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if self.notes.len() < limits::NOTES && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Sets the ticks of the kernel's clock per second (HZ), the granularity of timers.
    pub fn set_hz(&mut self, hz: u32) {
        let jiffy_ns = 1_000_000_000 / u64::from(hz.clamp(1, 1_000_000));
        self.sender.jiffy_ns = jiffy_ns;
        self.receiver.jiffy_ns = jiffy_ns;
    }

    /// Applies packetdrill's option in a script: `--name=value`. Returns its feature if that is unsupported.
    pub fn apply_option(&mut self, name: &str, value: &str) -> Result<(), String> {
        let number = value.parse::<i64>();
        match (name, number) {
            ("tolerance_usecs", Ok(us)) if (0..=MAX_TICK_US).contains(&us) => self.tolerance_us = us,
            ("tcp_ts_tick_usecs", Ok(us)) if (0..=MAX_TICK_US).contains(&us) => self.timestamp_tick_us = us,
            ("mtu", Ok(mtu)) if (MIN_MTU..=65_535).contains(&mtu) => self.mtu = mtu as u32,
            ("tolerance_usecs" | "tcp_ts_tick_usecs" | "mtu", _) => return Err(format!("--{name}={value}")),
            ("strict_segments", _) => self.strict_segments = true,
            ("ip_version", _) if value == "ipv6" => return Err("IPv6".into()),
            ("speed" | "wire_client" | "wire_server" | "so_filename" | "fm_filename", _) => {
                return Err(format!("option --{name}"))
            }
            // Options without effect on a connection: addresses, execution, and output.
            _ => {}
        }
        Ok(())
    }

    /// The configuration of a new connection with `mss_limit` (TCP_MAXSEG).
    pub fn connection(&self, mss_limit: Option<u32>, active: bool) -> ConnectionConfig {
        let ecn = if active { self.ecn == 1 } else { self.ecn > 0 };
        let own_mss = (self.mtu - HEADER_BYTES).min(mss_limit.unwrap_or(u32::MAX));
        let mss = own_mss - if self.timestamps { TIMESTAMP_BYTES } else { 0 };
        ConnectionConfig {
            accecn: false,
            sender: SenderConfig { mss_bytes: mss, ecn, ..self.sender.clone() },
            receiver: ReceiverConfig { mss, timestamps: self.timestamps, ecn, ..self.receiver },
            gro_interval_ns: None,
            misbehaviour: None,
            timestamps: self.timestamps,
        }
    }
}

/// The smallest MTU, `TCP_MIN_MSS` and the headers.
const MIN_MTU: i64 = TCP_MIN_MSS + HEADER_BYTES as i64;
/// The kernel's smallest TCP_MAXSEG.
pub const TCP_MIN_MSS: i64 = 88;
/// The longest tolerance and tick of a clock: 100 s.
const MAX_TICK_US: i64 = 100_000_000;
/// IPv4 and TCP without options.
const HEADER_BYTES: u32 = 40;
/// Timestamp option, padded.
const TIMESTAMP_BYTES: u32 = 12;
