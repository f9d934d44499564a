//! One event popped and one scheduled, with few and with many pending.

use criterion::{criterion_group, criterion_main, BenchmarkId, Criterion};
use fairlane_engine::{EventQueue, Streams};

fn pop_and_schedule(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pop and schedule");
    for pending in [4_u32, 40, 500, 5_000] {
        group.bench_function(BenchmarkId::from_parameter(pending), |bencher| {
            let mut random = Streams::new(1).stream("bench", 0);
            let mut events = EventQueue::new();
            for component in 0..pending {
                events.schedule(random.below(1_000_000), component);
            }
            bencher.iter(|| {
                let (now_ns, component) = events.pop().expect("events are pending");
                events.schedule(now_ns + random.below(1_000_000), component);
            });
        });
    }
    group.finish();
}

criterion_group!(benches, pop_and_schedule);
criterion_main!(benches);
