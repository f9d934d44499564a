//! A connection under the control of a test, which advances time and delivers ACKs.

pub mod bbr;
pub mod path;
pub mod round_trips;

use fairlane_algorithm_native::{AlgorithmSource, Program};
use fairlane_congestion_control::{AckSample, CaEvent, CaState, CongestionControl, RateSample, TcpSock};
use std::collections::BTreeMap;
use std::path::PathBuf;

pub const MSS: u32 = 1448;

/// One flow of one algorithm, and the connection it controls.
pub struct Flow {
    pub sock: TcpSock,
    pub control: Box<dyn CongestionControl>,
}

pub fn load(word: &str, parameters: &[(&str, i64)]) -> Program {
    let parameters: BTreeMap<String, i64> =
        parameters.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    Program::load(&AlgorithmSource::parse(word), &parameters).unwrap_or_else(|error| panic!("{error}"))
}

pub fn load_error(word: &str, parameters: &[(&str, i64)]) -> String {
    let parameters: BTreeMap<String, i64> =
        parameters.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    match Program::load(&AlgorithmSource::parse(word), &parameters) {
        Ok(_) => panic!("{word} was loaded"),
        Err(error) => error.to_string(),
    }
}

/// A program of `tests/programs/`.
pub fn program(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name);
    path.to_str().expect("is UTF-8").to_owned()
}

impl Flow {
    /// A new connection at time 0 whose handshake took `rtt_us`.
    pub fn start(word: &str, parameters: &[(&str, i64)], rtt_us: u32) -> Self {
        Self::of(&load(word, parameters), rtt_us)
    }

    pub fn of(program: &Program, rtt_us: u32) -> Self {
        let mut sock = TcpSock { mss_cache: MSS, srtt_us: rtt_us << 3, is_cwnd_limited: 1, ..TcpSock::default() };
        sock.rtt_min[0].v = rtt_us;
        let mut flow = Self { sock, control: program.instantiate() };
        flow.control.init(&mut flow.sock);
        flow.sock.snd_nxt = flow.sock.snd_cwnd * MSS;
        flow
    }

    pub fn advance_us(&mut self, us: u64) {
        self.sock.tcp_mstamp += us;
        self.sock.tcp_clock_cache += us * 1000;
    }

    pub fn now_us(&self) -> u64 {
        self.sock.tcp_mstamp
    }

    /// An ACK of `acked` packets to a window that was full.
    pub fn ack(&mut self, acked: u32, rtt_us: i32) {
        self.sock.snd_una = self.sock.snd_una.wrapping_add(acked * MSS);
        self.sock.packets_out = self.sock.snd_cwnd;
        self.sock.max_packets_out = self.sock.snd_cwnd;
        self.sock.delivered += acked;
        self.sock.delivered_mstamp = self.sock.tcp_mstamp;
        let callbacks = self.control.callbacks();
        if callbacks.in_ack_event {
            self.control.in_ack_event(&mut self.sock, 0);
        }
        if callbacks.pkts_acked {
            let sample = AckSample { pkts_acked: acked, rtt_us, in_flight: self.sock.snd_cwnd };
            self.control.pkts_acked(&mut self.sock, &sample);
        }
        if !callbacks.cong_control {
            let ack = self.sock.snd_una;
            self.control.cong_avoid(&mut self.sock, ack, acked);
        }
        // Packets that the window now allows are sent at once.
        self.sock.snd_nxt = self.sock.snd_una.wrapping_add(self.sock.snd_cwnd.wrapping_mul(MSS));
    }

    /// One round trip: all of the window is acknowledged, evenly over the round, two packets at a time.
    pub fn round(&mut self, rtt_us: u32) {
        self.round_by(rtt_us, 2);
    }

    /// The same with this many packets per ACK.
    pub fn round_by(&mut self, rtt_us: u32, packets: u32) {
        let window = self.sock.snd_cwnd;
        let acks = window.div_ceil(packets);
        for i in 0..acks {
            self.advance_us(u64::from(rtt_us) / u64::from(acks));
            self.ack(if i == acks - 1 { window - packets * i } else { packets }, rtt_us as i32);
        }
    }

    /// In congestion avoidance with this window.
    pub fn set_window(&mut self, packets: u32) {
        self.sock.snd_cwnd = packets;
        self.sock.snd_ssthresh = packets;
        self.sock.snd_cwnd_cnt = 0;
        self.sock.snd_nxt = self.sock.snd_una.wrapping_add(packets * MSS);
    }

    /// A loss as TCP handles it: threshold, recovery, and the window at the threshold afterwards.
    pub fn lose(&mut self) {
        self.sock.prior_cwnd = self.sock.snd_cwnd;
        self.sock.snd_ssthresh = self.control.ssthresh(&mut self.sock);
        self.set_state(CaState::Recovery);
        self.sock.snd_cwnd = self.sock.snd_ssthresh;
        self.control.cwnd_event(&mut self.sock, CaEvent::CompleteCwr);
        self.set_state(CaState::Open);
    }

    pub fn time_out(&mut self) {
        self.sock.prior_cwnd = self.sock.snd_cwnd;
        self.sock.snd_ssthresh = self.control.ssthresh(&mut self.sock);
        self.control.cwnd_event(&mut self.sock, CaEvent::Loss);
        self.sock.snd_cwnd = 1;
        self.set_state(CaState::Loss);
    }

    pub fn set_state(&mut self, state: CaState) {
        if self.control.callbacks().set_state {
            self.control.set_state(&mut self.sock, state as u8);
        }
        self.sock.icsk_ca_state = state as u8;
    }

    pub fn sample(&mut self, sample: &RateSample) {
        let ack = self.sock.snd_una;
        self.control.cong_control(&mut self.sock, ack, 0, sample);
    }
}
