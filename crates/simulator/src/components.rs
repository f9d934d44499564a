//! Numbers of the components in the event queue.
//!
//! The network's come first, then two endpoints for each flow, then the applications, then the rest. At equal times,
//! packets move before timers fire, and timers fire before applications act.

use crate::address::{endpoint_at, endpoint_index};
use fairlane_engine::ComponentId;
use fairlane_transport::Side;

/// The component of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Component {
    Network(ComponentId),
    /// The timers of an endpoint.
    Endpoint(u32, Side),
    /// The fq queue of an endpoint's host.
    HostQueue(u32, Side),
    /// A flow's application: start, stop, next request.
    Application(u32),
    CrossTraffic(u32),
    /// Takes the samples.
    Sampler,
    /// The measurement begins.
    WarmUpEnd,
    /// The caller asked to stop here for now.
    Pause,
}

/// The number space of one run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Components {
    network: u32,
    flows: u32,
    cross_traffic: u32,
}

impl Components {
    pub fn new(network: u32, flows: u32, cross_traffic: u32) -> Self {
        Self { network, flows, cross_traffic }
    }

    #[inline]
    pub fn endpoint(&self, flow: u32, side: Side) -> ComponentId {
        self.network + endpoint_index(flow, side)
    }

    #[inline]
    pub fn host_queue(&self, flow: u32, side: Side) -> ComponentId {
        self.network + 2 * self.flows + endpoint_index(flow, side)
    }

    pub fn application(&self, flow: u32) -> ComponentId {
        self.network + 4 * self.flows + flow
    }

    pub fn cross_traffic(&self, source: u32) -> ComponentId {
        self.network + 5 * self.flows + source
    }

    pub fn sampler(&self) -> ComponentId {
        self.network + 5 * self.flows + self.cross_traffic
    }

    /// After the sampler: a sample at the same time belongs to the warm-up.
    pub fn warm_up_end(&self) -> ComponentId {
        self.sampler() + 1
    }

    /// After all others.
    pub fn pause(&self) -> ComponentId {
        self.warm_up_end() + 1
    }

    #[inline]
    pub fn decode(&self, id: ComponentId) -> Component {
        if id < self.network {
            return Component::Network(id);
        }
        let at = id - self.network;
        if at < 2 * self.flows {
            let (flow, side) = endpoint_at(at);
            Component::Endpoint(flow, side)
        } else if at < 4 * self.flows {
            let (flow, side) = endpoint_at(at - 2 * self.flows);
            Component::HostQueue(flow, side)
        } else if at < 5 * self.flows {
            Component::Application(at - 4 * self.flows)
        } else if at < 5 * self.flows + self.cross_traffic {
            Component::CrossTraffic(at - 5 * self.flows)
        } else if id == self.sampler() {
            Component::Sampler
        } else if id == self.warm_up_end() {
            Component::WarmUpEnd
        } else {
            Component::Pause
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_unique_and_decode_to_what_they_were() {
        let components = Components::new(5, 3, 2);
        let mut seen = std::collections::BTreeSet::new();
        for flow in 0..3 {
            for side in Side::BOTH {
                assert_eq!(components.decode(components.endpoint(flow, side)), Component::Endpoint(flow, side));
                assert_eq!(components.decode(components.host_queue(flow, side)), Component::HostQueue(flow, side));
                assert!(seen.insert(components.endpoint(flow, side)) && seen.insert(components.host_queue(flow, side)));
            }
            assert_eq!(components.decode(components.application(flow)), Component::Application(flow));
            assert!(seen.insert(components.application(flow)));
        }
        assert_eq!(components.decode(components.cross_traffic(1)), Component::CrossTraffic(1));
        assert_eq!(components.decode(components.sampler()), Component::Sampler);
        assert_eq!(components.decode(components.warm_up_end()), Component::WarmUpEnd);
        assert_eq!(components.decode(components.pause()), Component::Pause);
        assert_eq!(components.decode(4), Component::Network(4));
    }
}
