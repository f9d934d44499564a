// How an algorithm is compiled natively; shared with the build script, hence no module documentation.

/// Flags of every compilation. The kernel's dialect: wrapping arithmetic, no strict aliasing. Null
/// pointers and zero divisors must trap where they stand, so that the host can name the callback.
pub const COMPILE_FLAGS: &[&str] = &[
    "-std=gnu11",
    "-O2",
    "-fPIC",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fno-delete-null-pointer-checks",
    // A division that is zero for certain must still divide, not become some other trap.
    "-fno-isolate-erroneous-paths-dereference",
    "-fno-math-errno",
    "-fno-stack-protector",
    // A frame larger than the guard page must not step over it.
    "-fstack-clash-protection",
    "-fno-asynchronous-unwind-tables",
    "-fno-ident",
    "-U_FORTIFY_SOURCE",
    // The programs of others are not ours to criticise, and an undeclared helper is reported by name when it is loaded.
    "-w",
    "-Wno-int-conversion",
    "-Wno-incompatible-pointer-types",
    "-Wno-implicit-function-declaration",
];

/// Flags of linking a program with the runtime. Nothing of the C library is linked in.
pub const LINK_FLAGS: &[&str] = &["-shared", "-nostdlib", "-Wl,-Bsymbolic", "-Wl,--build-id=none", "-Wl,-z,now"];

/// Floating point does not compile, as in the kernel; both compilers know the flag on these machines.
pub const INTEGERS_ONLY: &[&str] =
    if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) { &["-mgeneral-regs-only"] } else { &[] };
