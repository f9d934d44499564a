//! The error of the record of transmissions (`algorithms/shared/transmit_record.h`): BBR version 3 on the simulator's
//! TCP over a bottleneck, with a witness that stores the inflight at each packet's transmission.
//!
//! `cargo test -p fairlane-algorithm-native --test transmit_record -- --nocapture` prints the table of
//! docs/concepts/transmit-record.md.

use fairlane_congestion_control::{
    AckSample, AlgorithmFault, CaEvent, Callbacks, CongestionControl, RateSample, TcpSock,
};
use fairlane_tcp::receiver::EcnMark;
use fairlane_tcp::{Connection, ConnectionConfig, Segment};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

const MS: u64 = 1_000_000;
const SENDER: usize = 0;
const RECEIVER: usize = 1;

/// The inflight and the losses when the packet that ends at this sequence number was last sent.
type Truth = Arc<Mutex<BTreeMap<u32, (u32, u32)>>>;

const WHOLE: &str = "no holder of the lock panics";

/// An error of the record, in packets, and the window at that time.
#[derive(Clone, Copy)]
struct Error {
    in_flight: i64,
    lost: i64,
    window: u32,
}

/// Stands between TCP and the algorithm, and compares after each ACK.
struct Witness {
    inner: Box<dyn CongestionControl>,
    truth: Truth,
    errors: Arc<Mutex<Vec<Error>>>,
}

impl CongestionControl for Witness {
    fn cong_control(&mut self, sock: &mut TcpSock, ack: u32, flag: i32, sample: &RateSample) {
        self.inner.cong_control(sock, ack, flag, sample);
        let truth = self.truth.lock().expect(WHOLE).get(&sample.last_end_seq).copied();
        if let (Some((in_flight, lost)), true) = (truth, sample.delivered >= 0) {
            // The private block holds what the program looked up.
            let looked_up = sock.icsk_ca_priv[0];
            self.errors.lock().expect(WHOLE).push(Error {
                in_flight: i64::from(looked_up as u32) - i64::from(in_flight),
                lost: (looked_up >> 32) as i64 - i64::from(sock.lost - lost),
                window: sock.snd_cwnd,
            });
        }
    }
    fn callbacks(&self) -> Callbacks {
        self.inner.callbacks()
    }
    fn init(&mut self, sock: &mut TcpSock) {
        self.inner.init(sock);
    }
    fn release(&mut self, sock: &mut TcpSock) {
        self.inner.release(sock);
    }
    fn ssthresh(&mut self, sock: &mut TcpSock) -> u32 {
        self.inner.ssthresh(sock)
    }
    fn cong_avoid(&mut self, sock: &mut TcpSock, ack: u32, acked: u32) {
        self.inner.cong_avoid(sock, ack, acked);
    }
    fn set_state(&mut self, sock: &mut TcpSock, new_state: u8) {
        self.inner.set_state(sock, new_state);
    }
    fn cwnd_event(&mut self, sock: &mut TcpSock, event: CaEvent) {
        self.inner.cwnd_event(sock, event);
    }
    fn in_ack_event(&mut self, sock: &mut TcpSock, flags: u32) {
        self.inner.in_ack_event(sock, flags);
    }
    fn pkts_acked(&mut self, sock: &mut TcpSock, sample: &AckSample) {
        self.inner.pkts_acked(sock, sample);
    }
    fn undo_cwnd(&mut self, sock: &mut TcpSock) -> u32 {
        self.inner.undo_cwnd(sock)
    }
    fn min_tso_segs(&mut self, sock: &mut TcpSock) -> u32 {
        self.inner.min_tso_segs(sock)
    }
    fn sndbuf_expand(&mut self, sock: &mut TcpSock) -> u32 {
        self.inner.sndbuf_expand(sock)
    }
    fn fault(&self) -> Option<AlgorithmFault> {
        self.inner.fault()
    }
}

/// A bottleneck with a buffer, random loss behind it, and a delay.
#[derive(Clone, Copy)]
struct Path {
    mbps: f64,
    rtt_ns: u64,
    buffer_packets: usize,
    loss_per_mille: u64,
    offload: bool,
}

