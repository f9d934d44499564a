//! One end of a connection: quinn-proto's protocol machine, the simulation's time and network, and congestion control.
//!
//! quinn-proto implements RFC 9000 and the loss detection of RFC 9002: streams and flow control, acknowledgements, both
//! loss thresholds, probe timeouts. Its congestion controller only listens ([`Listener`]). This module controls
//! sending: it polls for packets while the window and the departure time of [`Congestion`] allow it.

use crate::clock::Clock;
use crate::config::QuicConfig;
use crate::congestion::acknowledging::{News, PacketsLost};
use crate::congestion::Congestion;
use crate::datagram::{DatagramStore, QuicDatagram};
use crate::listener::Listener;
use crate::qlog::{Qlog, QlogSink};
use crate::setup::{self, Crypto};
use crate::streams::ByteSet;
use crate::tap::{Eliciting, Tap, TappedPacket};
use bytes::Bytes;
use fairlane_congestion_control::CongestionControl;
use fairlane_transport::{EcnMark, LimitTimes, Outgoing, SendLimit, Wakeups};
use quinn_proto::{
    Connection, ConnectionError, ConnectionHandle, DatagramEvent, Dir, EcnCodepoint, Endpoint, Event, StreamEvent,
    StreamId, Transmit,
};
use std::sync::Arc;

/// Data that is passed to quinn-proto in advance.
const READY_BYTES: u64 = 64 << 10;
/// The bit of a packet's first byte that all packets but those of 1-RTT have (RFC 9000 section 17.2).
const LONG_HEADER: u8 = 0x80;
/// Its fields beyond a short header: version, the lengths of both connection ids, our own, and the length of the
/// packet.
const LONG_HEADER_BYTES: u32 = 4 + 1 + 1 + 8 + 2;
/// An endpoint acknowledges every second packet until its peer asks for less (RFC 9000 section 13.2.2).
const UNACKNOWLEDGED_PACKETS: u32 = 2;
/// quinn-proto adds no frame to a packet with less room.
const FRAME_ROOM_BYTES: u32 = 64;

/// An endpoint.
pub struct QuicEndpoint {
    pub(crate) congestion: Congestion,
    pub(crate) outgoing: Vec<Outgoing<QuicDatagram>>,
    pub(crate) wakeups: Wakeups,
    pub(crate) is_established: bool,
    /// Limits of sending, and their times.
    pub(crate) limits: LimitTimes,
    /// Streams that the peer sends, and their received ranges.
    received: Vec<(StreamId, ByteSet)>,
    /// Data that has arrived in DATAGRAM frames.
    received_datagram_bytes: u64,
    config: QuicConfig,
    clock: Clock,
    endpoint: Endpoint,
    client: Option<quinn_proto::ClientConfig>,
    connection: Option<(ConnectionHandle, Connection)>,
    listener: Listener,
    tap: Arc<Tap>,
    store: DatagramStore,
    /// The send time of the last packet.
    last_sent_ns: u64,
    /// Time of quinn-proto's next timer.
    timer_ns: u64,
    /// Time at which pacing releases the next packet; `u64::MAX` if none is delayed.
    pacing_ns: u64,
    /// quinn-proto may have packets to send that ignore the window: an acknowledgement, a probe, a handshake message.
    may_have_output: bool,
    /// quinn-proto only has to send an acknowledgement of this many in-order packets; `None` if it may have more to
    /// send.
    unacknowledged: Option<u32>,
    /// The number of the last packet that arrived with data.
    last_number: u64,
    /// quinn-proto has had an input since its events were last read.
    has_input: bool,
    /// Streams to which the application's data is written in turn.
    streams: Vec<StreamId>,
    next_stream: usize,
    /// Bytes that the application has written, and those passed to quinn-proto.
    write_bytes: u64,
    handed_bytes: u64,
    is_closing: bool,
    is_finished: bool,
    /// Reason why the connection is over, if it is. No endpoint closes one, so the peer violated the protocol.
    pub(crate) failure: Option<ConnectionError>,
    log: Option<Box<Qlog>>,
    zeros: Bytes,
    buffer: Vec<u8>,
    news: Buffers,
}

