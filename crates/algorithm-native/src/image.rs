//! A compiled program before it is loaded: its object file, tables and parameters.
//!
//! An image holds no foreign state and may be shared between threads; each load makes an instance of
//! its own from it.

use crate::bundled::{aliases, class, find, names, BUNDLED};
use crate::c_source::CSource;
use crate::elf_loader::FROM_C_LIBRARY;
use crate::error::{by_likeness, LoadError};
use crate::object_file::{refuse_hidden_code, Memory};
use crate::ops::{Ops, OPS_BYTES};
use crate::parameter::{Parameter, ParameterInfo};
use crate::snapshot::Snapshot;
use crate::source::AlgorithmSource;
use fairlane_congestion_control::sock::CA_PRIV_BYTES;
use object::read::elf::ElfFile64;
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Image {
    name: String,
    /// The requested table.
    wanted_table: Option<String>,
    object: Arc<[u8]>,
    source: Arc<str>,
    warnings: Arc<[String]>,
    pub(crate) summary: String,
    pub(crate) header: String,
    /// Comes with Fairlane, and is trusted.
    pub(crate) is_bundled: bool,
    parameters: Vec<Parameter>,
    pub(crate) tables: Vec<Table>,
    pub(crate) symbols: BTreeMap<String, u64>,
    /// Variables except parameters, and maps.
    variables: BTreeSet<String>,
    /// Names of the functions by their address.
    pub(crate) functions: BTreeMap<u64, String>,
    /// The number of arguments in the source of each callback, by address; without those written without BPF_PROG.
    pub(crate) argument_counts: BTreeMap<u64, u64>,
}

/// A `struct tcp_congestion_ops` of the program.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub name: String,
    address: u64,
    pub ops: Ops,
}

/// An algorithm as lists and reference pages show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlgorithmInfo {
    pub name: String,
    /// Other names for it.
    pub aliases: Vec<String>,
    /// The signal to which it responds, such as "loss-based"; of bundled algorithms only.
    pub class: Option<String>,
    /// One line.
    pub summary: String,
    /// The opening comment of its file: idea, source, deviations.
    pub header: String,
    pub parameters: Vec<ParameterInfo>,
}

/// All bundled algorithms in the order of their names.
pub fn bundled() -> Vec<AlgorithmInfo> {
    let image =
        |name: &str| Image::of(&AlgorithmSource::Bundled(name.into())).expect("a bundled algorithm is complete");
    BUNDLED.iter().map(|file| image(file.name).info()).collect()
}

/// A cache of bundled programs by name. They never change, and parsing their source takes longer than a short run.
static BUNDLED_IMAGES: Mutex<BTreeMap<String, Image>> = Mutex::new(BTreeMap::new());

/// A cache of files.
static FILE_IMAGES: Mutex<BTreeMap<AlgorithmSource, (Snapshot, Image)>> = Mutex::new(BTreeMap::new());

/// A bundled program without variables of its own.
const WITHOUT_VARIABLES: &str = "reno";

/// The prefix of symbols that hold the sizes of structures which the program keeps in `icsk_ca_priv`.
pub(crate) const PRIVATE_BYTES_PREFIX: &str = "fairlane_private_bytes_";

/// The prefix of the runtime's symbols.
const RUNTIME_PREFIX: &str = "fairlane_";

impl Image {
    /// Finds or compiles the program. Its errors are found here or when it is loaded.
    pub fn of(source: &AlgorithmSource) -> Result<Self, LoadError> {
        match source {
            AlgorithmSource::Bundled(name) => {
                let mut known = BUNDLED_IMAGES.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(image) = known.get(name) {
                    return Ok(image.clone());
                }
                let file = find(name).ok_or_else(|| unknown_algorithm(name))?;
                let mut image = Self::read(name.clone(), None, file.object.into(), &CSource::parse(file.source))?;
                image.is_bundled = true;
                known.insert(name.clone(), image.clone());
                Ok(image)
            }
            AlgorithmSource::File { path, table } => Self::of_file(source, Snapshot::of(path)?, table.clone()),
        }
    }

