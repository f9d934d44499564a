//! DualPI2 (RFC 9332): two coupled queues, one of low latency for scalable senders and one for classic senders.
//!
//! ```text
//! every tupdate:  p += alpha × (delay − target) + beta × (delay − delay before)
//! classic queue:  drop or mark with probability p²
//! L4S queue:      mark with probability k × p, and always once a packet has waited longer than the step
//! ```
//!
//! The rate of a classic sender is proportional to 1/√p², that of a scalable one to 1/p: the square makes them equal
//! (RFC 9332 §2.1). Parameters and details are those of Linux's dualpi2; `scheduler.rs` chooses the queue to serve.

mod parameters;
mod scheduler;

use fairlane_contract::Dualpi2Config;
use fairlane_engine::{RandomStream, NS_PER_SEC};

pub(super) use self::parameters::fault;
use self::parameters::{resolved, DEFAULT_STEP_NS};
use self::scheduler::Scheduler;
use super::flows::MEMORY_OVERHEAD_BYTES;
use super::setup::QueueSetup;
use super::ticks::TickTimer;
use super::QueueDiscipline;
use crate::queue::buffer::{Buffer, PacketId};
use crate::Ecn;

pub(crate) struct Dualpi2 {
    config: Dualpi2Config,
    queues: Scheduler,
    memlimit_bytes: u64,
    mtu_frame_bytes: u32,
    /// Base probability p in units of 2⁻³².
    probability: u32,
    /// Steps of the probability, in units of 2⁻³², per second of delay.
    alpha: i128,
    beta: i128,
    old_delay_ns: u64,
    timer: TickTimer,
    random: RandomStream,
}

/// The AQM's decision on a packet.
#[derive(PartialEq)]
enum Fate {
    Pass,
    Mark,
    Drop,
}

impl Dualpi2 {
    pub fn new(config: &Dualpi2Config, setup: &QueueSetup) -> Self {
        let config = resolved(config);
        // Linux takes weights in units of 1/256 Hz.
        let steps_per_s = |hz: f64| i128::from((hz * 256.0).round() as u32) * i128::from(u32::MAX) / 256;
        Self {
            queues: Scheduler::new(config.classic_protection_percent, setup.mtu_frame_bytes),
            memlimit_bytes: config
                .memlimit_bytes
                .unwrap_or(config.limit_packets.saturating_mul(2 * u64::from(setup.mtu_frame_bytes))),
            mtu_frame_bytes: setup.mtu_frame_bytes,
            probability: 0,
            alpha: steps_per_s(config.alpha_hz),
            beta: steps_per_s(config.beta_hz),
            old_delay_ns: 0,
            timer: TickTimer::precise(config.tupdate_ns),
            random: setup.random("dualpi2"),
            config,
        }
    }

    #[inline]
    fn catch_up(&mut self, now_ns: u64, buffer: &Buffer) {
        loop {
            let at_ns = self.timer.next_ns();
            if !self.timer.fires(now_ns) {
                break;
            }
            self.update(self.queues.delay_ns(at_ns, buffer));
        }
    }

    /// One step of the controller (RFC 9332 Appendix A.1, dualpi2_update).
    fn update(&mut self, delay_ns: u64) {
        let difference = |from_ns: u64| i128::from(delay_ns) - i128::from(from_ns);
        let change = self.alpha * difference(self.config.target_ns) + self.beta * difference(self.old_delay_ns);
        self.old_delay_ns = delay_ns;
        // Unless overload causes drops, at most all L4S packets can be marked.
        let highest = if self.config.drop_on_overload { u32::MAX } else { u32::MAX / self.config.coupling_factor };
        let wanted = i128::from(self.probability) + change / i128::from(NS_PER_SEC);
        self.probability = wanted.clamp(0, i128::from(highest)) as u32;
    }

    fn is_scalable(&self, ecn: Ecn) -> bool {
        matches!(ecn, Ecn::Ect1 | Ecn::Ce) || (self.config.any_ect && ecn == Ecn::Ect0)
    }

    /// The coupled AQM (RFC 9332 Appendix A.1, dualpi2_dequeue).
    fn fate(&mut self, packet: PacketId, buffer: &Buffer) -> Fate {
        if buffer.backlog().bytes < 2 * u64::from(self.mtu_frame_bytes) {
            return Fate::Pass;
        }
        let coupled = u64::from(self.probability) * u64::from(self.config.coupling_factor);
        let is_overload = coupled > u64::from(u32::MAX);
        let ecn = buffer.ecn(packet);
        if !self.is_scalable(ecn) {
            return match self.rolls_twice() {
                false => Fate::Pass,
                true if is_overload || ecn == Ecn::NotEct => Fate::Drop,
                true => Fate::Mark,
            };
        }
        if is_overload {
            let drops = self.config.drop_on_overload && self.rolls_twice();
            return if drops { Fate::Drop } else { Fate::Mark };
        }
        if self.rolls(coupled as u32) {
            Fate::Mark
        } else {
            Fate::Pass
        }
    }

