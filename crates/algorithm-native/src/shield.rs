//! Protects TCP's state from writes of untrusted programs.
//!
//! Such a program gets a copy of the connection between guard words, and around these pages that cannot be accessed. After
//! each callback TCP takes the copy back, if guard words, padding and read-only members are unchanged: a write past the end
//! of `icsk_ca_priv`, or through a cast, is an error with the member's name. An access further away, up to
//! [`WATCHED_BYTES`] from the copy's page, is a fault at once. The rest of that page is compared every
//! [`CALLS_PER_CHECK`] callbacks. Each connection has a copy of its own, because programs use its address as a key.

use fairlane_congestion_control::table::{KernelStruct, Member};
use fairlane_congestion_control::{FaultKind, TcpSock};
use std::cell::Cell;
use std::ffi::c_void;
use std::mem::offset_of;
use std::sync::OnceLock;

const WORDS: usize = size_of::<TcpSock>() / size_of::<u64>();
const _: () = assert!(size_of::<TcpSock>() % size_of::<u64>() == 0);
const GUARD_WORDS: usize = 32;
const UNTOUCHED: u64 = 0x5ca1_ab1e_0ff5_e75a;

/// The pages on either side of a copy that cannot be accessed. A process has 65,530 mappings by default, two for each
/// flow: flows beyond that, in runs with more than 30,000, have guard words alone.
pub const WATCHED_BYTES: usize = 32 << 10;

/// Comparing the rest of the page takes as long as the callback of a simple program.
const CALLS_PER_CHECK: u32 = 64;

/// Words in a line of the cache, and the lines between the places of two copies in their pages.
const LINE_WORDS: usize = 8;
const LINES_APART: usize = 12;

/// The largest `enum sk_pacing`.
const SK_PACING_FQ: u32 = fairlane_congestion_control::sock::SK_PACING_FQ;

/// The barrier between TCP's state and a program.
pub trait Passage: Send {
    /// Does the program get copies of samples, too?
    const COPIES_SAMPLES: bool;
    /// The connection for the program.
    fn lend(&mut self, sock: &mut TcpSock) -> *mut TcpSock;
    /// After a callback: copies the program's writes to TCP's state.
    fn take_back(&mut self, sock: &mut TcpSock) -> Result<(), FaultKind>;
    /// The fault of a callback that accessed memory at this address, as exactly as it is known.
    fn explain(&self, sock: &TcpSock, address: usize) -> FaultKind;
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

    fn explain(&self, _: &TcpSock, _: usize) -> FaultKind {
        FaultKind::BadMemoryAccess
    }
}

/// A copy with guard words.
#[repr(C)]
struct Shield {
    before: [u64; GUARD_WORDS],
    copy: TcpSock,
    behind: [u64; GUARD_WORDS],
}

/// A shield in memory of its own, between pages that cannot be accessed.
pub struct Shielded {
    shield: *mut Shield,
    /// Guard words of the page before and behind the shield.
    lead_words: usize,
    tail_words: usize,
    calls: u32,
    /// The whole mapping; `None` if the shield is on the heap.
    mapping: Option<(*mut c_void, usize)>,
}

// SAFETY: the shield is the structure's own memory.
unsafe impl Send for Shielded {}

impl Shielded {
    pub fn new() -> Self {
        let guard = [UNTOUCHED; GUARD_WORDS];
        let content = Shield { before: guard, copy: TcpSock::default(), behind: guard };
        match mapped() {
            Some((page, spare_words, mapping)) => {
                // Copies at the same place of every page would compete for the same lines of the cache.
                let lead_words = spare_words - next_number() * LINES_APART * LINE_WORDS % (spare_words + 1);
                // SAFETY: the pages are accessible, and large enough for the spare words and the shield.
                let shield = unsafe {
                    let words = spare_words + size_of::<Shield>() / size_of::<u64>();
                    std::slice::from_raw_parts_mut(page, words).fill(UNTOUCHED);
                    let shield = page.add(lead_words).cast::<Shield>();
                    shield.write(content);
                    shield
                };
                Self { shield, lead_words, tail_words: spare_words - lead_words, calls: 0, mapping: Some(mapping) }
            }
            None => {
                let shield = Box::into_raw(Box::new(content));
                Self { shield, lead_words: 0, tail_words: 0, calls: 0, mapping: None }
            }
        }
    }

