//! The behaviour of each algorithm on a simulated path, and errors of loading one.
//! A single test program: linking one for each file would take longer than all tests.

mod bbr;
mod bbr3;
mod bic;
mod common;
mod copa;
mod cubic;
mod dctcp;
mod faults;
mod highspeed;
mod htcp;
mod hybla;
mod illinois;
mod loading;
mod lola;
mod modest_bbr;
mod prague;
mod refusals;
mod reno;
mod scalable;
mod third_party;
mod transmit_record;
mod vegas;
mod veno;
mod westwood;
mod yeah;