/// Runs a flow over the path for some seconds; returns the errors from the third second on.
fn measure(path: Path, seconds: u64) -> Vec<Error> {
    let truth = Truth::default();
    let errors = Arc::new(Mutex::new(Vec::new()));
    let program = crate::common::load("bbr3", &[]);
    let end = |offload: bool| {
        let config =
            ConnectionConfig { timestamps: true, gro_interval_ns: offload.then_some(200_000), ..Default::default() };
        let mut config = config;
        config.sender.wmem_max_bytes = 1 << 27;
        config.receiver.rmem_max_bytes = 1 << 27;
        let inner: Box<dyn CongestionControl> = program.instantiate();
        Connection::new(config, Box::new(Witness { inner, truth: truth.clone(), errors: errors.clone() }), 0)
    };
    let mut ends = [end(false), end(path.offload)];
    let mut wires: [VecDeque<(u64, Segment)>; 2] = Default::default();
    let (mut free_ns, mut random) = (0_u64, 1_u64);
    ends[RECEIVER].listen();
    ends[SENDER].connect(0);
    ends[SENDER].write(0, 1 << 40);
    let mut now_ns = 0;
    let mut warm = false;
    while now_ns < seconds * 1_000 * MS {
        for from in [SENDER, RECEIVER] {
            let outgoing: Vec<_> = ends[from].take_outgoing().collect();
            let data = outgoing.iter().filter(|out| out.datagram.len > 0).count() as u32;
            let mut in_flight = ends[from].sender.sock.packets_in_flight() - if from == SENDER { data } else { 0 };
            for out in outgoing {
                if from == RECEIVER || out.datagram.len == 0 {
                    wires[from].push_back((out.departure_ns + path.rtt_ns / 2, out.datagram));
                    continue;
                }
                in_flight += 1;
                truth
                    .lock()
                    .expect(WHOLE)
                    .insert(out.datagram.end_seq() as u32, (in_flight, ends[SENDER].sender.sock.lost));
                let service_ns = (f64::from(out.datagram.len + 66) * 8e3 / path.mbps) as u64;
                let queued = free_ns.saturating_sub(now_ns) / service_ns;
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                if queued as usize > path.buffer_packets {
                    continue;
                }
                free_ns = free_ns.max(now_ns) + service_ns;
                if (random >> 33) % 1000 >= path.loss_per_mille {
                    wires[from].push_back((free_ns + path.rtt_ns / 2, out.datagram));
                }
            }
        }
        let arrival = |wire: &VecDeque<(u64, Segment)>| wire.front().map_or(u64::MAX, |(at_ns, _)| *at_ns);
        let (to_receiver_ns, to_sender_ns) = (arrival(&wires[SENDER]), arrival(&wires[RECEIVER]));
        let timer_ns = ends.iter().map(Connection::deadline_ns).min().expect("two ends");
        now_ns = to_receiver_ns.min(to_sender_ns).min(timer_ns);
        if now_ns == timer_ns {
            for end in &mut ends {
                if end.deadline_ns() <= now_ns {
                    end.on_timer(now_ns);
                }
            }
        } else {
            let from = if now_ns == to_receiver_ns { SENDER } else { RECEIVER };
            let (_, segment) = wires[from].pop_front().expect("is due");
            ends[1 - from].on_segment(now_ns, &segment, EcnMark::NotEct);
        }
        if !warm && now_ns > 3_000 * MS {
            warm = true;
            errors.lock().expect(WHOLE).clear();
        }
    }
    assert_eq!(ends[SENDER].sender.algorithm().fault(), None);
    let mut errors = errors.lock().expect(WHOLE);
    std::mem::take(&mut errors)
}

fn quantile(errors: &[Error], share: f64, of: impl Fn(&Error) -> f64) -> f64 {
    let mut all: Vec<f64> = errors.iter().map(of).collect();
    all.sort_by(f64::total_cmp);
    all[((all.len() - 1) as f64 * share) as usize]
}

#[test]
fn the_record_is_near_the_truth() {
    let plain = Path { mbps: 50.0, rtt_ns: 40 * MS, buffer_packets: 170, loss_per_mille: 0, offload: false };
    let paths = [
        ("50 Mbit/s, 40 ms", plain),
        ("receive offload", Path { offload: true, ..plain }),
        ("1 % of packets lost", Path { loss_per_mille: 10, ..plain }),
        ("buffer of 20 packets", Path { buffer_packets: 20, ..plain }),
        ("5 Mbit/s, 20 ms", Path { mbps: 5.0, rtt_ns: 20 * MS, buffer_packets: 20, ..plain }),
        ("1 Gbit/s, 40 ms", Path { mbps: 1000.0, buffer_packets: 3000, ..plain }),
        ("1 Gbit/s, 40 ms, offload", Path { mbps: 1000.0, buffer_packets: 3000, offload: true, ..plain }),
    ];
    println!("| path | window | in flight: median, 95 %, most (packets) | 95 % of window | lost since: 95 %, most |");
    println!("|---|--:|--:|--:|--:|");
    for (name, path) in paths {
        let errors = measure(path, if path.mbps > 500.0 { 6 } else { 20 });
        assert!(errors.len() > 1_000, "{name}: {} ACKs", errors.len());
        let size = |error: &Error| error.in_flight.unsigned_abs() as f64;
        let relative = quantile(&errors, 0.95, |error| size(error) / f64::from(error.window));
        let lost = |error: &Error| error.lost.unsigned_abs() as f64;
        println!(
            "| {name} | {:.0} | {:.0}, {:.0}, {:.0} | {:.1} % | {:.0}, {:.0} |",
            quantile(&errors, 0.5, |error| f64::from(error.window)),
            quantile(&errors, 0.5, size),
            quantile(&errors, 0.95, size),
            quantile(&errors, 1.0, size),
            100.0 * relative,
            quantile(&errors, 0.95, lost),
            quantile(&errors, 1.0, lost),
        );
        // Packets that one ACK releases, and 3 % of the window; the algorithm's response to excess inflight is 30 %.
        let burst = if path.offload { 50.0 } else { 4.0 };
        let excess = quantile(&errors, 0.95, |error| size(error) - burst - 0.03 * f64::from(error.window));
        assert!(excess <= 0.0, "{name}: {excess} packets");
        assert!(quantile(&errors, 0.95, lost) <= 3.0, "{name}");
    }
}
