//! A run that its caller advances, looks into, and changes while it runs.

use crate::packed::Packer;
use fairlane_congestion_control::Algorithms;
use fairlane_contract::{FlowSamples, LinkSamples, Scenario};
use fairlane_simulator::{Live, LiveChange, PacketStep, Prepared, Side, SimulationError, Step};
use serde_json::{json, Map, Value};

/// Errors are messages for the user, a line per problem.
pub struct Session {
    /// With the changes so far.
    scenario: Value,
    watched: Vec<String>,
    /// None after the result was taken.
    live: Option<Box<dyn Live>>,
    result: String,
    /// Samples of each flow and of each station that the caller has.
    seen_flows: Vec<usize>,
    seen_stations: Vec<usize>,
}

impl Session {
    /// # Errors
    /// The scenario is not valid, or names an algorithm that does not exist.
    pub fn new(scenario: &str, algorithms: &dyn Algorithms, records_steps: bool) -> Result<Self, String> {
        let read: Scenario = fairlane_contract::read(scenario).map_err(SimulationError::Scenario).map_err(text)?;
        let mut live = Prepared::new(&read, algorithms).map_err(text)?.live();
        if records_steps {
            live.record();
        }
        let (flows, stations) = (live.flows().len(), live.stations().len());
        Ok(Self {
            scenario: serde_json::from_str(scenario).map_err(|error| error.to_string())?,
            watched: read.watch,
            live: Some(live),
            result: String::new(),
            seen_flows: vec![0; flows],
            seen_stations: vec![0; stations],
        })
    }

    /// Flows, stations and columns, as JSON.
    pub fn describe(&self) -> String {
        let names =
            |columns: &[fairlane_contract::Column]| columns.iter().map(|column| column.name).collect::<Vec<_>>();
        let live = self.live.as_deref();
        json!({
            "flows": live.map(Live::flows),
            "stations": live.map(|live| live.stations().into_iter().map(|(name, _)| name.to_owned()).collect::<Vec<_>>()),
            "columns": {
                "flow": names(FlowSamples::COLUMNS),
                "link": names(LinkSamples::COLUMNS),
                "watched": self.watched,
            },
        })
        .to_string()
    }

    /// Runs to this time, and returns what happened since the last call, packed.
    ///
    /// # Errors
    /// An algorithm fails.
    pub fn advance(&mut self, until_ns: u64) -> Result<Vec<u8>, String> {
        if let Some(live) = &mut self.live {
            live.advance(until_ns).map_err(text)?;
        }
        Ok(self.progress())
    }

    /// Time, whether the run is over, numbers of flows, stations and watched members; then the columns of each flow and
    /// of each station behind their number of rows.
    fn progress(&mut self) -> Vec<u8> {
        let mut packed = Packer::default();
        let Some(live) = &mut self.live else { return packed.finish() };
        packed.number(live.time_ns() as f64);
        packed.number(f64::from(u8::from(live.is_over())));
        for (flow, seen) in self.seen_flows.iter_mut().enumerate() {
            if live.sample_count(flow) < *seen {
                *seen = 0;
            }
            let samples = live.flow_samples(flow, *seen);
            let rows = samples.t_s.len();
            packed.number(rows as f64);
            samples.into_cells().into_iter().for_each(|(_, cells)| packed.cells(cells));
            let watched = live.watched(flow, *seen);
            let count = self.watched.len();
            for name in 0..count {
                let column = watched.iter().skip(name).step_by(count);
                packed.optional(column.map(|value| value.map(|value| value as f64)));
            }
            *seen += rows;
        }
        for ((_, samples), seen) in live.stations().into_iter().zip(&mut self.seen_stations) {
            let samples = samples.rows_from(*seen);
            let rows = samples.t_s.len();
            packed.number(rows as f64);
            samples.into_cells().into_iter().for_each(|(_, cells)| packed.cells(cells));
            *seen += rows;
        }
        pack_steps(&live.take_steps(), &mut packed);
        packed.finish()
    }