/// Events from quinn-proto to congestion control; kept to reuse its memory.
#[derive(Default)]
struct Buffers {
    acknowledged: Vec<u64>,
    losses: Vec<PacketsLost>,
}

/// Properties of a datagram that was sent.
#[derive(Clone, Copy, Debug)]
struct Sent {
    is_ack_eliciting: bool,
    /// It ends with a 1-RTT packet with room for more frames, so there were none.
    has_room: bool,
}

impl QuicEndpoint {
    /// `seed` is for quinn-proto's own random numbers, such as the packet numbers that it skips (RFC 9000 section
    /// 21.4).
    pub fn new(
        config: QuicConfig,
        crypto: &Crypto,
        store: DatagramStore,
        algorithm: Box<dyn CongestionControl>,
        seed: u64,
    ) -> Self {
        let listener = Listener::new();
        let tap = Arc::new(Tap::default());
        let (endpoint, client) = setup::endpoint(&config, crypto, &listener, &tap, seed);
        Self {
            congestion: Congestion::new(config.clone(), algorithm),
            outgoing: Vec::new(),
            wakeups: Wakeups::NONE,
            is_established: false,
            limits: LimitTimes::default(),
            received: Vec::new(),
            received_datagram_bytes: 0,
            clock: Clock::new(),
            endpoint,
            client: Some(client),
            connection: None,
            listener,
            tap,
            zeros: store.zeros(),
            store,
            last_sent_ns: 0,
            timer_ns: u64::MAX,
            pacing_ns: u64::MAX,
            may_have_output: true,
            unacknowledged: None,
            last_number: 0,
            has_input: false,
            streams: Vec::new(),
            next_stream: 0,
            write_bytes: 0,
            handed_bytes: 0,
            is_closing: false,
            is_finished: false,
            failure: None,
            log: None,
            buffer: Vec::new(),
            news: Buffers::default(),
            config,
        }
    }

    /// Sets the algorithm's flow number and the seed of its random numbers.
    pub fn set_flow(&mut self, flow: u32, random: u64) {
        self.congestion.sock.fairlane_flow = flow;
        self.congestion.sock.fairlane_random = random;
    }

    /// Logs packets, losses and windows from now on.
    pub fn log_to(&mut self, sink: QlogSink, title: String) {
        self.log = Some(Box::new(Qlog::new(sink, title)));
        self.tap.seen().log = Some(Vec::new());
        self.congestion.lost_for_log = Some(Vec::new());
    }

    /// Logs the events since the last call.
    fn write_log(&mut self, now_ns: u64) {
        let Some(log) = &mut self.log else { return };
        for packet in self.tap.seen().log.iter_mut().flat_map(|packets| packets.drain(..)) {
            log.packet(now_ns, &packet);
        }
        for number in self.congestion.lost_for_log.iter_mut().flat_map(|numbers| numbers.drain(..)) {
            log.lost(now_ns, number);
        }
        log.metrics(now_ns, &self.congestion.sock, self.congestion.in_flight_bytes());
    }

    pub(crate) fn connect(&mut self, now_ns: u64) {
        let Some(client) = self.client.take() else { return };
        if let Some(log) = &mut self.log {
            log.begin_as(true);
        }
        let now = self.clock.instant(now_ns);
        let connection = self.endpoint.connect(now, client, setup::PEER, setup::SERVER_NAME);
        self.connection = Some(connection.expect("address and version are valid"));
        self.has_input = true;
        if self.config.zero_rtt {
            self.congestion.establish(now_ns, None);
        }
        self.pump(now_ns);
    }

