//! Two endpoints over a line with a rate, a delay and a queue.

use crate::datagram::{Feedback, RtpDatagram, RtpWireFormat, REPORTED_PACKETS};
use crate::scream::{News, Scream};
use crate::sender::Sender;
use crate::{RtpEndpoint, ScreamConfig, MAX_PAYLOAD_BYTES};
use fairlane_transport::{Datagram, EcnMark, Side, Transport, WireConnection, WireFormat};
use std::collections::BTreeMap;

const MS: u64 = 1_000_000;
const FRAME_NS: u64 = 33 * MS;
const CONFIG: ScreamConfig = ScreamConfig { least_bps: 100_000, most_bps: 5_000_000, is_l4s: false };

/// The fate of a datagram.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Arrives,
    Lost,
    Marked,
    Late(u64),
}

struct Line<F> {
    ends: [RtpEndpoint; 2],
    now_ns: u64,
    rate_bps: u64,
    free_ns: u64,
    in_flight: BTreeMap<(u64, u64), (usize, RtpDatagram, EcnMark)>,
    serial: u64,
    next_frame_ns: u64,
    fate: F,
    /// Times of media packets, and the longest wait for the line.
    sent: Vec<(u64, u64)>,
    longest_wait_ns: u64,
}

impl<F: FnMut(u64, usize, &RtpDatagram) -> Fate> Line<F> {
    /// 20 ms in each direction; only media wait for the line.
    fn new(rate_bps: u64, config: ScreamConfig, fate: F) -> Self {
        let ends = [0, 1].map(|_| RtpEndpoint::new(config, MAX_PAYLOAD_BYTES, true));
        let (in_flight, sent) = (BTreeMap::new(), Vec::new());
        let mut line = Self {
            ends,
            now_ns: 0,
            rate_bps,
            free_ns: 0,
            in_flight,
            serial: 0,
            next_frame_ns: 100 * MS,
            fate,
            sent,
            longest_wait_ns: 0,
        };
        line.ends[1].listen();
        line.ends[0].connect(0);
        line.collect();
        line
    }

    fn run_until(&mut self, end_ns: u64) {
        loop {
            let arrival_ns = self.in_flight.keys().next().map_or(u64::MAX, |&(at_ns, _)| at_ns);
            let timer_ns = self.ends.iter().map(Transport::deadline_ns).min().expect("two ends").max(self.now_ns);
            let next_ns = arrival_ns.min(timer_ns).min(self.next_frame_ns);
            if next_ns > end_ns {
                return;
            }
            self.now_ns = next_ns;
            if next_ns == arrival_ns {
                let (_, (to, datagram, mark)) = self.in_flight.pop_first().expect("one arrives");
                self.ends[to].on_datagram(next_ns, &datagram, mark);
            } else if next_ns == self.next_frame_ns {
                let bps = self.ends[0].media_bps().expect("RTP has a bitrate");
                self.ends[0].write(next_ns, bps * FRAME_NS / 8_000_000_000);
                self.next_frame_ns += FRAME_NS;
            } else {
                for end in &mut self.ends {
                    if end.deadline_ns() <= next_ns {
                        end.on_timer(next_ns);
                    }
                }
            }
            self.collect();
        }
    }

    fn collect(&mut self) {
        for from in 0..2 {
            let outgoing: Vec<RtpDatagram> = self.ends[from].take_outgoing().map(|one| one.datagram).collect();
            for datagram in outgoing {
                let mut arrival_ns = self.now_ns + 20 * MS;
                if let RtpDatagram::Media(packet) = datagram {
                    self.sent.push((self.now_ns, packet.number));
                    self.longest_wait_ns = self.longest_wait_ns.max(self.free_ns.saturating_sub(self.now_ns));
                    self.free_ns = self.free_ns.max(self.now_ns)
                        + u64::from(datagram.ip_bytes() + 14) * 8_000_000_000 / self.rate_bps;
                    arrival_ns = self.free_ns + 20 * MS;
                }
                let fate = (self.fate)(self.now_ns, from, &datagram);
                let mark = if fate == Fate::Marked { EcnMark::Ce } else { EcnMark::Ect0 };
                if let Fate::Late(by_ns) = fate {
                    arrival_ns += by_ns;
                }
                if fate != Fate::Lost {
                    self.serial += 1;
                    self.in_flight.insert((arrival_ns, self.serial), (1 - from, datagram, mark));
                }
            }
        }
    }

