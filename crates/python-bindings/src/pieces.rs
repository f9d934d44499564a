//! Bytes in pieces, so that a large result is not in memory twice when it is passed to Python.

use std::io::{self, Write};

/// Size of a piece. Allocators serve such small requests from freed memory: from the connections and columns of the
/// result, most of which are freed before the pieces are written.
const PIECE_BYTES: usize = 64 << 10;

/// Bytes that are written from front to back; small results need one piece.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    pieces: Vec<Vec<u8>>,
}

impl Pieces {
    /// The number of bytes.
    pub fn len(&self) -> usize {
        self.pieces.iter().map(Vec::len).sum()
    }
}

impl IntoIterator for Pieces {
    type Item = Vec<u8>;
    type IntoIter = std::vec::IntoIter<Vec<u8>>;

    fn into_iter(self) -> Self::IntoIter {
        self.pieces.into_iter()
    }
}

impl Write for Pieces {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.pieces.last_mut() {
            Some(piece) if piece.len() < PIECE_BYTES => {
                let taken = bytes.len().min(PIECE_BYTES - piece.len());
                piece.extend_from_slice(&bytes[..taken]);
                Ok(taken)
            }
            _ => {
                let taken = bytes.len().min(PIECE_BYTES);
                let mut piece = Vec::with_capacity(if self.pieces.is_empty() { taken } else { PIECE_BYTES });
                piece.extend_from_slice(&bytes[..taken]);
                self.pieces.push(piece);
                Ok(taken)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
