//! The data receiver: counts marks and decides when and how to feed them back (sections 3.2.1 to 3.2.3).

use super::ace;
use super::option::{AccEcnOption, ByteCounters, INITIAL_BYTES};
use crate::Segment;
use fairlane_transport::EcnMark;

/// Counters of one half connection.
#[derive(Clone, Debug)]
pub struct DataReceiver {
    /// r.cep: packets that arrived with CE.
    packets_ce: u32,
    bytes: ByteCounters,
    /// Counters that have changed since the connection began.
    changed: Changed,
    /// A byte counter grew since the last ACK.
    owes_option: bool,
    /// Packets with CE since the last ACK.
    unreported_ce: u32,
    last_mark: EcnMark,
    /// The next ACK is that of the SYN-ACK, which arrived with this mark.
    handshake: Option<EcnMark>,
    /// The next ACK has an option in any case, to test whether the path passes it (section 3.2.3.2.1).
    tests_option: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Changed {
    ect0: bool,
    ce: bool,
    ect1: bool,
}

impl DataReceiver {
    /// The end that received the SYN.
    pub fn server() -> Self {
        Self {
            packets_ce: ace::INITIAL_CEP,
            bytes: INITIAL_BYTES,
            changed: Changed::default(),
            owes_option: false,
            unreported_ce: 0,
            last_mark: EcnMark::NotEct,
            handshake: None,
            tests_option: false,
        }
    }

    /// The end that sent the SYN, when a SYN-ACK arrives with `mark`.
    pub fn client(mark: EcnMark) -> Self {
        Self { packets_ce: ace::client_cep(mark), handshake: Some(mark), tests_option: true, ..Self::server() }
    }

    /// Another copy of the SYN-ACK has arrived: it is acknowledged as the first was (section 3.2.2.1).
    pub fn on_repeated_syn_ack(&mut self, mark: EcnMark) {
        self.packets_ce = self.packets_ce.max(ace::client_cep(mark));
        self.handshake = Some(mark);
    }

    /// An acceptable segment arrives; `unacknowledged`: data waits for its ACK. True if an ACK must leave now (section
    /// 3.2.2.5.1).
    pub fn on_segment(&mut self, segment: &Segment, mark: EcnMark, unacknowledged: bool) -> bool {
        let is_change = (mark == EcnMark::Ce) != (self.last_mark == EcnMark::Ce);
        self.last_mark = mark;
        if mark == EcnMark::Ce {
            let packets = u32::from(segment.merged.max(1));
            self.packets_ce = self.packets_ce.wrapping_add(packets);
            self.unreported_ce += packets;
        }
        let (counter, changed) = match mark {
            EcnMark::NotEct => return false,
            EcnMark::Ect0 => (&mut self.bytes.ect0, &mut self.changed.ect0),
            EcnMark::Ect1 => (&mut self.bytes.ect1, &mut self.changed.ect1),
            EcnMark::Ce => (&mut self.bytes.ce, &mut self.changed.ce),
        };
        if segment.len > 0 {
            *counter = counter.wrapping_add(segment.len);
            *changed = true;
            self.owes_option = true;
        }
        let most = if unacknowledged { CE_PER_ACK } else { CE_PER_ACK_OF_ACKS };
        (is_change && segment.len > 0) || self.unreported_ce >= most
    }

    /// The ACE field of an outgoing segment.
    #[inline]
    pub fn ace(&self) -> u8 {
        (self.packets_ce % ace::MODULUS) as u8
    }

    /// Counters that the option of the next ACK will carry; `None` without one.
    #[inline]
    pub fn option_len(&self) -> Option<u8> {
        match (self.tests_option, self.owes_option) {
            (true, _) => Some(3),
            (false, false) => None,
            // Fields at the end that never changed are omitted (section 3.2.3.3). The second requires the first.
            (false, true) if self.changed.ect0 && self.changed.ect1 => Some(3),
            (false, true) => Some(1 + u8::from(self.changed.ce)),
        }
    }

    /// Writes the feedback into an acknowledgement after its SACK blocks; `room_bytes` are left for options.
    pub fn write(&mut self, segment: &mut Segment, room_bytes: u32) {
        let value = match self.handshake.take() {
            Some(mark) if segment.len == 0 && segment.sack_count == 0 => ace::handshake_encoding(mark),
            _ => self.ace(),
        };
        segment.flags = ace::with_field(segment.flags, value);
        self.unreported_ce = 0;
        // All changed counters must fit, or the option is omitted (section 3.2.3.3).
        let option = self.option_len().map(|len| self.option(len));
        if let Some(option) = option.filter(|option| AccEcnOption::bytes(option.len) <= room_bytes) {
            segment.set_accecn_option(&option);
            (self.owes_option, self.tests_option) = (false, false);
        }
    }

