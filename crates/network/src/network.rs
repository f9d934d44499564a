//! Media joined into a network, and the way of packets along their paths.
//!
//! Each medium has one component of the event queue: the network's components are numbered from 0 in the order of the
//! media, and those from [`component_count`](Network::component_count) on have other owners. Only this file translates
//! between components, media and stations.

use std::collections::BTreeMap;

use fairlane_engine::{ComponentId, EventQueue, Streams};

use crate::any_medium::{check_medium, each_link, AnyMedium};
use crate::half_duplex::HalfDuplex;
use crate::link::{check_link, is_instant, HostDevice, InstantLink, Link, LiveChange, Refusal};
use crate::medium::{Medium, MediumId, StationId};
use crate::packet::{Packet, ReadAcknowledgement};
use crate::packet_log::PacketLog;
use crate::queue::{self, Fifo, QueueDiscipline, QueueSetup};
use crate::statistics::{AccessRecord, StationStats};
use crate::store::{DisciplineStore, FifoRing};
use crate::wifi::Wifi;
use fairlane_contract::{LinkConfig, MediumConfig, Path, Problem};

/// All media of a scenario and the paths that lead through them.
pub struct Network<P> {
    pub(crate) media: Vec<AnyMedium<P>>,
    /// By station.
    medium_of: Vec<MediumId>,
    /// The hops of all routes, one route after the other, each followed by `END`. Paths through the same stations share
    /// a route, so that thousands of flows read the same few entries.
    pub(crate) hops: Vec<Hop>,
    /// By path: index of its route in `hops`.
    pub(crate) route_starts: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hop {
    pub(crate) medium: MediumId,
    station: StationId,
}

impl<P: Copy> Network<P> {
    /// Creates a network of links only; stations are numbered as `links`. The kernel's timers tick 1000 times a second.
    pub fn new(links: &[LinkConfig], paths: Vec<Vec<StationId>>, streams: &Streams) -> Result<Self, Problem> {
        Self::with_media(links, &[], paths, streams, DEFAULT_TICKS_PER_S)
    }

    /// Creates a network of links and shared media. The stations of the media are numbered after the links, one medium
    /// after the other. Some queues use timers of the routers' kernels, built with HZ = `ticks_per_s`.
    pub fn with_media(
        links: &[LinkConfig],
        shared: &[MediumConfig],
        paths: Vec<Vec<StationId>>,
        streams: &Streams,
        ticks_per_s: u32,
    ) -> Result<Self, Problem> {
        Self::with_host_devices(links, shared, paths, streams, ticks_per_s, &[])
    }

    /// Creates a network in which `devices` are interfaces of hosts (links, or queues of a Wi-Fi cell). They report
    /// packets that leave them ([`take_departed`](Self::take_departed)).
    pub fn with_host_devices(
        links: &[LinkConfig],
        shared: &[MediumConfig],
        paths: Vec<Vec<StationId>>,
        streams: &Streams,
        ticks_per_s: u32,
        devices: &[StationId],
    ) -> Result<Self, Problem> {
        let mut link = 0..;
        let mut network = Self::links(links, &paths, streams, devices, |config| {
            let setup = QueueSetup {
                mtu_frame_bytes: config.mtu_frame_bytes(),
                overhead_bytes: config.frame_overhead_bytes(),
                ticks_per_s,
                is_token_bucket: config.burst_bytes.is_some(),
                streams,
                stream_index: link.next().expect("numbers do not end"),
            };
            queue::discipline(&config.queue, &setup)
        })?;
        for (number, config) in (0..).zip(shared) {
            let in_medium = |problem: Problem| problem.under(Path::from("media").index(number as usize));
            check_medium(config).map_err(in_medium)?;
            let medium = MediumId(network.media.len() as u32);
            let first_station = StationId(network.medium_of.len() as u32);
            network.media.push(match config {
                MediumConfig::HalfDuplex(channel) => {
                    let channel = HalfDuplex::new(channel, number, first_station, medium.0, streams, ticks_per_s);
                    AnyMedium::HalfDuplex(channel)
                }
                MediumConfig::Wifi(cell) => {
                    let queues = first_station.0..first_station.0 + 2 * cell.stations.len() as u32;
                    let reporting: Vec<StationId> =
                        devices.iter().copied().filter(|device| queues.contains(&device.0)).collect();
                    let place = (first_station, medium.0);
                    let cell = Wifi::new(cell, number, place, streams, ticks_per_s, &reporting);
                    AnyMedium::Wifi(cell.map_err(in_medium)?)
                }
            });
            network.medium_of.extend(config.station_names().iter().map(|_| medium));
        }
        network.with_paths(paths)
    }

