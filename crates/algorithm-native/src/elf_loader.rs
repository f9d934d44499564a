//! Maps a program's shared object into memory, as the dynamic loader would, but executes no part of it.
//!
//! There are no constructors, no `DT_INIT` and no resolvers here, whatever the object asks for, and no file is opened: a
//! worker loads programs without a system call that names a file. Only relocations of the kinds that position-independent
//! C needs are applied, and only to writable segments of the object itself.

use crate::elsewhere::take_place;
use object::elf;
use object::read::elf::{ElfFile64, ProgramHeader};
use object::{Object, ObjectSymbol, ObjectSymbolTable, RelocationFlags, RelocationTarget};
use std::ffi::c_void;
use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::os::fd::{AsRawFd, FromRawFd};

/// A mapped object; unmapped when it is dropped.
pub struct Mapped {
    base: *mut u8,
    bytes: usize,
}

/// A loadable segment.
struct Segment {
    address: u64,
    offset: u64,
    file_bytes: u64,
    memory_bytes: u64,
    flags: u32,
}

/// The functions of the C library that compilers call on their own.
pub const FROM_C_LIBRARY: &[(&str, unsafe extern "C" fn())] = {
    // SAFETY: only the addresses are used.
    unsafe {
        use std::mem::transmute;
        type Copy = unsafe extern "C" fn(*mut c_void, *const c_void, usize) -> *mut c_void;
        type Set = unsafe extern "C" fn(*mut c_void, i32, usize) -> *mut c_void;
        type Compare = unsafe extern "C" fn(*const c_void, *const c_void, usize) -> i32;
        &[
            ("memcpy", transmute::<Copy, unsafe extern "C" fn()>(libc::memcpy)),
            ("memmove", transmute::<Copy, unsafe extern "C" fn()>(libc::memmove)),
            ("memset", transmute::<Set, unsafe extern "C" fn()>(libc::memset)),
            ("memcmp", transmute::<Compare, unsafe extern "C" fn()>(libc::memcmp)),
            // Equal is 0 in both, and no other meaning of its result is defined.
            ("bcmp", transmute::<Compare, unsafe extern "C" fn()>(libc::memcmp)),
        ]
    }
};

impl Mapped {
    /// Maps an object file.
    ///
    /// # Errors
    /// The memory cannot be mapped, or the object is none of those that the compiler makes from C.
    pub fn new(bytes: &[u8]) -> io::Result<Self> {
        let file = ElfFile64::<object::Endianness>::parse(bytes).map_err(io::Error::other)?;
        // SAFETY: a plain number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as u64;
        let segments = segments(&file, bytes.len() as u64, page)?;
        let end = segments.iter().map(|segment| segment.address + segment.memory_bytes).max().unwrap_or(0);
        let length = usize::try_from(end.next_multiple_of(page)).map_err(io::Error::other)?;
        let memory = in_memory(bytes)?;
        take_place(length);
        let mapped = Self { base: reserve(length)?.cast(), bytes: length };
        for segment in &segments {
            mapped.map_segment(segment, &memory, page)?;
        }
        mapped.relocate(&file, &segments)?;
        mapped.protect_relocated(&file, page)?;
        Ok(mapped)
    }

    /// The address in memory of an address in the file.
    pub fn address(&self, in_file: u64) -> u64 {
        (self.base as u64).wrapping_add(in_file)
    }

    fn map_segment(&self, segment: &Segment, file: &File, page: u64) -> io::Result<()> {
        let lead = segment.address % page;
        let start = segment.address - lead;
        let file_end = (segment.address + segment.file_bytes).next_multiple_of(page);
        let end = (segment.address + segment.memory_bytes).next_multiple_of(page);
        let access = access_of(segment.flags);
        if segment.file_bytes > 0 {
            let length = (file_end - start) as usize;
            let at = (file.as_raw_fd(), segment.offset - lead);
            map(self.at(start), length, access, libc::MAP_PRIVATE | libc::MAP_FIXED, Some(at))?;
        }
        let zeros = if segment.file_bytes > 0 { file_end } else { start };
        if end > zeros {
            let flags = libc::MAP_PRIVATE | libc::MAP_FIXED | libc::MAP_ANONYMOUS;
            map(self.at(zeros), (end - zeros) as usize, access, flags, None)?;
        }
        // Behind the file's part its last page holds other parts of the file.
        let used = segment.address + segment.file_bytes;
        if segment.file_bytes > 0 && segment.memory_bytes > segment.file_bytes {
            // SAFETY: this segment's own memory, which is writable (`segments`), up to the end of a mapped page.
            unsafe { std::ptr::write_bytes(self.at(used).cast::<u8>(), 0, (file_end - used) as usize) };
        }
        Ok(())
    }

