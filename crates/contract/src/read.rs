//! Reads a document and reports every fault of its form.
//!
//! A document of the right form costs one pass of serde. If that fails, the document is compared with its JSON Schema,
//! which finds every unknown key, missing key and wrong type at once, each with its path.

use crate::{Path, Problem};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads a document from JSON.
///
/// # Errors
/// Every fault of its form. [`Limits`](crate::Limits) checks the values.
pub fn read<T: DeserializeOwned + JsonSchema>(text: &str) -> Result<T, Vec<Problem>> {
    serde_json::from_str(text).map_err(|error| problems::<T>(text, &error))
}

#[cold]
fn problems<T: JsonSchema>(text: &str, error: &serde_json::Error) -> Vec<Problem> {
    let whole = |what| vec![Problem::new(Path::default(), what, "")];
    let Ok(document) = serde_json::from_str(text) else { return whole(format!("is not valid JSON: {error}")) };
    let schema = Value::from(schemars::schema_for!(T));
    let mut checker = Checker { root: &schema, problems: Vec::new() };
    checker.check(&schema, &document, &Path::default());
    if checker.problems.is_empty() {
        return whole(error.to_string());
    }
    checker.problems
}

/// Compares a document with its JSON Schema, of which the contract's types use a part.
struct Checker<'a> {
    root: &'a Value,
    problems: Vec<Problem>,
}

impl Checker<'_> {
    fn check(&mut self, schema: &Value, value: &Value, path: &Path) {
        if let Some(name) = schema["$ref"].as_str() {
            let definition = self.root.pointer(name.trim_start_matches('#')).unwrap_or(&Value::Null).clone();
            self.check(&definition, value, path);
        } else if let Some(kinds) = schema["oneOf"].as_array() {
            self.check_kind(kinds, value, path);
        } else if let Some(forms) = schema["anyOf"].as_array() {
            // An optional table: the form, or null.
            let is_null = |form: &&Value| form["type"] == "null";
            if !(value.is_null() && forms.iter().any(|form| is_null(&form))) {
                forms.iter().filter(|form| !is_null(form)).for_each(|form| self.check(form, value, path));
            }
        } else if !has_type(schema, value) {
            self.report(path, format!("is {}", described(value)), format!("give {}", wanted(schema)));
        } else if let Some(items) = value.as_array() {
            for (index, item) in items.iter().enumerate() {
                self.check(&schema["items"], item, &path.clone().index(index));
            }
        } else if value.is_object() {
            self.check_table(schema, value, path);
        }
    }

    /// One of several words, or one of several tables, selected by `kind`.
    fn check_kind(&mut self, kinds: &[Value], value: &Value, path: &Path) {
        let is_word = kinds.iter().all(|kind| kind["const"].is_string());
        let word = |kind: &Value| if is_word { &kind["const"] } else { &kind["properties"]["kind"]["const"] }.clone();
        let (given, path_of_word) =
            if is_word { (value, path.clone()) } else { (&value["kind"], path.clone().key("kind")) };
        let known = || kinds.iter().map(|kind| word(kind).as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>();
        match kinds.iter().find(|kind| word(kind) == *given) {
            Some(_) if is_word => {}
            Some(kind) => self.check_table(kind, value, path),
            None if given.is_null() && !is_word && value.is_object() => {
                self.report(&path_of_word, "is missing".into(), format!("use one of {}", known().join(", ")));
            }
            None if !is_word && !value.is_object() => {
                self.report(path, format!("is {}", described(value)), "give a table with its `kind`".into());
            }
            None => self.report(&path_of_word, format!("is {given}"), format!("use one of {}", known().join(", "))),
        }
    }

    fn check_table(&mut self, schema: &Value, value: &Value, path: &Path) {
        let (Some(table), properties) = (value.as_object(), &schema["properties"]) else { return };
        let known = || match properties.as_object().map(|known| known.keys().cloned().collect::<Vec<_>>()) {
            Some(keys) => keys.join(", "),
            None => String::new(),
        };
        for (key, inner) in table {
            match (properties.get(key), &schema["additionalProperties"]) {
                (Some(property), _) => self.check(property, inner, &path.clone().key(key)),
                (None, Value::Bool(false)) => {
                    self.report(&path.clone().key(key), "is unknown".into(), format!("known keys are {}", known()));
                }
                (None, other) => self.check(other, inner, &path.clone().key(key)),
            }
        }
        for key in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !table.contains_key(key) {
                let remedy = format!("give {}", wanted(&properties[key]));
                self.report(&path.clone().key(key), "is missing".into(), remedy);
            }
        }
    }

    fn report(&mut self, path: &Path, what: String, remedy: String) {
        self.problems.push(Problem::new(path.clone(), what, remedy));
    }
}