    /// As [`new`](Self::new), with a custom queue discipline for each link for which `discipline` returns one, called
    /// for all links in order; the others have a FIFO.
    pub fn with_disciplines(
        links: &[LinkConfig],
        paths: Vec<Vec<StationId>>,
        streams: &Streams,
        discipline: impl FnMut(&LinkConfig) -> Option<Box<dyn QueueDiscipline>>,
    ) -> Result<Self, Problem> {
        Self::links(links, &paths, streams, &[], discipline)?.with_paths(paths)
    }

    fn links(
        links: &[LinkConfig],
        paths: &[Vec<StationId>],
        streams: &Streams,
        devices: &[StationId],
        mut discipline: impl FnMut(&LinkConfig) -> Option<Box<dyn QueueDiscipline>>,
    ) -> Result<Self, Problem> {
        for (index, link) in links.iter().enumerate() {
            check_link(link).map_err(|problem| problem.under(Path::from("links").index(index)))?;
        }
        let must_deliver = ends_of_instant_paths(links, paths);
        let media = links.iter().zip(0..).map(|(config, index)| {
            let (station, component) = (StationId(index), index);
            if devices.contains(&station) {
                let discipline = discipline(config).unwrap_or_else(|| Box::new(Fifo::new(&config.queue)));
                return AnyMedium::HostDevice(HostDevice::new(config, station, component, streams, discipline));
            }
            if let Some(discipline) = discipline(config) {
                let store = DisciplineStore::new(discipline);
                return AnyMedium::QueuedLink(Link::new(config, station, component, streams, store));
            }
            if is_instant(config) && !must_deliver.contains(&station) {
                return AnyMedium::InstantLink(InstantLink::new(config));
            }
            AnyMedium::FifoLink(Link::new(config, station, component, streams, FifoRing::new(config)))
        });
        let media: Vec<_> = media.collect();
        let medium_of = (0..media.len() as u32).map(MediumId).collect();
        Ok(Self { media, medium_of, hops: Vec::new(), route_starts: Vec::new() })
    }

    fn with_paths(mut self, paths: Vec<Vec<StationId>>) -> Result<Self, Problem> {
        check_paths(&paths, self.medium_of.len())?;
        let (hops, medium_of, mut known) = (&mut self.hops, &self.medium_of, BTreeMap::new());
        let route_starts = paths.into_iter().map(|path| {
            *known.entry(path).or_insert_with_key(|path| {
                let start = hops.len() as u32;
                hops.extend(path.iter().map(|&station| Hop { medium: medium_of[station.0 as usize], station }));
                hops.push(END);
                start
            })
        });
        self.route_starts = route_starts.collect();
        Ok(self)
    }

    /// Shows the acknowledgements in the hosts' payload to queues that read them.
    pub fn read_acknowledgements(&mut self, read: ReadAcknowledgement<P>) {
        for medium in &mut self.media {
            match medium {
                AnyMedium::QueuedLink(link) => link.store_mut().read_acknowledgements(read),
                AnyMedium::HostDevice(device) => device.read_acknowledgements(read),
                _ => {}
            }
        }
    }

