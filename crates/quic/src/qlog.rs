//! Logs of an endpoint in the format qlog 0.3 (draft-ietf-quic-qlog-main-schema-02, draft-ietf-quic-qlog-quic-events-01), as
//! a JSON text sequence (RFC 7464) that qvis opens.

use crate::frames::Frame;
use crate::tap::LoggedPacket;
use fairlane_congestion_control::sock::{CaState, TcpSock, INFINITE_SSTHRESH};
use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::rc::Rc;

const RECORD_SEPARATOR: char = '\u{1e}';
/// The transport parameter ack_delay_exponent has its default (RFC 9000 section 18.2): delays are in units of 8 us.
const ACK_DELAY_UNIT_NS: u64 = 8_000;

/// Output of the log of one endpoint.
#[derive(Clone)]
pub struct QlogSink(Rc<RefCell<Sink>>);

struct Sink {
    writer: Box<dyn Write>,
    failure: Option<io::Error>,
}

impl QlogSink {
    pub fn new(writer: Box<dyn Write>) -> Self {
        Self(Rc::new(RefCell::new(Sink { writer, failure: None })))
    }

    /// Everything is logged.
    ///
    /// # Errors
    /// The first error of the writer.
    pub fn finish(&self) -> io::Result<()> {
        let sink = &mut *self.0.borrow_mut();
        match sink.failure.take() {
            Some(failure) => Err(failure),
            None => sink.writer.flush(),
        }
    }

    fn write(&self, record: &str) {
        let sink = &mut *self.0.borrow_mut();
        if sink.failure.is_none() {
            sink.failure = sink.writer.write_all(record.as_bytes()).err();
        }
    }
}

/// The log of one endpoint.
pub(crate) struct Qlog {
    sink: QlogSink,
    title: String,
    has_begun: bool,
    /// The current record; kept to reuse its memory.
    record: String,
    metrics: [u64; 8],
    state: CaState,
}

impl Qlog {
    pub fn new(sink: QlogSink, title: String) -> Self {
        let metrics = [u64::MAX; 8];
        Self { sink, title, has_begun: false, record: String::new(), metrics, state: CaState::Open }
    }

    /// The endpoint opens the connection, or its peer does; only the first call counts.
    pub fn begin_as(&mut self, is_client: bool) {
        if std::mem::replace(&mut self.has_begun, true) {
            return;
        }
        let (title, kind) = (&self.title, if is_client { "client" } else { "server" });
        self.sink.write(&format!(
            "{RECORD_SEPARATOR}{{\"qlog_version\":\"0.3\",\"qlog_format\":\"JSON-SEQ\",\"title\":\"{title}\",\"trace\":\
             {{\"vantage_point\":{{\"name\":\"{title}\",\"type\":\"{kind}\"}},\"common_fields\":\
             {{\"time_format\":\"relative\",\"reference_time\":0,\"protocol_type\":[\"QUIC\"]}}}}}}\n"
        ));
    }

    pub fn packet(&mut self, now_ns: u64, packet: &LoggedPacket) {
        let event = if packet.is_sent { "packet_sent" } else { "packet_received" };
        self.begin(now_ns, "transport", event);
        let (kind, number, bytes) = (packet.space.name(), packet.number, packet.bytes);
        let header = format!("\"header\":{{\"packet_type\":\"{kind}\",\"packet_number\":{number}}}");
        self.push(&format!("{header},\"raw\":{{\"length\":{bytes}}},\"frames\":["));
        for (place, frame) in packet.frames.iter().enumerate() {
            if place > 0 {
                self.record.push(',');
            }
            write_frame(frame, &mut self.record);
        }
        self.record.push(']');
        self.end();
    }

    pub fn lost(&mut self, now_ns: u64, number: u64) {
        self.begin(now_ns, "recovery", "packet_lost");
        self.push(&format!("\"header\":{{\"packet_type\":\"1RTT\",\"packet_number\":{number}}}"));
        self.end();
    }

