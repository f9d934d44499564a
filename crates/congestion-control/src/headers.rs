//! Generates files from the declarations: the C headers for simulator and kernel, and the page of the reference.
//!
//! `make headers` writes the files; a test checks that they are current.

use crate::table::{Access, KernelStruct, Lacking, Member};
use crate::{AckSample, RateSample, TcpSock};
use std::fmt::Write as _;

/// The files, by their paths in the repository.
pub fn files() -> [(&'static str, String); 3] {
    [
        ("algorithms/interface/generated/native_structures.h", native_header()),
        ("algorithms/interface/generated/kernel_structures.h", kernel_header()),
        ("docs/reference/kernel-members.md", reference()),
    ]
}

const MADE: &str = "Written by `make headers` from crates/congestion-control";
const READ_ONLY: &str = "READ_ONLY ";

/// The first member of a C structure: the structure that it extends.
const EXTENDS: &[(&str, &str)] = &[
    ("sock", "struct sock_common __sk_common"),
    ("inet_sock", "struct sock sk"),
    ("inet_connection_sock", "struct inet_sock icsk_inet"),
    ("tcp_sock", "struct inet_connection_sock inet_conn"),
];

/// Structures inside others that have a name of their own.
const NAMED: &[(&str, &str)] = &[("rack", "tcp_rack"), ("rx_opt", "tcp_options_received")];

const MINMAX: &str =
    "struct minmax_sample {\n\t__u32 t;\n\t__u32 v;\n};\n\nstruct minmax {\n\tstruct minmax_sample s[3];\n};\n\n";

/// A member as one of the two headers declares it.
struct Line {
    /// Path below the structure.
    path: &'static str,
    qualifier: &'static str,
    /// The type before the name, and the text after it.
    before: String,
    after: String,
    comment: &'static str,
}

impl Line {
    fn new(
        path: &'static str,
        qualifier: &'static str,
        c_type: &str,
        bits: Option<u32>,
        comment: &'static str,
    ) -> Self {
        let (c_type, array) = c_type.split_once('[').map_or((c_type, String::new()), |(c, n)| (c, format!("[{n}")));
        let width = bits.map_or(String::new(), |bits| format!(" : {bits}"));
        Self { path, qualifier, before: format!("{c_type} "), after: array + &width, comment }
    }

    fn of_kept<S: KernelStruct>(member: &Member<S>, native: bool) -> Self {
        let qualifier = match member.facts.access {
            Access::ReadOnly | Access::Own if native && !S::IS_SAMPLE => READ_ONLY,
            _ => "",
        };
        let bits = if native { None } else { member.facts.bits };
        Self::new(member.path(), qualifier, member.c_type(), bits, member.facts.unit)
    }

    fn of_lacking(member: &Lacking, native: bool) -> Self {
        let bits = if native { None } else { member.facts.bits };
        Self::new(member.path(), if native { "NOT_KEPT " } else { "" }, member.c_type(), bits, member.facts.unit)
    }

    /// The structure inside the structure to which it belongs.
    fn group(&self) -> Option<&'static str> {
        self.path.split_once('.').map(|(group, _)| group)
    }

    fn write(&self, text: &mut String, indent: &str) {
        let name = self.path.rsplit('.').next().unwrap_or(self.path);
        let declaration = format!("{indent}{}{}{name}{};", self.qualifier, self.before, self.after);
        match self.comment {
            "" => writeln!(text, "{declaration}"),
            comment => {
                // A tab is eight columns wide.
                let width = declaration.len() + 7 * indent.len();
                writeln!(text, "{declaration}{:1$}/* {comment} */", "", 64_usize.saturating_sub(width).max(1))
            }
        }
        .expect("a string takes any text");
    }
}

