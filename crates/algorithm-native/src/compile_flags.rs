// Compiler flags for native programs; shared with the build script, hence no module documentation.

/// Flags of every compilation. The kernel's dialect: wrapping arithmetic, no strict aliasing. Null
/// pointers and zero divisors must trap in place, so that the host can name the callback.
pub const COMPILE_FLAGS: &[&str] = &[
    "-std=gnu11",
    "-O2",
    "-fPIC",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fno-delete-null-pointer-checks",
    "-fno-math-errno",
    "-fno-stack-protector",
    // A frame larger than the guard page must not skip it.
    "-fstack-clash-protection",
    "-fno-asynchronous-unwind-tables",
    "-fno-ident",
    "-U_FORTIFY_SOURCE",
    // An undeclared helper is reported by name when the program is loaded.
    "-Wno-int-conversion",
    "-Wno-incompatible-pointer-types",
    "-Wno-implicit-function-declaration",
];

/// Flags that not every compiler knows.
pub const OPTIONAL_FLAGS: &[&str] = &[
    // A constant division by zero must remain a division and not become another trap. Only in gcc.
    "-fno-isolate-erroneous-paths-dereference",
];

/// Flags for users' programs: their author sees the warnings, and a function without `return`, whose value would be
/// undefined, does not compile.
pub const FOREIGN_FLAGS: &[&str] = &[
    "-Wall",
    // A kernel program's helper functions need not all be used.
    "-Wno-unused-function",
    "-Wno-attributes",
    "-Wno-main",
    "-Werror=return-type",
];

/// Flags of a program that is read and never run, to find its structures.
pub const DEBUG_FLAGS: &[&str] = &["-w", "-gdwarf-5", "-gstrict-dwarf"];

/// Flags of linking a program with the runtime. Nothing of the C library is linked in.
pub const LINK_FLAGS: &[&str] = &["-shared", "-nostdlib", "-Wl,-Bsymbolic", "-Wl,--build-id=none", "-Wl,-z,now"];

/// Rejects floating point, as in the kernel; both compilers have the flag on these machines.
pub const INTEGERS_ONLY: &[&str] =
    if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) { &["-mgeneral-regs-only"] } else { &[] };
