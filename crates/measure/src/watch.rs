//! Reads members of `tcp_sock` and of an algorithm's private memory by name.

use fairlane_congestion_control::no_limit::{limit, member_limit};
use fairlane_congestion_control::table::{completed, visible_members, Member};
use fairlane_congestion_control::{StateMember, TcpSock};
use std::cmp::Reverse;
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
    Connection(&'static Member<TcpSock>),
    State(StateMember),
    /// This algorithm has no such member.
    Absent,
}

impl Watch {
    /// Finds a member by name, for an algorithm with the members `state`.
    pub fn find(name: &str, state: &[StateMember]) -> Self {
        match name.strip_prefix(STATE) {
            Some(inner) => position(state, inner).map_or(Self::Absent, |at| Self::State(state[at].clone())),
            None => members().into_iter().find(|member| member.name == name).map_or(Self::Absent, Self::Connection),
        }
    }

    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// The value; `None` if it stands for "no limit". A number above 2^63 becomes negative.
    pub fn read(&self, sock: &TcpSock) -> Option<i64> {
        let value = match self {
            Self::Connection(member) => member_limit(member, sock),
            Self::State(member) => state_limit(member, sock),
            Self::Absent => None,
        };
        value.map(|value| value as i64)
    }
}

/// The value of a member of an algorithm's memory; `None` if it stands for "no limit".
pub(crate) fn state_limit(member: &StateMember, sock: &TcpSock) -> Option<i128> {
    limit(member.read(sock), member.bits)
}

/// Position of the member with this name, or of the only one with this last part: `min_us` for `rtt.min_us`.
pub(crate) fn position(state: &[StateMember], name: &str) -> Option<usize> {
    let ends = |one: &StateMember| one.name.strip_suffix(name).is_some_and(|outer| outer.ends_with('.'));
    state.iter().position(|one| one.name == name).or_else(|| {
        let mut found = (0..state.len()).filter(|&at| ends(&state[at]));
        found.next().filter(|_| found.next().is_none())
    })
}

/// Similar names that an error suggests.
const SUGGESTIONS: usize = 5;

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

    /// The known names most similar to an unknown one, at most five, the best first.
    pub fn nearest(&self, name: &str) -> Vec<&str> {
        let names = || self.0.iter().map(String::as_str);
        // A name of the algorithm's memory is like others of it; the prefix that they share makes none more like it.
        let likeness = |other: &str| {
            let (name, other) = name.strip_prefix(STATE).zip(other.strip_prefix(STATE)).unwrap_or((name, other));
            let last = other.rsplit('.').next().unwrap_or(other);
            let similar = |other| (strsim::normalized_damerau_levenshtein(name, other) * 1e6) as u64;
            similar(other).max(similar(last))
        };
        // In the order of `tcp_sock`: its first members are the likeliest.
        let in_order = members().into_iter().map(|member| member.name).chain(names());
        let full = completed(name, in_order).and_then(|found| names().find(|one| *one == found));
        let mut similar: Vec<_> = names().filter(|other| Some(*other) != full).collect();
        similar.sort_by_cached_key(|other| Reverse(likeness(other)));
        let is_known = full.is_some() || similar.first().is_some_and(|other| likeness(other) > 400_000);
        let kept = if is_known { SUGGESTIONS } else { 0 };
        full.into_iter().chain(similar).take(kept).collect()
    }

    /// The remedy for an unknown name.
    pub fn remedy(&self, name: &str) -> String {
        match &self.nearest(name)[..] {
            [] => "see docs/reference/kernel-members.md".into(),
            [one] => format!("did you mean {one}?"),
            [several @ .., last] => format!("did you mean {} or {last}?", several.join(", ")),
        }
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
    fn a_member_without_a_limit_has_no_value() {
        let keeps = [state("inflight_hi", 0), state("flags", 32)];
        let mut sock = TcpSock::default();
        sock.icsk_ca_priv[0] = 7 << 32 | 0xffff_ffff;
        let read = |name| Watch::find(name, &keeps).read(&sock);
        assert_eq!([read("snd_ssthresh"), read("sk_pacing_rate"), read("state.inflight_hi")], [None; 3]);
        assert_eq!([read("snd_cwnd"), read("state.flags")], [Some(10), Some(7)]);
    }

    #[test]
    fn a_wrong_name_has_a_nearest_names() {
        let mut known = Watchable::default();
        known.add(&[state("mode", 0)]);
        let best = |name| known.nearest(name).first().copied();
        assert_eq!(
            [best("cwnd"), best("snd_cwndd"), best("state.mod")],
            ["snd_cwnd", "snd_cwnd", "state.mode"].map(Some)
        );
        assert_eq!(known.nearest("snd_cwndd").len(), 5);
        assert!(known.remedy("snd_cwndd").starts_with("did you mean snd_cwnd, "));
        assert_eq!(known.nearest("zzzzzzzzzzzz"), [""; 0]);
    }
}
