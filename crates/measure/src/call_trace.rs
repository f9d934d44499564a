//! Traces the callbacks of algorithms, for their authors.
//!
//! A trace wraps every algorithm of a run. It writes one line of JSON per callback: the time, the arguments, TCP's
//! changes since the last callback, the algorithm's changes and return value, and its printed output. A line per change
//! of chosen members makes time series of them. The results of the run do not change.

use crate::watch::{members, position, state_limit, Watchable, STATE};
use fairlane_congestion_control::no_limit::member_limit;
use fairlane_congestion_control::table::{visible_members, KernelStruct, Member, Number};
use fairlane_congestion_control::{
    AckSample, Algorithm, AlgorithmFault, Algorithms, CaEvent, CaState, Callbacks, CongestionControl, LoadFailure,
    RateSample, StateMember, TcpSock,
};
use serde::Deserialize;
use serde_json::{json, Map, Value};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

/// Selects callbacks and what to write about them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CallTraceConfig {
    /// Numbers of the flows; none: all.
    pub flows: Option<BTreeSet<u32>>,
    pub from_ns: u64,
    pub until_ns: u64,
    /// A line for each callback.
    pub calls: bool,
    /// A line for each callback that printed.
    pub printed: bool,
    /// Members of `tcp_sock` by their kernel names, and of the algorithm's private memory as `state.NAME`: a line
    /// whenever one has changed since the last callback.
    pub watch: Vec<String>,
    /// No lines are written beyond this number.
    pub most_lines: u64,
}

impl Default for CallTraceConfig {
    fn default() -> Self {
        Self {
            flows: None,
            from_ns: 0,
            until_ns: u64::MAX,
            calls: false,
            printed: false,
            watch: Vec::new(),
            most_lines: u64::MAX,
        }
    }
}

/// The algorithms of a run, traced.
pub struct CallTrace<'a> {
    inner: &'a dyn Algorithms,
    record: Arc<Record>,
    /// The names in `watch` that some algorithm has, and all names that exist.
    known: RefCell<(BTreeSet<String>, Watchable)>,
}

struct Record {
    config: CallTraceConfig,
    members: Vec<&'static Member<TcpSock>>,
    out: Mutex<Out>,
}

struct Out {
    sink: Box<dyn Write + Send>,
    lines: u64,
    /// Flows whose sender's algorithm has started; the next one of the same flow is the receiver's.
    begun: BTreeSet<u32>,
    failure: Option<io::Error>,
}

impl<'a> CallTrace<'a> {
    pub fn new(config: CallTraceConfig, sink: Box<dyn Write + Send>, inner: &'a dyn Algorithms) -> Self {
        let members = members();
        let found = config.watch.iter().filter(|name| members.iter().any(|member| member.name == **name)).cloned();
        let found: BTreeSet<_> = found.collect();
        let record = Arc::new(Record {
            config,
            members,
            out: Mutex::new(Out { sink, lines: 0, begun: BTreeSet::new(), failure: None }),
        });
        Self { inner, record, known: RefCell::new((found, Watchable::default())) }
    }

    /// The watched names that no loaded algorithm has, each with a remedy.
    pub fn unknown_names(&self) -> Vec<(String, String)> {
        let (found, all) = &*self.known.borrow();
        let unknown = self.record.config.watch.iter().filter(|name| !found.contains(*name));
        unknown.map(|name| (name.clone(), all.remedy(name))).collect()
    }

    /// Flushes the output.
    ///
    /// # Errors
    /// The first error of the sink.
    pub fn finish(self) -> io::Result<()> {
        let mut out = self.record.out.lock().unwrap_or_else(PoisonError::into_inner);
        match out.failure.take() {
            Some(failure) => Err(failure),
            None => out.sink.flush(),
        }
    }
}

