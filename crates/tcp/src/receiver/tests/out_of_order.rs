//! The queue of ranges.

use super::super::out_of_order::{OutOfOrderQueue, Range};

fn range(start: u64, end: u64) -> Range {
    Range { start, end }
}

fn queue(ranges: &[(u64, u64)]) -> OutOfOrderQueue {
    let mut queue = OutOfOrderQueue::new();
    for &(start, end) in ranges {
        assert_eq!(queue.insert(range(start, end), 100), None);
    }
    queue
}

fn contents(queue: &OutOfOrderQueue) -> Vec<(u64, u64)> {
    queue.ranges().map(|range| (range.start, range.end)).collect()
}

#[test]
fn ranges_stay_sorted_and_merge_when_they_touch() {
    let mut queue = queue(&[(10, 20), (20, 30), (50, 60), (80, 90), (40, 45)]);
    assert_eq!(contents(&queue), [(10, 30), (40, 45), (50, 60), (80, 90)]);
    assert_eq!(queue.insert(range(45, 50), 100), None);
    assert_eq!(contents(&queue), [(10, 30), (40, 60), (80, 90)]);
    assert_eq!((queue.bytes(), queue.memory_bytes()), (50, 600));
}

#[test]
fn the_lowest_overlap_is_returned_and_only_new_bytes_need_memory() {
    let mut queue = queue(&[(10, 20), (30, 40)]);
    assert_eq!(queue.insert(range(12, 18), 100), Some(range(12, 18)));
    assert_eq!(queue.memory_bytes(), 200);
    assert_eq!(queue.insert(range(15, 35), 100), Some(range(15, 20)));
    assert_eq!(contents(&queue), [(10, 40)]);
    assert_eq!((queue.bytes(), queue.memory_bytes()), (30, 300));
    assert_eq!(queue.insert(range(5, 60), 100), Some(range(10, 40)));
    assert_eq!(contents(&queue), [(5, 60)]);
}

#[test]
fn an_advance_removes_contiguous_data_and_its_memory() {
    let mut queue = queue(&[(10, 20), (30, 40), (50, 60)]);
    assert_eq!(queue.advance(5), (5, 0, None));
    assert_eq!(queue.advance(10), (20, 100, None));
    assert_eq!(queue.advance(35), (40, 100, Some(range(30, 35))));
    assert_eq!(queue.advance(70), (70, 100, Some(range(50, 60))));
    assert!(queue.is_empty());
    assert_eq!(queue.memory_bytes(), 0);
}

#[test]
fn the_highest_data_is_dropped_first_but_not_below_the_floor() {
    let mut queue = queue(&[(10, 20), (30, 50), (60, 80)]);
    assert!(queue.drop_highest(40, 150, 5), "half of the memory, 25 of 50 bytes");
    assert_eq!(contents(&queue), [(10, 20), (30, 45)]);
    assert!(queue.drop_highest(40, 150, 5));
    assert_eq!(contents(&queue), [(10, 20), (30, 40)]);
    assert!(!queue.drop_highest(40, 150, 5));
}