    /// Runs until the next step of a kind, at most `at_most_ns` further: 0, a data packet leaves a sender; 1, an
    /// acknowledgement arrives at one; 2, a packet is dropped or lost.
    ///
    /// # Errors
    /// An algorithm fails.
    pub fn step(&mut self, kind: u32, at_most_ns: u64) -> Result<Vec<u8>, String> {
        let condition = |step: &Step| match kind {
            0 => step.step == PacketStep::Send && step.payload_bytes > 0,
            1 => {
                let is_of_receiver = step.sender.is_some_and(|(_, side)| side == Side::Receiver);
                step.step == PacketStep::Receive && step.payload_bytes == 0 && is_of_receiver
            }
            _ => matches!(step.step, PacketStep::Drop | PacketStep::Lose),
        };
        if let Some(live) = &mut self.live {
            live.advance_to(live.time_ns().saturating_add(at_most_ns), &condition).map_err(text)?;
        }
        Ok(self.progress())
    }

    /// Changes a link, or parameters of flows, from the next nanosecond on (`Change` in `fairlane.d.ts`).
    ///
    /// # Errors
    /// The change is not valid, or not possible.
    pub fn change(&mut self, change: &str) -> Result<(), String> {
        let Some(live) = &mut self.live else { return Err("the run is over".to_owned()) };
        let mut change: Map<String, Value> = serde_json::from_str(change).map_err(|error| error.to_string())?;
        if let Some(group) = change.get("group") {
            let parameters = change.get("parameters").cloned().unwrap_or_default();
            let parameters = serde_json::from_value(parameters).map_err(|error| format!("parameters: {error}"))?;
            return live.change_parameters(group.as_u64().unwrap_or(u64::MAX) as u32, &parameters);
        }
        let Some(Value::String(link)) = change.remove("link") else {
            return Err("name the `link` that changes, or the `group` of flows".to_owned());
        };
        let mut limit = |key: &str| match change.remove(key) {
            None => Ok(None),
            Some(value) => value.as_u64().map(Some).ok_or_else(|| format!("{key} is {value}; give an integer")),
        };
        let (limit_bytes, limit_packets) = (limit("limit_bytes")?, limit("limit_packets")?);
        change.insert("at_ns".to_owned(), (live.time_ns() + 1).into());
        let is_of_scenario = change.len() > 1;
        let change = Value::Object(change);
        let config = fairlane_contract::read(&change.to_string()).map_err(SimulationError::Scenario).map_err(text)?;
        live.change_link(&link, &LiveChange { config, limit_bytes, limit_packets })?;
        if let Some(links) = self.scenario["links"].as_array_mut().filter(|_| is_of_scenario) {
            for found in links.iter_mut().filter(|found| found["name"] == link.as_str()) {
                let changes = found.as_object_mut().map(|found| found.entry("changes").or_insert_with(|| json!([])));
                if let Some(Value::Array(changes)) = changes {
                    let at_ns = |one: &Value| one["at_ns"].as_u64();
                    let place = changes.partition_point(|other| at_ns(other) <= at_ns(&change));
                    changes.insert(place, change.clone());
                }
            }
        }
        Ok(())
    }

    /// The scenario with all changes, as JSON.
    pub fn scenario(&self) -> String {
        self.scenario.to_string()
    }

    /// The result as JSON, the text that the native engine gives; runs to the end first.
    ///
    /// # Errors
    /// An algorithm fails.
    pub fn result(&mut self) -> Result<&str, String> {
        if let Some(live) = self.live.take() {
            let result = live.into_result().map_err(text)?;
            self.result = serde_json::to_string(&result).expect("a result is numbers and lists");
        }
        Ok(&self.result)
    }
}