impl Algorithms for CallTrace<'_> {
    fn load(&self, word: &str, parameters: &BTreeMap<String, i64>) -> Result<Rc<dyn Algorithm>, LoadFailure> {
        let inner = self.inner.load(word, parameters)?;
        inner.listen();
        let state = inner.state_members();
        let has = |name: &&String| name.strip_prefix(STATE).is_some_and(|name| position(state, name).is_some());
        let mut known = self.known.borrow_mut();
        known.0.extend(self.record.config.watch.iter().filter(has).cloned());
        known.1.add(state);
        Ok(Rc::new(Traced { inner, record: self.record.clone() }))
    }
}

struct Traced {
    inner: Rc<dyn Algorithm>,
    record: Arc<Record>,
}

impl Algorithm for Traced {
    fn instantiate(&self) -> Box<dyn CongestionControl> {
        let state = self.inner.state_members().to_vec();
        Box::new(TracedFlow {
            inner: self.inner.instantiate(),
            after: None,
            watched: Vec::new(),
            is_receiver: false,
            record: self.record.clone(),
            state,
        })
    }

    fn callbacks(&self) -> Callbacks {
        self.inner.callbacks()
    }

    /// All flows share the record, which is written in order of time.
    fn shares_memory(&self) -> bool {
        true
    }

    fn state_members(&self) -> &[StateMember] {
        self.inner.state_members()
    }
}

/// All members of a connection and of its algorithm's private memory at one time; `None` for "no limit".
#[derive(PartialEq)]
struct Values(Vec<Option<i128>>);

impl Values {
    fn of(sock: &TcpSock, members: &[&'static Member<TcpSock>], state: &[StateMember]) -> Self {
        let of_tcp = members.iter().map(|member| member_limit(member, sock));
        Self(of_tcp.chain(state.iter().map(|member| state_limit(member, sock))).collect())
    }
}

struct TracedFlow {
    inner: Box<dyn CongestionControl>,
    record: Arc<Record>,
    state: Vec<StateMember>,
    /// Values after the last callback, if that was traced.
    after: Option<Values>,
    /// The last values of the watched members; `None` before the first line about them.
    watched: Vec<Option<Option<i128>>>,
    is_receiver: bool,
}

impl TracedFlow {
    /// Calls the algorithm and writes a line about it.
    fn note<T>(
        &mut self,
        sock: &mut TcpSock,
        call: &str,
        arguments: impl FnOnce() -> Value,
        answer: impl FnOnce(&T) -> Value,
        ask: impl FnOnce(&mut dyn CongestionControl, &mut TcpSock) -> T,
    ) -> T {
        let config = &self.record.config;
        let at_ns = sock.tcp_clock_cache;
        let is_traced = config.flows.as_ref().is_none_or(|flows| flows.contains(&sock.fairlane_flow))
            && (config.from_ns..config.until_ns).contains(&at_ns);
        if !is_traced {
            let answer = ask(&mut *self.inner, sock);
            self.inner.take_printed();
            self.after = None;
            return answer;
        }
        let before = Values::of(sock, &self.record.members, &self.state);
        let answered = ask(&mut *self.inner, sock);
        let printed = self.inner.take_printed();
        let mut after = Values::of(sock, &self.record.members, &self.state);
        if call == "release" {
            // Socket storage has been freed; its last values count.
            let first = self.record.members.len();
            for (at, _) in self.state.iter().enumerate().filter(|(_, member)| member.stored_bytes.is_some()) {
                after.0[first + at] = before.0[first + at];
            }
        }
        let mut line = Map::new();
        line.insert("t_ns".into(), json!(at_ns));
        line.insert("flow".into(), json!(sock.fairlane_flow));
        line.insert("at".into(), json!(if self.is_receiver { "receiver" } else { "sender" }));
        line.insert("call".into(), json!(call));
        if config.calls {
            let mut insert = |key: &str, value: Value| {
                if !matches!(&value, Value::Null) && value.as_object().is_none_or(|members| !members.is_empty()) {
                    line.insert(key.into(), value);
                }
            };
            insert("arguments", arguments());
            insert("tcp", self.after.as_ref().map_or(Value::Null, |old| self.changes(old, &before, false)));
            let sent = self.after.as_ref().map(|old| self.sent_since(old, &before));
            insert("sent", sent.filter(|sent| sent[0] > 0).map_or(Value::Null, |sent| json!(sent)));
            insert("set", self.changes(&before, &after, true));
            insert("answer", answer(&answered));
        }
        self.after = Some(after);
        if !printed.is_empty() {
            line.insert("printed".into(), json!(printed));
        }
        let changed = self.newly_watched();
        let is_written = self.record.config.calls
            || self.record.config.printed && line.contains_key("printed")
            || !changed.is_empty();
        if !changed.is_empty() {
            line.insert("watch".into(), Value::Object(changed));
        }
        if is_written {
            self.record.write(&Value::Object(line));
        }
        answered
    }

