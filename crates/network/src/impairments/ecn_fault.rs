//! Faults of the ECN field.

use fairlane_contract::{EcnFault, EcnFaultConfig};
use fairlane_engine::RandomStream;

use super::correlated::Correlated;
use crate::packet::Ecn;

/// Changes the ECN field of packets that are transmitted.
pub(crate) struct EcnFaults {
    fault: EcnFault,
    affects: Correlated,
}

impl EcnFaults {
    pub fn new(config: &EcnFaultConfig, stream: RandomStream) -> Self {
        Self { fault: config.fault, affects: Correlated::new(config.probability, 0.0, stream) }
    }

    /// The codepoint with which a packet leaves that came to the link with `entry` and left its queue with `exit`.
    pub fn next(&mut self, entry: Ecn, exit: Ecn) -> Ecn {
        if !self.affects.next() {
            return exit;
        }
        match (self.fault, exit) {
            (EcnFault::Bleach, _) => Ecn::NotEct,
            (EcnFault::LoseCe, _) => entry,
            (EcnFault::AllCe, Ecn::Ect0 | Ecn::Ect1) => Ecn::Ce,
            (EcnFault::Remark, Ecn::Ect0) => Ecn::Ect1,
            (EcnFault::SetEct, Ecn::NotEct) => Ecn::Ect0,
            _ => exit,
        }
    }
}
