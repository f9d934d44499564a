//! `struct tcp_congestion_ops`: the callbacks of a program, and their places in the structure.

use serde::{Deserialize, Serialize};

/// The callbacks of `struct tcp_congestion_ops` that a program may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callback {
    Ssthresh,
    UndoCwnd,
    CongAvoid,
    CongControl,
    SetState,
    CwndEvent,
    /// Since Linux 7.1.
    CwndEventTxStart,
    InAckEvent,
    PktsAcked,
    MinTsoSegs,
    SndbufExpand,
    Init,
    Release,
}

/// Bytes of the structure's members `name`, and `key` with `flags`.
const NAME_BYTES: usize = 16;
const KEY_AND_FLAGS_BYTES: usize = 8;

impl Callback {
    pub const ALL: [Self; 13] = [
        Self::Ssthresh,
        Self::UndoCwnd,
        Self::CongAvoid,
        Self::CongControl,
        Self::SetState,
        Self::CwndEvent,
        Self::CwndEventTxStart,
        Self::InAckEvent,
        Self::PktsAcked,
        Self::MinTsoSegs,
        Self::SndbufExpand,
        Self::Init,
        Self::Release,
    ];

    /// Its name in the kernel.
    pub fn name(self) -> &'static str {
        self.member().0
    }

    /// Its offset in the structure of `algorithms/interface/native/fairlane/sock.h`, if pointers have so many bytes.
    pub fn offset(self, pointer_bytes: usize) -> usize {
        let (_, pointers, others) = self.member();
        pointers * pointer_bytes + others
    }

    /// Its name, the number of pointers before it, and the bytes of the other members before it.
    fn member(self) -> (&'static str, usize, usize) {
        match self {
            Self::Ssthresh => ("ssthresh", 0, 0),
            Self::CongAvoid => ("cong_avoid", 1, 0),
            Self::SetState => ("set_state", 2, 0),
            Self::CwndEvent => ("cwnd_event", 3, 0),
            Self::InAckEvent => ("in_ack_event", 4, 0),
            Self::PktsAcked => ("pkts_acked", 5, 0),
            Self::MinTsoSegs => ("min_tso_segs", 6, 0),
            Self::CongControl => ("cong_control", 7, 0),
            Self::UndoCwnd => ("undo_cwnd", 8, 0),
            Self::SndbufExpand => ("sndbuf_expand", 9, 0),
            Self::Init => ("init", 12, NAME_BYTES),
            Self::Release => ("release", 13, NAME_BYTES),
            Self::CwndEventTxStart => ("cwnd_event_tx_start", 14, NAME_BYTES + KEY_AND_FLAGS_BYTES),
        }
    }
}

/// Offset of the structure's flags, bits of [`congestion_flag`](crate::congestion_flag).
pub fn flags_offset(pointer_bytes: usize) -> usize {
    Callback::CwndEventTxStart.offset(pointer_bytes) - size_of::<u32>()
}

/// A value for each callback, such as its address.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct PerCallback<T>([T; Callback::ALL.len()]);

impl<T: Copy> PerCallback<T> {
    pub fn new(value: impl FnMut(Callback) -> T) -> Self {
        Self(Callback::ALL.map(value))
    }

    #[inline(always)]
    pub fn of(&self, callback: Callback) -> T {
        self.0[callback as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callbacks_have_the_offsets_of_the_c_structure() {
        let offsets = PerCallback::new(|callback| callback.offset(8));
        assert_eq!(offsets.of(Callback::SndbufExpand), 72);
        assert_eq!((offsets.of(Callback::Init), offsets.of(Callback::CwndEventTxStart)), (112, 136));
        assert_eq!((flags_offset(8), flags_offset(4)), (132, 76));
        for callback in Callback::ALL {
            assert_eq!(offsets.of(callback), callback.offset(8), "{}", callback.name());
        }
    }
}
