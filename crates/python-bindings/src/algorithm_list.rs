//! The list of built-in algorithms as JSON: what `fairlane algorithms --json` prints.

use fairlane_algorithm_host::{bundled, AlgorithmInfo, ParameterInfo};
use serde_json::{json, Value};

/// A list of objects with `name`, `aliases`, `summary` and `parameters`.
pub(crate) fn as_json() -> String {
    Value::from_iter(bundled().iter().map(algorithm)).to_string()
}

fn algorithm(info: &AlgorithmInfo) -> Value {
    json!({
        "name": info.name,
        "aliases": info.aliases,
        "summary": info.summary,
        "parameters": Value::from_iter(info.parameters.iter().map(parameter)),
    })
}

fn parameter(info: &ParameterInfo) -> Value {
    json!({ "name": info.name, "default": info.default, "unit": info.unit, "doc": info.description })
}
