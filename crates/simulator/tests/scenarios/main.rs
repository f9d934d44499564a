//! Properties of simulations of whole networks, one subject per file.
//! A single test program: linking one for each file would take longer than all tests.

mod applications;
mod bbr23;
mod capture;
mod copa;
mod dctcp;
mod determinism;
mod half_duplex;
mod live;
mod lola;
mod lookahead;
mod measurement;
mod modest_bbr;
mod physics;
mod progress;
mod queues;
mod quic;
mod random_networks;
mod response;
mod rtp;
mod sanity;
mod send_buffer;
mod small_queues;
mod start_ups;
mod support;
mod wifi;