    fn relocate(&self, file: &ElfFile64, segments: &[Segment]) -> io::Result<()> {
        let machine = file.elf_header().e_machine.get(file.endian());
        let symbols = file.dynamic_symbol_table();
        for (place, relocation) in file.dynamic_relocations().into_iter().flatten() {
            let RelocationFlags::Elf { r_type } = relocation.flags() else { return Err(unusual("a relocation")) };
            let value = match (kind_of(machine, r_type), relocation.target()) {
                (Some(Kind::Relative), _) => self.address(relocation.addend() as u64),
                (Some(Kind::Symbol), RelocationTarget::Symbol(index)) => {
                    let symbol = symbols.as_ref().and_then(|table| table.symbol_by_index(index).ok());
                    let symbol = symbol.ok_or_else(|| unusual("a relocation without a symbol"))?;
                    let address = match symbol.is_undefined() {
                        false => self.address(symbol.address()),
                        true => library_function(symbol.name().unwrap_or(""))?,
                    };
                    address.wrapping_add_signed(relocation.addend())
                }
                _ => return Err(unusual("a relocation of an unusual type")),
            };
            let is_own = |segment: &Segment| {
                let inside = segment.address..(segment.address + segment.memory_bytes).saturating_sub(7);
                segment.flags & elf::PF_W != 0 && inside.contains(&place)
            };
            if !segments.iter().any(is_own) {
                return Err(unusual("a relocation outside of its variables"));
            }
            // SAFETY: eight bytes of a writable segment.
            unsafe { self.at(place).cast::<u64>().write_unaligned(value) };
        }
        Ok(())
    }

    /// Makes the parts read-only that only relocations write (`PT_GNU_RELRO`).
    fn protect_relocated(&self, file: &ElfFile64, page: u64) -> io::Result<()> {
        let endian = file.endian();
        for header in file.elf_program_headers() {
            if header.p_type(endian) != elf::PT_GNU_RELRO {
                continue;
            }
            let start = header.p_vaddr(endian) / page * page;
            let end = header.p_vaddr(endian).saturating_add(header.p_memsz(endian)) / page * page;
            if end > start && end <= self.bytes as u64 {
                // SAFETY: whole pages of this mapping.
                check(unsafe { libc::mprotect(self.at(start), (end - start) as usize, libc::PROT_READ) })?;
            }
        }
        Ok(())
    }

    fn at(&self, in_file: u64) -> *mut c_void {
        self.address(in_file) as *mut c_void
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: the whole mapping, which nothing uses any more.
        unsafe { libc::munmap(self.base.cast(), self.bytes) };
    }
}

enum Kind {
    /// The object's base address is added.
    Relative,
    /// The address of a symbol.
    Symbol,
}

/// The relocations of position-independent C: `R_*_RELATIVE`, and `R_*_64`, `R_*_GLOB_DAT`, `R_*_JUMP_SLOT`.
fn kind_of(machine: u16, r_type: u32) -> Option<Kind> {
    let (relative, symbol): (u32, &[u32]) = match machine {
        elf::EM_X86_64 => {
            (elf::R_X86_64_RELATIVE, &[elf::R_X86_64_64, elf::R_X86_64_GLOB_DAT, elf::R_X86_64_JUMP_SLOT])
        }
        elf::EM_AARCH64 => {
            (elf::R_AARCH64_RELATIVE, &[elf::R_AARCH64_ABS64, elf::R_AARCH64_GLOB_DAT, elf::R_AARCH64_JUMP_SLOT])
        }
        elf::EM_RISCV => (elf::R_RISCV_RELATIVE, &[elf::R_RISCV_64, elf::R_RISCV_JUMP_SLOT]),
        _ => return None,
    };
    match r_type {
        _ if r_type == relative => Some(Kind::Relative),
        _ if symbol.contains(&r_type) => Some(Kind::Symbol),
        _ => None,
    }
}

