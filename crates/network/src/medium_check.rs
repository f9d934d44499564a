//! The check that what a scenario says about a shared medium makes sense.

use fairlane_contract::{HalfDuplexConfig, MediumConfig, Path, PathStep, Problem, StationConfig};

use crate::check_link;
use crate::link_check::MAX_TIME_NS;

/// Far more than share any channel, and few enough to be asked one after the other.
const STATIONS: std::ops::RangeInclusive<usize> = 2..=256;

/// Refuses what cannot work, with the first problem found.
pub fn check_medium(medium: &MediumConfig) -> Result<(), Problem> {
    let MediumConfig::HalfDuplex(channel) = medium;
    if channel.turnaround_ns > MAX_TIME_NS {
        return Err(Problem::new("turnaround_ns", format!("is above {MAX_TIME_NS} ns"), "give a shorter time"));
    }
    if channel.frames_per_turn == 0 {
        return Err(Problem::new("frames_per_turn", "is 0", "give 1 or more"));
    }
    if !STATIONS.contains(&channel.stations.len()) {
        let remedy = format!("give {} to {}", STATIONS.start(), STATIONS.end());
        return Err(Problem::new("stations", format!("has {} entries", channel.stations.len()), remedy));
    }
    channel.stations.iter().enumerate().try_for_each(|(index, station)| check_station(channel, index, station))
}

/// A station is checked as the link that it would have alone; what is wrong is its own, or the channel's.
fn check_station(channel: &HalfDuplexConfig, index: usize, station: &StationConfig) -> Result<(), Problem> {
    check_link(&channel.as_link(station)).map_err(|problem| {
        let is_own = matches!(problem.path.0.first(), Some(PathStep::Key(key))
            if ["queue", "loss", "mtu_bytes"].contains(&key.as_str()));
        if is_own {
            problem.under(Path::from("stations").index(index))
        } else {
            problem
        }
    })
}
