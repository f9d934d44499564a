//! The members of a program's own memory, for a debugger.
//!
//! Only the compiler knows their offsets, of bit fields in particular. The program is compiled again with debugging
//! information, which is read; this object is never run. The build script has done so for bundled programs, which then
//! need no compiler. The memory is `icsk_ca_priv`, or socket storage for programs that need more.

use crate::bundled;
use crate::c_source::CSource;
use crate::compiler;
use crate::error::LoadError;
use crate::image::Image;
use crate::source::AlgorithmSource;
use fairlane_congestion_control::{StateMember, TcpSock};
use gimli::{AttributeValue, DebuggingInformationEntry, DwAt, EndianSlice, RunTimeEndian};
use object::{Object, ObjectSection};

type Slice<'d> = EndianSlice<'d, RunTimeEndian>;
type Unit<'d> = gimli::Unit<Slice<'d>>;
type Entry<'d> = DebuggingInformationEntry<'d, 'd, Slice<'d>>;

/// The largest number of members in `icsk_ca_priv`, which has 104 bytes.
const MOST_MEMBERS: usize = 832;
/// A longer array is a table of the program, whose entries are not listed.
const LONGEST_ARRAY: u32 = 104;

/// The members of the program's own memory, in the order of their offsets. Empty if the program keeps nothing there, or
/// if its text does not name the structure.
///
/// # Errors
/// There is no such program, or a file does not compile.
pub fn state_members(source: &AlgorithmSource) -> Result<Vec<StateMember>, LoadError> {
    let image = Image::of(source)?;
    let text = CSource::parse(image.source());
    let structure = text.private_structure();
    let object = match source {
        // Copied, because what is read of an object file must be aligned.
        AlgorithmSource::Bundled(name) => bundled::find(name).map_or(Vec::new(), |file| file.described.to_vec()),
        AlgorithmSource::File { path, .. } => compiler::debug_object(path)?,
    };
    Ok(members_of(&object, structure).unwrap_or_default())
}

/// The members of the structure in `icsk_ca_priv`, or else of the one in socket storage, from an object file with
/// debugging information; `None` without either, or if it cannot be read.
fn members_of(object: &[u8], structure: Option<&str>) -> Option<Vec<StateMember>> {
    let file = object::File::parse(object).ok()?;
    let endian = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
    let section = |id: gimli::SectionId| -> Result<Slice<'_>, gimli::Error> {
        let data = file.section_by_name(id.name()).and_then(|section| section.data().ok()).unwrap_or(&[]);
        Ok(EndianSlice::new(data, endian))
    };
    let dwarf = gimli::Dwarf::load(section).ok()?;
    let mut headers = dwarf.units();
    while let Some(header) = headers.next().ok()? {
        let unit = dwarf.unit(header).ok()?;
        let mut entries = unit.entries();
        while let Some((_, entry)) = entries.next_dfs().ok()? {
            let Some(structure) = structure else {
                if let Some(stored) = stored_type(&dwarf, &unit, entry) {
                    let bytes = bytes_of(&unit, stored)?;
                    let mut found = Vec::new();
                    add(&dwarf, &unit, stored, "", 0, &mut found)?;
                    found.iter_mut().for_each(|member| member.stored_bytes = Some(bytes));
                    return Some(found);
                }
                continue;
            };
            let named = name_of(&dwarf, &unit, entry).is_some_and(|name| name == structure);
            let is_structure = matches!(entry.tag(), gimli::DW_TAG_structure_type | gimli::DW_TAG_typedef);
            if named && is_structure && entry.attr_value(gimli::DW_AT_declaration).ok()?.is_none() {
                let mut found = Vec::new();
                add(&dwarf, &unit, entry.offset(), "", 0, &mut found)?;
                return Some(found);
            }
        }
    }
    None
}

/// The element type of a map of socket storage: the type that its member `value` points to.
fn stored_type(dwarf: &gimli::Dwarf<Slice<'_>>, unit: &Unit<'_>, entry: &Entry<'_>) -> Option<gimli::UnitOffset> {
    let map = (entry.tag() == gimli::DW_TAG_variable).then(|| type_of(entry)).flatten()?;
    let mut tree = unit.entries_tree(Some(map)).ok()?;
    let mut children = tree.root().ok()?.children();
    let (mut value, mut has_flags) = (None, false);
    while let Some(child) = children.next().ok()? {
        match name_of(dwarf, unit, child.entry()).as_deref() {
            Some("value") => value = type_of(child.entry()),
            Some("map_flags") => has_flags = true,
            _ => {}
        }
    }
    let pointer = unit.entry(value.filter(|_| has_flags)?).ok()?;
    (pointer.tag() == gimli::DW_TAG_pointer_type).then(|| type_of(&pointer)).flatten()
}

/// Reads a connection's block of socket storage with this length.
pub(crate) fn storage(sock: &TcpSock, bytes: usize) -> &[u8] {
    /// `struct block` of algorithms/interface/native/runtime/helpers.c; its data follows.
    #[repr(C)]
    struct Block {
        next: *const Block,
        map: u64,
        bytes: u64,
    }
    let mut block = sock.icsk_ca_ops as *const Block;
    // SAFETY: the list holds blocks of that program's runtime, which live as long as the connection and are not written
    // while a shared reference to the connection exists; other algorithms leave the list empty.
    unsafe {
        while let Some(found) = block.as_ref() {
            if found.bytes as usize == bytes {
                return std::slice::from_raw_parts(block.add(1).cast(), bytes);
            }
            block = found.next;
        }
    }
    &[]
}

