//! Where an algorithm comes from.

use std::path::PathBuf;

/// A bundled algorithm or a C file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AlgorithmSource {
    /// A file of `algorithms/`, by its name without `.c`.
    Bundled(String),
    /// A C file, and the `struct tcp_congestion_ops` to take from it (`None`: the first complete one).
    File { path: PathBuf, table: Option<String> },
}

impl AlgorithmSource {
    /// Parses a user's word: `cubic` is bundled; `./their.bpf.c` or `theirs.c:second` is a file.
    pub fn parse(word: &str) -> Self {
        if let Some((path, table)) = word.rsplit_once(':') {
            if path.ends_with(".c") && !table.contains('/') {
                return Self::File { path: path.into(), table: Some(table.into()) };
            }
        }
        if word.ends_with(".c") || word.contains('/') {
            return Self::File { path: word.into(), table: None };
        }
        Self::Bundled(word.into())
    }

    /// Its name in messages.
    pub fn display_name(&self) -> String {
        match self {
            Self::Bundled(name) => name.clone(),
            Self::File { path, table: None } => path.display().to_string(),
            Self::File { path, table: Some(table) } => format!("{}:{table}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_a_name_or_a_file() {
        let file = |path: &str, table: Option<&str>| AlgorithmSource::File {
            path: path.into(),
            table: table.map(str::to_owned),
        };
        assert_eq!(AlgorithmSource::parse("cubic"), AlgorithmSource::Bundled("cubic".into()));
        assert_eq!(AlgorithmSource::parse("./their.bpf.c"), file("./their.bpf.c", None));
        assert_eq!(AlgorithmSource::parse("theirs.c:second"), file("theirs.c", Some("second")));
        assert_eq!(AlgorithmSource::parse("folder/x"), file("folder/x", None));
    }
}
