//! The timers of a sender: one for loss recovery and window probes, one for pacing.
//!
//! As in Linux, the retransmission timeout, the tail loss probe, RACK's reordering timer and the zero-window probe
//! share one timer, since at most one of them is armed at a time. It counts jiffies and fires at their boundaries;
//! pacing has a precise timer of its own.

use super::Sender;
use fairlane_congestion_control::jiffies::timer_fires_ns;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TimerKind {
    #[default]
    Off,
    Retransmission,
    LossProbe,
    Reordering,
    WindowProbe,
}

/// An armed timer. Its exact time is computed only when it may be due.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Timer {
    pub kind: TimerKind,
    pub armed_ns: u64,
    pub delay_ns: u64,
}

impl Timer {
    fn fires_ns(&self, jiffy_ns: u64) -> u64 {
        timer_fires_ns(self.armed_ns, self.delay_ns.div_ceil(jiffy_ns), jiffy_ns)
    }
}

impl Sender {
    /// A lower bound of the next timer, cheap to compute; `u64::MAX` when none is set.
    #[inline]
    pub fn wakeup_bound_ns(&self) -> u64 {
        let timer_ns =
            if self.timer.kind == TimerKind::Off { u64::MAX } else { self.timer.armed_ns + self.timer.delay_ns };
        timer_ns.min(self.pacing_deadline_ns)
    }

    /// The exact time of the next timer; `u64::MAX` when none is set.
    pub fn deadline_ns(&self) -> u64 {
        let timer_ns =
            if self.timer.kind == TimerKind::Off { u64::MAX } else { self.timer.fires_ns(self.config.jiffy_ns) };
        timer_ns.min(self.pacing_deadline_ns)
    }

    /// Runs the timers that are due at `now_ns`.
    pub fn on_timer(&mut self, now_ns: u64) {
        if self.pacing_deadline_ns <= now_ns {
            self.refresh_clock(now_ns);
            self.on_pacing_timer();
        }
        if self.timer.kind == TimerKind::Off
            || self.timer.armed_ns + self.timer.delay_ns > now_ns
            || self.timer.fires_ns(self.config.jiffy_ns) > now_ns
        {
            return;
        }
        self.refresh_clock(now_ns);
        self.resume_pacing();
        match self.timer.kind {
            TimerKind::Off => {}
            TimerKind::Reordering => self.on_reordering_timeout(),
            TimerKind::LossProbe => self.send_loss_probe(),
            TimerKind::Retransmission => {
                self.timer.kind = TimerKind::Off;
                self.on_retransmission_timeout();
            }
            TimerKind::WindowProbe => {
                self.timer.kind = TimerKind::Off;
                self.send_window_probe();
            }
        }
        self.check_invariants();
    }

    pub(super) fn set_timer(&mut self, kind: TimerKind, delay_ns: u64) {
        // The timer of a paced packet starts at its departure.
        let pacing_ns = self.sock.tcp_wstamp_ns.saturating_sub(self.sock.tcp_clock_cache);
        let pacing_jiffies_ns =
            if pacing_ns >= self.config.jiffy_ns { pacing_ns - pacing_ns % self.config.jiffy_ns } else { 0 };
        self.timer = Timer {
            kind,
            armed_ns: self.sock.tcp_clock_cache,
            delay_ns: (delay_ns + pacing_jiffies_ns).min(super::MAX_RTO_US * 1000),
        };
    }

    /// After an acknowledgement: arms the probe timer if a tail loss probe may be sent, else the retransmission timer.
    pub(super) fn set_loss_timer(&mut self) {
        if !self.schedule_loss_probe(true) {
            self.rearm_rto();
        }
    }
}
