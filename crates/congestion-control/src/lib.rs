//! The interface between TCP and congestion control algorithms.
//!
//! It has a connection as algorithms see it ([`TcpSock`] and the samples), the callbacks that a transport makes
//! ([`CongestionControl`]), the source of a run's algorithms ([`Algorithms`]), and the kernel functions that algorithms
//! share ([`kernel`]). Algorithm hosts (`crates/algorithm-native`, the Python classes of `crates/python-bindings`)
//! implement these traits; this crate depends on none of them.

mod algorithms;
mod callbacks;
pub mod delivery_rate;
pub mod headers;
pub mod jiffies;
pub mod kernel;
pub mod no_limit;
mod ops;
mod program;
pub mod proportional_rate_reduction;
mod sample;
pub mod sock;
mod state;
pub mod table;

pub use algorithms::{Algorithm, Algorithms, LoadFailure};
pub use callbacks::{
    ack_event, congestion_flag, wrapped_value, AlgorithmFault, CaEvent, Callbacks, CongestionControl, FaultKind,
    MAX_CWND,
};
pub use ops::{flags_offset, Callback, PerCallback};
pub use program::{callbacks_of, Instance, ProgramCalls};
pub use sample::{AckSample, RateSample};
pub use sock::{CaState, TcpSock};
pub use state::{read_storage_with, StateMember, StorageReader};
