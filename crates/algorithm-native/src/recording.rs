//! Recordings of a connection's calls of its algorithm, which can be replayed without the rest of a simulator.
//!
//! A recording measures an algorithm's cost: it has every call of a connection with its arguments, and TCP's changes of
//! the connection since the call before. In a replay the program gets the same input and must give the same output
//! ([`Recording::replay`] checks that); a replay without the program measures the overhead. The difference is the cost
//! of the algorithm.

use crate::program::Program;
use fairlane_congestion_control::table::KernelStruct;
use fairlane_congestion_control::{
    AckSample, AlgorithmFault, CaEvent, Callbacks, CongestionControl, RateSample, TcpSock,
};
use std::hint::black_box;
use std::sync::{Arc, Mutex};

/// Nothing panics while it holds the tape.
const NO_PANIC: &str = "the tape is whole";

/// A connection's calls, and the program that replays them.
pub struct Recording {
    program: Program,
    tape: Tape,
}

impl Recording {
    /// The number of acknowledgements that the connection received.
    pub fn acks(&self) -> u64 {
        u64::from(self.tape.now.segs_in.wrapping_sub(self.tape.start.segs_in))
    }

    /// The number of recorded calls.
    pub fn calls(&self) -> u64 {
        self.tape.calls.len() as u64
    }

    /// Replays all calls; true if the connection ends in the recorded state.
    pub fn replay(&self) -> bool {
        let mut control = self.program.instantiate();
        let mut sock = self.tape.play(|call, sock| call.make(&mut *control, &self.tape.samples, sock));
        let same = self.tape.places.iter().all(|&place| place.read(&sock) == place.read(&self.tape.now));
        control.release(&mut sock);
        same && control.fault().is_none()
    }

    /// The same without the program: the overhead of `replay`.
    pub fn replay_nothing(&self) {
        black_box(self.tape.play(|call, sock| {
            if let Call::CongControl { sample, .. } = call {
                black_box(self.tape.samples[sample as usize]); // its way from memory is the recording's own work
            }
            black_box((call, sock));
        }));
    }
}

/// Stands between TCP and an algorithm, and records all calls.
#[derive(Clone)]
pub struct Recorder {
    program: Program,
    tape: Arc<Mutex<Option<Tape>>>,
}

impl Recorder {
    pub fn new(program: Program) -> Self {
        Self { program, tape: Arc::default() }
    }

    /// The algorithm for the connection that is to be recorded.
    pub fn congestion_control(&self) -> Box<dyn CongestionControl> {
        Box::new(Recorded { inner: self.program.instantiate(), tape: self.tape.clone() })
    }

    /// The recording; `None` if the connection never began.
    pub fn finish(self) -> Option<Recording> {
        let tape = self.tape.lock().expect(NO_PANIC).take()?;
        Some(Recording { program: self.program, tape })
    }
}

/// A call of the algorithm with its arguments.
#[derive(Clone, Copy, Debug)]
enum Call {
    Init,
    Ssthresh,
    CongAvoid { ack: u32, acked: u32 },
    CongControl { ack: u32, flag: i32, sample: u32 },
    SetState(u8),
    CwndEvent(CaEvent),
    InAckEvent(u32),
    PktsAcked(AckSample),
    UndoCwnd,
    MinTsoSegs,
    SndbufExpand,
}

impl Call {
    #[inline]
    fn make(self, control: &mut dyn CongestionControl, samples: &[RateSample], sock: &mut TcpSock) {
        match self {
            Self::Init => control.init(sock),
            Self::Ssthresh => drop(black_box(control.ssthresh(sock))),
            Self::CongAvoid { ack, acked } => control.cong_avoid(sock, ack, acked),
            Self::CongControl { ack, flag, sample } => control.cong_control(sock, ack, flag, &samples[sample as usize]),
            Self::SetState(state) => control.set_state(sock, state),
            Self::CwndEvent(event) => control.cwnd_event(sock, event),
            Self::InAckEvent(flags) => control.in_ack_event(sock, flags),
            Self::PktsAcked(sample) => control.pkts_acked(sock, &sample),
            Self::UndoCwnd => drop(black_box(control.undo_cwnd(sock))),
            Self::MinTsoSegs => drop(black_box(control.min_tso_segs(sock))),
            Self::SndbufExpand => drop(black_box(control.sndbuf_expand(sock))),
        }
    }
}

struct Tape {
    places: Vec<Place>,
    /// The connection when it began.
    start: TcpSock,
    /// The connection after the last call.
    now: TcpSock,
    calls: Vec<(Call, u32)>,
    /// TCP's changes before each call: each call has the end of its part.
    changed: Vec<u8>,
    values: Vec<u64>,
    samples: Vec<RateSample>,
}

impl Tape {
    fn new(start: &TcpSock) -> Self {
        Self {
            places: places(),
            start: start.clone(),
            now: start.clone(),
            calls: Vec::new(),
            changed: Vec::new(),
            values: Vec::new(),
            samples: Vec::new(),
        }
    }

    fn before(&mut self, call: Call, sock: &TcpSock) {
        for (number, place) in (0..).zip(&self.places) {
            let value = place.read(sock);
            if value != place.read(&self.now) {
                self.changed.push(number);
                self.values.push(value);
            }
        }
        self.calls.push((call, self.changed.len() as u32));
    }

    #[inline]
    fn play(&self, mut call: impl FnMut(Call, &mut TcpSock)) -> TcpSock {
        let mut sock = self.start.clone();
        let mut begin = 0;
        for &(what, end) in &self.calls {
            let part = begin..end as usize;
            for (&number, &value) in self.changed[part.clone()].iter().zip(&self.values[part]) {
                self.places[number as usize].write(&mut sock, value);
            }
            call(what, &mut sock);
            begin = end as usize;
        }
        sock
    }
}

