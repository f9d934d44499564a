//! Reads a shared object as the dynamic loader would, without loading it.
//!
//! No part of a program may run before it is contained. Constructors and resolvers of indirect functions run in
//! `dlopen`, and a weak import binds to the C library: such objects are rejected.

use crate::error::LoadError;
use object::elf;
use object::read::elf::ElfFile64;
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
    if file.sections().any(|section| runs_at_load(&section) && section.size() > 0) {
        let location = place_of(&["constructor", "destructor", ".init", ".fini", ".ctors", ".dtors"]);
        return Err(LoadError::Constructor { location });
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