    pub(crate) fn on_datagram(&mut self, now_ns: u64, datagram: &QuicDatagram, mark: EcnMark) {
        let Some(bytes) = self.store.take(datagram) else { return };
        if let Some(log) = &mut self.log {
            log.begin_as(false);
        }
        // A packet with a long header belongs to the handshake; for others, the tap reports whether they are
        // ack-eliciting.
        if bytes.first().is_some_and(|first| first & LONG_HEADER != 0) {
            self.expect_output();
        }
        if mark == EcnMark::Ce {
            self.expect_output();
        }
        self.has_input = true;
        let now = self.clock.instant(now_ns);
        let ecn = match mark {
            EcnMark::NotEct => None,
            EcnMark::Ect0 => Some(EcnCodepoint::Ect0),
            EcnMark::Ect1 => Some(EcnCodepoint::Ect1),
            EcnMark::Ce => Some(EcnCodepoint::Ce),
        };
        self.buffer.clear();
        match self.endpoint.handle(now, setup::PEER, None, ecn, bytes, &mut self.buffer) {
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some((_, connection)) = &mut self.connection {
                    connection.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) if self.connection.is_none() => {
                self.connection = self.endpoint.accept(incoming, now, &mut self.buffer, None).ok();
            }
            Some(DatagramEvent::NewConnection(incoming)) => self.endpoint.ignore(incoming),
            Some(DatagramEvent::Response(transmit)) => {
                let datagram = self.store.put(&self.buffer[..transmit.size], 0, 0);
                self.put(now_ns, &transmit, datagram);
            }
            None => {}
        }
        self.pump(now_ns);
    }

    pub(crate) fn on_timer(&mut self, now_ns: u64) {
        if self.timer_ns <= now_ns {
            self.expect_output();
            self.has_input = true;
            if let Some((_, connection)) = &mut self.connection {
                connection.handle_timeout(self.clock.instant(now_ns));
            }
            // Only probes of the PTO ignore the window.
            if self.is_established && !self.hear(now_ns) {
                // A peer that has acknowledged nothing may lack handshake messages. quinn-proto retransmits them only
                // if the window allows it, and data that such a peer cannot read may have filled the window.
                self.listener.open_window(self.congestion.nothing_is_acknowledged());
                let mut has_probed = false;
                while let Some(sent) = self.send_packet(now_ns) {
                    self.listener.open_window(false);
                    has_probed |= sent.is_ack_eliciting;
                }
                self.may_have_output = false;
                self.congestion.timeouts += u32::from(has_probed);
            }
        }
        self.pump(now_ns);
    }

    pub(crate) fn write(&mut self, now_ns: u64, bytes: u64) {
        self.write_bytes += bytes;
        self.pump(now_ns);
    }

    pub(crate) fn close(&mut self, now_ns: u64) {
        self.is_closing = true;
        self.pump(now_ns);
    }

    pub(crate) fn deadline_ns(&self) -> u64 {
        self.timer_ns.min(self.pacing_ns)
    }

    pub(crate) fn unsent_bytes(&self) -> u64 {
        self.write_bytes - self.congestion.streams.sent_bytes()
    }

    pub(crate) fn delivered_bytes(&self) -> u64 {
        self.received_datagram_bytes + self.received.iter().map(|(_, bytes)| bytes.end()).sum::<u64>()
    }

    /// quinn-proto's own estimate of the RTT.
    #[cfg(test)]
    pub(crate) fn protocol_rtt_ns(&self) -> u64 {
        self.connection.as_ref().map_or(0, |(_, connection)| connection.rtt().as_nanos() as u64)
    }

    /// How often DATA_BLOCKED and STREAM_DATA_BLOCKED were sent.
    #[cfg(test)]
    pub(crate) fn blocked_frames(&self) -> (u64, u64) {
        let sent = self.connection.as_ref().map(|(_, connection)| connection.stats().frame_tx).unwrap_or_default();
        (sent.data_blocked, sent.stream_data_blocked)
    }

