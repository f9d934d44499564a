//! Socket options: with effect on the connection, without effect, and unsupported ones.

use super::blocking::Step;
use super::calls::unknown;
use super::failure::Failure;
use super::sockets::Role;
use super::Player;
use crate::script::{Call, Value};
use crate::settings::TCP_MIN_MSS;

/// Options that have no effect on the wire, or only matter to applications.
const HARMLESS: &[&str] = &[
    "SO_REUSEADDR",
    "SO_REUSEPORT",
    "SO_KEEPALIVE",
    "SO_PRIORITY",
    "SO_MARK",
    "SO_SNDTIMEO",
    "SO_RCVTIMEO",
    "SO_BUSY_POLL",
    "IP_TOS",
    "IP_TTL",
    "IP_MTU_DISCOVER",
    "IP_BIND_ADDRESS_NO_PORT",
    "IP_FREEBIND",
    "IP_RECVERR",
    "TCP_NOTSENT_LOWAT",
    "TCP_SYNCNT",
    "TCP_DEFER_ACCEPT",
];

/// Options of features that this TCP does not have.
const MISSING: &[(&str, &str)] = &[
    ("TCP_FASTOPEN", "TCP Fast Open"),
    ("SO_ZEROCOPY", "zero-copy sends"),
    ("TCP_ZEROCOPY_RECEIVE", "zero-copy receives"),
    ("TCP_MD5SIG", "TCP MD5 signatures"),
    ("TCP_AO", "TCP authentication"),
    ("TCP_REPAIR", "connection repair"),
    ("TCP_ULP", "upper layer protocols"),
    ("TCP_USER_TIMEOUT", "user timeouts"),
    ("TCP_KEEP", "keep-alive probes"),
    ("TCP_TX_DELAY", "added transmission delay"),
    ("TCP_THIN", "thin streams"),
    ("SO_TIMESTAMPING", "packet timestamps"),
    ("SO_ATTACH", "packet filters"),
    ("SO_RCVLOWAT", "receive low-water mark"),
    ("TCP_WINDOW_CLAMP", "window clamp"),
    ("TCP_INQ", "queue length with reads"),
];

