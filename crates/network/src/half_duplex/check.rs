//! Checks the configuration of a half-duplex channel.

use fairlane_contract::{HalfDuplexConfig, Path, PathStep, Problem, StationConfig};

use crate::link::{check_link, check_queue_of_station};

/// The first problem found.
pub(crate) fn check(channel: &HalfDuplexConfig) -> Result<(), Problem> {
    channel.stations.iter().enumerate().try_for_each(|(index, station)| check_station(channel, index, station))
}

/// Checks a station as a link of its own. A problem belongs to the station or to the channel.
fn check_station(channel: &HalfDuplexConfig, index: usize, station: &StationConfig) -> Result<(), Problem> {
    let check = || {
        check_queue_of_station(&station.queue)?;
        check_link(&channel.as_link(station))
    };
    check().map_err(|problem| {
        let is_own = matches!(problem.path.0.first(), Some(PathStep::Key(key))
            if ["queue", "loss", "mtu_bytes"].contains(&key.as_str()));
        if is_own {
            problem.under(Path::from("stations").index(index))
        } else {
            problem
        }
    })
}