    fn media_bps(&self) -> u64 {
        self.ends[0].media_bps().expect("RTP has a bitrate")
    }
}

fn number(datagram: &RtpDatagram) -> Option<u64> {
    match datagram {
        RtpDatagram::Media(packet) => Some(packet.number),
        _ => None,
    }
}

/// The queue stays at the delay at which the window shrinks, half of the target of 60 ms, and the wait of one frame.
#[test]
fn alone_it_fills_the_line_with_a_short_queue() {
    let mut line = Line::new(1_000_000, CONFIG, |_, _, _| Fate::Arrives);
    line.run_until(20_000 * MS);
    let before = line.ends[1].delivered_bytes();
    line.longest_wait_ns = 0;
    line.run_until(50_000 * MS);
    let goodput_bps = (line.ends[1].delivered_bytes() - before) * 8 / 30;
    assert!((850_000..1_000_000).contains(&goodput_bps), "{goodput_bps}");
    assert!(line.longest_wait_ns < 100 * MS, "{}", line.longest_wait_ns);
    assert_eq!(line.ends[0].sample().packets_marked_lost, 0);
}

#[test]
fn a_faster_line_is_used_up_to_the_highest_bitrate() {
    let mut line = Line::new(20_000_000, CONFIG, |_, _, _| Fate::Arrives);
    line.run_until(30_000 * MS);
    assert_eq!(line.media_bps(), CONFIG.most_bps);
}

#[test]
fn a_lost_packet_costs_its_frame_and_is_not_sent_again() {
    let mut line = Line::new(10_000_000, CONFIG, |_, _, datagram| match number(datagram) {
        Some(50) => Fate::Lost,
        _ => Fate::Arrives,
    });
    line.run_until(5_000 * MS);
    assert_eq!(line.sent.iter().filter(|(_, number)| *number == 50).count(), 1);
    assert!(line.ends[1].delivered_bytes() > 0);
    let sample = line.ends[0].sample();
    assert_eq!((sample.packets_marked_lost, sample.retransmits, sample.spurious_losses), (1, 0, 0));
    assert!(sample.delivered_packets + 1 >= line.sent.len() as u32 - sample.inflight_packets - 20);
}

/// RACK's idea: a late packet widens the reordering window, so the next ones are no losses.
#[test]
fn late_packets_are_lost_once_at_most() {
    let mut line = Line::new(10_000_000, CONFIG, |_, _, datagram| match number(datagram) {
        Some(number) if number > 100 && number % 20 == 0 => Fate::Late(8 * MS),
        _ => Fate::Arrives,
    });
    line.run_until(8_000 * MS);
    let sample = line.ends[0].sample();
    assert!(sample.packets_marked_lost <= 2, "{}", sample.packets_marked_lost);
    assert_eq!(sample.spurious_losses, sample.packets_marked_lost);
}

/// RFC 9743 section 5.2: at most one window per timeout, which doubles.
#[test]
fn the_loss_of_all_feedback_leads_to_backoff() {
    let mut line =
        Line::new(
            5_000_000,
            CONFIG,
            |now_ns, from, _| {
                if from == 1 && now_ns > 5_000 * MS {
                    Fate::Lost
                } else {
                    Fate::Arrives
                }
            },
        );
    line.run_until(60_000 * MS);
    let late: Vec<u64> = line.sent.iter().map(|(at_ns, _)| *at_ns).filter(|at_ns| *at_ns > 6_500 * MS).collect();
    let gaps: Vec<u64> = late.windows(2).map(|pair| pair[1] - pair[0]).filter(|gap_ns| *gap_ns > 500 * MS).collect();
    assert!(gaps.windows(2).all(|pair| pair[1] > pair[0] * 19 / 10), "{gaps:?}");
    assert!((3..=6).contains(&gaps.len()), "{gaps:?}");
    assert!(late.len() <= 6 * 5, "{}", late.len());
    assert_eq!(line.media_bps(), CONFIG.least_bps.max(line.media_bps()));
}

