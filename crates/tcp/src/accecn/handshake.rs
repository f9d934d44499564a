//! Negotiation in the three-way handshake (section 3.1).

use super::ace;
use fairlane_transport::EcnMark;

/// The kind of ECN feedback that an end supports, or that both use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feedback {
    None,
    /// RFC 3168.
    Classic,
    Accurate,
}

/// (AE, CWR, ECE) of a SYN that asks for AccECN.
pub const REQUEST: u8 = 0b111;
/// The same for classic ECN, and the flags of a SYN-ACK that agrees to it.
pub const CLASSIC_REQUEST: u8 = 0b011;
pub const CLASSIC_AGREEMENT: u8 = 0b001;

/// The server's answer to a SYN with these flags that arrived with `mark` (Table 2, section 3.1.3): the feedback that
/// both ends will use, and the flags of the SYN-ACK.
pub fn answer(supported: Feedback, syn: u8, mark: EcnMark) -> (Feedback, u8) {
    match (supported, syn) {
        (Feedback::None, _) | (_, 0b000) => (Feedback::None, 0b000),
        // A server of RFC 3168 ignores AE.
        (Feedback::Classic, CLASSIC_REQUEST | REQUEST) | (Feedback::Accurate, CLASSIC_REQUEST) => {
            (Feedback::Classic, CLASSIC_AGREEMENT)
        }
        (Feedback::Classic, _) => (Feedback::None, 0b000),
        // Combinations that are not defined yet count as a request.
        (Feedback::Accurate, _) => (Feedback::Accurate, ace::handshake_encoding(mark)),
    }
}

/// The feedback that a SYN-ACK with these flags grants to a client that asked for AccECN (Table 2, section 3.1.3).
pub fn conclude(syn_ack: u8) -> Feedback {
    match syn_ack {
        CLASSIC_AGREEMENT => Feedback::Classic,
        // No ECN, or a server that reflects the flags.
        0b000 | 0b111 => Feedback::None,
        _ => Feedback::Accurate,
    }
}

/// Timeouts after which a SYN no longer asks, and a SYN-ACK no longer agrees (sections 3.1.4.1 and 3.2.3.2.2).
pub const GIVES_UP_AFTER: u32 = 2;

#[cfg(test)]
mod tests {
    use super::*;
    use EcnMark::{Ce, Ect0, Ect1, NotEct};
    use Feedback::{Accurate, Classic, None};

    /// Section 3.1.2, Table 2: host A, host B, flags of SYN and SYN-ACK, and the feedback mode of host A. For the ECN
    /// nonce and a broken server, which are not implemented, only A's conclusion is checked.
    type Table2Row = (Feedback, Option<Feedback>, u8, EcnMark, u8, Feedback);
    const TABLE_2: &[Table2Row] = &[
        (Accurate, Some(Accurate), 0b111, NotEct, 0b010, Accurate),
        (Accurate, Some(Accurate), 0b111, Ect1, 0b011, Accurate),
        (Accurate, Some(Accurate), 0b111, Ect0, 0b100, Accurate),
        (Accurate, Some(Accurate), 0b111, Ce, 0b110, Accurate),
        (Accurate, Option::None, 0b111, NotEct, 0b101, Accurate), // reserved: section 3.1.3
        (Accurate, Some(Classic), 0b111, NotEct, 0b001, Classic),
        (Accurate, Some(None), 0b111, NotEct, 0b000, None),
        (Classic, Some(Accurate), 0b011, NotEct, 0b001, Classic),
        (None, Some(Accurate), 0b000, NotEct, 0b000, None),
        (Accurate, Option::None, 0b111, NotEct, 0b111, None), // broken
    ];

    #[test]
    fn table_2_negotiation() {
        for &(host_a, host_b, syn, mark, syn_ack, mode) in TABLE_2 {
            let row = format!("{host_a:?} with {host_b:?}, SYN {syn:03b} {mark:?}, SYN-ACK {syn_ack:03b}");
            if let Some(host_b) = host_b {
                assert_eq!(answer(host_b, syn, mark), (mode, syn_ack), "{row}");
            }
            if host_a == Accurate {
                assert_eq!(conclude(syn_ack), mode, "{row}");
            }
        }
    }

    /// Section 3.1.3: every combination on a SYN but (0,0,0) and (0,1,1) asks for AccECN, and the server never answers
    /// with the reserved (1,0,1).
    #[test]
    fn undefined_combinations_ask_for_accecn() {
        for syn in [0b001, 0b010, 0b100, 0b101, 0b110, 0b111] {
            for mark in [NotEct, Ect0, Ect1, Ce] {
                let (mode, flags) = answer(Accurate, syn, mark);
                assert_eq!(mode, Accurate, "SYN {syn:03b}");
                assert_ne!(flags, 0b101);
                assert_eq!(conclude(flags), Accurate);
            }
        }
    }
}
