//! Which SACK blocks an acknowledgement carries, and in which order (RFC 2018 §4, RFC 2883 §4).

use super::out_of_order::Range;
use crate::segment::MAX_SACK_BLOCKS;

/// The blocks that were touched last, most recent first, and at most one D-SACK to go before them.
///
/// The list remembers 4 blocks and forgets older ones, even though their data is still queued; a sender
/// that keeps a scoreboard knows those already.
#[derive(Clone, Debug, Default)]
/// The blocks, which only losses need, lie before what every packet reads.
#[repr(C)]
pub(super) struct SackBlocks {
    blocks: [(u64, u64); MAX_SACK_BLOCKS],
    count: usize,
    duplicate: Option<(u64, u64)>,
}

impl SackBlocks {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0 && self.duplicate.is_none()
    }

    /// Blocks that wait to be sent, D-SACK included.
    pub fn len(&self) -> usize {
        self.count + usize::from(self.duplicate.is_some())
    }

    /// The D-SACK first, then the others, most recent first.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.duplicate.into_iter().chain(self.blocks[..self.count].iter().copied())
    }

    /// Notes that `start..end` was just received out of order, whether new or not: its block comes
    /// first in the next ACK (RFC 2018 §4). Returns the place at which the block stood before, that is
    /// the number of blocks if it is a new one.
    pub fn touch(&mut self, new: Range) -> usize {
        let place =
            self.blocks[..self.count].iter().position(|&(start, end)| touches((start, end), (new.start, new.end)));
        if let Some(place) = place {
            let (start, end) = self.blocks[place];
            self.blocks[place] = (start.min(new.start), end.max(new.end));
            self.blocks[..=place].rotate_right(1);
            self.absorb_into_first();
            return place;
        }
        let place = self.count;
        self.count = (self.count + 1).min(MAX_SACK_BLOCKS);
        self.blocks[..self.count].rotate_right(1);
        self.blocks[0] = (new.start, new.end);
        place
    }

    /// Forgets the blocks that the cumulative acknowledgement covers.
    pub fn acknowledge(&mut self, next: u64) {
        let mut kept = 0;
        for index in 0..self.count {
            if self.blocks[index].0 > next {
                self.blocks[kept] = self.blocks[index];
                kept += 1;
            }
        }
        self.count = kept;
    }

    /// Forgets all blocks: none is out of order any more, or queued data had to be dropped.
    #[inline]
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Data arrived twice; the next ACK says so once (RFC 2883 §4).
    pub fn set_duplicate(&mut self, range: Range) {
        self.duplicate = Some((range.start, range.end));
    }

    /// A further duplicate part of the same segment; only one that is contiguous fits into the block.
    pub fn extend_duplicate(&mut self, range: Range) {
        let new = (range.start, range.end);
        match self.duplicate {
            None => self.duplicate = Some(new),
            Some(old) if touches(old, new) => self.duplicate = Some((old.0.min(new.0), old.1.max(new.1))),
            Some(_) => {}
        }
    }

    #[inline]
    pub fn clear_duplicate(&mut self) {
        self.duplicate = None;
    }

    /// After the first block grew, the others may belong to it.
    fn absorb_into_first(&mut self) {
        let mut kept = 1;
        for index in 1..self.count {
            let block = self.blocks[index];
            let first = &mut self.blocks[0];
            if touches(*first, block) {
                *first = (first.0.min(block.0), first.1.max(block.1));
            } else {
                self.blocks[kept] = block;
                kept += 1;
            }
        }
        self.count = kept;
    }
}

fn touches(a: (u64, u64), b: (u64, u64)) -> bool {
    a.0 <= b.1 && b.0 <= a.1
}
