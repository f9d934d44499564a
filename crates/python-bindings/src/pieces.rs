//! Bytes in pieces, so that a large result need not be in memory twice when Python takes it over.

use std::io::{self, Write};

/// Largest size of a piece. Above 32 MiB an allocator gives each piece pages of its own, which are free again as soon as
/// the piece is.
const PIECE_BYTES: usize = 33 << 20;

/// Bytes that are written from front to back; few results need more than one piece.
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
            Some(piece) if piece.len() + bytes.len() <= PIECE_BYTES => piece.extend_from_slice(bytes),
            Some(_) => {
                self.pieces.push(Vec::with_capacity(PIECE_BYTES));
                self.pieces.last_mut().expect("it was just added").extend_from_slice(bytes);
            }
            None => self.pieces.push(bytes.to_vec()),
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
