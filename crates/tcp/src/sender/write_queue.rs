//! How the application's writes are cut into buffers, which bursts do not cross, and which of them end with PSH.
//!
//! An application that writes without end needs no memory here: every so many bytes end a write, and the buffers follow
//! each other, full. Where the exact form matters (behaviour scripts, small writes), each buffer is kept, as the kernel's `sendmsg` fills them: up to
//! the largest burst, going on in the last one while that has room and was not sent.

use super::scoreboard::BURST_START;
use super::transmit::Push;
use super::Sender;
use std::collections::VecDeque;

/// A buffer that holds unsent data; it begins where the one before ends.
#[derive(Clone, Copy, Debug)]
struct Buffer {
    end: u64,
    /// Its last segment carries PSH.
    push: bool,
}

#[derive(Clone, Debug)]
pub(super) struct WriteQueue {
    /// Empty unless writes are followed exactly.
    buffers: VecDeque<Buffer>,
    /// End of what was last marked for PSH.
    pushed_seq: u64,
    /// End of the buffer that is being sent, where they are not followed exactly.
    buffer_end: u64,
    /// End of the application write that the next segment belongs to, where they are not followed exactly.
    next_push_seq: u64,
    write_bytes: u64,
    exact: bool,
}

impl WriteQueue {
    pub fn new(write_bytes: u64, exact: bool) -> Self {
        let next_push_seq = 1 + write_bytes;
        Self { buffers: VecDeque::new(), pushed_seq: 1, buffer_end: 1, next_push_seq, write_bytes, exact }
    }

    /// End of the buffer that `seq` is in, at most `limit`.
    #[inline]
    pub fn buffer_end(&self, seq: u64, limit: u64) -> u64 {
        if !self.exact {
            // A FIN rides on the last buffer.
            return if self.buffer_end + 1 < limit { self.buffer_end } else { limit };
        }
        match self.buffers.front() {
            // What lies behind the last buffer is a FIN on its own or one that rides on it.
            Some(buffer) if buffer.end > seq && (self.buffers.len() > 1 || buffer.end + 1 < limit) => {
                buffer.end.min(limit)
            }
            _ => limit,
        }
    }

    /// Whether a segment whose data ends at `end` ends an application write.
    #[inline]
    pub fn pushes(&mut self, end: u64, write_seq: u64) -> bool {
        if self.exact {
            return self.buffers.front().is_some_and(|buffer| buffer.push && buffer.end == end);
        }
        let push = end > self.next_push_seq || end == write_seq;
        while end > self.next_push_seq {
            self.next_push_seq += self.write_bytes;
        }
        push
    }

    /// Whether the next byte to be sent is the first of another buffer, where they are not followed exactly.
    #[inline]
    pub fn needs_buffer(&self, snd_nxt: u64) -> bool {
        !self.exact && snd_nxt >= self.buffer_end
    }

    /// The next buffer begins at `start` and takes so many bytes.
    pub fn begin_buffer(&mut self, start: u64, bytes: u64) {
        self.buffer_end = start + bytes;
    }

    /// Everything below `snd_nxt` was sent.
    #[inline]
    pub fn on_sent(&mut self, snd_nxt: u64) {
        while self.buffers.front().is_some_and(|buffer| buffer.end <= snd_nxt) {
            self.buffers.pop_front();
        }
    }

    /// Start of the last buffer, as far as it is unsent.
    fn last_start(&self, snd_nxt: u64) -> u64 {
        match self.buffers.len() {
            0 | 1 => snd_nxt,
            count => self.buffers[count - 2].end,
        }
    }

    /// What was written last ends with PSH.
    pub fn mark_last(&mut self) {
        if let Some(last) = self.buffers.back_mut() {
            last.push = true;
            self.pushed_seq = last.end;
        }
    }
}

impl Sender {
    /// Takes in one write of the application and sends meanwhile what may go, as the kernel does: a reader of a trace
    /// sees it by where bursts end. `more` announces that more will follow (MSG_MORE).
    /// Stops when the send buffer is full, and returns how much was written.
    pub(super) fn write_exactly(&mut self, bytes: u64, more: bool, send_buffer_bytes: u64) -> u64 {
        let buffer_limit = self.buffer_limit();
        self.corked = more;
        let mut left = bytes;
        while left > 0 {
            let start = self.write_queue.last_start(self.snd_nxt);
            let mut len = self.write_seq - start;
            if self.write_queue.buffers.is_empty() || len >= buffer_limit {
                if self.memory_bytes() >= send_buffer_bytes {
                    break;
                }
                self.write_queue.buffers.push_back(Buffer { end: self.write_seq, push: false });
                len = 0;
            }
            let copied = left.min(buffer_limit - len);
            left -= copied;
            self.write_seq += copied;
            self.sock.write_seq = self.write_seq as u32;
            if let Some(last) = self.write_queue.buffers.back_mut() {
                last.end = self.write_seq;
            }
            if left == 0 || len + copied < buffer_limit {
                continue;
            }
            // A full buffer does not wait for the rest of the write.
            if self.pushes_half_window() {
                self.write_queue.mark_last();
                self.push();
            } else if self.write_queue.buffers.len() == 1 {
                self.write_new(Push::One);
            }
        }
        if !more || self.pushes_half_window() {
            self.write_queue.mark_last();
        }
        self.push();
        bytes - left
    }

    /// Memory of what is in the send buffer: payload, and what the kernel keeps beside each piece of it.
    pub fn memory_bytes(&self) -> u64 {
        let mut pieces = self.write_queue.buffers.len() as u64;
        for number in self.board.first()..self.board.end() {
            // What is left of a burst whose beginning is acknowledged is a piece too.
            pieces += u64::from(number == self.board.first() || self.board.has(number, BURST_START));
        }
        self.unacknowledged_bytes() + pieces * PIECE_BYTES
    }

    /// So much was written since the last PSH that the receiver should be told to look (half of its largest window).
    fn pushes_half_window(&self) -> bool {
        self.write_seq > self.write_queue.pushed_seq + u64::from(self.sock.max_window >> 1)
    }

    /// Payload that one buffer takes: what one burst can carry, and no more than half of the peer's largest window.
    pub(super) fn buffer_limit(&self) -> u64 {
        let mss = u64::from(self.current_mss());
        let window = u64::from(self.sock.max_window);
        let half = if window > SMALL_WINDOW_BYTES { window / 2 } else { window };
        let limit = u64::from(self.sock.sk_gso_max_size).min(half.max(mss));
        (limit / mss * mss).max(mss)
    }
}

/// Below this a window is not halved: there would be too few packets in flight.
const SMALL_WINDOW_BYTES: u64 = 536;
/// `struct sk_buff` with the head and the bookkeeping that TCP gives it.
const PIECE_BYTES: u64 = 960;
