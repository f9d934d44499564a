//! The time of an event: absolute, relative to the previous event, in a range, or any.

use super::cursor::Cursor;
use super::ScriptError;
use crate::limits;

/// Times are in microseconds from the start of the script, or, if `relative`, from the previous event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventTime {
    /// `*`: any time.
    Any,
    /// `0.5`, `+0.5`.
    At { us: i64, relative: bool },
    /// `0.5~0.6`, `+0.5~+0.6`: between the two.
    Between { from_us: i64, to_us: i64, relative: bool },
    /// `0.5...0.6`: a system call that blocks from the first to the second.
    Blocking { from_us: i64, to_us: i64, relative: bool },
}

impl EventTime {
    pub(super) fn read(cursor: &mut Cursor) -> Result<Self, ScriptError> {
        if cursor.take("*") {
            return Ok(Self::Any);
        }
        let relative = cursor.take("+");
        cursor.skip_blanks();
        let from_us = seconds(cursor)?;
        let mut ahead = cursor.clone();
        ahead.skip_blanks();
        if ahead.take("...") {
            ahead.skip_blanks();
            *cursor = ahead;
            cursor.take("+");
            cursor.skip_blanks();
            return Ok(Self::Blocking { from_us, to_us: seconds(cursor)?, relative });
        }
        let mut ahead = cursor.clone();
        ahead.skip_blanks();
        if ahead.take("~") {
            ahead.skip_blanks();
            if ahead.take("+") != relative {
                return Err(ahead.wrong("both ends of the range relative, or neither"));
            }
            ahead.skip_blanks();
            let to_us = seconds(&mut ahead)?;
            *cursor = ahead;
            return Ok(Self::Between { from_us, to_us, relative });
        }
        Ok(Self::At { us: from_us, relative })
    }
}

/// Seconds with up to six significant decimals, as microseconds.
fn seconds(cursor: &mut Cursor) -> Result<i64, ScriptError> {
    let whole = cursor.take_while(|c| c.is_ascii_digit());
    let mut us = 0;
    if !whole.is_empty() {
        let seconds = whole.parse::<i64>().ok().filter(|&seconds| seconds < limits::SECONDS);
        us = seconds.ok_or_else(|| cursor.wrong(&format!("a time below {} s", limits::SECONDS)))? * 1_000_000;
    }
    let is_fraction = cursor.rest().starts_with('.') && !cursor.rest().starts_with("..");
    if is_fraction {
        cursor.next();
        let digits = cursor.take_while(|c| c.is_ascii_digit());
        if whole.is_empty() && digits.is_empty() {
            return Err(cursor.wrong("a time in seconds"));
        }
        let mut unit_us = 100_000;
        for digit in digits.bytes() {
            us += i64::from(digit - b'0') * unit_us;
            unit_us /= 10;
        }
    } else if whole.is_empty() {
        return Err(cursor.wrong("a time in seconds"));
    }
    Ok(us)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<EventTime, ScriptError> {
        EventTime::read(&mut Cursor::new(text))
    }

    #[test]
    fn every_form_of_time() {
        assert_eq!(read("*"), Ok(EventTime::Any));
        assert_eq!(read("0 socket"), Ok(EventTime::At { us: 0, relative: false }));
        assert_eq!(read("+.105 <"), Ok(EventTime::At { us: 105_000, relative: true }));
        assert_eq!(
            read("+1.2~+1.240 >"),
            Ok(EventTime::Between { from_us: 1_200_000, to_us: 1_240_000, relative: true })
        );
        assert_eq!(read("+ .1 ~ + .2"), Ok(EventTime::Between { from_us: 100_000, to_us: 200_000, relative: true }));
        assert_eq!(read("0.1 ~ 0.2"), Ok(EventTime::Between { from_us: 100_000, to_us: 200_000, relative: false }));
        assert_eq!(read("+0...0.010 connect"), Ok(EventTime::Blocking { from_us: 0, to_us: 10_000, relative: true }));
        assert!(read("soon").is_err());
        assert!(read("+1~2").is_err());
    }
}
