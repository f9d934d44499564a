//! The queue of pending events, ordered by (time, component).

/// Identifies the component that acts at an event; the owner of the number space gives it meaning.
pub type ComponentId = u32;

const ARITY: usize = 4;

/// Pending events in total order.
///
/// Most events of a run belong to a few components (links), while thousands of others (timers) usually move on before
/// they expire. Components below a limit are therefore kept apart: each of the first few has a slot for its earliest
/// event, and slots are compared one by one; all their other events have a small heap of their own. The earliest event
/// of slots and heaps is popped first.
#[derive(Debug, Default)]
pub struct EventQueue {
    /// The time of the earliest event of each of the first frequent components; `u64::MAX` for none.
    slots: Vec<u64>,
    /// Events of frequent components without a slot, or with a full one.
    frequent: Heap,
    others: Heap,
    /// No event in the heaps is earlier. Usually a slot's event is, and the heaps need not be examined.
    heaps_bound_ns: u64,
    /// Components below this number are frequent.
    frequent_below: ComponentId,
    now_ns: u64,
}

/// Every pop examines every slot, so there must be few.
const MOST_SLOTS: ComponentId = 8;

impl EventQueue {
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a queue in which components below `frequent_below` are few and act often. The order of events is the
    /// same.
    pub fn with_frequent(frequent_below: ComponentId) -> Self {
        Self { slots: vec![u64::MAX; frequent_below.min(MOST_SLOTS) as usize], frequent_below, ..Self::default() }
    }

    /// Adds an event. Panics if `time_ns` is before the last popped event: time never runs backwards.
    #[inline]
    pub fn schedule(&mut self, time_ns: u64, component: ComponentId) {
        assert!(
            time_ns >= self.now_ns,
            "event for component {component} at {time_ns} ns lies before now, {} ns",
            self.now_ns
        );
        if let Some(slot_ns) = self.slots.get_mut(component as usize) {
            if *slot_ns == u64::MAX {
                *slot_ns = time_ns;
            } else {
                let later_ns = time_ns.max(*slot_ns);
                *slot_ns = time_ns.min(*slot_ns);
                self.push(later_ns, component);
            }
        } else {
            self.push(time_ns, component);
        }
    }

    #[inline]
    fn push(&mut self, time_ns: u64, component: ComponentId) {
        self.heaps_bound_ns = self.heaps_bound_ns.min(time_ns);
        let heap = if component < self.frequent_below { &mut self.frequent } else { &mut self.others };
        heap.push(key_of(time_ns, component));
    }

    /// Removes the earliest event: its time and its component.
    #[inline]
    pub fn pop(&mut self) -> Option<(u64, ComponentId)> {
        let (slot_ns, slot) = self.earliest_slot();
        if slot_ns < self.heaps_bound_ns {
            return Some(self.take_slot(slot_ns, slot));
        }
        self.pop_of_all(slot_ns, slot)
    }

    /// Removes the earliest event of the heaps and of the given slot, the earliest of the slots.
    #[inline(never)]
    fn pop_of_all(&mut self, slot_ns: u64, slot: ComponentId) -> Option<(u64, ComponentId)> {
        let (frequent, other) = (self.frequent.least(), self.others.least());
        let heaps = frequent.min(other);
        // Even if it is taken: the hole that it leaves is not filled before the next pop.
        self.heaps_bound_ns = time_of(heaps);
        // Events with the same key are the same, so it does not matter which one is removed.
        if key_of(slot_ns, slot) <= heaps {
            return (slot_ns != u64::MAX).then(|| self.take_slot(slot_ns, slot));
        }
        if frequent < other {
            self.frequent.take();
        } else {
            self.others.take();
        }
        self.now_ns = time_of(heaps);
        Some((self.now_ns, heaps as ComponentId))
    }

    #[inline]
    fn take_slot(&mut self, slot_ns: u64, slot: ComponentId) -> (u64, ComponentId) {
        self.slots[slot as usize] = u64::MAX;
        self.now_ns = slot_ns;
        (slot_ns, slot)
    }

