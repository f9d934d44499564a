//! The host that a script describes: sysctls, module parameters, queue of the interface, options of the tool.
//!
//! `shell.rs` finds these in shell commands (none is ever run), `sysctl.rs` knows what each setting means here.
//! A setting that this TCP does not know is noted, and the script goes on.

mod defaults;
mod shell;
mod sysctl;

pub use shell::apply_commands;

use crate::limits;
use fairlane_tcp::receiver::ReceiverConfig;
use fairlane_tcp::{ConnectionConfig, SenderConfig};
use std::collections::BTreeMap;

/// What new connections get.
#[derive(Clone, Debug)]
pub struct Settings {
    pub algorithm: String,
    /// Of the algorithm.
    pub parameters: BTreeMap<String, i64>,
    pub sender: SenderConfig,
    pub receiver: ReceiverConfig,
    pub timestamps: bool,
    /// `tcp_ecn`: 0 never, 1 ask for it, 2 agree to it.
    pub ecn: i64,
    /// The tool's own: size of an IP packet.
    pub mtu: u32,
    pub tolerance_us: i64,
    /// Length of a tick of the timestamp clock by which the script checks timestamps; 0: it does not.
    pub timestamp_tick_us: i64,
    /// Do not join segments to meet an expectation.
    pub strict_segments: bool,
    /// The interface's queue has no room: nothing gets out.
    pub queue_is_closed: bool,
    /// A feature that was asked for and does not exist here.
    pub missing: Option<&'static str>,
    /// What was asked for and is not known here, in the order in which it was met.
    pub notes: Vec<String>,
}

impl Default for Settings {
    /// Linux as it comes, and packetdrill as it comes.
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
    /// Notes something once.
    pub fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if self.notes.len() < limits::NOTES && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// How often the kernel's clock ticks in a second: timers are as coarse as that.
    pub fn set_hz(&mut self, hz: u32) {
        let jiffy_ns = 1_000_000_000 / u64::from(hz.clamp(1, 1_000_000));
        self.sender.jiffy_ns = jiffy_ns;
        self.receiver.jiffy_ns = jiffy_ns;
    }

    /// An option of the tool that stands in the script: `--name=value`. Returns the feature it needs if that is
    /// missing here.
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
            // Addresses, ways of running, and what is printed: nothing that a connection would notice.
            _ => {}
        }
        Ok(())
    }

    /// What a new connection is made of, `mss_limit` (TCP_MAXSEG) apart.
    pub fn connection(&self, mss_limit: Option<u32>, active: bool) -> ConnectionConfig {
        let ecn = if active { self.ecn == 1 } else { self.ecn > 0 };
        let own_mss = (self.mtu - HEADER_BYTES).min(mss_limit.unwrap_or(u32::MAX));
        let mss = own_mss - if self.timestamps { TIMESTAMP_BYTES } else { 0 };
        ConnectionConfig {
            accecn: false,
            sender: SenderConfig { mss_bytes: mss, ecn, ..self.sender.clone() },
            receiver: ReceiverConfig { mss, timestamps: self.timestamps, ecn, ..self.receiver },
            gro_interval_ns: None,
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
