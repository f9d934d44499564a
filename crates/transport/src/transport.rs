//! The trait of a transport, and the order of its calls.

use crate::{Datagram, EcnMark, Outgoing, TransportSample, Wakeups};
use fairlane_congestion_control::{AlgorithmFault, TcpSock};
use fairlane_engine::Histogram;
use std::vec::Drain;

/// Without a model of the send buffer, unsent data of at least this size and of the data in flight is kept ready.
const READY_BYTES: u64 = 64 << 10;

/// One end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Sends the data.
    Sender = 0,
    /// Receives the data.
    Receiver = 1,
}

impl Side {
    pub const BOTH: [Self; 2] = [Self::Sender, Self::Receiver];

    #[inline]
    pub fn peer(self) -> Self {
        match self {
            Self::Sender => Self::Receiver,
            Self::Receiver => Self::Sender,
        }
    }
}

/// One endpoint of a connection.
///
/// # Calling order
///
/// An endpoint reads no clock and is passive: its owner, the event loop, reports each event and its time.
///
/// ```text
///        listen, connect             inputs              release
///  new ──────────────────▶ settled ─────────▶ unsettled      │
///                             ▲                  │           ▼
///                             └──────────────────┘        released
///          take_outgoing or exchange_buffer until nothing is left,
///                      then wakeup_to_schedule_ns
/// ```
///
/// - [`listen`](Self::listen) or [`connect`](Self::connect) is called once, and first.
/// - The *inputs* are [`connect`](Self::connect), [`on_datagram`](Self::on_datagram), [`on_timer`](Self::on_timer),
///   [`on_host_queue_sent`](Self::on_host_queue_sent), [`write`](Self::write) and [`close`](Self::close). Each gets the
///   time, which never decreases.
/// - After an input the owner *settles* the endpoint: it takes what is outgoing while
///   [`has_outgoing`](Self::has_outgoing), and then asks for [`wakeup_to_schedule_ns`](Self::wakeup_to_schedule_ns).
///   Several inputs may come before that, but only at the same time.
/// - A requested wake-up is delivered by [`take_wakeup`](Self::take_wakeup), exactly at its time. If that returns
///   true, [`on_timer`](Self::on_timer) follows at once; otherwise the wake-up is obsolete.
/// - [`on_host_queue_sent`](Self::on_host_queue_sent) reports only payload that the endpoint gave to its owner.
/// - Nothing is written after [`close`](Self::close). After [`release`](Self::release) only observers may be called.
/// - Observers ([`sample`](Self::sample), [`rtts`](Self::rtts), [`fault`](Self::fault) and the like) may be called at
///   any time.
///
/// [`Checked`](crate::Checked) panics when its owner breaks this order.
pub trait Transport: 'static {
    type Datagram: Datagram;

    // --- Life of the connection ---

    /// Waits for the peer.
    fn listen(&mut self);
    /// Starts the handshake.
    fn connect(&mut self, now_ns: u64);
    /// The handshake is over.
    fn is_established(&self) -> bool;
    /// The run is over: releases the congestion control algorithm.
    fn release(&mut self);
    /// The error of its congestion control algorithm, if there was one; the run must end.
    fn fault(&self) -> Option<AlgorithmFault>;

    /// The endpoint must exist until the run is over: its algorithm has something to release or to report, or it holds
    /// something that others would get if it were dropped.
    fn must_stay(&self) -> bool {
        true
    }

    /// Something about its algorithm that the author should know.
    fn warning(&self) -> Option<String> {
        None
    }

    // --- The network ---

    /// A datagram arrives with its ECN field.
    fn on_datagram(&mut self, now_ns: u64, datagram: &Self::Datagram, mark: EcnMark);
    fn has_outgoing(&self) -> bool;
    /// The datagrams to send, in order.
    fn take_outgoing(&mut self) -> Drain<'_, Outgoing<Self::Datagram>>;
    /// Exchanges the buffer of outgoing datagrams for an empty one, so that endpoints which are handled one at a time
    /// share a buffer that stays in the processor's caches.
    fn exchange_buffer(&mut self, buffer: &mut Vec<Outgoing<Self::Datagram>>);

    // --- Time ---

    /// A lower bound of the next timer, cheap to compute; `u64::MAX` if none is set.
    fn deadline_bound_ns(&self) -> u64;
    /// Exact time of the next timer; `u64::MAX` if none is set.
    fn deadline_ns(&self) -> u64;
    /// The wake-ups that [`wakeup_to_schedule_ns`](Self::wakeup_to_schedule_ns) has requested.
    fn wakeups(&mut self) -> &mut Wakeups;
    /// Runs all timers that are due at `now_ns`.
    fn on_timer(&mut self, now_ns: u64);

    /// Time of a wake-up that the owner must deliver, in addition to those requested before.
    #[inline]
    fn wakeup_to_schedule_ns(&mut self, now_ns: u64) -> Option<u64> {
        // The bound is cheap and usually later than the pending wake-up; the exact time is computed only after the
        // bound has passed without a timer being due.
        let bound_ns = self.deadline_bound_ns();
        if bound_ns >= self.wakeups().next_ns() {
            return None;
        }
        let wakeup_ns = if bound_ns > now_ns { bound_ns } else { self.deadline_ns().max(now_ns) };
        if wakeup_ns >= self.wakeups().next_ns() {
            return None;
        }
        self.wakeups().add(wakeup_ns);
        Some(wakeup_ns)
    }

    /// The owner delivers a wake-up; true if timers may be due.
    #[inline]
    fn take_wakeup(&mut self, now_ns: u64) -> bool {
        self.wakeups().take(now_ns)
    }

    // --- The host's queue, if it paces (fq) ---

    /// Data of this endpoint is in the host's queue, as far as the endpoint knows.
    #[inline]
    fn waits_for_host_queue(&self) -> bool {
        false
    }
    /// The host's queue has sent `payload_bytes` of this endpoint.
    fn on_host_queue_sent(&mut self, now_ns: u64, payload_bytes: u64);

    // --- The application ---

    /// The application writes; the data is queued until the connection is established.
    fn write(&mut self, now_ns: u64, bytes: u64);
    /// The application closes its direction.
    fn close(&mut self, now_ns: u64);
    /// The application sets the congestion control of an endpoint without one (TCP_CONGESTION on a connected socket).
    /// No effect if it was set before or cannot be chosen.
    fn start_algorithm(&mut self) {}
    /// Bytes written and not sent yet.
    fn unsent_bytes(&self) -> u64;
    /// Bytes that an application that fills the send buffer writes now; `waits`: the buffer was full and the
    /// application waits.
    fn writable_bytes(&mut self, waits: bool) -> u64 {
        let _ = waits;
        let is_short = self.unsent_bytes() < READY_BYTES.max(self.inflight_bytes());
        u64::from(is_short) * READY_BYTES
    }
    /// Bytes sent and not acknowledged yet.
    fn inflight_bytes(&self) -> u64;
    /// Bytes written and acknowledged.
    fn acknowledged_bytes(&self) -> u64;
    /// Bytes that arrived in order, which the application reads at once.
    fn delivered_bytes(&self) -> u64;

    /// The bitrate that congestion control for real-time media asks of the encoder: only RTP has it. There each write is
    /// a frame, and frames before the last that was [delivered](Self::delivered_bytes) may have been lost.
    fn media_bps(&self) -> Option<u64> {
        None
    }

    // --- Observers ---

    fn sample(&self) -> TransportSample;
    /// All RTTs measured so far, in microseconds.
    fn rtts(&self) -> &Histogram;
    /// Restarts the counters of RTTs.
    fn restart_rtts(&mut self);
    /// Frees memory that it needed earlier and does not need now. Changes no result.
    fn trim(&mut self) {}

    /// The state that congestion control sees, for debuggers, if there is one.
    fn sock(&self) -> Option<&TcpSock> {
        None
    }

    /// Prefetches memory ahead of a datagram or a sample. A hint: it changes no result. `side` is the endpoint's own.
    #[inline]
    fn prefetch(&self, side: Side, part: Prefetch) {
        let _ = (side, part);
    }
}

/// The part of an endpoint to [prefetch](Transport::prefetch).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefetch {
    /// The endpoint's own cache lines that a datagram touches.
    Endpoint,
    /// Records to which those lines point: they must be in the cache first.
    Records,
    /// Everything that [`sample`](Transport::sample), [`fault`](Transport::fault) and
    /// [`delivered_bytes`](Transport::delivered_bytes) read.
    Sample,
}
