//! All declarations as data, from which the JSON Schema, the Python types and the reference pages derive.

use crate::{units, Column, CrossTrafficResult, FlowResult, FlowSamples, LinkResult, LinkSamples};
use crate::{Provenance, RunMetrics, Scenario, ETHERNET_OVERHEAD_BYTES, TUN_OVERHEAD_BYTES};
use schemars::{schema_for, JsonSchema};
use serde_json::{json, Value};

/// `scenario`: its JSON Schema, each setting with its attributes. `columns`: the tables of a result and their columns, in
/// order, each with `name`, `type`, `unit` and `meaning`.
pub fn declarations() -> Value {
    let mut scenario = Value::from(schema_for!(Scenario));
    complete(&mut scenario);
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

/// Adds to each setting the attributes that its name and its table imply.
fn complete(schema: &mut Value) {
    let is_table = schema.get("properties").is_some();
    let transport = schema.as_object_mut().filter(|_| is_table).and_then(|table| table.remove(TRANSPORT));
    for (name, property) in schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        let Some(property) = property.as_object_mut() else { continue };
        if let Some(unit) = units::of_name(name) {
            property.entry("x-unit").or_insert_with(|| unit.into());
        }
        if property.get(TRANSPORT).is_some_and(|own| own == "any") {
            property.remove(TRANSPORT);
        } else if let Some(transport) = &transport {
            property.insert(TRANSPORT.to_owned(), transport.clone());
        }
    }
    match schema {
        Value::Object(inner) => inner.values_mut().for_each(complete),
        Value::Array(inner) => inner.iter_mut().for_each(complete),
        _ => {}
    }
}

const TRANSPORT: &str = "x-transport";

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
    fn a_table_passes_its_transport_on() {
        let all = declarations();
        let transport = |table: &str, key: &str| {
            let properties = &all["scenario"]["$defs"][table]["properties"];
            assert!(properties[key].is_object(), "{table}.{key}");
            properties[key]["x-transport"].clone()
        };
        assert_eq!(transport("SenderHost", "pacing_shift"), "tcp");
        assert_eq!(transport("ReceiverHost", "autotune"), "tcp");
        assert_eq!(transport("QuicSettings", "streams"), "quic");
        assert_eq!(transport("SenderHost", "ecn"), Value::Null);
        assert_eq!(transport("FlowConfig", "mtu"), Value::Null);
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
