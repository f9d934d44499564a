//! Mapping between the script's timestamps and the connection's.
//!
//! A script invents the connection's clock (`TS val 100`). The first expected value determines the offset; each later
//! one is stored, because an echo refers to exactly that packet.

use std::collections::BTreeMap;

#[derive(Clone, Debug, Default)]
pub(super) struct Timestamps {
    /// Script's value to connection's value.
    known: BTreeMap<u32, u32>,
    /// Connection's value less script's value.
    distance: u32,
}

impl Timestamps {
    /// Records that a packet which the script expects with `script_value` left with `live_value`.
    pub fn learn(&mut self, script_value: u32, live_value: u32) {
        if self.known.is_empty() {
            self.distance = live_value.wrapping_sub(script_value);
        }
        self.known.insert(script_value, live_value);
    }

    /// The connection's value for one that the peer echoes in the script.
    pub fn live(&self, script_value: u32) -> u32 {
        match self.known.get(&script_value) {
            Some(&live_value) => live_value,
            None if script_value == 0 => 0, // the peer has nothing to echo
            None => script_value.wrapping_add(self.distance),
        }
    }

    /// The script's value for one of the connection's.
    pub fn script(&self, live_value: u32) -> u32 {
        live_value.wrapping_sub(self.distance)
    }
}
