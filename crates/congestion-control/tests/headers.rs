//! The files that are made of the declarations are the ones in the repository.

use std::path::Path;

#[test]
fn the_headers_in_the_repository_are_those_of_the_declarations() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (path, text) in fairlane_congestion_control::headers::files() {
        let there = std::fs::read_to_string(repository.join(path)).unwrap_or_default();
        assert!(there == text, "{path} is stale; run `make headers`");
    }
}
