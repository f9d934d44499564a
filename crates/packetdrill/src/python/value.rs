//! Values, variables and errors, and operations on values.

use crate::limits;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

/// Variables, assigned by earlier code or by the player.
pub type Variables = BTreeMap<String, Value>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeError {
    /// An exception of Python: kind and message.
    Raised { kind: String, message: String },
    /// An undefined name.
    UnknownName(String),
    /// Valid Python outside the supported subset.
    Unsupported(String),
}

impl CodeError {
    pub(super) fn raised(kind: &str, message: impl Into<String>) -> Self {
        Self::Raised { kind: kind.to_owned(), message: message.into() }
    }

    pub(super) fn syntax(message: impl Into<String>) -> Self {
        Self::raised("SyntaxError", message)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    None,
    Bool(bool),
    Integer(i128),
    Float(f64),
    Text(String),
    /// A tuple or a list.
    Sequence(Vec<Value>),
}

/// Values are copied, and code that doubles one in each line would use unlimited memory.
pub(super) fn check_size(size: usize) -> Result<(), CodeError> {
    if size > limits::VALUE_SIZE {
        return Err(CodeError::raised("MemoryError", format!("a value of more than {} items", limits::VALUE_SIZE)));
    }
    Ok(())
}

impl Value {
    /// Numbers and bytes of text.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Text(text) => 1 + text.len(),
            Self::Sequence(values) => 1 + values.iter().map(Self::size).sum::<usize>(),
            _ => 1,
        }
    }

    fn depth(&self) -> usize {
        match self {
            Self::Sequence(values) => 1 + values.iter().map(Self::depth).max().unwrap_or(0),
            _ => 0,
        }
    }

    /// Returns the value, unless it is too large or too deep.
    pub(super) fn within_limits(self) -> Result<Self, CodeError> {
        check_size(self.size())?;
        if self.depth() > limits::DEPTH {
            return Err(CodeError::raised("RecursionError", format!("a value of more than {} levels", limits::DEPTH)));
        }
        Ok(self)
    }

    pub fn is_true(&self) -> bool {
        match self {
            Self::None => false,
            Self::Bool(value) => *value,
            Self::Integer(value) => *value != 0,
            Self::Float(value) => *value != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::Sequence(values) => !values.is_empty(),
        }
    }

    /// An integer; a boolean is 0 or 1.
    pub fn integer(&self) -> Option<i128> {
        match self {
            Self::Bool(value) => Some(i128::from(*value)),
            Self::Integer(value) => Some(*value),
            _ => None,
        }
    }

    pub fn float(&self) -> Option<f64> {
        match self {
            Self::Float(value) => Some(*value),
            other => other.integer().map(|value| value as f64),
        }
    }

    /// Equality like Python's `==`: numbers of different types may be equal.
    pub fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Sequence(a), Self::Sequence(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.equals(b)),
            (Self::None, Self::None) => true,
            _ => self.compare(other) == Some(Ordering::Equal),
        }
    }

    /// Order of numbers and of strings; other values have none.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        if let (Some(a), Some(b)) = (self.integer(), other.integer()) {
            return Some(a.cmp(&b));
        }
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => Some(a.cmp(b)),
            _ => self.float()?.partial_cmp(&other.float()?),
        }
    }

    /// `text % values`, with the conversions d, i, u, s, r, f, g, x.
    pub fn format(template: &str, values: &Self) -> Result<Self, CodeError> {
        let values = match values {
            Self::Sequence(values) => values.clone(),
            single => vec![single.clone()],
        };
        let mut values = values.into_iter();
        let mut text = String::new();
        let mut letters = template.chars().peekable();
        while let Some(letter) = letters.next() {
            if letter != '%' {
                text.push(letter);
                continue;
            }
            if letters.next_if_eq(&'%').is_some() {
                text.push('%');
                continue;
            }
            let mut precision = String::new();
            while let Some(c) = letters.next_if(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | ' ' | 'l')) {
                precision.push(c);
            }
            let kind = letters.next().ok_or_else(|| CodeError::raised("ValueError", "incomplete format"))?;
            let value = values
                .next()
                .ok_or_else(|| CodeError::raised("TypeError", "not enough arguments for format string"))?;
            text.push_str(&value.formatted(kind, &precision)?);
            check_size(text.len())?;
        }
        Ok(Self::Text(text))
    }

    fn formatted(&self, kind: char, precision: &str) -> Result<String, CodeError> {
        let wrong = || CodeError::raised("TypeError", "%d format: a number is required");
        Ok(match kind {
            'd' | 'i' | 'u' => match self.integer() {
                Some(value) => value.to_string(),
                None => (self.float().ok_or_else(wrong)? as i128).to_string(),
            },
            'x' => format!("{:x}", self.integer().ok_or_else(wrong)?),
            'f' => {
                let decimals = precision.split_once('.').and_then(|(_, digits)| digits.parse().ok()).unwrap_or(6);
                check_size(decimals)?;
                format!("{:.decimals$}", self.float().ok_or_else(wrong)?)
            }
            'g' => format!("{}", self.float().ok_or_else(wrong)?),
            's' => self.to_string(),
            'r' => self.represented(),
            other => return Err(CodeError::raised("ValueError", format!("unsupported format character '{other}'"))),
        })
    }

    /// Like Python's `repr`.
    fn represented(&self) -> String {
        match self {
            Self::Text(text) => format!("'{text}'"),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => write!(f, "None"),
            Self::Bool(true) => write!(f, "True"),
            Self::Bool(false) => write!(f, "False"),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value:?}"),
            Self::Text(text) => write!(f, "{text}"),
            Self::Sequence(values) => {
                let items: Vec<_> = values.iter().map(Self::represented).collect();
                write!(f, "({}{})", items.join(", "), if items.len() == 1 { "," } else { "" })
            }
        }
    }
}
