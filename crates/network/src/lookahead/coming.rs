//! Prefetching of links in a window. Hints only: no result depends on them.

use super::section::Links;
use crate::any_medium::each_link;
use crate::link::LookaheadLink;
use std::collections::VecDeque;

/// Prefetches links that will act next in a window.
#[derive(Default)]
pub(super) struct Coming {
    /// The links found so far that act after the present one.
    links: VecDeque<u32>,
    /// Where the search continues.
    at: usize,
}

/// A link is prefetched this many active links ahead, and its packets half as many.
const LINKS_AHEAD: usize = 6;
/// A search for active links is given up after this many others.
const SEARCHED: usize = 64;

impl Coming {
    /// `at` is the place of the present link in `order`.
    #[inline]
    pub fn prefetch<P: Copy>(&mut self, links: &Links<P>, order: &[u32], at: usize, is_active: impl Fn(u32) -> bool) {
        self.links.pop_front();
        if self.at <= at {
            self.links.clear();
            self.at = at + 1;
        }
        let end = (self.at + SEARCHED).min(order.len());
        while self.links.len() < LINKS_AHEAD && self.at < end {
            let link = order[self.at];
            self.at += 1;
            if is_active(link) {
                self.links.push_back(link);
                each_link!(links.get(link), link => LookaheadLink::prefetch(link), else {});
            }
        }
        if let Some(&link) = self.links.get(LINKS_AHEAD / 2) {
            each_link!(links.get(link), link => link.prefetch_records(), else {});
        }
    }
}
