//! Upper bound of one core: flows with a bare additive-increase window over one FIFO bottleneck,
//! packet by packet, with no TCP at all (no sequence space, no SACK, no timers, no pacing).
//!
//! A baseline for the simulator, run next to it by `share_of_bound.py`, which compiles it with
//! `rustc -O -C target-cpu=native`. Prints data packets delivered per CPU second.
//!
//!     bound FLOWS RATE_BPS RTT_S SEGMENT_BYTES QUEUE_BDP SECONDS

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// CPU time of this process, from the first field of its schedstat.
fn cpu_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").expect("Linux has /proc/self/schedstat");
    text.split(' ').next().and_then(|field| field.parse().ok()).expect("the first field is a number")
}

#[derive(Clone, Copy)]
struct Packet {
    flow: u32,
    sequence: u32,
}

struct Flow {
    cwnd: f64,
    ssthresh: f64,
    in_flight: u32,
    next: u32,
    recover: u32,
    lost: VecDeque<u32>,
}

/// A link that only delays: packets leave in the order in which they came.
#[derive(Default)]
struct Pipe(VecDeque<(u64, Packet)>);

struct Network {
    flows: Vec<Flow>,
    queue: VecDeque<Packet>,
    queue_limit: usize,
    sending: bool,
    serialisation_ns: u64,
    events: BinaryHeap<Reverse<(u64, u8)>>,
}

const SENT: u8 = 0;
const ARRIVED: u8 = 1;
const ACKNOWLEDGED: u8 = 2;

impl Network {
    #[inline(always)]
    fn enqueue(&mut self, now_ns: u64, packet: Packet) {
        if self.queue.len() >= self.queue_limit {
            self.flows[packet.flow as usize].lost.push_back(packet.sequence);
            return;
        }
        self.queue.push_back(packet);
        if !self.sending {
            self.sending = true;
            self.events.push(Reverse((now_ns + self.serialisation_ns, SENT)));
        }
    }

    #[inline(always)]
    fn pass(&mut self, pipe: &mut Pipe, at_ns: u64, kind: u8, packet: Packet) {
        if pipe.0.is_empty() {
            self.events.push(Reverse((at_ns, kind)));
        }
        pipe.0.push_back((at_ns, packet));
    }

    #[inline(always)]
    fn take(&mut self, pipe: &mut Pipe, kind: u8) -> Packet {
        let (_, packet) = pipe.0.pop_front().expect("an event means a packet");
        if let Some(&(at_ns, _)) = pipe.0.front() {
            self.events.push(Reverse((at_ns, kind)));
        }
        packet
    }

    #[inline(always)]
    fn on_ack(&mut self, now_ns: u64, packet: Packet) {
        let flow = &mut self.flows[packet.flow as usize];
        flow.in_flight -= 1;
        while let Some(&sequence) = flow.lost.front() {
            if sequence + 3 >= packet.sequence {
                break;
            }
            flow.lost.pop_front();
            flow.in_flight -= 1;
            if sequence >= flow.recover {
                flow.recover = flow.next;
                flow.ssthresh = flow.cwnd * 0.7;
                flow.cwnd = flow.ssthresh;
            }
        }
        flow.cwnd += if flow.cwnd < flow.ssthresh { 1.0 } else { 1.0 / flow.cwnd };
        let first = flow.next;
        let mut burst = 0;
        while f64::from(flow.in_flight) < flow.cwnd && burst < 4 {
            burst += 1;
            flow.in_flight += 1;
            flow.next += 1;
        }
        for i in 0..burst {
            self.enqueue(now_ns, Packet { flow: packet.flow, sequence: first + i });
        }
    }
}

fn main() {
    let numbers: Vec<f64> = std::env::args().skip(1).map(|text| text.parse().expect("a number")).collect();
    let [flows, rate_bps, rtt_s, segment_bytes, queue_bdp, seconds] = numbers[..] else {
        panic!("usage: bound FLOWS RATE_BPS RTT_S SEGMENT_BYTES QUEUE_BDP SECONDS");
    };
    let half_rtt_ns = (rtt_s * 1e9 / 2.0) as u64;
    let end_ns = (seconds * 1e9) as u64;
    let mut network = Network {
        flows: (0..flows as usize)
            .map(|_| Flow { cwnd: 10.0, ssthresh: 1e9, in_flight: 0, next: 0, recover: 0, lost: VecDeque::new() })
            .collect(),
        queue: VecDeque::new(),
        queue_limit: (rate_bps * rtt_s / 8.0 / segment_bytes * queue_bdp) as usize,
        sending: false,
        serialisation_ns: ((segment_bytes + 52.0) * 8.0 / rate_bps * 1e9) as u64,
        events: BinaryHeap::new(),
    };
    let (mut down, mut up) = (Pipe::default(), Pipe::default());
    let mut delivered = 0u64;
    let start_ns = cpu_ns();
    for flow in 0..flows as u32 {
        for sequence in 0..10 {
            network.flows[flow as usize].in_flight += 1;
            network.flows[flow as usize].next += 1;
            network.enqueue(0, Packet { flow, sequence });
        }
    }
    while let Some(Reverse((now_ns, kind))) = network.events.pop() {
        if now_ns > end_ns {
            break;
        }
        match kind {
            SENT => {
                let packet = network.queue.pop_front().expect("only a waiting packet is sent");
                network.pass(&mut down, now_ns + half_rtt_ns, ARRIVED, packet);
                network.sending = !network.queue.is_empty();
                if network.sending {
                    network.events.push(Reverse((now_ns + network.serialisation_ns, SENT)));
                }
            }
            ARRIVED => {
                let packet = network.take(&mut down, ARRIVED);
                delivered += 1;
                network.pass(&mut up, now_ns + half_rtt_ns, ACKNOWLEDGED, packet);
            }
            _ => {
                let packet = network.take(&mut up, ACKNOWLEDGED);
                network.on_ack(now_ns, packet);
            }
        }
    }
    let cpu_s = (cpu_ns() - start_ns) as f64 * 1e-9;
    println!("{}", (delivered as f64 / cpu_s) as u64);
}
