//! The algorithms that come with Fairlane, and the headers that others are compiled against.

/// One file of `algorithms/`, compiled by the build script.
pub(crate) struct BundledFile {
    pub name: &'static str,
    pub source: &'static str,
    pub object: &'static [u8],
    /// The same with debugging information; never run.
    pub described: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/bundled.rs"));

/// Other names under which an algorithm is known.
const ALIASES: &[(&str, &str)] = &[("newreno", "reno")];

/// The other names of an algorithm.
pub(crate) fn aliases(name: &str) -> impl Iterator<Item = &'static str> + use<'_> {
    ALIASES.iter().filter(move |(_, real)| *real == name).map(|(alias, _)| *alias)
}

/// The headers as `(path below the include folder, text)`, for tools that compile programs.
pub fn interface_headers() -> &'static [(&'static str, &'static str)] {
    HEADERS
}

pub(crate) fn find(name: &str) -> Option<&'static BundledFile> {
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, real)| real);
    BUNDLED.iter().find(|file| file.name == name)
}

pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    BUNDLED.iter().map(|file| file.name).chain(ALIASES.iter().map(|(alias, _)| *alias))
}
