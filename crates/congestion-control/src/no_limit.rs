//! Numbers that stand for "no limit" or "not measured yet".
//!
//! The kernel and its algorithms write the largest number of a type for both: `TCP_INFINITE_SSTHRESH`, a pacing rate of
//! `~0UL`, a minimum RTT of `~0U`. Every output leaves such a value empty. Only this module knows the numbers.

use crate::sock::{TcpSock, PACING_UNLIMITED};
use crate::table::{Member, Number};

/// The value of an integer of this width; `None` if it is the largest of its type, with or without a sign.
///
/// ```
/// use fairlane_congestion_control::no_limit::limit;
/// assert_eq!([limit(10, 32), limit(0x7fff_ffff, 32), limit(0xffff_ffff, 32)], [Some(10), None, None]);
/// assert_eq!([limit(0xffff_ffff, 64), limit(u64::MAX.into(), 64), limit(255, 8)], [Some(0xffff_ffff), None, Some(255)]);
/// ```
pub fn limit(value: i128, bits: u32) -> Option<i128> {
    let largest = (1i128 << bits) - 1;
    let is_limit = bits < 32 || (value != largest && value != largest >> 1);
    is_limit.then_some(value)
}

/// The value of a member of a connection; `None` if it is no limit, or if the member is not a single integer. Sequence
/// numbers have no such value.
pub fn member_limit(member: &Member<TcpSock>, sock: &TcpSock) -> Option<i128> {
    let value: i128 = match (member.get)(sock)? {
        Number::Signed(value) => value.into(),
        Number::Unsigned(value) => value.into(),
    };
    match member.facts.unit {
        "sequence number" => Some(value),
        _ => limit(value, member.facts.bits.unwrap_or(8 * member.bytes as u32)),
    }
}

/// The pacing rate; `None` if sending is not limited by one.
#[inline]
pub fn pacing_rate(sock: &TcpSock) -> Option<u64> {
    (sock.sk_pacing_rate != 0 && sock.sk_pacing_rate != PACING_UNLIMITED).then_some(sock.sk_pacing_rate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::visible_members;

    #[test]
    fn members_of_a_new_connection_are_not_huge() {
        let sock = TcpSock { snd_una: u32::MAX, prior_ssthresh: 0x7fff_ffff, ..TcpSock::default() };
        let read = |name: &str| {
            let found = visible_members::<TcpSock>().into_iter().find(|member| member.name == name);
            member_limit(found.expect("a member"), &sock)
        };
        for name in ["snd_ssthresh", "prior_ssthresh", "snd_cwnd_clamp", "sk_pacing_rate", "sk_max_pacing_rate"] {
            assert_eq!(read(name), None, "{name}");
        }
        assert_eq!([read("snd_cwnd"), read("snd_una")], [Some(10), Some(u32::MAX.into())]);
        for member in visible_members::<TcpSock>() {
            let value = member_limit(member, &TcpSock::default()).unwrap_or(0);
            assert!(value < 0x7fff_ffff, "{}: {value}", member.name);
        }
    }

    #[test]
    fn a_pacing_rate_of_all_bits_or_none_is_no_limit() {
        let paced = |sk_pacing_rate| pacing_rate(&TcpSock { sk_pacing_rate, ..TcpSock::default() });
        assert_eq!([paced(PACING_UNLIMITED), paced(0), paced(7)], [None, None, Some(7)]);
    }
}
