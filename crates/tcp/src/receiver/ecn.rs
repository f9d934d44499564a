//! ECN at the receiver (RFC 3168 §6.1.3): congestion is echoed until the sender confirms its reaction (CWR).

use fairlane_transport::EcnMark;

#[derive(Clone, Debug, Default)]
pub(super) struct EcnEcho {
    /// ECE goes on every ACK while this is set.
    pub demand_cwr: bool,
    seen_ect: bool,
    /// The algorithm receives every mark and decides about the echo itself, as DCTCP does.
    pub by_algorithm: bool,
    /// AccECN is in use (RFC 9768) instead of all of the above.
    pub is_accurate: bool,
}

impl EcnEcho {
    /// Records the mark of an arriving data segment; true requests quick ACKs, because the sender's window may be only
    /// a few segments.
    #[inline]
    pub fn on_data(&mut self, mark: EcnMark) -> bool {
        match mark {
            // After ECT was seen, a segment without it is probably a retransmission.
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
