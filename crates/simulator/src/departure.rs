//! From an endpoint through its host to the wire.

use crate::address::AddressPlan;
use crate::flow::Hosts;
use crate::host_queue::HeldPackets;
use fairlane_measure::WireCount;
use fairlane_network::{Ecn, Packet};
use fairlane_transport::{Datagram, Outgoing, Side, Transport};

/// Bytes that Ethernet adds to an IP packet, in the counts of bytes on the wire.
pub(crate) const FRAME_OVERHEAD_BYTES: u32 = 14;

/// The outcome for an endpoint's outgoing datagrams.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Departed {
    /// Payload transmitted at once.
    pub payload_bytes: u64,
    /// Departure time of the first packet in the host's queue, if the queue was empty before.
    pub first_held_ns: Option<u64>,
}

/// Makes packets from the datagrams that bypass the host's queue, and counts them.
pub(crate) struct Packing {
    flow_number: u32,
    path: u32,
    ect: Ecn,
    sent: WireCount,
    pub payload_bytes: u64,
}

impl Packing {
    #[inline(always)] // on the path of every packet
    pub fn pack<D: Datagram>(&mut self, outgoing: &Outgoing<D>) -> Packet<D> {
        let packet = packet_of(outgoing, self.flow_number, self.path, self.ect);
        let payload_bytes = packet.payload.payload_bytes();
        self.sent.add(packet.ip_bytes + FRAME_OVERHEAD_BYTES, payload_bytes);
        self.payload_bytes += u64::from(payload_bytes);
        packet
    }
}

impl<T: Transport> Hosts<T> {
    /// Whether outgoing datagrams of the endpoint at `side` must wait in its host's queue, which paces.
    #[inline]
    pub fn must_queue(&self, now_ns: u64, side: Side, outgoing: &[Outgoing<T::Datagram>]) -> bool {
        let waits = |outgoing: &Outgoing<_>| outgoing.departure_ns > now_ns;
        self.has_host_queue && (!self.host_queues[side as usize].is_empty() || outgoing.iter().any(waits))
    }

    /// Packs packets of connection `flow_number` for `path`; the caller counts them with [`count_sent`](Self::count_sent).
    #[inline]
    pub fn packing(&self, flow_number: u32, path: u32) -> Packing {
        Packing { flow_number, path, ect: self.ect, sent: WireCount::default(), payload_bytes: 0 }
    }

    /// Counts what the host at `side` has sent.
    #[inline]
    pub fn count_sent(&mut self, side: Side, packing: &Packing) {
        self.counts[side as usize].sent.add_all(&packing.sent);
    }

    /// Sends outgoing datagrams of the endpoint at `side` with `send`, in order, or enqueues them at its host, which paces.
    #[inline]
    pub fn depart(
        &mut self,
        now_ns: u64,
        (flow_number, path, side): (u32, u32, Side),
        outgoing: &[Outgoing<T::Datagram>],
        held: &mut HeldPackets<T::Datagram>,
        mut send: impl FnMut(&Packet<T::Datagram>),
    ) -> Departed {
        let (sent, queue) = (&mut self.counts[side as usize].sent, &mut self.host_queues[side as usize]);
        let mut departed = Departed { payload_bytes: 0, first_held_ns: None };
        for outgoing in outgoing {
            let packet = packet_of(outgoing, flow_number, path, self.ect);
            if self.has_host_queue && (outgoing.departure_ns > now_ns || !queue.is_empty()) {
                if queue.is_empty() {
                    departed.first_held_ns = Some(outgoing.departure_ns);
                }
                held.push(queue, outgoing.departure_ns, packet);
                continue;
            }
            departed.payload_bytes += u64::from(packet.payload.payload_bytes());
            sent.add(packet.ip_bytes + FRAME_OVERHEAD_BYTES, packet.payload.payload_bytes());
            send(&packet);
        }
        departed
    }

    /// Dequeues packets whose departure time has come at the host of `side`, in order. Returns their payload.
    #[inline]
    pub fn leave_host_queue(
        &mut self,
        now_ns: u64,
        side: Side,
        held: &mut HeldPackets<T::Datagram>,
        mut send: impl FnMut(&Packet<T::Datagram>),
    ) -> u64 {
        let (sent, queue) = (&mut self.counts[side as usize].sent, &mut self.host_queues[side as usize]);
        let mut payload_bytes = 0;
        held.pop_due(queue, now_ns, |packet| {
            payload_bytes += u64::from(packet.payload.payload_bytes());
            sent.add(packet.ip_bytes + FRAME_OVERHEAD_BYTES, packet.payload.payload_bytes());
            send(packet);
        });
        payload_bytes
    }

    /// Counts a packet that arrives at the host of `side`; true if it belongs to the connection there.
    #[inline]
    pub fn arrive(&mut self, flow_number: u32, side: Side, packet: &Packet<T::Datagram>) -> bool {
        let bytes = packet.ip_bytes + FRAME_OVERHEAD_BYTES;
        self.counts[side as usize].arrived.add(bytes, packet.payload.payload_bytes());
        packet.flow == flow_number
    }
}

/// An endpoint's datagram as a packet of its connection, at the beginning of its path.
#[inline(always)] // one of its two callers is on the path of every packet, and a call would copy the packet again
fn packet_of<D: Datagram>(outgoing: &Outgoing<D>, flow_number: u32, path: u32, ect: Ecn) -> Packet<D> {
    Packet {
        flow: flow_number,
        path,
        hop: 0,
        ecn: if outgoing.ect { ect } else { Ecn::NotEct },
        ip_bytes: outgoing.datagram.ip_bytes(),
        payload: outgoing.datagram,
    }
}

pub(crate) fn cross_traffic_packet<D: Datagram>(
    addresses: AddressPlan,
    source: u32,
    path: u32,
    ip_bytes: u32,
) -> Packet<D> {
    let flow = addresses.cross_traffic_number(source);
    Packet { flow, path, hop: 0, ecn: Ecn::NotEct, ip_bytes, payload: D::default() }
}
