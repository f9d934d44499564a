//! The order of the links in a window, how far each may run ahead of the hosts, and the sections that are independent of
//! each other.

use super::MAX_WINDOW_NS;
use crate::any_medium::{each_link, AnyMedium};
use crate::link::LookaheadLink;
use crate::network::{Network, END};

/// Properties of the network that no window changes.
pub(super) struct Plan {
    /// Links in the direction of travel: each comes before those to which it forwards packets. Instant links are left
    /// out.
    pub order: Vec<u32>,
    /// By medium.
    pub positions: Vec<Position>,
    /// By medium: it takes no packets, only counts them.
    pub is_instant: Vec<bool>,
    pub has_instant: bool,
    /// The first link of each path; none if that is an instant link.
    pub first_links: Vec<Option<u32>>,
    pub max_window_ns: u64,
    /// Lead and shortest delay of the links behind which paths end, each pair once.
    horizons: Vec<(u64, u64)>,
    pub sections: usize,
    /// By medium.
    pub section_of: Vec<u32>,
}

/// Position of a link in the network.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    /// Some path ends behind it.
    pub is_last: bool,
    /// An instant link lies between its wire and a host.
    pub has_instant_tail: bool,
    pub min_delay_ns: u64,
    /// How far it runs ahead of the hosts by the end of a window: links before it delay the packets that it enqueues.
    pub lead_ns: u64,
    /// The common lead of the links to which it forwards packets; [`FAR`] if there are none.
    pub next_lead_ns: u64,
}

impl Position {
    /// Forwards packets at the end of a window, before those for hosts are due.
    pub fn forwards_ahead(&self) -> bool {
        self.next_lead_ns != FAR && (!self.is_last || self.is_mixed())
    }

    /// Some of its packets end at hosts and others at links, which can run ahead of the hosts. Packets for hosts then
    /// leave the wire early.
    pub fn is_mixed(&self) -> bool {
        self.is_last && !self.has_instant_tail && self.next_lead_ns != FAR
    }
}

/// Further ahead than any link.
const FAR: u64 = u64::MAX;

impl Plan {
    pub fn new<P: Copy>(network: &Network<P>, sections: usize) -> Option<Self> {
        let is_instant = network.media.iter().map(|medium| matches!(medium, AnyMedium::InstantLink(_)));
        let is_instant: Vec<bool> = is_instant.collect();
        let unused =
            Position { is_last: false, has_instant_tail: false, min_delay_ns: 0, lead_ns: FAR, next_lead_ns: FAR };
        let mut positions = vec![unused; is_instant.len()];
        let mut next_links = vec![Vec::new(); is_instant.len()];
        for route in network.hops.split(|&hop| hop == END).filter(|route| !route.is_empty()) {
            let links: Vec<u32> =
                route.iter().map(|hop| hop.medium.0).filter(|&medium| !is_instant[medium as usize]).collect();
            for pair in links.windows(2) {
                next_links[pair[0] as usize].push(pair[1]);
            }
            positions[*links.first()? as usize].lead_ns = 0; // hosts are before it
            let last = &mut positions[*links.last()? as usize];
            last.is_last = true;
            last.has_instant_tail |= route.last().is_some_and(|hop| is_instant[hop.medium.0 as usize]);
        }
        let links: Vec<u32> = (0..positions.len() as u32).filter(|&medium| !is_instant[medium as usize]).collect();
        for &link in &links {
            let min_delay_ns = each_link!(&network.media[link as usize], link => link.min_delay_ns(), else None);
            positions[link as usize].min_delay_ns = min_delay_ns.filter(|&delay_ns| delay_ns > 0)?;
        }
        let order = topological_order(&links, &next_links)?;
        while update_leads(&order, &next_links, &mut positions) {}
        let last = order.iter().map(|&link| &positions[link as usize]).filter(|position| position.is_last);
        let mut horizons: Vec<_> = last.map(|position| (position.lead_ns, position.min_delay_ns)).collect();
        horizons.sort_unstable();
        horizons.dedup();
        let max_window_ns = horizons.iter().map(|(lead_ns, delay_ns)| lead_ns.saturating_add(*delay_ns)).min()?;
        let first_hops = network.route_starts.iter().map(|&start| network.hops[start as usize]);
        let first_link =
            first_hops.map(|hop| (hop != END && !is_instant[hop.medium.0 as usize]).then_some(hop.medium.0));
        let first_links: Vec<_> = first_link.collect();
        let (section_of, sections) = divide(&next_links, &first_links, sections);
        Some(Self {
            order,
            positions,
            has_instant: is_instant.contains(&true),
            is_instant,
            first_links,
            max_window_ns: max_window_ns.min(MAX_WINDOW_NS),
            horizons,
            sections,
            section_of,
        })
    }

