//! Checks the configuration of a Wi-Fi cell.

use fairlane_contract::{OutageConfig, Path, PathStep, Problem};
use fairlane_contract::{WifiConfig, WifiDriver, WifiQueueConfig, WifiRateControl, WifiStandard};

use super::phy::Rate;
use super::transmit_queue::{as_link, index_of, loss_of};
use crate::link::{check_link, MAX_TIME_NS};
use crate::medium::check_station_count;

/// Contention windows are one less than a power of two (802.11-2020 §9.4.2.28).
const CW: std::ops::RangeInclusive<u32> = 15..=32_767;
/// More than any two stations of a cell differ.
const MAX_DB: f64 = 200.0;

/// The first problem found.
pub(crate) fn check(cell: &WifiConfig) -> Result<(), Problem> {
    let wrong = |key: &str, what: String, remedy: &str| Err(Problem::new(key, what, remedy));
    check_station_count(cell.stations.len(), 1)?;
    for (cw, key) in [(cell.station_cw_max, "station_cw_max"), (cell.access_point_cw_max, "access_point_cw_max")] {
        if !CW.contains(&cw) || !(cw + 1).is_power_of_two() {
            return wrong(key, format!("is {cw}"), "give 15, 31, 63 and so on up to 32767");
        }
    }
    let window = if cell.standard == WifiStandard::Ax { 256 } else { 64 };
    if !(1..=window).contains(&cell.max_ampdu_mpdus) {
        let remedy = format!("give 1 to {window}, the Block Ack window");
        return wrong("max_ampdu_mpdus", format!("is {}", cell.max_ampdu_mpdus), &remedy);
    }
    if let Some(capture_db) = cell.capture_db.filter(|db| !(0.0..=MAX_DB).contains(db)) {
        return wrong("capture_db", format!("is {capture_db}"), "give 0 to 200, for example 10");
    }
    if cell.max_ampdu_bytes == Some(0) {
        return wrong("max_ampdu_bytes", "is 0".into(), "give 1 or more, or leave it out for the standard's limit");
    }
    if cell.mpdu_overhead_bytes > 1_000 {
        return wrong("mpdu_overhead_bytes", format!("is {}", cell.mpdu_overhead_bytes), "give 38, or 54 with CCMP");
    }
    let times = [
        (cell.max_ppdu_ns, "max_ppdu_ns"),
        (cell.txop_limit_ns, "txop_limit_ns"),
        (cell.beacon_interval_ns.unwrap_or(0), "beacon_interval_ns"),
        (cell.access_point_latency_ns, "access_point_latency_ns"),
    ];
    if let Some((_, key)) = times.into_iter().find(|&(time_ns, _)| time_ns > MAX_TIME_NS) {
        return wrong(key, format!("is above {MAX_TIME_NS} ns"), "give a shorter time");
    }
    if cell.max_ppdu_ns == 0 {
        return wrong("max_ppdu_ns", "is 0".into(), "give 5484000, the standard's limit");
    }
    if cell.beacon_interval_ns.is_some_and(|interval_ns| interval_ns < MIN_BEACON_INTERVAL_NS) {
        return wrong("beacon_interval_ns", "is below 10 ms".into(), "give 102400000, or leave it out for no beacons");
    }
    if cell.access_point_limit_packets == Some(0) {
        return wrong(
            "access_point_limit_packets",
            "is 0".into(),
            "give 1 or more, or leave it out for no common limit",
        );
    }
    if cell.hardware_aggregates > MAX_HARDWARE_AGGREGATES {
        return wrong("hardware_aggregates", format!("is {}", cell.hardware_aggregates), "give 0 to 16; ath9k has 2");
    }
    check_outages(cell)?;
    check_hidden(cell)?;
    for (index, station) in cell.stations.iter().enumerate() {
        if !(-MAX_DB..=MAX_DB).contains(&station.signal_db) {
            let problem = Problem::new("signal_db", format!("is {}", station.signal_db), "give -200 to 200");
            return Err(problem.under(Path::from("stations").index(index)));
        }
        if station.latency_ns > MAX_TIME_NS {
            let problem = Problem::new("latency_ns", format!("is above {MAX_TIME_NS} ns"), "give a shorter time");
            return Err(problem.under(Path::from("stations").index(index)));
        }
        for (queue, key) in [(&station.uplink, "uplink"), (&station.downlink, "downlink")] {
            check_queue_of(cell, queue).map_err(|problem| {
                let is_of_cell = matches!(problem.path.0.first(), Some(PathStep::Key(key))
                    if ["width_mhz", "guard_interval_ns", "band"].contains(&key.as_str()));
                if is_of_cell {
                    return problem;
                }
                problem.under(Path::from("stations").index(index).key(key))
            })?;
        }
    }
    Ok(())
}