    /// Changes a link while the run goes on. `now_ns`: the present, before `change.config.at_ns`.
    ///
    /// # Errors
    /// The station is no plain link, or has nothing to change.
    pub fn change_link(
        &mut self,
        now_ns: u64,
        station: StationId,
        change: &LiveChange,
        events: &mut EventQueue,
    ) -> Result<(), Refusal> {
        each_link!(self.medium_mut(station), link => link.change(now_ns, change, events), else Err("is no plain link"))
    }

    /// Records the steps of all packets. Must come before the first one.
    pub fn record(&mut self, log: &PacketLog<P>) {
        self.media = std::mem::take(&mut self.media).into_iter().map(AnyMedium::recording).collect();
        for station in (0..self.medium_of.len() as u32).map(StationId) {
            self.medium_mut(station).record(station, log.clone());
        }
    }

    /// Sends a packet into the first medium of its path.
    #[inline]
    pub fn send(&mut self, now_ns: u64, packet: &Packet<P>, events: &mut EventQueue) {
        let is_on_its_way = self.forward(now_ns, packet, 0, events);
        debug_assert!(is_on_its_way, "every path has a medium that delivers by an event");
    }

    /// Sends one packet per item, back to back, on one path.
    #[inline]
    pub fn send_all<T>(
        &mut self,
        now_ns: u64,
        path: u32,
        items: &[T],
        mut packet_of: impl FnMut(&T) -> Packet<P>,
        events: &mut EventQueue,
    ) {
        let first = self.hops[self.route_starts[path as usize] as usize].medium;
        if let Some(AnyMedium::FifoLink(link)) = self.media.get_mut(first.0 as usize) {
            link.enqueue_all(now_ns, items, packet_of, events);
            return;
        }
        for item in items {
            self.send(now_ns, &packet_of(item), events);
        }
    }

    /// Runs a medium whose event is due. Returns the packet that reached the end of its path, if any, by reference: a
    /// copy costs as much as the rest of the hop.
    #[inline]
    pub fn on_event(&mut self, now_ns: u64, component: ComponentId, events: &mut EventQueue) -> Option<&Packet<P>> {
        let packet = self.media[component as usize].on_event(now_ns, events)?;
        let hop = packet.hop + 1;
        let next = self.route_starts[packet.path as usize] + u32::from(hop);
        if self.hops[next as usize] != END {
            let packet = *packet;
            if self.forward(now_ns, &packet, hop, events) {
                return None;
            }
        }
        Some(self.media[component as usize].delivered())
    }

    /// The paths of the packet that the medium of a component delivers next and of the three after it, for prefetching;
    /// [`NO_PATH`](crate::NO_PATH) if unknown.
    #[inline]
    pub fn upcoming_paths(&self, component: ComponentId) -> [u32; 4] {
        self.media[component as usize].upcoming_paths()
    }

    /// Appends to `into` the packets that have left a host's interface since the last call, transmitted or dropped.
    /// Must be called after each event of the network that delivers no packet.
    pub fn take_departed(&mut self, component: ComponentId, into: &mut Vec<Packet<P>>) {
        self.media[component as usize].take_departed(into);
    }

    /// Number of components of the event queue that the network uses, from 0 on.
    pub fn component_count(&self) -> u32 {
        self.media.len() as u32
    }

    /// The counters of a station at `now_ns`, which must be the present or the end of the run.
    pub fn station_stats(&mut self, station: StationId, now_ns: u64) -> StationStats {
        self.medium_mut(station).station_stats(station, now_ns)
    }

    /// Packets of a path that media have dropped or lost by `now_ns`, which must be the present or the end of the run.
    pub fn lost_packets(&mut self, path: u32, now_ns: u64) -> u64 {
        let route = self.hops[self.route_starts[path as usize] as usize..].iter().take_while(|&&hop| hop != END);
        route.map(|hop| self.media[hop.medium.0 as usize].lost_packets(hop.station, path, now_ns)).sum()
    }

