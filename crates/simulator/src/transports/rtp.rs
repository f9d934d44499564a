//! RTP, as the scenario's settings describe it.

use super::{Endpoints, Place, Transports};
use crate::error::SimulationError;
use fairlane_contract::{FlowConfig, Workload};
use fairlane_rtp::{RtpDatagram, RtpEndpoint, RtpWireFormat, ScreamConfig, MAX_PAYLOAD_BYTES};
use fairlane_transport::WireFormat;
use std::rc::Rc;

/// IPv4, UDP and RTP.
const HEADER_BYTES: u32 = 20 + 8 + 12;

/// Every flow uses RTP.
pub(crate) struct RtpTransports;

impl Transports<RtpEndpoint> for RtpTransports {
    fn endpoints(&mut self, flow: &FlowConfig) -> Result<Rc<dyn Endpoints<RtpEndpoint>>, SimulationError> {
        let ladder_bps = match &flow.workload {
            Workload::Call { ladder_bps, .. } => ladder_bps.as_slice(),
            _ => &[], // refused before
        };
        let (least_bps, most_bps) = ladder_bps.first().zip(ladder_bps.last()).map_or((0, 0), |(&one, &two)| (one, two));
        Ok(Rc::new(RtpEndpoints {
            config: ScreamConfig { least_bps, most_bps, is_l4s: flow.sender.ect1 },
            payload_bytes: MAX_PAYLOAD_BYTES.min(flow.mtu - HEADER_BYTES),
            ecn: flow.sender.ecn && flow.receiver.ecn != Some(false),
        }))
    }

    fn share_memory(&self) -> bool {
        false
    }
}

struct RtpEndpoints {
    config: ScreamConfig,
    payload_bytes: u32,
    ecn: bool,
}

impl Endpoints<RtpEndpoint> for RtpEndpoints {
    fn endpoint(&self, _: Place, _: u64) -> RtpEndpoint {
        RtpEndpoint::new(self.config, self.payload_bytes, self.ecn)
    }

    fn mss_bytes(&self) -> u32 {
        self.payload_bytes
    }

    fn wire_format(&self) -> Box<dyn WireFormat<RtpDatagram>> {
        Box::new(RtpWireFormat)
    }
}
