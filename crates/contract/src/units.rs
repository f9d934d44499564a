//! The unit of a value is the last part of its name.

/// A unit that names end with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The end of the name, `_ns`.
    pub ending: &'static str,
    /// The unit in text.
    pub symbol: &'static str,
}

/// All units; the first one whose ending fits applies.
pub const UNITS: &[Unit] = &[
    Unit { ending: "_per_s", symbol: "1/s" },
    Unit { ending: "_ns", symbol: "ns" },
    Unit { ending: "_us", symbol: "us" },
    Unit { ending: "_ms", symbol: "ms" },
    Unit { ending: "_s", symbol: "s" },
    Unit { ending: "_bytes", symbol: "bytes" },
    Unit { ending: "_packets", symbol: "packets" },
    Unit { ending: "_mbps", symbol: "Mbit/s" },
    Unit { ending: "_bps", symbol: "bit/s" },
    Unit { ending: "_pps", symbol: "packets/s" },
    Unit { ending: "_hz", symbol: "Hz" },
    Unit { ending: "_mhz", symbol: "MHz" },
    Unit { ending: "_percent", symbol: "%" },
];

/// The unit that a name ends with.
pub fn of_name(name: &str) -> Option<&'static str> {
    let is_unit = |unit: &&Unit| name.ends_with(unit.ending) || name == &unit.ending[1..];
    UNITS.iter().find(is_unit).map(|unit| unit.symbol)
}

#[cfg(test)]
mod tests {
    use super::of_name;

    #[test]
    fn a_name_ends_with_its_unit() {
        assert_eq!(of_name("target_ns"), Some("ns"));
        assert_eq!(of_name("think_s"), Some("s"));
        assert_eq!(of_name("rate_per_s"), Some("1/s"));
        assert_eq!(of_name("goodput_mbps"), Some("Mbit/s"));
        assert_eq!(of_name("mbps"), Some("Mbit/s"));
        assert_eq!(of_name("hz"), Some("Hz"));
        assert_eq!(of_name("flows"), None);
    }
}
