//! Traces at the senders of flows that cross Wi-Fi, as by tcpdump: the alternation of acknowledgements and data.
//!
//! Packets are recorded when TCP passes them to the interface of its host, and when they arrive at the host: while TCP
//! Small Queues delay a sender, acknowledgements arrive one after the other until the interface has transmitted data.

use fairlane_contract::{Scenario, SenderTrace};
use fairlane_network::Packet;
use fairlane_transport::{Datagram, Side};

use crate::address::AddressPlan;

pub(crate) struct SenderTraces {
    from_ns: u64,
    /// By flow; none for flows without Wi-Fi.
    flows: Vec<Option<Trace>>,
}

#[derive(Default)]
struct Trace {
    /// The last data packet, unless an ACK has arrived since.
    sent_ns: Option<u64>,
    in_block: bool,
    total: Second,
    second: u64,
    now: Second,
    /// Blocks and mean gap in ms of each second that had gaps.
    seconds: Vec<(f64, f64)>,
}

#[derive(Clone, Copy, Default)]
struct Second {
    blocks: u64,
    packets: u64,
    gaps: u64,
    gap_ns: u64,
}

const NS_PER_SEC: u64 = 1_000_000_000;

impl SenderTraces {
    /// None if no flow crosses Wi-Fi. `paths`: forward and reverse path of each flow, by its number.
    pub fn new(scenario: &Scenario, flows: impl Iterator<Item = u32>) -> Option<Self> {
        let crosses = |group: u32| {
            let flow = &scenario.flows[group as usize];
            let is_of_cell = |name: &String| {
                scenario.media.iter().any(|medium| medium.is_wifi() && medium.station_names().contains(&name.as_str()))
            };
            flow.forward.iter().any(is_of_cell)
        };
        if !scenario.media.iter().any(|medium| medium.is_wifi()) {
            return None;
        }
        let flows = flows.map(|group| crosses(group).then(Trace::default)).collect();
        Some(Self { from_ns: scenario.warm_up_ns, flows })
    }

    fn at_sender<P: Datagram>(&mut self, now_ns: u64, packet: &Packet<P>, is_sent: bool) -> Option<&mut Trace> {
        let (flow, end) = AddressPlan::end_of(packet.path);
        let is_here = (end == Side::Receiver) == is_sent;
        if !is_here || now_ns < self.from_ns {
            return None;
        }
        self.flows.get_mut(flow as usize)?.as_mut()
    }

    pub fn sent<P: Datagram>(&mut self, now_ns: u64, packet: &Packet<P>) {
        let Some(trace) = self.at_sender(now_ns, packet, true).filter(|_| packet.payload.payload_bytes() > 0) else {
            return;
        };
        trace.turn_second(now_ns);
        if let Some(sent_ns) = trace.sent_ns.replace(now_ns) {
            trace.now.gaps += 1;
            trace.now.gap_ns += now_ns - sent_ns;
        }
        trace.in_block = false;
    }

    pub fn arrived<P: Datagram>(&mut self, now_ns: u64, packet: &Packet<P>) {
        let Some(trace) = self.at_sender(now_ns, packet, false).filter(|_| packet.payload.payload_bytes() == 0) else {
            return;
        };
        trace.turn_second(now_ns);
        trace.now.packets += 1;
        trace.now.blocks += u64::from(!trace.in_block);
        (trace.in_block, trace.sent_ns) = (true, None);
    }

    pub fn of_flow(&self, flow: u32) -> SenderTrace {
        match self.flows.get(flow as usize) {
            Some(Some(trace)) => trace.summary(),
            _ => SenderTrace::default(),
        }
    }
}

impl Trace {
    fn turn_second(&mut self, now_ns: u64) {
        let second = now_ns / NS_PER_SEC;
        if second != self.second {
            self.end_second();
            self.second = second;
        }
    }

    fn end_second(&mut self) {
        let one = std::mem::take(&mut self.now);
        if one.gaps > 0 {
            self.seconds.push((one.blocks as f64, one.gap_ns as f64 / one.gaps as f64 / 1e6));
        }
        self.total = self.total.and(&one);
    }

