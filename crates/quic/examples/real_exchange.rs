//! A transfer in real time: our endpoint sends, the QUIC implementation quinn receives, over UDP sockets of the
//! loopback interface. A relay between them emulates the rate, the delay and the drop-tail queue of a bottleneck.
//!
//! ```sh
//! cargo run --release -p fairlane-quic --features exchange --example real_exchange -- 50 20 100 20000000
//! ```
//!
//! The arguments are rate (Mbit/s, of IP packets), RTT (ms), queue (packets) and transfer (bytes). Prints one JSON object.

#![expect(clippy::disallowed_methods, reason = "exchanges packets in real time")]

#[path = "../src/tests/tls.rs"]
mod tls;

use fairlane_congestion_control::kernel::Reno;
use fairlane_quic::{Crypto, DatagramStore, QuicConfig, QuicEndpoint, HEADER_BYTES};
use fairlane_transport::{EcnMark, Transport};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::io::{ErrorKind, Result};
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

const LARGEST_DATAGRAM: usize = 2048;
/// Sleep of an idle thread: much shorter than a packet's time on the link.
const NAP: Duration = Duration::from_micros(20);

#[derive(Clone, Copy)]
struct Link {
    rate_bps: u64,
    one_way_ns: u64,
    queue_packets: usize,
}

fn main() -> Result<()> {
    let arguments = std::env::args().skip(1).map(|word| word.parse().expect("a number")).collect::<Vec<u64>>();
    let [rate_mbit, rtt_ms, queue_packets, bytes] = arguments[..] else {
        panic!("give rate (Mbit/s), RTT (ms), queue (packets) and transfer (bytes)");
    };
    let link =
        Link { rate_bps: rate_mbit * 1_000_000, one_way_ns: rtt_ms * 500_000, queue_packets: queue_packets as usize };
    let (client, server) = tls::configs();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let quinn = {
        let _inside = runtime.enter();
        let config = quinn::ServerConfig::with_crypto(server.clone());
        quinn::Endpoint::server(config, (Ipv4Addr::LOCALHOST, 0).into())?
    };
    let is_done = Arc::new(AtomicBool::new(false));
    let (near, far) = (socket()?, socket()?);
    let relay_address = near.local_addr()?;
    let quinn_address = quinn.local_addr()?;
    let relay_done = is_done.clone();
    let relay = std::thread::spawn(move || relay(link, &near, &far, quinn_address, &relay_done));
    let receiver = std::thread::spawn(move || runtime.block_on(receive(quinn)));
    send(bytes, relay_address, &Crypto { client, server })?;
    let (received_bytes, time) = receiver.join().expect("quinn receives");
    is_done.store(true, Ordering::Relaxed);
    let dropped = relay.join().expect("the relay ends")?;
    assert_eq!(received_bytes, bytes, "every byte arrives once");
    let goodput_mbps = received_bytes as f64 * 8.0 / time.as_secs_f64() / 1e6;
    println!(
        "{{\"bytes\": {received_bytes}, \"seconds\": {:.4}, \"goodput_mbps\": {goodput_mbps:.3}, \"dropped\": {dropped}}}",
        time.as_secs_f64()
    );
    Ok(())
}

fn socket() -> Result<UdpSocket> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}

/// quinn reads one stream to its end. Returns its size, and the time from the first handshake packet to its last byte.
async fn receive(endpoint: quinn::Endpoint) -> (u64, Duration) {
    let incoming = endpoint.accept().await.expect("a connection");
    let begin = Instant::now();
    let connection = incoming.await.expect("a handshake");
    let mut stream = connection.accept_uni().await.expect("a stream");
    let mut bytes = 0;
    while let Some(chunk) = stream.read_chunk(usize::MAX, false).await.expect("data") {
        bytes += chunk.bytes.len() as u64;
    }
    let time = begin.elapsed();
    // The last acknowledgement has to leave before the endpoint is dropped.
    tokio::time::sleep(Duration::from_millis(300)).await;
    (bytes, time)
}

/// Our endpoint, driven by the clock and a socket.
fn send(bytes: u64, peer: SocketAddr, crypto: &Crypto) -> Result<()> {
    let socket = socket()?;
    let store = DatagramStore::default();
    let config = QuicConfig { streams: 1, ..QuicConfig::default() };
    let mut endpoint = QuicEndpoint::new(config, crypto, store.clone(), Box::new(Reno), 1);
    let begin = Instant::now();
    let now_ns = || begin.elapsed().as_nanos() as u64;
    let mut buffer = [0; LARGEST_DATAGRAM];
    let mut last_ns = 0;
    endpoint.connect(0);
    endpoint.write(0, bytes);
    endpoint.close(0);
    while endpoint.acknowledged_bytes() < bytes {
        let mut is_idle = true;
        // Each input gets a time that never decreases.
        last_ns = now_ns().max(last_ns);
        match socket.recv_from(&mut buffer) {
            Ok((size, _)) => {
                let datagram = store.put(&buffer[..size], 0, 0);
                endpoint.on_datagram(last_ns, &datagram, EcnMark::NotEct);
                is_idle = false;
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
        if endpoint.deadline_ns() <= last_ns {
            endpoint.on_timer(last_ns);
            is_idle = false;
        }
        for outgoing in endpoint.take_outgoing() {
            if let Some(datagram) = store.take(&outgoing.datagram) {
                socket.send_to(&datagram, peer)?;
            }
        }
        if is_idle {
            std::thread::sleep(NAP);
        }
    }
    Ok(())
}

/// Forwards datagrams until it is done. Returns how many the queue dropped.
fn relay(link: Link, near: &UdpSocket, far: &UdpSocket, server: SocketAddr, is_done: &AtomicBool) -> Result<u64> {
    let begin = Instant::now();
    let mut client = None;
    let mut buffer = [0; LARGEST_DATAGRAM];
    let mut in_flight = BinaryHeap::new();
    let mut queue = VecDeque::new();
    let (mut free_ns, mut number, mut dropped) = (0, 0_u64, 0);
    while !is_done.load(Ordering::Relaxed) {
        let now_ns = begin.elapsed().as_nanos() as u64;
        let mut is_idle = true;
        if let Ok((size, from)) = near.recv_from(&mut buffer) {
            client = Some(from);
            is_idle = false;
            while queue.front().is_some_and(|&leaves_ns| leaves_ns <= now_ns) {
                queue.pop_front();
            }
            if queue.len() < link.queue_packets {
                let bits = (size as u64 + u64::from(HEADER_BYTES)) * 8;
                free_ns = now_ns.max(free_ns) + bits * 1_000_000_000 / link.rate_bps;
                queue.push_back(free_ns);
                in_flight.push(Reverse((free_ns + link.one_way_ns, number, true, buffer[..size].to_vec())));
            } else {
                dropped += 1;
            }
        }
        if let Ok((size, _)) = far.recv_from(&mut buffer) {
            is_idle = false;
            in_flight.push(Reverse((now_ns + link.one_way_ns, number, false, buffer[..size].to_vec())));
        }
        number += 1;
        while in_flight.peek().is_some_and(|Reverse((at_ns, ..))| *at_ns <= now_ns) {
            let Some(Reverse((_, _, is_forward, datagram))) = in_flight.pop() else { break };
            if is_forward {
                far.send_to(&datagram, server)?;
            } else if let Some(client) = client {
                near.send_to(&datagram, client)?;
            }
            is_idle = false;
        }
        if is_idle {
            std::thread::sleep(NAP);
        }
    }
    Ok(dropped)
}
