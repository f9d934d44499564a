//! The limit that keeps a sender from sending, and the time for which each limit did.

/// The reason for which the last attempt to send stopped. The order is that of the messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum SendLimit {
    /// The connection is not established.
    #[default]
    Handshake,
    /// All data was acknowledged, so the application is the limit, and the connection is not busy.
    Idle,
    /// All data was sent, or the rest is too small to be sent alone: the application is the limit.
    Application,
    CongestionWindow,
    Pacing,
    /// The queue of the sender's own host holds enough of its data (TCP Small Queues).
    SmallQueue,
    /// The peer's window (over QUIC, its flow control).
    ReceiveWindow,
    /// The application has more data, or waits to write it, but the send buffer is full.
    SendBuffer,
}

impl SendLimit {
    pub const COUNT: usize = Self::SendBuffer as usize + 1;
}

/// The time for which each limit applied, as Linux's `tcp_chrono` counts it: from one attempt to send to the next. Time is
/// added when the limit changes, so an attempt with the same result costs a comparison.
///
/// Linux keeps three of the limits, in whole jiffies: the receive window, the send buffer, and `busy` for all but
/// [`Handshake`](SendLimit::Handshake) and [`Idle`](SendLimit::Idle).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitTimes {
    limit: SendLimit,
    since_ns: u64,
    times_ns: [u64; SendLimit::COUNT],
}

impl LimitTimes {
    /// Records the result of an attempt to send at `now_ns`, which never decreases.
    #[inline]
    pub fn set(&mut self, limit: SendLimit, now_ns: u64) {
        if limit != self.limit {
            self.change(limit, now_ns);
        }
    }

    #[inline(never)]
    fn change(&mut self, limit: SendLimit, now_ns: u64) {
        self.times_ns = self.until(now_ns);
        self.limit = limit;
        self.since_ns = now_ns;
    }

    /// The time of each limit up to `now_ns`, by the number of the limit.
    pub fn until(&self, now_ns: u64) -> [u64; SendLimit::COUNT] {
        let mut times_ns = self.times_ns;
        times_ns[self.limit as usize] += now_ns.saturating_sub(self.since_ns);
        times_ns
    }

    /// The time up to `now_ns` in which data was queued or in flight (`tcpi_busy_time`).
    pub fn busy_ns(&self, now_ns: u64) -> u64 {
        self.until(now_ns)[SendLimit::Application as usize..].iter().sum()
    }

    /// The part of the busy time for which the receive window was the limit (`tcpi_rwnd_limited`).
    pub fn rwnd_limited_ns(&self, now_ns: u64) -> u64 {
        self.until(now_ns)[SendLimit::ReceiveWindow as usize]
    }

    /// The part of the busy time for which the send buffer was the limit (`tcpi_sndbuf_limited`).
    pub fn sndbuf_limited_ns(&self, now_ns: u64) -> u64 {
        self.until(now_ns)[SendLimit::SendBuffer as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_belongs_to_the_limit_since_the_last_change() {
        let mut times = LimitTimes::default();
        times.set(SendLimit::Idle, 10);
        times.set(SendLimit::CongestionWindow, 15);
        times.set(SendLimit::CongestionWindow, 18);
        times.set(SendLimit::ReceiveWindow, 20);
        let until = times.until(50);
        assert_eq!(until[SendLimit::Handshake as usize], 10);
        assert_eq!(until[SendLimit::Idle as usize], 5);
        assert_eq!(until[SendLimit::CongestionWindow as usize], 5);
        assert_eq!(until[SendLimit::ReceiveWindow as usize], 30);
        assert_eq!(until.iter().sum::<u64>(), 50);
        assert_eq!((times.busy_ns(20), times.busy_ns(50)), (5, 35));
        assert_eq!((times.rwnd_limited_ns(50), times.sndbuf_limited_ns(50)), (30, 0));
    }
}
