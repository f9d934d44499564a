//! Dynamic right-sizing: once per RTT, the buffer adapts to the rate at which the application reads, so that the
//! receive window never limits a growing sender.

use super::config::ReceiverConfig;
use super::window::Window;

/// The receiver's own estimate of the round-trip time, scaled by 8, in microseconds; 0 before the first.
///
/// A receiver that sends no data has no ACKs to measure. It measures the time until its timestamp is echoed, or the
/// time in which one window arrives, which is an upper bound.
#[derive(Clone, Debug, Default)]
pub(super) struct ReceiverRtt {
    pub eighths_us: u64,
    last_echo: u32,
    /// End of the measured window, and the start time of the measurement.
    window: Option<(u64, u64)>,
}

impl ReceiverRtt {
    /// A full-sized segment echoes the timestamp `echo`; one sample per value of the clock. A `prompt` estimate falls to
    /// a shorter sample at once.
    #[inline]
    pub fn on_echo(&mut self, now_ms: u32, echo: u32, full_sized: bool, prompt: bool) {
        if echo == self.last_echo {
            return;
        }
        self.last_echo = echo;
        let elapsed_ms = now_ms.wrapping_sub(echo);
        if full_sized && elapsed_ms < MAX_SAMPLE_MS {
            let sample_us = u64::from(elapsed_ms.max(1)) * 1000;
            self.eighths_us = match self.eighths_us {
                0 => sample_us * 8,
                old if prompt && sample_us * 8 < old => sample_us * 8,
                old => old - old / 8 + sample_us,
            };
        }
    }

    /// In-order data arrived: takes a sample if it completes the measured window. It is not smoothed, because the
    /// minimum is target_bytes.
    #[inline]
    pub fn on_in_order_data(&mut self, now_ns: u64, next: u64, window_bytes: u32) {
        match self.window {
            Some((end, _)) if next < end => return,
            Some((_, start_ns)) => {
                let sample = ((now_ns - start_ns) / 1000).max(1) * 8;
                if self.eighths_us == 0 || sample < self.eighths_us {
                    self.eighths_us = sample;
                }
            }
            None => {}
        }
        self.window = Some((next + u64::from(window_bytes), now_ns));
    }
}

#[derive(Clone, Debug)]
pub(super) struct RightSizing {
    /// Bytes that the application read in the fastest round so far.
    pub space: u32,
    round_start: u64,
    round_start_ns: u64,
}

impl RightSizing {
    pub fn new(now_ns: u64, read_up_to: u64, window: &Window, advertised_mss: u32) -> Self {
        let space = window.threshold.min(window.offered).min(INITIAL_WINDOW_SEGMENTS * advertised_mss);
        Self { space, round_start: read_up_to, round_start_ns: now_ns }
    }

    /// Whether a round is over.
    #[inline]
    pub fn is_due(&self, now_ns: u64, rtt: &ReceiverRtt) -> bool {
        rtt.eighths_us > 0 && now_ns - self.round_start_ns >= rtt.eighths_us / 8 * 1000
    }

    /// The application has read up to `read_up_to`, and a round is over: sizes the buffer for the next one. Data that waits
    /// for a hole to be filled reaches this far beyond the hole's begin.
    pub fn on_round(
        &mut self,
        now_ns: u64,
        read_up_to: u64,
        rtt: &ReceiverRtt,
        reach: u64,
        config: &ReceiverConfig,
        window: &mut Window,
    ) {
        let copied = read_up_to - self.round_start;
        if copied > u64::from(self.space) {
            if config.autotune {
                self.enlarge(copied, rtt, reach, config, window);
            }
            self.space = copied as u32;
        }
        self.round_start = read_up_to;
        self.round_start_ns = now_ns;
    }

    /// Data arrived behind a hole: since Linux 6.16 the buffer has room for it at once.
    pub fn on_out_of_order(&self, rtt: &ReceiverRtt, reach: u64, config: &ReceiverConfig, window: &mut Window) {
        if config.autotune {
            self.enlarge(u64::from(self.space), rtt, reach, config, window);
        }
    }

    /// Makes room for twice the bytes read in a round, to survive a loss, plus twice their growth in this round, because a
    /// sender in slow start doubles its window before the new one takes effect.
    fn enlarge(&self, copied: u64, rtt: &ReceiverRtt, reach: u64, config: &ReceiverConfig, window: &mut Window) {
        let space = u64::from(self.space);
        let (reserve, reach) = if config.prompt_right_sizing {
            (0, reach)
        } else {
            (RESERVE_SEGMENTS * u64::from(window.advertised_mss), 0)
        };
        let steady = 2 * copied + reserve;
        let low_rtt_us = u64::from(config.rcvbuf_low_rtt_us);
        let growth = match rtt.eighths_us / 8 {
            rtt_us if config.prompt_right_sizing && rtt_us < low_rtt_us => steady * rtt_us / low_rtt_us,
            _ => 2 * (steady * (copied - space) / space),
        };
        let target_bytes = window.buffer_for(steady + growth + reach).min(u64::from(window.buffer_limit_bytes));
        window.enlarge(target_bytes as u32);
    }
}

/// Held in reserve before Linux 6.16.
const RESERVE_SEGMENTS: u64 = 16;
/// RFC 6928.
const INITIAL_WINDOW_SEGMENTS: u32 = 10;
/// Half the range of a 32-bit clock in microseconds; longer times are not round trips.
const MAX_SAMPLE_MS: u32 = i32::MAX as u32 / 1000;
