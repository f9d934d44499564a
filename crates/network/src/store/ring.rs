//! A growing ring buffer whose positions are 64-bit numbers that never wrap.

/// Slots `head..tail`, each addressed by the number it got when it was added. The slot popped last stays readable until
/// the next one is popped. Grows by doubling and never shrinks, so that a link in its steady state does not allocate.
#[derive(Clone, Debug)]
pub(crate) struct Ring<T> {
    /// Empty, or a power of two long; slot `n` lives at `n % slots.len()`.
    slots: Vec<T>,
    head: u64,
    tail: u64,
}

impl<T: Copy> Ring<T> {
    pub fn new() -> Self {
        Self { slots: Vec::new(), head: 0, tail: 0 }
    }

    #[inline]
    pub fn head(&self) -> u64 {
        self.head
    }

    #[inline]
    pub fn tail(&self) -> u64 {
        self.tail
    }

    /// Adds a slot at the tail, to be written in place; it has stale content. `filler` is any value.
    #[inline]
    pub fn extend(&mut self, filler: impl FnOnce() -> T) -> &mut T {
        if (self.tail - self.head) as usize + 1 >= self.slots.len() {
            self.grow(filler());
        }
        let at = self.at(self.tail);
        self.tail += 1;
        &mut self.slots[at]
    }

    #[inline]
    pub fn pop_front(&mut self) {
        debug_assert!(self.head < self.tail, "pop from an empty ring");
        self.head += 1;
    }

    /// The slot popped last.
    #[inline]
    pub fn last_popped(&self) -> &T {
        debug_assert!(self.head > 0, "nothing was popped yet");
        &self.slots[self.at(self.head - 1)]
    }

    /// The popped slots, until one is added.
    #[inline]
    pub fn popped(&self) -> Popped<'_, T> {
        Popped { slots: &self.slots, head: self.head as u32 }
    }

    /// A slot that may not be in use yet, with stale content then.
    #[inline]
    pub fn place(&self, number: u64) -> Option<&T> {
        self.slots.get(self.at(number))
    }

    #[inline]
    pub fn get(&self, number: u64) -> &T {
        debug_assert!((self.head..self.tail).contains(&number), "slot {number} is not in use");
        &self.slots[self.at(number)]
    }

    #[inline]
    pub fn get_mut(&mut self, number: u64) -> &mut T {
        debug_assert!((self.head..self.tail).contains(&number), "slot {number} is not in use");
        let at = self.at(number);
        &mut self.slots[at]
    }

    #[inline]
    fn at(&self, number: u64) -> usize {
        index(number as usize, &self.slots)
    }

    /// Doubles the ring; every slot that holds the filler is written before it is read.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, filler: T) {
        let old = std::mem::take(&mut self.slots);
        self.slots = vec![filler; (old.len() * 2).max(FIRST_SLOTS)];
        for number in self.head.saturating_sub(1)..self.tail {
            let at = self.at(number);
            self.slots[at] = old[number as usize & (old.len() - 1)];
        }
    }
}

/// A view of the slots that were popped from a ring.
#[derive(Clone, Copy)]
pub(crate) struct Popped<'a, T> {
    slots: &'a [T],
    head: u32,
}

impl<T> Default for Popped<'_, T> {
    fn default() -> Self {
        Self { slots: &[], head: 0 }
    }
}

impl<'a, T> Popped<'a, T> {
    /// A slot; the lower half of its number suffices.
    #[inline]
    pub fn get(&self, number: u32) -> &'a T {
        let since = self.head.wrapping_sub(number);
        debug_assert!((1..=self.slots.len()).contains(&(since as usize)), "slot {number} was not popped");
        &self.slots[index(number as usize, self.slots)]
    }
}

#[inline]
fn index<T>(number: usize, slots: &[T]) -> usize {
    number & slots.len().wrapping_sub(1)
}

/// Small, because most links of a large network carry the few packets of one flow.
const FIRST_SLOTS: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_order_while_it_grows_and_wraps() {
        let mut ring = Ring::new();
        let (mut pushed, mut popped) = (0_u64, 0_u64);
        for step in 0..1_000_u64 {
            for _ in 0..step % 7 {
                *ring.extend(|| 0) = pushed;
                pushed += 1;
            }
            for _ in 0..step % 5 {
                if popped < pushed {
                    assert_eq!(*ring.get(popped), popped);
                    ring.pop_front();
                    assert_eq!(*ring.last_popped(), popped);
                    popped += 1;
                }
            }
            assert_eq!((ring.head(), ring.tail()), (popped, pushed));
            assert!(popped == 0 || *ring.last_popped() == popped - 1, "pushing must not touch the last popped");
        }
        assert!(pushed - popped > 500, "the ring must have grown");
    }
}
