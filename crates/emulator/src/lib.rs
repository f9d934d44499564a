//! A scenario's network in real time: packets of real hosts come in, and leave when the network says so.
//!
//! What belongs here: IP packets as the network sees them (`ip.rs`), where they wait (`packets.rs`), the network with
//! time as an argument (`emulator.rs`), and the loop around it (`live.rs`), which alone reads a clock (`clock.rs`,
//! `early.rs`) and does I/O. What does not: queues, links and media, which are those of the simulator, and creating devices, which
//! takes rights and is done in `python/fairlane/runs/emulation`.
//!
//! Every flow of the scenario has two *ports*, file descriptors of TUN devices: what port `2 n` reads takes the forward
//! path of flow `n` to port `2 n + 1`, and what that one reads takes the reverse path.

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
