//! The sockets of a script, by the file descriptors that the script expects.

use super::endpoint::Endpoint;
use super::failure::Failure;
use super::Player;
use fairlane_congestion_control::Algorithm;
use fairlane_tcp::Connection;
use std::collections::BTreeMap;
use std::rc::Rc;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Role {
    /// Created, and neither bound nor connected.
    #[default]
    Fresh,
    Listening,
    /// The connection under test.
    Connected,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Socket {
    pub role: Role,
    pub nonblocking: bool,
    pub options: SocketOptions,
}

/// Values set by `setsockopt`; an accepted socket inherits them from the listening one.
#[derive(Clone, Debug, Default)]
pub(super) struct SocketOptions {
    /// TCP_MAXSEG.
    pub mss_limit: Option<u32>,
    /// TCP_CONGESTION.
    pub algorithm: Option<String>,
    /// SO_RCVBUF, doubled as the kernel does.
    pub receive_buffer_bytes: Option<u32>,
    /// SO_SNDBUF, doubled; without it a write always fits.
    pub send_buffer_bytes: Option<u64>,
    /// SO_MAX_PACING_RATE in bytes per second.
    pub max_pacing_rate: Option<u64>,
    pub nodelay: bool,
    pub cork: bool,
    /// SO_LINGER with a time of 0: `close` resets.
    pub resets_on_close: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Sockets {
    pub by_number: BTreeMap<i64, Socket>,
}

impl Sockets {
    pub fn listening(&self) -> Option<&Socket> {
        self.by_number.values().find(|socket| socket.role == Role::Listening)
    }
}

impl Player<'_> {
    /// The endpoint for an arriving SYN.
    pub(super) fn passive_endpoint(&self, line: usize) -> Result<Endpoint, Failure> {
        let Some(listening) = self.sockets.listening() else {
            return Err(Failure::packet(line, "no matching socket for script packet"));
        };
        self.make_endpoint(line, &listening.options.clone(), false)
    }

    pub(super) fn make_endpoint(
        &self,
        line: usize,
        options: &SocketOptions,
        active: bool,
    ) -> Result<Endpoint, Failure> {
        let settings = &self.settings;
        let mut config = settings.connection(options.mss_limit, active);
        config.sender.nagle = !options.nodelay;
        if let Some(bytes) = options.receive_buffer_bytes {
            config.receiver.rmem_initial_bytes = bytes;
            config.receiver.autotune = false;
            // Linux computes the scale from the window of the fixed buffer, half of its memory.
            let scale = (bytes / 2).max(1 << 15).ilog2() - 15;
            config.receiver.window_scale = Some(scale as u8);
        }
        let algorithm = self.algorithm(options).map_err(|feature| Failure::unsupported(line, feature))?;
        let mut connection = Connection::new(config, algorithm.instantiate(), self.now_ns);
        connection.set_cork(self.now_ns, options.cork);
        if let Some(rate) = options.max_pacing_rate {
            connection.sender.limit_pacing(rate);
        }
        Ok(Endpoint::new(connection, active))
    }

    /// The congestion control of a new connection, set by its socket option, the caller, or the script's `sysctl`, in
    /// this order.
    fn algorithm(&self, options: &SocketOptions) -> Result<Rc<dyn Algorithm>, String> {
        let settings = &self.settings;
        let none = BTreeMap::new();
        let (word, parameters) = match (&options.algorithm, &self.chosen) {
            (None, Some((word, parameters))) => (word.as_str(), parameters),
            (script, _) => {
                let word = script.as_deref().unwrap_or(&settings.algorithm);
                // A path would be compiled and run, which a script must not cause.
                if !word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                    return Err(format!("congestion control {word:?}, which is not a name"));
                }
                (word, if word == "cubic" { &settings.parameters } else { &none })
            }
        };
        self.algorithms.load(word, parameters).map_err(|error| format!("congestion control {word} ({error})"))
    }
}
