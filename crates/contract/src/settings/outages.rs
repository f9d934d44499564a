//! Outages of links and Wi-Fi cells.

use crate::settings::MAX_TIME_NS;
use fairlane_contract_derive::Limits;
use schemars::JsonSchema;
use serde::Deserialize;

/// Times at which nothing is received.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema, Limits)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum OutageConfig {
    /// At given times, in order, without overlap.
    Listed {
        /// Start of each outage.
        at_ns: Vec<u64>,
        /// Length of each outage.
        #[schemars(range(min = 1, max = MAX_TIME_NS))]
        length_ns: u64,
    },
    /// At regular times.
    Periodic {
        /// Time from the start of one outage to the start of the next.
        #[schemars(range(min = 1_000, max = MAX_TIME_NS))]
        every_ns: u64,
        /// Length of each outage.
        #[schemars(range(min = 1, max = MAX_TIME_NS))]
        length_ns: u64,
        /// Start of the first outage. Absent, after one period.
        #[serde(default)]
        #[schemars(range(max = MAX_TIME_NS))]
        first_ns: Option<u64>,
    },
    /// At random times; lengths and distances are exponentially distributed.
    Random {
        /// Mean length of an outage.
        #[schemars(range(min = 1_000, max = MAX_TIME_NS))]
        mean_length_ns: u64,
        /// Mean time between the end of one and the start of the next.
        #[schemars(range(min = 1_000, max = MAX_TIME_NS))]
        mean_distance_ns: u64,
    },
}