/// Hidden stations are given by their names.
fn check_hidden(cell: &WifiConfig) -> Result<(), Problem> {
    for (index, station) in cell.stations.iter().enumerate() {
        let wrong = |what: String, remedy: String| {
            let path = Path::from("stations").index(index).key("hidden_from");
            Err(Problem::new(path, what, remedy))
        };
        let others: Vec<&str> =
            cell.stations.iter().map(|one| one.name.as_str()).filter(|&name| name != station.name).collect();
        if let Some(name) = station.hidden_from.iter().find(|name| !others.contains(&name.as_str())) {
            let remedy = if others.is_empty() { "add stations".into() } else { format!("give {}", others.join(", ")) };
            return wrong(format!("names \"{name}\", which is no other station of the cell"), remedy);
        }
    }
    Ok(())
}

fn check_queue_of(cell: &WifiConfig, queue: &WifiQueueConfig) -> Result<(), Problem> {
    let rate = Rate::new(cell, queue.mcs, queue.streams)?;
    if !(0.0..1.0).contains(&queue.mpdu_loss) {
        let what = format!("is {}", queue.mpdu_loss);
        return Err(Problem::new("mpdu_loss", what, "give a probability from 0 to less than 1"));
    }
    let index = index_of(cell, queue.mcs);
    let is_fixed = queue.rate_control == WifiRateControl::Fixed;
    let unused = if is_fixed { None } else { queue.mpdu_losses.first() };
    if let Some(loss) = queue.mpdu_losses.iter().find(|loss| !(0.0..=1.0).contains(*loss)) {
        return Err(Problem::new("mpdu_losses", format!("has {loss}"), "give probabilities from 0 to 1"));
    }
    if is_fixed && loss_of(queue, index) >= 1.0 || unused.is_some_and(|&loss| loss >= 1.0) {
        let what = format!("leaves nothing of MCS {}", if is_fixed { queue.mcs } else { queue.mcs - index as u32 });
        return Err(Problem::new("mpdu_losses", what, "give that MCS less than 1"));
    }
    match queue.driver {
        Some(WifiDriver::Fifo { limit_packets: 0 }) => {
            let path = Path::from("driver").key("limit_packets");
            return Err(Problem::new(path, "is 0", "give 1 or more, or leave driver out"));
        }
        Some(WifiDriver::Aql { low_ns, high_ns, .. }) if low_ns == 0 || low_ns > high_ns || high_ns > MAX_TIME_NS => {
            let what = "has a low limit that is 0 or above the high one";
            return Err(Problem::new("driver", what, "give for example 5 ms and 12 ms"));
        }
        _ => {}
    }
    check_link(&as_link(queue, rate))
}

fn check_outages(cell: &WifiConfig) -> Result<(), Problem> {
    let wrong = |key: &str, what: &str, remedy: &str| Err(Problem::new(Path::from("outages").key(key), what, remedy));
    match &cell.outages {
        Some(OutageConfig::Listed { at_ns, length_ns }) => {
            if *length_ns == 0 || *length_ns > MAX_TIME_NS {
                return wrong("length_ns", "is 0 or far too long", "give the length of an outage");
            }
            if at_ns.windows(2).any(|pair| pair[0].saturating_add(*length_ns) > pair[1]) {
                return wrong("at_ns", "has outages that overlap", "sort them, at least `length_ns` apart");
            }
        }
        &Some(OutageConfig::Random { mean_length_ns, mean_distance_ns }) => {
            let means = [(mean_length_ns, "mean_length_ns"), (mean_distance_ns, "mean_distance_ns")];
            if let Some((_, key)) = means.into_iter().find(|(mean_ns, _)| !(1_000..=MAX_TIME_NS).contains(mean_ns)) {
                return wrong(key, "is below 1 us or far too long", "give a mean time");
            }
        }
        None => {}
    }
    Ok(())
}

/// More than any hardware has.
const MAX_HARDWARE_AGGREGATES: u32 = 16;
const MIN_BEACON_INTERVAL_NS: u64 = 10_000_000;