/// The loadable segments, in range and in the order of their addresses, as the format demands.
fn segments(file: &ElfFile64, file_bytes: u64, page: u64) -> io::Result<Vec<Segment>> {
    let endian = file.endian();
    let mut found: Vec<Segment> = Vec::new();
    for header in file.elf_program_headers().iter().filter(|header| header.p_type(endian) == elf::PT_LOAD) {
        let segment = Segment {
            address: header.p_vaddr(endian),
            offset: header.p_offset(endian),
            file_bytes: header.p_filesz(endian),
            memory_bytes: header.p_memsz(endian),
            flags: header.p_flags(endian),
        };
        let range = |start: u64, bytes: u64| -> Option<Range<u64>> { Some(start..start.checked_add(bytes)?) };
        let in_file = range(segment.offset, segment.file_bytes).filter(|range| range.end <= file_bytes);
        let in_memory = range(segment.address, segment.memory_bytes).filter(|range| range.end < 1 << 46);
        let is_ordered = found.last().is_none_or(|last| {
            (last.address + last.memory_bytes).next_multiple_of(page) <= segment.address / page * page
        });
        let is_sound = segment.file_bytes <= segment.memory_bytes
            && segment.address % page == segment.offset % page
            && (segment.flags & elf::PF_W != 0 || segment.file_bytes == segment.memory_bytes)
            && segment.flags & (elf::PF_W | elf::PF_X) != elf::PF_W | elf::PF_X;
        if in_file.is_none() || in_memory.is_none() || !is_ordered || !is_sound {
            return Err(unusual("a segment of an unusual kind"));
        }
        found.push(segment);
    }
    Ok(found)
}

/// A place in memory that cannot be accessed yet.
pub fn reserve(bytes: usize) -> io::Result<*mut c_void> {
    map(std::ptr::null_mut(), bytes, libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, None)
}

fn library_function(name: &str) -> io::Result<u64> {
    let found = FROM_C_LIBRARY.iter().find(|(known, _)| *known == name);
    found.map(|(_, function)| *function as usize as u64).ok_or_else(|| unusual("an unknown import"))
}

fn access_of(flags: u32) -> i32 {
    let given = [(elf::PF_R, libc::PROT_READ), (elf::PF_W, libc::PROT_WRITE), (elf::PF_X, libc::PROT_EXEC)];
    given.iter().filter(|(flag, _)| flags & flag != 0).fold(libc::PROT_NONE, |access, (_, one)| access | one)
}

fn map(at: *mut c_void, bytes: usize, access: i32, flags: i32, from: Option<(i32, u64)>) -> io::Result<*mut c_void> {
    let (descriptor, offset) = from.unwrap_or((-1, 0));
    // SAFETY: with MAP_FIXED `at` is inside a mapping of the caller's; otherwise the kernel chooses a free place.
    let mapped = unsafe { libc::mmap(at, bytes, access, flags, descriptor, offset as libc::off_t) };
    match mapped {
        libc::MAP_FAILED => {
            let why = io::Error::last_os_error();
            Err(io::Error::new(
                why.kind(),
                format!("its {:.1} MB of code and variables cannot be mapped: {why}", bytes as f64 / 1e6),
            ))
        }
        mapped => Ok(mapped),
    }
}

/// A file in memory, whose name the process's list of mappings shows.
fn in_memory(object: &[u8]) -> io::Result<File> {
    // SAFETY: the name is a terminated string; the descriptor is owned by `file` alone.
    let mut file = unsafe {
        let descriptor = libc::memfd_create(c"fairlane-algorithm".as_ptr(), libc::MFD_CLOEXEC);
        check(descriptor)?;
        File::from_raw_fd(descriptor)
    };
    file.write_all(object)?;
    Ok(file)
}

fn check(result: i32) -> io::Result<()> {
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

fn unusual(thing: &str) -> io::Error {
    io::Error::other(format!("its object file has {thing}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundled::BUNDLED;

    #[test]
    fn every_bundled_program_can_be_mapped_and_unmapped() {
        for file in BUNDLED {
            let object = file.object.to_vec(); // which aligns it
            let mapped = Mapped::new(&object).unwrap_or_else(|error| panic!("{}: {error}", file.name));
            assert!(mapped.bytes > 0);
        }
    }

    #[test]
    fn damaged_objects_are_refused_or_mapped_but_never_fatal() {
        let object = BUNDLED[0].object.to_vec();
        for cut in (0..object.len()).step_by(997) {
            drop(Mapped::new(&object[..cut]));
        }
        // Each byte of the headers, which hold addresses and lengths.
        for at in 0..1024 {
            for flip in [0x01, 0x80, 0xff] {
                let mut damaged = object.to_vec();
                damaged[at] ^= flip;
                drop(Mapped::new(&damaged));
            }
        }
    }
}
