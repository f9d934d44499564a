//! The receive window, within a buffer that is counted in memory.
//!
//! `scaling_ratio` converts buffer into window. `threshold` is the current limit on the advertised window; it grows
//! with every well-filled segment up to `clamp`, the window of the whole buffer. The right edge never moves back (RFC
//! 9293 §3.8.6).

use std::num::NonZeroU8;

#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct Window {
    pub last_ack_sent: u64,
    /// Window and `ack` of the last ACK sent.
    pub offered: u32,
    /// Memory that the queues use.
    pub used_bytes: u32,
    /// Memory that the queues may use.
    pub buffer_bytes: u32,
    /// Current limit on the advertised window.
    pub threshold: u32,
    /// Upper limit on the advertised window.
    pub clamp: u32,
    pub advertised_mss: u32,
    pub buffer_limit_bytes: u32,
    pub scale: u8,
    /// Payload per buffer memory in 256ths.
    scaling_ratio: u8,
}

impl Window {
    /// The state right after the handshake, whose window is unscaled and a multiple of the MSS.
    pub fn new(
        buffer_bytes: u32,
        limit_bytes: u32,
        scale: Option<u8>,
        scaling_ratio: u8,
        mss: u32,
        advertised_mss: u32,
        next: u64,
    ) -> Self {
        let scale = scale.unwrap_or_else(|| window_scale(limit_bytes)).min(MAX_WINDOW_SCALE);
        let mut window = Self {
            buffer_bytes,
            buffer_limit_bytes: limit_bytes.max(buffer_bytes),
            clamp: UNSCALED_MAX << scale,
            threshold: 0,
            offered: 0,
            last_ack_sent: next,
            scale,
            scaling_ratio,
            advertised_mss,
            used_bytes: 0,
        };
        let full = window.worth_of(buffer_bytes);
        let rounded = if full > mss { full - full % mss } else { full };
        window.offered = rounded.min(UNSCALED_MAX);
        window.clamp = window.clamp.min(full);
        // One segment is kept in reserve, so that a last partial segment never stops the sender.
        if window.clamp > 2 * advertised_mss && window.clamp + advertised_mss > full {
            window.clamp = (2 * advertised_mss).max(full - advertised_mss);
        }
        window.threshold = window.offered.min(window.clamp);
        window
    }

    /// The unused part of the last advertised window.
    #[inline]
    pub fn remaining(&self, next: u64) -> u32 {
        (self.last_ack_sent + u64::from(self.offered)).saturating_sub(next) as u32
    }

    /// Window of `buffer_bytes` of memory.
    #[inline]
    pub fn worth_of(&self, buffer_bytes: u32) -> u32 {
        ((u64::from(buffer_bytes) * u64::from(self.scaling_ratio)) >> 8) as u32
    }

    /// Memory that a window needs.
    pub fn buffer_for(&self, window_bytes: u64) -> u64 {
        (window_bytes << 8) / u64::from(self.scaling_ratio)
    }

    /// Free window; negative when the queues overflow the buffer.
    #[inline]
    fn space(&self) -> i64 {
        ((i64::from(self.buffer_bytes) - i64::from(self.used_bytes)) * i64::from(self.scaling_ratio)) >> 8
    }

    /// The window for the next ACK, never moving the right edge back. Also tells whether less than
    /// half of the buffer is free, which ends quick ACKs.
    #[inline]
    pub fn select(&self, receive_mss: u32) -> (u32, bool) {
        let mut free = self.space();
        let allowed = i64::from(self.worth_of(self.buffer_bytes));
        let full = i64::from(self.clamp).min(allowed);
        let mss = i64::from(receive_mss).min(full);
        if mss <= 0 {
            return (0, false);
        }
        let crowded = free < full / 2;
        if crowded {
            free &= !((1 << self.scale) - 1);
            // Close before the memory runs out, and avoid silly windows (RFC 9293 §3.8.6.2.2).
            if free < allowed >> 4 || free < mss {
                return (0, true);
            }
        }
        let free = free.min(i64::from(self.threshold)) as u32;
        if self.scale > 0 {
            return (align(free, self.scale), crowded);
        }
        // Without scaling the window is a multiple of the MSS, and unchanged while it is close enough.
        let (mss, full) = (mss as u32, full as u32);
        let mut window = self.offered;
        if window + mss <= free || window > free {
            window = free - free % mss;
        } else if mss == full && free > window + full / 2 {
            window = free;
        }
        (window, crowded)
    }