    /// An object file is read once while it stays the same.
    fn of_file(source: &AlgorithmSource, snapshot: Snapshot, table: Option<String>) -> Result<Self, LoadError> {
        let mut known = FILE_IMAGES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, image)) = known.get(source).filter(|(of, _)| *of == snapshot) {
            return Ok(image.clone());
        }
        let object = snapshot.object.clone();
        let mut image = Self::read(source.display_name(), table, object, &CSource::parse(&snapshot.text))?;
        image.warnings = snapshot.warnings.clone();
        known.insert(source.clone(), (snapshot, image.clone()));
        Ok(image)
    }

    /// The compiler's warnings, each `file:line: warning: ...`.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text of its C file.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Its summary, header and parameters.
    pub fn info(&self) -> AlgorithmInfo {
        let bundled = find(&self.name).map(|file| file.name);
        let name = bundled.unwrap_or(&self.name);
        AlgorithmInfo {
            name: name.into(),
            aliases: aliases(name).map(str::to_owned).collect(),
            class: bundled.and_then(class).map(str::to_owned),
            summary: self.summary.clone(),
            header: self.header.clone(),
            parameters: self.parameters(),
        }
    }

    /// Whether its flows share variables, apart from those of the runtime, which every program has.
    pub(crate) fn has_variables(&self) -> bool {
        let without_any = Self::of(&AlgorithmSource::Bundled(WITHOUT_VARIABLES.to_owned()));
        !without_any.is_ok_and(|without_any| self.variables.is_subset(&without_any.variables))
    }

    pub fn parameters(&self) -> Vec<ParameterInfo> {
        self.parameters.iter().map(Parameter::info).collect()
    }

    /// The requested table, or all tables.
    pub(crate) fn candidate_tables(&self) -> Result<Vec<&Table>, LoadError> {
        let algorithm = self.name.clone();
        if self.tables.is_empty() {
            return Err(LoadError::NoTable { algorithm });
        }
        let Some(wanted) = &self.wanted_table else { return Ok(self.tables.iter().collect()) };
        match self.tables.iter().find(|table| table.name == *wanted) {
            Some(table) => Ok(vec![table]),
            None => {
                let names = by_likeness(wanted, self.tables.iter().map(|table| table.name.as_str()));
                let valid = names.into_iter().map(str::to_owned).collect();
                Err(LoadError::UnknownTable { algorithm, name: wanted.clone(), valid })
            }
        }
    }

    /// A copy of the object file with these parameter values instead of the defaults.
    pub(crate) fn with_parameters(&self, values: &BTreeMap<String, i64>) -> Result<Vec<u8>, LoadError> {
        let mut object = self.object.to_vec();
        for (name, &value) in values {
            let parameter = self.parameters.iter().find(|parameter| parameter.name() == name);
            let parameter = parameter.ok_or_else(|| self.unknown_parameter(name))?;
            parameter.set(&mut object, value).map_err(|(low, high)| LoadError::ParameterOutOfRange {
                algorithm: self.name.clone(),
                name: name.clone(),
                value,
                low,
                high,
            })?;
        }
        Ok(object)
    }

    /// `file:line` of the first of these words in a user's file; the algorithm's name if there is none.
    pub(crate) fn place_of(&self, words: &[&str]) -> String {
        place_of(&self.name, &self.source, words)
    }

    /// Was the function written without BPF_PROG, but as a program?
    pub(crate) fn is_raw_program(&self, function: &str) -> bool {
        CSource::parse(&self.source).takes_context(function)
    }

    fn unknown_parameter(&self, name: &str) -> LoadError {
        let names = self.parameters.iter().map(Parameter::name);
        LoadError::UnknownParameter {
            algorithm: self.name.clone(),
            name: name.into(),
            valid: by_likeness(name, names).into_iter().map(str::to_owned).collect(),
        }
    }

    fn read(
        name: String,
        wanted_table: Option<String>,
        object: Arc<[u8]>,
        source: &CSource,
    ) -> Result<Self, LoadError> {
        let unreadable =
            |reason: object::Error| LoadError::CannotLoad { algorithm: name.clone(), reason: reason.to_string() };
        let file = ElfFile64::parse(&*object).map_err(unreadable)?;
        refuse_hidden_code(&file, |words| place_of(&name, source.text(), words))?;
        let memory = Memory::of(&file);

        let mut missing: Vec<String> = file
            .dynamic_symbols()
            .filter(ObjectSymbol::is_undefined)
            .filter_map(|symbol| symbol.name().ok())
            .filter(|symbol| !symbol.is_empty() && !is_of_c_library(symbol))
            .map(str::to_owned)
            .collect();
        missing.sort();
        if missing.iter().any(|symbol| is_float_routine(symbol)) {
            let line = source.line_with_floats(1);
            let location = line.map_or_else(|| name.clone(), |line| format!("{}:{line}", path_of(&name)));
            return Err(LoadError::FloatingPoint { location });
        }
        if missing.iter().any(|symbol| symbol.starts_with("__") && symbol.ends_with("ti3")) {
            return Err(LoadError::TooWide { location: place_of(&name, source.text(), &["__int128"]) });
        }
        if !missing.is_empty() {
            let words: Vec<String> = missing.iter().map(|function| format!("{function}(")).collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            return Err(LoadError::MissingFunctions {
                location: place_of(&name, source.text(), &words),
                functions: missing,
            });
        }

        let mut tables = Vec::new();
        let mut variables = BTreeSet::new();
        let mut symbols = BTreeMap::new();
        let mut places = BTreeMap::new();
        for symbol in file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Data) {
            let (Ok(symbol_name), Some(index)) = (symbol.name(), symbol.section_index()) else { continue };
            let Ok(section) = file.section_by_index(index) else { continue };
            let section_name = section.name().unwrap_or("");
            symbols.insert(symbol_name.to_owned(), symbol.address());
            if let Some(number) = symbol_name.strip_prefix(PRIVATE_BYTES_PREFIX) {
                let structure =
                    number.parse().ok().and_then(|number: usize| source.private_structures().get(number).cloned());
                let bytes = memory.word(symbol.address()).unwrap_or(0);
                if let Some(structure) = structure.filter(|_| bytes > CA_PRIV_BYTES as u64) {
                    let location = place_of(&name, source.text(), &[&format!("{structure} {{"), &structure]);
                    let limit_bytes = CA_PRIV_BYTES as u64;
                    return Err(LoadError::PrivateStateTooLarge { location, structure, bytes, limit_bytes });
                }
            }
            if [".data", ".bss", ".maps"].contains(&section_name) && !symbol_name.starts_with(RUNTIME_PREFIX) {
                variables.insert(without_number(symbol_name).to_owned());
            }
            if section_name.starts_with(".struct_ops") && symbol.size() == OPS_BYTES as u64 {
                let word = |index: usize| memory.word(symbol.address() + 8 * index as u64).unwrap_or(0);
                let ops = Ops::from_words(&std::array::from_fn(word));
                tables.push(Table { name: symbol_name.to_owned(), address: symbol.address(), ops });
            }
            if let Some((start, _)) = section.file_range() {
                let start = (start + symbol.address() - section.address()) as usize;
                places.insert(symbol_name.to_owned(), start..start + symbol.size() as usize);
            }
        }
        // In the order of the text, which the linker does not keep.
        let position = |name: &str| source.text().find(&format!("tcp_congestion_ops {name}"));
        tables.sort_by_key(|table: &Table| (position(&table.name).unwrap_or(usize::MAX), table.address));
        let mut functions = BTreeMap::new();
        for symbol in file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.is_definition()) {
            let symbol_name = symbol.name().unwrap_or("").to_owned();
            symbols.insert(symbol_name.clone(), symbol.address());
            functions.insert(symbol.address(), symbol_name);
        }

        let declarations = source.parameters();
        for declaration in &declarations {
            variables.remove(&declaration.name);
        }
        let parameters = declarations
            .into_iter()
            .filter_map(|declaration| {
                let place = places.get(&declaration.name)?.clone();
                Parameter::read(declaration, place, &object)
            })
            .collect();
        let notes = file
            .section_by_name(".fairlane_arity")
            .map_or(0..0, |section| section.address()..section.address().saturating_add(section.size()));
        let note = |address: u64| Some((memory.word(address)?, memory.word(address + 8)?));
        let argument_counts = notes.step_by(16).filter_map(note).collect();
        Ok(Self {
            name,
            wanted_table,
            parameters,
            tables,
            symbols,
            variables,
            functions,
            argument_counts,
            is_bundled: false,
            summary: source.summary().unwrap_or_default().to_owned(),
            header: source.header().unwrap_or_default().to_owned(),
            source: source.text().into(),
            warnings: Arc::new([]),
            object: object.clone(),
        })
    }
}

