//! QUIC, as the scenario's settings describe it.

use super::{Endpoints, Place, Programs, Transports, CUBIC};
use crate::error::SimulationError;
use fairlane_congestion_control::{Algorithm, Algorithms, StateMember};
use fairlane_contract::{FlowConfig, QuicSettings, Scenario};
use fairlane_engine::NS_PER_SEC;
use fairlane_quic::{Crypto, DatagramStore, QlogSink, QuicConfig, QuicDatagram, QuicEndpoint, QuicWireFormat};
use fairlane_transport::{Side, WireFormat};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// CUBIC's beta, and what its parameter counts in (RFC 9438 section 4.6; Linux has 717/1024).
const CUBIC_BETA: &str = "beta";
const CUBIC_BETA_SCALE: u32 = 1024;
const CUBIC_BETA_PERCENT: u32 = 70;

/// Every flow uses QUIC.
pub(crate) struct QuicTransports<'a> {
    hz: u32,
    programs: Programs<'a>,
    /// The datagrams of all flows.
    store: DatagramStore,
    log: Option<QuicLog>,
}

/// The log of one endpoint.
#[derive(Clone)]
pub(crate) struct QuicLog {
    pub flow: u32,
    pub side: Side,
    pub sink: QlogSink,
    /// The flow was there, and it is a QUIC flow.
    pub is_used: Rc<Cell<bool>>,
}

impl<'a> QuicTransports<'a> {
    pub fn new(scenario: &Scenario, algorithms: &'a dyn Algorithms, log: Option<QuicLog>) -> Self {
        Self { hz: scenario.hz, programs: Programs::new(algorithms), store: DatagramStore::default(), log }
    }
}

impl Transports<QuicEndpoint> for QuicTransports<'_> {
    fn endpoints(&mut self, flow: &FlowConfig) -> Result<Rc<dyn Endpoints<QuicEndpoint>>, SimulationError> {
        let config = quic_config(flow, self.hz);
        let program = self.programs.load(&flow.algorithm, &parameters(flow, &config))?;
        let crypto = Crypto::null(config.zero_rtt);
        let (store, log) = (self.store.clone(), self.log.clone());
        Ok(Rc::new(QuicEndpoints { config, program, crypto, store, log }))
    }

    fn share_memory(&self) -> bool {
        self.programs.share_memory()
    }
}

struct QuicEndpoints {
    config: QuicConfig,
    program: Rc<dyn Algorithm>,
    crypto: Crypto,
    store: DatagramStore,
    log: Option<QuicLog>,
}

impl Endpoints<QuicEndpoint> for QuicEndpoints {
    fn endpoint(&self, place: Place, _: u64) -> QuicEndpoint {
        // The two ends of a connection have different seeds, because connection ids are made from them.
        let seed = u64::from(place.flow) << 1 | u64::from(place.side == Side::Receiver);
        let algorithm = self.program.instantiate();
        let mut endpoint = QuicEndpoint::new(self.config.clone(), &self.crypto, self.store.clone(), algorithm, seed);
        endpoint.set_flow(place.flow, place.algorithm_seed);
        if let Some(log) = self.log.as_ref().filter(|log| (log.flow, log.side) == (place.flow, place.side)) {
            let host = if log.side == Side::Sender { "sender" } else { "receiver" };
            endpoint.log_to(log.sink.clone(), format!("flow {}, {host}", log.flow));
            log.is_used.set(true);
        }
        endpoint
    }

    fn mss_bytes(&self) -> u32 {
        self.config.payload_bytes()
    }

    fn state_members(&self) -> &[StateMember] {
        self.program.state_members()
    }

    fn change_parameters(&self, parameters: &BTreeMap<String, i64>) -> Result<(), String> {
        self.program.change(parameters)
    }

    fn wire_format(&self) -> Box<dyn WireFormat<QuicDatagram>> {
        Box::new(QuicWireFormat(self.store.clone()))
    }
}

/// Size of a full packet of a flow with these settings.
pub(crate) fn udp_payload_bytes(settings: &QuicSettings) -> u32 {
    QuicConfig::from(settings).udp_payload_bytes.into()
}

fn quic_config(flow: &FlowConfig, hz: u32) -> QuicConfig {
    QuicConfig {
        ecn: flow.sender.ecn && flow.receiver.ecn != Some(false),
        jiffy_ns: NS_PER_SEC / u64::from(hz),
        ..QuicConfig::from(&flow.quic.clone().unwrap_or_default())
    }
}

/// The algorithm's parameters. One CUBIC connection that emulates N reduces its window as if one of N had lost a packet:
/// beta = (N - 1 + 0.7) / N (Chromium, `CubicBytes::Beta`). A beta that the scenario gives stands.
fn parameters(flow: &FlowConfig, config: &QuicConfig) -> BTreeMap<String, i64> {
    let mut parameters = flow.parameters.clone();
    let connections = config.emulated_connections;
    if connections > 1 && flow.algorithm == CUBIC {
        let beta_percent = ((connections - 1) * 100 + CUBIC_BETA_PERCENT) / connections;
        let beta = i64::from(beta_percent * CUBIC_BETA_SCALE / 100);
        parameters.entry(CUBIC_BETA.to_owned()).or_insert(beta);
    }
    parameters
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beta(algorithm: &str, settings: serde_json::Value) -> Option<i64> {
        let flow = serde_json::json!({"algorithm": algorithm, "forward": [], "reverse": [], "transport": "quic"});
        let mut flow: FlowConfig = serde_json::from_value(flow).expect("a flow");
        flow.quic = serde_json::from_value(settings).expect("settings");
        parameters(&flow, &quic_config(&flow, 1000)).get(CUBIC_BETA).copied()
    }

    #[test]
    fn cubic_emulates_connections_by_its_beta() {
        let two = serde_json::json!({"profile": "gquic"});
        assert_eq!(beta("cubic", serde_json::json!({})), None);
        assert_eq!(beta("cubic", two.clone()), Some(870), "0.85 of 1024");
        assert_eq!(beta("bbr", two), None);
        assert_eq!(beta("cubic", serde_json::json!({"profile": "gquic", "emulated_connections": 1})), None);
    }
}
