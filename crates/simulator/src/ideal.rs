//! The shortest possible time of a transfer on a path.

use fairlane_contract::LinkConfig;
use fairlane_engine::NS_PER_SEC;
use fairlane_network::StationId;

/// The path of a flow: the properties of its links that delay transfers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct IdealPath {
    /// A round trip for the handshake, and the one-way delay of the last packet.
    delay_ns: u64,
    /// Rate, bytes that may pass at once, and bytes added to each packet, of each link with a rate.
    limits: Vec<(u64, u64, u64)>,
}

impl IdealPath {
    /// None if a station is a shared medium, or a link follows a trace or never sends.
    pub fn new(forward: &[StationId], reverse: &[StationId], links: &[LinkConfig]) -> Option<Self> {
        let find = |station: &StationId| links.get(station.0 as usize).filter(|link| link.trace_ms.is_none());
        let forward: Vec<&LinkConfig> = forward.iter().map(find).collect::<Option<_>>()?;
        let reverse: Vec<&LinkConfig> = reverse.iter().map(find).collect::<Option<_>>()?;
        let delays =
            |links: &[&LinkConfig]| links.iter().map(|link| shortest_delay_ns(link)).fold(0, u64::saturating_add);
        let limits = forward.iter().filter_map(|link| {
            let overhead_bytes = u64::from(link.frame_overhead_bytes());
            Some((highest_rate_bps(link)?, link.burst_bytes.map_or(0, Into::into), overhead_bytes))
        });
        let limits: Vec<_> = limits.collect();
        let sends = limits.iter().all(|&(rate_bps, ..)| rate_bps > 0);
        let delay_ns = delays(&forward).saturating_mul(2).saturating_add(delays(&reverse));
        sends.then_some(Self { delay_ns, limits })
    }

    /// `packet_bytes`: the payload of a full packet and its headers.
    pub fn time_ns(&self, transfer_bytes: u64, (payload_bytes, header_bytes): (u32, u32)) -> u64 {
        let packets = transfer_bytes.div_ceil(u64::from(payload_bytes.max(1)));
        let transmission_ns = self.limits.iter().map(|&(rate_bps, burst_bytes, overhead_bytes)| {
            let added_bytes = packets.saturating_mul(u64::from(header_bytes) + overhead_bytes);
            let bytes = transfer_bytes.saturating_add(added_bytes);
            let bits = u128::from(bytes.saturating_sub(burst_bytes)) * 8;
            u64::try_from(bits * u128::from(NS_PER_SEC) / u128::from(rate_bps)).unwrap_or(u64::MAX)
        });
        self.delay_ns.saturating_add(transmission_ns.max().unwrap_or(0))
    }
}

fn shortest_delay_ns(link: &LinkConfig) -> u64 {
    link.changes.iter().filter_map(|change| change.delay_ns).fold(link.delay_ns, u64::min)
}

/// None if the link has no rate at some time.
fn highest_rate_bps(link: &LinkConfig) -> Option<u64> {
    Some(link.changes.iter().filter_map(|change| change.rate_bps).fold(link.rate_bps?, u64::max))
}
