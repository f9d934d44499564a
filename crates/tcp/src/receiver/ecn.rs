//! ECN at the receiver (RFC 3168 §6.1.3): echo congestion until the sender says that it has reacted.

use fairlane_transport::EcnMark;

#[derive(Clone, Debug, Default)]
pub(super) struct EcnEcho {
    /// ECE goes on every ACK while this is set.
    pub demand_cwr: bool,
    seen_ect: bool,
    /// The algorithm hears of every mark and decides about the echo by itself, as DCTCP does.
    pub by_algorithm: bool,
    /// Feedback is accurate (RFC 9768), and all of the above is not in use.
    pub is_accurate: bool,
}

impl EcnEcho {
    /// Notes the mark of an arriving data segment; true asks for quick ACKs, because the sender may be
    /// down to a window of a few segments.
    #[inline]
    pub fn on_data(&mut self, mark: EcnMark) -> bool {
        match mark {
            // Once ECT was seen, a segment without it is probably a retransmission.
            EcnMark::NotEct => self.seen_ect,
            EcnMark::Ect0 | EcnMark::Ect1 => {
                self.seen_ect = true;
                false
            }
            EcnMark::Ce => {
                self.seen_ect = true;
                !std::mem::replace(&mut self.demand_cwr, true)
            }
        }
    }
}

/// Quick ACKs after a congestion mark.
pub(super) const QUICK_ACKS_AFTER_MARK: u32 = 2;
