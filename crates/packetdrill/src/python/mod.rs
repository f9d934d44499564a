//! The code between `%{` and `}%`: a subset of Python for assertions on numbers.
//!
//! `tokens.rs` is the tokenizer, `expression.rs` parses and evaluates expressions, `statement.rs` runs `assert`,
//! `print` and assignments, `value.rs` has values and errors. There are no loops, function definitions or imports: a
//! script that needs them is unsupported.

mod expression;
mod statement;
mod tokens;
mod value;

pub use statement::run;
pub use value::{CodeError, Value, Variables};
