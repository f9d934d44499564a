//! `struct tcp_congestion_ops`, which makes a program an algorithm.

use std::ffi::c_void;

/// The structure as native programs have it (`algorithms/interface/native/fairlane/sock.h`). A callback gets its arguments as an array of words.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Ops {
    pub ssthresh: *const c_void,
    pub cong_avoid: *const c_void,
    pub set_state: *const c_void,
    pub cwnd_event: *const c_void,
    pub in_ack_event: *const c_void,
    pub pkts_acked: *const c_void,
    pub min_tso_segs: *const c_void,
    pub cong_control: *const c_void,
    pub undo_cwnd: *const c_void,
    pub sndbuf_expand: *const c_void,
    pub get_info: *const c_void,
    pub name: [u8; 16],
    pub owner: *const c_void,
    pub init: *const c_void,
    pub release: *const c_void,
    pub key: u32,
    pub flags: u32,
    pub cwnd_event_tx_start: *const c_void,
}

/// The C compiler checks the same size.
const _: () = assert!(size_of::<Ops>() == 144);
