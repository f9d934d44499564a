//! Reads members of `tcp_sock` and of an algorithm's private memory by name.

use fairlane_congestion_control::table::{completed, visible_members, Member, Number};
use fairlane_congestion_control::{StateMember, TcpSock};
use std::collections::BTreeSet;

/// Prefix of names in an algorithm's private memory.
pub(crate) const STATE: &str = "state.";

/// Members of `tcp_sock` that are clocks; they always change.
const CLOCKS: &[&str] = &["tcp_mstamp", "tcp_clock_cache", "rx_opt_rcv_tsval", "rx_opt_rcv_tsecr"];

/// The numeric members of a connection, without clocks.
pub(crate) fn members() -> Vec<&'static Member<TcpSock>> {
    let is_shown =
        |member: &&Member<TcpSock>| !CLOCKS.contains(&member.name) && (member.get)(&TcpSock::default()).is_some();
    visible_members::<TcpSock>().into_iter().filter(is_shown).collect()
}

/// One member, ready to be read.
#[derive(Clone, Debug)]
pub enum Watch {
    Connection(fn(&TcpSock) -> Option<Number>),
    State(StateMember),
    /// This algorithm has no such member.
    Absent,
}

impl Watch {
    /// Finds a member by name, for an algorithm with the members `state`.
    pub fn find(name: &str, state: &[StateMember]) -> Self {
        match name.strip_prefix(STATE) {
            Some(inner) => position(state, inner).map_or(Self::Absent, |at| Self::State(state[at].clone())),
            None => members()
                .into_iter()
                .find(|member| member.name == name)
                .map_or(Self::Absent, |member| Self::Connection(member.get)),
        }
    }

    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// The value; a number above 2^63 becomes negative.
    pub fn read(&self, sock: &TcpSock) -> Option<i64> {
        match self {
            Self::Connection(get) => Some(integer(get(sock)) as i64),
            Self::State(member) => Some(member.read(sock) as i64),
            Self::Absent => None,
        }
    }
}

pub(crate) fn integer(number: Option<Number>) -> i128 {
    match number {
        Some(Number::Signed(value)) => value.into(),
        Some(Number::Unsigned(value)) => value.into(),
        None => 0,
    }
}

/// Position of the member with this name, or of the only one with this last part: `min_us` for `rtt.min_us`.
pub(crate) fn position(state: &[StateMember], name: &str) -> Option<usize> {
    let ends = |one: &StateMember| one.name.strip_suffix(name).is_some_and(|outer| outer.ends_with('.'));
    state.iter().position(|one| one.name == name).or_else(|| {
        let mut found = (0..state.len()).filter(|&at| ends(&state[at]));
        found.next().filter(|_| found.next().is_none())
    })
}

/// Names that can be watched in a run.
#[derive(Clone, Debug)]
pub struct Watchable(BTreeSet<String>);

impl Default for Watchable {
    /// The members that every connection has.
    fn default() -> Self {
        Self(members().into_iter().map(|member| member.name.to_owned()).collect())
    }
}

impl Watchable {
    /// Adds the members of an algorithm.
    pub fn add(&mut self, state: &[StateMember]) {
        self.0.extend(state.iter().map(|member| format!("{STATE}{}", member.name)));
    }

    /// The known name most similar to an unknown one.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        let names = || self.0.iter().map(String::as_str);
        let likeness = |other: &&str| (strsim::normalized_damerau_levenshtein(name, other) * 1e6) as u64;
        // In the order of `tcp_sock`: its first members are the likeliest.
        let in_order = members().into_iter().map(|member| member.name).chain(names());
        completed(name, in_order)
            .or_else(|| names().max_by_key(likeness).filter(|other| likeness(other) > 400_000))
            .and_then(|found| names().find(|one| *one == found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(name: &str, first_bit: u32) -> StateMember {
        StateMember { name: name.into(), first_bit, bits: 32, signed: false, stored_bytes: None }
    }

    #[test]
    fn members_are_read_by_name() {
        let keeps = [state("rtt.min_us", 0), state("mode", 32)];
        let mut sock = TcpSock { snd_ssthresh: 7, ..TcpSock::default() };
        sock.icsk_ca_priv[0] = 5 << 32 | 3;
        let read = |name| Watch::find(name, &keeps).read(&sock);
        assert_eq!(read("snd_ssthresh"), Some(7));
        assert_eq!([read("state.mode"), read("state.rtt.min_us"), read("state.min_us")], [Some(5), Some(3), Some(3)]);
        assert_eq!([read("state.other"), read("tcp_mstamp")], [None, None]);
    }

    #[test]
    fn a_wrong_name_has_a_nearest_one() {
        let mut known = Watchable::default();
        known.add(&[state("mode", 0)]);
        assert_eq!(known.nearest("cwnd"), Some("snd_cwnd"));
        assert_eq!(known.nearest("state.mod"), Some("state.mode"));
        assert_eq!(known.nearest("snd_cwndd"), Some("snd_cwnd"));
    }
}