    /// An option with the current values of `len` counters.
    pub fn option(&self, len: u8) -> AccEcnOption {
        AccEcnOption::new(self.bytes, self.changed.ect1 && !self.changed.ect0, len)
    }
}

/// Marks after which an ACK is due: while data is unacknowledged, and otherwise (section 3.2.2.5.1).
const CE_PER_ACK: u32 = 2;
const CE_PER_ACK_OF_ACKS: u32 = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::flags;
    use EcnMark::{Ce, Ect0, Ect1, NotEct};

    fn data() -> Segment {
        Segment::new(flags::ACK, 1, 1_448)
    }

    fn established() -> DataReceiver {
        DataReceiver::server()
    }

    fn acknowledge(receiver: &mut DataReceiver) -> (u8, Option<AccEcnOption>) {
        let mut ack = Segment::new(flags::ACK, 1, 0);
        receiver.write(&mut ack, 40);
        (ace::field(ack.flags), ack.accecn_option())
    }

    /// Section 3.2.1: first values, and section 3.2.3.2.1: the first ACK has an option.
    #[test]
    fn counters_do_not_start_at_zero() {
        let mut client = DataReceiver::client(NotEct);
        let option = acknowledge(&mut client).1;
        assert_eq!(option, Some(AccEcnOption { is_order_1: false, len: 3, counters: [1, 0, 1] }));
        assert_eq!(acknowledge(&mut client), (5, None));
    }

    /// Section 3.2.2.1: only the first pure ACK of the client reports the mark of the SYN-ACK.
    #[test]
    fn the_ack_of_the_syn_ack_has_an_encoding_of_its_own() {
        for (mark, first, then) in [(NotEct, 0b010, 5), (Ect1, 0b011, 5), (Ect0, 0b100, 5), (Ce, 0b110, 6)] {
            let mut client = DataReceiver::client(mark);
            assert_eq!((acknowledge(&mut client).0, acknowledge(&mut client).0), (first, then), "{mark:?}");
        }
        let mut client = DataReceiver::client(Ect0);
        let mut with_data = data();
        client.write(&mut with_data, 40);
        assert_eq!(ace::field(with_data.flags), 5, "data carries the counter");
    }

    /// Section 3.2: CE is counted on control packets too, bytes are payload alone, and a merged segment is several.
    #[test]
    fn packets_and_bytes_are_counted() {
        let mut receiver = established();
        receiver.on_segment(&data(), Ect0, true);
        receiver.on_segment(&Segment { merged: 3, len: 3 * 1_448, ..data() }, Ce, true);
        receiver.on_segment(&Segment::new(flags::ACK, 1, 0), Ce, true);
        assert_eq!((receiver.ace(), receiver.packets_ce), (1, 9));
        assert_eq!(receiver.bytes, ByteCounters { ect0: 1 + 1_448, ce: 3 * 1_448, ect1: 1 });
    }

    /// Section 3.2.2.5.1: a change of the mark, and every second CE.
    #[test]
    fn marks_trigger_acks() {
        let mut receiver = established();
        let mut arrives = |mark| receiver.on_segment(&data(), mark, true);
        let due: Vec<_> = [Ect0, Ect0, Ce, Ect0, Ect0].into_iter().map(&mut arrives).collect();
        assert_eq!(due, [false, false, true, true, false]);
        let mut receiver = established();
        receiver.on_segment(&data(), Ce, true);
        acknowledge(&mut receiver);
        let mut arrives = |mark| receiver.on_segment(&data(), mark, true);
        assert_eq!((arrives(Ce), arrives(Ce)), (false, true));
        // ACKs of marked ACKs: every third.
        let mut receiver = established();
        let mut arrives = || receiver.on_segment(&Segment::new(flags::ACK, 1, 0), Ce, false);
        assert_eq!([arrives(), arrives(), arrives()], [false, false, true]);
    }

    /// Section 3.2.3.3: the counters of the option, which is omitted if none changed.
    #[test]
    fn the_option_has_the_counters_that_changed() {
        let mut receiver = established();
        assert_eq!(acknowledge(&mut receiver).1, None);
        let mut option_after = |mark| {
            receiver.on_segment(&data(), mark, true);
            acknowledge(&mut receiver).1.map(|option| (option.is_order_1, option.len))
        };
        assert_eq!(option_after(Ect1), Some((true, 1)));
        assert_eq!(option_after(Ce), Some((true, 2)));
        assert_eq!(option_after(Ect1), Some((true, 2)));
        assert_eq!(option_after(Ect0), Some((false, 3)));
        assert_eq!(option_after(NotEct), None);
    }

    /// Section 3.2.3.3: an option without room for the changed counters is omitted and sent later.
    #[test]
    fn an_option_without_room_waits() {
        let mut receiver = established();
        receiver.on_segment(&data(), Ce, true);
        let mut crowded = Segment::new(flags::ACK, 1, 0);
        receiver.write(&mut crowded, 7);
        assert_eq!(crowded.accecn_option(), None);
        assert!(acknowledge(&mut receiver).1.is_some());
    }
}
