//! A run, for any mix of transports.

use crate::capture::CaptureConfig;
#[cfg(feature = "quic")]
use crate::capture::CapturePlace;
use crate::error::SimulationError;
use crate::simulation::{Live, Simulation};
#[cfg(feature = "quic")]
use crate::transports::{AnyTransport, MixedTransports, QuicLog};
use fairlane_congestion_control::Algorithms;
#[cfg(not(feature = "quic"))]
use fairlane_contract::Path;
use fairlane_contract::{Problem, RunResult, Scenario, TransportProtocol};
#[cfg(feature = "quic")]
use fairlane_quic::QlogSink;
#[cfg(feature = "quic")]
use fairlane_transport::Side;
#[cfg(feature = "quic")]
use std::rc::Rc;

/// A checked scenario, ready to run.
///
/// A run of TCP flows alone is compiled for TCP alone, without overhead for other transports.
pub enum Prepared {
    Tcp(Box<Simulation>),
    #[cfg(feature = "quic")]
    Mixed(Box<Simulation<AnyTransport>>),
}

impl Prepared {
    /// # Errors
    /// The scenario is invalid, or an algorithm cannot be loaded.
    pub fn new(scenario: &Scenario, algorithms: &dyn Algorithms) -> Result<Self, SimulationError> {
        let other = scenario.flows.iter().position(|flow| flow.transport != TransportProtocol::Tcp);
        match other {
            None => Ok(Self::Tcp(Box::new(Simulation::new(scenario, algorithms)?))),
            #[cfg(feature = "quic")]
            Some(_) => {
                let mut transports = MixedTransports::new(scenario, algorithms, None);
                Ok(Self::Mixed(Box::new(Simulation::with_transports(scenario, &mut transports)?)))
            }
            #[cfg(not(feature = "quic"))]
            Some(flow) => {
                let path = Path::from("flows").index(flow).key("transport");
                Err(Problem::new(path, "is quic or rtp, which this build does not have", "use tcp").into())
            }
        }
    }

    /// Runs to the end, and writes the log of one QUIC endpoint to `sink`.
    ///
    /// # Errors
    /// As [`new`](Self::new) and [`run`](Self::run); a flow that does not exist or has no log, and a failing sink.
    #[cfg(feature = "quic")]
    pub fn run_with_qlog(
        scenario: &Scenario,
        config: &CaptureConfig,
        sink: Box<dyn std::io::Write>,
        algorithms: &dyn Algorithms,
    ) -> Result<RunResult, SimulationError> {
        let [flow] = config.flows[..] else {
            return Err(Problem::new("capture.flows", "has several flows, or none", "give one: a qlog has one").into());
        };
        let side = match config.at {
            CapturePlace::Sender => Side::Sender,
            CapturePlace::Receiver => Side::Receiver,
        };
        let log = QuicLog { flow, side, sink: QlogSink::new(sink), is_used: Rc::default() };
        let mut transports = MixedTransports::new(scenario, algorithms, Some(log.clone()));
        let result = Simulation::with_transports(scenario, &mut transports)?.run()?;
        if !log.is_used.get() {
            let what = format!("flow {flow} is no QUIC flow, or never began");
            return Err(Problem::new("capture.flows", what, "choose a flow with transport = \"quic\"").into());
        }
        log.sink.finish()?;
        Ok(result)
    }

    /// Processes every packet and timer as an event, in order of time, without lookahead windows. The results are the
    /// same; an observer of several flows sees their calls in order.
    #[must_use]
    pub fn by_events(mut self) -> Self {
        match &mut self {
            Self::Tcp(simulation) => simulation.run_by_events(),
            #[cfg(feature = "quic")]
            Self::Mixed(simulation) => simulation.run_by_events(),
        }
        self
    }

    /// Runs on `count` threads where that is possible: while all applications only send, TCP flows whose algorithms share
    /// no memory, in windows with enough packets. Results are the same.
    #[must_use]
    pub fn on_threads(mut self, count: usize) -> Self {
        self.use_threads(count, false);
        self
    }

    /// The same, also in windows with few packets, for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn always_on_threads(mut self, count: usize) -> Self {
        self.use_threads(count, true);
        self
    }

    fn use_threads(&mut self, count: usize, always: bool) {
        match self {
            Self::Tcp(simulation) => simulation.use_threads(count, always),
            #[cfg(feature = "quic")]
            Self::Mixed(_) => {} // connections share the store of their datagrams
        }
    }

    /// Writes the packets of chosen flows to `sink` when the simulation runs, as a pcapng file.
    ///
    /// # Errors
    /// A capture of flows that do not exist, and a failing sink.
    pub fn capture(&mut self, config: &CaptureConfig, sink: Box<dyn std::io::Write>) -> Result<(), SimulationError> {
        match self {
            Self::Tcp(simulation) => simulation.capture(config, sink),
            #[cfg(feature = "quic")]
            Self::Mixed(simulation) => simulation.capture(config, sink),
        }
    }

    /// A problem for each name in `watch` that no algorithm of the run has.
    pub fn unknown_watched(&self) -> &[Problem] {
        match self {
            Self::Tcp(simulation) => simulation.unknown_watched(),
            #[cfg(feature = "quic")]
            Self::Mixed(simulation) => simulation.unknown_watched(),
        }
    }

    /// The run for a caller that pauses and looks into it.
    pub fn live(self) -> Box<dyn Live> {
        match self {
            Self::Tcp(simulation) => simulation,
            #[cfg(feature = "quic")]
            Self::Mixed(simulation) => simulation,
        }
    }

    /// Runs to the end.
    ///
    /// # Errors
    /// An algorithm that fails, and a capture that cannot be written.
    pub fn run(self) -> Result<RunResult, SimulationError> {
        match self {
            Self::Tcp(simulation) => simulation.run(),
            #[cfg(feature = "quic")]
            Self::Mixed(simulation) => simulation.run(),
        }
    }
}
