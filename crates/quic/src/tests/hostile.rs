//! Hostile peers and networks.

use super::pair::{Dice, Fate, Pair, Path, MS, SECOND};
use super::real_tls;
use crate::{Crypto, QuicConfig};
use fairlane_congestion_control::kernel::Reno;
use fairlane_transport::{Side, Transport};

const SEQUENCES: u64 = 20_000;
const NETWORKS: u64 = 1_000;
const PROTECTED_SEQUENCES: u64 = 500;
/// A fixed seed; change it to try others.
const SEED: u64 = 1;
const PACKET_BYTES: u64 = 1150;
const LONGEST_S: u64 = 600;

/// Probabilities of the fates of a datagram, in thousandths.
#[derive(Clone, Copy)]
struct Malice {
    loss: u64,
    late: u64,
    twice: u64,
    altered: u64,
}

fn fates(malice: Malice, seed: u64) -> impl FnMut(Side, u64) -> Fate {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut total = 0;
    move |_, _| {
        total += 1;
        let roll = dice.below(1000);
        let Malice { loss, late, twice, altered } = malice;
        match roll {
            // A peer that never stops may prevent all progress.
            _ if total > 200 => Fate::Arrives,
            _ if roll < loss => Fate::IsLost,
            _ if roll < loss + late => Fate::IsLate(dice.below(150) * MS),
            _ if roll < loss + late + twice => Fate::ArrivesTwice,
            _ if roll < loss + late + twice + altered => Fate::IsAltered(dice.below(u64::MAX)),
            _ => Fate::Arrives,
        }
    }
}

fn config(seed: u64) -> QuicConfig {
    let mut dice = Dice(seed.wrapping_mul(0xD134_2543_DE82_EF95) | 1);
    QuicConfig {
        streams: 1 + dice.below(4) as u32,
        ack_every_packets: [2, 2, 10, 1][dice.below(4) as usize],
        ecn: dice.below(2) == 0,
        pacing: dice.below(4) > 0,
        stream_window_bytes: [1 << 26, 20_000][dice.below(2) as usize],
        ..QuicConfig::default()
    }
}

/// Packets without cryptography are not authenticated, so an altered one is like that of a hostile peer. It may end the
/// connection. It must not make an endpoint panic, send without end, or wait without a timer.
#[test]
fn a_hostile_peer_can_only_end_the_connection() {
    let mut ended = 0;
    for seed in SEED..SEED + SEQUENCES {
        let malice = Malice { loss: 20, late: 20, twice: 20, altered: 20 + seed % 300 };
        let path = Path { fate: Box::new(fates(malice, seed)), ..Path::default() };
        let bytes = (1 + seed % 30) * PACKET_BYTES;
        let mut pair = Pair::new(&config(seed), path);
        pair.transfer(bytes);
        let is_over = |pair: &Pair| pair.ends.iter().any(|end| end.endpoint().failure.is_some());
        pair.run(30 * SECOND, |pair| is_over(pair) || pair.delivered_bytes() >= bytes);
        ended += u64::from(is_over(&pair));
        if !is_over(&pair) && pair.ends[0].inflight_bytes() > 0 {
            assert!(pair.ends[0].deadline_ns() < u64::MAX, "sequence {seed}: data is out, and no timer runs");
        }
        pair.run_for(5 * SECOND);
        assert!(pair.log.len() < 4000, "sequence {seed}: {} datagrams for {bytes} bytes", pair.log.len());
    }
    assert!(ended > SEQUENCES / 10, "{ended} connections ended: the alterations reach the protocol");
}

#[test]
fn every_byte_arrives_once_over_random_networks() {
    for seed in SEED..SEED + NETWORKS {
        let mut dice = Dice(seed << 20 | 1);
        dice.below(2);
        let malice = Malice { loss: dice.below(250), late: dice.below(200), twice: dice.below(100), altered: 0 };
        let path = Path {
            rate_bps: 100_000 + dice.below(50_000_000),
            one_way_delay_ns: dice.below(100) * MS,
            queue_packets: 2 + dice.below(60) as usize,
            fate: Box::new(fates(malice, seed)),
        };
        arrives(Pair::new(&config(seed), path), 100 * PACKET_BYTES, seed);
    }
}

/// With packet protection, an altered packet is discarded (RFC 9001 section 5.3) and counts as lost.
#[test]
fn every_byte_arrives_once_if_altered_packets_are_discarded() {
    let crypto: Crypto = real_tls::crypto();
    for seed in SEED..SEED + PROTECTED_SEQUENCES {
        let malice = Malice { loss: 20, late: 50, twice: 50, altered: 20 + seed % 250 };
        let path = Path { fate: Box::new(fates(malice, seed)), ..Path::default() };
        arrives(Pair::with(&config(seed), path, &crypto, || Box::new(Reno)), 40 * PACKET_BYTES, seed);
    }
}

/// Exactly `bytes` are delivered to the application, in order, and acknowledged.
fn arrives(mut pair: Pair, bytes: u64, seed: u64) {
    pair.transfer(bytes);
    let mut delivered_bytes = 0;
    for second in 1..=LONGEST_S {
        pair.run(second * SECOND, |pair| pair.ends[0].acknowledged_bytes() == bytes);
        assert!(pair.delivered_bytes() >= delivered_bytes && pair.delivered_bytes() <= bytes, "case {seed}");
        delivered_bytes = pair.delivered_bytes();
        if pair.ends[0].acknowledged_bytes() == bytes {
            break;
        }
    }
    let failures = pair.ends.each_ref().map(|end| end.endpoint().failure.clone());
    let acknowledged_bytes = pair.ends[0].acknowledged_bytes();
    assert_eq!((delivered_bytes, acknowledged_bytes), (bytes, bytes), "case {seed} stands still: {failures:?}");
}
