//! Compares the packets that the connection sends with those that the script expects.

use super::failure::Failure;
use super::wire::Sniffed;
use super::Player;
use crate::script::{EcnBits, Event, EventTime, Packet, TcpOption};
use fairlane_tcp::segment::flags;

impl Player<'_> {
    /// The script expects a packet: waits for it and compares.
    pub(super) fn expect_packet(&mut self, event: &Event, expected: &Packet) -> Result<(), Failure> {
        let (from_ns, to_ns) = self.due_ns(event.time);
        let tolerance_ns = (self.settings.tolerance_us * 1000) as u64;
        if expected.has(flags::SYN) {
            if let Some(endpoint) = &mut self.endpoint {
                endpoint.learn_isn(expected.seq);
            }
        }
        let sniffed = self.sniff_as_long_as(event.line, expected, from_ns, to_ns + tolerance_ns)?;
        let script_dump = dump("script", from_ns, expected);
        let actual_dump = dump("actual", sniffed.time_ns, &shown(&sniffed.packet, expected));
        let wrong = |detail: String| Failure::packet(event.line, format!("{detail}\n{script_dump}\n{actual_dump}"));
        compare(expected, &sniffed.packet).map_err(wrong)?;
        self.compare_timestamps(expected, &sniffed).map_err(wrong)?;
        let on_time = sniffed.time_ns + tolerance_ns >= from_ns && sniffed.time_ns <= to_ns + tolerance_ns;
        if event.time != EventTime::Any && !on_time {
            let happened_s = Self::script_seconds(sniffed.time_ns);
            let due = match event.time {
                EventTime::Between { .. } => {
                    format!("between {:.6} and {:.6}", Self::script_seconds(from_ns), Self::script_seconds(to_ns))
                }
                _ => format!("at {:.6}", Self::script_seconds(from_ns)),
            };
            let tolerance_s = tolerance_ns as f64 / 1e9;
            return Err(wrong(format!(
                "timing error: expected outbound packet {due} sec but happened at {happened_s:.6} sec; \
                 tolerance {tolerance_s:.6} sec"
            )));
        }
        Ok(())
    }

    /// Takes packets until they have as much data as the script expects: one packet of the script may have left as
    /// several.
    fn sniff_as_long_as(
        &mut self,
        line: usize,
        expected: &Packet,
        due_ns: u64,
        until_ns: u64,
    ) -> Result<Sniffed, Failure> {
        let mut whole: Option<Sniffed> = None;
        loop {
            let Some(next) = self.next_sniffed(until_ns) else {
                let mut detail = format!("timed out waiting for packet\n{}", dump("script", due_ns, expected));
                if let Some(part) = whole {
                    detail.push_str(&format!("\n{}", dump("actual", part.time_ns, &shown(&part.packet, expected))));
                }
                return Err(Failure::packet(line, detail));
            };
            let Some(part) = &mut whole else {
                whole = Some(next);
                if self.has_enough(&whole, expected) {
                    break;
                }
                continue;
            };
            let completes = part.packet.len + next.packet.len >= expected.len;
            if part.packet.seq.wrapping_add(part.packet.len) != next.packet.seq
                || (!completes && next.segment_len != part.segment_len)
            {
                let detail = format!(
                    "live packet payload: expected {} bytes in one packet or in equal ones\n{}\n{}\n{}",
                    expected.len,
                    dump("script", due_ns, expected),
                    dump("actual #0", part.time_ns, &shown(&part.packet, expected)),
                    dump("actual #1", next.time_ns, &shown(&next.packet, expected)),
                );
                return Err(Failure::packet(line, detail));
            }
            let ends = flags::PSH | flags::FIN;
            part.packet.len += next.packet.len;
            part.packet.flags = (part.packet.flags & !ends) | (next.packet.flags & ends);
            part.time_ns = next.time_ns;
            if self.has_enough(&whole, expected) {
                break;
            }
        }
        let whole = whole.expect("at least one packet was taken");
        if whole.packet.len != expected.len {
            let detail = format!(
                "live packet payload: expected {} bytes vs actual {} bytes\n{}\n{}",
                expected.len,
                whole.packet.len,
                dump("script", due_ns, expected),
                dump("actual", whole.time_ns, &shown(&whole.packet, expected)),
            );
            return Err(Failure::packet(line, detail));
        }
        Ok(whole)
    }

    fn has_enough(&self, taken: &Option<Sniffed>, expected: &Packet) -> bool {
        self.settings.strict_segments || taken.as_ref().is_some_and(|sniffed| sniffed.packet.len >= expected.len)
    }

    /// Maps the script's timestamps to the connection's, and checks them if the script requests it.
    fn compare_timestamps(&mut self, expected: &Packet, sniffed: &Sniffed) -> Result<(), String> {
        let wanted = expected.options.iter().flatten().find_map(|option| match option {
            TcpOption::Timestamp { value, .. } => Some(*value),
            _ => None,
        });
        let (Some(value), Some(live), Some(endpoint)) = (wanted, sniffed.live_timestamp, &mut self.endpoint) else {
            return Ok(());
        };
        endpoint.timestamps.learn(value, live);
        let off_us = i64::from((endpoint.timestamps.script(live).wrapping_sub(value) as i32).abs())
            * self.settings.timestamp_tick_us;
        if off_us > self.settings.tolerance_us {
            return Err(format!("bad outbound TCP timestamp value, tolerance {}", self.settings.tolerance_us));
        }
        Ok(())
    }
}