impl Player<'_> {
    pub(super) fn set_option(&mut self, line: usize, number: i64, call: &Call) -> Result<Step, Failure> {
        let Some(name) = call.arguments.get(2).and_then(Value::name) else { return Err(unknown(line, "setsockopt")) };
        if HARMLESS.contains(&name) {
            return Ok(Step::Done(0));
        }
        if let Some((_, feature)) = MISSING.iter().find(|(start, _)| name.starts_with(start)) {
            return Err(Failure::unsupported(line, *feature));
        }
        let value = call.arguments.get(3);
        let amount = value.and_then(Value::number);
        // Options are C's `int`; only the pacing rate is wider.
        if amount.is_some_and(|amount| i32::try_from(amount).is_err() && name != "SO_MAX_PACING_RATE") {
            return Ok(Step::Error("EINVAL"));
        }
        let now_ns = self.now_ns;
        let socket = self.sockets.by_number.entry(number).or_default();
        let is_connected = socket.role == Role::Connected;
        let endpoint = self.endpoint.as_mut().filter(|_| is_connected);
        match (name, amount) {
            ("TCP_NODELAY", Some(on)) => {
                socket.options.nodelay = on != 0;
                if let Some(endpoint) = endpoint {
                    endpoint.connection.set_nagle(now_ns, on == 0);
                }
            }
            ("TCP_CORK", Some(on)) => {
                socket.options.cork = on != 0;
                if let Some(endpoint) = endpoint {
                    endpoint.connection.set_cork(now_ns, on != 0);
                }
            }
            ("TCP_MAXSEG", Some(bytes)) if !(TCP_MIN_MSS..=32_767).contains(&bytes) => {
                return Ok(Step::Error("EINVAL"))
            }
            ("TCP_MAXSEG", Some(bytes)) => {
                socket.options.mss_limit = Some(bytes as u32);
                if is_connected {
                    return Err(Failure::unsupported(line, "TCP_MAXSEG on a connection"));
                }
            }
            ("SO_RCVBUF" | "SO_RCVBUFFORCE", Some(bytes)) => {
                let bytes = (2 * bytes).max(MINIMUM_BUFFER_BYTES) as u32;
                socket.options.receive_buffer_bytes = Some(bytes);
                if let Some(endpoint) = endpoint {
                    endpoint.connection.receiver.set_buffer(bytes);
                }
            }
            ("SO_MAX_PACING_RATE", Some(rate)) => {
                socket.options.max_pacing_rate = Some(rate as u64);
                if let Some(endpoint) = endpoint {
                    endpoint.connection.sender.limit_pacing(rate as u64);
                }
            }
            ("SO_SNDBUF" | "SO_SNDBUFFORCE", Some(bytes)) => {
                socket.options.send_buffer_bytes = Some((2 * bytes).max(MINIMUM_SEND_BUFFER_BYTES) as u64);
            }
            ("TCP_QUICKACK", Some(on)) => {
                if let Some(endpoint) = endpoint {
                    endpoint.connection.set_quick_acks(now_ns, on != 0);
                }
            }
            ("SO_LINGER", _) => {
                socket.options.resets_on_close = lingers_for_no_time(value);
            }
            ("TCP_CONGESTION", _) if !is_connected => {
                let Some(Value::Text(algorithm)) = value else { return Err(unknown(line, "setsockopt")) };
                socket.options.algorithm = Some(algorithm.clone());
            }
            ("TCP_CONGESTION", _) => return Err(Failure::unsupported(line, "TCP_CONGESTION on a connection")),
            _ => return Err(Failure::unsupported(line, format!("socket option {name}"))),
        }
        Ok(Step::Done(0))
    }

    /// Compares an option with the value that the script expects.
    pub(super) fn check_option(&mut self, line: usize, number: i64, call: &Call) -> Result<Step, Failure> {
        let name = call.arguments.get(2).and_then(Value::name).unwrap_or_default();
        let expected = call.arguments.get(3).and_then(Value::number);
        let Some(endpoint) = &self.endpoint else { return Ok(Step::Done(0)) };
        let found = match name {
            "SO_ERROR" => match (endpoint.reset, endpoint.connection.is_established()) {
                (true, _) => return Err(Failure::unsupported(line, "the kind of a socket's error")),
                _ => 0,
            },
            "SO_SNDBUF" => {
                let bytes = self.sockets.by_number.get(&number).and_then(|socket| socket.options.send_buffer_bytes);
                let Some(bytes) = bytes else { return Err(unknown(line, "getsockopt")) };
                bytes as i64
            }
            "TCP_MAXSEG" => i64::from(endpoint.connection.sender.sock.mss_cache),
            _ => return Err(Failure::unsupported(line, format!("reading socket option {name}"))),
        };
        if expected.is_some_and(|expected| expected != found) {
            let detail = format!("Bad getsockopt optval: expected: {} actual: {found}", expected.unwrap_or_default());
            return Err(Failure::call(line, "getsockopt", detail));
        }
        Ok(Step::Done(0))
    }
}

/// `{onoff=1, linger=0}`
fn lingers_for_no_time(value: Option<&Value>) -> bool {
    let fields = match value {
        Some(Value::Struct(fields)) => fields,
        Some(Value::List(values)) => match values.first() {
            Some(Value::Struct(fields)) => fields,
            _ => return false,
        },
        _ => return false,
    };
    let numbers: Vec<i64> = fields.iter().filter_map(|(_, value)| value.number()).collect();
    numbers == [1, 0]
}

/// `SOCK_MIN_SNDBUF`.
const MINIMUM_SEND_BUFFER_BYTES: i64 = 4608;
/// `SOCK_MIN_RCVBUF`.
const MINIMUM_BUFFER_BYTES: i64 = 2304;