    /// Records and returns the window of an outgoing segment that acknowledges `next`.
    #[inline]
    pub fn offer(&mut self, selected: u32, next: u64) -> u32 {
        let remaining = self.remaining(next);
        self.offered = if selected < remaining { align(remaining, self.scale) } else { selected };
        self.last_ack_sent = next;
        let shown = self.offered.min(UNSCALED_MAX << self.scale);
        shown >> self.scale << self.scale
    }

    /// Closes the window after incoming data was dropped for lack of memory: the one case in which the right edge moves
    /// back.
    pub fn close(&mut self, next: u64) {
        self.offered = 0;
        self.last_ack_sent = next;
    }

    /// A segment of a new size gives the true ratio of window to buffer. It may raise the advertised window to the one
    /// offered last, which the segment held in reserve had reduced.
    pub fn learn_ratio(&mut self, payload_bytes: u32, memory_bytes: u32, raises: bool) -> bool {
        let ratio = ((u64::from(payload_bytes) << 8) / u64::from(memory_bytes)).clamp(1, 255) as u8;
        if ratio == self.scaling_ratio {
            return false;
        }
        self.scaling_ratio = ratio;
        let clamp = self.worth_of(self.buffer_bytes).max(MINIMUM_BUFFER_BYTES / 2);
        if clamp < self.clamp {
            self.threshold = self.threshold.min(clamp);
        } else if raises && clamp > self.clamp {
            self.threshold = self.threshold.max(self.offered.min(clamp));
        }
        self.clamp = clamp;
        true
    }

    /// Grows the advertised window after a segment that fills its memory well. Returns whether it grew; the sender
    /// should then learn it soon.
    #[inline]
    pub fn grow(&mut self, payload_bytes: u32, memory_bytes: u32, receive_mss: u32) -> bool {
        let room = i64::from(self.clamp).min(self.space()) - i64::from(self.threshold);
        if room <= 0 {
            return false;
        }
        let step = if self.worth_of(memory_bytes) <= payload_bytes {
            2 * self.advertised_mss
        } else if self.is_affordable(payload_bytes, memory_bytes) {
            2 * receive_mss
        } else {
            return false;
        };
        self.threshold += room.min(i64::from(step.max(2 * payload_bytes))) as u32;
        true
    }

    /// A segment with little payload per memory may grow a small window but not a large one: each halving of the window
    /// halves the required payload per memory.
    fn is_affordable(&self, payload_bytes: u32, memory_bytes: u32) -> bool {
        let mut cost = self.worth_of(memory_bytes) / 2;
        let mut window = self.worth_of(self.buffer_limit_bytes) / 2;
        while self.threshold <= window {
            if cost <= payload_bytes {
                return true;
            }
            cost /= 2;
            window /= 2;
        }
        false
    }

    /// Enlarges the buffer, and the clamp with it.
    pub fn enlarge(&mut self, buffer_bytes: u32) {
        if buffer_bytes > self.buffer_bytes {
            self.buffer_bytes = buffer_bytes;
            self.clamp = self.worth_of(buffer_bytes);
        }
    }

    #[inline]
    pub fn is_overcommitted(&self) -> bool {
        self.used_bytes > self.buffer_bytes
    }

    /// The queues are full: grows the buffer to their size, up to the limit, and reduces the advertised window.
    pub fn on_overcommit(&mut self) {
        if self.buffer_bytes < self.buffer_limit_bytes {
            self.buffer_bytes = self.used_bytes.min(self.buffer_limit_bytes);
        }
        if self.is_overcommitted() {
            self.threshold = self.clamp.min(2 * self.advertised_mss);
        }
    }
}

/// Payload per buffer memory in 256ths where it is fixed (`tcp_win_from_space` before Linux 6.6).
pub(super) fn ratio_of(adv_win_scale: NonZeroU8) -> u8 {
    let reserved = 256_u32.checked_shr(adv_win_scale.get().into()).unwrap_or(0);
    (256 - reserved).min(255) as u8
}

/// The scale at which the largest buffer fits into 16 bits.
fn window_scale(limit_bytes: u32) -> u8 {
    (limit_bytes.max(SOCKET_BUFFER_LIMIT_BYTES).ilog2() - 15) as u8
}

#[inline]
fn align(window: u32, scale: u8) -> u32 {
    let rest = (1 << scale) - 1; // the unit is a power of two: no division for every ACK
    (window + rest) & !rest
}

const UNSCALED_MAX: u32 = 65_535;
/// RFC 7323 §2.3.
const MAX_WINDOW_SCALE: u8 = 14;
/// `net.core.rmem_max`, which also limits the window scale.
const SOCKET_BUFFER_LIMIT_BYTES: u32 = 212_992;
/// `SOCK_MIN_RCVBUF`.
const MINIMUM_BUFFER_BYTES: u32 = 2304;
