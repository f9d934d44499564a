//! Faults of a scenario as data: the place, the fault and its remedy.
//!
//! `what` and `remedy` name keys in backticks, so that a caller can replace them by its own names.

use serde::Serialize;
use std::fmt;

/// A fault of a scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The key whose value is wrong.
    pub path: Path,
    /// The fault, such as "is 0".
    pub what: String,
    /// The remedy, such as "give a rate above 0".
    pub remedy: String,
}

/// Keys and indices that lead from the scenario to a value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Path(pub Vec<PathStep>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum PathStep {
    Key(String),
    Index(usize),
}

impl Problem {
    pub fn new(path: impl Into<Path>, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { path: path.into(), what: what.into(), remedy: remedy.into() }
    }

    /// The same problem, with its path below another one.
    pub fn under(mut self, path: impl Into<Path>) -> Self {
        self.path.0.splice(0..0, path.into().0);
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        if !self.path.0.is_empty() {
            write!(out, "{}: ", self.path)?;
        }
        write!(out, "{}", self.what)?;
        if self.remedy.is_empty() {
            return Ok(());
        }
        write!(out, "; {}", self.remedy)
    }
}

impl std::error::Error for Problem {}

impl Path {
    pub fn key(mut self, key: &str) -> Self {
        self.0.push(PathStep::Key(key.to_owned()));
        self
    }

    pub fn index(mut self, index: usize) -> Self {
        self.0.push(PathStep::Index(index));
        self
    }
}

impl From<&str> for PathStep {
    fn from(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

impl From<usize> for PathStep {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

/// Keys joined by dots, `loss.probability`.
impl From<&str> for Path {
    fn from(keys: &str) -> Self {
        keys.split('.').filter(|key| !key.is_empty()).fold(Self::default(), Self::key)
    }
}

/// As messages show it: `flows[0].workload.bytes`.
impl fmt::Display for Path {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                PathStep::Key(key) if at == 0 => write!(out, "{key}")?,
                PathStep::Key(key) => write!(out, ".{key}")?,
                PathStep::Index(index) => write!(out, "[{index}]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_reads_as_one_line_and_travels_as_data() {
        let problem = Problem::new("workload.bytes", "is 0", "give a size").under(Path::from("flows").index(2));
        assert_eq!(problem.to_string(), "flows[2].workload.bytes: is 0; give a size");
        let data = serde_json::to_value(&problem).unwrap();
        assert_eq!(data["path"], serde_json::json!(["flows", 2, "workload", "bytes"]));
        assert_eq!((&data["what"], &data["remedy"]), (&"is 0".into(), &"give a size".into()));
    }
}
