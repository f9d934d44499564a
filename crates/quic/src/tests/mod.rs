//! Two endpoints and a network between them.

mod behaviour;
mod datagrams;
mod early_data;
mod flow_control;
mod hostile;
mod limits;
mod loss_recovery;
mod pair;
mod pseudo_code;
mod real_tls;
mod tls;