    /// Logs changes of windows and RTTs, and the state of loss recovery.
    pub fn metrics(&mut self, now_ns: u64, sock: &TcpSock, bytes_in_flight: u64) {
        const NAMES: [&str; 8] = [
            "min_rtt",
            "smoothed_rtt",
            "rtt_variance",
            "congestion_window",
            "bytes_in_flight",
            "packets_in_flight",
            "ssthresh",
            "pacing_rate",
        ];
        let mss_bytes = u64::from(sock.mss_cache);
        let is_measured = sock.srtt_us > 0;
        let ssthresh = u64::from(sock.snd_ssthresh);
        let now = [
            if is_measured { u64::from(sock.min_rtt_us()) * 1000 } else { u64::MAX },
            if is_measured { u64::from(sock.srtt_us) * 125 } else { u64::MAX },
            if is_measured { u64::from(sock.mdev_us) * 250 } else { u64::MAX },
            u64::from(sock.snd_cwnd) * mss_bytes,
            bytes_in_flight,
            sock.packets_in_flight().into(),
            if ssthresh < INFINITE_SSTHRESH.into() { ssthresh * mss_bytes } else { u64::MAX },
            if sock.sk_pacing_rate > 0 { sock.sk_pacing_rate.saturating_mul(8) } else { u64::MAX },
        ];
        if now != self.metrics {
            self.begin(now_ns, "recovery", "metrics_updated");
            let mut separator = "";
            for (place, (&value, &before)) in now.iter().zip(&self.metrics.clone()).enumerate() {
                if value != before && value != u64::MAX {
                    self.push(&format!("{separator}\"{}\":", NAMES[place]));
                    let is_time = place < 3;
                    if is_time {
                        write_ms(value, &mut self.record);
                    } else {
                        self.push(&value.to_string());
                    }
                    separator = ",";
                }
            }
            self.end();
            self.metrics = now;
        }
        let state = sock.ca_state();
        if state != self.state {
            let (old, new) = (state_name(self.state), state_name(state));
            self.begin(now_ns, "recovery", "congestion_state_updated");
            self.push(&format!("\"old\":\"{old}\",\"new\":\"{new}\""));
            self.end();
            self.state = state;
        }
    }

    fn begin(&mut self, now_ns: u64, category: &str, event: &str) {
        self.record.clear();
        self.record.push(RECORD_SEPARATOR);
        self.push("{\"time\":");
        write_ms(now_ns, &mut self.record);
        self.push(&format!(",\"name\":\"{category}:{event}\",\"data\":{{"));
    }

    fn push(&mut self, text: &str) {
        self.record.push_str(text);
    }

    fn end(&mut self) {
        self.push("}}\n");
        self.sink.write(&self.record);
    }
}

/// Linux's names of the states of loss recovery.
fn state_name(state: CaState) -> &'static str {
    match state {
        CaState::Open => "open",
        CaState::Disorder => "disorder",
        CaState::Cwr => "cwr",
        CaState::Recovery => "recovery",
        CaState::Loss => "persistent_congestion",
    }
}

/// Milliseconds, to the nanosecond.
fn write_ms(time_ns: u64, out: &mut String) {
    let _ = write!(out, "{}.{:06}", time_ns / 1_000_000, time_ns % 1_000_000); // writing to a string cannot fail
}

fn write_frame(frame: &Frame, out: &mut String) {
    let _ = match frame {
        Frame::Ack(ack) => {
            out.push_str("{\"frame_type\":\"ack\",\"ack_delay\":");
            write_ms(ack.delay.saturating_mul(ACK_DELAY_UNIT_NS), out);
            out.push_str(",\"acked_ranges\":[");
            // In ascending order.
            for (place, (first, last)) in ack.ranges.iter().rev().enumerate() {
                let _ = write!(out, "{}[{first},{last}]", if place > 0 { "," } else { "" });
            }
            out.push(']');
            ack.ce.map_or(Ok(()), |ce| write!(out, ",\"ce\":{ce}"))
        }
        Frame::Stream { range, is_last } => write!(
            out,
            "{{\"frame_type\":\"stream\",\"stream_id\":{},\"offset\":{},\"length\":{},\"fin\":{is_last}",
            range.stream,
            range.start,
            range.end - range.start
        ),
        Frame::Datagram { bytes } => write!(out, "{{\"frame_type\":\"datagram\",\"length\":{bytes}"),
        Frame::MaxData(end) => write!(out, "{{\"frame_type\":\"max_data\",\"maximum\":{end}"),
        Frame::Crypto { offset, bytes } => {
            write!(out, "{{\"frame_type\":\"crypto\",\"offset\":{offset},\"length\":{bytes}")
        }
        Frame::Other(kind, integers) => write_other(*kind, *integers, out),
    };
    out.push('}');
}

