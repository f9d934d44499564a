//! Two endpoints and a network between them.

mod behaviour;
mod flow_control;
mod loss_recovery;
mod pair;