    /// The changed members: `name: value` or, with `both`, `name: [old, new]`.
    fn changes(&self, old: &Values, new: &Values, both: bool) -> Value {
        let of_tcp = self.record.members.iter().map(|member| member.name.to_owned());
        let names = of_tcp.chain(self.state.iter().map(|member| format!("{STATE}{}", member.name)));
        let pairs = names.zip(old.0.iter().zip(&new.0)).filter(|(_, (old, new))| old != new);
        let shown = |old, new| if both { json!([limited(old), limited(new)]) } else { limited(new) };
        Value::Object(pairs.map(|(name, (old, new))| (name, shown(*old, *new))).collect())
    }

    /// Data packets sent between two callbacks, and the retransmissions among them.
    fn sent_since(&self, old: &Values, new: &Values) -> [i64; 2] {
        ["data_segs_out", "total_retrans"].map(|name| {
            let at = self.record.members.iter().position(|member| member.name == name);
            at.and_then(|at| Some((new.0[at]? - old.0[at]?) as i64)).unwrap_or(0)
        })
    }

    /// The watched members that have changed since the last line about them.
    fn newly_watched(&mut self) -> Map<String, Value> {
        let watch: &[String] = if self.is_receiver { &[] } else { &self.record.config.watch };
        self.watched.resize(watch.len(), None);
        let Some(after) = &self.after else { return Map::new() };
        let mut changed = Map::new();
        for (name, last) in watch.iter().zip(&mut self.watched) {
            let of_tcp = || self.record.members.iter().position(|member| member.name == name);
            let of_state = |name: &str| Some(self.record.members.len() + position(&self.state, name)?);
            let Some(at) = name.strip_prefix(STATE).map_or_else(of_tcp, of_state) else { continue };
            let value = after.0[at];
            if *last != Some(value) {
                *last = Some(value);
                changed.insert(name.clone(), limited(value));
            }
        }
        changed
    }
}

impl Record {
    fn write(&self, line: &Value) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        if out.failure.is_some() || out.lines >= self.config.most_lines {
            return;
        }
        out.lines += 1;
        if let Err(error) = writeln!(out.sink, "{line}") {
            out.failure = Some(error);
        }
    }
}

/// A member's value; null for "no limit".
fn limited(value: Option<i128>) -> Value {
    value.map_or(Value::Null, small)
}

/// JSON numbers have at most 64 bits.
fn small(value: i128) -> Value {
    i64::try_from(value).map_or_else(|_| json!(value as u64), |value| json!(value))
}

fn integer(number: Option<Number>) -> i128 {
    match number {
        Some(Number::Signed(value)) => value.into(),
        Some(Number::Unsigned(value)) => value.into(),
        None => 0,
    }
}

/// The members of a sample, by their kernel names.
fn sample<S: KernelStruct>(of: &S) -> Value {
    let members = visible_members::<S>().into_iter();
    Value::Object(members.map(|member| (member.name.to_owned(), small(integer((member.get)(of))))).collect())
}

