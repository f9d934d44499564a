//! Every range in the declarations is checked: a scenario with a value outside of it has a problem there, with a remedy,
//! and one with the bound itself has none.

use fairlane_contract::{declarations, read, Limits, Scenario};
use serde_json::{json, Map, Value};

#[test]
fn every_declared_range_is_checked() {
    let schema = declarations()["scenario"].clone();
    let mut walk = Walk { schema: &schema, checked: 0 };
    walk.table(&schema, "", &|table| table);
    assert!(walk.checked > 250, "only {} bounds are checked", walk.checked);
}

#[test]
fn a_remedy_names_range_units_and_hint() {
    for (table, expected) in [
        (
            json!({"sender": {"pacing_shift": 25}}),
            "sender.pacing_shift: is 25; give 0 to 20 (Linux: 10; Wi-Fi drivers: 7 or 8)",
        ),
        (
            json!({"sender": {"tcp_memory_bytes": 1}}),
            "sender.tcp_memory_bytes: is 1; give 64 KiB or more, or remove it",
        ),
        (
            json!({"quic": {"max_ack_delay_ns": 1}}),
            "quic.max_ack_delay_ns: is 1; give 1 to 25 ms (RFC 9000 section 18.2)",
        ),
        (
            json!({"workload": {"kind": "poisson_flows", "rate_per_s": 0.0}}),
            "workload.rate_per_s: is 0; give more than 0 and at most 1000000",
        ),
        (json!({"workload": {"kind": "ping", "interval_ns": 0}}), "workload.interval_ns: is 0; give more than 0"),
        (
            json!({"workload": {"kind": "video", "ladder_bps": [5, 0]}}),
            "workload.ladder_bps[1]: is 0; give 1 bit/s to 1 Tbit/s",
        ),
        (json!({"mtu": 20}), "mtu: is 20; give 256 to 65535 bytes"),
    ] {
        let mut flow = json!({"algorithm": "cubic", "forward": ["a"], "reverse": ["a"]});
        flow.as_object_mut().unwrap().extend(table.as_object().unwrap().clone());
        let scenario = json!({"seed": 1, "duration_ns": 1, "links": [{"name": "a"}], "flows": [flow]});
        let problems = read::<Scenario>(&scenario.to_string()).expect("its form is right").problems();
        assert_eq!(problems.iter().map(ToString::to_string).collect::<Vec<_>>(), [format!("flows[0].{expected}")]);
    }
}

struct Walk<'a> {
    schema: &'a Value,
    checked: usize,
}

/// Places a table where it belongs in a scenario.
type Place<'a> = &'a dyn Fn(Value) -> Value;

