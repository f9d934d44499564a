//! The receive window: its start, growth, right-sizing, closing and reopening.

use super::*;

#[test]
fn the_start_is_that_of_linux() {
    let host = Host::new(config());
    // Half of 128 KiB, in whole segments: 65,160, as in the SYN-ACKs of Linux since 6.10.
    assert_eq!(host.receiver.offered_window_bytes(), 65_160);
    assert_eq!(host.receiver.window.scale, 7, "6 MiB");
    assert_eq!(Receiver::new(ReceiverConfig { rmem_max_bytes: 64 << 20, ..config() }, 0).window.scale, 11);
}

#[test]
fn the_window_grows_by_two_segments_per_segment_up_to_the_buffer() {
    let mut host = Host::new(config());
    let mut windows = Vec::new();
    for packet in 0..40 {
        windows.push(host.arrive(host.packet(packet)).map(|ack| ack.window));
    }
    let step = windows[1].unwrap() - windows[0].unwrap();
    assert!((2 * 1460 - 128..=2 * 1460 + 128).contains(&step), "{step}");
    // 2304 bytes of memory for 1448 of payload make the buffer worth 160/256; room for the segment that
    // just arrives is left out, and the result is rounded up to the scale.
    assert_eq!(host.ack().window, ((131_072 - 2304) * 160 / 256_u32).next_multiple_of(128));
}

/// Windows of Linux 6.12.117 and 7.2.12 after the first segment: 67,584 of 64,088 + 2,896 bytes at a scale of 11.
#[test]
fn the_first_segment_grows_the_window_from_the_one_with_a_segment_in_reserve() {
    for (prompt_rtt, threshold) in [(true, 131_072 / 2 - 1460), (false, 45 * 1448)] {
        let mut host = Host::new(ReceiverConfig { prompt_rtt, ..config() });
        let _ = host.arrive(host.packet(0));
        assert_eq!(host.ack().window, (threshold + 2 * 1460_u32).next_multiple_of(128), "{prompt_rtt}");
    }
}

#[test]
fn the_window_field_is_rounded_to_the_scale() {
    let mut host = Host::new(config());
    for packet in 0..20 {
        let _ = host.arrive(host.packet(packet));
        assert_eq!(host.ack().window % (1 << host.receiver.window.scale), 0);
    }
}

#[test]
fn an_application_that_does_not_read_closes_the_window_and_reading_reopens_it() {
    let mut host = Host::new(ReceiverConfig { auto_read: false, ..config() });
    let mut packet = 0;
    let mut edge = host.receiver.right_edge();
    while host.offset(packet + 1) <= host.receiver.right_edge() {
        let _ = host.arrive(host.packet(packet));
        host.ack();
        assert!(host.receiver.right_edge() >= edge, "the right edge moved back");
        edge = host.receiver.right_edge();
        packet += 1;
        assert!(packet < 200, "the window never closes");
    }
    host.ack();
    let rest = (host.receiver.right_edge() - host.receiver.rcv_nxt()) as u32;
    if rest > 0 {
        let _ = host.arrive(host.bytes(host.offset(packet), rest));
    }
    let ack = host.ack();
    assert_eq!(ack.window, 0);
    // A probe beyond the window is dropped and answered (RFC 9293 §3.8.6.1).
    let before = host.receiver.delivered_bytes();
    let ack = host.arrive(host.bytes(host.receiver.rcv_nxt(), 1)).expect("answer to the probe");
    assert_eq!((ack.window, host.receiver.delivered_bytes()), (0, before));
    // Reading one packet causes no update, reading many does.
    assert_eq!(host.receiver.read(host.now_ns, 1000), AckNeed::None);
    assert_eq!(host.receiver.read(host.now_ns, 60_000), AckNeed::Now);
    assert!(host.ack().window > 30_000);
}

