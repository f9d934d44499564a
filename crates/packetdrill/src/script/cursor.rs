//! A cursor in the text of a script: looks ahead, skips blanks and comments, counts lines.

use super::ScriptError;
use crate::limits;
use std::cell::Cell;

#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// A position and its line: lines are counted from there on.
    counted: Cell<(usize, usize)>,
    depth: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0, counted: Cell::new((0, 1)), depth: 0 }
    }

    pub fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    /// Line of the next character, from 1.
    pub fn line(&self) -> usize {
        let (from, line) = self.counted.get();
        let line = line + self.text.as_bytes()[from..self.at].iter().filter(|&&byte| byte == b'\n').count();
        self.counted.set((self.at, line));
        line
    }

    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Skips `word` if it comes next.
    pub fn take(&mut self, word: &str) -> bool {
        let comes = self.rest().starts_with(word);
        if comes {
            self.at += word.len();
        }
        comes
    }

    /// The same for a whole word: no letter or digit may follow.
    pub fn take_word(&mut self, word: &str) -> bool {
        let rest = self.rest();
        let comes = rest.starts_with(word) && !rest[word.len()..].starts_with(is_word_character);
        if comes {
            self.at += word.len();
        }
        comes
    }

    pub fn expect(&mut self, word: &str) -> Result<(), ScriptError> {
        if self.take(word) {
            Ok(())
        } else {
            Err(self.wrong(&format!("\"{word}\"")))
        }
    }

    /// The same for a token between others: blanks around it are skipped.
    pub fn expect_token(&mut self, token: &str) -> Result<(), ScriptError> {
        self.skip_blanks();
        self.expect(token)?;
        self.skip_blanks();
        Ok(())
    }

    /// Takes characters while they match; possibly none.
    pub fn take_while(&mut self, fits: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !fits(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Takes all text up to `end`, and skips `end`.
    pub fn take_until(&mut self, end: &str) -> Result<&'a str, ScriptError> {
        let rest = self.rest();
        let Some(length) = rest.find(end) else {
            return Err(ScriptError::syntax(self.line(), format!("the end \"{end}\" is missing")));
        };
        self.at += length + end.len();
        Ok(&rest[..length])
    }

    /// Reads an element of a list or structure, within the depth limit.
    pub fn inside<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, ScriptError>) -> Result<T, ScriptError> {
        if self.depth == limits::DEPTH {
            let message = format!("lists and structures nested more than {} deep", limits::DEPTH);
            return Err(ScriptError::syntax(self.line(), message));
        }
        self.depth += 1;
        let found = read(self);
        self.depth -= 1;
        found
    }

    pub fn word(&mut self) -> &'a str {
        self.take_while(is_word_character)
    }

    /// A decimal or hexadecimal number without a sign.
    pub fn number(&mut self) -> Result<u64, ScriptError> {
        let hexadecimal = self.take("0x") || self.take("0X");
        let digits = self.take_while(|c| if hexadecimal { c.is_ascii_hexdigit() } else { c.is_ascii_digit() });
        u64::from_str_radix(digits, if hexadecimal { 16 } else { 10 }).map_err(|_| self.wrong("a number"))
    }

    /// The same in 32 bits, such as a sequence number.
    pub fn number32(&mut self) -> Result<u32, ScriptError> {
        let before = self.clone();
        u32::try_from(self.number()?).map_err(|_| before.wrong("a number of 32 bits"))
    }

    /// Skips blanks, line ends and comments (`//`, `/* */`, and `#` to the end of the line).
    pub fn skip_blanks(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            if self.take("//") || self.peek() == Some('#') {
                self.take_while(|c| c != '\n');
            } else if self.take("/*") {
                if self.take_until("*/").is_err() {
                    self.at = self.text.len();
                }
            } else {
                return;
            }
        }
    }

    /// A syntax error: the text is not `expected`.
    pub fn wrong(&self, expected: &str) -> ScriptError {
        let found: String = self.rest().chars().take_while(|&c| c != '\n').take(30).collect();
        let found = if found.is_empty() { "the end of the line".to_owned() } else { format!("\"{found}\"") };
        ScriptError::syntax(self.line(), format!("syntax error: expected {expected}, found {found}"))
    }
}

pub(super) fn is_word_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