    /// Streams that the peer has opened.
    #[cfg(test)]
    pub(crate) fn received_streams(&self) -> usize {
        self.received.len()
    }

    /// Data that the peer's flow control permits beyond the acknowledged data.
    pub(crate) fn receive_window_bytes(&self) -> u64 {
        let end = self.tap.seen().max_data.max(self.config.connection_window_bytes);
        end.saturating_sub(self.congestion.streams.acknowledged_bytes())
    }

    /// After an input: passes quinn-proto's findings to congestion control, reads arrived data, and sends.
    fn pump(&mut self, now_ns: u64) {
        self.hear(now_ns);
        if self.log.is_some() {
            self.write_log(now_ns);
        }
        if std::mem::take(&mut self.has_input) {
            self.run_events(now_ns);
        }
        while let Some(datagram) = self.congestion.take_expired(now_ns) {
            self.store.forget(&datagram);
        }
        self.pacing_ns = u64::MAX;
        if self.is_established {
            self.send(now_ns);
        } else {
            if self.config.zero_rtt {
                // Before any acknowledgement: one initial window (RFC 9002 section 7.2).
                let packet_bytes = self.config.payload_bytes() - LONG_HEADER_BYTES;
                let window = self.config.initial_cwnd_packets * packet_bytes;
                self.hand_over(window.into());
            }
            self.listener.open_window(true);
            while self.send_packet(now_ns).is_some() {}
        }
        if self.log.is_some() {
            self.write_log(now_ns);
        }
        self.timer_ns = self
            .connection
            .as_mut()
            .and_then(|(_, connection)| connection.poll_timeout())
            .map_or(u64::MAX, |at| self.clock.ns(at));
    }

    /// Sends data while window and pacing allow it, then packets that ignore the window: acknowledgements and probes.
    fn send(&mut self, now_ns: u64) {
        let ack_every = self.config.ack_every_packets.min(UNACKNOWLEDGED_PACKETS);
        let owes_nothing = self.unacknowledged.is_some_and(|packets| packets < ack_every);
        let mut has_sent_all = owes_nothing && self.write_bytes == 0 && !self.is_closing;
        while self.congestion.window_has_room() && !has_sent_all {
            if self.congestion.departure_ns() > now_ns {
                break;
            }
            self.hand_over(self.congestion.streams.sent_bytes() + READY_BYTES);
            self.listener.open_window(true);
            has_sent_all = self.send_packet(now_ns).is_none_or(|sent| sent.has_room);
        }
        if !has_sent_all {
            if self.may_have_output {
                self.listener.open_window(false);
                while self.send_packet(now_ns).is_some_and(|sent| !sent.has_room || sent.is_ack_eliciting) {}
            }
            if self.congestion.window_has_room() {
                self.pacing_ns = self.congestion.departure_ns();
            }
        }
        self.may_have_output = false;
        self.congestion.on_nothing_more(!has_sent_all);
        let limit = if has_sent_all {
            self.limit_of_data()
        } else if self.congestion.window_has_room() {
            SendLimit::Pacing
        } else {
            SendLimit::CongestionWindow
        };
        self.limits.set(limit, now_ns);
    }

    /// The limit when quinn-proto has sent all data that it accepted.
    fn limit_of_data(&self) -> SendLimit {
        let acknowledged_bytes = self.congestion.streams.acknowledged_bytes();
        if self.unsent_bytes() == 0 || self.config.datagrams {
            let is_idle = self.congestion.streams.in_flight_bytes() == 0;
            return if is_idle { SendLimit::Idle } else { SendLimit::Application };
        }
        if self.handed_bytes - acknowledged_bytes >= self.config.send_buffer_bytes {
            SendLimit::SendBuffer
        } else {
            SendLimit::ReceiveWindow
        }
    }