/// Adds the numbers of a type that begins at `first_bit`, under the name `name`.
fn add(
    dwarf: &gimli::Dwarf<Slice<'_>>,
    unit: &Unit<'_>,
    type_at: gimli::UnitOffset,
    name: &str,
    first_bit: u32,
    found: &mut Vec<StateMember>,
) -> Option<()> {
    let entry = unit.entry(type_at).ok()?;
    match entry.tag() {
        gimli::DW_TAG_typedef | gimli::DW_TAG_const_type | gimli::DW_TAG_volatile_type => {
            add(dwarf, unit, type_of(&entry)?, name, first_bit, found)?;
        }
        gimli::DW_TAG_structure_type | gimli::DW_TAG_union_type => {
            let mut tree = unit.entries_tree(Some(type_at)).ok()?;
            let mut children = tree.root().ok()?.children();
            while let Some(child) = children.next().ok()? {
                let member = child.entry();
                if member.tag() != gimli::DW_TAG_member {
                    continue;
                }
                let inner = name_of(dwarf, unit, member).unwrap_or_default();
                let full = match (name, inner.as_str()) {
                    (outer, "") => outer.to_owned(),
                    ("", inner) => inner.to_owned(),
                    (outer, inner) => format!("{outer}.{inner}"),
                };
                let kind = type_of(member)?;
                let bytes = number_of(member, gimli::DW_AT_data_member_location).unwrap_or(0);
                let Some(bits) = number_of(member, gimli::DW_AT_bit_size) else {
                    add(dwarf, unit, kind, &full, first_bit + 8 * bytes, found)?;
                    continue;
                };
                let at = first_bit + number_of(member, gimli::DW_AT_data_bit_offset)? + 8 * bytes;
                let from = found.len();
                add(dwarf, unit, kind, &full, at, found)?;
                found[from..].iter_mut().for_each(|member| member.bits = bits);
            }
        }
        gimli::DW_TAG_array_type => {
            let mut tree = unit.entries_tree(Some(type_at)).ok()?;
            let mut children = tree.root().ok()?.children();
            let range = children.next().ok()??;
            let count = number_of(range.entry(), gimli::DW_AT_count)
                .or_else(|| Some(number_of(range.entry(), gimli::DW_AT_upper_bound)? + 1))?;
            if count > LONGEST_ARRAY {
                return Some(());
            }
            let element = type_of(&entry)?;
            let bits = 8 * bytes_of(unit, element)?;
            for index in 0..count.min(MOST_MEMBERS as u32) {
                add(dwarf, unit, element, &format!("{name}[{index}]"), first_bit + index * bits, found)?;
            }
        }
        gimli::DW_TAG_base_type | gimli::DW_TAG_enumeration_type | gimli::DW_TAG_pointer_type => {
            let encoding = match entry.attr_value(gimli::DW_AT_encoding).ok()? {
                Some(AttributeValue::Encoding(encoding)) => Some(encoding),
                _ => None,
            };
            let signed = matches!(encoding, Some(gimli::DW_ATE_signed | gimli::DW_ATE_signed_char));
            let bits = 8 * number_of(&entry, gimli::DW_AT_byte_size)?;
            if found.len() < MOST_MEMBERS {
                found.push(StateMember { name: name.to_owned(), first_bit, bits, signed, stored_bytes: None });
            }
        }
        _ => {}
    }
    Some(())
}

fn bytes_of(unit: &Unit<'_>, type_at: gimli::UnitOffset) -> Option<u32> {
    let entry = unit.entry(type_at).ok()?;
    number_of(&entry, gimli::DW_AT_byte_size).or_else(|| bytes_of(unit, type_of(&entry)?))
}

fn type_of(entry: &Entry<'_>) -> Option<gimli::UnitOffset> {
    match entry.attr_value(gimli::DW_AT_type).ok()?? {
        AttributeValue::UnitRef(offset) => Some(offset),
        _ => None,
    }
}

fn number_of(entry: &Entry<'_>, attribute: DwAt) -> Option<u32> {
    entry.attr_value(attribute).ok()??.udata_value()?.try_into().ok()
}

fn name_of(dwarf: &gimli::Dwarf<Slice<'_>>, unit: &Unit<'_>, entry: &Entry<'_>) -> Option<String> {
    let name = dwarf.attr_string(unit, entry.attr_value(gimli::DW_AT_name).ok()??).ok()?;
    Some(name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::state_members;
    use crate::image::bundled;
    use crate::source::AlgorithmSource;

    /// The programs without state.
    const WITHOUT: [&str; 2] = ["reno", "scalable"];

    #[test]
    fn the_memory_of_every_bundled_algorithm_is_described() {
        for algorithm in bundled().into_iter().filter(|algorithm| !WITHOUT.contains(&&*algorithm.name)) {
            let found = state_members(&AlgorithmSource::Bundled(algorithm.name.clone())).expect("is bundled");
            assert!(!found.is_empty(), "{}", algorithm.name);
        }
        let cubic = state_members(&AlgorithmSource::Bundled("cubic".into())).expect("is bundled");
        assert!(cubic.iter().any(|member| (&*member.name, member.first_bit, member.bits) == ("w_max", 32, 32)));
        for name in ["bbr2", "bbr3"] {
            let stored = state_members(&AlgorithmSource::Bundled(name.into())).expect("is bundled");
            assert!(stored.iter().any(|member| member.name == "mode" && member.stored_bytes.is_some()), "{name}");
        }
    }
}
