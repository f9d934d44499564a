//! The PHY of a cell: the rate of a modulation and coding scheme, and the duration of a frame.
//!
//! 802.11-2020 clauses 17 (OFDM), 19 (HT, "n"), 21 (VHT, "ac") and 27 (HE, "ax"; single-user PPDUs). With a short guard
//! interval the data field is not rounded up to whole 4 us, as 19.4.3 and 21.4.3 have it: at most 3.6 us per PPDU.

use fairlane_contract::{Problem, WifiBand, WifiConfig, WifiStandard};

/// A PHY rate: bits per symbol, and the frame around them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rate {
    /// N_DBPS: data bits of a symbol, over all streams.
    pub bits_per_symbol: u32,
    pub symbol_ns: u32,
    /// N_ES: convolutional encoders, each with 6 tail bits.
    pub encoders: u32,
    /// Preamble before and signal extension behind the data field.
    pub overhead_ns: u32,
    /// Rate of the Block Ack that answers.
    pub control: ControlRate,
}

/// A non-HT rate of control frames: the data bits of a symbol of 4 us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ControlRate {
    pub bits_per_symbol: u32,
}

/// N_SD of HT and VHT, and of HE, by width: data subcarriers.
const WIDTHS: [(u32, u32, u32); 3] = [(20, 52, 234), (40, 108, 468), (80, 234, 980)];

/// Coded bits per subcarrier and stream, code rate, by MCS.
const MODULATIONS: [(u32, u32, u32); 12] = [
    (1, 1, 2),
    (2, 1, 2),
    (2, 3, 4),
    (4, 1, 2),
    (4, 3, 4),
    (6, 2, 3),
    (6, 3, 4),
    (6, 5, 6),
    (8, 3, 4),
    (8, 5, 6),
    (10, 3, 4),
    (10, 5, 6),
];

/// A short guard interval of HT and VHT.
const SHORT_NS: u32 = 400;
/// Non-HT preamble and SIGNAL field.
const LEGACY_PREAMBLE_NS: u32 = 20_000;
/// 2.4 GHz: silence that lets a 5 GHz decoder keep up (19.3.2.4.2, aSignalExtension).
const SIGNAL_EXTENSION_NS: u32 = 6_000;
const SERVICE_BITS: u64 = 16;
const TAIL_BITS: u64 = 6;

impl Rate {
    /// The rate of an MCS in a cell; `streams` as given.
    pub fn new(cell: &WifiConfig, mcs: u32, streams: Option<u32>) -> Result<Self, Problem> {
        let wrong = |key: &str, what: String, remedy: &str| Err(Problem::new(key, what, remedy));
        let widths: &[u32] = if cell.standard == WifiStandard::N { &[20, 40] } else { &[20, 40, 80] };
        if !widths.contains(&cell.width_mhz) {
            let remedy = if widths.len() == 2 { "802.11n has 20 and 40" } else { "give 20, 40 or 80" };
            return wrong("width_mhz", format!("is {}", cell.width_mhz), remedy);
        }
        let intervals: &[u32] = if cell.standard == WifiStandard::Ax { &[800, 1_600, 3_200] } else { &[SHORT_NS, 800] };
        if !intervals.contains(&cell.guard_interval_ns) {
            let known = intervals.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ");
            return wrong("guard_interval_ns", format!("is {}", cell.guard_interval_ns), &format!("give {known}"));
        }
        if cell.standard == WifiStandard::Ac && cell.band == WifiBand::Ghz2_4 {
            return wrong("band", "is 2.4ghz, where there is no 802.11ac".into(), "give 5ghz, or standard n or ax");
        }
        let most = match cell.standard {
            WifiStandard::N => 31,
            WifiStandard::Ac => 9,
            WifiStandard::Ax => 11,
        };
        if mcs > most {
            return wrong("mcs", format!("is {mcs}"), &format!("give 0 to {most}"));
        }
        let (index, count) =
            if cell.standard == WifiStandard::N { (mcs % 8, mcs / 8 + 1) } else { (mcs, streams.unwrap_or(1)) };
        if let Some(streams) = streams.filter(|&streams| streams != count) {
            let remedy = format!("MCS {mcs} of 802.11n has {count}; leave it out");
            return wrong("streams", format!("is {streams}"), &remedy);
        }
        if !(1..=4).contains(&count) {
            return wrong("streams", format!("is {count}"), "give 1 to 4");
        }
        Self::of_parts(cell, index, count).ok_or_else(|| {
            let what = format!("is {mcs}, which {} MHz and {count} streams do not have", cell.width_mhz);
            Problem::new("mcs", what, format!("give {}, or another width or number of streams", index.max(1) - 1))
        })
    }