/// Four or eight bytes of a connection that hold members and no padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    offset: u32,
    wide: bool,
}

impl Place {
    #[inline]
    fn read(self, sock: &TcpSock) -> u64 {
        let at = std::ptr::from_ref(sock).cast::<u8>();
        // SAFETY: places() made this place: within the structure, aligned, and full of members.
        unsafe {
            let at = at.add(self.offset as usize);
            if self.wide {
                at.cast::<u64>().read()
            } else {
                u64::from(at.cast::<u32>().read())
            }
        }
    }

    #[inline]
    fn write(self, sock: &mut TcpSock, value: u64) {
        let at = std::ptr::from_mut(sock).cast::<u8>();
        // SAFETY: as above; every member is a number, for which all values are valid.
        unsafe {
            let at = at.add(self.offset as usize);
            if self.wide {
                at.cast::<u64>().write(value);
            } else {
                at.cast::<u32>().write(value as u32);
            }
        }
    }
}

/// All of a connection except `icsk_ca_ops`, which belongs to the loaded program.
fn places() -> Vec<Place> {
    let bytes = size_of::<TcpSock>();
    let mut members = vec![false; bytes];
    for member in TcpSock::members() {
        members[member.offset..member.offset + member.bytes].fill(true);
    }
    let own = std::mem::offset_of!(TcpSock, icsk_ca_ops);
    members[own..own + size_of::<u64>()].fill(false);
    let full = |offset: usize, length: usize| members[offset..offset + length].iter().any(|&is| is);
    let mut places = Vec::new();
    for offset in (0..bytes).step_by(8) {
        let (low, high) = (full(offset, 4), full(offset + 4, 4));
        match (low, high) {
            (true, true) => places.push(Place { offset: offset as u32, wide: true }),
            (true, false) => places.push(Place { offset: offset as u32, wide: false }),
            (false, true) => places.push(Place { offset: offset as u32 + 4, wide: false }),
            (false, false) => {}
        }
    }
    assert!(places.len() <= 256, "a place's number is one byte");
    places
}

/// The algorithm of the recorded connection.
struct Recorded {
    inner: Box<dyn CongestionControl>,
    tape: Arc<Mutex<Option<Tape>>>,
}

impl Recorded {
    fn note<T>(
        &mut self,
        sock: &mut TcpSock,
        call: Call,
        ask: impl FnOnce(&mut dyn CongestionControl, &mut TcpSock) -> T,
    ) -> T {
        self.tape.lock().expect(NO_PANIC).get_or_insert_with(|| Tape::new(sock)).before(call, sock);
        let answer = ask(&mut *self.inner, sock);
        if let Some(tape) = &mut *self.tape.lock().expect(NO_PANIC) {
            tape.now = sock.clone();
        }
        answer
    }
}

impl CongestionControl for Recorded {
    fn callbacks(&self) -> Callbacks {
        self.inner.callbacks()
    }

    fn init(&mut self, sock: &mut TcpSock) {
        self.note(sock, Call::Init, |inner, sock| inner.init(sock));
    }

    fn release(&mut self, sock: &mut TcpSock) {
        self.inner.release(sock); // not part of the recording: the run is over
    }

    fn ssthresh(&mut self, sock: &mut TcpSock) -> u32 {
        self.note(sock, Call::Ssthresh, |inner, sock| inner.ssthresh(sock))
    }

    fn cong_avoid(&mut self, sock: &mut TcpSock, ack: u32, acked: u32) {
        self.note(sock, Call::CongAvoid { ack, acked }, |inner, sock| inner.cong_avoid(sock, ack, acked));
    }

    fn cong_control(&mut self, sock: &mut TcpSock, ack: u32, flag: i32, sample: &RateSample) {
        let number = {
            let mut tape = self.tape.lock().expect(NO_PANIC);
            let samples = &mut tape.get_or_insert_with(|| Tape::new(sock)).samples;
            samples.push(*sample);
            samples.len() as u32 - 1
        };
        let call = Call::CongControl { ack, flag, sample: number };
        self.note(sock, call, |inner, sock| inner.cong_control(sock, ack, flag, sample));
    }

    fn set_state(&mut self, sock: &mut TcpSock, new_state: u8) {
        self.note(sock, Call::SetState(new_state), |inner, sock| inner.set_state(sock, new_state));
    }

    fn cwnd_event(&mut self, sock: &mut TcpSock, event: CaEvent) {
        self.note(sock, Call::CwndEvent(event), |inner, sock| inner.cwnd_event(sock, event));
    }

    fn in_ack_event(&mut self, sock: &mut TcpSock, flags: u32) {
        self.note(sock, Call::InAckEvent(flags), |inner, sock| inner.in_ack_event(sock, flags));
    }

    fn pkts_acked(&mut self, sock: &mut TcpSock, sample: &AckSample) {
        self.note(sock, Call::PktsAcked(*sample), |inner, sock| inner.pkts_acked(sock, sample));
    }

    fn undo_cwnd(&mut self, sock: &mut TcpSock) -> u32 {
        self.note(sock, Call::UndoCwnd, |inner, sock| inner.undo_cwnd(sock))
    }

    fn min_tso_segs(&mut self, sock: &mut TcpSock) -> u32 {
        self.note(sock, Call::MinTsoSegs, |inner, sock| inner.min_tso_segs(sock))
    }

    fn sndbuf_expand(&mut self, sock: &mut TcpSock) -> u32 {
        self.note(sock, Call::SndbufExpand, |inner, sock| inner.sndbuf_expand(sock))
    }

    fn fault(&self) -> Option<AlgorithmFault> {
        self.inner.fault()
    }

    fn warning(&self) -> Option<String> {
        self.inner.warning()
    }
}