/// Declares lines in their order; those of a nested structure are together, at the first of them.
fn write_lines(text: &mut String, lines: &[Line], indent: &str) {
    let mut done: Vec<&str> = Vec::new();
    for line in lines {
        let Some(group) = line.group() else {
            line.write(text, indent);
            continue;
        };
        if done.contains(&group) {
            continue;
        }
        done.push(group);
        let inside = lines.iter().filter(|line| line.group() == Some(group));
        let is_read_only = inside.clone().all(|line| line.qualifier == READ_ONLY);
        let name =
            NAMED.iter().find(|(member, _)| *member == group).map_or(String::new(), |(_, name)| format!("{name} "));
        let _ = writeln!(text, "{indent}{}struct {name}{{", if is_read_only { READ_ONLY } else { "" });
        for line in inside {
            let qualifier = if is_read_only { "" } else { line.qualifier };
            Line { qualifier, before: line.before.clone(), after: line.after.clone(), ..*line }
                .write(text, &format!("{indent}\t"));
        }
        let _ = writeln!(text, "{indent}}} {group};");
    }
}

/// The names of the C structures of a Rust one, in their order.
fn structures<S: KernelStruct>() -> Vec<&'static str> {
    let mut names: Vec<_> = S::members().iter().map(|member| member.structure).collect();
    names.dedup();
    names
}

fn write_native<S: KernelStruct>(text: &mut String) {
    for structure in structures::<S>() {
        let kept = S::members().iter().filter(|member| member.structure == structure && !member.c_type().is_empty());
        let mut kept: Vec<_> = kept.map(|member| Line::of_kept(member, true)).collect();
        let lacking = S::lacking().iter().filter(|member| member.structure == structure);
        let mut lacking: Vec<_> = lacking.map(|member| Line::of_lacking(member, true)).collect();
        // A structure inside the structure can be declared only once.
        while let Some(at) = lacking.iter().position(|line| kept.iter().any(|kept| has_group(kept, line.group()))) {
            kept.push(lacking.remove(at));
        }
        let _ = writeln!(text, "struct {structure} {{");
        let parent = EXTENDS.iter().find(|(name, _)| *name == structure).map(|(_, parent)| parent);
        match parent {
            Some(parent) if lacking.is_empty() => {
                let _ = writeln!(text, "\t{parent};");
            }
            Some(parent) => {
                let _ = writeln!(text, "\tunion {{\n\t\t{parent};\n\t\tstruct {{");
                write_lines(text, &lacking, "\t\t\t");
                text.push_str("\t\t};\n\t};\n");
            }
            None => assert!(lacking.is_empty(), "there is nothing to overlay {structure}'s lacking members with"),
        }
        write_lines(text, &kept, "\t");
        text.push_str("};\n\n");
    }
}

fn has_group(line: &Line, group: Option<&str>) -> bool {
    group.is_some() && line.group() == group
}

fn write_checks<S: KernelStruct>(text: &mut String, whole: &str) {
    for member in S::members().iter().filter(|member| !member.c_type().is_empty() && member.is_visible()) {
        let (structure, path) = (member.structure, member.path());
        let _ = writeln!(text, "AT({structure}, {path}, {}, {});", member.offset, member.bytes);
    }
    let _ = writeln!(text, "_Static_assert(sizeof(struct {whole}) == {}, \"{whole}\");", size_of::<S>());
}

fn native_header() -> String {
    let mut text = format!(
        "/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * A connection as native programs see it: the simulator's own layout.
 * {MADE}.
 *
 * READ_ONLY marks members that the kernel's verifier lets no program write. NOT_KEPT marks members of the kernel that
 * the simulator lacks: they overlap others, and a program that reads one is rejected with the member's name.
 */
#ifdef FAIRLANE_CHECK_WRITES
#define READ_ONLY const
#else
#define READ_ONLY
#endif
#define NOT_KEPT __attribute__((deprecated(\"not kept by the simulator\"))) const

"
    );
    text.push_str(MINMAX);
    write_native::<TcpSock>(&mut text);
    write_native::<RateSample>(&mut text);
    write_native::<AckSample>(&mut text);
    text.push_str("/* Does the text of an expression end in a member that is not kept? */\n");
    text.push_str("#define FAIRLANE_NOT_KEPT(text) (");
    let conditions =
        TcpSock::lacking().iter().map(|member| format!("__builtin_strstr(text, \"{}\") != 0", member.path()));
    text.push_str(&conditions.collect::<Vec<_>>().join(" || \\\n\t"));
    text.push_str(")\n\n");
    text.push_str(
        "/* The compiler's layout must be that of the Rust structures. */\n\
         #define AT(type, member, at, bytes) \\\n\t_Static_assert(__builtin_offsetof(struct type, member) == at && \\\n\
         \t\t       sizeof(((struct type *)0)->member) == bytes, #member)\n",
    );
    write_checks::<TcpSock>(&mut text, "tcp_sock");
    write_checks::<RateSample>(&mut text, "rate_sample");
    write_checks::<AckSample>(&mut text, "ack_sample");
    text.push_str("#undef AT\n");
    text
}

