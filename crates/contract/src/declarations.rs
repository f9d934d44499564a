//! All declarations as data, from which the JSON Schema, the Python types and the reference pages are made.

use crate::{units, Column, CrossTrafficResult, FlowResult, FlowSamples, LinkResult, LinkSamples};
use crate::{Provenance, RunMetrics, Scenario, ETHERNET_OVERHEAD_BYTES, TUN_OVERHEAD_BYTES};
use schemars::{schema_for, JsonSchema};
use serde_json::{json, Value};

/// `scenario`: its JSON Schema, every property with its unit (`x-unit`). `columns`: the tables of a result and their
/// columns, in order, each with `name`, `type`, `unit` and `meaning`.
pub fn declarations() -> Value {
    let mut scenario = Value::from(schema_for!(Scenario));
    add_units(&mut scenario);
    let runs = [properties::<RunMetrics>(), properties::<Provenance>()].concat();
    json!({
        "scenario": scenario,
        "columns": {
            "runs": runs,
            "flows": properties::<FlowResult>(),
            "links": properties::<LinkResult>(),
            "cross_traffic": properties::<CrossTrafficResult>(),
            "flow_samples": samples(FlowSamples::COLUMNS),
            "link_samples": samples(LinkSamples::COLUMNS),
        },
        "constants": {
            "ETHERNET_OVERHEAD_BYTES": ETHERNET_OVERHEAD_BYTES,
            "TUN_OVERHEAD_BYTES": TUN_OVERHEAD_BYTES,
        },
        "units": units::UNITS.iter().map(|unit| json!({"ending": unit.ending, "symbol": unit.symbol})).collect::<Value>(),
    })
}

/// The unit of each property whose name ends with one.
fn add_units(schema: &mut Value) {
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        for (name, property) in properties.iter_mut() {
            if let (Some(unit), Some(property)) = (units::of_name(name), property.as_object_mut()) {
                property.entry("x-unit").or_insert_with(|| unit.into());
            }
        }
    }
    match schema {
        Value::Object(inner) => inner.values_mut().for_each(add_units),
        Value::Array(inner) => inner.iter_mut().for_each(add_units),
        _ => {}
    }
}

fn properties<T: JsonSchema>() -> Vec<Value> {
    let schema = Value::from(schema_for!(T));
    let columns = schema["properties"].as_object().expect("a table of results has columns");
    let column = |(name, property): (&String, &Value)| {
        let meaning = property["description"].as_str().unwrap_or_default();
        let is_optional = property["type"].is_array();
        let kind = if is_optional { &property["type"][0] } else { &property["type"] };
        let unit = property["x-unit"].as_str().or(units::of_name(name)).unwrap_or_default();
        json!({"name": name, "type": kind, "unit": unit, "optional": is_optional, "meaning": one_line(meaning)})
    };
    columns.iter().map(column).collect()
}

fn samples(columns: &[Column]) -> Vec<Value> {
    let column = |column: &Column| {
        let cell = column.cell.trim_start_matches("Option<").trim_end_matches('>');
        let kind = if cell.starts_with('f') { "number" } else { "integer" };
        let unit = units::of_name(column.name).unwrap_or_default();
        let is_optional = cell.len() < column.cell.len();
        let meaning = one_line(column.meaning);
        json!({"name": column.name, "type": kind, "unit": unit, "optional": is_optional, "meaning": meaning})
    };
    columns.iter().map(column).collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text that is missing here is missing in the reference.
    #[test]
    fn everything_has_a_meaning() {
        let all = declarations();
        for (table, columns) in all["columns"].as_object().unwrap() {
            for column in columns.as_array().unwrap() {
                assert_ne!(column["meaning"], "", "{table}.{}", column["name"]);
            }
        }
        let mut bare = Vec::new();
        find_bare(&all["scenario"], "scenario", &mut bare);
        assert!(bare.is_empty(), "{bare:#?}");
    }

    fn find_bare(schema: &Value, place: &str, bare: &mut Vec<String>) {
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            if name != "kind" && property["description"].is_null() {
                bare.push(format!("{place}.{name}"));
            }
        }
        match schema {
            Value::Object(inner) => {
                inner.iter().for_each(|(key, value)| find_bare(value, &format!("{place}.{key}"), bare))
            }
            Value::Array(inner) => {
                (0..).zip(inner).for_each(|(at, value)| find_bare(value, &format!("{place}[{at}]"), bare))
            }
            _ => {}
        }
    }

    #[test]
    fn units_are_known() {
        let all = declarations();
        let link = &all["scenario"]["$defs"]["LinkConfig"]["properties"];
        assert_eq!((&link["delay_ns"]["x-unit"], &link["rate_bps"]["x-unit"]), (&json!("ns"), &json!("bit/s")));
        assert_eq!(all["columns"]["flow_samples"][1]["unit"], "Mbit/s");
        assert_eq!(all["columns"]["flow_samples"][1]["optional"], false);
        assert_eq!(all["columns"]["flow_samples"][7]["optional"], true);
    }
}
