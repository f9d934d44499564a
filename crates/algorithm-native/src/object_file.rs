//! Reads a shared object as the dynamic loader would, without loading it.
//!
//! No part of a program may run before its first callback. A dynamic loader runs constructors, `DT_INIT` and resolvers
//! of indirect functions, and binds weak imports to the C library. Ours does none of that (`elf_loader`), but such objects
//! would not do what their text says, and are rejected by what the object file contains, however the text says it.

use crate::error::LoadError;
use object::elf;
use object::read::elf::{Dyn, ElfFile64, ProgramHeader};
use object::{
    Object, ObjectSection, ObjectSymbol, ObjectSymbolTable, RelocationFlags, RelocationTarget, SectionKind, SymbolFlags,
};
use std::collections::BTreeMap;

/// The loader's types of relocation that call a resolver (`R_*_IRELATIVE`): x86-64, AArch64, RISC-V.
const RESOLVED_BY_CODE: &[(u16, u32)] =
    &[(elf::EM_X86_64, elf::R_X86_64_IRELATIVE), (elf::EM_AARCH64, elf::R_AARCH64_IRELATIVE), (elf::EM_RISCV, 58)];

/// The contents of a shared object's sections at the addresses of the file.
pub struct Memory<'d> {
    sections: Vec<(u64, &'d [u8])>,
    /// Words that the loader fills.
    relocated: BTreeMap<u64, u64>,
}

impl<'d> Memory<'d> {
    pub fn of(file: &ElfFile64<'d>) -> Self {
        let sections = file.sections().filter_map(|section| Some((section.address(), section.data().ok()?))).collect();
        let symbols = file.dynamic_symbol_table();
        let address_of = |index| symbols.as_ref()?.symbol_by_index(index).ok().map(|symbol| symbol.address());
        let value = |relocation: &object::Relocation| match relocation.target() {
            RelocationTarget::Symbol(index) => {
                address_of(index).map(|address| address.wrapping_add_signed(relocation.addend()))
            }
            _ => Some(relocation.addend() as u64),
        };
        let relocations = file.dynamic_relocations().into_iter().flatten();
        Self { sections, relocated: relocations.filter_map(|(at, one)| Some((at, value(&one)?))).collect() }
    }

    /// The 64-bit word at an address.
    pub fn word(&self, address: u64) -> Option<u64> {
        if let Some(&value) = self.relocated.get(&address) {
            return Some(value);
        }
        self.sections.iter().find_map(|&(start, data)| {
            let offset = usize::try_from(address.checked_sub(start)?).ok()?;
            Some(u64::from_ne_bytes(data.get(offset..offset.checked_add(8)?)?.try_into().ok()?))
        })
    }
}

/// Entries of the dynamic section whose functions a loader calls.
const RUN_BY_LOADERS: &[u32] =
    &[elf::DT_INIT, elf::DT_FINI, elf::DT_INIT_ARRAY, elf::DT_FINI_ARRAY, elf::DT_PREINIT_ARRAY];

fn dynamic_tags(file: &ElfFile64) -> Vec<u32> {
    let endian = file.endian();
    let mut headers = file.elf_program_headers().iter();
    let found = headers.find_map(|header| header.dynamic(endian, file.data()).ok().flatten()).unwrap_or(&[]);
    found.iter().filter_map(|one| one.tag32(endian)).take_while(|&tag| tag != elf::DT_NULL).collect()
}

/// A part of the object that only a dynamic loader gives a meaning, and words that may cause it.
fn unusual_part(
    file: &ElfFile64,
    has_tag: &impl Fn(&[u32]) -> bool,
) -> Option<(&'static str, &'static [&'static str])> {
    let endian = file.endian();
    let has = |kind: u32, flags: u32| {
        let mut headers = file.elf_program_headers().iter();
        headers.any(|header| header.p_type(endian) == kind && header.p_flags(endian) & flags == flags)
    };
    if has(elf::PT_TLS, 0) {
        return Some(("a thread-local variable", &["__thread", "_Thread_local", "thread_local"]));
    }
    if has(elf::PT_GNU_STACK, elf::PF_X) {
        return Some(("an executable stack, of a function inside a function perhaps", &[]));
    }
    if has(elf::PT_LOAD, elf::PF_W | elf::PF_X) {
        return Some(("memory that is both written and executed", &["section"]));
    }
    if has(elf::PT_INTERP, 0) {
        return Some(("the name of a loader", &[".interp"]));
    }
    let libraries = [elf::DT_NEEDED, elf::DT_AUXILIARY, elf::DT_FILTER, elf::DT_AUDIT, elf::DT_DEPAUDIT];
    has_tag(&libraries).then_some(("another library", &[] as &[&str]))
}

/// Rejects an object in which code would run before the first callback, or whose imports are unknown. `place_of` finds
/// the line of a word.
pub fn refuse_hidden_code(file: &ElfFile64, place_of: impl Fn(&[&str]) -> String) -> Result<(), LoadError> {
    let runs_at_load = |section: &object::read::elf::ElfSection64<'_, '_>| {
        let kind = match section.kind() {
            SectionKind::Elf(kind) => kind,
            _ => 0,
        };
        let arrays = [elf::SHT_INIT_ARRAY, elf::SHT_FINI_ARRAY, elf::SHT_PREINIT_ARRAY];
        let name = section.name().unwrap_or("");
        arrays.contains(&kind) || [".init", ".fini", ".ctors", ".dtors"].iter().any(|start| name.starts_with(start))
    };
    let has_tag = |tags: &[u32]| dynamic_tags(file).iter().any(|tag| tags.contains(tag));
    if file.sections().any(|section| runs_at_load(&section) && section.size() > 0) || has_tag(RUN_BY_LOADERS) {
        let words = ["constructor", "destructor", ".init", ".fini", ".ctors", ".dtors", "_init", "_fini", "_array"];
        return Err(LoadError::Constructor { location: place_of(&words) });
    }
    if let Some((what, words)) = unusual_part(file, &has_tag) {
        return Err(LoadError::RunsAtLoad { location: place_of(words), what: what.into() });
    }
    let machine = file.elf_header().e_machine.get(file.endian());
    let resolver = |flags| match flags {
        RelocationFlags::Elf { r_type } => RESOLVED_BY_CODE.contains(&(machine, r_type)),
        _ => false,
    };
    let indirect = file.symbols().chain(file.dynamic_symbols()).find(
        |symbol| matches!(symbol.flags(), SymbolFlags::Elf { st_info, .. } if st_info & 0xf == elf::STT_GNU_IFUNC),
    );
    if indirect.is_some() || file.dynamic_relocations().into_iter().flatten().any(|(_, one)| resolver(one.flags())) {
        let function = indirect.and_then(|symbol| symbol.name().ok()).unwrap_or("").to_owned();
        return Err(LoadError::IndirectFunction { location: place_of(&["ifunc"]), function });
    }
    let weak = file.dynamic_symbols().filter(|symbol| symbol.is_undefined() && symbol.is_weak());
    let mut weak: Vec<String> = weak.filter_map(|symbol| symbol.name().ok().map(str::to_owned)).collect();
    weak.retain(|name| !name.is_empty());
    weak.sort();
    match weak.first() {
        Some(first) => Err(LoadError::WeakImport { location: place_of(&[first.as_str()]), functions: weak }),
        None => Ok(()),
    }
}
