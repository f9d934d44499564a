//! `cargo bench` times the hot paths. A crate of their own spares `cargo test` criterion and what it needs.
