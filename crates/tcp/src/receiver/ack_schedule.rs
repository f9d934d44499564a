//! The schedule of ACKs for in-order segments: quick ACKs, every second segment, or the delayed-ACK timer (RFC 5681
//! §4.2, RFC 1122 §4.2.3.2), with Linux's estimators.

use crate::segment::DEFAULT_MSS;
use fairlane_congestion_control::jiffies;
use fairlane_engine::prefetch;

/// State that decides when the next acknowledgement is sent.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct AckSchedule {
    /// Time at which the delayed-ACK timer fires on the timer wheel; `u64::MAX` when it is off.
    timer_fires_ns: u64,
    /// Expiry of the armed timer in jiffies.
    timer_expires: u64,
    /// Segments still to be acknowledged one by one.
    pub quick: u32,
    /// Estimated payload of the peer's full-sized segments.
    pub receive_mss: u32,
    last_small_segment_bytes: u32,
    /// An ACK is scheduled (`ICSK_ACK_SCHED`).
    pub scheduled: bool,
    /// It must be sent at once.
    pub now: bool,
    /// Incoming data could not be stored: the ACK must close the window.
    pub out_of_memory: bool,
    /// A segment arrived that probably ends an application's write; then a second one.
    pushed: bool,
    pushed_twice: bool,
    /// Replies sent shortly after data arrived; many of them indicate an interactive connection.
    pingpong: u8,
    pingpong_threshold: u8,
    /// Delayed-ACK timeout estimate in jiffies; 0 before the first data.
    timeout_estimate: u64,
    /// Jiffy of the last in-order data.
    last_received: u64,
    /// The current jiffy and its end, to divide only once per jiffy.
    jiffy: u64,
    jiffy_end_ns: u64,
    /// HZ / 25 = 40 ms: minimum of the timeout and of its estimate.
    minimum: u64,
    /// 200 ms less one jiffy: an ACK must leave before the sender's minimum retransmission timeout.
    maximum: u64,
    jiffy_ns: u64,
    /// Last pair of (current jiffy, expiry in jiffies) and its result.
    fires_cache: (u64, u64, u64),
}

impl AckSchedule {
    pub fn new(jiffy_ns: u64, pingpong_threshold: u8, receive_mss: u32) -> Self {
        let hz = NS_PER_S / jiffy_ns;
        Self {
            scheduled: false,
            now: false,
            out_of_memory: false,
            pushed: false,
            pushed_twice: false,
            quick: 0,
            pingpong: 0,
            pingpong_threshold,
            receive_mss,
            last_small_segment_bytes: 0,
            timeout_estimate: 0,
            last_received: 0,
            timer_fires_ns: u64::MAX,
            timer_expires: 0,
            jiffy_ns,
            minimum: (hz / 25).max(1),
            maximum: ((hz / 5).max(2) - 1).max(1),
            jiffy: 0,
            jiffy_end_ns: 0,
            fires_cache: (u64::MAX, 0, 0),
        }
    }

    /// Prefetches its two cache lines.
    #[inline]
    pub fn prefetch(&self) {
        prefetch(&self.timer_fires_ns);
        prefetch(&self.jiffy);
    }

    /// Updates the estimators with an in-order data segment. `window_bytes` is the advertised window, `rto_ns` this
    /// host's retransmission timeout.
    #[inline]
    pub fn on_in_order_data(&mut self, now_ns: u64, window_bytes: u32, rto_ns: impl Fn() -> u64) {
        self.scheduled = true;
        let now = self.jiffy(now_ns);
        let gap = now - self.last_received;
        self.last_received = now;
        if self.timeout_estimate == 0 {
            self.add_quick(MAX_QUICK_ACKS, window_bytes);
            self.timeout_estimate = self.minimum;
        } else if gap <= self.minimum / 2 {
            self.timeout_estimate = self.timeout_estimate / 2 + self.minimum / 2;
        } else if gap < self.timeout_estimate {
            self.timeout_estimate = (self.timeout_estimate / 2 + gap).min(rto_ns() / self.jiffy_ns);
        } else if gap * self.jiffy_ns > rto_ns() {
            // The sender was idle for longer than its RTO and probably restarts with a small window.
            self.add_quick(MAX_QUICK_ACKS, window_bytes);
        }
    }

    /// Estimates the peer's segment size from a segment of `payload_bytes` per wire packet. Returns whether a new size
    /// at least reaches the estimate.
    #[inline]
    pub fn measure_segment(&mut self, payload_bytes: u32, push: bool, advertised_mss: u32) -> bool {
        let last_small = std::mem::take(&mut self.last_small_segment_bytes);
        if payload_bytes >= self.receive_mss {
            let is_new_size = payload_bytes != self.receive_mss;
            self.receive_mss = payload_bytes.min(advertised_mss);
            self.pushed |= push;
            return is_new_size;
        }
        // A smaller size counts when it arrives twice in a row and is not a small remainder.
        if payload_bytes >= DEFAULT_MSS || (payload_bytes >= MINIMUM_MSS && !push) {
            self.last_small_segment_bytes = payload_bytes;
            if payload_bytes == last_small {
                self.receive_mss = payload_bytes;
                return false;
            }
        }
        self.pushed_twice |= self.pushed;
        self.pushed = true;
        false
    }

    /// Acknowledges the next segments one by one, after an anomaly or for a small sender window.
    pub fn enter_quick_mode(&mut self, segments: u32, window_bytes: u32) {
        self.add_quick(segments, window_bytes);
        self.pingpong = 0;
        self.timeout_estimate = self.minimum;
    }

    fn add_quick(&mut self, segments: u32, window_bytes: u32) {
        let limit = match window_bytes / (2 * self.receive_mss) {
            0 => 2,
            half_window => half_window,
        };
        self.quick = self.quick.max(limit.min(segments));
    }

