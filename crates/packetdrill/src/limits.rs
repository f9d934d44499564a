//! Limits on the size of scripts and of their values. Scripts are untrusted; the largest of Linux's own are a tenth of
//! each limit.

/// Of a script.
pub(crate) const TEXT_BYTES: usize = 1 << 20;
pub(crate) const EVENTS: usize = 20_000;
/// Nesting of lists, structures and brackets. Each level of an expression takes some 15 stack frames.
pub(crate) const DEPTH: usize = 50;
/// Of the script's clock: eleven days.
pub(crate) const SECONDS: i64 = 1_000_000;
/// Bytes of text, or numbers, in one value.
pub(crate) const VALUE_SIZE: usize = 1 << 16;
/// Number of variables.
pub(crate) const VARIABLES: usize = 1_000;
/// Bytes of printed output.
pub(crate) const PRINTED_BYTES: usize = 1 << 20;
/// Number of notes on settings without effect.
pub(crate) const NOTES: usize = 1_000;
/// Bytes that one call may write or read; the kernel truncates larger counts to this one.
pub(crate) const TRANSFER_BYTES: u64 = i32::MAX as u64 & !4095;
