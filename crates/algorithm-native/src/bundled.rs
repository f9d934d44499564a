//! The algorithms that come with Fairlane, and the headers that others are compiled against.

use crate::image::Image;
use crate::source::AlgorithmSource;

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

/// What there is to know about an algorithm without running it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlgorithmInfo {
    pub name: String,
    /// Other names for it.
    pub aliases: Vec<String>,
    /// One line.
    pub summary: String,
    /// The opening comment of its file: idea, source, deviations.
    pub header: String,
    pub parameters: Vec<ParameterInfo>,
}

/// A `const volatile` global of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterInfo {
    pub name: String,
    /// The C type.
    pub type_name: String,
    pub default: i64,
    /// Smallest and largest value that the type holds.
    pub range: (i128, i128),
    pub unit: Option<String>,
    /// Meaning and source.
    pub description: Option<String>,
}

/// All bundled algorithms in the order of their names.
pub fn bundled() -> Vec<AlgorithmInfo> {
    BUNDLED
        .iter()
        .map(|file| {
            let image =
                Image::of(&AlgorithmSource::Bundled(file.name.into())).expect("a bundled algorithm is complete");
            info_of(&image, file.name)
        })
        .collect()
}

/// What a compiled program and its text say about it.
pub(crate) fn info_of(image: &Image, name: &str) -> AlgorithmInfo {
    AlgorithmInfo {
        name: name.into(),
        aliases: ALIASES.iter().filter(|(_, real)| *real == name).map(|&(alias, _)| alias.into()).collect(),
        summary: image.summary.clone(),
        header: image.header.clone(),
        parameters: image.parameters(),
    }
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
