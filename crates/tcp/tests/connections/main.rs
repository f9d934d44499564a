//! Conversations between two TCP endpoints, one file per subject. They are one program, because linking one per file
//! would take longer than all tests.

mod accecn;
mod algorithm_echo;
mod calling_order;
mod ecn;
mod flow_control;
mod handshake;
mod host_queue;
mod hostile_wire;
mod misbehaviour;
mod pacing;
mod recovery;
mod support;
mod under_fire;
