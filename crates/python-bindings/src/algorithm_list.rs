//! Algorithms as JSON: the list of the built-in ones, and everything about a single one.

use fairlane_algorithm_native::{
    bundled, interface_headers, state_members, AlgorithmInfo, AlgorithmSource, Image, LoadError, ParameterInfo,
};
use fairlane_congestion_control::table::{visible_members, KernelStruct};
use fairlane_congestion_control::{AckSample, RateSample, TcpSock};
use serde_json::{json, Map, Value};
use std::collections::BTreeMap;

/// A list of objects with `name`, `aliases`, `class`, `summary` and `parameters`.
pub(crate) fn as_json() -> String {
    Value::from_iter(bundled().iter().map(algorithm)).to_string()
}

/// The same list, with the members of each algorithm's own memory as `state`: all that another host of the programs needs
/// to know (`crates/web`).
pub(crate) fn with_state() -> Result<String, LoadError> {
    let bundled = bundled();
    let found = bundled.iter().map(|info| {
        let mut found = algorithm(info);
        found["state"] = json!(state_members(&AlgorithmSource::parse(&info.name))?);
        Ok(found)
    });
    Ok(Value::from_iter(found.collect::<Result<Vec<_>, LoadError>>()?).to_string())
}

/// One algorithm with these parameters, read from its object file; none of it is executed.
pub(crate) fn describe(word: &str, parameters: &BTreeMap<String, i64>) -> Result<String, LoadError> {
    let image = Image::of(&AlgorithmSource::parse(word))?;
    let program = image.prepare(parameters)?;
    let mut found = algorithm(&image.info());
    found["header"] = image.info().header.into();
    found["source"] = image.source().into();
    found["warnings"] = image.warnings().into();
    found["table"] = program.table.into();
    found["kernel_name"] = program.kernel_name.into();
    Ok(found.to_string())
}

/// The headers that programs are compiled with: an object of texts by path.
pub(crate) fn interface() -> String {
    let headers = interface_headers().iter().map(|&(path, text)| (path.to_owned(), text.into()));
    Value::Object(Map::from_iter(headers)).to_string()
}

/// The members of the kernel's structures that programs may name, those that the simulator does not keep last.
pub(crate) fn kernel_members() -> String {
    Value::from_iter(members::<TcpSock>().chain(members::<RateSample>()).chain(members::<AckSample>())).to_string()
}

fn members<S: KernelStruct>() -> impl Iterator<Item = Value> {
    let row = |structure, name, path, unit, writable, kept| json!({"structure": structure, "name": name, "path": path, "unit": unit, "writable": writable, "kept": kept});
    let kept = visible_members::<S>().into_iter().map(move |member| {
        row(member.structure, member.name, member.path(), member.facts.unit, member.facts.is_writable(), true)
    });
    let lacking = S::lacking()
        .iter()
        .map(move |member| row(member.structure, member.name, member.path(), member.facts.unit, false, false));
    kept.chain(lacking)
}

fn algorithm(info: &AlgorithmInfo) -> Value {
    json!({
        "name": info.name,
        "aliases": info.aliases,
        "class": info.class,
        "summary": info.summary,
        "parameters": Value::from_iter(info.parameters.iter().map(parameter)),
    })
}

fn parameter(info: &ParameterInfo) -> Value {
    json!({
        "name": info.name,
        "default": info.default,
        "type": info.type_name,
        "unit": info.unit,
        "doc": info.description,
    })
}