fn has_type(schema: &Value, value: &Value) -> bool {
    let has = |name: &Value| match name.as_str().unwrap_or_default() {
        "integer" => match schema["format"].as_str() {
            Some("uint8") => value.as_u64().is_some_and(|number| u8::try_from(number).is_ok()),
            Some("uint32") => value.as_u64().is_some_and(|number| u32::try_from(number).is_ok()),
            Some("uint64") => value.is_u64(),
            _ => value.is_i64(),
        },
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => true,
    };
    match &schema["type"] {
        Value::Array(names) => names.iter().any(has),
        name => has(name),
    }
}

/// The type that a schema requires, as a remedy.
fn wanted(schema: &Value) -> String {
    let name = match &schema["type"] {
        Value::Array(names) => names[0].as_str(),
        name => name.as_str(),
    };
    match (name.unwrap_or_default(), schema["format"].as_str()) {
        ("integer", Some("uint8")) => "an integer from 0 to 255".into(),
        ("integer", Some("uint32")) => "an integer from 0 to 4294967295".into(),
        ("integer", Some("uint64")) => "an integer from 0 to 2^64 - 1".into(),
        ("integer", _) => "an integer of 64 bits".into(),
        ("boolean", _) => "true or false".into(),
        ("array", _) => "a list".into(),
        ("string", _) => "a text".into(),
        ("number", _) => "a number".into(),
        _ => "a table".into(),
    }
}

fn described(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".into(),
        Value::Object(_) => "a table".into(),
        Value::String(text) if text.len() > 40 => "a text".into(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use crate::{read, Scenario};

    fn complaints(json: &str) -> Vec<String> {
        read::<Scenario>(json).expect_err(json).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_fault_of_the_form_is_reported_at_once() {
        let found = complaints(
            r#"{"seed": -1, "duration_ns": 5, "links": [{"name": "a", "rate": 5, "queue": {"kind": "codel", "ecn": 1}},
                {"queue": {"kind": "sfq"}}, {"name": "c", "queue": {}}, {"name": "d", "overhead_bytes": 5000000000}],
                "flows": [{"forward": "a", "reverse": ["a"], "sender": {"pacing": "tc"}, "workload": {"kind": "bytes"}}]}"#,
        );
        for expected in [
            "seed: is -1; give an integer from 0 to 2^64 - 1",
            "links[0].rate: is unknown; known keys are name, rate_bps, ",
            "links[0].queue.ecn: is 1; give true or false",
            "links[1].name: is missing; give a text",
            "links[1].queue.kind: is \"sfq\"; use one of fifo, unlimited, red, codel, ",
            "links[2].queue.kind: is missing; use one of fifo, ",
            "links[3].overhead_bytes: is 5000000000; give an integer from 0 to 4294967295",
            "flows[0].forward: is \"a\"; give a list",
            "flows[0].algorithm: is missing; give a text",
            "flows[0].sender.pacing: is \"tc\"; use one of internal, fq, none",
            "flows[0].workload.bytes: is missing; give an integer from 0 to 2^64 - 1",
        ] {
            assert!(found.iter().any(|line| line.starts_with(expected)), "{expected} is not among {found:#?}");
        }
        assert_eq!(found.len(), 11, "{found:#?}");
    }

    #[test]
    fn errors_beyond_the_schema_are_those_of_serde() {
        assert!(complaints("{")[0].starts_with("is not valid JSON: EOF"), "{:?}", complaints("{"));
        let twice = r#"{"seed":1,"seed":2,"duration_ns":1,"links":[],"flows":[]}"#;
        assert!(complaints(twice)[0].contains("duplicate"), "{:?}", complaints(twice));
    }

    #[test]
    fn null_equals_absence_of_an_optional_setting() {
        let text = r#"{"seed":1,"duration_ns":1,"flows":[],"links":[{"name":"a","loss":null,"rate_bps":null}]}"#;
        assert!(read::<Scenario>(text).is_ok());
    }
}
