//! A packet as a script writes it: `> [ect0] P. 1:1001(1000) ack 1 win 257 <nop,nop,TS val 1 ecr 2>`.

use super::cursor::{is_word_character, Cursor};
use super::options::{OptionList, TcpOption};
use super::ScriptError;
use fairlane_tcp::segment::flags;
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `<`: the script sends it to the TCP under test.
    Inbound,
    /// `>`: the TCP under test is expected to send it.
    Outbound,
}

/// The ECN bits of the IP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnBits {
    NotEct,
    Ect0,
    Ect1,
    Ce,
    /// Either of the two ECT codepoints.
    AnyEct,
}

/// Sequence numbers are relative to those of the script's SYNs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    pub direction: Direction,
    /// `None` if the script does not specify it.
    pub ecn: Option<EcnBits>,
    /// Bits as in [`fairlane_tcp::segment::flags`].
    pub flags: u8,
    pub seq: u32,
    pub len: u32,
    pub ack: u32,
    /// As in the header, not scaled; `None` if the script does not specify it.
    pub window: Option<u16>,
    pub options: OptionList,
}

/// Letters of the flags in the order in which they are printed.
const LETTERS: [(char, u8); 7] = [
    ('F', flags::FIN),
    ('S', flags::SYN),
    ('R', flags::RST),
    ('P', flags::PSH),
    ('E', flags::ECE),
    ('W', flags::CWR),
    ('.', flags::ACK),
];

impl Packet {
    /// Reads a packet after its `<` or `>`.
    pub(super) fn read(cursor: &mut Cursor, direction: Direction) -> Result<Self, ScriptError> {
        cursor.skip_blanks();
        let line = cursor.line();
        if let Some(feature) = foreign(cursor.rest()) {
            return Err(ScriptError::unsupported(line, feature));
        }
        let ecn = read_ip_bits(cursor)?;
        cursor.skip_blanks();
        let flags = read_flags(cursor)?;
        cursor.skip_blanks();
        let seq = cursor.number32()?;
        cursor.expect_token(":")?;
        let end = cursor.number32()?;
        cursor.expect_token("(")?;
        let len = cursor.number32()?;
        cursor.expect_token(")")?;
        if seq.wrapping_add(len) != end {
            return Err(ScriptError::syntax(line, format!("inconsistent TCP sequence numbers {seq}:{end}({len})")));
        }
        let mut packet = Self { direction, ecn, flags, seq, len, ack: 0, window: None, options: Some(Vec::new()) };
        packet.read_tail(cursor)?;
        Ok(packet)
    }

