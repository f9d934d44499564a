//! Protects TCP's state from writes of untrusted programs.
//!
//! Such a program gets a copy of the connection with guard words around it. After each callback TCP takes the copy back, if
//! guard words and read-only members are unchanged: a write past the end of `icsk_ca_priv`, or through a cast, is an
//! error with the member's name. Each connection has a copy of its own, because programs use its address as a key.

use fairlane_congestion_control::table::{KernelStruct, Member};
use fairlane_congestion_control::{FaultKind, TcpSock};
use std::cell::Cell;
use std::mem::offset_of;
use std::sync::OnceLock;

const WORDS: usize = size_of::<TcpSock>() / size_of::<u64>();
const _: () = assert!(size_of::<TcpSock>() % size_of::<u64>() == 0);
const GUARD_WORDS: usize = 32;
const UNTOUCHED: u64 = 0x5ca1_ab1e_0ff5_e75a;

/// The barrier between TCP's state and a program.
pub trait Passage {
    /// Does the program get copies of samples, too?
    const COPIES_SAMPLES: bool;
    /// The connection for the program.
    fn lend(&mut self, sock: &mut TcpSock) -> *mut TcpSock;
    /// After a callback: copies the program's writes to TCP's state.
    fn take_back(&mut self, sock: &mut TcpSock) -> Result<(), FaultKind>;
}

/// No barrier: the program works on TCP's own state.
pub struct Direct;

impl Passage for Direct {
    const COPIES_SAMPLES: bool = false;

    #[inline]
    fn lend(&mut self, sock: &mut TcpSock) -> *mut TcpSock {
        sock
    }

    #[inline]
    fn take_back(&mut self, _: &mut TcpSock) -> Result<(), FaultKind> {
        Ok(())
    }
}

/// A copy with guard words.
#[repr(C)]
pub struct Shield {
    before: [u64; GUARD_WORDS],
    copy: TcpSock,
    behind: [u64; GUARD_WORDS],
}

impl Shield {
    pub fn new() -> Box<Self> {
        Box::new(Self { before: [UNTOUCHED; GUARD_WORDS], copy: TcpSock::default(), behind: [UNTOUCHED; GUARD_WORDS] })
    }
}

impl Passage for Box<Shield> {
    const COPIES_SAMPLES: bool = true;

    fn lend(&mut self, sock: &mut TcpSock) -> *mut TcpSock {
        // SAFETY: plain numbers, which are all of the structure, may be copied byte by byte.
        unsafe { std::ptr::copy_nonoverlapping(sock, &mut self.copy, 1) };
        &mut self.copy
    }

    fn take_back(&mut self, sock: &mut TcpSock) -> Result<(), FaultKind> {
        let pairs = words(&self.copy).iter().zip(words(sock)).zip(protected());
        // One pass without branches, which the compiler vectorizes.
        let changed = pairs.fold(0, |changed, ((theirs, ours), mask)| changed | (theirs ^ ours) & mask);
        let guards = self.before.iter().chain(&self.behind).fold(0, |changed, word| changed | (word ^ UNTOUCHED));
        if changed | guards != 0 {
            return Err(self.first_changed(sock));
        }
        sock.take_writable(&self.copy);
        note(&[sock.snd_cwnd.into(), sock.snd_ssthresh.into(), sock.sk_pacing_rate]);
        Ok(())
    }
}

thread_local! {
    static DIGEST: Cell<u64> = const { Cell::new(0) };
}

/// A digest of every window, threshold and pacing rate that untrusted programs set on this thread, in order: runs with
/// equal decisions have equal digests.
pub fn digest_of_decisions() -> u64 {
    DIGEST.get()
}

#[inline]
fn note(decided: &[u64; 3]) {
    // One multiplication per word, as in FxHash: fast, and a program gains nothing from a constructed collision.
    let mixed = |digest: u64, word: &u64| (digest.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    DIGEST.set(decided.iter().fold(DIGEST.get(), mixed));
}

impl Shield {
    #[cold]
    fn first_changed(&self, sock: &TcpSock) -> FaultKind {
        let bytes = |sock: &TcpSock| -> Vec<u8> { words(sock).iter().flat_map(|word| word.to_ne_bytes()).collect() };
        let (theirs, ours) = (bytes(&self.copy), bytes(sock));
        let differs = |member: &&Member<TcpSock>| {
            let place = member.offset..member.offset + member.bytes;
            member.facts.is_protected() && theirs[place.clone()] != ours[place]
        };
        if let Some(member) = TcpSock::members().iter().find(differs) {
            let own = offset_of!(TcpSock, icsk_ca_priv) as i64;
            let place = member.offset..member.offset + member.bytes;
            let first = place.start + place.clone().position(|at| theirs[at] != ours[at]).unwrap_or(0);
            return FaultKind::ForbiddenWrite { member: member.path(), offset: first as i64 - own };
        }
        let changed = |guard: &[u64]| guard.iter().position(|word| *word != UNTOUCHED).map(|at| at * size_of::<u64>());
        FaultKind::Other(match (changed(&self.before), changed(&self.behind)) {
            (Some(at), _) => format!("wrote {} bytes before tcp_sock,", size_of_val(&self.before) - at),
            (None, Some(at)) => format!("wrote {at} bytes behind the end of tcp_sock,"),
            (None, None) => "wrote padding of tcp_sock,".into(),
        })
    }
}

/// The structure as words: it has no implicit padding.
fn words(sock: &TcpSock) -> &[u64; WORDS] {
    // SAFETY: the structure has only numbers and named padding, and the alignment of its 64-bit members.
    unsafe { &*std::ptr::from_ref(sock).cast() }
}

/// The bits that a program may not change.
fn protected() -> &'static [u64; WORDS] {
    static MASK: OnceLock<[u64; WORDS]> = OnceLock::new();
    MASK.get_or_init(|| {
        let mut bytes = [0; size_of::<TcpSock>()];
        for member in TcpSock::members().iter().filter(|member| member.facts.is_protected()) {
            bytes[member.offset..member.offset + member.bytes].fill(0xff);
        }
        let mut words = bytes.chunks_exact(size_of::<u64>());
        std::array::from_fn(|_| u64::from_ne_bytes(words.next().expect("as many").try_into().expect("of eight")))
    })
}
