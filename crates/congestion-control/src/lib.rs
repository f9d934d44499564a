//! The interface between TCP and congestion control algorithms.
//!
//! What belongs here: what an algorithm sees of a connection ([`TcpSock`] and the samples), the callbacks that a
//! transport makes ([`CongestionControl`]), how a run finds its algorithms ([`Algorithms`]), and the kernel functions
//! that algorithms share ([`kernel`]). What does not: any algorithm host. A host (`crates/algorithm-native`, the
//! Python classes of `crates/python-bindings`) is one implementation of these traits, and nothing here depends on it.

mod algorithms;
mod callbacks;
pub mod delivery_rate;
pub mod headers;
pub mod jiffies;
pub mod kernel;
pub mod proportional_rate_reduction;
mod sample;
pub mod sock;
mod state;
pub mod table;

pub use algorithms::{Algorithm, Algorithms, LoadFailure};
pub use callbacks::{ack_event, congestion_flag, AlgorithmFault, CaEvent, Callbacks, CongestionControl, FaultKind};
pub use sample::{AckSample, RateSample};
pub use sock::{CaState, TcpSock};
pub use state::{read_storage_with, StateMember, StorageReader};