fn write_kernel<S: KernelStruct>(text: &mut String) {
    for structure in structures::<S>() {
        let kept = S::members().iter().filter(|member| {
            member.structure == structure && matches!(member.facts.access, Access::ReadOnly | Access::Writable)
        });
        let lacking = S::lacking().iter().filter(|member| member.structure == structure);
        let lines: Vec<_> = kept
            .map(|member| Line::of_kept(member, false))
            .chain(lacking.map(|member| Line::of_lacking(member, false)))
            .collect();
        let _ = writeln!(text, "struct {structure} {{");
        if let Some((_, parent)) = EXTENDS.iter().find(|(name, _)| *name == structure) {
            let _ = writeln!(text, "\t{parent};");
        }
        write_lines(text, &lines, "\t");
        text.push_str("};\n\n");
    }
}

fn kernel_header() -> String {
    let mut text = format!(
        "/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The kernel's structures as the BPF target sees them: names and nesting are the kernel's, offsets are found when the
 * program is loaded. {MADE}.
 */
"
    );
    text.push_str(MINMAX);
    write_kernel::<TcpSock>(&mut text);
    write_kernel::<RateSample>(&mut text);
    write_kernel::<AckSample>(&mut text);
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn reference() -> String {
    let mut text = format!(
        "# Kernel members

{MADE}.

An algorithm sees these members of the kernel's structures: a C program by the path in the first column, after it
includes [`vmlinux.h`](../../algorithms/README.md); a Python class as attributes of its connection, by the name in the
second.

Units: `us/8` and `us/4` are microseconds times 8 and times 4, as in the kernel; a jiffy is 1/HZ s; sequence numbers
have 32 bits and wrap.
"
    );
    write_tables::<TcpSock>(&mut text);
    write_tables::<RateSample>(&mut text);
    write_tables::<AckSample>(&mut text);
    text.push_str(
        "
## Not kept

The simulator does not keep these members of the kernel's structures. A program that reads one of them is refused when it
is loaded, unless the read depends on `bpf_core_field_exists`, which is false for them.

| structure | member | unit | meaning |
|---|---|---|---|
",
    );
    for member in TcpSock::lacking() {
        let _ = writeln!(
            text,
            "| `{}` | `{}` | {} | {} |",
            member.structure,
            member.path(),
            unit(member.facts.unit),
            meaning(member.doc)
        );
    }
    text
}

fn write_tables<S: KernelStruct>(text: &mut String) {
    for structure in structures::<S>() {
        let members = S::members().iter().filter(|member| member.structure == structure && member.is_visible());
        let _ = write!(
            text,
            "\n## struct {structure}\n\n| member | Python | unit | may be written | meaning |\n|---|---|---|---|---|\n"
        );
        for member in members {
            let python = if member.c_type.is_empty() { String::new() } else { format!("`{}`", member.name) };
            let written = if member.facts.is_writable() { "yes" } else { "" };
            let _ = writeln!(
                text,
                "| `{}` | {python} | {} | {written} | {} |",
                member.path(),
                unit(member.facts.unit),
                meaning(member.doc)
            );
        }
    }
}

fn unit(unit: &str) -> String {
    let is_name = unit.starts_with("enum ") || unit.contains('*');
    if is_name {
        format!("`{unit}`")
    } else {
        unit.to_owned()
    }
}

fn meaning(doc: &[&str]) -> String {
    doc.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ").replace('|', "\\|")
}
