//! Several threads that run the parts of lookahead windows together.
//!
//! A window has three phases: sections of the network deliver packets, groups of flows run their hosts, sections enqueue
//! what these sent. The parts of a phase are independent of each other and become tasks. Each thread has tasks of its own,
//! always the same, whose memory stays in its processor's caches: to fetch memory that another processor has changed takes
//! five times as long as to fetch it from their common cache. A thread that has waited for a while takes tasks that others
//! have not begun, so that one which the system has stopped delays the run by a task. Which thread runs a task changes no
//! result.
//!
//! Phases are as short as some 10 us. A sleeping thread would need about as long to wake up, so waiting threads poll, and
//! yield the processor after a while.

use super::shard::{run_hosts, Shard, Window};
use super::{Clock, CrossSources};
use crate::address::AddressPlan;
use crate::flow::Hosts;
use fairlane_network::{Arrival, Outbox, Section};
use fairlane_transport::Transport;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// A section with the packets that it delivers in the present window.
pub(super) struct SectionWork<'a, D> {
    pub section: Section<'a, D>,
    /// By group of flows.
    pub inboxes: &'a mut [Vec<Arrival>],
    /// Paths of packets of cross traffic.
    pub others: Vec<u32>,
}

/// A group of flows with its hosts.
pub(super) struct GroupWork<'a, T: Transport> {
    pub shard: &'a mut Shard<T::Datagram>,
    pub hosts: Vec<&'a mut Hosts<T>>,
    /// The first group runs the sources of cross traffic as well.
    pub cross: Option<CrossSources<'a>>,
}

/// The work that threads share. Locks are never contended: tasks of one phase write different parts.
pub(super) struct Crew<'a, T: Transport> {
    pub sections: Vec<RwLock<SectionWork<'a, T::Datagram>>>,
    pub groups: Vec<Mutex<GroupWork<'a, T>>>,
    /// By group.
    pub outboxes: Vec<RwLock<&'a mut Outbox<T::Datagram>>>,
    /// The group of each flow.
    pub shard_of: &'a [u16],
    /// All but its end, which is in `end_ns`.
    pub window: Window<'a>,
    start_ns: AtomicU64,
    end_ns: AtomicU64,
    limit_ns: u64,
    threads: usize,
    /// Number of the present phase; [`NO_PHASE`] before the first.
    phase: AtomicU64,
    /// By task: number of the phases in which somebody has begun it, the present one included.
    begun: Vec<AtomicU64>,
    /// Tasks of the phase that are done.
    done: AtomicU64,
    is_over: AtomicBool,
    has_failed: AtomicBool,
}

const NO_PHASE: u64 = u64::MAX;
/// Polls before a waiting thread looks for tasks of others and yields its processor, some 20 us.
const POLLS: u32 = 1_000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Deliver,
    RunHosts,
    EndWindow,
}

impl Phase {
    const ALL: [Self; 3] = [Self::Deliver, Self::RunHosts, Self::EndWindow];

    fn numbered(number: u64) -> Self {
        Self::ALL[(number % 3) as usize]
    }
}

