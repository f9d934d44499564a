//! Types of the kernel that a program uses and that Fairlane's `vmlinux.h` lacks.
//!
//! A program written against a generated `vmlinux.h` may name any type of the kernel. Those that it names and does not
//! define come from the `vmlinux.h` beside it, or from `common_types.h`, with everything of which they are made. The
//! header goes behind Fairlane's own declarations, which have the layout of the simulator or are relocated by the loader.

use crate::bundled::HEADERS;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// The name of the header.
pub const MORE_TYPES: &str = "fairlane_more_types.h";
const COMMON: &str = "common_types.h";
/// clang's attribute of structures whose members the loader finds in the running kernel.
const RELOCATED: &str = "preserve_access_index";

/// The header for a program that consists of these texts; `None` if it needs no further types. `vmlinux` is the
/// program's own.
pub fn more_types(texts: &[&str], vmlinux: Option<&str>) -> Option<String> {
    let texts: Vec<String> = texts.iter().map(|text| without_comments(text)).collect();
    let mut known = ours().clone();
    texts.iter().for_each(|text| defined_in(text, &mut known));
    let mut used = BTreeSet::new();
    texts.iter().for_each(|text| used_in(text, true, &mut used));
    let common = HEADERS.iter().find(|(name, _)| *name == COMMON).map_or("", |(_, text)| text);
    let own = vmlinux.unwrap_or("");
    // A layout of the kernel is relocated (CO-RE) if the file says so; an algorithm's private memory is its own.
    let mut found = String::new();
    for (text, is_relocated) in [(common, false), (own, own.contains(RELOCATED))] {
        let part = selected(text, &mut known, &used);
        if part.is_empty() {
            continue;
        }
        let relocated =
            |what: &str| if is_relocated { format!("#ifdef __bpf__\n{what}\n#endif\n") } else { String::new() };
        let push = format!("#pragma clang attribute push(__attribute__(({RELOCATED})), apply_to = record)");
        found += &relocated(&push);
        found += &part;
        found += &relocated("#pragma clang attribute pop");
    }
    (!found.is_empty()).then_some(found)
}

/// The names that Fairlane's headers define.
fn ours() -> &'static BTreeSet<String> {
    static OURS: OnceLock<BTreeSet<String>> = OnceLock::new();
    OURS.get_or_init(|| {
        let mut names = BTreeSet::new();
        for (_, text) in HEADERS.iter().filter(|(name, _)| *name != COMMON) {
            defined_in(&without_comments(text), &mut names);
        }
        names
    })
}

/// The declarations of `text` that define a used name, and those of which they are made, in their order. Their names
/// become known.
fn selected(text: &str, known: &mut BTreeSet<String>, used: &BTreeSet<String>) -> String {
    let text = without_comments(text);
    let declarations: Vec<&str> = declarations(&text);
    let mut by_name: BTreeMap<String, usize> = BTreeMap::new();
    let names: Vec<BTreeSet<String>> = declarations
        .iter()
        .map(|declaration| {
            let mut names = BTreeSet::new();
            defined_in(declaration, &mut names);
            names
        })
        .collect();
    for (at, names) in names.iter().enumerate() {
        names.iter().filter(|name| !known.contains(*name)).for_each(|name| {
            by_name.entry(name.clone()).or_insert(at);
        });
    }
    let mut chosen = BTreeSet::new();
    let mut waiting: Vec<usize> = used.iter().filter_map(|name| by_name.get(name).copied()).collect();
    while let Some(at) = waiting.pop() {
        if chosen.insert(at) {
            let mut needs = BTreeSet::new();
            used_in(declarations[at], false, &mut needs);
            waiting.extend(needs.iter().filter_map(|name| by_name.get(name).copied()));
        }
    }
    for &at in &chosen {
        known.extend(names[at].iter().cloned());
    }
    chosen.iter().map(|&at| format!("{}\n", declarations[at].trim())).collect()
}

/// Declarations and definitions of macros at the top level of a text without comments.
fn declarations(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut depth) = (0, 0_usize);
    let mut lines_at = 0;
    for line in text.split_inclusive('\n') {
        let end = lines_at + line.len();
        if depth == 0 && line.trim_start().starts_with('#') {
            if line.trim_start().starts_with("#define") && !line.trim_end().ends_with('\\') {
                found.push(line);
            }
            start = end;
        } else {
            for (at, byte) in line.bytes().enumerate() {
                match byte {
                    b'{' | b'(' => depth += 1,
                    b'}' | b')' => depth = depth.saturating_sub(1),
                    b';' if depth == 0 => {
                        found.push(&text[start..=lines_at + at]);
                        start = lines_at + at + 1;
                    }
                    _ => {}
                }
            }
        }
        lines_at = end;
    }
    found
}