/// `file:line` of the first line with one of these words, except declarations with `extern`.
fn place_of(name: &str, source: &str, words: &[&str]) -> String {
    let found = source
        .lines()
        .position(|line| !line.trim_start().starts_with("extern") && words.iter().any(|word| line.contains(word)));
    found.map_or_else(|| name.to_owned(), |index| format!("{}:{}", path_of(name), index + 1))
}

/// A symbol's name in the text: the compiler adds `.1`, `.2` to those of variables inside functions.
fn without_number(symbol: &str) -> &str {
    let is_number = |end: &str| !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_digit());
    symbol.rsplit_once('.').filter(|(_, end)| is_number(end)).map_or(symbol, |(name, _)| name)
}

/// The path of a name that may say which table is meant: `mine.c:second`.
fn path_of(name: &str) -> &str {
    name.rsplit_once(".c:").map_or(name, |(stem, _)| &name[..stem.len() + 2])
}

fn unknown_algorithm(name: &str) -> LoadError {
    let valid = by_likeness(name, names()).into_iter().map(str::to_owned).collect();
    LoadError::UnknownAlgorithm { name: name.into(), valid }
}

fn is_of_c_library(symbol: &str) -> bool {
    FROM_C_LIBRARY.iter().any(|(name, _)| *name == symbol)
}

/// Is it a compiler's routine for arithmetic with `float` or `double`? (`__adddf3`, `__floatunsisf`, ...)
fn is_float_routine(symbol: &str) -> bool {
    let is_arithmetic = ["add", "sub", "mul", "div", "neg", "fix", "float", "extend", "trunc", "eq", "lt", "gt"]
        .iter()
        .any(|verb| symbol.strip_prefix("__").is_some_and(|rest| rest.starts_with(verb)));
    is_arithmetic && (symbol.contains("df") || symbol.contains("sf"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routines_of_floating_point_are_known_by_name() {
        let float = ["__adddf3", "__floatunsisf", "__fixunsdfdi", "__muldf3", "__divsf3"];
        assert!(float.iter().all(|symbol| is_float_routine(symbol)));
        assert!(!["bpf_sfoo", "__udivti3", "tcp_cubic"].iter().any(|symbol| is_float_routine(symbol)));
    }
}