impl<'a, T> Crew<'a, T>
where
    T: Transport + Send,
    T::Datagram: Send + Sync,
{
    pub fn new(
        sections: Vec<SectionWork<'a, T::Datagram>>,
        groups: Vec<GroupWork<'a, T>>,
        outboxes: &'a mut [Outbox<T::Datagram>],
        shard_of: &'a [u16],
        window: Window<'a>,
        limit_ns: u64,
    ) -> Self {
        let tasks = sections.len().max(groups.len());
        Self {
            threads: 1,
            phase: AtomicU64::new(NO_PHASE),
            begun: (0..tasks).map(|_| AtomicU64::new(0)).collect(),
            sections: sections.into_iter().map(RwLock::new).collect(),
            groups: groups.into_iter().map(Mutex::new).collect(),
            outboxes: outboxes.iter_mut().map(RwLock::new).collect(),
            shard_of,
            window,
            start_ns: AtomicU64::new(0),
            end_ns: AtomicU64::new(0),
            limit_ns,
            done: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
            has_failed: AtomicBool::new(false),
        }
    }

    /// Runs windows until `limit_ns` on `threads` threads, the present one among them.
    pub fn run(&mut self, clock: &mut Clock, threads: usize) {
        self.threads = threads;
        let this = &*self;
        this.run_on_threads(clock);
    }

    fn run_on_threads(&self, clock: &mut Clock) {
        std::thread::scope(|scope| {
            let _end = End(self);
            for thread in 1..self.threads {
                scope.spawn(move || self.help(thread));
            }
            let mut number = 0;
            while clock.start_ns < self.limit_ns {
                let end_ns = clock.next_end_ns(self.limit_ns);
                self.start_ns.store(clock.start_ns, Ordering::Relaxed);
                self.end_ns.store(end_ns, Ordering::Relaxed);
                for _ in Phase::ALL {
                    self.run_phase(number);
                    number += 1;
                }
                let packets = self.groups.iter().map(|group| lock(group).shard.packets()).sum();
                clock.advance(end_ns, packets, self.window.routes.horizon_ns(end_ns, self.limit_ns));
            }
        });
    }

    /// Publishes a phase, does its tasks with the others, and waits until all are done.
    fn run_phase(&self, number: u64) {
        self.done.store(0, Ordering::Relaxed);
        self.phase.store(number, Ordering::Release);
        self.do_own_tasks(number, 0);
        let mut polls = 0;
        while self.done.load(Ordering::Acquire) < self.tasks(number) as u64 {
            assert!(!self.has_failed.load(Ordering::Relaxed), "another thread of the run has failed");
            self.wait(number, &mut polls);
        }
    }

    /// Does tasks until the run is over.
    fn help(&self, thread: usize) {
        let _failure = Failure(&self.has_failed);
        let mut last = NO_PHASE;
        loop {
            let mut polls = 0;
            while self.phase.load(Ordering::Acquire) == last {
                if self.is_over.load(Ordering::Relaxed) {
                    return;
                }
                self.wait(last, &mut polls);
            }
            last = self.phase.load(Ordering::Acquire);
            self.do_own_tasks(last, thread);
        }
    }

    /// Waits for a moment, or does tasks that others have not begun.
    fn wait(&self, number: u64, polls: &mut u32) {
        *polls += 1;
        if *polls < POLLS {
            return std::hint::spin_loop();
        }
        if *polls == POLLS && number != NO_PHASE {
            (0..self.tasks(number)).rev().for_each(|task| self.try_task(number, task));
        }
        std::thread::yield_now();
    }

    fn do_own_tasks(&self, number: u64, thread: usize) {
        let tasks = self.tasks(number);
        let first_of = |thread: usize| (thread * tasks).div_ceil(self.threads);
        (first_of(thread)..first_of(thread + 1)).for_each(|task| self.try_task(number, task));
    }

    /// Does a task unless somebody has begun it.
    fn try_task(&self, number: u64, task: usize) {
        let before = self.begun[task].load(Ordering::Relaxed);
        // A thread that was stopped comes back to a phase that is over: all its tasks have been begun.
        if before > number
            || self.begun[task].compare_exchange(before, number + 1, Ordering::AcqRel, Ordering::Relaxed).is_err()
        {
            return;
        }
        match Phase::numbered(number) {
            Phase::Deliver => self.deliver(task),
            Phase::RunHosts => self.run_hosts(task),
            Phase::EndWindow => self.end_window(task),
        }
        self.done.fetch_add(1, Ordering::Release);
    }

    fn tasks(&self, number: u64) -> usize {
        match Phase::numbered(number) {
            Phase::RunHosts => self.groups.len(),
            Phase::Deliver | Phase::EndWindow => self.sections.len(),
        }
    }

    fn deliver(&self, section: usize) {
        let work = &mut *write(&self.sections[section]);
        let (inboxes, others) = (&mut *work.inboxes, &mut work.others);
        inboxes.iter_mut().for_each(Vec::clear);
        others.clear();
        work.section.deliver(self.end_ns.load(Ordering::Relaxed), |arrival| {
            match self.shard_of.get(AddressPlan::end_of(arrival.path).0 as usize) {
                Some(&shard) => inboxes[shard as usize].push(arrival),
                None => others.push(arrival.path),
            }
        });
    }

    fn run_hosts(&self, group: usize) {
        let sections: Vec<_> = self.sections.iter().map(read).collect();
        let outbox = &mut **write(&self.outboxes[group]);
        let GroupWork { shard, hosts, cross } = &mut *lock(&self.groups[group]);
        let window = Window { end_ns: self.end_ns.load(Ordering::Relaxed), ..self.window };
        shard.begin_window();
        for section in &sections {
            let mut last = None;
            for arrival in &section.inboxes[group] {
                let delivered = match last {
                    Some((link, delivered)) if link == arrival.link => delivered,
                    _ => section.section.delivery().by(arrival.link),
                };
                delivered.prefetch(arrival);
                last = Some((arrival.link, delivered));
                shard.receive(*arrival);
            }
        }
        shard.sort_arrivals(window.end_ns);
        outbox.begin_window(self.start_ns.load(Ordering::Relaxed));
        run_hosts(&window, shard, &mut hosts[..], outbox, |link| {
            sections[window.routes.section_of(link)].section.delivery().by(link)
        });
        if let Some(cross) = cross {
            sections.iter().flat_map(|section| &section.others).for_each(|&path| cross.receive(&window, path, shard));
            cross.send(&window, outbox, shard);
        }
    }

    fn end_window(&self, section: usize) {
        let outboxes: Vec<_> = self.outboxes.iter().map(read).collect();
        let outboxes: Vec<_> = outboxes.iter().map(|outbox| &***outbox).collect();
        let (start_ns, end_ns) = (self.start_ns.load(Ordering::Relaxed), self.end_ns.load(Ordering::Relaxed));
        write(&self.sections[section]).section.end_window(&outboxes, (start_ns, end_ns, self.limit_ns));
    }
}

/// Tells the other threads that the run is over, or that this thread has failed.
struct End<'a, 'b, T: Transport>(&'a Crew<'b, T>);

impl<T: Transport> Drop for End<'_, '_, T> {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::Relaxed);
    }
}

/// Tells the first thread that this one has failed.
struct Failure<'a>(&'a AtomicBool);

impl Drop for Failure<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

fn lock<W>(lock: &Mutex<W>) -> MutexGuard<'_, W> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read<W>(lock: &RwLock<W>) -> RwLockReadGuard<'_, W> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<W>(lock: &RwLock<W>) -> RwLockWriteGuard<'_, W> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}
