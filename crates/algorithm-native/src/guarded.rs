//! Guarded calls into a loaded program, for one flow.

use crate::guard;
use crate::loaded::Loaded;
use crate::shield::Passage;
use fairlane_congestion_control::{Callback, FaultKind, ProgramCalls, TcpSock};
use std::sync::Arc;

pub struct Guarded<P> {
    loaded: Arc<Loaded>,
    passage: P,
}

impl<P> Guarded<P> {
    pub fn new(loaded: Arc<Loaded>, passage: P) -> Self {
        Self { loaded, passage }
    }
}

impl<P: Passage> ProgramCalls for Guarded<P> {
    const COPIES_SAMPLES: bool = P::COPIES_SAMPLES;

    fn algorithm(&self) -> &str {
        &self.loaded.algorithm
    }

    #[inline(always)]
    fn has(&self, callback: Callback) -> bool {
        self.loaded.entry.of(callback).is_some()
    }

    fn flags(&self) -> u8 {
        self.loaded.flags
    }

    #[inline(always)]
    fn short_cong_control(&self) -> bool {
        self.loaded.short_cong_control
    }

    fn set_hz(&self, hz: u64) {
        self.loaded.set_hz(hz);
    }

    #[inline(always)]
    fn call(&mut self, sock: &mut TcpSock, callback: Callback, words: [u64; 3]) -> Option<Result<u64, FaultKind>> {
        let pointer = self.loaded.entry.of(callback)?;
        let seen = self.passage.lend(sock);
        let mut words = [seen as u64, words[0], words[1], words[2]];
        self.loaded.enter();
        self.loaded.set_current(seen);
        // SAFETY: the callback is of the loaded program, whose compiler has checked its layout; the words are
        // the arguments that the kernel gives this callback, and what they point at lives until it returns.
        let answer = unsafe { guard::call(pointer, &mut words) };
        self.loaded.leave();
        let answer = match answer {
            Ok(answer) => answer,
            Err(FaultKind::BadMemoryAccess) => return Some(Err(self.passage.explain(sock, guard::fault_address()))),
            Err(kind) => return Some(Err(kind)),
        };
        if answer.divided {
            self.loaded.divisions.add(callback);
        }
        Some(self.passage.take_back(sock).map(|()| answer.word))
    }

    fn forget_connection(&self, sock: &mut TcpSock) {
        self.loaded.forget_connection(sock);
    }

    fn take_printed(&self) -> Vec<String> {
        self.loaded.take_printed()
    }

    fn warning(&self) -> Option<String> {
        let divided = self.loaded.divisions.first()?;
        Some(format!(
            "algorithm {} divided by zero in callback {}; as in the kernel, the quotient is 0 and the remainder the \
             dividend",
            self.loaded.algorithm,
            divided.name()
        ))
    }

    fn prefetch<T>(&self, besides: &T) {
        fairlane_engine::prefetch(&self.loaded);
        fairlane_engine::prefetch(besides);
    }
}
