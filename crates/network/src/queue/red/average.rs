//! The moving mean of the queue's length, and its decay while the queue is idle (Floyd and Jacobson 1993 §11).

use super::parameters::Damping;

pub(super) struct Average {
    /// The mean in bytes, times 2^Wlog.
    scaled: u64,
    /// A new sample counts 2^−Wlog.
    weight_log: u32,
    idle_since_ns: Option<u64>,
    damping: Damping,
}

impl Average {
    pub fn new(weight_log: u32, damping: Damping) -> Self {
        Self { scaled: 0, weight_log, idle_since_ns: None, damping }
    }

    pub fn weight_log(&self) -> u32 {
        self.weight_log
    }

    /// A packet arrived. The first one after an idle period adds no sample, as in Linux: the mean decays instead.
    #[inline]
    pub fn on_arrival(&mut self, now_ns: u64, backlog_bytes: u64) -> u64 {
        self.scaled = match self.idle_since_ns {
            Some(_) => self.at(now_ns),
            None => self.scaled + backlog_bytes - (self.scaled >> self.weight_log),
        };
        self.idle_since_ns = None;
        self.scaled
    }

    pub fn start_idling(&mut self, now_ns: u64) {
        self.idle_since_ns = Some(now_ns);
    }

    /// The mean at a time, without a new sample.
    pub fn at(&self, now_ns: u64) -> u64 {
        let Some(since_ns) = self.idle_since_ns else { return self.scaled };
        self.damping.decayed(self.scaled, (now_ns - since_ns) / 1_000)
    }
}
