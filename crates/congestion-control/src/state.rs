//! The members of an algorithm's own memory, for debuggers.

use crate::sock::TcpSock;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// Finds the block of a connection's socket storage (`bpf_sk_storage`) that has this many bytes; empty if there is none.
pub type StorageReader = for<'a> fn(&'a TcpSock, usize) -> &'a [u8];
static STORAGE: OnceLock<StorageReader> = OnceLock::new();

/// Sets how to find the socket storage of programs in this process, which only their host knows.
pub fn read_storage_with(reader: StorageReader) {
    STORAGE.get_or_init(|| reader);
}

/// A number in `icsk_ca_priv`, or in socket storage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateMember {
    /// Its name in the algorithm's structure; members of inner structures and arrays as C writes them: `rtt.min_us`,
    /// `bw[2]`.
    pub name: String,
    /// Where it begins: bits from the beginning of the memory, as a little-endian machine counts them.
    pub first_bit: u32,
    pub bits: u32,
    pub signed: bool,
    /// The bytes of the block of socket storage that it is in; `None` in `icsk_ca_priv`.
    pub stored_bytes: Option<u32>,
}

impl StateMember {
    /// Its value; 0 outside the memory, and before there is any.
    pub fn read(&self, sock: &TcpSock) -> i128 {
        let block = self.stored_bytes.zip(STORAGE.get()).map(|(bytes, reader)| reader(sock, bytes as usize));
        let bit = |bit: u32| match (self.stored_bytes, block) {
            (None, _) => sock.icsk_ca_priv.get(bit as usize / 64).map_or(0, |word| word >> (bit % 64) & 1),
            (_, block) => {
                block.and_then(|bytes| bytes.get(bit as usize / 8)).map_or(0, |byte| (byte >> (bit % 8) & 1).into())
            }
        };
        let value = (0..self.bits.min(64)).fold(0, |value, at| value | i128::from(bit(self.first_bit + at)) << at);
        match self.signed && value >> (self.bits - 1) != 0 {
            true => value - (1 << self.bits),
            false => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bit_fields_and_signs_are_read_where_they_are() {
        let mut sock = TcpSock::default();
        sock.icsk_ca_priv[1] = 0xfff0_0000_0000_0a50;
        let member =
            |first_bit, bits, signed| StateMember { name: String::new(), first_bit, bits, signed, stored_bytes: None };
        assert_eq!(member(64 + 4, 8, false).read(&sock), 0xa5);
        assert_eq!(member(64 + 48, 16, true).read(&sock), -16);
        assert_eq!(member(64, 64, false).read(&sock), 0xfff0_0000_0000_0a50);
        assert_eq!(member(64 * 13, 8, false).read(&sock), 0, "behind the end");
    }
}
