//! Samples and events as arrays that JavaScript reads in place (`fairlane.js` has the other side).
//!
//! Numbers are little-endian. All columns of 8 bytes come first, so that each array is aligned.

use fairlane_contract::Cells;

#[derive(Default)]
pub(crate) struct Packer(Vec<u8>);

impl Packer {
    pub fn number(&mut self, value: f64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub fn numbers(&mut self, values: impl IntoIterator<Item = f64>) {
        values.into_iter().for_each(|value| self.number(value));
    }

    pub fn words(&mut self, values: impl IntoIterator<Item = u32>) {
        values.into_iter().for_each(|value| self.0.extend_from_slice(&value.to_le_bytes()));
    }

    pub fn half_words(&mut self, values: impl IntoIterator<Item = u16>) {
        values.into_iter().for_each(|value| self.0.extend_from_slice(&value.to_le_bytes()));
    }

    pub fn bytes(&mut self, values: impl IntoIterator<Item = u8>) {
        self.0.extend(values);
    }

    /// A column of a time series; NaN where it has no value.
    pub fn cells(&mut self, cells: Cells) {
        match cells {
            Cells::F32(values) => self.numbers(values.into_iter().map(f64::from)),
            Cells::F64(values) => self.numbers(values),
            Cells::U32(values) => self.numbers(values.into_iter().map(f64::from)),
            Cells::U64(values) => self.numbers(values.into_iter().map(|value| value as f64)),
            Cells::OptionalF32(values) => self.optional(values.into_iter().map(|value| value.map(f64::from))),
            Cells::OptionalF64(values) => self.optional(values),
            Cells::OptionalU32(values) => self.optional(values.into_iter().map(|value| value.map(f64::from))),
            Cells::OptionalI64(values) => {
                self.optional(values.into_iter().map(|value| value.map(|value| value as f64)))
            }
        }
    }

    pub fn optional(&mut self, values: impl IntoIterator<Item = Option<f64>>) {
        self.numbers(values.into_iter().map(|value| value.unwrap_or(f64::NAN)));
    }

    pub fn finish(self) -> Vec<u8> {
        self.0
    }
}