    /// Passes the findings of listener and tap to congestion control. Returns whether packets were acknowledged or
    /// lost.
    fn hear(&mut self, now_ns: u64) -> bool {
        let Buffers { acknowledged, losses } = &mut self.news;
        acknowledged.clear();
        losses.clear();
        if !(self.listener.has_heard() | self.tap.has_received()) {
            return false; // no short circuit: both calls reset their state
        }
        let mut heard = self.listener.heard();
        let is_marked = std::mem::take(&mut heard.is_marked);
        acknowledged.extend(heard.acknowledged.drain(..).map(|sent| self.clock.ns(sent)));
        losses.extend(heard.losses.drain(..).map(|loss| PacketsLost {
            sent_ns: self.clock.ns(loss.sent),
            bytes: loss.bytes,
            is_persistent_congestion: loss.is_persistent_congestion,
        }));
        drop(heard);
        let mut seen = self.tap.seen();
        let has_news = !acknowledged.is_empty() || !losses.is_empty();
        if has_news || !seen.acks.is_empty() {
            self.unacknowledged = None;
            self.congestion.on_news(now_ns, News { acknowledged, losses, is_marked, acks: &seen.acks });
        }
        seen.acks.clear();
        let eliciting = std::mem::take(&mut seen.eliciting);
        drop(seen);
        self.note_eliciting(eliciting);
        has_news
    }

    /// An in-order packet with only data is acknowledged together with others. With a reordering threshold above 1,
    /// only quinn-proto knows whether an acknowledgement is due.
    fn note_eliciting(&mut self, eliciting: Eliciting) {
        self.may_have_output |= eliciting != Eliciting::None;
        match eliciting {
            Eliciting::None => {}
            Eliciting::Data(number) => {
                let is_next = number == self.last_number + 1 && self.config.ack_reordering_threshold <= 1;
                self.unacknowledged = self.unacknowledged.filter(|_| is_next).map(|packets| packets + 1);
                self.last_number = self.last_number.max(number);
            }
            Eliciting::Other => self.unacknowledged = None,
        }
    }

    /// quinn-proto may have any packets to send.
    fn expect_output(&mut self) {
        self.may_have_output = true;
        self.unacknowledged = None;
    }

