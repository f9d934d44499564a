//! `struct tcp_congestion_ops`, which makes a program an algorithm, read from the object file.

/// Bytes of the structure as native programs have it (`algorithms/interface/native/fairlane/sock.h`); the C compiler
/// checks the same size.
pub const OPS_BYTES: usize = 144;

/// The structure with addresses of the object file; 0 for members that the program does not set.
#[derive(Clone, Debug)]
pub struct Ops {
    pub ssthresh: u64,
    pub cong_avoid: u64,
    pub set_state: u64,
    pub cwnd_event: u64,
    pub in_ack_event: u64,
    pub pkts_acked: u64,
    pub min_tso_segs: u64,
    pub cong_control: u64,
    pub undo_cwnd: u64,
    pub sndbuf_expand: u64,
    pub get_info: u64,
    /// The name under which the kernel would register it.
    pub name: String,
    pub init: u64,
    pub release: u64,
    pub flags: u32,
    /// Since Linux 7.1.
    pub cwnd_event_tx_start: u64,
}

impl Ops {
    /// `words` are the structure's, relocated.
    pub fn from_words(words: &[u64; OPS_BYTES / 8]) -> Self {
        let name: Vec<u8> = words[11..13].iter().flat_map(|word| word.to_ne_bytes()).collect();
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        let last = words[16].to_ne_bytes();
        Self {
            ssthresh: words[0],
            cong_avoid: words[1],
            set_state: words[2],
            cwnd_event: words[3],
            in_ack_event: words[4],
            pkts_acked: words[5],
            min_tso_segs: words[6],
            cong_control: words[7],
            undo_cwnd: words[8],
            sndbuf_expand: words[9],
            get_info: words[10],
            name: String::from_utf8_lossy(name).into_owned(),
            init: words[14],
            release: words[15],
            cwnd_event_tx_start: words[17],
            flags: u32::from_ne_bytes([last[4], last[5], last[6], last[7]]),
        }
    }
}
