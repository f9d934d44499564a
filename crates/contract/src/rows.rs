//! Rows of a result that are made one at a time.

use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use std::fmt::{self, Debug};
use std::rc::Rc;

/// Rows that are made when they are read, from what a run left: the rows of 100,000 flows need not be in memory at once.
#[derive(Clone)]
pub struct Rows<R> {
    count: usize,
    make: Rc<dyn Fn(usize, Reading) -> R>,
}

/// Whether a row is read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    Again,
    /// Memory that this row alone needs can be freed.
    Last,
}

impl<R> Rows<R> {
    /// `make` makes the row of a number below `count`.
    pub fn new(count: usize, make: impl Fn(usize, Reading) -> R + 'static) -> Self {
        Self { count, make: Rc::new(make) }
    }

    pub fn len(&self) -> usize {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub fn iter(&self) -> impl Iterator<Item = R> + '_ {
        (0..self.count).map(|at| (self.make)(at, Reading::Again))
    }
}

impl<R: 'static> Default for Rows<R> {
    fn default() -> Self {
        Self::new(0, |_, _| unreachable!("there are no rows"))
    }
}

impl<R: 'static> IntoIterator for Rows<R> {
    type Item = R;
    type IntoIter = Box<dyn Iterator<Item = R>>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new((0..self.count).map(move |at| (self.make)(at, Reading::Last)))
    }
}

impl<R: Serialize> Serialize for Rows<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut rows = serializer.serialize_seq(Some(self.count))?;
        self.iter().try_for_each(|row| rows.serialize_element(&row))?;
        rows.end()
    }
}

impl<R: Debug> Debug for Rows<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn rows_are_made_when_they_are_read_and_freed_when_they_are_taken() {
        let made = Rc::new(Cell::new(0));
        let counter = made.clone();
        let rows = Rows::new(3, move |at, reading| {
            counter.set(counter.get() + 1);
            (at, reading == Reading::Last)
        });
        assert_eq!((rows.len(), made.get()), (3, 0));
        assert_eq!(serde_json::to_string(&rows).expect("numbers"), "[[0,false],[1,false],[2,false]]");
        assert_eq!(made.get(), 3);
        assert_eq!(rows.into_iter().collect::<Vec<_>>(), [(0, true), (1, true), (2, true)]);
        assert!(Rows::<u32>::default().is_empty());
    }
}
