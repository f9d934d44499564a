//! The connection under test, and the translation between its segments and the script's packets.

use super::timestamps::Timestamps;
use crate::script::{Direction, EcnBits, Packet, TcpOption};
use fairlane_tcp::receiver::EcnMark;
use fairlane_tcp::segment::flags;
use fairlane_tcp::{Connection, Outgoing, PeerOffer, Segment};

pub(super) struct Endpoint {
    pub connection: Connection,
    pub timestamps: Timestamps,
    /// Initial sequence numbers in the script.
    local_isn: u32,
    remote_isn: u32,
    /// Both ends use window scaling, the peer with `peer_scale`.
    pub window_scaling: bool,
    pub peer_scale: u8,
    /// Both ends support SACK.
    pub sack: bool,
    pub uses_timestamps: bool,
    pub ecn: bool,
    /// A reset arrived, or was sent.
    pub reset: bool,
    /// The error that the next call reports, once (`sk_err`).
    pub error: Option<&'static str>,
    /// The application has shut the receiving direction.
    pub receive_shut: bool,
    /// Connected by the script's `connect`.
    pub active: bool,
    pub maximum_segment: u32,
}

impl Endpoint {
    /// An endpoint that offers every option of its connection.
    pub fn new(connection: Connection, active: bool) -> Self {
        Self {
            window_scaling: connection.receiver.offers_window_scaling(),
            sack: connection.receiver.offers_sack(),
            uses_timestamps: connection.uses_timestamps(),
            ecn: connection.sender.uses_ecn(),
            maximum_segment: connection.receiver.advertised_mss(),
            connection,
            timestamps: Timestamps::default(),
            local_isn: 0,
            remote_isn: 0,
            peer_scale: 0,
            reset: false,
            error: None,
            receive_shut: false,
            active,
        }
    }

    /// An endpoint whose peer has offered nothing yet.
    pub fn without_options(self) -> Self {
        Self { window_scaling: false, sack: false, uses_timestamps: false, ecn: false, ..self }
    }

    /// Negotiates the options of the peer's SYN or SYN-ACK.
    pub fn negotiate(&mut self, now_ns: u64, syn: &Packet) {
        let options = syn.options.as_deref().unwrap_or_default();
        let scale = options.iter().find_map(|option| match option {
            TcpOption::WindowScale(scale) => Some((*scale).min(14)),
            _ => None,
        });
        let offer = PeerOffer {
            mss: options.iter().find_map(|option| match option {
                TcpOption::Mss(mss) => Some(*mss),
                _ => None,
            }),
            sack: options.contains(&TcpOption::SackPermitted),
            timestamps: options.iter().any(|option| matches!(option, TcpOption::Timestamp { .. })),
            window_scaling: scale.is_some(),
            ecn: if syn.has(flags::ACK) {
                syn.flags & (flags::ECE | flags::CWR) == flags::ECE
            } else {
                syn.flags & (flags::ECE | flags::CWR) == flags::ECE | flags::CWR
            },
        };
        self.remote_isn = syn.seq;
        self.window_scaling &= offer.window_scaling;
        self.peer_scale = if self.window_scaling { scale.unwrap_or(0) } else { 0 };
        self.sack &= offer.sack;
        self.uses_timestamps &= offer.timestamps;
        self.ecn &= offer.ecn;
        self.connection.negotiate(now_ns, &offer);
    }

    /// The script expects the connection's SYN to have `seq`.
    pub fn learn_isn(&mut self, seq: u32) {
        self.local_isn = seq;
    }

    /// Converts a packet of the script to a segment of the connection.
    pub fn segment_of(&self, packet: &Packet) -> Segment {
        let is_syn = packet.has(flags::SYN);
        let ack = self.local_offset(packet.ack);
        let scale = if is_syn { 0 } else { self.peer_scale };
        let seq = if is_syn { 0 } else { self.remote_offset(packet.seq) };
        let mut segment = Segment::new(packet.flags, seq, packet.len);
        segment.ack = ack;
        segment.window = u32::from(packet.window.unwrap_or(0)) << scale;
        for option in packet.options.iter().flatten() {
            match option {
                TcpOption::Timestamp { value, echo } => {
                    segment.has_timestamps = true;
                    segment.tsval = *value;
                    segment.tsecr = self.timestamps.live(*echo);
                }
                TcpOption::Sack(blocks) => {
                    for &(start, end) in blocks {
                        let start = self.local_offset(start);
                        let end = self.local_offset(end);
                        if start < end {
                            segment.push_sack(start, end);
                        }
                    }
                }
                _ => {}
            }
        }
        segment
    }

