//! The protocol between client, spawner and worker.
//!
//! - A job begins with one message of the client to the spawner: the limits, and descriptors of the worker's socket, of a
//!   pipe for the spawner's report, and perhaps of a file for the worker to write to.
//! - On the worker's socket the client sends the request and the worker its answer, each with its length in front.
//! - On the pipe the spawner reports how the worker ended. The worker never has that pipe, so it cannot lie about its end.

use rustix::net::{
    recvmsg, sendmsg, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags,
};
use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// The limits of a job, as the spawner gets them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct JobLimits {
    pub wall_ms: u64,
    pub address_space_bytes: u64,
    pub file_bytes: u64,
}

const LIMITS_BYTES: usize = 24;
const DESCRIPTORS: usize = 3;

/// How a worker ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Report {
    /// As `wait4` gives it.
    pub status: i32,
    pub missed_deadline: bool,
    pub cpu_us: u64,
    pub peak_rss_kb: u64,
}

const REPORT_BYTES: usize = 24;

pub(super) fn send_job(control: BorrowedFd, limits: &JobLimits, descriptors: &[BorrowedFd]) -> io::Result<()> {
    let numbers = [limits.wall_ms, limits.address_space_bytes, limits.file_bytes];
    let mut bytes = [0; LIMITS_BYTES];
    bytes.chunks_exact_mut(8).zip(numbers).for_each(|(place, number)| place.copy_from_slice(&number.to_ne_bytes()));
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(descriptors));
    sendmsg(control, &[IoSlice::new(&bytes)], &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// The next job; `None` when no client is left.
pub(super) fn receive_job(control: BorrowedFd) -> io::Result<Option<(JobLimits, Vec<OwnedFd>)>> {
    let mut bytes = [0; LIMITS_BYTES];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let got = recvmsg(control, &mut [IoSliceMut::new(&mut bytes)], &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
    if got.bytes == 0 {
        return Ok(None);
    }
    let descriptors = ancillary.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
        _ => None,
    });
    let descriptors = descriptors.flatten().collect();
    let number = |index: usize| u64::from_ne_bytes(bytes[8 * index..8 * index + 8].try_into().expect("8 bytes"));
    let limits = JobLimits { wall_ms: number(0), address_space_bytes: number(1), file_bytes: number(2) };
    Ok(Some((limits, descriptors)))
}

impl Report {
    pub fn send(&self, pipe: impl AsFd) -> io::Result<()> {
        let mut bytes = [0; REPORT_BYTES];
        bytes[..4].copy_from_slice(&self.status.to_ne_bytes());
        bytes[4..8].copy_from_slice(&u32::from(self.missed_deadline).to_ne_bytes());
        bytes[8..16].copy_from_slice(&self.cpu_us.to_ne_bytes());
        bytes[16..].copy_from_slice(&self.peak_rss_kb.to_ne_bytes());
        rustix::io::write(pipe, &bytes)?;
        Ok(())
    }

    /// `None` if the spawner went away without one.
    pub fn receive(pipe: &mut File) -> Option<Self> {
        let mut bytes = [0; REPORT_BYTES];
        pipe.read_exact(&mut bytes).ok()?;
        Some(Self {
            status: i32::from_ne_bytes(bytes[..4].try_into().ok()?),
            missed_deadline: bytes[4..8] != [0; 4],
            cpu_us: u64::from_ne_bytes(bytes[8..16].try_into().ok()?),
            peak_rss_kb: u64::from_ne_bytes(bytes[16..].try_into().ok()?),
        })
    }
}

/// Writes pieces with the sum of their lengths in front.
pub(super) fn write_framed(to: &mut impl Write, pieces: &[impl AsRef<[u8]>]) -> io::Result<()> {
    let length: usize = pieces.iter().map(|piece| piece.as_ref().len()).sum();
    to.write_all(&(length as u64).to_ne_bytes())?;
    pieces.iter().try_for_each(|piece| to.write_all(piece.as_ref()))
}

/// A message of another process.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Framed {
    Complete(Vec<u8>),
    /// It ended too early.
    Incomplete,
    /// It is longer than the limit, and was not read.
    TooLong,
}

/// Reads the output of `write_framed`, at most `limit` bytes. Takes no more memory than the message has bytes, whatever
/// length it claims to have.
pub(super) fn read_framed(from: &mut impl Read, limit: u64) -> io::Result<Framed> {
    let mut length = [0; 8];
    match from.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if is_end(&error) => return Ok(Framed::Incomplete),
        Err(error) => return Err(error),
    }
    let length = u64::from_ne_bytes(length);
    if length > limit {
        return Ok(Framed::TooLong);
    }
    let mut bytes = Vec::new();
    // Address space, which becomes memory only as bytes arrive.
    let Some(length) = usize::try_from(length).ok().filter(|&length| bytes.try_reserve_exact(length).is_ok()) else {
        return Ok(Framed::TooLong);
    };
    match from.take(length as u64).read_to_end(&mut bytes) {
        Ok(_) => {}
        Err(error) if is_end(&error) => return Ok(Framed::Incomplete),
        Err(error) => return Err(error),
    }
    Ok(if bytes.len() == length { Framed::Complete(bytes) } else { Framed::Incomplete })
}

fn is_end(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_read_within_its_limit() {
        let mut sent = Vec::new();
        write_framed(&mut sent, &["ab", "c"]).expect("memory can be written");
        let read = |bytes: &[u8], limit: u64| read_framed(&mut &*bytes, limit).expect("memory can be read");
        assert_eq!(read(&sent, 3), Framed::Complete(b"abc".to_vec()));
        assert_eq!(read(&sent, 2), Framed::TooLong);
        assert_eq!(read(&sent[..10], 3), Framed::Incomplete);
        assert_eq!(read(&sent[..4], 3), Framed::Incomplete);
        assert_eq!(read(&u64::MAX.to_ne_bytes(), u64::MAX), Framed::TooLong);
    }

    #[test]
    fn a_long_message_takes_its_length_in_memory_and_not_twice_that() {
        let length = 40 << 20;
        let mut from = io::Cursor::new((length as u64).to_ne_bytes()).chain(io::repeat(7).take(length as u64));
        let Framed::Complete(bytes) = read_framed(&mut from, u64::MAX).expect("can be read") else {
            panic!("is complete")
        };
        assert_eq!((bytes.len(), bytes.capacity()), (length, length));
    }
}