    fn summary(&self) -> SenderTrace {
        let total = self.total.and(&self.now);
        let [blocks, gaps] = [0, 1].map(|which| moments(&self.seconds, which));
        SenderTrace {
            ack_blocks: Some(total.blocks),
            ack_block_packets: Some(total.packets),
            segment_gap_ms: (total.gaps > 0).then(|| total.gap_ns as f64 / total.gaps as f64 / 1e6),
            ack_block_gap_correlation: blocks.zip(gaps).and_then(|(blocks, gaps)| {
                let products = self.seconds.iter().map(|&(one, other)| (one - blocks.0) * (other - gaps.0));
                let covariance = products.sum::<f64>() / self.seconds.len() as f64;
                (blocks.1 > 0.0 && gaps.1 > 0.0).then(|| covariance / (blocks.1 * gaps.1))
            }),
            ack_block_variation: blocks.filter(|blocks| blocks.0 > 0.0).map(|(mean, deviation)| deviation / mean),
            segment_gap_variation: gaps.filter(|gaps| gaps.0 > 0.0).map(|(mean, deviation)| deviation / mean),
        }
    }
}

/// Mean and standard deviation; none for fewer than three values.
fn moments(seconds: &[(f64, f64)], which: usize) -> Option<(f64, f64)> {
    let values = || seconds.iter().map(|&(one, other)| if which == 0 { one } else { other });
    if seconds.len() < 3 {
        return None;
    }
    let mean = values().sum::<f64>() / seconds.len() as f64;
    let variance = values().map(|value| (value - mean).powi(2)).sum::<f64>() / seconds.len() as f64;
    Some((mean, variance.sqrt()))
}

impl Second {
    fn and(&self, other: &Self) -> Self {
        Self {
            blocks: self.blocks + other.blocks,
            packets: self.packets + other.packets,
            gaps: self.gaps + other.gaps,
            gap_ns: self.gap_ns + other.gap_ns,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairlane_network::Ecn;

    const MS: u64 = 1_000_000;

    #[derive(Clone, Copy, Default)]
    struct Payload(u32);

    impl Datagram for Payload {
        fn ip_bytes(&self) -> u32 {
            self.0 + 52
        }

        fn payload_bytes(&self) -> u32 {
            self.0
        }

        fn number(&self) -> u64 {
            0
        }
    }

    /// Data at 0, 2 and 4 ms, two ACKs, data at 10 and 11 ms, one ACK: two blocks of three packets, gaps of 2, 2 and 1 ms.
    #[test]
    fn blocks_and_gaps_by_hand() {
        let mut traces = SenderTraces { from_ns: 0, flows: vec![Some(Trace::default()), None] };
        let packet = |path, len| {
            let payload = Payload(len);
            Packet { flow: 0, path, ip_bytes: payload.ip_bytes(), hop: 0, ecn: Ecn::NotEct, payload }
        };
        let (data, ack) = (packet(0, 1448), packet(1, 0));
        for ms in [0, 2, 4, 10, 11] {
            if ms == 10 {
                traces.arrived(6 * MS, &ack);
                traces.arrived(7 * MS, &ack);
            }
            traces.sent(ms * MS, &data);
            traces.sent(ms * MS, &packet(1, 0)); // the receiver's own packets are not recorded here
            traces.arrived(ms * MS, &packet(0, 1448));
        }
        traces.arrived(12 * MS, &ack);
        let found = traces.of_flow(0);
        assert_eq!((found.ack_blocks, found.ack_block_packets), (Some(2), Some(3)));
        assert!((found.segment_gap_ms.expect("gaps") - 5.0 / 3.0).abs() < 1e-9);
        assert_eq!(found.ack_block_gap_correlation, None);
        assert_eq!(traces.of_flow(1).ack_blocks, None);
    }

    /// Seconds with many blocks have short gaps: 1 block and 2 ms, 2 and 1 ms, 3 and 0 ms.
    #[test]
    fn the_correlation_over_seconds() {
        let mut trace = Trace { seconds: vec![(1.0, 2.0), (2.0, 1.0), (3.0, 0.0)], ..Trace::default() };
        trace.end_second();
        let found = trace.summary();
        assert!((found.ack_block_gap_correlation.expect("three seconds") + 1.0).abs() < 1e-9);
        assert!((found.ack_block_variation.expect("blocks") - (2.0_f64 / 3.0).sqrt() / 2.0).abs() < 1e-9);
    }
}