    /// Converts a segment of the connection to a packet of the script.
    pub fn packet_of(&self, outgoing: &Outgoing) -> Packet {
        let segment = &outgoing.datagram;
        let is_syn = segment.flags & flags::SYN != 0;
        let scale = if is_syn || !self.window_scaling { 0 } else { self.connection.receiver.window_scale() };
        let window = (segment.window >> scale).min(u32::from(u16::MAX)) as u16;
        Packet {
            direction: Direction::Outbound,
            ecn: Some(if outgoing.ect { EcnBits::Ect0 } else { EcnBits::NotEct }),
            flags: segment.flags,
            seq: self.local_isn.wrapping_add(segment.seq as u32),
            len: segment.len,
            ack: if segment.flags & flags::ACK != 0 { self.remote_isn.wrapping_add(segment.ack as u32) } else { 0 },
            window: Some(window),
            options: Some(if is_syn { self.syn_options(segment) } else { self.options(segment) }),
        }
    }

    /// Options in Linux's order, with its padding.
    fn syn_options(&self, segment: &Segment) -> Vec<TcpOption> {
        let mut options = vec![TcpOption::Mss(self.maximum_segment as u16)];
        let padding = if self.sack { TcpOption::SackPermitted } else { TcpOption::Nop };
        if self.uses_timestamps {
            if self.sack {
                options.push(padding);
            } else {
                options.extend([TcpOption::Nop, TcpOption::Nop]);
            }
            options.push(self.timestamp(segment));
        } else if self.sack {
            options.extend([TcpOption::Nop, TcpOption::Nop, padding]);
        }
        if self.window_scaling {
            options.extend([TcpOption::Nop, TcpOption::WindowScale(self.connection.receiver.window_scale())]);
        }
        options
    }

    fn options(&self, segment: &Segment) -> Vec<TcpOption> {
        let mut options = Vec::new();
        if segment.has_timestamps {
            options.extend([TcpOption::Nop, TcpOption::Nop, self.timestamp(segment)]);
        }
        if segment.sack_count > 0 {
            let place = |offset: u64| self.remote_isn.wrapping_add(offset as u32);
            let blocks = segment.sack_blocks().map(|(start, end)| (place(start), place(end))).collect();
            options.extend([TcpOption::Nop, TcpOption::Nop, TcpOption::Sack(blocks)]);
        }
        options
    }

    fn timestamp(&self, segment: &Segment) -> TcpOption {
        TcpOption::Timestamp { value: self.timestamps.script(segment.tsval), echo: segment.tsecr }
    }

    /// Offset in the peer's stream of a sequence number in the script, near the next expected one.
    fn remote_offset(&self, seq: u32) -> u64 {
        near(self.connection.receiver.rcv_nxt(), seq.wrapping_sub(self.remote_isn))
    }

    /// The same for the connection's own stream.
    fn local_offset(&self, seq: u32) -> u64 {
        near(self.connection.sender.snd_nxt(), seq.wrapping_sub(self.local_isn))
    }
}

/// The 64-bit offset nearest to `reference` whose low half is `low`.
fn near(reference: u64, low: u32) -> u64 {
    let distance = i64::from(low.wrapping_sub(reference as u32) as i32);
    reference.saturating_add_signed(distance)
}

/// The ECN mark of a packet of the script.
pub(super) fn mark_of(packet: &Packet) -> EcnMark {
    match packet.ecn {
        Some(EcnBits::Ce) => EcnMark::Ce,
        Some(EcnBits::Ect0 | EcnBits::AnyEct) => EcnMark::Ect0,
        Some(EcnBits::Ect1) => EcnMark::Ect1,
        Some(EcnBits::NotEct) | None => EcnMark::NotEct,
    }
}