/// Compares all fields except time and timestamps; reports the first difference.
fn compare(expected: &Packet, actual: &Packet) -> Result<(), String> {
    if let (Some(wanted), Some(found)) = (expected.ecn, actual.ecn) {
        let fits = wanted == found || (wanted == EcnBits::AnyEct && matches!(found, EcnBits::Ect0 | EcnBits::Ect1));
        if !fits {
            return Err("live packet field ip_ecn differs".into());
        }
    }
    if let Some(options) = &expected.options {
        let found = actual.options.as_deref().unwrap_or_default();
        check("tcp_data_offset", header_words(options), header_words(found))?;
    }
    for (name, bit) in [
        ("tcp_fin", flags::FIN),
        ("tcp_syn", flags::SYN),
        ("tcp_rst", flags::RST),
        ("tcp_psh", flags::PSH),
        ("tcp_ack", flags::ACK),
        ("tcp_ece", flags::ECE),
        ("tcp_cwr", flags::CWR),
    ] {
        check(name, u32::from(expected.has(bit)), u32::from(actual.has(bit)))?;
    }
    check("tcp_seq", expected.seq, actual.seq)?;
    check("tcp_ack_seq", expected.ack, actual.ack)?;
    if let (Some(wanted), Some(found)) = (expected.window, actual.window) {
        check("tcp_window", u32::from(wanted), u32::from(found))?;
    }
    let (Some(wanted), Some(found)) = (&expected.options, &actual.options) else { return Ok(()) };
    let same = wanted.len() == found.len()
        && wanted.iter().zip(found).all(|pair| match pair {
            (TcpOption::Timestamp { .. }, TcpOption::Timestamp { .. }) => true,
            (wanted, found) => wanted == found,
        });
    if same {
        Ok(())
    } else {
        Err("bad outbound TCP options".into())
    }
}

fn check(name: &str, expected: u32, actual: u32) -> Result<(), String> {
    if expected == actual {
        return Ok(());
    }
    Err(format!("live packet field {name}: expected: {expected} ({expected:#x}) vs actual: {actual} ({actual:#x})"))
}

/// Length of a header with these options, in 32-bit words.
fn header_words(options: &[TcpOption]) -> u32 {
    let bytes: usize = options
        .iter()
        .map(|option| match option {
            TcpOption::EndOfList | TcpOption::Nop => 1,
            TcpOption::Mss(_) => 4,
            TcpOption::WindowScale(_) => 3,
            TcpOption::SackPermitted => 2,
            TcpOption::Sack(blocks) => 2 + 8 * blocks.len(),
            TcpOption::Timestamp { .. } => 10,
        })
        .sum();
    5 + bytes.div_ceil(4) as u32
}

/// A packet as printed next to an expectation: ECN bits only if the script mentions them.
fn shown(actual: &Packet, expected: &Packet) -> Packet {
    Packet { ecn: expected.ecn.and(actual.ecn), ..actual.clone() }
}

fn dump(kind: &str, time_ns: u64, packet: &Packet) -> String {
    format!("{kind} packet: {:9.6} {packet}", Player::script_seconds(time_ns))
}
