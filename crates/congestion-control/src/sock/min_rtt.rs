//! The windowed minimum of the RTT.

use super::{MinmaxSample, TcpSock};

impl TcpSock {
    /// The windowed minimum RTT in microseconds (`u32::MAX` before the first sample).
    #[inline]
    pub fn min_rtt_us(&self) -> u32 {
        self.rtt_min[0].v
    }

    /// Updates the minimum over a sliding window.
    ///
    /// It stores the smallest sample and the smallest of two later parts of the window (Kathleen Nichols' algorithm), so
    /// that an old minimum can expire without a list of all samples.
    /// `now` and `window` are in jiffies.
    #[inline]
    pub fn update_min_rtt(&mut self, rtt_us: u32, now: u32, window: u32) {
        // A zero RTT would remain forever: take one jiffy instead.
        let value = if rtt_us == 0 { (self.fairlane_jiffy_ns / 1000) as u32 } else { rtt_us };
        let sample = MinmaxSample { t: now, v: value };
        let best = &mut self.rtt_min;
        if value <= best[0].v {
            *best = [sample; 3];
            return;
        }
        if now.wrapping_sub(best[2].t) > window {
            *best = [sample; 3];
            return;
        }
        if value <= best[1].v {
            best[1] = sample;
            best[2] = sample;
        } else if value <= best[2].v {
            best[2] = sample;
        }
        let age = now.wrapping_sub(best[0].t);
        if age > window {
            best[0] = best[1];
            best[1] = best[2];
            best[2] = sample;
            if now.wrapping_sub(best[0].t) > window {
                best[0] = best[1];
                best[1] = best[2];
                best[2] = sample;
            }
        } else if best[1].t == best[0].t && age > window / 4 {
            best[1] = sample;
            best[2] = sample;
        } else if best[2].t == best[1].t && age > window / 2 {
            best[2] = sample;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minimum_expires_after_its_window() {
        let mut sock = TcpSock { rtt_min: [MinmaxSample { t: 0, v: u32::MAX }; 3], ..Default::default() };
        for second in 0..700_u64 {
            sock.update_min_rtt(if second == 10 { 5_000 } else { 20_000 }, 1000 + second as u32, 300);
            if (10..300).contains(&second) {
                assert_eq!(sock.min_rtt_us(), 5_000);
            }
        }
        assert_eq!(sock.min_rtt_us(), 20_000);
    }
}
