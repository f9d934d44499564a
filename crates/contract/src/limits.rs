//! Checks of single values, derived from the declarations of settings.

use crate::{units, Path, PathStep, Problem};
use std::collections::BTreeMap;
use std::fmt::Display;

/// Whether values lie in the ranges that their declarations state: implemented by `#[derive(Limits)]`.
pub trait Limits {
    /// Adds every value that is out of its range; paths are relative to this value.
    fn find_problems(&self, found: &mut Vec<Problem>);

    /// The first setting that differs from its default and has no meaning for this transport.
    fn set_without_effect(&self, _transport: &str) -> Option<&'static str> {
        None
    }

    /// Every value that is out of its range.
    fn problems(&self) -> Vec<Problem> {
        let mut found = Vec::new();
        self.find_problems(&mut found);
        found
    }

    /// The first value that is out of its range.
    ///
    /// # Errors
    /// That value.
    fn check_limits(&self) -> Result<(), Problem> {
        self.problems().into_iter().next().map_or(Ok(()), Err)
    }
}

macro_rules! without_settings {
    ($($kind:ty),*) => {
        $(impl Limits for $kind {
            fn find_problems(&self, _: &mut Vec<Problem>) {}
        })*
    };
}
without_settings!(bool, u8, u32, u64, i32, f64, String, BTreeMap<String, i64>);

impl<T: Limits> Limits for Option<T> {
    fn find_problems(&self, found: &mut Vec<Problem>) {
        if let Some(value) = self {
            value.find_problems(found);
        }
    }
}

impl<T: Limits> Limits for Vec<T> {
    fn find_problems(&self, found: &mut Vec<Problem>) {
        for (index, value) in self.iter().enumerate() {
            under(found, index, |found| value.find_problems(found));
        }
    }
}

/// Puts the problems that `find` adds below a key or an index.
#[inline]
pub(crate) fn under<S: Into<PathStep>>(found: &mut Vec<Problem>, step: S, find: impl FnOnce(&mut Vec<Problem>)) {
    let before = found.len();
    find(found);
    if found.len() > before {
        let step = step.into();
        for problem in &mut found[before..] {
            problem.path.0.insert(0, step.clone());
        }
    }
}

/// A number, or an optional one.
pub(crate) trait Number {
    type Of: Copy + PartialOrd + Display;
    fn number(&self) -> Option<Self::Of>;
}

macro_rules! numbers {
    ($($kind:ty),*) => {
        $(impl Number for $kind {
            type Of = $kind;
            fn number(&self) -> Option<$kind> {
                Some(*self)
            }
        })*
    };
}
numbers!(u8, u32, u64, i32, f64);

impl<T: Number> Number for Option<T> {
    type Of = T::Of;
    fn number(&self) -> Option<T::Of> {
        self.as_ref().and_then(Number::number)
    }
}

/// A list, or an optional one.
pub(crate) trait List {
    type Of;
    fn elements(&self) -> &[Self::Of];
}

impl<T> List for Vec<T> {
    type Of = T;
    fn elements(&self) -> &[T] {
        self
    }
}

impl<T> List for Option<Vec<T>> {
    type Of = T;
    fn elements(&self) -> &[T] {
        self.as_deref().unwrap_or_default()
    }
}

/// A list or a text, whose length may be limited.
pub(crate) trait Length {
    const UNIT: &'static str;
    fn length(&self) -> Option<usize>;
}