    /// None if the combination is not in the standard's tables, because a symbol would have a fraction of a bit.
    fn of_parts(cell: &WifiConfig, index: u32, streams: u32) -> Option<Self> {
        let (_, narrow, he) = *WIDTHS.iter().find(|(width_mhz, ..)| *width_mhz == cell.width_mhz)?;
        let is_he = cell.standard == WifiStandard::Ax;
        let subcarriers = if is_he { he } else { narrow };
        let (bits, numerator, denominator) = MODULATIONS[index as usize];
        let coded = subcarriers * bits * streams * numerator;
        let bits_per_symbol = coded / denominator;
        let symbol_ns = if is_he { 12_800 } else { 3_200 } + cell.guard_interval_ns;
        let is_short = cell.guard_interval_ns == SHORT_NS;
        // One encoder for every 320 (short: 350) Mbit/s of HT, 540 (600) of VHT; HE has LDPC, with one codeword stream.
        let encoder_mbps = match (cell.standard, is_short) {
            (WifiStandard::N, false) => 320,
            (WifiStandard::N, true) => 350,
            (WifiStandard::Ac, false) => 540,
            (WifiStandard::Ac, true) => 600,
            (WifiStandard::Ax, _) => u32::MAX,
        };
        let encoders = if is_he {
            1
        } else {
            (u64::from(bits_per_symbol) * 1_000).div_ceil(u64::from(symbol_ns) * u64::from(encoder_mbps)) as u32
        };
        // 21.5: VHT excludes what does not divide evenly; HE rounds down.
        let is_even = coded % denominator == 0 && bits_per_symbol % encoders == 0;
        if cell.standard == WifiStandard::Ac && !is_even {
            return None;
        }
        // Training fields: one for each stream, four for three.
        let training = if streams == 3 { 4 } else { streams };
        let preamble_us = match cell.standard {
            WifiStandard::N => 32 + 4 * training,
            WifiStandard::Ac => 36 + 4 * training,
            WifiStandard::Ax => 36 + 8 * training,
        };
        Some(Self {
            bits_per_symbol,
            symbol_ns,
            encoders,
            overhead_ns: preamble_us * 1_000 + signal_extension_ns(cell.band),
            control: ControlRate::answering(bits, numerator, denominator),
        })
    }

    /// The duration of a PPDU whose PSDU has this many bytes (equation 19-32).
    pub fn ppdu_ns(&self, psdu_bytes: u32) -> u64 {
        u64::from(self.overhead_ns) + self.symbols(psdu_bytes) * u64::from(self.symbol_ns)
    }

    fn symbols(&self, psdu_bytes: u32) -> u64 {
        let bits = SERVICE_BITS + 8 * u64::from(psdu_bytes) + TAIL_BITS * u64::from(self.encoders);
        bits.div_ceil(u64::from(self.bits_per_symbol))
    }

    /// The largest PSDU whose PPDU is no longer than this.
    pub fn largest_psdu_bytes(&self, ppdu_ns: u64) -> u32 {
        let symbols = ppdu_ns.saturating_sub(u64::from(self.overhead_ns)) / u64::from(self.symbol_ns);
        let bits = symbols * u64::from(self.bits_per_symbol);
        let bytes = bits.saturating_sub(SERVICE_BITS + TAIL_BITS * u64::from(self.encoders)) / 8;
        bytes.min(u64::from(u32::MAX)) as u32
    }

    pub fn bps(&self) -> u64 {
        u64::from(self.bits_per_symbol) * 1_000_000_000 / u64::from(self.symbol_ns)
    }
}

