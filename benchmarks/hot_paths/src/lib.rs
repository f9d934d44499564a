//! `cargo bench` times the hot paths. A crate of their own spares `cargo test` the forty crates of criterion.
