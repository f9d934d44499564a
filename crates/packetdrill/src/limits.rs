//! How large a script and what it makes may be. Scripts come from anywhere; the largest of Linux's own are a tenth of
//! this in every respect.

/// Of a script.
pub(crate) const TEXT_BYTES: usize = 1 << 20;
pub(crate) const EVENTS: usize = 20_000;
/// Lists, structures and brackets inside each other. Each level of an expression takes some 15 frames of the stack.
pub(crate) const DEPTH: usize = 50;
/// Of the script's clock: eleven days.
pub(crate) const SECONDS: i64 = 1_000_000;
/// Bytes of text, or numbers, in one value of the code.
pub(crate) const VALUE_SIZE: usize = 1 << 16;
/// Names that the code has given to values.
pub(crate) const VARIABLES: usize = 1_000;
/// Bytes that the code may print.
pub(crate) const PRINTED_BYTES: usize = 1 << 20;
/// Notes on settings without effect.
pub(crate) const NOTES: usize = 1_000;
/// Bytes that one call may write or read: the kernel cuts larger counts off at this one.
pub(crate) const TRANSFER_BYTES: u64 = i32::MAX as u64 & !4095;
