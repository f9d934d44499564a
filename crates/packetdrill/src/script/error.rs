//! Errors of parsing.

/// An error in a script, with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptError {
    /// It is not in packetdrill's language.
    Syntax { line: usize, message: String },
    /// It needs a feature that this TCP does not have.
    Unsupported { line: usize, feature: String },
}

impl ScriptError {
    pub(crate) fn syntax(line: usize, message: impl Into<String>) -> Self {
        Self::Syntax { line, message: message.into() }
    }

    pub(crate) fn unsupported(line: usize, feature: impl Into<String>) -> Self {
        Self::Unsupported { line, feature: feature.into() }
    }
}
