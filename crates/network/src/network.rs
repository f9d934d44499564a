//! Links joined into paths, and the way of a packet along them.
//!
//! Each link has one component of the event queue, its own index; the components from
//! [`component_count`](Network::component_count) on belong to others.

use std::collections::BTreeMap;

use fairlane_engine::{EventQueue, Streams};

use crate::link::{DisciplineStore, FifoRing, Link};
use crate::queue::{QueueDiscipline, QueueSetup};
use crate::{ConfigError, LinkConfig, LinkStats, Packet};

/// All links of a scenario and the paths that lead through them.
pub struct Network<P> {
    links: Vec<AnyLink<P>>,
    /// The links of all routes, one route after the other, with `END` behind each. Paths through the same links share
    /// a route: thousands of flows then read the same few entries.
    hops: Vec<u32>,
    /// Where in `hops` a path's route begins.
    route_starts: Vec<u32>,
}

enum AnyLink<P> {
    /// Nothing ever holds a packet here: it is counted and goes on.
    Instant {
        packets: u64,
        bytes: u64,
        overhead_bytes: u32,
    },
    Fifo(Link<P, FifoRing<P>>),
    Queued(Link<P, DisciplineStore<P>>),
}

impl<P: Copy> AnyLink<P> {
    /// The packet that its event gave last.
    #[inline]
    fn landed(&self) -> &Packet<P> {
        match self {
            AnyLink::Fifo(link) => link.landed(),
            AnyLink::Queued(link) => link.landed(),
            AnyLink::Instant { .. } => unreachable!("an instant link has no events"),
        }
    }
}

impl<P: Copy> Network<P> {
    /// Builds the network; a path lists its links by their index in `links`. The kernel's timers tick 1000 times a second.
    pub fn new(links: &[LinkConfig], paths: Vec<Vec<u32>>, streams: &Streams) -> Result<Self, ConfigError> {
        Self::ticking(links, paths, streams, DEFAULT_TICKS_PER_S)
    }

    /// As [`new`](Self::new), for routers whose kernels were built with another HZ, by which the timers of some queues
    /// go.
    pub fn ticking(
        links: &[LinkConfig],
        paths: Vec<Vec<u32>>,
        streams: &Streams,
        ticks_per_s: u32,
    ) -> Result<Self, ConfigError> {
        let mut link = 0..;
        Self::with_disciplines(links, paths, streams, |config| {
            let setup = QueueSetup {
                mtu_frame_bytes: config.mtu_frame_bytes(),
                ticks_per_s,
                is_token_bucket: config.burst_bytes.is_some(),
                streams,
                link: link.next().expect("numbers do not end"),
            };
            config.queue.discipline(&setup)
        })
    }

    /// As [`new`](Self::new), with a queue discipline of one's own for every link for which `discipline` gives one; the
    /// others have a FIFO. It is asked for all links in order.
    pub fn with_disciplines(
        links: &[LinkConfig],
        paths: Vec<Vec<u32>>,
        streams: &Streams,
        mut discipline: impl FnMut(&LinkConfig) -> Option<Box<dyn QueueDiscipline>>,
    ) -> Result<Self, ConfigError> {
        for link in links {
            link.validate()?;
        }
        check_paths(&paths, links.len())?;
        let must_deliver = ends_of_instant_paths(links, &paths);
        let links = links.iter().zip(0..).map(|(config, index)| {
            if let Some(discipline) = discipline(config) {
                return AnyLink::Queued(Link::new(config, index, streams, DisciplineStore::new(discipline)));
            }
            if config.is_instant() && !must_deliver.contains(&index) {
                return AnyLink::Instant { packets: 0, bytes: 0, overhead_bytes: config.frame_overhead_bytes() };
            }
            AnyLink::Fifo(Link::new(config, index, streams, FifoRing::new(config)))
        });
        let links = links.collect();
        let (mut hops, mut known) = (Vec::new(), BTreeMap::new());
        let route_starts = paths.into_iter().map(|path| {
            *known.entry(path).or_insert_with_key(|path| {
                let start = hops.len() as u32;
                hops.extend(path);
                hops.push(END);
                start
            })
        });
        let route_starts = route_starts.collect();
        Ok(Self { links, hops, route_starts })
    }

    /// Sends a packet into the first link of its path.
    #[inline]
    pub fn send(&mut self, now_ns: u64, packet: Packet<P>, events: &mut EventQueue) {
        let is_on_its_way = self.forward(now_ns, &packet, 0, events);
        debug_assert!(is_on_its_way, "every path has a link that delivers by an event");
    }

    /// Lets a link act whose event is due. Gives the packet that reached the end of its path, if one did; it stays
    /// where it is, because a copy of its size costs as much as the rest of the way.
    #[inline]
    pub fn on_event(&mut self, now_ns: u64, component: u32, events: &mut EventQueue) -> Option<&Packet<P>> {
        let packet = match &mut self.links[component as usize] {
            AnyLink::Fifo(link) => link.on_event(now_ns, events)?,
            AnyLink::Queued(link) => link.on_event_out_of_line(now_ns, events)?,
            AnyLink::Instant { .. } => unreachable!("an instant link has no events"),
        };
        let hop = packet.hop + 1;
        let next = self.route_starts[packet.path as usize] + u32::from(hop);
        if self.hops[next as usize] != END {
            let packet = *packet;
            if self.forward(now_ns, &packet, hop, events) {
                return None;
            }
        }
        Some(self.links[component as usize].landed())
    }