    fn shield(&self) -> &Shield {
        // SAFETY: written by `new`, and valid whatever a program wrote, since it holds only numbers.
        unsafe { &*self.shield }
    }

    /// The words of the page before and behind the shield.
    fn edges(&self) -> (&[u64], &[u64]) {
        // SAFETY: as above.
        unsafe {
            let lead = self.shield.cast::<u64>().sub(self.lead_words);
            let tail = self.shield.add(1).cast::<u64>();
            (std::slice::from_raw_parts(lead, self.lead_words), std::slice::from_raw_parts(tail, self.tail_words))
        }
    }

    fn edges_are_changed(&self) -> bool {
        let (lead, tail) = self.edges();
        lead.iter().chain(tail).fold(0, |changed, word| changed | (word ^ UNTOUCHED)) != 0
    }

    /// The first change that a program may not make; `None` if there is none.
    #[cold]
    fn first_changed(&self, sock: &TcpSock) -> Option<FaultKind> {
        let (lead, tail) = self.edges();
        let changed = |words: &[u64]| words.iter().position(|word| *word != UNTOUCHED);
        let bytes = |words: usize| words * size_of::<u64>();
        let before = || changed(lead).map(|at| format!("{} bytes before", bytes(lead.len() - at + GUARD_WORDS)));
        let behind = || changed(tail).map(|at| format!("{} bytes behind the end of", bytes(at + GUARD_WORDS)));
        let inside = self.shield().first_changed(sock);
        inside.or_else(|| Some(FaultKind::Other(format!("wrote {} tcp_sock,", before().or_else(behind)?))))
    }
}

impl Drop for Shielded {
    fn drop(&mut self) {
        // SAFETY: the whole mapping, or the box of `new`; nothing uses it any more.
        unsafe {
            match self.mapping {
                Some((start, bytes)) => drop(libc::munmap(start, bytes)),
                None => drop(Box::from_raw(self.shield)),
            }
        }
    }
}

/// Accessible pages, the number of words in them that a shield leaves, and the mapping.
fn mapped() -> Option<(*mut u64, usize, (*mut c_void, usize))> {
    // SAFETY: system calls whose results are checked; the pages are inside the mapping.
    unsafe {
        let page = libc::sysconf(libc::_SC_PAGESIZE) as usize;
        let inner = size_of::<Shield>().next_multiple_of(page);
        let edge = WATCHED_BYTES.next_multiple_of(page);
        let bytes = inner + 2 * edge;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let start = libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_NONE, flags, -1, 0);
        if start == libc::MAP_FAILED {
            return None;
        }
        let accessible = start.byte_add(edge);
        if libc::mprotect(accessible, inner, libc::PROT_READ | libc::PROT_WRITE) != 0 {
            libc::munmap(start, bytes);
            return None;
        }
        Some((accessible.cast(), (inner - size_of::<Shield>()) / size_of::<u64>(), (start, bytes)))
    }
}

/// The number of shields that this thread has made.
fn next_number() -> usize {
    thread_local! {
        static NUMBER: Cell<usize> = const { Cell::new(0) };
    }
    NUMBER.replace(NUMBER.get().wrapping_add(1) % (1 << 20))
}

impl Passage for Shielded {
    const COPIES_SAMPLES: bool = true;

    fn lend(&mut self, sock: &mut TcpSock) -> *mut TcpSock {
        // SAFETY: plain numbers, which are all of the structure, may be copied byte by byte.
        unsafe {
            let copy = &raw mut (*self.shield).copy;
            std::ptr::copy_nonoverlapping(sock, copy, 1);
            copy
        }
    }

