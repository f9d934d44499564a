//! Requests to a worker, and its answers, as bytes.

use fairlane_algorithm_native::Loadable;
use fairlane_contract::{Path, PathStep, Problem};
use fairlane_packetdrill::Report;
use fairlane_simulator::SimulationError;
use serde::{Deserialize, Serialize};
use serde_json::{json, Value};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Task {
    Run {
        scenario: String,
    },
    /// The trace goes to the file that comes with the request.
    Trace {
        scenario: String,
        trace: String,
    },
    /// The capture goes to the file that comes with the request.
    Capture {
        scenario: String,
        capture: String,
    },
    /// A behaviour script.
    Script {
        name: String,
        text: String,
        options: String,
    },
}

/// Programs by the words and parameters of the scenario.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Programs(Vec<Sent>);

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Sent {
    word: String,
    parameters: BTreeMap<String, i64>,
    program: Loadable,
    object_bytes: usize,
}

impl Programs {
    pub fn add(&mut self, word: &str, parameters: &BTreeMap<String, i64>, program: Loadable) {
        let object_bytes = program.object.len();
        self.0.push(Sent { word: word.into(), parameters: parameters.clone(), program, object_bytes });
    }

    pub fn find(&self, word: &str, parameters: &BTreeMap<String, i64>) -> Option<&Loadable> {
        self.0.iter().find(|sent| sent.word == word && sent.parameters == *parameters).map(|sent| &sent.program)
    }

    /// The object files, with their parameters set.
    pub fn objects(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(|sent| sent.program.object.as_slice())
    }

