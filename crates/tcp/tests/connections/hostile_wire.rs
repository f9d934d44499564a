//! Two endpoints and a wire that loses, delays, duplicates and falsifies segments: every byte is delivered once and in
//! order, no connection stalls for ever, and memory stays bounded.
//!
//! The sender checks its scoreboard after every event in the builds that run tests (`check_invariants`).

use crate::support::{Fate, Sent, Wire, MS, MSS, RECEIVER, SENDER};
use fairlane_tcp::receiver::ReceiverConfig;
use fairlane_tcp::{ConnectionConfig, Segment, SenderConfig};
use proptest::prelude::*;

const CASES: u32 = 3_000;
const PACKETS: u64 = 300;
const SECOND: u64 = 1_000 * MS;
/// The longest timeout, 120 s, and the granularity of such a wait, an eighth of it.
const LONGEST_TIMER_S: u64 = 136;
/// Several of the longest timeouts in a row: without SACK and timestamps no acknowledgement of a retransmission ends
/// the backoff (Karn's rule), and a quarter of all retransmissions are lost.
const LONGEST_SILENCE_S: u64 = 3_000;

/// How the wire treats segments; chances in thousandths.
#[derive(Clone, Debug)]
struct Malice {
    loss: u64,
    acknowledgement_loss: u64,
    late: u64,
    twice: u64,
    /// A SACK block for data that never arrived.
    false_sack: u64,
    /// A window that is smaller than the previous one, or closed.
    shrunk_window: u64,
}

fn malice() -> impl Strategy<Value = Malice> {
    (0_u64..250, 0_u64..250, 0_u64..200, 0_u64..100, 0_u64..30, 0_u64..30).prop_map(
        |(loss, acknowledgement_loss, late, twice, false_sack, shrunk_window)| Malice {
            loss,
            acknowledgement_loss,
            late,
            twice,
            false_sack,
            shrunk_window,
        },
    )
}

impl Malice {
    fn decide(&self, sent: &Sent, random: &mut Dice) -> Fate {
        let is_data = sent.from == SENDER;
        if random.hits(if is_data { self.loss } else { self.acknowledgement_loss }) {
            return Fate::Lost;
        }
        if !is_data && random.hits(self.false_sack) {
            let mut segment = *sent.segment;
            let start = segment.ack + (1 + random.below(30)) * MSS;
            segment.push_sack(start, start + (1 + random.below(5)) * MSS);
            return Fate::Altered(segment);
        }
        if !is_data && random.hits(self.shrunk_window) {
            return Fate::Altered(Segment { window: random.below(3) as u32 * 700, ..*sent.segment });
        }
        match () {
            () if random.hits(self.late) => Fate::Late(random.below(150) * MS),
            () if random.hits(self.twice) => Fate::Twice,
            () => Fate::Arrives,
        }
    }
}

/// xorshift64.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn hits(&mut self, thousandths: u64) -> bool {
        self.below(1000) < thousandths
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_byte_arrives_once(
        malice in malice(),
        (sack, timestamps, merges) in any::<(bool, bool, bool)>(),
        rtt_ms in 1_u64..200,
        dice in 1_u64..,
    ) {
        let mut dice = Dice(dice);
        let mut handshake = true;
        let config = ConnectionConfig {
            accecn: false,
            timestamps,
            gro_interval_ns: merges.then_some(25_000),
            misbehaviour: None,
            sender: SenderConfig { sack, ..SenderConfig::default() },
            receiver: ReceiverConfig { sack, timestamps, ..ReceiverConfig::default() },
        };
        let most_buffered = u64::from(config.receiver.rmem_max_bytes);
        let mut wire = Wire::with(rtt_ms * MS, config, move |sent| {
            handshake &= sent.at_ns <= 2 * rtt_ms * MS && sent.segment.len == 0;
            if handshake { Fate::Arrives } else { malice.decide(sent, &mut dice) }
        });
        let (mut arrived, mut silence_s) = (0, 0);
        for write in 0..10 {
            wire.write_packets(PACKETS / 10);
            wire.run_for(write * 37 * MS);
        }
        while arrived < PACKETS * MSS {
            wire.run_for(SECOND);
            let receiver = &wire.ends[RECEIVER].receiver;
            prop_assert!(receiver.delivered_bytes() <= PACKETS * MSS);
            prop_assert!(receiver.delivered_bytes() >= arrived);
            prop_assert!(receiver.out_of_order_bytes() <= most_buffered);
            // There is always a timer.
            let sender = &wire.ends[SENDER];
            let is_waiting = sender.sender.unacknowledged_bytes() > 0;
            prop_assert!(!is_waiting || sender.deadline_ns() <= wire.now_ns + LONGEST_TIMER_S * SECOND);
            silence_s = if receiver.delivered_bytes() > arrived { 0 } else { silence_s + 1 };
            prop_assert!(silence_s < LONGEST_SILENCE_S, "{} of {} bytes arrived", arrived, PACKETS * MSS);
            arrived = receiver.delivered_bytes();
        }
        prop_assert_eq!(arrived, PACKETS * MSS);
    }
}
