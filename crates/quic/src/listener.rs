//! The congestion controller for quinn-proto. It only records quinn-proto's findings, and opens or closes the window
//! for the endpoint.

use quinn_proto::congestion::{Controller, ControllerFactory};
use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// A window without a limit. Beyond 32 bits, quinn-proto does not pace either.
const OPEN_BYTES: u64 = 1 << 40;
/// A window into which no packet fits. Acknowledgements and probes of the PTO ignore the window.
const CLOSED_BYTES: u64 = 1;

/// Findings of quinn-proto since the last call.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// Send times of the packets that were acknowledged.
    pub acknowledged: Vec<Instant>,
    pub losses: Vec<Loss>,
    /// An acknowledgement reported more CE marks.
    pub is_marked: bool,
}

/// Packets that were declared lost together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loss {
    /// Send time of the last of them.
    pub sent: Instant,
    pub bytes: u64,
    /// RFC 9002 section 7.6.
    pub is_persistent_congestion: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Listener(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    heard: Mutex<Heard>,
    has_heard: AtomicBool,
    window_bytes: AtomicU64,
}

impl Listener {
    pub fn new() -> Self {
        let window_bytes = AtomicU64::new(OPEN_BYTES);
        Self(Arc::new(Shared { heard: Mutex::default(), has_heard: AtomicBool::new(false), window_bytes }))
    }

    /// Whether quinn-proto has reported anything since the last call. Takes no lock.
    pub fn has_heard(&self) -> bool {
        let has_heard = self.0.has_heard.load(Ordering::Relaxed);
        if has_heard {
            self.0.has_heard.store(false, Ordering::Relaxed);
        }
        has_heard
    }

    pub fn heard(&self) -> MutexGuard<'_, Heard> {
        self.0.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether new packets may be sent from now on.
    pub fn open_window(&self, open: bool) {
        self.0.window_bytes.store(if open { OPEN_BYTES } else { CLOSED_BYTES }, Ordering::Relaxed);
    }
}

impl ControllerFactory for Listener {
    fn build(self: Arc<Self>, _: Instant, _: u16) -> Box<dyn Controller> {
        Box::new((*self).clone())
    }
}

impl Controller for Listener {
    fn on_ack(&mut self, _: Instant, sent: Instant, _: u64, _: bool, _: &quinn_proto::RttEstimator) {
        self.0.has_heard.store(true, Ordering::Relaxed);
        self.heard().acknowledged.push(sent);
    }

    fn on_congestion_event(&mut self, _: Instant, sent: Instant, is_persistent_congestion: bool, lost_bytes: u64) {
        self.0.has_heard.store(true, Ordering::Relaxed);
        let mut heard = self.heard();
        if lost_bytes == 0 {
            heard.is_marked = true;
        } else {
            heard.losses.push(Loss { sent, bytes: lost_bytes, is_persistent_congestion });
        }
    }

    fn on_mtu_update(&mut self, _: u16) {}

    fn window(&self) -> u64 {
        self.0.window_bytes.load(Ordering::Relaxed)
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        OPEN_BYTES
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