/// Adds the names that a text without comments defines: `struct x`, `enum x`, names of types, constants and macros.
fn defined_in(text: &str, names: &mut BTreeSet<String>) {
    let tokens: Vec<&str> = tokens(text);
    let mut depth = 0_usize;
    // The depths of the bodies of enumerations, whose constants are names.
    let mut enums = Vec::new();
    let mut typedef: Option<(usize, Option<&str>)> = None;
    for (at, &token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1).copied().unwrap_or("");
        match token {
            "struct" | "union" | "enum" => {
                let (tag, opens) =
                    if is_name(next) { (Some(next), tokens.get(at + 2)) } else { (None, tokens.get(at + 1)) };
                if opens == Some(&"{") {
                    names.extend(tag.map(|tag| format!("{token} {tag}")));
                    if token == "enum" {
                        enums.push(depth + 1);
                    }
                }
            }
            "typedef" => typedef = Some((depth, None)),
            "define" if at > 0 && tokens[at - 1] == "#" => {
                names.insert(next.to_owned());
            }
            "{" => depth += 1,
            "}" => {
                enums.retain(|inside| *inside != depth);
                depth = depth.saturating_sub(1);
            }
            ";" => {
                if let Some((_, Some(name))) = typedef.take_if(|(outside, _)| *outside == depth) {
                    names.insert(name.to_owned());
                }
            }
            _ if is_name(token) => {
                if enums.contains(&depth) && matches!(next, "=" | "," | "}") {
                    names.insert(token.to_owned());
                }
                // `typedef int (*name)(...)` and `typedef struct {...} name[2]`: the first name that is followed so.
                if let Some((outside, name @ None)) = &mut typedef {
                    if *outside == depth && matches!(next, ";" | "[" | ")") {
                        *name = Some(token);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Adds the names that a text without comments uses. `points` includes the structures of which it has only pointers: a
/// program may follow them, and a declaration does not.
fn used_in(text: &str, points: bool, names: &mut BTreeSet<String>) {
    let tokens: Vec<&str> = tokens(text);
    for (at, &token) in tokens.iter().enumerate().filter(|(_, token)| is_name(token)) {
        let before = if at > 0 { tokens[at - 1] } else { "" };
        let is_tag = matches!(before, "struct" | "union" | "enum");
        if points || !is_tag || tokens.get(at + 1) != Some(&"*") {
            names.insert(if is_tag { format!("{before} {token}") } else { token.to_owned() });
        }
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Names, numbers and single characters.
fn tokens(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        if !first.is_whitespace() && first != '"' {
            found.push(token);
        }
        rest = after;
    }
    found
}

fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("/*").into_iter().chain(rest.find("//")).min() {
        let (before, comment) = rest.split_at(start);
        kept.push_str(before);
        kept.push(' ');
        let end = match comment.starts_with("/*") {
            true => comment.find("*/").map_or(comment.len(), |end| end + 2),
            false => comment.find('\n').unwrap_or(comment.len()),
        };
        rest = &comment[end..];
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_gets_the_types_that_it_names() {
        assert_eq!(more_types(&["struct tcp_sock *tp; __u32 x; struct mine { int a; } m;"], None), None);
        let bictcp = more_types(&["struct bictcp *ca = inet_csk_ca(sk);"], None).expect("is needed");
        assert!(bictcp.contains("bic_K") && !bictcp.contains("list_head") && !bictcp.contains("preserve"), "{bictcp}");
        assert_eq!(more_types(&["struct bictcp { int k; }; struct bictcp *ca;"], None), None);
        let counter = more_types(&["refcount_t users;"], None).expect("is needed");
        assert!(counter.contains("} refcount_t;") && counter.contains("} atomic_t;"), "{counter}");
    }

    #[test]
    fn the_programs_own_vmlinux_h_gives_what_it_names_and_all_of_which_that_is_made() {
        let vmlinux = "#ifndef __VMLINUX_H__\n#define __VMLINUX_H__\ntypedef unsigned int __u32;\n#define MOST 7\n\
                       struct tcp_sock { __u32 other; };\n// struct gone { int x; };\n\
                       typedef __u32 count_t;\nenum colour { RED, BLUE = 3 };\n\
                       struct inner { count_t n; enum colour c; };\nstruct unused { int a; };\n\
                       struct outer { struct inner i; void (*call)(struct unused *, int); };\n#endif\n";
        let found = more_types(&["struct outer o; int most = MOST;"], Some(vmlinux)).expect("is needed");
        for wanted in ["struct outer {", "struct inner {", "count_t;", "enum colour {", "#define MOST 7"] {
            assert!(found.contains(wanted), "{wanted}: {found}");
        }
        assert!(!found.contains("struct unused {"), "only a pointer needs it: {found}");
        assert!(!found.contains("struct tcp_sock") && !found.contains("typedef unsigned int __u32"), "{found}");
        assert!(!found.contains("preserve_access"), "the file does not say so: {found}");
        let relocated = format!("#pragma clang attribute push (__attribute__((preserve_access_index)))\n{vmlinux}");
        let found = more_types(&["struct inner i;"], Some(&relocated)).expect("is needed");
        assert!(found.contains("preserve_access_index)), apply_to = record)"), "{found}");
        let found = more_types(&["struct outer o;"], Some(vmlinux)).expect("is needed");
        let place = |word| found.find(word).expect("is there");
        assert!(place("count_t;") < place("struct inner {") && place("struct inner {") < place("struct outer {"));
        assert_eq!(more_types(&["int x = 1;"], Some(vmlinux)), None);
        let constant = more_types(&["int x = BLUE;"], Some(vmlinux)).expect("is needed");
        assert!(constant.contains("enum colour"));
    }

    #[test]
    fn damaged_text_is_read_to_its_end() {
        for text in ["struct {", "/* no end", "typedef", "}}};;", "#define", "enum { A, ", "\"no end", "struct x { /"] {
            let _ = more_types(&["struct x y; A"], Some(text));
        }
    }
}