/// The other frames of RFC 9000 section 19, with the fields that the schema requires. It has no frames of extensions.
fn write_other(kind: u64, [first, second, third]: [u64; 3], out: &mut String) -> std::fmt::Result {
    let streams = if kind & 1 == 0 { "bidirectional" } else { "unidirectional" };
    let frame = match kind {
        0x01 => "ping\"".to_owned(),
        0x04 => format!("reset_stream\",\"stream_id\":{first},\"error_code\":{second},\"final_size\":{third}"),
        0x05 => format!("stop_sending\",\"stream_id\":{first},\"error_code\":{second}"),
        0x07 => "new_token\",\"token\":{}".to_owned(),
        0x11 => format!("max_stream_data\",\"stream_id\":{first},\"maximum\":{second}"),
        0x12 | 0x13 => format!("max_streams\",\"stream_type\":\"{streams}\",\"maximum\":{first}"),
        0x14 => format!("data_blocked\",\"limit\":{first}"),
        0x15 => format!("stream_data_blocked\",\"stream_id\":{first},\"limit\":{second}"),
        0x16 | 0x17 => format!("streams_blocked\",\"stream_type\":\"{streams}\",\"limit\":{first}"),
        0x18 => format!(
            "new_connection_id\",\"sequence_number\":{first},\"retire_prior_to\":{second},\"connection_id\":\"{third:016x}\""
        ),
        0x19 => format!("retire_connection_id\",\"sequence_number\":{first}"),
        0x1a => "path_challenge\"".to_owned(),
        0x1b => "path_response\"".to_owned(),
        0x1c | 0x1d => "connection_close\"".to_owned(),
        0x1e => "handshake_done\"".to_owned(),
        _ => format!("unknown\",\"raw_frame_type\":{kind}"),
    };
    write!(out, "{{\"frame_type\":\"{frame}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::{Ack, StreamRange};

    #[test]
    fn frames_are_json() {
        let frames = [
            Frame::Ack(Ack { largest: 9, delay: 125, ranges: [(8, 9), (1, 5)].into(), ce: None }),
            Frame::Stream { range: StreamRange { stream: 2, start: 10, end: 25 }, is_last: true },
            Frame::Crypto { offset: 0, bytes: 280 },
            Frame::Other(0x1e, [0; 3]),
            Frame::Other(0x11, [2, 5000, 0]),
            Frame::Other(0x13, [7, 0, 0]),
            Frame::Other(0x18, [1, 0, 0x1f]),
            Frame::Other(0xaf, [0, 9, 25]),
        ];
        let mut text = String::new();
        frames.iter().for_each(|frame| write_frame(frame, &mut text));
        let expected = concat!(
            r#"{"frame_type":"ack","ack_delay":1.000000,"acked_ranges":[[1,5],[8,9]]}"#,
            r#"{"frame_type":"stream","stream_id":2,"offset":10,"length":15,"fin":true}"#,
            r#"{"frame_type":"crypto","offset":0,"length":280}"#,
            r#"{"frame_type":"handshake_done"}"#,
            r#"{"frame_type":"max_stream_data","stream_id":2,"maximum":5000}"#,
            r#"{"frame_type":"max_streams","stream_type":"unidirectional","maximum":7}"#,
            r#"{"frame_type":"new_connection_id","sequence_number":1,"retire_prior_to":0,"connection_id":"000000000000001f"}"#,
            r#"{"frame_type":"unknown","raw_frame_type":175}"#,
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn a_full_disk_is_an_error() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let sink = QlogSink::new(Box::new(Full));
        let mut log = Qlog::new(sink.clone(), "flow 0".into());
        log.lost(1, 2);
        assert!(sink.finish().is_err());
    }
}