impl Walk<'_> {
    fn table(&mut self, table: &Value, path: &str, place: Place) {
        for (key, setting) in table["properties"].as_object().into_iter().flatten() {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            let plain = self.sample(table);
            self.setting(setting, &path, &|value| {
                let mut table = plain.clone();
                table[key] = value;
                place(table)
            });
        }
    }

    fn setting(&mut self, setting: &Value, path: &str, place: Place) {
        self.numbers(setting, path, place);
        self.lengths(setting, path, place);
        if setting["items"].is_object() {
            let least = setting["minItems"].as_u64().unwrap_or(1).max(1) as usize;
            let item = self.sample(&setting["items"]);
            self.setting(&setting["items"], &format!("{path}[0]"), &|value| {
                let mut items = vec![item.clone(); least];
                items[0] = value;
                place(items.into())
            });
        }
        let root = self.schema;
        let inner = definition(root, setting);
        for form in inner["oneOf"].as_array().into_iter().flatten().chain([inner]) {
            if form["properties"].is_object() {
                self.table(form, path, place);
            }
        }
    }

    fn numbers(&mut self, setting: &Value, path: &str, place: Place) {
        let format = setting["format"].as_str().unwrap_or_default();
        let (is_unsigned, is_signed) = (format.starts_with("uint"), format.starts_with("int"));
        let is_integer = is_unsigned || is_signed;
        let bound = |key: &str| setting[key].as_f64();
        let number = |value: f64| match (is_unsigned, is_signed) {
            (true, _) => json!(value as u64),
            (_, true) => json!(value as i64),
            _ => json!(value),
        };
        // Next to a bound: a step that f64 represents.
        let step = |value: f64| if is_integer { (value.abs() / 1e15).max(1.0) } else { value.abs().max(1.0) / 1e9 };
        let is_type_limit = |value: f64| is_integer && (value == 0.0 || value == 255.0);
        for (key, direction) in [("minimum", -1.0), ("maximum", 1.0)] {
            let Some(bound) = bound(key).filter(|&bound| !is_type_limit(bound)) else { continue };
            let outside = bound + direction * step(bound);
            self.expect(true, path, place(number(outside)));
            self.expect(false, path, place(number(bound)));
        }
        for (key, direction) in [("exclusiveMinimum", -1.0), ("exclusiveMaximum", 1.0)] {
            let Some(bound) = bound(key) else { continue };
            self.expect(true, path, place(number(bound)));
            self.expect(false, path, place(number(bound - direction * step(bound))));
        }
    }

    fn lengths(&mut self, setting: &Value, path: &str, place: Place) {
        let of_length = |length: u64| match setting["type"].as_str() {
            Some("string") => json!("x".repeat(length as usize)),
            _ => Value::Array(vec![self.sample(&setting["items"]); length as usize]),
        };
        let bound = |keys: [&str; 2]| keys.iter().find_map(|key| setting[*key].as_u64());
        let (least, most) = (bound(["minItems", "minLength"]), bound(["maxItems", "maxLength"]));
        let mut cases = Vec::new();
        cases.extend(least.map(|least| (true, place(of_length(least - 1)))));
        cases.extend(least.map(|least| (false, place(of_length(least)))));
        cases.extend(most.map(|most| (true, place(of_length(most + 1)))));
        cases.extend(most.map(|most| (false, place(of_length(most)))));
        cases.into_iter().for_each(|(is_outside, scenario)| self.expect(is_outside, path, scenario));
    }

    fn expect(&mut self, is_outside: bool, path: &str, scenario: Value) {
        let scenario = read::<Scenario>(&scenario.to_string()).unwrap_or_else(|error| panic!("{path}: {error:?}"));
        let problems = scenario.problems();
        let found = problems.iter().find(|problem| problem.path.to_string() == path);
        assert_eq!(found.is_some(), is_outside, "{path}: {problems:?}");
        assert!(found.is_none_or(|problem| problem.remedy.starts_with("give ")), "{found:?}");
        self.checked += 1;
    }

    /// A value of the right form with as little in it as possible.
    fn sample(&self, schema: &Value) -> Value {
        let schema = definition(self.schema, schema);
        if let Some(word) = schema.get("const") {
            return word.clone();
        }
        if let Some(form) = schema["oneOf"].get(0) {
            return self.sample(form);
        }
        match schema["type"].as_str().or(schema["type"][0].as_str()) {
            Some("object") => {
                let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
                let samples = required.map(|key| (key.to_owned(), self.sample(&schema["properties"][key])));
                Value::Object(samples.collect::<Map<_, _>>())
            }
            Some("array") => {
                Value::Array(vec![self.sample(&schema["items"]); schema["minItems"].as_u64().unwrap_or(0) as usize])
            }
            Some("string") => json!("x"),
            Some("boolean") => json!(false),
            Some("integer") => json!(schema["minimum"].as_u64().unwrap_or(0).max(1)),
            _ => json!(schema["minimum"].as_f64().unwrap_or(0.0).max(0.5)),
        }
    }
}

/// The table that a setting refers to, optional or not; without a reference, the setting itself.
fn definition<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let schema = schema["anyOf"].get(0).unwrap_or(schema);
    match schema["$ref"].as_str() {
        Some(name) => root.pointer(name.trim_start_matches('#')).expect("a definition"),
        None => schema,
    }
}
