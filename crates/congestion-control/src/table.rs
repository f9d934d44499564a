//! Declarations of the kernel's structures: once, for every language.
//!
//! [`kernel_struct!`](crate::kernel_struct) turns a declaration into a Rust structure and a list of its [`Member`]s. The
//! C headers in `algorithms/interface/`, the attributes of Python's objects, the checks of a program's reads and writes,
//! and `docs/reference/kernel-members.md` are generated from these lists.

use std::any::Any;

/// A structure whose members are known.
pub trait KernelStruct: Sized + 'static {
    /// A program may change copies of it.
    const IS_SAMPLE: bool;
    /// In the order of the layout.
    fn members() -> &'static [Member<Self>];
    /// Members that the kernel has and the simulator does not keep.
    fn lacking() -> &'static [Lacking];
}

/// One member of a structure.
/// One member of a structure.
#[derive(Debug)]
pub struct Member<S> {
    /// Its name here and in Python.
    pub name: &'static str,
    /// The C structure that holds it.
    pub structure: &'static str,
    pub facts: Facts,
    /// One line per element.
    pub doc: &'static [&'static str],
    /// Offset in the Rust structure, which is that of native C programs.
    pub offset: usize,
    pub bytes: usize,
    /// The C type, if `facts` has none.
    pub c_type: &'static str,
    /// The value, of a member that is a single integer.
    pub get: fn(&S) -> Option<Number>,
    /// Writes a value; `false` if the type cannot hold it.
    pub set: fn(&mut S, i128) -> bool,
}

/// A member of the kernel's structure that the simulator does not keep. A program that reads it is rejected.
pub struct Lacking {
    pub name: &'static str,
    pub structure: &'static str,
    pub facts: Facts,
    pub doc: &'static [&'static str],
    pub c_type: &'static str,
}

/// Access to a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Kept by TCP; a program may read it.
    ReadOnly,
    /// Kept by TCP; a program may write it, as the kernel's verifier allows.
    Writable,
    /// Not a member of the kernel's structure; a program may read it.
    Own,
    /// Of the algorithm host; hidden.
    Internal,
}

/// Properties of a member in addition to its type.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    pub access: Access,
    /// The unit or the C enumeration; empty for a plain number.
    pub unit: &'static str,
    /// Path in C below the structure, if it differs from the name.
    pub path: Option<&'static str>,
    /// C type, if the Rust type does not determine it.
    pub c_type: Option<&'static str>,
    /// Width of the kernel's bit field.
    pub bits: Option<u32>,
}

pub const fn read_only(unit: &'static str) -> Facts {
    Facts { access: Access::ReadOnly, unit, path: None, c_type: None, bits: None }
}

pub const fn writable(unit: &'static str) -> Facts {
    Facts { access: Access::Writable, ..read_only(unit) }
}

pub const fn own(unit: &'static str) -> Facts {
    Facts { access: Access::Own, ..read_only(unit) }
}

pub const fn internal() -> Facts {
    Facts { access: Access::Internal, ..read_only("") }
}

impl Facts {
    pub const fn path(self, path: &'static str) -> Self {
        Self { path: Some(path), ..self }
    }

    pub const fn c(self, c_type: &'static str) -> Self {
        Self { c_type: Some(c_type), ..self }
    }

    pub const fn bits(self, bits: u32) -> Self {
        Self { bits: Some(bits), ..self }
    }

    pub const fn is_writable(&self) -> bool {
        matches!(self.access, Access::Writable)
    }

    /// Whether only TCP may write it.
    pub const fn is_protected(&self) -> bool {
        matches!(self.access, Access::ReadOnly | Access::Own)
    }
}

impl<S> Member<S> {
    /// The path in C below the structure.
    pub fn path(&self) -> &'static str {
        self.facts.path.unwrap_or(self.name)
    }

    pub fn c_type(&self) -> &'static str {
        self.facts.c_type.unwrap_or(self.c_type)
    }

    /// May a program see it?
    pub fn is_visible(&self) -> bool {
        self.facts.access != Access::Internal
    }
}

impl Lacking {
    /// The path in C below the structure.
    pub fn path(&self) -> &'static str {
        self.facts.path.unwrap_or(self.name)
    }

    pub fn c_type(&self) -> &'static str {
        self.facts.c_type.unwrap_or(self.c_type)
    }
}

/// The members that programs see, as text; those of the outermost structure come first.
pub fn visible_members<S: KernelStruct>() -> Vec<&'static Member<S>> {
    let outermost = S::members().last().map(|member| member.structure);
    let mut found: Vec<_> = S::members().iter().filter(|member| member.is_visible()).collect();
    found.sort_by_key(|member| Some(member.structure) != outermost);
    found
}

/// The members that a congestion control may write.
pub fn writable_members<S: KernelStruct>() -> Vec<&'static Member<S>> {
    visible_members().into_iter().filter(|member| member.facts.is_writable()).collect()
}

