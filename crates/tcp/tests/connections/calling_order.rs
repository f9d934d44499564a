//! Violations of the calling order are detected.

use fairlane_congestion_control::kernel::Reno;
use fairlane_tcp::{Connection, ConnectionConfig, Segment};
use fairlane_transport::{Checked, EcnMark, Transport};

const MS: u64 = 1_000_000;

fn endpoint() -> Checked<Connection> {
    Checked::new(Connection::new(ConnectionConfig::default(), Box::new(Reno), 0))
}

fn settle(endpoint: &mut Checked<Connection>, now_ns: u64) -> (Vec<Segment>, Option<u64>) {
    let segments = endpoint.take_outgoing().map(|outgoing| outgoing.datagram).collect();
    (segments, endpoint.wakeup_to_schedule_ns(now_ns))
}

/// Two endpoints after their handshake, at 20 ms.
fn established() -> [Checked<Connection>; 2] {
    let [mut client, mut server] = [endpoint(), endpoint()];
    server.listen();
    client.connect(0);
    let (syn, _) = settle(&mut client, 0);
    server.on_datagram(10 * MS, &syn[0], EcnMark::NotEct);
    let (syn_ack, _) = settle(&mut server, 10 * MS);
    client.on_datagram(20 * MS, &syn_ack[0], EcnMark::NotEct);
    let (ack, _) = settle(&mut client, 20 * MS);
    server.on_datagram(20 * MS, &ack[0], EcnMark::NotEct);
    settle(&mut server, 20 * MS);
    assert!(client.is_established() && server.is_established());
    [client, server]
}

#[test]
fn the_documented_order_is_accepted() {
    let [mut client, mut server] = established();
    client.write(20 * MS, 1000);
    client.close(20 * MS);
    let (data, wakeup_ns) = settle(&mut client, 20 * MS);
    server.on_datagram(30 * MS, &data[0], EcnMark::Ect0);
    settle(&mut server, 30 * MS);
    assert_eq!(server.delivered_bytes(), 1000);
    let wakeup_ns = wakeup_ns.expect("a timer for the acknowledgement");
    if client.take_wakeup(wakeup_ns) {
        client.on_timer(wakeup_ns);
        settle(&mut client, wakeup_ns);
    }
    client.release();
    assert!(client.sample().srtt_ns > 0);
}

#[test]
#[should_panic(expected = "write in state New")]
fn writing_before_the_handshake_began() {
    endpoint().write(0, 1000);
}

#[test]
#[should_panic(expected = "not settled")]
fn time_passing_before_the_endpoint_is_settled() {
    let [mut client, _] = established();
    client.write(20 * MS, 1000);
    client.write(21 * MS, 1000);
}

#[test]
#[should_panic(expected = "after 20000000 ns")]
fn time_going_back() {
    let [mut client, _] = established();
    client.write(19 * MS, 1000);
}

#[test]
#[should_panic(expected = "on_timer without a wake-up")]
fn a_timer_without_a_wake_up() {
    let [mut client, _] = established();
    client.on_timer(30 * MS);
}

#[test]
#[should_panic(expected = "before everything outgoing was taken")]
fn datagrams_left_behind() {
    let [mut client, _] = established();
    client.write(20 * MS, 1000);
    client.wakeup_to_schedule_ns(20 * MS);
}

#[test]
#[should_panic(expected = "exchange_buffer for one with datagrams")]
fn an_exchanged_buffer_with_datagrams() {
    let [mut client, _] = established();
    client.write(20 * MS, 1000);
    let mut buffer = Vec::new();
    client.exchange_buffer(&mut buffer);
    assert_eq!(buffer.len(), 1, "what was outgoing has come along");
    client.exchange_buffer(&mut buffer);
}

#[test]
#[should_panic(expected = "sent more than it got")]
fn a_host_queue_that_sends_more_than_it_received() {
    let [mut client, _] = established();
    client.on_host_queue_sent(20 * MS, 1);
}

#[test]
#[should_panic(expected = "write after close")]
fn writing_after_closing() {
    let [mut client, _] = established();
    client.close(20 * MS);
    client.write(20 * MS, 1);
}