    /// The time by which a window must end that begins at `start_ns`: packets that arrive at hosts before it are on the
    /// wires. `clock_ns` tells how far links with this lead have run.
    pub fn horizon_ns(&self, start_ns: u64, clock_ns: impl Fn(u64) -> u64) -> u64 {
        let last = self.horizons.iter().map(|&(lead_ns, delay_ns)| clock_ns(lead_ns).saturating_add(delay_ns));
        last.min().unwrap_or(FAR).min(start_ns + self.max_window_ns)
    }
}

/// Divides the media into at most `sections` sections, so that links of different ones exchange no packets. Returns the
/// section of each medium, and the number of sections. They have about the same number of paths.
fn divide(next_links: &[Vec<u32>], first_links: &[Option<u32>], sections: usize) -> (Vec<u32>, usize) {
    let mut parents: Vec<u32> = (0..next_links.len() as u32).collect();
    let root = |parents: &mut [u32], mut link: u32| {
        while parents[link as usize] != link {
            parents[link as usize] = parents[parents[link as usize] as usize];
            link = parents[link as usize];
        }
        link
    };
    for (link, next) in (0..).zip(next_links) {
        for &next in next {
            let (one, other) = (root(&mut parents, link), root(&mut parents, next));
            parents[one as usize] = other;
        }
    }
    let mut paths = vec![0_u32; next_links.len()];
    first_links.iter().flatten().for_each(|&link| paths[root(&mut parents, link) as usize] += 1);
    let mut groups: Vec<u32> = (0..paths.len() as u32).filter(|&group| paths[group as usize] > 0).collect();
    groups.sort_by_key(|&group| std::cmp::Reverse(paths[group as usize]));
    let mut loads = vec![0; sections.min(groups.len()).max(1)];
    let mut section_of_group = vec![0; paths.len()];
    for group in groups {
        let least = (0..loads.len()).min_by_key(|&section| loads[section]).unwrap_or(0);
        loads[least] += paths[group as usize];
        section_of_group[group as usize] = least as u32;
    }
    let section_of = (0..next_links.len() as u32).map(|link| section_of_group[root(&mut parents, link) as usize]);
    (section_of.collect(), loads.len())
}

/// Finds how far links can run ahead of the hosts, from the leads of the links before them. Returns whether a lead
/// changed.
fn update_leads(order: &[u32], next_links: &[Vec<u32>], positions: &mut [Position]) -> bool {
    let mut has_changed = false;
    for &link in order {
        let position = positions[link as usize];
        // Before an instant link, packets stay on the wire until a window begins.
        let waits = position.is_last && position.has_instant_tail;
        let known_ns = if waits { 0 } else { position.lead_ns.saturating_add(position.min_delay_ns) };
        let known_ns = known_ns.min(MAX_WINDOW_NS);
        let next = next_links[link as usize].iter();
        let leads_ns = next.clone().map(|&next| positions[next as usize].lead_ns.min(known_ns));
        let next_lead_ns = leads_ns.min().unwrap_or(FAR);
        has_changed |= position.next_lead_ns != next_lead_ns;
        positions[link as usize].next_lead_ns = next_lead_ns;
        next.for_each(|&next| positions[next as usize].lead_ns = next_lead_ns);
    }
    has_changed
}

/// Sorts links so that each comes before those to which it forwards packets; none if there is a cycle.
fn topological_order(links: &[u32], next_links: &[Vec<u32>]) -> Option<Vec<u32>> {
    let mut before = vec![0_u32; next_links.len()];
    next_links.iter().flatten().for_each(|&link| before[link as usize] += 1);
    let mut order: Vec<u32> = links.iter().copied().filter(|&link| before[link as usize] == 0).collect();
    let mut at = 0;
    while let Some(&link) = order.get(at) {
        for &next in &next_links[link as usize] {
            before[next as usize] -= 1;
            if before[next as usize] == 0 {
                order.push(next);
            }
        }
        at += 1;
    }
    (order.len() == links.len()).then_some(order)
}
