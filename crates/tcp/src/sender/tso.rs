//! Burst sizes: TSO autosizing and deferral.
//!
//! Linux passes bursts to the network card, which segments them. Bursts save work, but large ones harm pacing and
//! queues, so their size follows the pacing rate: about one millisecond of data.

use super::Sender;
use fairlane_congestion_control::sock::CaState;
use fairlane_transport::SendLimit;

/// On paths shorter than 2^9 us bursts may be larger (`tcp_tso_rtt_log`).
const SHORT_RTT_SHIFT: u32 = 9;
/// A burst is deferred only if the last one is more recent than this. Linux also defers at exactly this age, but a real
/// host adds processing time, so no acknowledgement arrives so exactly.
const DEFER_WITHIN_NS: u64 = 1_000_000;

impl Sender {
    /// Largest burst, in segments.
    #[inline]
    pub(super) fn burst_segments(&mut self) -> u32 {
        if !self.config.segmentation_offload {
            return 1;
        }
        let minimum = if self.callbacks.min_tso_segs {
            self.algorithm.min_tso_segs(&mut self.sock)
        } else {
            self.config.min_burst_segments
        };
        let sock = &self.sock;
        let mut bytes = self.config.paced_bytes(sock.sk_pacing_rate);
        let short_rtt = sock.rtt_min[0].v >> SHORT_RTT_SHIFT;
        if short_rtt < 32 {
            bytes += u64::from(sock.sk_gso_max_size) >> short_rtt;
        }
        let bytes = bytes.min(u64::from(sock.sk_gso_max_size)) as u32;
        let segments = (bytes / self.current_mss()).max(minimum).clamp(1, u32::from(sock.sk_gso_max_segs));
        if segments != self.write_queue.burst_segments {
            self.size_send_buffer(segments);
        }
        segments
    }

    /// The limit for which a burst is deferred until it can be larger; `None` to send it now.
    ///
    /// `queue_end` is the end of the next burst if no window limits it.
    pub(super) fn defers_burst(&self, queue_end: u64, burst_segments: u32) -> Option<SendLimit> {
        let sock = &self.sock;
        if sock.ca_state() >= CaState::Recovery || sock.tcp_clock_cache >= sock.tcp_wstamp_ns + DEFER_WITHIN_NS {
            return None;
        }
        let mss = u64::from(self.current_mss());
        let queued_bytes = queue_end - self.snd_nxt;
        let send_window = self.window_end.saturating_sub(self.snd_nxt);
        let cong_window = u64::from(sock.snd_cwnd - sock.packets_in_flight()) * mss;
        let limit = send_window.min(cong_window);
        if limit >= u64::from(burst_segments) * mss {
            return None;
        }
        let more_follows = queue_end < self.write_seq;
        if more_follows && limit >= queued_bytes {
            return None;
        }
        let chunk = u64::from(sock.snd_wnd).min(u64::from(sock.snd_cwnd) * mss) / self.config.window_divisor;
        if limit >= chunk {
            return None;
        }
        // Waiting pays only if the next ACK is near.
        let head_sent_us = self.board.head_sent_us()?;
        let srtt_us = u64::from(sock.srtt_us >> 3);
        let age_us = sock.tcp_mstamp.saturating_sub(head_sent_us);
        if age_us + (srtt_us - srtt_us / 2).min(self.config.deferral_limit_us) < srtt_us {
            return None;
        }
        if cong_window < send_window {
            if cong_window <= queued_bytes {
                return Some(SendLimit::CongestionWindow);
            }
        } else if send_window <= queued_bytes {
            return Some(SendLimit::ReceiveWindow);
        }
        if self.fin_pending && !more_follows {
            return None; // the stream ends here
        }
        Some(SendLimit::Application)
    }
}
