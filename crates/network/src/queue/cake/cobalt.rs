//! COBALT: CoDel and BLUE side by side (Palmei et al. 2019).
//!
//! Cake's variant of CoDel signals responsive flows: one schedule determines both the first interval and the spacing of
//! signals, and unwinds step by step once the delay is below target. BLUE handles unresponsive flows: its drop
//! probability rises while the queue overflows and falls while it is empty.

use fairlane_engine::RandomStream;

/// The parameters, shared by all queues.
pub(super) struct Cobalt {
    target_ns: u64,
    interval_ns: u64,
    /// A full frame's time on the shaped link.
    frame_ns: u64,
}

/// The state of one queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    count: u32,
    /// 1/√count in units of 2⁻³².
    inverse_root: u32,
    is_dropping: bool,
    /// Time of the next signal, or of the last one.
    next_ns: u64,
    /// BLUE's probability in units of 2⁻³², and the time of its last change.
    blue: u32,
    blue_changed_ns: u64,
    /// A signal was overdue at the last decision.
    is_late: bool,
}

/// The decisions of CoDel and BLUE on a packet.
#[derive(Clone, Copy)]
pub(super) struct Opinion {
    /// CoDel: mark the packet, or drop it if it is not ECN-capable.
    pub signals: bool,
    /// BLUE: drop the packet.
    pub drops: bool,
}

/// BLUE's steps: up by 1/256, down by 1/4096, at most once per target.
const BLUE_UP: u32 = 1 << 24;
const BLUE_DOWN: u32 = 1 << 20;

impl Default for State {
    fn default() -> Self {
        Self {
            count: 0,
            inverse_root: u32::MAX,
            is_dropping: false,
            next_ns: 0,
            blue: 0,
            blue_changed_ns: 0,
            is_late: false,
        }
    }
}

impl Cobalt {
    pub fn new(rtt_ns: u64, rate_bps: Option<u64>, mtu_frame_bytes: u32) -> Self {
        let target_ns = (rtt_ns / 20).max(1);
        let frame_ns = rate_bps.map_or(0, |rate_bps| u64::from(mtu_frame_bytes) * 8_000_000_000 / rate_bps);
        let slow_target_ns = target_ns.max(frame_ns * 3 / 2);
        Self {
            target_ns: slow_target_ns,
            interval_ns: (rtt_ns + target_ns).saturating_sub(slow_target_ns).max(2 * slow_target_ns),
            frame_ns,
        }
    }

    /// Decides on the next packet of a queue, given its waiting time. To be followed by [`settle`](Self::settle).
    pub fn judge(&self, state: &mut State, now_ns: u64, delay_ns: u64, random: &mut RandomStream) -> Opinion {
        let is_bad = delay_ns > self.target_ns && delay_ns > 4 * self.frame_ns;
        let mut is_due = state.count > 0 && now_ns >= state.next_ns;
        state.is_late = now_ns > state.next_ns;
        if is_bad {
            if !state.is_dropping {
                state.is_dropping = true;
                state.next_ns = self.after(now_ns, state);
            }
            state.count = state.count.max(1);
        } else {
            state.is_dropping = false;
        }
        let signals = is_due && state.is_dropping;
        if signals {
            state.count = state.count.saturating_add(1);
            self.reschedule(state, now_ns);
        }
        while is_due && !signals {
            state.count -= 1;
            self.reschedule(state, now_ns);
            is_due = state.count > 0 && now_ns >= state.next_ns;
        }
        let drops = state.blue > 0 && ((random.next_u64() >> 32) as u32) < state.blue;
        Opinion { signals, drops }
    }

    /// Updates the state after a decision, given whether the packet was dropped.
    pub fn settle(&self, state: &mut State, now_ns: u64, was_dropped: bool) {
        if state.count == 0 {
            // At rest: remembers the queue for another interval.
            state.next_ns = now_ns + self.interval_ns;
        } else if state.is_late && !was_dropped {
            state.next_ns = now_ns;
        }
    }

    /// A packet of the queue was dropped because memory ran out.
    pub fn on_overflow(&self, state: &mut State, now_ns: u64) {
        if now_ns - state.blue_changed_ns > self.target_ns {
            state.blue = state.blue.saturating_add(BLUE_UP);
            state.blue_changed_ns = now_ns;
        }
        state.is_dropping = true;
        state.next_ns = now_ns;
        state.count = state.count.max(1);
    }

    /// The queue was served, but was empty.
    pub fn on_empty(&self, state: &mut State, now_ns: u64) {
        if state.blue > 0 && now_ns - state.blue_changed_ns > self.target_ns {
            state.blue = state.blue.saturating_sub(BLUE_DOWN);
            state.blue_changed_ns = now_ns;
        }
        state.is_dropping = false;
        if state.count > 0 && now_ns >= state.next_ns {
            state.count -= 1;
            self.reschedule(state, now_ns);
        }
    }

    /// After a change of count.
    fn reschedule(&self, state: &mut State, now_ns: u64) {
        state.improve_root();
        state.next_ns = self.after(state.next_ns, state);
        state.is_late = now_ns > state.next_ns;
    }

    fn after(&self, time_ns: u64, state: &State) -> u64 {
        time_ns + ((u128::from(self.interval_ns) * u128::from(state.inverse_root)) >> 32) as u64
    }
}

impl State {
    pub fn is_at_rest(&self, now_ns: u64) -> bool {
        self.blue == 0 && self.count == 0 && now_ns >= self.next_ns
    }

    /// Exact for small counts, where a Newton step from the neighbour is inaccurate; a Newton step above.
    fn improve_root(&mut self) {
        self.inverse_root = match self.count {
            0 | 1 => u32::MAX,
            count @ 2..16 => (u64::MAX / u64::from(count)).isqrt() as u32,
            count => {
                let x = u64::from(self.inverse_root);
                let factor = (3_u64 << 32).saturating_sub(u64::from(count) * ((x * x) >> 32));
                (((factor >> 2) * x) >> 31) as u32
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_follows_the_count_up_and_down() {
        let mut state = State::default();
        for count in (1..3_000_u32).chain((1..3_000).rev()) {
            state.count = count;
            state.improve_root();
            let expected = (4_294_967_296.0 / f64::from(count).sqrt()).min(4_294_967_295.0);
            let error = (f64::from(state.inverse_root) - expected).abs() / expected;
            assert!(error < 0.003, "count {count}: {error}");
        }
    }
}
