//! Checks conditions on several settings of a Wi-Fi cell; the declarations of settings check their ranges.

use fairlane_contract::{Path, PathStep, Problem};
use fairlane_contract::{WifiConfig, WifiDriver, WifiQueueConfig, WifiRateControl, WifiStandard};

use super::phy::Rate;
use super::transmit_queue::{as_link, index_of, loss_of};
use crate::link::{check_link, check_queue_of_station};
use crate::outages;

/// The first problem found.
pub(crate) fn check(cell: &WifiConfig) -> Result<(), Problem> {
    let wrong = |key: &str, what: String, remedy: &str| Err(Problem::new(key, what, remedy));
    // Contention windows are one less than a power of two (802.11-2020 §9.4.2.28).
    for (cw, key) in [(cell.station_cw_max, "station_cw_max"), (cell.access_point_cw_max, "access_point_cw_max")] {
        if !(cw + 1).is_power_of_two() {
            return wrong(key, format!("is {cw}"), "give 15, 31, 63 and so on up to 32767");
        }
    }
    if cell.standard != WifiStandard::Ax && cell.max_ampdu_mpdus > 64 {
        return wrong("max_ampdu_mpdus", format!("is {}", cell.max_ampdu_mpdus), "give 1 to 64, the Block Ack window");
    }
    check_outages(cell)?;
    check_hidden(cell)?;
    for (index, station) in cell.stations.iter().enumerate() {
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
    let index = index_of(cell, queue.mcs);
    let is_fixed = queue.rate_control == WifiRateControl::Fixed;
    let unused = if is_fixed { None } else { queue.mpdu_losses.first() };
    if is_fixed && loss_of(queue, index) >= 1.0 || unused.is_some_and(|&loss| loss >= 1.0) {
        let what = format!("leaves nothing of MCS {}", if is_fixed { queue.mcs } else { queue.mcs - index as u32 });
        return Err(Problem::new("mpdu_losses", what, "give that MCS less than 1"));
    }
    if matches!(queue.driver, Some(WifiDriver::Aql { low_ns, high_ns, .. }) if low_ns > high_ns) {
        return Err(Problem::new("driver", "has a low limit above the high one", "give for example 5 ms and 12 ms"));
    }
    check_queue_of_station(&queue.queue)?;
    check_link(&as_link(queue, rate))
}

fn check_outages(cell: &WifiConfig) -> Result<(), Problem> {
    cell.outages.as_ref().map_or(Ok(()), |outages| outages::check(outages).map_err(|it| it.under("outages")))
}
