//! Addresses of packets: endpoints, and their numbers in the network and the event queue.

use fairlane_network::Packet;
use fairlane_transport::Side;

/// An endpoint, which has an IP address and a port on a real network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub flow: u32,
    pub side: Side,
    /// Counts the connections that the flow opened before this one. Packets of an earlier connection that are still in
    /// the network must not reach a later one.
    pub generation: u32,
}

/// Endpoints are numbered flow by flow, the sender first.
#[inline]
pub(crate) fn endpoint_index(flow: u32, side: Side) -> u32 {
    2 * flow + side as u32
}

/// The flow and the side of [`endpoint_index`].
#[inline]
pub(crate) fn endpoint_at(index: u32) -> (u32, Side) {
    (index / 2, if index % 2 == 0 { Side::Sender } else { Side::Receiver })
}

/// The address plan of one run. Each endpoint sends along a path of its own, which has the endpoint's index and leads to
/// its peer; the paths of cross traffic follow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AddressPlan {
    flows: u32,
}

impl AddressPlan {
    pub fn new(flows: u32) -> Self {
        Self { flows }
    }

    /// [`Packet::flow`] of all packets of a connection: a number unique to the connection in the run.
    #[inline]
    pub fn connection_number(&self, flow: u32, generation: u32) -> u32 {
        flow + generation * self.flows
    }

    /// [`Packet::flow`] of all packets of a source of cross traffic.
    pub fn cross_traffic_number(&self, source: u32) -> u32 {
        self.flows + source
    }

    /// The path that an endpoint's packets take.
    #[inline]
    pub fn path_from(flow: u32, side: Side) -> u32 {
        endpoint_index(flow, side)
    }

    pub fn cross_traffic_path(&self, source: u32) -> u32 {
        2 * self.flows + source
    }

    /// The source of cross traffic of a path that is not an endpoint's.
    pub fn cross_traffic_of(&self, path: u32) -> u32 {
        path - 2 * self.flows
    }

    /// The flow and the side to which a path leads. For a path of cross traffic the flow does not exist.
    #[inline]
    pub fn end_of(path: u32) -> (u32, Side) {
        let (flow, from) = endpoint_at(path);
        (flow, from.peer())
    }

    /// The sender of a packet.
    pub fn sender_of<P>(&self, packet: &Packet<P>) -> Address {
        let (flow, side) = endpoint_at(packet.path);
        Address { flow, side, generation: packet.flow / self.flows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairlane_network::Ecn;

    #[test]
    fn a_packet_tells_who_sent_it_and_where_it_goes() {
        let plan = AddressPlan::new(3);
        let mut paths = std::collections::BTreeSet::new();
        for (flow, generation) in [(0, 0), (1, 0), (2, 5)] {
            for side in Side::BOTH {
                let path = AddressPlan::path_from(flow, side);
                let flow_number = plan.connection_number(flow, generation);
                let packet = Packet { flow: flow_number, path, hop: 0, ecn: Ecn::NotEct, ip_bytes: 40, payload: () };
                assert_eq!(plan.sender_of(&packet), Address { flow, side, generation });
                assert_eq!(AddressPlan::end_of(path), (flow, side.peer()));
                assert!(paths.insert(path));
            }
        }
        assert_eq!(plan.cross_traffic_of(plan.cross_traffic_path(4)), 4);
        assert!(paths.insert(plan.cross_traffic_path(0)), "cross traffic has paths of its own");
        assert_ne!(plan.connection_number(1, 1), plan.connection_number(1, 2));
    }
}