    /// The path of the packet that lands on a link after `ahead` others, if that is known: so that its host can be ready.
    #[inline]
    pub fn coming(&self, component: u32, ahead: u64) -> Option<u32> {
        match &self.links[component as usize] {
            AnyLink::Fifo(link) => link.coming(ahead),
            AnyLink::Queued(link) => link.coming(ahead),
            AnyLink::Instant { .. } => None,
        }
    }

    /// How many components of the event queue the network uses, from 0 on.
    pub fn component_count(&self) -> u32 {
        self.links.len() as u32
    }

    /// The counters of a link at `now_ns`, which must be the present or the end of the run.
    pub fn link_stats(&mut self, link: u32, now_ns: u64) -> LinkStats {
        match &mut self.links[link as usize] {
            AnyLink::Fifo(link) => link.stats(now_ns),
            AnyLink::Queued(link) => link.stats(now_ns),
            AnyLink::Instant { packets, bytes, .. } => LinkStats {
                enqueued_packets: *packets,
                enqueued_bytes: *bytes,
                transmitted_packets: *packets,
                transmitted_bytes: *bytes,
                delivered_packets: *packets,
                delivered_bytes: *bytes,
                ..LinkStats::default()
            },
        }
    }

    /// Packets of a path that links dropped or lost so far.
    pub fn lost_packets(&self, path: u32) -> u64 {
        let route = self.hops[self.route_starts[path as usize] as usize..].iter().take_while(|&&link| link != END);
        let links = route.map(|&link| &self.links[link as usize]);
        links
            .map(|link| match link {
                AnyLink::Fifo(link) => link.lost_of_path(path),
                AnyLink::Queued(link) => link.lost_of_path(path),
                AnyLink::Instant { .. } => 0,
            })
            .sum()
    }

    /// The waiting time in a link's queue that the given share (0 to 1) of its packets did not exceed; see [`Delays`].
    pub fn queue_delay_quantile_ns(&self, link: u32, share: f64) -> Option<f64> {
        match &self.links[link as usize] {
            AnyLink::Fifo(link) => link.delays().quantile_ns(share),
            AnyLink::Queued(link) => link.delays().quantile_ns(share),
            AnyLink::Instant { .. } => None,
        }
    }

    /// The longest backlog and the delays' distribution are looked for anew from here.
    pub fn restart_maxima(&mut self, link: u32) {
        match &mut self.links[link as usize] {
            AnyLink::Fifo(link) => link.restart_maxima(),
            AnyLink::Queued(link) => link.restart_maxima(),
            AnyLink::Instant { .. } => {}
        }
    }

    /// Puts the packet into the link number `hop` of its path; false when the path ends before a link holds it.
    #[inline]
    fn forward(&mut self, now_ns: u64, packet: &Packet<P>, mut hop: u16, events: &mut EventQueue) -> bool {
        let mut at = (self.route_starts[packet.path as usize] + u32::from(hop)) as usize;
        while self.hops[at] != END {
            match &mut self.links[self.hops[at] as usize] {
                AnyLink::Fifo(link) => {
                    link.send(now_ns, packet, hop, events);
                    return true;
                }
                AnyLink::Queued(link) => {
                    link.send_out_of_line(now_ns, packet, hop, events);
                    return true;
                }
                AnyLink::Instant { packets, bytes, overhead_bytes } => {
                    *packets += 1;
                    *bytes += u64::from(packet.ip_bytes + *overhead_bytes);
                }
            }
            hop += 1;
            at += 1;
        }
        false
    }
}

fn check_paths(paths: &[Vec<u32>], links: usize) -> Result<(), ConfigError> {
    for (path, hops) in paths.iter().enumerate() {
        if hops.is_empty() {
            return Err(ConfigError::EmptyPath { path });
        }
        if hops.len() > MAX_PATH_LINKS {
            return Err(ConfigError::PathTooLong { path, links: hops.len(), max: MAX_PATH_LINKS });
        }
        if let Some(&link) = hops.iter().find(|&&link| link as usize >= links) {
            return Err(ConfigError::UnknownLink { path, link, links });
        }
    }
    Ok(())
}

/// [`Network::send`] cannot hand a packet out, so a path all of whose links are instant needs an event at its end: its
/// last link then is a common one without rate and delay.
fn ends_of_instant_paths(links: &[LinkConfig], paths: &[Vec<u32>]) -> Vec<u32> {
    let is_instant = |path: &&Vec<u32>| path.iter().all(|&link| links[link as usize].is_instant());
    paths.iter().filter(is_instant).filter_map(|path| path.last().copied()).collect()
}

/// No link has this number.
const END: u32 = u32::MAX;
/// Far more than any experiment needs, and a hop count still fits its 16 bits.
const MAX_PATH_LINKS: usize = 1_000;
const DEFAULT_TICKS_PER_S: u32 = 1_000;