/// The paths in C of [`writable_members`].
pub fn writable_paths<S: KernelStruct>() -> Vec<&'static str> {
    writable_members::<S>().into_iter().map(Member::path).collect()
}

/// The member for an abbreviated name: `snd_cwnd` for `cwnd`. Of several, the shortest, and of those the first.
pub fn completed<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let parts = |name: &'a str| name.split(['_', '.']);
    let has_all = |name: &&'a str| word.split(['_', '.']).all(|part| parts(name).any(|one| one == part));
    names.into_iter().filter(has_all).min_by_key(|name| parts(name).count())
}

/// The value of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    Signed(i64),
    Unsigned(u64),
}

/// The C name of a Rust type.
pub const fn c_name(rust: &'static str) -> &'static str {
    match rust.as_bytes() {
        b"u8" => "__u8",
        b"u16" => "__u16",
        b"u32" => "__u32",
        b"u64" => "__u64",
        b"i32" => "__s32",
        b"i64" => "__s64",
        _ => "",
    }
}

/// The number that a member is; `None` for arrays.
pub fn number<T: Any + Copy>(value: &T) -> Option<Number> {
    let value: &dyn Any = value;
    macro_rules! one_of {
        ($($kind:ident($wide:ty): $($type:ty)*),*) => {
            $($(if let Some(value) = value.downcast_ref::<$type>() {
                return Some(Number::$kind(<$wide>::from(*value)));
            })*)*
        };
    }
    one_of!(Unsigned(u64): u8 u16 u32 u64, Signed(i64): i32 i64);
    None
}

/// Sets a member; `false` for arrays, and for a value that the type cannot hold.
pub fn set_number<T: Any + Copy>(place: &mut T, value: i128) -> bool {
    let place: &mut dyn Any = place;
    macro_rules! one_of {
        ($($type:ty)*) => {
            $(if let Some(place) = place.downcast_mut::<$type>() {
                return <$type>::try_from(value).map(|value| *place = value).is_ok();
            })*
        };
    }
    one_of!(u8 u16 u32 u64 i32 i64);
    false
}

/// Declares a structure that programs see. Groups are the kernel's nested structures, in the order of the layout; a
/// member is `name: type = default => facts;`. `lacks` lists the kernel's other members.
#[macro_export]
macro_rules! kernel_struct {
    (
        $(#[$attribute:meta])*
        pub struct $Struct:ident (sample: $sample:literal) {
            $($structure:ident {
                $($(#[doc = $doc:literal])* $name:ident : $type:ty = $default:expr => $facts:expr;)*
            } lacks {
                $($(#[doc = $lacking_doc:literal])* $lacking:ident : $lacking_type:ident => $lacking_facts:expr;)*
            })*
        }
    ) => {
        $(#[$attribute])*
        #[repr(C)]
        pub struct $Struct {
            $($($(#[doc = $doc])* pub $name: $type,)*)*
        }

        impl Default for $Struct {
            fn default() -> Self {
                Self { $($($name: $default,)*)* }
            }
        }

        impl $Struct {
            /// Copies the members that a program and its host may write.
            pub fn take_writable(&mut self, from: &Self) {
                $($(if const { !$facts.is_protected() } {
                    self.$name = from.$name;
                })*)*
            }
        }

        impl $crate::table::KernelStruct for $Struct {
            const IS_SAMPLE: bool = $sample;

            fn members() -> &'static [$crate::table::Member<Self>] {
                const MEMBERS: &[$crate::table::Member<$Struct>] = &[$($($crate::table::Member {
                    name: stringify!($name),
                    structure: stringify!($structure),
                    facts: $facts,
                    doc: &[$($doc),*],
                    offset: ::std::mem::offset_of!($Struct, $name),
                    bytes: ::std::mem::size_of::<$type>(),
                    c_type: $crate::table::c_name(stringify!($type)),
                    get: |of| $crate::table::number(&of.$name),
                    set: |of, value| $crate::table::set_number(&mut of.$name, value),
                },)*)*];
                MEMBERS
            }

            fn lacking() -> &'static [$crate::table::Lacking] {
                const LACKING: &[$crate::table::Lacking] = &[$($($crate::table::Lacking {
                    name: stringify!($lacking),
                    structure: stringify!($structure),
                    facts: $lacking_facts,
                    doc: &[$($lacking_doc),*],
                    c_type: $crate::table::c_name(stringify!($lacking_type)),
                },)*)*];
                LACKING
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::{completed, visible_members};
    use crate::TcpSock;

    #[test]
    fn a_name_without_its_prefix_is_completed() {
        let names = || visible_members::<TcpSock>().into_iter().map(|member| member.path());
        let of = |word| completed(word, names());
        assert_eq!(
            [of("cwnd"), of("ssthresh"), of("mss")],
            [Some("snd_cwnd"), Some("snd_ssthresh"), Some("mss_cache")]
        );
        assert_eq!([of("min_rtt"), of("pacing_rate")], [Some("rtt_min"), Some("sk_pacing_rate")]);
        assert_eq!([of("inflight"), of("")], [None, None]);
    }
}