#[test]
fn answers_to_window_probes_are_rate_limited() {
    let mut host = Host::settled(config());
    let probe = host.bytes(host.offset(0) - 1, 0);
    assert!(host.arrive(probe).is_some());
    assert!(host.arrive(probe).is_none(), "answered within the last half second");
    host.now_ns += 500 * MS;
    assert!(host.arrive(probe).is_some());
}

#[test]
fn data_beyond_the_window_is_dropped_and_answered() {
    let mut host = Host::settled(config());
    let beyond = host.bytes(host.receiver.right_edge() + 1, 100);
    let ack = host.arrive(beyond).expect("duplicate ACK");
    assert_eq!((ack.ack, ack.sack_count), (host.offset(0), 0));
    assert_eq!(host.receiver.out_of_order_bytes(), 0);
}

/// One round: the sender fills the window or its own limit, and its echoed timestamps show the RTT.
fn round(host: &mut Host, rtt_ns: u64, next_packet: &mut u64, packets: u64) {
    let echo = timestamp_ms(host.now_ns);
    let start_ns = host.now_ns + rtt_ns;
    let limit = host.receiver.right_edge();
    for index in 0..packets {
        if host.offset(*next_packet + 1) > limit {
            break;
        }
        host.now_ns = start_ns + index * rtt_ns / packets / 2;
        let segment = Segment { tsecr: echo, ..host.packet(*next_packet) };
        let _ = host.arrive(segment);
        *next_packet += 1;
    }
    host.now_ns = start_ns;
    host.ack();
}

#[test]
fn right_sizing_stays_ahead_of_a_sender_in_slow_start() {
    let mut host = Host::new(ReceiverConfig { autotune: true, ..config() });
    let (mut next, mut packets) = (0, 10);
    let mut buffers = vec![host.receiver.buffer_bytes()];
    host.now_ns = 1000 * MS;
    for number in 0..12 {
        let before = next;
        round(&mut host, 40 * MS, &mut next, packets);
        assert!(
            host.receiver.buffer_bytes() == 6_291_456 || next - before == packets,
            "round {number} was limited by the window"
        );
        packets = (packets * 2).min(4000);
        buffers.push(host.receiver.buffer_bytes());
    }
    assert!(buffers.windows(2).all(|pair| pair[0] <= pair[1]), "never smaller: {buffers:?}");
    assert_eq!(*buffers.last().unwrap(), 6_291_456, "up to tcp_rmem[2]: {buffers:?}");
    assert!((35_000..=41_000).contains(&host.receiver.receiver_rtt_us()), "{}", host.receiver.receiver_rtt_us());
}

/// Buffer after rounds of these numbers of packets with this RTT.
fn buffer_after(config: ReceiverConfig, rtt_ns: u64, rounds: &[u64]) -> u32 {
    let mut host = Host::new(ReceiverConfig { autotune: true, ..config });
    let mut next = 0;
    host.now_ns = 1000 * MS;
    for &packets in rounds {
        round(&mut host, rtt_ns, &mut next, packets);
    }
    host.receiver.buffer_bytes()
}

#[test]
fn prompt_right_sizing_keeps_no_segments_in_reserve() {
    let rounds = [10, 20, 40, 80, 80, 80];
    let prompt = buffer_after(ReceiverConfig { prompt_right_sizing: true, ..config() }, 40 * MS, &rounds);
    assert!(prompt < buffer_after(config(), 40 * MS, &rounds), "{prompt}");
}

/// Linux since 6.19 (`tcp_rcvbuf_low_rtt`): in a data centre a large buffer would only push packets out of the cache.
#[test]
fn below_a_low_rtt_the_buffer_grows_more_slowly() {
    let rounds = [10, 20, 40, 80, 160];
    let prompt = ReceiverConfig { prompt_right_sizing: true, ..config() };
    let slow = ReceiverConfig { rcvbuf_low_rtt_us: 8_000, ..prompt };
    assert!(buffer_after(slow, 2 * MS, &rounds) < buffer_after(prompt, 2 * MS, &rounds));
    assert_eq!(buffer_after(slow, 40 * MS, &rounds), buffer_after(prompt, 40 * MS, &rounds));
}