    /// Lines end nowhere in the language: the next event begins with its time.
    fn read_tail(&mut self, cursor: &mut Cursor) -> Result<(), ScriptError> {
        loop {
            cursor.skip_blanks();
            let line = cursor.line();
            if cursor.take_word("ack") {
                cursor.skip_blanks();
                self.ack = cursor.number32()?;
            } else if cursor.take_word("win") {
                cursor.skip_blanks();
                let window = cursor.number()?;
                let window = u16::try_from(window).map_err(|_| ScriptError::syntax(line, "window above 65535"))?;
                self.window = Some(window);
            } else if cursor.take_word("urg") {
                return Err(ScriptError::unsupported(line, "urgent data"));
            } else if cursor.take("<") {
                self.options = TcpOption::read_list(cursor)?;
                return Ok(());
            } else {
                return Ok(());
            }
        }
    }

    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// The feature that a packet needs if it is not a plain TCP packet: those begin with flags, in capital letters.
fn foreign(packet: &str) -> Option<String> {
    let named = FOREIGN.iter().find(|(word, _)| packet.starts_with(word));
    let word: String = packet.chars().take_while(|&c| is_word_character(c)).collect();
    match named {
        Some((_, feature)) => Some((*feature).to_owned()),
        None if word.starts_with(|c: char| c.is_ascii_lowercase()) => Some(format!("packets of the kind {word}")),
        None => None,
    }
}

/// Prefixes of packets that are not plain TCP packets.
const FOREIGN: &[(&str, &str)] = &[
    ("sctp", "SCTP"),
    ("dccp", "DCCP"),
    ("icmp", "ICMP messages"),
    ("udp", "UDP"),
    ("gre", "tunnels"),
    ("mpls", "tunnels"),
    ("ipv4", "tunnels and explicit addresses"),
    ("ipv6", "tunnels and explicit addresses"),
    ("psp", "PSP encryption"),
];

/// `[ect0]`: of the IP header, only the ECN bits are supported.
fn read_ip_bits(cursor: &mut Cursor) -> Result<Option<EcnBits>, ScriptError> {
    let line = cursor.line();
    if !cursor.take("[") && !cursor.take("(") {
        return Ok(None);
    }
    cursor.skip_blanks();
    let ecn = match cursor.word() {
        "noecn" => EcnBits::NotEct,
        "ect0" => EcnBits::Ect0,
        "ect1" => EcnBits::Ect1,
        "ce" => EcnBits::Ce,
        "ect01" => EcnBits::AnyEct,
        "" => return Err(cursor.wrong("the state of the IP header")),
        other => return Err(ScriptError::unsupported(line, format!("IP header field {other}"))),
    };
    cursor.skip_blanks();
    if cursor.take("]") || cursor.take(")") {
        return Ok(Some(ecn));
    }
    Err(ScriptError::unsupported(line, "IP header fields other than ECN"))
}

fn read_flags(cursor: &mut Cursor) -> Result<u8, ScriptError> {
    let line = cursor.line();
    let mut written = cursor.take_while(|c| !c.is_whitespace()).to_owned();
    if written.chars().all(|c| c.is_ascii_alphabetic()) {
        // Blanks may stand before the point, which is a token of its own.
        let mut ahead = cursor.clone();
        ahead.skip_blanks();
        if ahead.take(".") {
            *cursor = ahead;
            written.push('.');
        }
    }
    if written == "-" {
        return Ok(0);
    }
    let mut bits = 0;
    for letter in written.chars() {
        match LETTERS.iter().find(|(known, _)| *known == letter) {
            Some((_, bit)) => bits |= bit,
            None if letter.is_ascii_digit() || letter == 'A' => {
                return Err(ScriptError::unsupported(line, "accurate ECN"));
            }
            None if letter == 'U' => return Err(ScriptError::unsupported(line, "urgent data")),
            None => return Err(ScriptError::syntax(line, format!("\"{letter}\" is no TCP flag"))),
        }
    }
    Ok(bits)
}

impl fmt::Display for Packet {
    /// The caller prints direction and time.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ecn {
            None => {}
            Some(EcnBits::NotEct) => write!(f, "[noecn] ")?,
            Some(EcnBits::Ect0) => write!(f, "[ect0] ")?,
            Some(EcnBits::Ect1) => write!(f, "[ect1] ")?,
            Some(EcnBits::Ce) => write!(f, "[ce] ")?,
            Some(EcnBits::AnyEct) => write!(f, "[ect01] ")?,
        }
        for (letter, bit) in LETTERS {
            if self.has(bit) {
                write!(f, "{letter}")?;
            }
        }
        if self.flags == 0 {
            write!(f, "-")?;
        }
        write!(f, " {}:{}({})", self.seq, self.seq.wrapping_add(self.len), self.len)?;
        if self.has(flags::ACK) {
            write!(f, " ack {}", self.ack)?;
        }
        if let Some(window) = self.window {
            write!(f, " win {window}")?;
        }
        match &self.options {
            None => write!(f, " <...>"),
            Some(options) if options.is_empty() => Ok(()),
            Some(options) => {
                let words: Vec<_> = options.iter().map(ToString::to_string).collect();
                write!(f, " <{}>", words.join(","))
            }
        }
    }
}
