//! Bytes in pieces, so that a large result need not be in memory twice when Python takes it over.

use std::io::{self, Write};

/// Size of a piece. Allocators serve requests this small from memory that was freed before: from the state of the
/// connections and the columns of the result, which are gone when most pieces are written.
const PIECE_BYTES: usize = 64 << 10;

/// Bytes that are written from front to back; small results need one piece.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    pieces: Vec<Vec<u8>>,
}

impl Pieces {
    /// How many bytes there are.
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
