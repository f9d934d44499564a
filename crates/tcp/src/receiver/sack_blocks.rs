//! The SACK blocks of an acknowledgement and their order (RFC 2018 §4, RFC 2883 §4).

use super::out_of_order::Range;
use crate::segment::MAX_SACK_BLOCKS;

/// The blocks that changed last, most recent first, preceded by at most one D-SACK.
///
/// The list holds 4 blocks and drops older ones although their data is still queued; a sender with a scoreboard knows
/// those already.
#[derive(Clone, Debug, Default)]
/// The blocks, which only losses need, come before the fields that every packet reads.
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

    /// Number of blocks to send, including a D-SACK.
    pub fn len(&self) -> usize {
        self.count + usize::from(self.duplicate.is_some())
    }

    /// The D-SACK first, then the others, most recent first.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.duplicate.into_iter().chain(self.blocks[..self.count].iter().copied())
    }

    /// Records that a range was just received out of order, new or not: its block comes first in the next ACK (RFC 2018
    /// §4). Returns the previous index of the block, or the number of blocks if it is new.
    pub fn touch(&mut self, new: Range) -> usize {
        let index =
            self.blocks[..self.count].iter().position(|&(start, end)| touches((start, end), (new.start, new.end)));
        if let Some(index) = index {
            let (start, end) = self.blocks[index];
            self.blocks[index] = (start.min(new.start), end.max(new.end));
            self.blocks[..=index].rotate_right(1);
            self.absorb_into_first();
            return index;
        }
        let index = self.count;
        self.count = (self.count + 1).min(MAX_SACK_BLOCKS);
        self.blocks[..self.count].rotate_right(1);
        self.blocks[0] = (new.start, new.end);
        index
    }

    /// Drops the blocks that the cumulative acknowledgement covers.
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

    /// Drops all blocks: no data is out of order any more, or queued data was dropped.
    #[inline]
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Data arrived twice; the next ACK reports it once (RFC 2883 §4).
    pub fn set_duplicate(&mut self, range: Range) {
        self.duplicate = Some((range.start, range.end));
    }

    /// Another duplicate part of the same segment; only a contiguous one fits into the block.
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

    /// After the first block grew, merges others that it overlaps.
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