    /// The earliest event in the slots; without one the time is `u64::MAX`, after every other event.
    #[inline]
    fn earliest_slot(&self) -> (u64, ComponentId) {
        let mut earliest = (u64::MAX, ComponentId::MAX);
        for (slot, &slot_ns) in (0..).zip(&self.slots) {
            if slot_ns < earliest.0 {
                earliest = (slot_ns, slot);
            }
        }
        earliest
    }

    /// The time of the earliest event, if there is one.
    pub fn next_time_ns(&mut self) -> Option<u64> {
        self.earliest().map(|(time_ns, _)| time_ns)
    }

    /// The component of the earliest infrequent event, if known without a search. A hint for prefetching.
    #[inline]
    pub fn next_infrequent(&self) -> Option<ComponentId> {
        let heap = &self.others;
        heap.keys.first().filter(|_| !heap.root_is_hole).map(|&key| key as ComponentId)
    }

    /// The earliest event, without removing it.
    pub fn earliest(&mut self) -> Option<(u64, ComponentId)> {
        let (slot_ns, slot) = self.earliest_slot();
        let least = key_of(slot_ns, slot).min(self.frequent.least()).min(self.others.least());
        (time_of(least) != u64::MAX).then_some((time_of(least), least as ComponentId))
    }

    /// All pending events, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (u64, ComponentId)> + '_ {
        let slots = (0..).zip(&self.slots).filter(|&(_, &slot_ns)| slot_ns != u64::MAX);
        let slots = slots.map(|(slot, &slot_ns)| (slot_ns, slot));
        slots.chain(self.frequent.iter()).chain(self.others.iter())
    }

    /// Removes all events except those that `keep` accepts.
    pub fn retain(&mut self, mut keep: impl FnMut(u64, ComponentId) -> bool) {
        let kept: Vec<_> = self.iter().filter(|&(time_ns, component)| keep(time_ns, component)).collect();
        self.slots.fill(u64::MAX);
        (self.frequent, self.others) = Default::default();
        for (time_ns, component) in kept {
            self.schedule(time_ns, component);
        }
    }

    /// Number of pending events.
    pub fn len(&self) -> usize {
        let taken = self.slots.iter().filter(|&&slot_ns| slot_ns != u64::MAX).count();
        taken + self.frequent.len() + self.others.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Later than any event.
const NOTHING: u128 = u128::MAX;

/// One comparison of keys orders times and components.
#[inline]
fn key_of(time_ns: u64, component: ComponentId) -> u128 {
    (u128::from(time_ns) << 32) | u128::from(component)
}

#[inline]
fn time_of(key: u128) -> u64 {
    (key >> 32) as u64
}

/// A 4-ary min-heap.
///
/// It leaves a *hole* at its root after [`take`](Self::take): most handlers schedule one event in place of the one that
/// just ran, and filling the hole costs one sift instead of two.
#[derive(Debug, Default)]
struct Heap {
    /// By [`key_of`].
    keys: Vec<u128>,
    root_is_hole: bool,
}

impl Heap {
    #[inline]
    fn push(&mut self, key: u128) {
        if self.root_is_hole {
            self.root_is_hole = false;
            self.sift_down(key);
        } else {
            self.keys.push(key);
            self.sift_up(self.keys.len() - 1, key);
        }
    }

    #[inline]
    fn least(&mut self) -> u128 {
        if self.root_is_hole {
            self.fill_hole();
        }
        self.keys.first().copied().unwrap_or(NOTHING)
    }

    /// Removes the key that [`least`](Self::least) returned.
    #[inline]
    fn take(&mut self) {
        self.root_is_hole = true;
    }

    fn iter(&self) -> impl Iterator<Item = (u64, ComponentId)> + '_ {
        let keys = self.keys[usize::from(self.root_is_hole).min(self.keys.len())..].iter();
        keys.map(|&key| (time_of(key), key as ComponentId))
    }

    fn len(&self) -> usize {
        self.keys.len() - usize::from(self.root_is_hole)
    }

    #[inline]
    fn fill_hole(&mut self) {
        self.root_is_hole = false;
        let last = self.keys.pop().expect("a hole needs a slot");
        if !self.keys.is_empty() {
            self.sift_down(last);
        }
    }

    /// Puts `key` at the root and sifts it down.
    #[inline]
    fn sift_down(&mut self, key: u128) {
        let keys = &mut self.keys[..];
        let mut at = 0;
        loop {
            let first = at * ARITY + 1;
            let Some(least) = least_child(keys, first) else { break };
            if keys[least] >= key {
                break;
            }
            keys[at] = keys[least];
            at = least;
        }
        keys[at] = key;
    }

    #[inline]
    fn sift_up(&mut self, mut at: usize, key: u128) {
        while at > 0 {
            let parent = (at - 1) / ARITY;
            if self.keys[parent] <= key {
                break;
            }
            self.keys[at] = self.keys[parent];
            at = parent;
        }
        self.keys[at] = key;
    }
}

