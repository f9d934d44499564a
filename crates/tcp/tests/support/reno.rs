//! Reno (RFC 5681) in Rust: the simplest thing that drives the sender in its own tests.

use fairlane_tcp::{AckSample, AlgorithmFault, CaEvent, Callbacks, CongestionControl, RateSample, TcpSock};

#[derive(Default)]
pub struct Reno {
    prior_cwnd: u32,
}

impl CongestionControl for Reno {
    fn callbacks(&self) -> Callbacks {
        Callbacks::default()
    }
    fn init(&mut self, _: &mut TcpSock) {}
    fn release(&mut self, _: &mut TcpSock) {}

    fn ssthresh(&mut self, sock: &mut TcpSock) -> u32 {
        self.prior_cwnd = sock.snd_cwnd;
        (sock.snd_cwnd / 2).max(2)
    }

    fn cong_avoid(&mut self, sock: &mut TcpSock, _: u32, mut acked: u32) {
        let limited = sock.is_cwnd_limited != 0 || (sock.in_slow_start() && sock.snd_cwnd < 2 * sock.max_packets_out);
        if !limited {
            return;
        }
        if sock.in_slow_start() {
            let grown = (sock.snd_cwnd + acked).min(sock.snd_ssthresh);
            acked -= grown - sock.snd_cwnd;
            sock.snd_cwnd = grown;
        }
        sock.snd_cwnd_cnt += acked;
        if sock.snd_cwnd_cnt >= sock.snd_cwnd {
            sock.snd_cwnd_cnt -= sock.snd_cwnd;
            sock.snd_cwnd += 1;
        }
    }

    fn cong_control(&mut self, _: &mut TcpSock, _: u32, _: i32, _: &RateSample) {}
    fn set_state(&mut self, _: &mut TcpSock, _: u8) {}
    fn cwnd_event(&mut self, _: &mut TcpSock, _: CaEvent) {}
    fn in_ack_event(&mut self, _: &mut TcpSock, _: u32) {}
    fn pkts_acked(&mut self, _: &mut TcpSock, _: &AckSample) {}

    fn undo_cwnd(&mut self, sock: &mut TcpSock) -> u32 {
        sock.snd_cwnd.max(self.prior_cwnd)
    }
    fn min_tso_segs(&mut self, _: &mut TcpSock) -> u32 {
        2
    }
    fn sndbuf_expand(&mut self, _: &mut TcpSock) -> u32 {
        2
    }
    fn fault(&self) -> Option<AlgorithmFault> {
        None
    }
}
