//! The tokenizer.

use super::value::CodeError;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Integer(i128),
    Float(f64),
    Text(String),
    /// A name or a keyword.
    Name(String),
    /// An operator or a bracket.
    Sign(&'static str),
    /// Line end or semicolon, outside of brackets.
    End,
}

/// Longer ones first.
const SIGNS: &[&str] = &[
    "**=", "//=", ">>=", "<<=", "**", "//", "<<", ">>", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "%=", "|=",
    "&=", "(", ")", "[", "]", ",", ":", "+", "-", "*", "/", "%", "<", ">", "=", "|", "&", "^", "~", ".",
];

pub(super) fn tokens(text: &str) -> Result<Vec<Token>, CodeError> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut depth = 0_usize;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\n' | ';' => {
                if depth == 0 && found.last().is_some_and(|last| *last != Token::End) {
                    found.push(Token::End);
                }
                1
            }
            '\\' if rest.starts_with("\\\n") => 2,
            c if c.is_whitespace() => c.len_utf8(),
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '"' | '\'' => {
                let body = &rest[1..];
                let end = body.find(first).ok_or_else(|| CodeError::syntax("unterminated string literal"))?;
                found.push(Token::Text(body[..end].replace("\\n", "\n")));
                end + 2
            }
            c if c.is_ascii_digit() => {
                let (token, length) = number(rest)?;
                found.push(token);
                length
            }
            c if c.is_alphabetic() || c == '_' => {
                let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                found.push(Token::Name(rest[..length].to_owned()));
                length
            }
            other => {
                let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
                let sign = sign.ok_or_else(|| CodeError::syntax(format!("unexpected character '{other}'")))?;
                match *sign {
                    "(" | "[" => depth += 1,
                    ")" | "]" => depth = depth.saturating_sub(1),
                    _ => {}
                }
                found.push(Token::Sign(sign));
                sign.len()
            }
        };
        rest = &rest[length..];
    }
    found.push(Token::End);
    Ok(found)
}

fn number(text: &str) -> Result<(Token, usize), CodeError> {
    let wrong = || CodeError::syntax("invalid number");
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let length = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
        return Ok((Token::Integer(i128::from_str_radix(&digits[..length], 16).map_err(|_| wrong())?), length + 2));
    }
    let length = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != 'e').unwrap_or(text.len());
    let digits = &text[..length];
    let token = match digits.parse::<i128>() {
        Ok(value) => Token::Integer(value),
        Err(_) => Token::Float(digits.parse().map_err(|_| wrong())?),
    };
    Ok((token, length))
}
