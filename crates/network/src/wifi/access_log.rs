//! A log of single channel accesses, for figures of the channel over time.

use fairlane_contract::AccessLogConfig;

use super::exchange::{Frame, Transmission};
use super::Wifi;
use crate::statistics::AccessRecord;

pub(super) struct AccessLog {
    config: AccessLogConfig,
    /// Each with its queue.
    records: Vec<(usize, AccessRecord)>,
}

impl AccessLog {
    pub fn new(config: AccessLogConfig) -> Self {
        Self { config, records: Vec::new() }
    }

    pub fn of_queue(&self, queue: usize) -> Vec<AccessRecord> {
        self.records.iter().filter(|(one, _)| *one == queue).map(|&(_, record)| record).collect()
    }
}

impl<P: Copy> Wifi<P> {
    /// Records a frame that ended. Beacons belong to the first downlink.
    pub(super) fn log(&mut self, one: &Transmission, until_ns: u64, confirmed: u32, has_collided: bool) {
        let Some(log) = &mut self.access_log else { return };
        if one.start_ns < log.config.from_ns || log.records.len() >= log.config.frames as usize {
            return;
        }
        let (queue, mpdus) = match one.frame {
            Frame::Data { queue, aggregate, .. } => (queue, aggregate.mpdus),
            Frame::BlockAckRequest { queue } => (queue, 0),
            Frame::Beacon => (1, 0),
        };
        let &Transmission { start_ns, end_ns, .. } = one;
        log.records.push((queue, AccessRecord { start_ns, end_ns, until_ns, mpdus, confirmed, has_collided }));
    }
}
