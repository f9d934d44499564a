//! Reno with another set of callbacks, for algorithms that need fewer or more of them.

use fairlane_congestion_control::kernel::Reno;
use fairlane_congestion_control::{
    AckSample, AlgorithmFault, CaEvent, Callbacks, CongestionControl, RateSample, TcpSock,
};

type OnEvent = Box<dyn FnMut(&mut TcpSock, CaEvent) + Send>;

#[derive(Default)]
pub struct Variant {
    pub callbacks: Callbacks,
    pub on_init: Option<fn(&mut TcpSock)>,
    pub on_event: Option<OnEvent>,
    pub reno: Reno,
}

impl CongestionControl for Variant {
    fn callbacks(&self) -> Callbacks {
        self.callbacks
    }
    fn init(&mut self, sock: &mut TcpSock) {
        if let Some(on_init) = self.on_init {
            on_init(sock);
        }
    }
    fn release(&mut self, _: &mut TcpSock) {}
    fn ssthresh(&mut self, sock: &mut TcpSock) -> u32 {
        self.reno.ssthresh(sock)
    }
    fn cong_avoid(&mut self, sock: &mut TcpSock, ack: u32, acked: u32) {
        self.reno.cong_avoid(sock, ack, acked);
    }
    fn cong_control(&mut self, _: &mut TcpSock, _: u32, _: i32, _: &RateSample) {}
    fn set_state(&mut self, _: &mut TcpSock, _: u8) {}
    fn cwnd_event(&mut self, sock: &mut TcpSock, event: CaEvent) {
        if let Some(on_event) = &mut self.on_event {
            on_event(sock, event);
        }
    }
    fn in_ack_event(&mut self, _: &mut TcpSock, _: u32) {}
    fn pkts_acked(&mut self, _: &mut TcpSock, _: &AckSample) {}
    fn undo_cwnd(&mut self, sock: &mut TcpSock) -> u32 {
        self.reno.undo_cwnd(sock)
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