#[test]
fn a_connectivity_check_is_repeated() {
    let mut checks = 0;
    let mut line = Line::new(1_000_000, CONFIG, |_, _, datagram| {
        checks += u32::from(*datagram == RtpDatagram::Check);
        if checks < 3 {
            Fate::Lost
        } else {
            Fate::Arrives
        }
    });
    line.run_until(1_500 * MS);
    assert!(!line.ends[0].is_established());
    line.run_until(1_540 * MS);
    assert!(line.ends[0].is_established(), "after 0.5 and 1 s");
}

/// The window after one report.
fn window_after(config: ScreamConfig, news: &News) -> f64 {
    let mut scream = Scream::new(config);
    scream.on_rtt(0.05);
    for step in 1..200 {
        scream.on_sent(200_000);
        scream.on_report(&News { now_s: f64::from(step) * 0.05, bytes: 20_000, packets: 20, ..News::default() });
    }
    let before = scream.reference_window_bytes() as f64;
    scream.on_report(&News { now_s: 10.1, ..*news });
    scream.reference_window_bytes() as f64 / before
}

#[test]
fn the_window_shrinks_by_the_factors_of_the_draft() {
    let near = |ratio: f64, expected: f64| assert!((ratio - expected).abs() < 0.01, "{ratio} {expected}");
    let marked = News { marked_packets: 1, packets: 20, ..News::default() };
    near(window_after(CONFIG, &News { is_loss: true, ..News::default() }), 0.7);
    near(window_after(CONFIG, &marked), 0.8);
    // After long without congestion, by a quarter at least, from the bytes in flight.
    let l4s = window_after(ScreamConfig { is_l4s: true, ..CONFIG }, &marked);
    assert!((0.5..0.76).contains(&l4s), "{l4s}");
    // The averaged delay has a quarter of 0.4 s, which is above the target of 0.06 s: half.
    near(window_after(CONFIG, &News { queue_delay_s: 0.4, ..News::default() }), 0.5);
    near(window_after(CONFIG, &News { queue_delay_s: 0.02, ..News::default() }), 1.0);
}

#[test]
fn reports_that_others_overtook_change_nothing() {
    let mut sender = Sender::new(CONFIG, MAX_PAYLOAD_BYTES);
    sender.on_rtt(40 * MS);
    sender.write(2_000);
    let mut now_ns = 0;
    while sender.in_flight_bytes() < 2_000 {
        sender.next_packet(now_ns);
        now_ns += MS;
    }
    let report = |highest, arrived| Feedback { highest, arrived, marked: 0, arrival_ns: 30 * MS, held_ns: 0 };
    sender.on_feedback(60 * MS, &report(1, 0b11));
    sender.on_feedback(61 * MS, &report(0, 0b1));
    assert_eq!(sender.sample().delivered_packets, 2);
    assert_eq!(sender.sample().packets_marked_lost, 0);
}

#[test]
fn datagrams_have_their_size_on_the_wire() {
    let mut line = Line::new(1_000_000, CONFIG, |_, _, _| Fate::Arrives);
    line.run_until(3_000 * MS);
    let feedback = Feedback { highest: 99, arrived: 0, marked: 0, arrival_ns: 0, held_ns: 0 };
    assert_eq!(RtpDatagram::Feedback(feedback).ip_bytes(), 28 + 20 + 2 * REPORTED_PACKETS as u32);
    let connection = WireConnection { flow: 0, generation: 0 };
    for datagram in [RtpDatagram::Check, RtpDatagram::CheckAnswer, RtpDatagram::Feedback(feedback)] {
        let mut packet = vec![0; 20];
        let payload = RtpWireFormat.write_headers(&connection, Side::Sender, &datagram, &mut packet);
        assert_eq!(packet.len() as u32 + payload, datagram.ip_bytes());
    }
}
