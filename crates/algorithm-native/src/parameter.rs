//! A program's parameters: `const volatile` integers, whose values can be changed in the object file.

use crate::c_source::Declaration;
use std::ops::Range;

/// A `const volatile` global of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterInfo {
    pub name: String,
    /// The C type.
    pub type_name: String,
    pub default: i64,
    /// Smallest and largest value that the type holds.
    pub range: (i128, i128),
    pub unit: Option<String>,
    /// Meaning and source.
    pub description: Option<String>,
}

/// A parameter and its value's position in the object file.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    declaration: Declaration,
    place: Range<usize>,
    default: i64,
}

impl Parameter {
    /// A parameter whose value is at `place` in the object file; `None` if it is no integer.
    pub fn read(declaration: Declaration, place: Range<usize>, object: &[u8]) -> Option<Self> {
        let default = read_integer(object.get(place.clone())?, declaration.signed)?;
        Some(Self { declaration, place, default })
    }

    pub fn name(&self) -> &str {
        &self.declaration.name
    }

    /// Writes another value into the object file; the error is the range that the type has.
    pub fn set(&self, object: &mut [u8], value: i64) -> Result<(), (i128, i128)> {
        let (low, high) = self.range();
        if !(low..=high).contains(&i128::from(value)) {
            return Err((low, high));
        }
        let bytes = value.to_ne_bytes();
        // The low-order bytes; on a big-endian machine they are the last ones.
        let size = self.place.len();
        let bytes = if cfg!(target_endian = "big") { &bytes[8 - size..] } else { &bytes[..size] };
        object[self.place.clone()].copy_from_slice(bytes);
        Ok(())
    }

    fn range(&self) -> (i128, i128) {
        let bits = 8 * self.place.len() as u32;
        match (self.declaration.boolean, self.declaration.signed) {
            (true, _) => (0, 1),
            (false, true) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            (false, false) => (0, (1 << bits) - 1),
        }
    }

    pub fn info(&self) -> ParameterInfo {
        let comment =
            self.declaration.comment.as_deref().map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
        let (unit, description) = match comment.as_deref().map(|text| text.split_once(',').unwrap_or(("", text))) {
            None => (None, None),
            Some((unit, rest)) => ((!unit.is_empty()).then(|| unit.trim().to_owned()), Some(rest.trim().to_owned())),
        };
        ParameterInfo {
            name: self.declaration.name.clone(),
            type_name: self.declaration.type_name.clone(),
            default: self.default,
            range: self.range(),
            unit,
            description,
        }
    }
}

/// A 1, 2, 4 or 8 byte integer in the machine's order; `None` for anything else.
fn read_integer(bytes: &[u8], signed: bool) -> Option<i64> {
    let value = match *bytes {
        [a] => u64::from(a),
        [a, b] => u64::from(u16::from_ne_bytes([a, b])),
        [a, b, c, d] => u64::from(u32::from_ne_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => u64::from_ne_bytes([a, b, c, d, e, f, g, h]),
        _ => return None,
    };
    let unused = 64 - 8 * bytes.len() as u32;
    Some(if signed { ((value << unused) as i64) >> unused } else { value as i64 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_all_sizes_keep_their_sign() {
        assert_eq!(read_integer(&(-3_i16).to_ne_bytes(), true), Some(-3));
        assert_eq!(read_integer(&(-3_i16).to_ne_bytes(), false), Some(65_533));
        assert_eq!(read_integer(&7_u64.to_ne_bytes(), false), Some(7));
        assert_eq!(read_integer(&[1], false), Some(1));
        assert_eq!(read_integer(&[1, 2, 3], true), None);
    }
}