fn kernel_name(event: CaEvent) -> &'static str {
    match event {
        CaEvent::TxStart => "CA_EVENT_TX_START",
        CaEvent::CwndRestart => "CA_EVENT_CWND_RESTART",
        CaEvent::CompleteCwr => "CA_EVENT_COMPLETE_CWR",
        CaEvent::Loss => "CA_EVENT_LOSS",
        CaEvent::EcnNoCe => "CA_EVENT_ECN_NO_CE",
        CaEvent::EcnIsCe => "CA_EVENT_ECN_IS_CE",
    }
}

fn nothing<T>(_: &T) -> Value {
    Value::Null
}

fn number(value: &u32) -> Value {
    json!(value)
}

impl CongestionControl for TracedFlow {
    fn callbacks(&self) -> Callbacks {
        self.inner.callbacks()
    }

    fn init(&mut self, sock: &mut TcpSock) {
        self.is_receiver =
            !self.record.out.lock().unwrap_or_else(PoisonError::into_inner).begun.insert(sock.fairlane_flow);
        self.note(sock, "init", || Value::Null, nothing, |inner, sock| inner.init(sock));
    }

    fn release(&mut self, sock: &mut TcpSock) {
        self.note(sock, "release", || Value::Null, nothing, |inner, sock| inner.release(sock));
    }

    fn ssthresh(&mut self, sock: &mut TcpSock) -> u32 {
        self.note(sock, "ssthresh", || Value::Null, number, |inner, sock| inner.ssthresh(sock))
    }

    fn cong_avoid(&mut self, sock: &mut TcpSock, ack: u32, acked: u32) {
        let arguments = || json!({"ack": ack, "acked": acked});
        self.note(sock, "cong_avoid", arguments, nothing, |inner, sock| inner.cong_avoid(sock, ack, acked));
    }

    fn cong_control(&mut self, sock: &mut TcpSock, ack: u32, flag: i32, rate: &RateSample) {
        let arguments = || json!({"ack": ack, "flag": flag, "rs": sample(rate)});
        self.note(sock, "cong_control", arguments, nothing, |inner, sock| inner.cong_control(sock, ack, flag, rate));
    }

    fn set_state(&mut self, sock: &mut TcpSock, new_state: u8) {
        let arguments = || json!({"new_state": format!("{:?}", CaState::from_u8(new_state))});
        self.note(sock, "set_state", arguments, nothing, |inner, sock| inner.set_state(sock, new_state));
    }

    fn cwnd_event(&mut self, sock: &mut TcpSock, event: CaEvent) {
        let arguments = || json!({"event": kernel_name(event)});
        self.note(sock, "cwnd_event", arguments, nothing, |inner, sock| inner.cwnd_event(sock, event));
    }

    fn in_ack_event(&mut self, sock: &mut TcpSock, flags: u32) {
        let arguments = || json!({"flags": flags});
        self.note(sock, "in_ack_event", arguments, nothing, |inner, sock| inner.in_ack_event(sock, flags));
    }

    fn pkts_acked(&mut self, sock: &mut TcpSock, acked: &AckSample) {
        self.note(sock, "pkts_acked", || sample(acked), nothing, |inner, sock| inner.pkts_acked(sock, acked));
    }

    fn undo_cwnd(&mut self, sock: &mut TcpSock) -> u32 {
        self.note(sock, "undo_cwnd", || Value::Null, number, |inner, sock| inner.undo_cwnd(sock))
    }

    fn min_tso_segs(&mut self, sock: &mut TcpSock) -> u32 {
        self.note(sock, "min_tso_segs", || Value::Null, number, |inner, sock| inner.min_tso_segs(sock))
    }

    fn sndbuf_expand(&mut self, sock: &mut TcpSock) -> u32 {
        self.note(sock, "sndbuf_expand", || Value::Null, number, |inner, sock| inner.sndbuf_expand(sock))
    }

    fn fault(&self) -> Option<AlgorithmFault> {
        self.inner.fault()
    }

    fn warning(&self) -> Option<String> {
        self.inner.warning()
    }
}