    fn take_back(&mut self, sock: &mut TcpSock) -> Result<(), FaultKind> {
        let shield = self.shield();
        let pairs = words(&shield.copy).iter().zip(words(sock)).zip(protected());
        // One pass without branches, which the compiler vectorizes.
        let changed = pairs.fold(0, |changed, ((theirs, ours), mask)| changed | (theirs ^ ours) & mask);
        let guards = shield.before.iter().chain(&shield.behind).fold(0, |changed, word| changed | (word ^ UNTOUCHED));
        if changed | guards != 0 || shield.copy.sk_pacing_status > SK_PACING_FQ {
            return Err(shield.first_changed(sock).unwrap_or(FaultKind::BadMemoryAccess));
        }
        self.calls = self.calls.wrapping_add(1);
        if self.calls % CALLS_PER_CHECK == 1 && self.edges_are_changed() {
            return Err(self.first_changed(sock).unwrap_or(FaultKind::BadMemoryAccess));
        }
        let shield = self.shield();
        sock.take_writable(&shield.copy);
        note(&[sock.snd_cwnd.into(), sock.snd_ssthresh.into(), sock.sk_pacing_rate]);
        Ok(())
    }

    #[cold]
    fn explain(&self, sock: &TcpSock, address: usize) -> FaultKind {
        // A loop that runs out of the copy has written members on its way.
        if let Some(changed) = self.first_changed(sock) {
            return changed;
        }
        let copy = &raw const self.shield().copy as usize;
        let end = copy + size_of::<TcpSock>();
        let own = copy + offset_of!(TcpSock, icsk_ca_priv);
        let distance = match address {
            _ if (end..end + WATCHED_BYTES).contains(&address) => format!("{} bytes behind the end", address - end),
            _ if (copy - WATCHED_BYTES..copy).contains(&address) => {
                format!("{} bytes before the start", copy - address)
            }
            _ => return FaultKind::BadMemoryAccess,
        };
        let offset = address as i64 - own as i64;
        FaultKind::Other(format!("touched memory {distance} of tcp_sock (offset {offset} of its icsk_ca_priv),"))
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
    /// The first change that a program may not make; `None` if there is none.
    #[cold]
    fn first_changed(&self, sock: &TcpSock) -> Option<FaultKind> {
        let bytes = |sock: &TcpSock| -> Vec<u8> { words(sock).iter().flat_map(|word| word.to_ne_bytes()).collect() };
        let (theirs, ours) = (bytes(&self.copy), bytes(sock));
        let own = offset_of!(TcpSock, icsk_ca_priv) as i64;
        let differs = |member: &&Member<TcpSock>| {
            let place = member.offset..member.offset + member.bytes;
            is_watched(member) && theirs[place.clone()] != ours[place]
        };
        if let Some(member) = TcpSock::members().iter().find(differs) {
            let place = member.offset..member.offset + member.bytes;
            let first = place.start + place.clone().position(|at| theirs[at] != ours[at]).unwrap_or(0);
            let offset = first as i64 - own;
            return Some(match is_padding(member) {
                true => FaultKind::Other(format!("wrote padding of tcp_sock (offset {offset} of its icsk_ca_priv),")),
                false => FaultKind::ForbiddenWrite { member: member.path(), offset },
            });
        }
        let changed = |guard: &[u64]| guard.iter().position(|word| *word != UNTOUCHED).map(|at| at * size_of::<u64>());
        Some(FaultKind::Other(match (changed(&self.before), changed(&self.behind)) {
            (Some(at), _) => format!("wrote {} bytes before tcp_sock,", size_of_val(&self.before) - at),
            (None, Some(at)) => format!("wrote {at} bytes behind the end of tcp_sock,"),
            (None, None) if self.copy.sk_pacing_status > SK_PACING_FQ => {
                format!("set sk_pacing_status to {}, which is no enum sk_pacing,", self.copy.sk_pacing_status)
            }
            (None, None) => return None,
        }))
    }
}

fn is_padding(member: &Member<TcpSock>) -> bool {
    member.name.starts_with("_pad")
}

/// Must its value be the same after a callback?
fn is_watched(member: &Member<TcpSock>) -> bool {
    member.facts.is_protected() || is_padding(member)
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
        for member in TcpSock::members().iter().filter(|member| is_watched(member)) {
            bytes[member.offset..member.offset + member.bytes].fill(0xff);
        }
        let mut words = bytes.chunks_exact(size_of::<u64>());
        std::array::from_fn(|_| u64::from_ne_bytes(words.next().expect("as many").try_into().expect("of eight")))
    })
}