/// The columns of `Events` in `fairlane.d.ts`.
fn pack_steps(steps: &[Step], packed: &mut Packer) {
    let flow = |step: &Step| step.sender.map_or(u16::MAX, |(flow, _)| flow as u16);
    packed.number(steps.len() as f64);
    packed.numbers(steps.iter().map(|step| step.time_ns as f64));
    packed.optional(steps.iter().map(|step| step.until_ns.map(|until_ns| until_ns as f64)));
    packed.numbers(steps.iter().map(|step| step.number as f64));
    packed.words(steps.iter().map(|step| step.payload_bytes));
    packed.words(steps.iter().map(|step| step.ip_bytes));
    packed.half_words(steps.iter().map(flow));
    packed.half_words(steps.iter().map(|step| step.station.map_or(u16::MAX, |station| station as u16)));
    packed.bytes(steps.iter().map(|step| step.step as u8));
}

/// FNV-1a with 64 bits, as 16 hexadecimal digits.
pub fn hash(text: &str) -> String {
    let mixed = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, mixed))
}

fn text(error: SimulationError) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairlane_algorithm_native::Programs;

    fn scenario() -> Value {
        json!({
            "seed": 1, "duration_ns": 2_000_000_000_u64, "watch": ["state.w_max"],
            "links": [
                {"name": "bottleneck", "rate_bps": 20_000_000, "delay_ns": 10_000_000,
                 "queue": {"kind": "fifo", "limit_bytes": 50_000}},
                {"name": "back", "delay_ns": 10_000_000},
            ],
            "flows": [{"algorithm": "cubic", "forward": ["bottleneck"], "reverse": ["back"]}],
        })
    }

    fn numbers(packed: &[u8]) -> Vec<f64> {
        let words = packed.chunks_exact(8);
        words.map(|word| f64::from_le_bytes(word.try_into().expect("of eight"))).collect()
    }

    #[test]
    fn a_caller_gets_each_sample_once_and_the_native_result() {
        let mut session = Session::new(&scenario().to_string(), &Programs, true).expect("it can run");
        let first = numbers(&session.advance(500_000_000).expect("it runs"));
        assert_eq!(first[..3], [5e8, 0.0, 5.0], "time, not over, five samples of the flow");
        assert_eq!(first[3..8], [0.1, 0.2, 0.3, 0.4, 0.5], "their times");
        let second = numbers(&session.advance(700_000_000).expect("it runs"));
        assert_eq!(second[2..5], [2.0, 0.6, 0.7]);
        let stopped = numbers(&session.step(2, 1_000_000_000).expect("it runs"));
        assert!(stopped[0] > 7e8 && stopped[1] == 0.0, "stopped at {}", stopped[0]);
        let native = fairlane_simulator::run_json(&scenario().to_string(), &Programs).expect("it runs");
        assert_eq!(session.result().expect("it runs"), native);
    }

    #[test]
    fn the_scenario_repeats_what_was_changed() {
        let mut session = Session::new(&scenario().to_string(), &Programs, true).expect("it can run");
        session.advance(300_000_000).expect("it runs");
        session.change(r#"{"link": "bottleneck", "rate_bps": 5000000, "delay_ns": 20000000}"#).expect("a change");
        let repeated = session.scenario();
        let again = fairlane_simulator::run_json(&repeated, &Programs).expect("it runs");
        assert_eq!(session.result().expect("it runs"), again);
    }

    #[test]
    fn problems_are_one_line() {
        let mut session = Session::new(&scenario().to_string(), &Programs, false).expect("it can run");
        let problem = |text: &str, session: &mut Session| session.change(text).expect_err("refused");
        assert_eq!(problem(r#"{"link": "x"}"#, &mut session), "there is no link \"x\"; there are bottleneck, back");
        assert_eq!(
            problem(r#"{"link": "back", "rate_bps": 1000}"#, &mut session),
            "link \"back\" has no fixed rate that could change"
        );
        assert_eq!(problem("{}", &mut session), "name the `link` that changes, or the `group` of flows");
        let unknown = json!({"seed": 1, "duration_ns": 1, "flows": [], "x": 1});
        assert!(Session::new(&unknown.to_string(), &Programs, false).is_err());
    }

    #[test]
    fn the_hash_is_fnv() {
        assert_eq!((&*hash(""), &*hash("a")), ("cbf29ce484222325", "af63dc4c8601ec8c"));
    }
}
