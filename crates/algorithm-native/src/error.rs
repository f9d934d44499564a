//! Why a program cannot be loaded, and what to do about it.

use fairlane_congestion_control::table::writable_paths;
use fairlane_congestion_control::TcpSock;
use std::path::PathBuf;

/// An error in an algorithm that is found before it runs.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error(
        "unknown algorithm {name:?}; did you mean {}? (there are: {}; or give the path of a C file)",
        nearest_of(valid),
        list(valid)
    )]
    UnknownAlgorithm {
        name: String,
        /// All names, the most similar first.
        valid: Vec<String>,
    },
    #[error("{algorithm} has no parameter {name:?}; {}", parameters_hint(valid))]
    UnknownParameter {
        algorithm: String,
        name: String,
        /// All names, the most similar first.
        valid: Vec<String>,
    },
    #[error("{algorithm}: parameter {name} cannot be {value}; it must be from {low} to {high}")]
    ParameterOutOfRange { algorithm: String, name: String, value: i64, low: i128, high: i128 },
    #[error("cannot read {}: {reason}", path.display())]
    CannotRead { path: PathBuf, reason: std::io::Error },
    #[error(
        "{}: cannot be compiled in {}: {reason}; set TMPDIR to a folder that can be written, and has space",
        path.display(),
        std::env::temp_dir().display()
    )]
    NoScratchFolder { path: PathBuf, reason: std::io::Error },
    #[error("{}: is {kind}, not a regular file; name a C file, and put headers beside it as files", path.display())]
    NotAFile { path: PathBuf, kind: &'static str },
    #[error("{}: is larger than {} MiB, the most that is read; make it smaller", path.display(), limit_bytes >> 20)]
    TooLarge { path: PathBuf, limit_bytes: u64 },
    #[error("{}: {excess}; merge headers, or include fewer", path.display())]
    TooManyHeaders { path: PathBuf, excess: String },
    #[error("{}: {excess}", path.display())]
    TooCostly {
        path: PathBuf,
        /// The limit that the compiler or the text exceeded, and the remedy.
        excess: String,
    },
    #[error(
        "{location}: {structure} has {bytes} bytes, but a connection's private memory (icsk_ca_priv) has {limit_bytes}; \
         make it smaller, or keep it in a map of type BPF_MAP_TYPE_SK_STORAGE"
    )]
    PrivateStateTooLarge { location: String, structure: String, bytes: u64, limit_bytes: u64 },
    #[error("no C compiler ({compiler}) to compile {} with; install one, for example with: sudo apt-get install gcc", path.display())]
    NoCompiler { compiler: String, path: PathBuf },
    #[error("{location}: {reason}")]
    DoesNotCompile {
        /// `file:line`.
        location: String,
        reason: String,
    },
    #[error("{location}: is a kernel module, and must be a BPF program: {steps}; `fairlane algorithm new` shows one")]
    KernelModule {
        location: String,
        /// The parts to rewrite.
        steps: String,
    },
    #[error("{location}: {reason}; a congestion control may write only {}", writable_members())]
    ForbiddenWrite { location: String, reason: String },
    #[error(
        "{location}: reads {}, which the simulator does not keep; docs/reference/kernel-members.md lists what it keeps",
        list(members)
    )]
    NotKept { location: String, members: Vec<String> },
    #[error("{location}: floating point, which the kernel refuses; count in fixed point, such as 717/1024 for 0.7")]
    FloatingPoint {
        /// `file:line`, or the algorithm's name where the compiler does not say.
        location: String,
    },
    #[error("{location}: an unbounded loop, which the kernel refuses; count it: for (i = 0; i < 64; i++)")]
    UnboundedLoop {
        /// `file:line`.
        location: String,
    },
    #[error("{location}: arithmetic of 128 bits, which the kernel refuses; stay within 64 bits")]
    TooWide {
        /// `file:line`, or the algorithm's name where the text does not show it.
        location: String,
    },
    #[error(
        "{location}: uses {}, which the simulator does not offer; algorithms/README.md lists what it does",
        list(functions)
    )]
    MissingFunctions { location: String, functions: Vec<String> },
    #[error(
        "{algorithm} has no struct tcp_congestion_ops in SEC(\".struct_ops\"); `fairlane algorithm new` shows one"
    )]
    NoTable { algorithm: String },
    #[error("{algorithm} has no struct tcp_congestion_ops named {name:?}; it has: {}", list(valid))]
    UnknownTable { algorithm: String, name: String, valid: Vec<String> },
    #[error(
        "{location}: struct tcp_congestion_ops {table} lacks {}; write it as a program and set .{} = (void *)...",
        list(callbacks),
        first_word(callbacks)
    )]
    MissingCallback {
        /// `file:line` of the table.
        location: String,
        table: String,
        callbacks: Vec<&'static str>,
    },
    #[error(
        "{location}: struct tcp_congestion_ops {table} sets {callback}, which neither kernel nor simulator supports; \
         leave it out"
    )]
    UnsupportedCallback { location: String, table: String, callback: &'static str },
    #[error("{location}: a constructor or destructor, which would run outside of any callback; start in init()")]
    Constructor { location: String },
    #[error("{location}: {function} is an indirect function (ifunc), whose resolver would run outside of any callback; make it an ordinary one")]
    IndirectFunction { location: String, function: String },
    #[error("{location}: {what}, which a congestion control has no use for; leave it out")]
    RunsAtLoad { location: String, what: String },
    #[error("{location}: {construct}, which is not C that runs the same everywhere; leave it out")]
    HiddenCode { location: String, construct: &'static str },
    #[error("{location}: weak import of {}, which could bind to anything; leave out __weak", list(functions))]
    WeakImport { location: String, functions: Vec<String> },
    #[error("{location}: callback {callback} is {function}(), which is not a BPF program; write it with BPF_PROG and call what it needs from there")]
    NotAProgram { location: String, callback: &'static str, function: String },
    #[error("{algorithm} cannot be loaded: {reason}")]
    CannotLoad { algorithm: String, reason: String },
}

fn writable_members() -> String {
    writable_paths::<TcpSock>().join(", ")
}

fn nearest_of(valid: &[String]) -> &str {
    valid.first().map_or("", String::as_str)
}

fn list<T: AsRef<str>>(words: &[T]) -> String {
    words.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join(", ")
}

/// `cong_avoid` of "cong_avoid or cong_control".
fn first_word<'a>(callbacks: &[&'a str]) -> &'a str {
    callbacks.first().and_then(|callback| callback.split(' ').next()).unwrap_or("")
}

fn parameters_hint(valid: &[String]) -> String {
    match valid.first() {
        None => "it has none".into(),
        Some(nearest) => format!("did you mean {nearest}? (there are: {})", list(valid)),
    }
}

/// The candidates in the order of their likeness to `word`, the most similar first.
pub fn by_likeness<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut sorted: Vec<&str> = candidates.into_iter().collect();
    let distance = |candidate: &str| strsim::levenshtein(&word.to_lowercase(), &candidate.to_lowercase());
    sorted.sort_by_key(|candidate| (distance(candidate), *candidate));
    sorted
}

#[cfg(test)]
mod tests {
    use super::by_likeness;

    #[test]
    fn the_most_similar_name_comes_first() {
        assert_eq!(by_likeness("cubik", ["bbr", "reno", "cubic"])[0], "cubic");
        assert_eq!(by_likeness("Hystart_low", ["beta", "hystart_low_window", "hystart"])[0], "hystart");
    }
}
