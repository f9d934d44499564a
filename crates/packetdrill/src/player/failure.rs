//! Reasons why a script did not pass.

use crate::report::Verdict;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The connection differs from the script's expectation.
    Failed {
        line: usize,
        message: String,
    },
    Unsupported {
        line: usize,
        feature: String,
    },
}

impl Failure {
    pub fn at(line: usize, message: impl Into<String>) -> Self {
        Self::Failed { line, message: message.into() }
    }

    pub fn unsupported(line: usize, feature: impl Into<String>) -> Self {
        Self::Unsupported { line, feature: feature.into() }
    }

    /// A packet differs; `detail` has several lines.
    pub fn packet(line: usize, detail: impl AsRef<str>) -> Self {
        Self::at(line, format!("error handling packet: {}", detail.as_ref()))
    }

    pub fn call(line: usize, name: &str, detail: impl AsRef<str>) -> Self {
        Self::at(line, format!("runtime error in {name} call: {}", detail.as_ref()))
    }

    pub fn code(line: usize, kind: &str, message: &str) -> Self {
        let separator = if message.is_empty() { "" } else { ": " };
        Self::at(line, format!("error in Python code\n{kind}{separator}{message}"))
    }

    pub fn into_report(self, name: &str) -> (Verdict, String) {
        match self {
            Self::Failed { line, message } => (Verdict::Failed, format!("{name}:{line}: {message}")),
            Self::Unsupported { line, feature } => {
                (Verdict::Unsupported, format!("{name}:{line}: not supported: {feature}"))
            }
        }
    }
}