#[test]
fn prompt_right_sizing_makes_room_behind_a_hole_at_once() {
    for prompt_right_sizing in [false, true] {
        let mut host = Host::new(ReceiverConfig { autotune: true, prompt_right_sizing, ..config() });
        let mut next = 0;
        host.now_ns = 1000 * MS;
        round(&mut host, 40 * MS, &mut next, 10);
        let before = host.receiver.buffer_bytes();
        host.now_ns += 40 * MS;
        for packet in next + 1..next + 45 {
            let _ = host.arrive(host.packet(packet));
        }
        assert_eq!(host.receiver.buffer_bytes() > before, prompt_right_sizing);
    }
}

#[test]
fn without_autotuning_the_buffer_stays() {
    let mut host = Host::new(config());
    let mut next = 0;
    host.now_ns = 1000 * MS;
    for _ in 0..12 {
        round(&mut host, 40 * MS, &mut next, 1000);
    }
    assert_eq!(host.receiver.buffer_bytes(), 131_072);
}

#[test]
fn tiny_segments_exhaust_the_buffer_without_errors() {
    let mut host = Host::new(ReceiverConfig { auto_read: false, ..config() });
    host.first = 0;
    let mut seq = FIRST_BYTE;
    for _ in 0..20_000 {
        let _ = host.arrive(host.bytes(seq, 10));
        host.ack();
        seq = host.receiver.rcv_nxt();
    }
    let used = host.receiver.window.used_bytes;
    assert!(used <= host.receiver.buffer_bytes() + 4096, "{used}");
    let _ = host.receiver.read(host.now_ns, u64::MAX);
    assert_eq!(host.receiver.window.used_bytes, 0);
    assert!(host.ack().window > 0);
}

/// The kernel sends the ACK for a filled hole before the application runs.
#[test]
fn the_ack_for_a_filled_hole_leaves_before_the_application_reads() {
    let mut host = Host::new(config());
    for packet in 0..SETTLING_PACKETS {
        let _ = host.arrive(host.packet(packet));
    }
    let full = host.ack().window;
    for packet in SETTLING_PACKETS + 1..SETTLING_PACKETS + 31 {
        let _ = host.arrive(host.packet(packet));
    }
    let ack = host.arrive(host.packet(SETTLING_PACKETS)).expect("an ACK at once");
    assert_eq!(ack.ack, host.offset(SETTLING_PACKETS + 31));
    // 31 packets of 2304 bytes each, at 160/256, are still unread, but for the one that always is.
    let unread = 30 * 2304 * 160 / 256;
    assert!(full.abs_diff(ack.window + unread) <= 128, "{full} before, {} after", ack.window);
    assert_eq!(host.receiver.readable_bytes(), 0);
    assert_eq!(host.ack().window, full);
}

#[test]
fn a_fin_is_accepted_with_a_closed_window() {
    let mut host = Host::new(ReceiverConfig { auto_read: false, ..config() });
    while host.receiver.right_edge() > host.receiver.rcv_nxt() {
        let room = (host.receiver.right_edge() - host.receiver.rcv_nxt()).min(MSS) as u32;
        let _ = host.arrive(host.bytes(host.receiver.rcv_nxt(), room));
        host.ack();
    }
    let next = host.receiver.rcv_nxt();
    let with_data = Segment { flags: flags::ACK | flags::FIN, ..host.bytes(next, 1) };
    let _ = host.arrive(with_data);
    assert_eq!(host.receiver.rcv_nxt(), next, "data finds no room");
    let _ = host.arrive(Segment { flags: flags::ACK | flags::FIN, ..host.bytes(next, 0) });
    assert!(host.receiver.is_finished());
    let ack = host.ack();
    assert_eq!((ack.ack, ack.window), (next + 1, 0));
}
