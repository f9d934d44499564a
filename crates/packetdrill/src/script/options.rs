//! TCP options as a script writes them: `<mss 1000,sackOK,TS val 100 ecr 0,nop,wscale 7>`.

use super::cursor::Cursor;
use super::ScriptError;
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TcpOption {
    EndOfList,
    Nop,
    Mss(u16),
    WindowScale(u8),
    SackPermitted,
    /// Bounds as the script gives them, 32 bits each.
    Sack(Vec<(u32, u32)>),
    Timestamp {
        value: u32,
        echo: u32,
    },
}

/// The options of a packet; `None` (written `<...>`) in an expected packet matches any.
pub type OptionList = Option<Vec<TcpOption>>;

impl TcpOption {
    /// Reads a list after its `<`.
    pub(super) fn read_list(cursor: &mut Cursor) -> Result<OptionList, ScriptError> {
        cursor.skip_blanks();
        if cursor.take("...") {
            cursor.skip_blanks();
            cursor.expect(">")?;
            return Ok(None);
        }
        let mut options = Vec::new();
        loop {
            cursor.skip_blanks();
            if cursor.take(">") {
                return Ok(Some(options));
            }
            options.push(Self::read(cursor)?);
            cursor.skip_blanks();
            if !cursor.take(",") && !cursor.rest().starts_with('>') {
                return Err(cursor.wrong("\",\" or \">\""));
            }
        }
    }

    fn read(cursor: &mut Cursor) -> Result<Self, ScriptError> {
        let line = cursor.line();
        let name = cursor.word();
        cursor.skip_blanks();
        Ok(match name {
            "eol" => Self::EndOfList,
            "nop" => Self::Nop,
            "mss" => Self::Mss(small(cursor, "an MSS")?),
            "wscale" => Self::WindowScale(small(cursor, "a window scale")?),
            "sackOK" => Self::SackPermitted,
            "sack" => Self::Sack(read_blocks(cursor)?),
            "TS" => {
                cursor.expect("val")?;
                cursor.skip_blanks();
                let value = small(cursor, "a timestamp")?;
                cursor.skip_blanks();
                cursor.expect("ecr")?;
                cursor.skip_blanks();
                Self::Timestamp { value, echo: small(cursor, "a timestamp")? }
            }
            "FO" | "FOEXP" => return Err(ScriptError::unsupported(line, "TCP Fast Open")),
            "md5" => return Err(ScriptError::unsupported(line, "TCP MD5 signatures")),
            "ECN" | "e0b" | "ceb" | "e1b" => return Err(ScriptError::unsupported(line, "accurate ECN")),
            _ if ["mp_", "mpcapable", "mpjoin", "dss", "add_address"].iter().any(|start| name.starts_with(start)) => {
                return Err(ScriptError::unsupported(line, "multipath TCP"))
            }
            _ => return Err(cursor.wrong("a TCP option")),
        })
    }
}

fn read_blocks(cursor: &mut Cursor) -> Result<Vec<(u32, u32)>, ScriptError> {
    let mut blocks = Vec::new();
    while cursor.peek().is_some_and(|c| c.is_ascii_digit()) {
        let start = small(cursor, "a sequence number")?;
        cursor.expect_token(":")?;
        blocks.push((start, small(cursor, "a sequence number")?));
        cursor.skip_blanks();
    }
    Ok(blocks)
}

fn small<T: TryFrom<u64>>(cursor: &mut Cursor, what: &str) -> Result<T, ScriptError> {
    let before = cursor.clone();
    T::try_from(cursor.number()?).map_err(|_| before.wrong(what))
}

impl fmt::Display for TcpOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EndOfList => write!(f, "eol"),
            Self::Nop => write!(f, "nop"),
            Self::Mss(mss) => write!(f, "mss {mss}"),
            Self::WindowScale(scale) => write!(f, "wscale {scale}"),
            Self::SackPermitted => write!(f, "sackOK"),
            Self::Sack(blocks) => {
                write!(f, "sack")?;
                blocks.iter().try_for_each(|(start, end)| write!(f, " {start}:{end}"))
            }
            Self::Timestamp { value, echo } => write!(f, "TS val {value} ecr {echo}"),
        }
    }
}
