//! The trait of a transport, and the order of its calls.

use crate::{Datagram, EcnMark, Outgoing, TransportSample, Wakeups};
use fairlane_congestion_control::{AlgorithmFault, TcpSock};
use fairlane_engine::Histogram;
use std::vec::Drain;

/// Where nothing is known of a send buffer, this much and at least what is in flight is kept ready to be sent.
const READY_BYTES: u64 = 64 << 10;

/// One end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Sends the data.
    Sender = 0,
    /// Receives it.
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
/// An endpoint reads no clock and starts nothing by itself: its owner, the event loop, tells it what happens and when.
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
///   time, which never goes back.
/// - After an input the owner *settles* the endpoint: it takes what is outgoing while
///   [`has_outgoing`](Self::has_outgoing), and then asks for [`wakeup_to_schedule_ns`](Self::wakeup_to_schedule_ns).
///   Several inputs of the same instant may come before that, but time must not move on.
/// - A wake-up that was asked for is delivered by [`take_wakeup`](Self::take_wakeup), exactly at its time. If that
///   returns true, [`on_timer`](Self::on_timer) follows at once; otherwise the wake-up is obsolete.
/// - [`on_host_queue_sent`](Self::on_host_queue_sent) reports only payload that the endpoint gave to its owner.
/// - Nothing is written after [`close`](Self::close). After [`release`](Self::release) only observers may look.
/// - Observers ([`sample`](Self::sample), [`rtts`](Self::rtts), [`fault`](Self::fault) and the like) may look at
///   any time.
///
/// [`Checked`](crate::Checked) panics when its owner breaks this order.
pub trait Transport {
    type Datagram: Datagram;

    // --- The connection's life ---

    /// Waits for the peer.
    fn listen(&mut self);
    /// Starts the handshake.
    fn connect(&mut self, now_ns: u64);
    /// The handshake is over.
    fn is_established(&self) -> bool;
    /// The run is over: lets the congestion control clean up.
    fn release(&mut self);
    /// What its congestion control algorithm did wrong, if it did; the run must end.
    fn fault(&self) -> Option<AlgorithmFault>;

    // --- The network ---

    /// A datagram arrives with its ECN field.
    fn on_datagram(&mut self, now_ns: u64, datagram: &Self::Datagram, mark: EcnMark);
    fn has_outgoing(&self) -> bool;
    /// The datagrams to send, in order.
    fn take_outgoing(&mut self) -> Drain<'_, Outgoing<Self::Datagram>>;
    /// Exchanges the buffer of outgoing datagrams, with what is in it, for an empty one. Endpoints that are handled one at
    /// a time can share a buffer in this way, which stays in the processor's caches.
    fn exchange_buffer(&mut self, buffer: &mut Vec<Outgoing<Self::Datagram>>);

    // --- Time ---

    /// A time before which no timer fires; cheap to get. `u64::MAX` if none is set.
    fn deadline_bound_ns(&self) -> u64;
    /// When the next timer fires exactly; `u64::MAX` if none is set.
    fn deadline_ns(&self) -> u64;
    /// Where the endpoint keeps what [`wakeup_to_schedule_ns`](Self::wakeup_to_schedule_ns) has asked for.
    fn wakeups(&mut self) -> &mut Wakeups;
    /// Runs all timers that are due at `now_ns`.
    fn on_timer(&mut self, now_ns: u64);

    /// When the owner has to deliver a wake-up, in addition to those requested before.
    #[inline]
    fn wakeup_to_schedule_ns(&mut self, now_ns: u64) -> Option<u64> {
        // The bound is cheap and usually lies behind the wake-up that is pending; the exact time is computed only when
        // the bound has passed without a timer being due.
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
    /// The host's queue has sent this much payload of the endpoint.
    fn on_host_queue_sent(&mut self, now_ns: u64, payload_bytes: u64);

    // --- The application ---

    /// The application writes; before the connection is established the data waits.
    fn write(&mut self, now_ns: u64, bytes: u64);
    /// The application will write no more.
    fn close(&mut self, now_ns: u64);
    /// The application names the congestion control of an endpoint that has run without until now (TCP_CONGESTION on a
    /// connected socket). Of no consequence where it was named before, or is no choice.
    fn start_algorithm(&mut self) {}
    /// Bytes that were written and not sent yet.
    fn unsent_bytes(&self) -> u64;
    /// What an application that fills the send buffer writes now; `waits` says whether it has waited since it last did.
    fn writable_bytes(&mut self, waits: bool) -> u64 {
        let _ = waits;
        let is_short = self.unsent_bytes() < READY_BYTES.max(self.inflight_bytes());
        u64::from(is_short) * READY_BYTES
    }
    /// Bytes that were sent and are not acknowledged yet.
    fn inflight_bytes(&self) -> u64;
    /// Bytes that were written and are acknowledged.
    fn acknowledged_bytes(&self) -> u64;
    /// Bytes that arrived in order, which the application reads at once.
    fn delivered_bytes(&self) -> u64;

    // --- Observers ---

    fn sample(&self) -> TransportSample;
    /// All RTTs measured so far, in microseconds.
    fn rtts(&self) -> &Histogram;
    /// RTTs are counted anew from here.
    fn restart_rtts(&mut self);

    /// What its congestion control sees, for debuggers; none where there is no such thing.
    fn sock(&self) -> Option<&TcpSock> {
        None
    }

    // --- Hints: asks for the memory that a datagram will touch, before it arrives ---

    /// What the next datagram touches first; `side` is the endpoint's own.
    #[inline]
    fn prefetch(&self, side: Side) {
        let _ = side;
    }
    /// What can be found only when that is there.
    #[inline]
    fn prefetch_referenced(&self, side: Side) {
        let _ = side;
    }
    /// What [`sample`](Self::sample), [`fault`](Self::fault) and [`delivered_bytes`](Self::delivered_bytes) touch.
    #[inline]
    fn prefetch_for_sample(&self, side: Side) {
        let _ = side;
    }
}
