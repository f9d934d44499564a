//! A scenario's network in real time, for packets of real hosts.
//!
//! This crate reads and marks IP packets (`ip.rs`), stores them (`packets.rs`), drives the network with time as an
//! argument (`emulator.rs`), and runs the loop around it (`live.rs`), which alone reads a clock (`clock.rs`,
//! `early.rs`) and does I/O. Queues, links and media are those of the simulator. Devices, which take privileges to
//! create, come from `python/fairlane/runs/emulation`.
//!
//! Every flow of the scenario has two *ports*, file descriptors of TUN devices: packets read from port `2 n` take the
//! forward path of flow `n` to port `2 n + 1`, and those read there take the reverse path.

mod clock;
mod early;
mod emulator;
mod ip;
mod live;
mod packets;
mod report;

pub use clock::now_ns;
pub use emulator::{Arrival, Emulator};
pub use live::{Failure, Live, Run};
pub use report::{Lateness, PortReport, Report};
