//! The network of a scenario, for hosts that are not simulated.

use crate::build::{resolve_paths, set_mtus};
use fairlane_contract::{Problem, Scenario};
use fairlane_engine::Streams;
use fairlane_network::Network;

/// The network of a scenario, without its flows and its cross traffic. Flow `n` has the paths `2 n`, forward, and
/// `2 n + 1`, reverse.
///
/// # Errors
/// Invalid links, media or paths. The flows are not checked except for their paths.
pub fn network_alone<P: Copy>(scenario: &Scenario) -> Result<Network<P>, Problem> {
    let streams = Streams::new(scenario.seed);
    let (paths, largest_mtus) = resolve_paths(scenario)?;
    let (mut links, mut media) = (scenario.links.clone(), scenario.media.clone());
    set_mtus(&mut links, &mut media, &largest_mtus);
    let paths = paths.into_iter().flatten().collect();
    Network::with_media(&links, &media, paths, &streams, scenario.hz)
}
