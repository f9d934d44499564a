//! What two ends of TCP connections say to each other, each file one subject.
//! One program: linking one for each file would take longer than all tests.

mod accecn;
mod algorithm_echo;
mod calling_order;
mod ecn;
mod flow_control;
mod handshake;
mod host_queue;
mod hostile_wire;
mod pacing;
mod recovery;
mod support;
mod under_fire;
