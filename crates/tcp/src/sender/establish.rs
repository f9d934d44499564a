//! The start of a sender: the results of the handshake, and the algorithm.

use super::{rtt, Sender};
use fairlane_congestion_control::sock::{ECN_MODE_ACCECN, ECN_OK};
use fairlane_transport::SendLimit;

impl Sender {
    /// The handshake is over: uses its RTT (if measured) and the peer's window, and starts the algorithm.
    ///
    /// As in Linux, the passive end starts with a pacing rate, unless its algorithm sets the rate itself; the active
    /// end has none before the first acknowledgement.
    pub fn establish(&mut self, now_ns: u64, handshake_rtt_us: Option<u32>, peer_window_bytes: u32, passive: bool) {
        self.refresh_clock(now_ns);
        self.set_limit(SendLimit::Idle);
        if let Some(rtt_us) = handshake_rtt_us {
            self.sock.update_min_rtt(rtt_us, self.jiffies, self.min_rtt_window);
            rtt::update_smoothed(&mut self.sock, i64::from(rtt_us.max(1)), self.config.rto_min_us);
            self.update_rto();
        }
        self.sock.delivered = 1; // the SYN counts
        self.sock.max_window = peer_window_bytes;
        self.window_end = self.snd_una + u64::from(peer_window_bytes);
        self.sock.snd_wnd = peer_window_bytes;
        self.sock.snd_cwnd_stamp = self.jiffies;
        self.sock.lsndtime = self.jiffies;
        if self.accecn.as_ref().is_some_and(|accecn| accecn.is_enabled()) {
            self.sock.ecn_flags |= ECN_MODE_ACCECN;
        } else if self.config.ecn {
            self.sock.ecn_flags |= ECN_OK;
        }
        self.may_use_ecn = self.sock.ecn_flags != 0;
        if !self.config.late_algorithm {
            self.algorithm.init(&mut self.sock);
        }
        if passive && !self.callbacks.cong_control {
            self.update_pacing_rate();
        }
    }

    /// Starts the algorithm of a connection with `late_algorithm`.
    pub(crate) fn start_late_algorithm(&mut self) -> bool {
        let starts = std::mem::take(&mut self.config.late_algorithm);
        if starts {
            self.callbacks = self.algorithm.callbacks();
            self.algorithm.init(&mut self.sock);
        }
        starts
    }

    /// Adopts the options that both SYNs offered; `mss_bytes` excludes options.
    pub fn negotiate(&mut self, mss_bytes: u32, sack: bool, ecn: bool) {
        self.config.mss_bytes = mss_bytes;
        self.config.sack &= sack;
        self.config.ecn &= ecn;
        self.sock.mss_cache = mss_bytes;
        self.sock.rx_opt_sack_ok = self.config.sack.into();
    }
}
