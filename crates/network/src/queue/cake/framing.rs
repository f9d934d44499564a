//! The bytes that a packet takes on the link that cake shapes (`cake_calc_overhead`).

use fairlane_contract::CakeConfig;

use crate::queue::setup::Fault;

/// Bytes that the shaper and the round robin count.
pub(super) struct Framing {
    /// Bytes to add to a frame of the link, or to take from it.
    extra_bytes: i64,
    least_bytes: u32,
    cells: Cells,
}

enum Cells {
    None,
    Atm,
    Ptm,
}

impl Framing {
    /// `link_overhead_bytes` are those in a frame of the link, which an `overhead` replaces.
    pub fn new(config: &CakeConfig, link_overhead_bytes: u32) -> Self {
        Self {
            extra_bytes: config.overhead.map_or(0, |overhead| i64::from(overhead) - i64::from(link_overhead_bytes)),
            least_bytes: config.mpu,
            cells: if config.atm {
                Cells::Atm
            } else if config.ptm {
                Cells::Ptm
            } else {
                Cells::None
            },
        }
    }

    pub fn bytes(&self, frame_bytes: u32) -> u32 {
        let bytes = (i64::from(frame_bytes) + self.extra_bytes).max(i64::from(self.least_bytes)).max(1) as u32;
        match self.cells {
            Cells::None => bytes,
            Cells::Atm => bytes.div_ceil(ATM_PAYLOAD_BYTES) * ATM_CELL_BYTES,
            Cells::Ptm => bytes + bytes.div_ceil(PTM_BLOCK_BYTES),
        }
    }
}

/// The first option that does not fit the others.
pub(in crate::queue) fn fault(config: &CakeConfig) -> Option<Fault> {
    (config.atm && config.ptm).then_some(("ptm", "and `atm` exclude each other", "remove one of them"))
}

const ATM_CELL_BYTES: u32 = 53;
const ATM_PAYLOAD_BYTES: u32 = 48;
const PTM_BLOCK_BYTES: u32 = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(config: CakeConfig, frame_bytes: u32) -> u32 {
        Framing::new(&config, 14).bytes(frame_bytes)
    }

    /// The numbers of tc's manual: 1,500 bytes over PPPoE and ADSL with an overhead of 44 take 33 cells.
    #[test]
    fn framings_as_tc_has_them() {
        let plain = CakeConfig::default();
        assert_eq!(bytes(plain.clone(), 1_514), 1_514, "as the link counts");
        assert_eq!(bytes(CakeConfig { overhead: Some(38), ..plain.clone() }, 1_514), 1_538);
        assert_eq!(bytes(CakeConfig { overhead: Some(0), ..plain.clone() }, 1_514), 1_500);
        assert_eq!(bytes(CakeConfig { overhead: Some(-20), ..plain.clone() }, 54), 20);
        assert_eq!(bytes(CakeConfig { overhead: Some(38), mpu: 84, ..plain.clone() }, 54), 84);
        assert_eq!(bytes(CakeConfig { overhead: Some(44), atm: true, ..plain.clone() }, 1_514), 33 * 53);
        assert_eq!(bytes(CakeConfig { overhead: Some(8), atm: true, ..plain.clone() }, 54), 53);
        assert_eq!(bytes(CakeConfig { overhead: Some(22), ptm: true, ..plain }, 1_514), 1_522 + 24);
    }
}
