use super::*;

const MS: u64 = 1_000_000;

fn emulator(link: &str, delay_ms: u64) -> Emulator {
    let scenario = serde_json::json!({
        "seed": 1, "duration_ns": 1_000_000_000u64, "series_interval_ns": 100 * MS,
        "links": [
            serde_json::from_str::<serde_json::Value>(link).expect("JSON"),
            {"name": "back", "delay_ns": delay_ms * MS},
        ],
        "flows": [{"algorithm": "-", "forward": ["there"], "reverse": ["back"]}],
    });
    let scenario = fairlane_contract::read(&scenario.to_string()).expect("a scenario");
    Emulator::new(&scenario).expect("a network")
}

/// An IPv4 packet whose identification says which one it is.
fn packet(number: u16, bytes: usize, ecn: u8) -> Vec<u8> {
    let mut packet = vec![0; bytes];
    (packet[0], packet[1], packet[9]) = (0x45, ecn, 17);
    packet[4..6].copy_from_slice(&number.to_be_bytes());
    packet
}

fn enter(emulator: &mut Emulator, now_ns: u64, port: usize, packet: &[u8]) {
    emulator.vacant(port)[..packet.len()].copy_from_slice(packet);
    emulator.send(now_ns, port, packet.len());
}

/// Time, port and packet of everything that leaves until `now_ns`.
fn leave(emulator: &mut Emulator, now_ns: u64) -> Vec<(u64, usize, Vec<u8>)> {
    std::iter::from_fn(|| {
        emulator.next_arrival(now_ns).map(|arrival| (arrival.due_ns, arrival.port, arrival.packet.to_vec()))
    })
    .collect()
}

#[test]
fn packets_leave_at_the_far_end_at_the_times_of_the_link() {
    // 1000 bytes with 14 of Ethernet take 1.014 ms at 8 Mbit/s.
    let mut emulator = emulator(r#"{"name": "there", "rate_bps": 8000000, "delay_ns": 20000000}"#, 20);
    for number in 0..3 {
        enter(&mut emulator, 5 * MS, 0, &packet(number, 1000, 0));
    }
    enter(&mut emulator, 6 * MS, 1, &packet(9, 40, 0));
    let left = leave(&mut emulator, 100 * MS);
    let expected = [(26_014_000, 1, 0), (26_000_000, 0, 9), (27_028_000, 1, 1), (28_042_000, 1, 2)];
    let mut expected =
        expected.map(|(due_ns, port, number)| (due_ns, port, packet(number, if number == 9 { 40 } else { 1000 }, 0)));
    expected.sort_by_key(|(due_ns, ..)| *due_ns);
    assert_eq!(left, expected);
    let (links, _, counts) = emulator.finish(100 * MS);
    assert_eq!((links[0].delivered_packets, links[0].transmitted_bytes, counts.entered), (3, 3 * 1014, 4));
}

#[test]
fn a_late_call_changes_no_time() {
    let link = r#"{"name": "there", "rate_bps": 8000000}"#;
    let (mut prompt, mut late) = (emulator(link, 1), emulator(link, 1));
    let mut seen = Vec::new();
    for number in 0..50u16 {
        let now_ns = u64::from(number) * MS / 2;
        seen.extend(leave(&mut prompt, now_ns));
        enter(&mut prompt, now_ns, 0, &packet(number, 1000, 0));
        enter(&mut late, now_ns, 0, &packet(number, 1000, 0));
    }
    seen.extend(leave(&mut prompt, 999 * MS));
    assert_eq!(seen.len(), 50);
    assert_eq!(leave(&mut late, 999 * MS), seen);
}

#[test]
fn marks_and_drops_are_those_of_the_queue() {
    let link =
        r#"{"name": "there", "rate_bps": 1000000, "queue": {"kind": "codel", "ecn": true, "limit_packets": 50}}"#;
    let mut emulator = emulator(link, 0);
    for number in 0..200 {
        enter(&mut emulator, 0, 0, &packet(number, 1000, 0b10));
    }
    let left = leave(&mut emulator, 999 * MS);
    let marked = left.iter().filter(|(_, _, packet)| packet[1] == 0b11).count() as u64;
    let (links, ..) = emulator.finish(999 * MS);
    // The queue holds 50 in addition to the one that is being transmitted.
    assert_eq!((links[0].dropped_packets, left.len()), (149, 51));
    assert_eq!(links[0].marked_packets, marked);
    assert!(marked > 1, "{marked}");
}

#[test]
fn packets_that_the_network_cannot_carry_are_counted() {
    let mut emulator = emulator(r#"{"name": "there"}"#, 0);
    enter(&mut emulator, 0, 0, &[0; 60]);
    enter(&mut emulator, 0, 0, &packet(1, 1536, 0));
    enter(&mut emulator, 0, 0, &packet(2, 1500, 0));
    assert_eq!(leave(&mut emulator, 0).len(), 1);
    let (.., counts) = emulator.finish(MS);
    assert_eq!((counts.refused, counts.entered, counts.missing), (2, 1, 0));
}

#[test]
fn samples_stand_at_their_times_however_late_they_are_taken() {
    let mut emulator = emulator(r#"{"name": "there", "rate_bps": 8000000}"#, 0);
    enter(&mut emulator, 0, 0, &packet(1, 1000, 0));
    assert_eq!(leave(&mut emulator, 350 * MS).len(), 1);
    let (_, series, _) = emulator.finish(350 * MS);
    assert_eq!(series[0].t_s, [0.1, 0.2, 0.3]);
}