    fn rolls(&mut self, probability: u32) -> bool {
        ((self.random.next_u64() >> 32) as u32) < probability
    }

    /// True with the square of the base probability.
    fn rolls_twice(&mut self) -> bool {
        self.rolls(self.probability) && self.rolls(self.probability)
    }

    /// Applies the AQM; false if it dropped the packet.
    fn survives(&mut self, packet: PacketId, buffer: &mut Buffer) -> bool {
        let fate = self.fate(packet, buffer);
        match fate {
            Fate::Pass => {}
            Fate::Mark => {
                buffer.mark(packet);
            }
            Fate::Drop => buffer.drop(packet),
        }
        fate != Fate::Drop
    }

    /// The step threshold of the L4S queue, its native AQM.
    fn is_above_step(&self, delay_ns: u64) -> bool {
        let waiting_packets = self.queues.scalable_packets();
        let is_long = match self.config.step_thresh_packets {
            Some(threshold) => waiting_packets > threshold,
            None => delay_ns > self.config.step_thresh_ns.unwrap_or(DEFAULT_STEP_NS),
        };
        is_long && waiting_packets >= self.config.min_qlen_step_packets
    }
}

impl QueueDiscipline for Dualpi2 {
    fn enqueue(&mut self, now_ns: u64, packet: PacketId, buffer: &mut Buffer) {
        self.catch_up(now_ns, buffer);
        let mut total = buffer.backlog();
        let is_full = total.packets >= self.config.limit_packets;
        total.add(buffer.frame_bytes(packet));
        if is_full || total.bytes + total.packets * MEMORY_OVERHEAD_BYTES > self.memlimit_bytes {
            buffer.drop(packet);
            return;
        }
        let is_scalable = self.is_scalable(buffer.ecn(packet));
        if !self.config.drop_enqueue || self.survives(packet, buffer) {
            self.queues.push(packet, is_scalable, buffer);
        }
    }

    fn dequeue(&mut self, now_ns: u64, buffer: &mut Buffer) -> Option<PacketId> {
        self.catch_up(now_ns, buffer);
        loop {
            let candidate = self.queues.pop(buffer)?;
            if !self.config.drop_enqueue && !self.survives(candidate.packet, buffer) {
                continue;
            }
            if candidate.is_scalable && self.is_above_step(now_ns - buffer.enqueued_ns(candidate.packet)) {
                buffer.mark(candidate.packet);
            }
            self.queues.charge(&candidate);
            return Some(candidate.packet);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::buffer::List;
    use fairlane_engine::{Streams, NS_PER_MS};

    /// The share of packets of a kind that are marked or dropped at a base probability.
    fn share(ecn: Ecn, probability: f64) -> f64 {
        let mut aqm = Dualpi2::new(&Dualpi2Config::default(), &QueueSetup::example(&Streams::new(1)));
        aqm.probability = (probability * f64::from(u32::MAX)) as u32;
        let (mut buffer, mut list) = (Buffer::new(), List::default());
        for _ in 0..10 {
            let packet = buffer.arrive(1_514, 0, ecn);
            list.push_back(packet, &mut buffer);
            buffer.admit();
        }
        let packet = list.front().expect("ten of them");
        let draws = 1_000_000;
        let hits = (0..draws).filter(|_| aqm.fate(packet, &buffer) != Fate::Pass).count();
        hits as f64 / f64::from(draws)
    }

    /// RFC 9332 §2.1: p_C = p² and p_L = k × p, so that p_C = (p_L / k)².
    #[test]
    fn the_queues_are_coupled_by_the_square() {
        for probability in [0.02, 0.05, 0.1, 0.3] {
            let (classic, scalable) = (share(Ecn::Ect0, probability), share(Ecn::Ect1, probability));
            assert!((scalable / (2.0 * probability) - 1.0).abs() < 0.02, "{probability}: {scalable}");
            assert!((classic / (scalable / 2.0).powi(2) - 1.0).abs() < 0.12, "{probability}: {classic}");
        }
    }

    /// RFC 9332 Appendix A.1: the controller moves p by alpha × error + beta × trend.
    #[test]
    fn one_step_of_the_controller() {
        let mut aqm = Dualpi2::new(&Dualpi2Config::default(), &QueueSetup::example(&Streams::new(1)));
        aqm.update(25 * NS_PER_MS);
        let expected = (41.0 / 256.0 * 0.010 + 819.0 / 256.0 * 0.025) * f64::from(u32::MAX);
        assert!((f64::from(aqm.probability) / expected - 1.0).abs() < 1e-6);
        aqm.update(0);
        assert_eq!(aqm.probability, 0);
    }
}