impl<T> Length for Vec<T> {
    const UNIT: &'static str = "entries";
    fn length(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl Length for String {
    const UNIT: &'static str = "characters";
    fn length(&self) -> Option<usize> {
        Some(self.chars().count())
    }
}

impl<T: Length> Length for Option<T> {
    const UNIT: &'static str = T::UNIT;
    fn length(&self) -> Option<usize> {
        self.as_ref().and_then(Length::length)
    }
}

/// Bounds of a number; `above` and `below` exclude the bound itself.
pub(crate) struct Range<T> {
    pub min: Option<T>,
    pub above: Option<T>,
    pub max: Option<T>,
    pub below: Option<T>,
}

/// The setting that a range belongs to, its unit if its name does not tell it, and its hint.
pub(crate) struct Words {
    pub name: &'static str,
    pub unit: &'static str,
    pub hint: &'static str,
}

#[inline]
pub(crate) fn check_range<N: Number>(
    found: &mut Vec<Problem>,
    step: impl Into<PathStep>,
    value: &N,
    range: &Range<N::Of>,
    words: &Words,
) {
    let Some(value) = value.number() else { return };
    // A value that is not a number lies in no range.
    let is_inside = range.min.is_none_or(|min| value >= min)
        && range.above.is_none_or(|above| value > above)
        && range.max.is_none_or(|max| value <= max)
        && range.below.is_none_or(|below| value < below);
    if !is_inside {
        let unit = if words.unit.is_empty() { units::of_name(words.name).unwrap_or_default() } else { words.unit };
        let remedy = with_hint(range.in_words(unit), words.hint);
        found.push(Problem::new(Path(vec![step.into()]), format!("is {value}"), remedy));
    }
}

#[inline]
pub(crate) fn check_length<L: Length>(
    found: &mut Vec<Problem>,
    step: impl Into<PathStep>,
    value: &L,
    (min, max): (Option<usize>, Option<usize>),
    hint: &str,
) {
    let Some(length) = value.length() else { return };
    if min.is_some_and(|min| length < min) || max.is_some_and(|max| length > max) {
        let range = Range { min, above: None, max, below: None };
        let remedy = with_hint(range.in_words(""), hint);
        found.push(Problem::new(Path(vec![step.into()]), format!("has {length} {}", L::UNIT), remedy));
    }
}

#[cold]
fn with_hint(remedy: String, hint: &str) -> String {
    let space = if hint.is_empty() || hint.starts_with(',') { "" } else { " " };
    format!("{remedy}{space}{hint}")
}

impl<T: Copy + Display> Range<T> {
    /// As a remedy: "give 1 ms to 25 ms".
    #[cold]
    fn in_words(&self, unit: &str) -> String {
        let quantity = |number: Option<T>| number.map(|number| quantity(&number.to_string(), unit));
        let above = quantity(self.above).map(|above| format!("more than {above}"));
        let below = quantity(self.below).map(|below| format!("less than {below}"));
        let is_above = above.is_some();
        match (above.or(quantity(self.min)), below.or(quantity(self.max))) {
            (Some(low), None) if is_above => format!("give {low}"),
            (Some(low), None) if low.starts_with("1 ") => "give more than 0".to_owned(),
            (Some(low), None) => format!("give {low} or more"),
            (Some(low), Some(high)) if is_above => format!("give {low} and at most {high}"),
            (Some(low), Some(high)) => match (low.split_once(' '), high.split_once(' ')) {
                (Some((number, unit)), Some((_, same))) if unit == same => format!("give {number} to {high}"),
                _ => format!("give {low} to {high}"),
            },
            (None, Some(high)) => format!("give 0 to {high}"),
            (None, None) => String::new(),
        }
    }
}

/// A number with the largest unit that leaves it an integer: "25 ms", "64 KiB".
fn quantity(number: &str, unit: &str) -> String {
    let scales: &[(u64, &str)] = match unit {
        "ns" => &[(3_600_000_000_000, "h"), (1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us"), (1, "ns")],
        "bytes" => &[(1 << 50, "PiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "bytes")],
        "bit/s" => &[(1_000_000_000_000, "Tbit/s"), (1_000_000_000, "Gbit/s"), (1, "bit/s")],
        _ => return number.to_owned(),
    };
    let Ok(number @ 1..) = number.parse::<u64>() else { return number.to_owned() };
    let (scale, name) = scales.iter().find(|(scale, _)| number % scale == 0).expect("1 divides every number");
    format!("{} {name}", number / scale)
}