    #[inline]
    pub fn in_quick_mode(&self) -> bool {
        self.quick > 0 && !self.is_interactive()
    }

    #[inline]
    pub fn is_interactive(&self) -> bool {
        self.pingpong >= self.pingpong_threshold
    }

    /// The application emptied the buffer: whether the end of a write is acknowledged at once.
    #[inline]
    pub fn ack_when_emptied(&self) -> bool {
        self.pushed_twice || (self.pushed && !self.is_interactive())
    }

    /// Arms the delayed-ACK timer; true if an armed one is about to expire, so that the ACK can be sent now.
    #[inline]
    pub fn delay(&mut self, now_ns: u64, srtt_us: u32) -> bool {
        let mut wait = self.timeout_estimate;
        if wait > self.minimum {
            let hz = NS_PER_S / self.jiffy_ns;
            let mut limit = if self.is_interactive() || self.pushed { hz / 5 } else { hz / 2 };
            if srtt_us > 0 {
                limit = limit.min(jiffies::us_to_jiffies(u64::from(srtt_us), self.jiffy_ns).max(self.minimum));
            }
            wait = wait.min(limit);
        }
        wait = wait.min(self.maximum);
        let now = self.jiffy(now_ns);
        let expires = now + wait;
        self.scheduled = true;
        if self.timer_fires_ns != u64::MAX {
            if self.timer_expires <= now + wait / 4 {
                return true;
            }
            if self.timer_expires <= expires {
                return false;
            }
        }
        if (self.fires_cache.0, self.fires_cache.1) != (now, expires) {
            self.fires_cache = (now, expires, jiffies::timer_fires_ns(now_ns, expires - now, self.jiffy_ns));
        }
        (self.timer_expires, self.timer_fires_ns) = (expires, self.fires_cache.2);
        false
    }

    /// Time at which the delayed-ACK timer fires; `u64::MAX` when it is off.
    #[inline]
    pub fn deadline_ns(&self) -> u64 {
        self.timer_fires_ns
    }

    /// The pending ACK in the bits of `icsk_ack.pending`.
    pub fn pending_bits(&self) -> u8 {
        [
            (self.scheduled, pending::SCHEDULED),
            (self.timer_fires_ns != u64::MAX, pending::TIMER),
            (self.pushed, pending::PUSHED),
            (self.pushed_twice, pending::PUSHED_TWICE),
            (self.now, pending::NOW),
            (self.out_of_memory, pending::NO_MEMORY),
        ]
        .iter()
        .fold(0, |bits, &(set, bit)| if set { bits | bit } else { bits })
    }

    /// The timer fired; true if an ACK must be sent. Then the estimate was too small: the peer sends more slowly, or
    /// (on an interactive connection) no reply carried the ACK.
    pub fn on_timer(&mut self, now_ns: u64, rto_ns: u64) -> bool {
        if self.timer_fires_ns > now_ns {
            return false;
        }
        self.timer_fires_ns = u64::MAX;
        if !self.scheduled {
            return false;
        }
        if self.is_interactive() {
            self.pingpong = 0;
            self.timeout_estimate = self.minimum;
        } else {
            self.timeout_estimate = (self.timeout_estimate * 2).min(rto_ns / self.jiffy_ns);
        }
        true
    }

    /// An ACK was sent, pure or on data.
    #[inline]
    pub fn on_ack_sent(&mut self) {
        if self.quick > 0 && self.scheduled {
            self.quick -= 1;
            if self.quick == 0 {
                self.timeout_estimate = self.minimum;
            }
        }
        self.scheduled = false;
        self.now = false;
        self.out_of_memory = false;
        self.pushed = false;
        self.pushed_twice = false;
        self.timer_fires_ns = u64::MAX;
    }

    /// Data was sent: a reply within the timeout indicates an interactive connection.
    pub fn on_data_sent(&mut self, now_ns: u64) {
        if self.jiffy(now_ns) - self.last_received < self.timeout_estimate {
            self.pingpong = self.pingpong.saturating_add(1);
        }
    }

    /// Sets whether the connection counts as interactive (TCP_QUICKACK).
    pub fn set_interactive(&mut self, interactive: bool) {
        self.pingpong = if interactive { self.pingpong_threshold } else { 0 };
    }

    pub fn timeout_us(&self) -> u64 {
        self.timeout_estimate * self.jiffy_ns / 1000
    }

    /// The peer closed its direction: own data carries the ACKs from now on.
    pub fn enter_interactive(&mut self) {
        self.pingpong = self.pingpong_threshold;
    }

    #[inline]
    fn jiffy(&mut self, now_ns: u64) -> u64 {
        if now_ns >= self.jiffy_end_ns {
            self.jiffy = jiffies::jiffies(now_ns, self.jiffy_ns);
            self.jiffy_end_ns = (now_ns / self.jiffy_ns + 1) * self.jiffy_ns;
        }
        self.jiffy
    }
}

/// Bits of `icsk_ack.pending` (`enum inet_csk_ack_state_t`).
pub(super) mod pending {
    pub const SCHEDULED: u8 = 1;
    pub const TIMER: u8 = 2;
    pub const PUSHED: u8 = 4;
    pub const PUSHED_TWICE: u8 = 8;
    pub const NOW: u8 = 16;
    pub const NO_MEMORY: u8 = 32;
}

/// Segments acknowledged one by one at the start of a connection (`TCP_MAX_QUICKACKS`).
pub(super) const MAX_QUICK_ACKS: u32 = 16;
/// Smaller segments do not reveal the path's MSS.
const MINIMUM_MSS: u32 = 88;
const NS_PER_S: u64 = 1_000_000_000;
