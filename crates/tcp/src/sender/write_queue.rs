//! The buffers of the application's writes: bursts do not cross them, and some of them end with PSH.
//!
//! For an unbounded bulk writer no buffers are stored: writes end at fixed intervals, and all buffers are full. Where
//! exact boundaries matter (behaviour scripts, small writes), each buffer is stored, as the kernel's `sendmsg` fills
//! them: up to the largest burst, continuing in the last one while that has room and is unsent.
//!
//! A buffer whose rest is smaller than the next burst takes the missing bytes from the following buffer (Linux since
//! 6.10), so the end of a buffer rarely splits a burst. Otherwise about every 45th segment would leave alone, which
//! would also change which segments are acknowledged together.

use super::scoreboard::BURST_START;
use super::transmit::Push;
use super::Sender;
use std::collections::VecDeque;

/// A buffer with unsent data; it starts at the end of the previous one.
#[derive(Clone, Copy, Debug)]
struct Buffer {
    end: u64,
    /// Its last segment carries PSH.
    push: bool,
}

#[derive(Clone, Copy, Debug)]
struct Current {
    end: u64,
    /// Its end as written, before it took bytes from the next one.
    written_end: u64,
    /// It holds the end of an application write, so its last segment carries PSH.
    push: bool,
}

#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct WriteQueue {
    /// The buffer that is being sent, unless boundaries are exact.
    current: Current,
    /// End of the first application write after that buffer, unless boundaries are exact.
    next_push_seq: u64,
    write_bytes: u64,
    exact: bool,
    /// Burst size for which the size of the send buffer was computed.
    pub burst_segments: u32,
    /// End of the last buffer that was marked for PSH.
    pushed_seq: u64,
    /// Empty unless boundaries are exact.
    buffers: VecDeque<Buffer>,
}

impl WriteQueue {
    pub fn new(write_bytes: u64, exact: bool) -> Self {
        let next_push_seq = 1 + write_bytes;
        let current = Current { end: 1, written_end: 1, push: false };
        Self { buffers: VecDeque::new(), pushed_seq: 1, current, next_push_seq, write_bytes, exact, burst_segments: 1 }
    }

    /// End of the buffer that contains `seq`, at most `limit`.
    #[inline]
    pub fn buffer_end(&self, seq: u64, limit: u64) -> u64 {
        if !self.exact {
            // The last buffer carries a FIN.
            return if self.current.end + 1 < limit { self.current.end } else { limit };
        }
        match self.buffers.front() {
            // Only a FIN can follow the last buffer.
            Some(buffer) if buffer.end > seq && (self.buffers.len() > 1 || buffer.end + 1 < limit) => {
                buffer.end.min(limit)
            }
            _ => limit,
        }
    }

    /// Whether a segment whose data ends at `end` is the last of a buffer that holds the end of a write.
    #[inline]
    pub fn pushes(&self, end: u64, write_seq: u64) -> bool {
        if self.exact {
            return self.buffers.front().is_some_and(|buffer| buffer.push && buffer.end == end);
        }
        end == write_seq || (self.current.push && end == self.current.end)
    }

    /// Whether the next byte to be sent starts another buffer, unless boundaries are exact.
    #[inline]
    pub fn needs_buffer(&self, snd_nxt: u64) -> bool {
        !self.exact && snd_nxt >= self.current.end
    }

    /// Starts the next buffer, of `bytes`; the previous one may have taken some of them.
    pub fn begin_buffer(&mut self, snd_nxt: u64, bytes: u64) {
        let took_from_next = self.current.end > self.current.written_end;
        let start = if took_from_next { self.current.written_end } else { snd_nxt };
        // A small buffer may have been taken completely.
        let end = if start + bytes > snd_nxt { start + bytes } else { snd_nxt + bytes };
        let push = self.next_push_seq <= end;
        while self.next_push_seq <= end {
            self.next_push_seq += self.write_bytes;
        }
        self.current = Current { end, written_end: end, push };
    }

