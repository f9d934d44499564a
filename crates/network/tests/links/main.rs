//! Behaviour of links, queues and Wi-Fi cells, one subject per file.

mod cells;
mod changes;
mod codel;
mod common;
mod config;
mod disciplines;
mod fair_queues;
mod half_duplex;
mod host_device;
mod impairments;
mod lookahead;
mod policer;
mod queue_config;
mod queue_laws;
mod random_traffic;
mod shaped;
mod timing;
mod token_bucket;
mod trace;
mod upcoming_paths;
mod wifi;
mod wifi_checks;
mod wifi_departures;
mod wifi_laws;
mod wifi_nodes;
mod wifi_options;