    fn run_events(&mut self, now_ns: u64) {
        let Some((handle, connection)) = &mut self.connection else { return };
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(*handle, event) {
                connection.handle_event(event);
            }
        }
        while let Some(event) = connection.poll() {
            match event {
                Event::Connected => {
                    self.is_established = true;
                    let rtt_ns = connection.rtt().as_nanos() as u64;
                    let was_measured = rtt_ns != self.config.initial_rtt_ns;
                    self.congestion.establish(now_ns, was_measured.then_some(rtt_ns));
                }
                Event::ConnectionLost { reason } => self.failure = Some(reason),
                Event::Stream(StreamEvent::Opened { dir: Dir::Uni }) => {
                    while let Some(stream) = connection.streams().accept(Dir::Uni) {
                        self.received.push((stream, ByteSet::default()));
                        read(connection, stream, &mut self.received);
                        self.unacknowledged = None;
                    }
                }
                Event::Stream(StreamEvent::Readable { id }) => {
                    let has_more_to_send = read(connection, id, &mut self.received);
                    self.unacknowledged = self.unacknowledged.filter(|_| !has_more_to_send);
                }
                Event::DatagramReceived => {
                    while let Some(datagram) = connection.datagrams().recv() {
                        self.received_datagram_bytes += datagram.len() as u64;
                    }
                }
                _ => {}
            }
        }
    }

    /// Passes the application's data up to `end` to quinn-proto, as far as flow control allows it.
    fn hand_over(&mut self, end: u64) {
        let Some((_, connection)) = &mut self.connection else { return };
        let end = end.min(self.write_bytes);
        if self.config.datagrams {
            while self.handed_bytes < end {
                let Some(largest_bytes) = connection.datagrams().max_size() else { return };
                let bytes = (self.write_bytes - self.handed_bytes).min(largest_bytes as u64);
                if connection.datagrams().send(self.zeros.slice(..bytes as usize), false).is_err() {
                    return; // enough of them are queued
                }
                self.handed_bytes += bytes;
            }
            return;
        }
        while self.streams.len() < self.config.streams as usize && self.write_bytes > 0 {
            let Some(stream) = connection.streams().open(Dir::Uni) else { break };
            self.streams.push(stream);
        }
        let mut blocked_streams = 0;
        while self.handed_bytes < end && blocked_streams < self.streams.len() {
            let stream = self.streams[self.next_stream];
            let limit = if self.is_established { self.write_bytes } else { end };
            let bytes = (limit - self.handed_bytes).min(self.zeros.len() as u64);
            let mut chunk = [self.zeros.slice(..bytes as usize)];
            match connection.send_stream(stream).write_chunks(&mut chunk) {
                Ok(written) => self.handed_bytes += written.bytes as u64,
                Err(_) => blocked_streams += 1,
            }
            self.next_stream = (self.next_stream + 1) % self.streams.len();
        }
        if self.is_closing && !self.is_finished && self.handed_bytes == self.write_bytes {
            self.is_finished = true;
            for &stream in &self.streams {
                let _ = connection.send_stream(stream).finish(); // only a stream that the peer stopped rejects data
            }
        }
    }

    /// Sends one datagram, if there is one.
    fn send_packet(&mut self, now_ns: u64) -> Option<Sent> {
        let (_, connection) = self.connection.as_mut()?;
        // The send time identifies a packet, so no two packets have the same.
        let sent_ns = now_ns.max(self.last_sent_ns + 1);
        self.buffer.clear();
        let transmit = connection.poll_transmit(self.clock.instant(sent_ns), 1, &mut self.buffer)?;
        self.last_sent_ns = sent_ns;
        let packet = self.tap.seen().sent.pop();
        let payload_bytes = packet.as_ref().map_or(0, TappedPacket::payload_bytes);
        let zeros_at_end = packet.as_ref().map_or(0, |packet| packet.zeros_at_end);
        let datagram = self.store.put(&self.buffer[..transmit.size], payload_bytes, zeros_at_end);
        self.put(now_ns, &transmit, datagram);
        let Some(packet) = packet else { return Some(Sent { is_ack_eliciting: false, has_room: false }) };
        let sent = Sent {
            is_ack_eliciting: packet.is_ack_eliciting,
            has_room: transmit.size as u32 + FRAME_ROOM_BYTES < self.config.udp_payload_bytes.into(),
        };
        if packet.has_ack && sent.has_room {
            self.unacknowledged = Some(0);
        }
        if packet.is_ack_eliciting {
            self.congestion.on_sent(now_ns, sent_ns, packet, datagram);
        }
        Some(sent)
    }

    fn put(&mut self, now_ns: u64, transmit: &Transmit, datagram: QuicDatagram) {
        let ect = transmit.ecn.is_some() && self.congestion.is_ecn_capable();
        self.outgoing.push(Outgoing { datagram, departure_ns: now_ns, ect, continues_burst: false });
    }
}

/// Reads all data that arrived on a stream, out of order: quinn-proto would close a connection with 1024 gaps, which a
/// large window that overflows a queue causes in one round trip. The data before the first gap is delivered to the
/// application. Returns whether quinn-proto has frames to send for it, such as flow control updates.
fn read(connection: &mut Connection, stream: StreamId, received: &mut [(StreamId, ByteSet)]) -> bool {
    let Some((_, bytes)) = received.iter_mut().find(|(id, _)| *id == stream) else { return false };
    let mut receiving = connection.recv_stream(stream);
    let Ok(mut chunks) = receiving.read(false) else { return false };
    while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
        bytes.insert(chunk.offset, chunk.offset + chunk.bytes.len() as u64);
    }
    chunks.finalize().should_transmit()
}
