//! Changes of a link that its caller decides on while the run goes on, not the scenario.
//!
//! They are those of the scenario's `changes`, so that a scenario with the same changes gives the same result: a frame in
//! transmission goes on at the new rate.

use super::schedule::{Change, Step};
use super::Link;
use crate::queue::Limits;
use crate::store::Store;
use fairlane_contract::ChangeConfig;
use fairlane_engine::EventQueue;

/// A change to come, at `config.at_ns`, and new limits of the queue from now on.
#[derive(Clone, Debug)]
pub struct LiveChange {
    pub config: ChangeConfig,
    pub limit_bytes: Option<u64>,
    pub limit_packets: Option<u64>,
}

/// Why a link cannot be changed: a phrase that follows its name.
pub type Refusal = &'static str;

impl<P: Copy, S: Store<P>> Link<P, S> {
    pub fn change(&mut self, now_ns: u64, change: &LiveChange, events: &mut EventQueue) -> Result<(), Refusal> {
        let ChangeConfig { at_ns, rate_bps, delay_ns, ref loss } = change.config;
        if rate_bps.is_some() && !self.transmitter.has_rate() {
            return Err("has no fixed rate that could change");
        }
        if let Some(loss) = loss {
            let impairments = self.impairments.as_mut();
            let changed = impairments.is_some_and(|impairments| impairments.change_loss(at_ns, loss));
            if !changed {
                return Err("began without loss; give it loss with the probability 0 from the start");
            }
        }
        if change.limit_bytes.is_some() || change.limit_packets.is_some() {
            let of = |limit: Option<u64>| limit.unwrap_or(u64::MAX);
            let limits = Limits { bytes: of(change.limit_bytes), packets: of(change.limit_packets) };
            if !self.store.set_limits(limits) {
                return Err("has a queue without a limit that could change; only a plain FIFO has");
            }
        }
        self.catch_up(now_ns);
        if rate_bps.is_some() || delay_ns.is_some() {
            let is_first = self.schedule.insert(Step { at_ns, change: Change::Values { rate_bps, delay_ns } });
            self.next_change_ns = at_ns.min(self.next_change_ns);
            if is_first && self.free_ns > at_ns {
                self.move_frame();
            }
        }
        self.arm(now_ns, events);
        Ok(())
    }

    /// The frame in transmission ends at another time, since the next change has another rate.
    fn move_frame(&mut self) {
        let end_ns = self.end_across_changes(self.free_ns);
        let keeps_order = self.impairments.as_ref().is_none_or(|impairments| impairments.keeps_distance());
        if keeps_order {
            self.last_arrival_ns = self.store.move_last(end_ns + self.delay_ns);
        }
        self.free_ns = end_ns;
    }
}
