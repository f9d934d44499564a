//! The ACE field: AE, CWR and ECE as one number of three bits (section 3.2.2).

use crate::segment::flags;
use fairlane_transport::EcnMark;

/// Initial value of the packet counters of both roles, distinct from a zeroed field (section 3.2.1).
pub const INITIAL_CEP: u32 = 5;
/// Number of values of the field.
pub const MODULUS: u32 = 8;

const MASK: u8 = flags::AE | flags::CWR | flags::ECE;

/// The field of a segment's flags.
#[inline]
pub fn field(segment_flags: u8) -> u8 {
    let bit = |flag: u8| u8::from(segment_flags & flag != 0);
    bit(flags::AE) << 2 | bit(flags::CWR) << 1 | bit(flags::ECE)
}

/// A segment's flags with `value` in the field.
#[inline]
pub fn with_field(segment_flags: u8, value: u8) -> u8 {
    let flag = |bit: u8, flag: u8| if value >> bit & 1 != 0 { flag } else { 0 };
    segment_flags & !MASK | flag(2, flags::AE) | flag(1, flags::CWR) | flag(0, flags::ECE)
}

/// Encoding of the mark of the previous packet in the SYN-ACK and its ACK (Tables 2 and 3).
pub fn handshake_encoding(mark: EcnMark) -> u8 {
    match mark {
        EcnMark::NotEct => 0b010,
        EcnMark::Ect1 => 0b011,
        EcnMark::Ect0 => 0b100,
        EcnMark::Ce => 0b110,
    }
}

/// Initial packet counter of a client, after a SYN-ACK with this mark (Table 3).
pub fn client_cep(mark: EcnMark) -> u32 {
    INITIAL_CEP + u32::from(mark == EcnMark::Ce)
}

/// Initial count of the client's marks at a server, after a pure ACK of its SYN-ACK with this field (Table 4). `None`:
/// it may neither send ECT nor react to marks.
pub fn server_cep(field: u8) -> Option<u32> {
    match field {
        0b000 => None,
        0b110 => Some(INITIAL_CEP + 1),
        _ => Some(INITIAL_CEP),
    }
}

/// Smallest increase of the counter that explains the field (section 3.2.2.2).
#[inline]
pub fn least_increase(cep: u32, field: u8) -> u32 {
    u32::from(field).wrapping_sub(cep) % MODULUS
}

/// Largest increase, of at most `acknowledged` packets, that the field allows (appendix A.2.1).
#[inline]
pub fn safest_increase(least: u32, acknowledged: u32) -> u32 {
    acknowledged - acknowledged.saturating_sub(least) % MODULUS
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Section 3.2.2.1, Table 3: mark on the SYN-ACK, field of its ACK, counter of the client.
    #[test]
    fn table_3_ack_of_the_syn_ack() {
        for (mark, field, cep) in
            [(EcnMark::NotEct, 0b010, 5), (EcnMark::Ect1, 0b011, 5), (EcnMark::Ect0, 0b100, 5), (EcnMark::Ce, 0b110, 6)]
        {
            assert_eq!((handshake_encoding(mark), client_cep(mark)), (field, cep), "{mark:?}");
        }
    }

    /// Section 3.2.2.1, Table 4: field of the ACK of the SYN-ACK, counter of the server.
    #[test]
    fn table_4_meaning_at_the_server() {
        let table = [
            (0b000, None),
            (0b001, Some(5)),
            (0b010, Some(5)),
            (0b011, Some(5)),
            (0b100, Some(5)),
            (0b101, Some(5)),
            (0b110, Some(6)),
            (0b111, Some(5)),
        ];
        for (field, cep) in table {
            assert_eq!(server_cep(field), cep, "{field:03b}");
        }
    }

    /// Section 3.2.2: the three flags are one number, the highest bit first (Figure 3).
    #[test]
    fn the_field_is_three_flags() {
        for value in 0..8 {
            let with = with_field(flags::ACK | flags::ECE, value);
            assert_eq!((field(with), with & flags::ACK), (value, flags::ACK));
        }
        assert_eq!(with_field(0, 0b100), flags::AE);
        assert_eq!(with_field(0, 0b010), flags::CWR);
        assert_eq!(with_field(0, 0b001), flags::ECE);
    }

    /// Section 3.2.2.2 and appendix A.2: counter, field, packets acknowledged; smallest and safest increase.
    #[test]
    fn the_field_wraps() {
        for (cep, field, acknowledged, least, safest) in [
            (5, 5, 2, 0, 0),
            (5, 6, 2, 1, 1),
            (5, 0, 4, 3, 3),
            (7, 0, 1, 1, 1),
            (8, 7, 7, 7, 7),
            (6, 6, 8, 0, 8), // all or none: the safest is all
            (5, 7, 9, 2, 2),
            (5, 7, 10, 2, 10),
            (13, 7, 17, 2, 10),
            (5, 7, 1, 2, 2), // more than it acknowledges: marked control packets (section 3.2.2.5.2)
        ] {
            let found = least_increase(cep, field);
            assert_eq!(found, least, "s.cep {cep}, ACE {field}");
            assert_eq!(safest_increase(found, acknowledged).max(found), safest, "{acknowledged} packets");
        }
    }
}