    /// The queueing delay that the given share (0 to 1) of a station's packets did not exceed; see
    /// [`Delays`](crate::Delays).
    pub fn queue_delay_quantile_ns(&self, station: StationId, share: f64) -> Option<f64> {
        let medium = self.medium_of[station.0 as usize];
        self.media[medium.0 as usize].queue_delay_quantile_ns(station, share)
    }

    /// The recorded frames of a station, in order of their ends.
    pub fn accesses(&self, station: StationId) -> Vec<AccessRecord> {
        self.media[self.medium_of[station.0 as usize].0 as usize].accesses(station)
    }

    /// Restarts the longest backlog of a station and the distribution of its delays.
    pub fn restart_maxima(&mut self, station: StationId) {
        self.medium_mut(station).restart_maxima(station);
    }

    fn medium_mut(&mut self, station: StationId) -> &mut AnyMedium<P> {
        let medium = self.medium_of[station.0 as usize];
        &mut self.media[medium.0 as usize]
    }

    /// Sends the packet to station number `hop` of its path; false if the path ends before a medium takes it. Most hops
    /// are plain links, so they are tested first; `END` is not a medium.
    #[inline(never)] // two callers, and each would hold the code of a link
    fn forward(&mut self, now_ns: u64, packet: &Packet<P>, hop: u16, events: &mut EventQueue) -> bool {
        let at = (self.route_starts[packet.path as usize] + u32::from(hop)) as usize;
        if let Some(AnyMedium::FifoLink(link)) = self.media.get_mut(self.hops[at].medium.0 as usize) {
            link.enqueue(now_ns, packet, hop, events);
            return true;
        }
        self.forward_through_any(now_ns, packet, hop, events)
    }

    #[inline(never)]
    fn forward_through_any(&mut self, now_ns: u64, packet: &Packet<P>, mut hop: u16, events: &mut EventQueue) -> bool {
        let mut at = (self.route_starts[packet.path as usize] + u32::from(hop)) as usize;
        while self.hops[at] != END {
            let Hop { medium, station } = self.hops[at];
            if self.media[medium.0 as usize].send(now_ns, station, packet, hop, events) {
                return true;
            }
            hop += 1;
            at += 1;
        }
        false
    }
}

fn check_paths(paths: &[Vec<StationId>], stations: usize) -> Result<(), Problem> {
    for (index, path) in paths.iter().enumerate() {
        let refuse = |what, remedy: &str| Err(Problem::new(Path::from("paths").index(index), what, remedy));
        if path.is_empty() {
            return refuse("has no stations".to_owned(), "give it at least one");
        }
        if path.len() > MAX_PATH_STATIONS {
            return refuse(format!("has {} stations", path.len()), "give it at most 1000");
        }
        if let Some(StationId(unknown)) = path.iter().find(|station| station.0 as usize >= stations) {
            return refuse(format!("names station {unknown} of {stations}"), "count stations from 0");
        }
    }
    Ok(())
}

/// [`Network::send`] cannot return a packet, so a path with instant links only needs an event at its end: its last link
/// becomes a common link without rate and delay.
fn ends_of_instant_paths(links: &[LinkConfig], paths: &[Vec<StationId>]) -> Vec<StationId> {
    let is_instant =
        |path: &&Vec<StationId>| path.iter().all(|station| links.get(station.0 as usize).is_some_and(is_instant));
    paths.iter().filter(is_instant).filter_map(|path| path.last().copied()).collect()
}

pub(crate) const END: Hop = Hop { medium: MediumId(u32::MAX), station: StationId(u32::MAX) };
/// Far more than any experiment needs; hop counts have 16 bits.
const MAX_PATH_STATIONS: usize = 1_000;
const DEFAULT_TICKS_PER_S: u32 = 1_000;