    /// Closes the current buffer: the next write starts another one.
    pub fn end_buffer(&mut self, snd_nxt: u64) {
        self.current.end = snd_nxt;
        self.current.written_end = snd_nxt;
    }

    /// Before a burst of `bytes` from `snd_nxt`: fills the buffer there with bytes of the next one, up to `limit`.
    #[inline]
    pub fn fill_up(&mut self, snd_nxt: u64, bytes: u64, limit: u64) {
        let wanted_end = snd_nxt + bytes;
        if !self.exact {
            if self.current.end < wanted_end && self.current.end < limit {
                self.current.end = wanted_end.min(limit);
            }
        } else if self.buffers.len() > 1 && self.buffers[0].end < wanted_end {
            self.take_from_next(wanted_end);
        }
    }

    fn take_from_next(&mut self, wanted_end: u64) {
        let next = self.buffers[1];
        self.buffers[0].end = wanted_end.min(next.end);
        if self.buffers[0].end == next.end {
            self.buffers[0].push |= next.push;
            self.buffers.remove(1);
        }
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

    /// Sets PSH at the end of the last write.
    pub fn mark_last(&mut self) {
        if let Some(last) = self.buffers.back_mut() {
            last.push = true;
            self.pushed_seq = last.end;
        }
    }
}

impl Sender {
    /// Copies one write of the application and sends in between, as the kernel does, which a trace shows by the ends of
    /// bursts. `more` announces another write (MSG_MORE): a rest below the MSS waits for it, but only until the next
    /// event that sends data. Stops when the send buffer is full, and returns the bytes written.
    pub(super) fn write_exactly(&mut self, bytes: u64, more: bool, send_buffer_bytes: u64) -> u64 {
        let buffer_limit = self.buffer_limit();
        self.awaited_memory_bytes = 0;
        let mut left = bytes;
        while left > 0 {
            let start = self.write_queue.last_start(self.snd_nxt);
            let mut len = self.write_seq - start;
            if self.write_queue.buffers.is_empty() || len >= buffer_limit {
                if self.memory_bytes() >= send_buffer_bytes {
                    self.awaited_memory_bytes = send_buffer_bytes;
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
        self.push_as_if_corked(self.corked || more);
        bytes - left
    }

    /// Computes the payload that fits into the send buffer with bursts of this size. Each burst becomes a buffer of its
    /// own when it is sent, so the overhead depends on the size of bursts.
    #[inline(never)]
    pub(super) fn size_send_buffer(&mut self, burst_segments: u32) {
        let mss = u64::from(self.current_mss());
        self.write_queue.burst_segments = burst_segments;
        let memory_bytes = self.memory.as_ref().map_or(self.config.wmem_max_bytes, |memory| memory.buffer_bytes);
        self.send_buffer_bytes = payload_of_memory(memory_bytes, mss, u64::from(burst_segments));
    }

    /// Memory of the data in the send buffer: payload and the kernel's overhead per buffer.
    pub fn memory_bytes(&self) -> u64 {
        let mut pieces = self.write_queue.buffers.len() as u64;
        for number in self.board.first()..self.board.end() {
            // The rest of a burst that is acknowledged in part is a buffer, too.
            pieces += u64::from(number == self.board.first() || self.board.has(number, BURST_START));
        }
        self.unacknowledged_bytes() + pieces * PIECE_BYTES
    }

    /// Whether enough was written since the last PSH to set it again (half of the receiver's largest window).
    fn pushes_half_window(&self) -> bool {
        self.write_seq > self.write_queue.pushed_seq + u64::from(self.sock.max_window >> 1)
    }

    /// Payload of one buffer: the largest burst, and at most half of the peer's largest window.
    pub(super) fn buffer_limit(&self) -> u64 {
        let mss = u64::from(self.current_mss());
        let window = u64::from(self.sock.max_window);
        let half = if window > SMALL_WINDOW_BYTES { window / 2 } else { window };
        let limit = u64::from(self.sock.sk_gso_max_size).min(half.max(mss));
        (limit / mss * mss).max(mss)
    }
}

/// Payload that fits into `memory_bytes` of send buffer in buffers of `segments` segments; at least one segment.
pub(super) fn payload_of_memory(memory_bytes: u64, mss: u64, segments: u64) -> u64 {
    let payload = segments * mss;
    let whole = memory_bytes / (payload + PIECE_BYTES);
    let rest = (memory_bytes - whole * (payload + PIECE_BYTES)).saturating_sub(PIECE_BYTES) / mss * mss;
    (whole * payload + rest.min(payload)).max(mss)
}

/// Smaller windows are not halved, to keep enough packets in flight.
const SMALL_WINDOW_BYTES: u64 = 536;
/// `struct sk_buff` with the head that TCP allocates.
pub(super) const PIECE_BYTES: u64 = 960;

#[cfg(test)]
mod tests {
    use super::*;

    const BUFFER: u64 = 45;
    const WRITE: u64 = 90;

    /// Sends bursts of two segments of one byte; returns the ends of bursts that a buffer's end cut short, and of
    /// segments with PSH.
    fn send_pairs(queue: &mut WriteQueue, until: u64, fill_up: bool) -> (Vec<u64>, Vec<u64>) {
        let (mut seq, mut singles, mut pushed) = (1, Vec::new(), Vec::new());
        while seq < until {
            if queue.needs_buffer(seq) {
                queue.begin_buffer(seq, BUFFER);
            }
            if fill_up {
                queue.fill_up(seq, 2, until);
            }
            let end = queue.buffer_end(seq, until).min(seq + 2);
            if end == seq + 1 {
                singles.push(end);
            }
            pushed.extend((seq + 1..=end).filter(|&end| queue.pushes(end, u64::MAX)));
            seq = end;
        }
        (singles, pushed)
    }

    /// `sk_wmem_queued` is the sum of `truesize` over the buffers of a socket, which are bursts once they are sent.
    #[test]
    fn memory_is_charged_for_each_burst_and_not_for_each_segment() {
        let packets = |segments| payload_of_memory(4 << 20, 1448, segments) / 1448;
        assert!((2_700..2_800).contains(&packets(10)), "{}", packets(10));
        assert!((2_800..2_860).contains(&packets(45)), "{}", packets(45));
        assert_eq!(packets(1), 1741, "without bursts each segment is a buffer");
        assert_eq!(payload_of_memory(2_000, 1448, 10), 1448, "one segment at least");
        assert_eq!(payload_of_memory(960 + 4 * 1448, 1448, 10), 4 * 1448, "what is left holds a part of a burst");
    }

    #[test]
    fn a_buffer_takes_missing_bytes_from_the_next_one() {
        let mut alone = WriteQueue::new(WRITE, false);
        assert_eq!(send_pairs(&mut alone, 1 + 10 * BUFFER, false).0.len(), 10, "45 is odd: each buffer ends alone");
        let mut filled = WriteQueue::new(WRITE, false);
        assert!(send_pairs(&mut filled, 1 + 10 * BUFFER, true).0.is_empty());
    }

    #[test]
    fn push_is_at_the_end_of_the_buffer_that_holds_the_end_of_a_write() {
        let mut queue = WriteQueue::new(60, false);
        // Writes end at 61, 121, 181, 241; buffers at 46, 91, 136, 181, 226, 271.
        assert_eq!(send_pairs(&mut queue, 272, false).1, [91, 136, 181, 271]);
    }

    #[test]
    fn bytes_move_from_the_next_buffer() {
        let mut queue = WriteQueue::new(WRITE, true);
        queue.buffers = [(46, false), (91, true), (136, false)].map(|(end, push)| Buffer { end, push }).into();
        queue.fill_up(45, 2, 136);
        assert_eq!(queue.buffers[0].end, 47);
        assert!(!queue.pushes(47, 136), "the mark stays with the buffer that holds the end of the write");
        queue.fill_up(45, 50, 136);
        assert_eq!(queue.buffers.len(), 2, "the second buffer was taken whole");
        assert!(queue.pushes(91, 136), "and its mark with it");
    }
}