    /// The programs' names, for messages.
    pub fn names(&self) -> String {
        let mut names: Vec<&str> = self.0.iter().map(|sent| sent.word.as_str()).collect();
        names.dedup();
        names.join(", ")
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Request {
    pub task: Task,
    pub programs: Programs,
    /// The run uses other addresses than the first one: a program that depends on addresses gives another answer.
    pub elsewhere: bool,
}

impl Request {
    /// A line of JSON, and the object files after it.
    pub fn pieces(&self) -> Vec<Vec<u8>> {
        let mut head = serde_json::to_vec(self).expect("texts and numbers");
        head.push(b'\n');
        let objects = self.programs.0.iter().map(|sent| sent.program.object.clone());
        std::iter::once(head).chain(objects).collect()
    }

    /// Only for the output of `pieces`: both sides are the same build.
    pub fn read(bytes: &[u8]) -> Self {
        let end = bytes.iter().position(|&byte| byte == b'\n').expect("a line");
        let mut request: Self = serde_json::from_slice(&bytes[..end]).expect("a request");
        let mut rest = &bytes[end + 1..];
        for sent in &mut request.programs.0 {
            let (object, after) = rest.split_at(sent.object_bytes);
            sent.program.object = object.to_vec();
            rest = after;
        }
        request
    }
}

/// A worker's answer, which a digest of the programs' decisions follows. It is untrusted data.
pub(super) enum Answer {
    /// Packed, see `packed.rs`.
    Result(Vec<u8>),
    Error(SimulationError),
    /// The report of a behaviour script, or the error in its options.
    Report(Result<Report, String>),
}

/// The largest error and the largest report, which take several times their size in memory when they are parsed.
const ERROR_BYTES: usize = 1 << 20;
const REPORT_BYTES: usize = 16 << 20;
/// Of a line that is shown.
const MESSAGE_CHARACTERS: usize = 2000;

const RESULT: u8 = 0;
const ERROR: u8 = 1;
const REPORT: u8 = 2;

impl Answer {
    /// The pieces of an answer: its kind is last, so that a large result is not copied.
    pub fn pieces(answer: Result<Vec<Vec<u8>>, SimulationError>) -> Vec<Vec<u8>> {
        match answer {
            Ok(mut pieces) => {
                pieces.push(vec![RESULT]);
                pieces
            }
            Err(error) => vec![as_json(error).to_string().into_bytes(), vec![ERROR]],
        }
    }

    /// The pieces of an answer about a script.
    pub fn report(report: &Result<Report, String>) -> Vec<Vec<u8>> {
        vec![serde_json::to_vec(report).expect("texts and lists"), vec![REPORT]]
    }

    /// Does the answer say that there is no result?
    pub fn is_error(bytes: &[u8]) -> bool {
        let kind = bytes.len().checked_sub(size_of::<u64>() + 1);
        kind.is_some_and(|at| bytes[at] == ERROR)
    }

    /// `None` if it cannot be read.
    pub fn read(mut bytes: Vec<u8>) -> Option<Self> {
        bytes.truncate(bytes.len().checked_sub(size_of::<u64>())?);
        match bytes.pop()? {
            RESULT if bytes.starts_with(b"{\"parts\":") => Some(Self::Result(bytes)),
            ERROR if bytes.len() <= ERROR_BYTES => Some(Self::Error(from_json(&serde_json::from_slice(&bytes).ok()?)?)),
            REPORT if bytes.len() <= REPORT_BYTES => Some(Self::Report(serde_json::from_slice(&bytes).ok()?)),
            _ => None,
        }
    }
}

fn as_json(error: SimulationError) -> Value {
    match error {
        SimulationError::Scenario(problems) => json!({"kind": "scenario", "problems": problems}),
        SimulationError::Algorithm(message) => json!({"kind": "algorithm", "message": message}),
        SimulationError::Capture(error) => json!({"kind": "capture", "message": error.to_string()}),
        SimulationError::Trace(error) => json!({"kind": "trace", "message": error.to_string()}),
        SimulationError::Fault(message) => json!({"kind": "fault", "message": message}),
    }
}

fn from_json(error: &Value) -> Option<SimulationError> {
    // A program that broke out of C's rules may have written it.
    let message = || {
        let text = error["message"].as_str()?;
        Some(text.chars().take(MESSAGE_CHARACTERS).map(|c| if c.is_control() { ' ' } else { c }).collect::<String>())
    };
    Some(match error["kind"].as_str()? {
        "scenario" => {
            SimulationError::Scenario(error["problems"].as_array()?.iter().map(problem).collect::<Option<_>>()?)
        }
        "algorithm" => SimulationError::Algorithm(message()?),
        "capture" => SimulationError::Capture(std::io::Error::other(message()?)),
        "trace" => SimulationError::Trace(std::io::Error::other(message()?)),
        "fault" => SimulationError::Fault(message()?),
        _ => return None,
    })
}

fn problem(value: &Value) -> Option<Problem> {
    let step = |step: &Value| match step {
        Value::String(key) => Some(PathStep::Key(key.clone())),
        index => Some(PathStep::Index(index.as_u64()?.try_into().ok()?)),
    };
    let path = Path(value["path"].as_array()?.iter().map(step).collect::<Option<_>>()?);
    Some(Problem::new(path, value["what"].as_str()?, value["remedy"].as_str()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(kind: u8, text: &[u8]) -> Option<Answer> {
        Answer::read([text, &[kind], &[0; 8]].concat())
    }

    #[test]
    fn a_forged_error_is_one_line_of_limited_length() {
        let text = format!("\u{1b}[2J{}\nmore", "x".repeat(5000));
        let error = json!({"kind": "fault", "message": text}).to_string();
        let Some(Answer::Error(SimulationError::Fault(shown))) = answer(ERROR, error.as_bytes()) else {
            panic!("is an error")
        };
        assert_eq!(shown.chars().count(), MESSAGE_CHARACTERS);
        assert!(!shown.chars().any(char::is_control));
    }

    #[test]
    fn large_errors_and_reports_are_not_parsed() {
        let error = |bytes: usize| json!({"kind": "fault", "message": "x".repeat(bytes)}).to_string();
        assert!(answer(ERROR, error(1000).as_bytes()).is_some());
        assert!(answer(ERROR, error(ERROR_BYTES).as_bytes()).is_none());
        assert!(answer(REPORT, &[b' '; REPORT_BYTES + 1]).is_none());
    }
}
