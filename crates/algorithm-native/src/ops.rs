//! `struct tcp_congestion_ops`, which makes a program an algorithm, read from the object file.

use fairlane_congestion_control::{flags_offset, Callback, PerCallback};

/// Bytes of the structure as native programs have it (`algorithms/interface/native/fairlane/sock.h`); the C compiler
/// checks the same size.
pub const OPS_BYTES: usize = 144;

/// The structure with addresses of the object file; 0 for members that the program does not set.
#[derive(Clone, Debug)]
pub struct Ops {
    pub callbacks: PerCallback<u64>,
    pub get_info: u64,
    /// The name under which the kernel would register it.
    pub name: String,
    pub flags: u32,
}

impl Ops {
    /// `words` are the structure's, relocated.
    pub fn from_words(words: &[u64; OPS_BYTES / 8]) -> Self {
        let name: Vec<u8> = words[11..13].iter().flat_map(|word| word.to_ne_bytes()).collect();
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        Self {
            callbacks: PerCallback::new(|callback: Callback| words[callback.offset(8) / 8]),
            get_info: words[10],
            name: String::from_utf8_lossy(name).into_owned(),
            flags: (words[flags_offset(8) / 8] >> 32) as u32,
        }
    }
}
