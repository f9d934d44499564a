//! What a script may say between `%{` and `}%`: a little Python, enough for assertions on numbers.
//!
//! `tokens.rs` cuts the text up, `expression.rs` reads and evaluates expressions, `statement.rs` runs `assert`,
//! `print` and assignments, `value.rs` says what values there are and how they print. No loops, no functions of
//! one's own, no imports: a script that needs more is told so.

mod expression;
mod statement;
mod tokens;
mod value;

pub use statement::{run, CodeError, Variables};
pub use value::Value;