/// Index of the least child from `first` on. Which child it is cannot be predicted, so a full group is compared in
/// pairs, without branches.
#[inline]
fn least_child(keys: &[u128], first: usize) -> Option<usize> {
    if let Some(&[a, b, c, d]) = keys.get(first..first + ARITY) {
        let (left, left_key) = if b < a { (1, b) } else { (0, a) };
        let (right, right_key) = if d < c { (3, d) } else { (2, c) };
        return Some(first + if right_key < left_key { right } else { left });
    }
    let rest = keys.get(first..)?;
    (0..rest.len()).min_by_key(|&child| rest[child]).map(|child| first + child)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Streams;

    #[test]
    fn events_come_in_order_of_time_then_component() {
        let mut queue = EventQueue::new();
        for (time_ns, component) in [(5, 1), (3, 9), (5, 0), (3, 2), (4, 4)] {
            queue.schedule(time_ns, component);
        }
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(order, [(3, 2), (3, 9), (4, 4), (5, 0), (5, 1)]);
    }

    #[test]
    fn agrees_with_a_sorted_list_under_a_random_load() {
        for frequent_below in [0, 3, 8, 20] {
            check_a_random_load(EventQueue::with_frequent(frequent_below));
        }
    }

    fn check_a_random_load(mut queue: EventQueue) {
        let mut random = Streams::new(1).stream("event queue test", 0);
        let mut list = Vec::new();
        let mut now_ns = 0;
        for _ in 0..20_000 {
            if random.below(2) == 0 || list.is_empty() {
                let event = (now_ns + random.below(50), random.below(24) as ComponentId);
                queue.schedule(event.0, event.1);
                list.push(event);
            } else {
                list.sort_unstable();
                let expected = list.remove(0);
                assert_eq!(queue.pop(), Some(expected));
                now_ns = expected.0;
            }
            assert_eq!(queue.len(), list.len());
        }
    }

    #[test]
    fn the_next_infrequent_event_is_known_unless_it_was_just_taken() {
        let mut queue = EventQueue::with_frequent(2);
        assert_eq!(queue.next_infrequent(), None);
        for (time_ns, component) in [(5, 1), (9, 7), (8, 4)] {
            queue.schedule(time_ns, component);
        }
        assert_eq!(queue.next_infrequent(), Some(4));
        assert_eq!((queue.pop(), queue.next_infrequent()), (Some((5, 1)), Some(4)));
        assert_eq!((queue.pop(), queue.next_infrequent()), (Some((8, 4)), None));
        queue.schedule(20, 5);
        assert_eq!(queue.next_infrequent(), Some(7));
    }

    #[test]
    fn pending_events_can_be_seen_and_chosen_under_a_random_load() {
        for frequent_below in [0, 3, 8, 20] {
            check_choices(EventQueue::with_frequent(frequent_below));
        }
    }

    /// Checks the queue after any number of events, so that it has holes and free slots at times.
    fn check_choices(mut queue: EventQueue) {
        let mut random = Streams::new(1).stream("event queue choices", 0);
        let mut list: Vec<(u64, ComponentId)> = Vec::new();
        let mut now_ns = 0;
        for _ in 0..20_000 {
            list.sort_unstable();
            match random.below(12) {
                0..=5 => {
                    let event = (now_ns + random.below(50), random.below(24) as ComponentId);
                    queue.schedule(event.0, event.1);
                    list.push(event);
                }
                6..=8 => {
                    let expected = (!list.is_empty()).then(|| list.remove(0));
                    assert_eq!(queue.pop(), expected);
                    now_ns = expected.map_or(now_ns, |(time_ns, _)| time_ns);
                }
                9 => assert_eq!(queue.earliest(), list.first().copied()),
                10 => assert_eq!(sorted(&queue), list),
                _ => {
                    let rest = random.below(7) as ComponentId;
                    let is_kept = |time_ns: u64, component: ComponentId| time_ns % 5 > 0 && component % 7 != rest;
                    queue.retain(is_kept);
                    list.retain(|&(time_ns, component)| is_kept(time_ns, component));
                }
            }
            assert_eq!(queue.len(), list.len());
        }
    }

    fn sorted(queue: &EventQueue) -> Vec<(u64, ComponentId)> {
        let mut events: Vec<_> = queue.iter().collect();
        events.sort_unstable();
        events
    }

    #[test]
    fn popped_events_are_not_pending() {
        let mut queue = EventQueue::with_frequent(2);
        for (time_ns, component) in [(5, 1), (9, 1), (7, 4), (8, 6), (6, 0)] {
            queue.schedule(time_ns, component);
        }
        assert_eq!([queue.pop(), queue.pop(), queue.pop()], [Some((5, 1)), Some((6, 0)), Some((7, 4))]);
        assert!(queue.others.root_is_hole && queue.slots == [u64::MAX; 2]);
        assert_eq!(sorted(&queue), [(8, 6), (9, 1)]);
        queue.retain(|_, component| component == 1);
        assert_eq!((queue.earliest(), queue.len()), (Some((9, 1)), 1));
        assert_eq!((queue.pop(), queue.pop()), (Some((9, 1)), None));
    }

    #[test]
    fn the_earliest_event_stays() {
        let mut queue = EventQueue::with_frequent(10);
        assert_eq!(queue.earliest(), None);
        // One in a slot, one of a frequent component without a slot, one of another.
        for (time_ns, component) in [(5, 20), (5, 9), (5, 3)] {
            queue.schedule(time_ns, component);
            assert_eq!(queue.earliest(), Some((time_ns, component)));
            assert_eq!(queue.earliest(), Some((time_ns, component)));
        }
        assert_eq!(queue.len(), 3);
        assert_eq!(queue.pop(), Some((5, 3)));
        assert_eq!(queue.earliest(), Some((5, 9)));
    }

    #[test]
    fn nothing_may_be_kept() {
        let mut queue = EventQueue::with_frequent(1);
        for (time_ns, component) in [(5, 0), (6, 0), (7, 1)] {
            queue.schedule(time_ns, component);
        }
        queue.retain(|_, _| false);
        assert!(queue.is_empty());
        assert!(sorted(&queue).is_empty());
        assert_eq!((queue.earliest(), queue.pop()), (None, None));
        queue.schedule(4, 1);
        assert_eq!(queue.pop(), Some((4, 1)));
    }

    #[test]
    #[should_panic(expected = "lies before now")]
    fn the_past_is_refused() {
        let mut queue = EventQueue::new();
        queue.schedule(10, 0);
        queue.pop();
        queue.schedule(9, 0);
    }
}
