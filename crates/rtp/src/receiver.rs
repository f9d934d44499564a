//! The receiving half: frames, and reports about packets.

use crate::datagram::{Feedback, MediaPacket, REPORTED_PACKETS};
use std::collections::{BTreeMap, BTreeSet};

/// Packets after which a report is due at the latest.
const MOST_UNREPORTED: u32 = 16;
/// Shortest and longest interval of reports, and the share of the received rate that reports of 100 bytes take.
const REPORTS_PER_S: (f64, f64) = (10.0, 1_000.0);
const REPORT_SHARE: f64 = 0.02;
const REPORT_BITS: f64 = 800.0;

#[derive(Debug)]
pub(crate) struct Receiver {
    highest: Option<u64>,
    arrived: u64,
    marked: u64,
    arrival_ns: u64,
    /// Since the last report.
    packets: u32,
    bytes: u64,
    reported_ns: u64,
    rate_bps: f64,
    /// Packets that arrived of frames that are not complete, by the first packet of the frame.
    frames: BTreeMap<u64, BTreeSet<u64>>,
    delivered_bytes: u64,
    due_ns: u64,
}

impl Receiver {
    pub fn new() -> Self {
        Self {
            highest: None,
            arrived: 0,
            marked: 0,
            arrival_ns: 0,
            packets: 0,
            bytes: 0,
            reported_ns: 0,
            rate_bps: 0.0,
            frames: BTreeMap::new(),
            delivered_bytes: 0,
            due_ns: u64::MAX,
        }
    }

    /// Bytes up to the end of the last frame that was complete; frames before it that never were count.
    pub fn delivered_bytes(&self) -> u64 {
        self.delivered_bytes
    }

    /// When a report is due.
    pub fn deadline_ns(&self) -> u64 {
        self.due_ns
    }

    pub fn on_media(&mut self, now_ns: u64, packet: &MediaPacket, is_marked: bool) {
        let ahead = self.highest.map_or(REPORTED_PACKETS, |highest| packet.number.saturating_sub(highest));
        if ahead > 0 {
            let shift = |bits: u64| if ahead < REPORTED_PACKETS { bits << ahead } else { 0 };
            (self.arrived, self.marked) = (shift(self.arrived), shift(self.marked));
            (self.highest, self.arrival_ns) = (Some(packet.number), now_ns);
        }
        let back = self.highest.map_or(0, |highest| highest - packet.number);
        if back < REPORTED_PACKETS {
            self.arrived |= 1 << back;
            self.marked |= u64::from(is_marked) << back;
        }
        self.packets += 1;
        self.bytes += u64::from(packet.rtp_bytes());
        self.assemble(packet);
        let rate = (REPORT_SHARE * self.rate_bps / REPORT_BITS).clamp(REPORTS_PER_S.0, REPORTS_PER_S.1);
        let due_ns = self.reported_ns + (1e9 / rate) as u64;
        let is_due = packet.is_last() || self.packets >= MOST_UNREPORTED;
        self.due_ns = if is_due { now_ns } else { due_ns.max(now_ns) };
    }

    /// The report, if one is due.
    pub fn take_report(&mut self, now_ns: u64) -> Option<Feedback> {
        let highest = self.highest.filter(|_| self.due_ns <= now_ns)?;
        let elapsed_s = (now_ns - self.reported_ns).max(1) as f64 / 1e9;
        self.rate_bps += (self.bytes as f64 * 8.0 / elapsed_s - self.rate_bps) / 8.0;
        (self.packets, self.bytes, self.reported_ns, self.due_ns) = (0, 0, now_ns, u64::MAX);
        let (arrived, marked, arrival_ns) = (self.arrived, self.marked, self.arrival_ns);
        Some(Feedback { highest, arrived, marked, arrival_ns, held_ns: now_ns - arrival_ns })
    }

    fn assemble(&mut self, packet: &MediaPacket) {
        if packet.end_bytes <= self.delivered_bytes {
            return;
        }
        let arrived = self.frames.entry(packet.first).or_default();
        arrived.insert(packet.number);
        if arrived.len() == packet.packets as usize {
            self.delivered_bytes = packet.end_bytes;
            self.frames = self.frames.split_off(&(packet.first + 1));
        }
    }
}
