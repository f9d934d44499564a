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

/// The signal to which an algorithm mainly responds, as the literature groups algorithms (Turkovic, Kuipers and Uhlig 2019,
/// section II, which counts BBR as hybrid).
const CLASSES: &[(&str, &[&str])] = &[
    ("loss-based", &["reno", "bic", "cubic", "highspeed", "htcp", "hybla", "scalable", "westwood"]),
    ("delay-based", &["vegas", "lola", "copa"]),
    ("hybrid", &["veno", "illinois", "yeah"]), // losses and delay
    ("model-based", &["bbr", "bbr2", "bbr3", "modest_bbr"]),
    ("mark-based", &["dctcp", "prague"]), // ECN
];

/// The class of a bundled algorithm, by its own name.
pub(crate) fn class(name: &str) -> Option<&'static str> {
    CLASSES.iter().find(|(_, members)| members.contains(&name)).map(|&(class, _)| class)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_has_one_class() {
        for name in BUNDLED.iter().map(|file| file.name) {
            let classes = CLASSES.iter().filter(|(_, members)| members.contains(&name)).count();
            assert_eq!(classes, 1, "{name}");
        }
        assert!(CLASSES.iter().flat_map(|(_, members)| *members).all(|name| find(name).is_some()));
    }
}
