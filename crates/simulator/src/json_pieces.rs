//! JSON text in pieces, so that a large result need not be in memory twice when somebody else takes it over.

use std::io::{self, Write};

/// A piece is at most so long. Above 32 MiB an allocator gives each piece pages of its own, which are free again as soon
/// as the piece is.
const PIECE_BYTES: usize = 33 << 20;

/// Text that is written from front to back; all results but the largest are one piece.
#[derive(Debug, Default)]
pub struct JsonPieces {
    pieces: Vec<Vec<u8>>,
}

impl JsonPieces {
    /// The pieces in order; one of them may end within a number or a name.
    pub fn into_pieces(self) -> impl Iterator<Item = Vec<u8>> {
        self.pieces.into_iter()
    }

    /// All in one.
    pub fn into_string(self) -> String {
        String::from_utf8(self.pieces.concat()).expect("serde_json writes UTF-8")
    }
}

impl Write for JsonPieces {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_together_are_what_was_written() {
        let line = "0123456789\n".repeat(1_000);
        let mut text = JsonPieces::default();
        let lines = 2 * PIECE_BYTES / line.len() + 10;
        for _ in 0..lines {
            text.write_all(line.as_bytes()).expect("memory takes it");
        }
        assert_eq!(text.pieces.len(), 3);
        assert!(text.pieces.iter().all(|piece| piece.len() <= PIECE_BYTES));
        assert!(text.into_string() == line.repeat(lines));
    }
}
