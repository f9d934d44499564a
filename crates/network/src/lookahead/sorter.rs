//! Sorting what enters a link by time.

/// Keys whose upper half, a time since the span began in its upper half, is spread over the span: they are first put into
/// as many buckets of time as there are keys, which leaves each near its place. A general sort takes three times as long.
#[derive(Default)]
pub(super) struct Sorter {
    /// Where each bucket's next key goes.
    places: Vec<u32>,
    scratch: Vec<u128>,
}

/// So few keys are sorted by insertion alone.
const FEW: usize = 16;
/// Keys in one bucket that are too many to be sorted by insertion.
const CROWD: u32 = 24;

impl Sorter {
    /// Sorts keys whose times lie below `span_ns`.
    pub fn sort(&mut self, keys: &mut Vec<u128>, span_ns: u64) {
        if keys.is_sorted() {
            return; // what one host sends
        }
        if keys.len() < FEW {
            return sort_by_insertion(keys);
        }
        let bits = usize::BITS - keys.len().leading_zeros();
        let shift = (u64::BITS - span_ns.leading_zeros()).saturating_sub(bits);
        let bucket_of = |key: u128| ((key >> 96) as u32 >> shift) as usize;
        self.places.clear();
        self.places.resize((1 << bits) + 1, 0);
        keys.iter().for_each(|&key| self.places[bucket_of(key) + 1] += 1);
        let (mut place, mut most) = (0, 0);
        for count in &mut self.places {
            most = most.max(*count);
            place += *count;
            *count = place;
        }
        self.scratch.resize(keys.len(), 0);
        for &key in &*keys {
            let place = &mut self.places[bucket_of(key)];
            self.scratch[*place as usize] = key;
            *place += 1;
        }
        std::mem::swap(keys, &mut self.scratch);
        if most > CROWD {
            self.sort_crowds(keys);
        }
        sort_by_insertion(keys);
    }

    /// Timers that wait for the same tick fire together.
    fn sort_crowds(&self, keys: &mut [u128]) {
        let mut start = 0;
        for &end in &self.places {
            if end - start > CROWD {
                keys[start as usize..end as usize].sort_unstable();
            }
            start = end;
        }
    }
}

/// For keys that are near their places.
fn sort_by_insertion(keys: &mut [u128]) {
    for at in 1..keys.len() {
        let key = keys[at];
        let mut hole = at;
        while hole > 0 && keys[hole - 1] > key {
            keys[hole] = keys[hole - 1];
            hole -= 1;
        }
        keys[hole] = key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairlane_engine::Streams;

    #[test]
    fn sorts_as_any_other_sort() {
        let mut random = Streams::new(1).stream("order test", 0);
        let mut sorter = Sorter::default();
        for span_ns in [1_u64, 2, 1000, 31_000_000, 1_000_000_000] {
            for count in [0, 1, 2, 3, 100, 5000] {
                // Spread evenly; crowded at one time; all at the same time.
                for most_ns in [span_ns, span_ns.div_ceil(1000), 1] {
                    let key = |number: u64, ns: u64| {
                        u128::from(ns) << 96 | u128::from(number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
                    };
                    let mut keys: Vec<u128> = (0..count).map(|number| key(number, random.below(most_ns))).collect();
                    let mut expected = keys.clone();
                    expected.sort();
                    sorter.sort(&mut keys, span_ns);
                    assert_eq!(keys, expected);
                }
            }
        }
    }
}
