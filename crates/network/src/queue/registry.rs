//! All queue disciplines: creates one from its configuration and checks that configuration.

use fairlane_contract::{Problem, QueueConfig};

use super::cake::{self, Cake};
use super::codel::Codel;
use super::dualpi2::{self, Dualpi2};
use super::fq::Fq;
use super::fq_codel::FqCodel;
use super::fq_pie::FqPie;
use super::pie::Pie;
use super::policer::{self, Policer};
use super::red::{self, Red};
use super::router::Router;
use super::setup::QueueSetup;
use super::{fifo, QueueDiscipline};

/// Creates a discipline; none for the plain FIFO, which has a store of its own.
pub(crate) fn discipline(config: &QueueConfig, setup: &QueueSetup) -> Option<Box<dyn QueueDiscipline>> {
    Some(match config {
        QueueConfig::Fifo { .. } | QueueConfig::Unlimited {} => return None,
        QueueConfig::Red(config) => Box::new(Red::new(config, setup)),
        QueueConfig::Codel(config) => Box::new(Codel::new(config, setup)),
        QueueConfig::FqCodel(config) => Box::new(FqCodel::new(config, setup)),
        QueueConfig::Pie(config) => Box::new(Pie::new(config, setup)),
        QueueConfig::FqPie(config) => Box::new(FqPie::new(config, setup)),
        QueueConfig::Fq(config) => Box::new(Fq::new(config, setup)),
        QueueConfig::Cake(config) => Box::new(Cake::new(config, setup)),
        QueueConfig::Dualpi2(config) => Box::new(Dualpi2::new(config, setup)),
        QueueConfig::Policer(config) => Box::new(Policer::new(config)),
        QueueConfig::Router(config) => Box::new(Router::new(config)),
    })
}

/// The first parameter that does not fit the others; the declarations check ranges.
pub(crate) fn problem(config: &QueueConfig) -> Option<Problem> {
    let fault = match config {
        QueueConfig::Fifo { limit_bytes, limit_packets } => fifo::fault(*limit_bytes, *limit_packets),
        QueueConfig::Red(config) => return red::problem(config),
        QueueConfig::Dualpi2(config) => dualpi2::fault(config),
        QueueConfig::Policer(config) => policer::fault(config),
        QueueConfig::Cake(config) => cake::fault(config),
        _ => None,
    };
    fault.map(|(key, what, remedy)| Problem::new(key, what, remedy))
}