impl ControlRate {
    /// The highest of the mandatory rates 6, 12 and 24 Mbit/s that is not above the non-HT rate with the modulation
    /// and code rate of the frame that is answered (10.6.6.5.2).
    fn answering(bits: u32, numerator: u32, denominator: u32) -> Self {
        let reference = 48 * bits * numerator / denominator;
        Self { bits_per_symbol: if reference >= 96 { 96 } else { reference.min(48) } }
    }

    /// The duration of a frame of this many bytes, without signal extension.
    pub fn frame_ns(self, bytes: u32) -> u64 {
        let bits = SERVICE_BITS + 8 * u64::from(bytes) + TAIL_BITS;
        u64::from(LEGACY_PREAMBLE_NS) + bits.div_ceil(u64::from(self.bits_per_symbol)) * 4_000
    }
}

pub(super) fn signal_extension_ns(band: WifiBand) -> u32 {
    match band {
        WifiBand::Ghz2_4 => SIGNAL_EXTENSION_NS,
        WifiBand::Ghz5 => 0,
    }
}

/// Times that all frames of a cell share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timing {
    pub slot_ns: u64,
    pub sifs_ns: u64,
    pub signal_extension_ns: u64,
    pub beacon_ns: u64,
    block_ack_bytes: u32,
}

impl Timing {
    /// `window_mpdus`: most MPDUs that a Block Ack confirms; beyond 64 it has a bitmap of 256 (26.4.3).
    pub fn new(band: WifiBand, window_mpdus: u32) -> Self {
        let block_ack_bytes = BLOCK_ACK_BYTES + if window_mpdus > 64 { 24 } else { 0 };
        let signal_extension_ns = u64::from(signal_extension_ns(band));
        match band {
            // 18.4.4 with short slots; beacons of 150 bytes at 1 Mbit/s behind a long preamble of 192 us.
            WifiBand::Ghz2_4 => {
                Self { slot_ns: 9_000, sifs_ns: 10_000, signal_extension_ns, beacon_ns: 1_392_000, block_ack_bytes }
            }
            // 17.4.4; beacons of 150 bytes at 6 Mbit/s.
            WifiBand::Ghz5 => {
                let beacon_ns = ControlRate { bits_per_symbol: 24 }.frame_ns(150);
                Self { slot_ns: 9_000, sifs_ns: 16_000, signal_extension_ns, beacon_ns, block_ack_bytes }
            }
        }
    }

    pub fn aifs_ns(&self, number: u64) -> u64 {
        self.sifs_ns + number * self.slot_ns
    }

    pub fn control_ns(&self, rate: ControlRate, bytes: u32) -> u64 {
        rate.frame_ns(bytes) + self.signal_extension_ns
    }

    /// A compressed Block Ack.
    pub fn block_ack_ns(&self, rate: ControlRate) -> u64 {
        self.control_ns(rate, self.block_ack_bytes)
    }

    /// Additional waiting time of a node that heard an undecodable frame: EIFS - DIFS = SIFS + the time of an answer
    /// (10.3.2.3.7), estimated from the modulation without signal extension (Table 10-5).
    pub fn eifs_extra_ns(&self, rate: ControlRate) -> u64 {
        self.sifs_ns + rate.frame_ns(BLOCK_ACK_BYTES)
    }

    /// From the end of a frame until its sender stops waiting for an answer: SIFS, a slot, and the time to detect a
    /// preamble (10.3.2.11).
    pub fn answer_timeout_ns(&self) -> u64 {
        self.sifs_ns + self.slot_ns + u64::from(LEGACY_PREAMBLE_NS)
    }
}

pub(super) const BLOCK_ACK_BYTES: u32 = 32;
pub(super) const BLOCK_ACK_REQUEST_BYTES: u32 = 24;
pub(super) const RTS_BYTES: u32 = 20;
pub(super) const CTS_BYTES: u32 = 14;

#[cfg(test)]
impl Rate {
    /// Any rate: 802.11n, 20 MHz, MCS 7.
    pub fn for_tests() -> Self {
        let control = ControlRate { bits_per_symbol: 96 };
        Self { bits_per_symbol: 260, symbol_ns: 4_000, encoders: 1, overhead_ns: 36_000, control }
    }
}

#[cfg(test)]
mod tests;
