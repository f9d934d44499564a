//! The text of a program: its header, its parameters, and the lines of some errors.
//!
//! The object file has a parameter's address and size, but neither its sign nor its meaning. Both are in the text: in
//! `const volatile TYPE NAME = VALUE;` at file level, and in comments `/* NAME: unit, meaning, source */`. Programs that
//! share parameters have them in a header of `algorithms/shared/`, whose VALUE is a macro of the program: the source is
//! then in the comment behind `#define`. The text is parsed without preprocessing; the parser skips text that it cannot
//! read.

use crate::bundled::HEADERS;
use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree};

/// One `const volatile` declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    pub name: String,
    pub type_name: String,
    pub signed: bool,
    /// `_Bool`: only 0 and 1.
    pub boolean: bool,
    /// The comment about it, without its name.
    pub comment: Option<String>,
    /// The macro with the default of a shared parameter.
    default: Option<String>,
}

/// The text of a C file and its syntax tree.
pub struct CSource<'t> {
    text: &'t str,
    tree: Tree,
    comments: OnceCell<Vec<String>>,
}

impl<'t> CSource<'t> {
    pub fn parse(text: &'t str) -> Self {
        let tree = syntax(&without_sections(text), None).expect("there is no time limit");
        Self { text, tree, comments: OnceCell::new() }
    }

    /// The same for a text of others; `None` if parsing takes longer than [`PARSE_AT_MOST`]. Reads the clock, which workers
    /// must not.
    pub fn parse_in_time(text: &'t str) -> Option<Self> {
        let tree = syntax(&without_sections(text), Some(PARSE_AT_MOST))?;
        Some(Self { text, tree, comments: OnceCell::new() })
    }

    pub fn text(&self) -> &'t str {
        self.text
    }

    /// All parameters in the order of the text, those of Fairlane's headers that it includes itself first.
    pub fn parameters(&self) -> Vec<Declaration> {
        let is_included = |name: &str| self.text.contains(&format!("#include \"{name}\""));
        let shared = HEADERS.iter().filter(|(name, text)| text.contains("const volatile") && is_included(name));
        let mut found: Vec<_> = shared.flat_map(|(_, text)| CSource::parse(text).own_parameters()).collect();
        for declaration in &mut found {
            let source = declaration.default.as_deref().and_then(|default| self.comment_behind(default));
            if let (Some(comment), Some(source)) = (&mut declaration.comment, source) {
                *comment = format!("{comment}, {source}");
            }
        }
        found.extend(self.own_parameters());
        found
    }

    /// The comment on the line of `#define name`.
    fn comment_behind(&self, name: &str) -> Option<&'t str> {
        let defined = self.text.lines().filter_map(|line| line.strip_prefix("#define ")?.split_once("/*"));
        let mut comments = defined.filter(|(definition, _)| definition.split_whitespace().next() == Some(name));
        Some(comments.next()?.1.trim_end_matches("*/").trim())
    }

    fn own_parameters(&self) -> Vec<Declaration> {
        let mut found = Vec::new();
        self.at_file_level().for_each(|node| self.add_parameters(node, &mut found));
        let mut about: BTreeMap<&str, &str> = BTreeMap::new();
        for (name, rest) in self.comments().iter().filter_map(|comment| comment.split_once(':')) {
            about.entry(name).or_insert(rest);
        }
        for declaration in &mut found {
            declaration.comment = about.get(&*declaration.name).map(|rest| rest.trim().to_owned());
        }
        found
    }

    /// The file's opening comment, after that of the licence.
    pub fn header(&self) -> Option<&str> {
        self.comments().iter().map(String::as_str).find(|comment| !comment.starts_with("SPDX"))
    }

    /// The sentence after `name:` on the first line of the header.
    pub fn summary(&self) -> Option<&str> {
        let (name, rest) = self.header()?.lines().next()?.split_once(':')?;
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c));
        is_name.then(|| rest.trim())
    }

    /// Is `function` written as `function(unsigned long long *ctx)`, the raw form of a BPF program?
    pub fn takes_context(&self, function: &str) -> bool {
        descendants(self.tree.root_node()).any(|node| {
            let name = node.child_by_field_name("declarator").map(|name| self.text_of(name));
            if node.kind() != "function_declarator" || name != Some(function) {
                return false;
            }
            let Some(parameters) = node.child_by_field_name("parameters") else { return false };
            let mut cursor = parameters.walk();
            let mut parameters = parameters.named_children(&mut cursor).filter(|node| !node.is_extra());
            let only = parameters.next().filter(|_| parameters.next().is_none());
            only.is_some_and(|parameter| {
                let kinds = |kind: &str| descendants(parameter).any(|node| node.kind().contains(kind));
                kinds("pointer_declarator") && !kinds("struct_specifier")
            })
        })
    }

    /// The structure that the program keeps in `icsk_ca_priv`: the type of what it sets to `inet_csk_ca(...)`.
    pub fn private_structure(&self) -> Option<&'t str> {
        let mut declarations = descendants(self.tree.root_node()).filter(|node| node.kind() == "declaration");
        declarations.find_map(|node| {
            let value = node.child_by_field_name("declarator")?.child_by_field_name("value")?;
            let holds = self.text_of(value).contains("inet_csk_ca(");
            let structure = node.child_by_field_name("type").filter(|_| holds)?;
            Some(self.text_of(structure.child_by_field_name("name").unwrap_or(structure)))
        })
    }

    /// The structures that the program keeps in `icsk_ca_priv`, as C names them: types of variables, casts and functions
    /// whose value is `inet_csk_ca(...)`.
    pub fn private_structures(&self) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut function: Option<Node> = None;
        for node in descendants(self.tree.root_node()) {
            // Long texts are no such values, and searching all of them would take long.
            let is_private = |text: &str| text.len() <= 256 && text.contains("inet_csk_ca");
            let holds = |value: Option<Node>| value.is_some_and(|value| is_private(self.text_of(value)));
            let kind = match node.kind() {
                "function_definition" => {
                    function = Some(node);
                    None
                }
                "declaration" => {
                    let value = node.child_by_field_name("declarator").and_then(|one| one.child_by_field_name("value"));
                    node.child_by_field_name("type").filter(|_| holds(value))
                }
                "cast_expression" => {
                    let kind = node.child_by_field_name("type").and_then(|one| one.child_by_field_name("type"));
                    kind.filter(|_| holds(node.child_by_field_name("value")))
                }
                "return_statement" if holds(Some(node)) => {
                    let around = function.filter(|function| node.end_byte() <= function.end_byte());
                    around.and_then(|function| function.child_by_field_name("type"))
                }
                _ => None,
            };
            let Some(kind) = kind else { continue };
            let name = self.text_of(kind.child_by_field_name("name").unwrap_or(kind));
            let name = match kind.kind() {
                "struct_specifier" => format!("struct {name}"),
                "union_specifier" => format!("union {name}"),
                "type_identifier" => name.to_owned(),
                _ => continue,
            };
            let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_ ".contains(&byte));
            if is_name && !found.contains(&name) {
                found.push(name);
            }
        }
        found
    }

    /// The first line from `first` on that has `float`, `double` or a number with a decimal point.
    pub fn line_with_floats(&self, first: usize) -> Option<usize> {
        let lines = descendants(self.tree.root_node()).filter(|node| has_floats(*node, self.text_of(*node))).map(line);
        lines.filter(|line| *line >= first).min()
    }

    /// The line of the first loop that certainly never ends: its condition is always true, and no statement in its body
    /// leaves it or may leave it, as a macro may. The guard detects the others at run time.
    pub fn unbounded_loop(&self) -> Option<usize> {
        let is_true = |node: Node| {
            let text = self.text_of(node).trim_matches(['(', ')', ' ', '\t', '\n']);
            matches!(text, "1" | "1U" | "true")
        };
        let mut loops = descendants(self.tree.root_node()).filter(|node| match (node.kind(), condition(*node)) {
            ("for_statement", None) => true,
            ("while_statement" | "do_statement", Some(condition)) => is_true(condition),
            _ => false,
        });
        // Loops may be inside each other; bounds the time for a text with very many of them.
        let left = Cell::new(10_000_000);
        let found = loops.find(|node| {
            let body = node.child_by_field_name("body");
            body.is_some_and(|body| !node.has_error() && !self.may_leave(body, &left))
        });
        found.map(line)
    }

    /// The line on which a member is read without a check by `bpf_core_field_exists`; `None` if all reads are checked,
    /// and `Err` if the text does not name the member.
    pub fn unconditional_read(&self, member: &str) -> Result<Option<usize>, ()> {
        let reads: Vec<_> = descendants(self.tree.root_node())
            .filter(|node| matches!(node.kind(), "field_identifier" | "identifier") && self.text_of(*node) == member)
            .collect();
        if reads.is_empty() {
            return Err(());
        }
        // Whether a read is checked takes long to find out in a long text; no program has as many.
        if let Some(read) = reads.get(1000) {
            return Ok(Some(line(*read)));
        }
        Ok(reads.into_iter().find(|node| !self.depends_on_existence(*node, member)).map(line))
    }

    fn depends_on_existence(&self, read: Node, member: &str) -> bool {
        let asks = |node: Node| descendants(node).any(|node| self.is_question(node, member));
        let mut inner = read;
        while let Some(outer) = inner.parent() {
            let is = |field: &str| outer.child_by_field_name(field) == Some(inner);
            let depends = match outer.kind() {
                "call_expression" => self.is_question(outer, member),
                "if_statement" | "conditional_expression" => is("consequence") && condition(outer).is_some_and(asks),
                "binary_expression" => {
                    let operator = outer.child_by_field_name("operator").map(|operator| operator.kind());
                    is("right") && operator == Some("&&") && outer.child_by_field_name("left").is_some_and(asks)
                }
                _ => false,
            };
            if depends {
                return true;
            }
            inner = outer;
        }
        false
    }

    /// A call of `bpf_core_field_exists` for the member?
    fn is_question(&self, call: Node, member: &str) -> bool {
        let function = call.child_by_field_name("function").map(|function| self.text_of(function));
        let arguments = call.child_by_field_name("arguments").map_or("", |arguments| self.text_of(arguments));
        function == Some("bpf_core_field_exists") && arguments.contains(member)
    }

    fn text_of(&self, node: Node) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    fn comments(&self) -> &[String] {
        self.comments.get_or_init(|| {
            let nodes = descendants(self.tree.root_node()).filter(|node| node.kind() == "comment");
            nodes.map(|node| comment_text(self.text_of(node))).collect()
        })
    }

    /// The nodes outside of functions' bodies, in the order of the text.
    fn at_file_level(&self) -> impl Iterator<Item = Node<'_>> {
        walk(self.tree.root_node(), |node| node.kind() != "compound_statement")
    }

    fn add_parameters(&self, node: Node, found: &mut Vec<Declaration>) {
        let mut cursor = node.walk();
        let qualifiers: Vec<_> = node
            .named_children(&mut cursor)
            .filter(|child| child.kind() == "type_qualifier")
            .map(|child| self.text_of(child))
            .collect();
        let is_parameter = qualifiers.contains(&"const") && qualifiers.contains(&"volatile");
        let type_name = node.child_by_field_name("type").map(|child| self.text_of(child));
        let (true, true, Some(type_name)) = (node.kind() == "declaration", is_parameter, type_name) else { return };
        let words: Vec<_> = type_name.split_whitespace().collect();
        let boolean = words.iter().any(|word| matches!(*word, "bool" | "_Bool"));
        let is_unsigned =
            |word: &&str| matches!(*word, "unsigned" | "size_t") || word.trim_start_matches('_').starts_with('u');
        let signed = !boolean && !words.iter().any(is_unsigned);
        for declarator in node.children_by_field_name("declarator", &mut cursor) {
            let name = match declarator.kind() {
                "init_declarator" => declarator.child_by_field_name("declarator"),
                _ => Some(declarator),
            };
            let Some(name) = name.filter(|name| name.kind() == "identifier") else { continue };
            let value = declarator.child_by_field_name("value").filter(|value| value.kind() == "identifier");
            let default = value.map(|value| self.text_of(value).to_owned());
            let (name, type_name) = (self.text_of(name).to_owned(), words.join(" "));
            found.push(Declaration { name, type_name, signed, boolean, comment: None, default });
        }
    }

    /// May a statement of this body leave the loop that it belongs to? It may, once `left` nodes were visited.
    fn may_leave(&self, body: Node, left: &Cell<u64>) -> bool {
        let is_too_long = || {
            left.set(left.get().saturating_sub(1));
            left.get() == 0
        };
        let leaves = |node: Node| match node.kind() {
            "return_statement" | "goto_statement" | "gnu_asm_expression" => true,
            // A name in capitals may be a macro with a `break` in it.
            "identifier" | "type_identifier" => {
                let name = self.text_of(node);
                name.bytes().any(|c| c.is_ascii_uppercase()) && !name.bytes().any(|c| c.is_ascii_lowercase())
            }
            _ => false,
        };
        // A `break` in them is their own.
        let outside = |node: Node| {
            !matches!(node.kind(), "for_statement" | "while_statement" | "do_statement" | "switch_statement")
        };
        walk(body, outside).any(|node| is_too_long() || node.kind() == "break_statement")
            || descendants(body).any(|node| is_too_long() || leaves(node))
    }
}

/// The bundled programs take 0.01 s. The parser searches for the most likely meaning of text that is no C, which may take
/// any time.
pub const PARSE_AT_MOST: Duration = Duration::from_secs(10);

/// The syntax tree; `None` if that takes too long.
#[expect(clippy::disallowed_methods, reason = "a limit in real time, which no accepted text comes near")]
fn syntax(text: &str, at_most: Option<Duration>) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_c::LANGUAGE.into()).expect("the parser knows C");
    let Some(at_most) = at_most else { return parser.parse(text, None) };
    let start = Instant::now();
    let mut is_in_time = |_: &ParseState| match start.elapsed() < at_most {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    };
    let options = ParseOptions::new().progress_callback(&mut is_in_time);
    parser.parse_with_options(&mut |at, _| &text.as_bytes()[at.min(text.len())..], None, Some(options))
}

/// The text with blanks in place of each `SEC("...")`, which is not in the grammar of C. Offsets do not change.
fn without_sections(text: &str) -> String {
    let mut blanked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("SEC(\"") {
        let length = rest[at..].find("\")").map_or(rest.len() - at, |end| end + 2);
        blanked.push_str(&rest[..at]);
        blanked.extend(rest[at..at + length].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        rest = &rest[at + length..];
    }
    blanked + rest
}

/// The node and everything below it, in the order of the text.
fn descendants(node: Node) -> impl Iterator<Item = Node> {
    walk(node, |_| true)
}

/// The node and everything below it, in the order of the text, except below nodes that are not `entered`. Texts of others
/// may nest as deep as they like, and have any number of parts side by side.
fn walk<'t>(node: Node<'t>, entered: impl Fn(Node<'t>) -> bool) -> impl Iterator<Item = Node<'t>> {
    let mut cursor = node.walk();
    let mut is_first = true;
    let mut is_done = false;
    std::iter::from_fn(move || {
        if is_done {
            return None;
        }
        if std::mem::take(&mut is_first) || entered(cursor.node()) && cursor.goto_first_child() {
            return Some(cursor.node());
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                is_done = true;
                return None;
            }
        }
        Some(cursor.node())
    })
}

fn condition(node: Node) -> Option<Node> {
    node.child_by_field_name("condition")
}

fn line(node: Node) -> usize {
    node.start_position().row + 1
}

fn has_floats(node: Node, text: &str) -> bool {
    match node.kind() {
        "number_literal" => text.contains('.'),
        "primitive_type" => matches!(text, "float" | "double"),
        // The parser leaves a macro's text unparsed.
        "preproc_arg" => {
            let Some(tree) = syntax(text, Some(PARSE_AT_MOST)) else { return false };
            let found = descendants(tree.root_node()).any(|node| {
                node.kind() != "preproc_arg" && has_floats(node, text.get(node.byte_range()).unwrap_or(""))
            });
            found
        }
        _ => false,
    }
}

fn comment_text(comment: &str) -> String {
    if let Some(body) = comment.strip_prefix("//") {
        return body.trim().to_owned();
    }
    let body = comment.trim_start_matches("/*").trim_end_matches("*/");
    let lines = body.lines().map(|line| line.trim().trim_start_matches('*').trim_start_matches(' '));
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_and_long_texts_are_walked_in_bounded_time_and_stack() {
        for text in [
            format!("int x = {}1{};", "(".repeat(200_000), ")".repeat(200_000)),
            format!("void f(void) {}{}", "{".repeat(200_000), "}".repeat(200_000)),
            format!("void f(void) {{{}return;}}", "for(;;)".repeat(50_000)),
            ";".repeat(300_000),
        ] {
            let source = CSource::parse_in_time(&text).expect("takes little time");
            assert_eq!((source.parameters().len(), source.private_structures().len()), (0, 0));
            source.unbounded_loop();
            source.line_with_floats(1);
        }
    }

    const TEXT: &str = r#"// SPDX-License-Identifier: MIT
/*
 * toy: a window that stands still
 *
 *	cwnd = size
 */
#include "vmlinux.h"
#define X const volatile int no = 1; \
    more
char _license[] SEC("license") = "GPL; const volatile int neither = 1;";
/* size: packets, the window, my thumb */
const volatile __u32 size = 10;
static volatile const int step = -1, stride = 2;
const volatile bool fast; // no comment
const volatile char name[16] = "x";
static int f(void) { static const volatile int inner = 1; return inner; }
SEC("struct_ops/init")
void BPF_PROG(toy_init, struct sock *sk)
{
	for (;;) { if (sk) break; }
}
CONG_CONTROL(toy_cong_control, sk, sample)
{
	const volatile int inner = 1;
}
const volatile unsigned long long big = 1ULL << 40;
"#;

    fn unbounded(text: &str) -> Option<usize> {
        CSource::parse(&format!("void f(void) {{ {text}\n}}")).unbounded_loop()
    }

    #[test]
    fn parameters_are_found_with_type_and_comment() {
        let all = CSource::parse(TEXT).parameters();
        let names: Vec<&str> = all.iter().map(|d| d.name.as_str()).collect();
        assert_eq!(names, ["size", "step", "stride", "fast", "big"]);
        assert_eq!(all[0].comment.as_deref(), Some("packets, the window, my thumb"));
        assert_eq!((all[0].signed, all[1].signed, all[2].signed), (false, true, true));
        assert!(all[3].boolean);
        assert_eq!(all[4].type_name, "unsigned long long");
    }

    #[test]
    fn a_shared_parameter_has_its_source_in_the_program() {
        let text =
            "#define DEFAULT_BETA 700 /* my thumb */\n#include \"bbr_v3/parameters.h\"\nconst volatile int own = 1;";
        let all = CSource::parse(text).parameters();
        let beta = all.iter().find(|parameter| parameter.name == "beta").expect("is found");
        assert_eq!(beta.comment.as_deref(), Some("1/1000, least that a reduction leaves, my thumb"));
        assert_eq!(all.last().map(|parameter| parameter.name.as_str()), Some("own"));
    }

    #[test]
    fn floating_point_is_seen_in_the_text() {
        let text = "void f(void) { x = 1; /* 0.5 */\ny.a = 2;\nz = x * 0.7;\nfloat f; }\n#define GAIN (a * 1.25)\n";
        let source = CSource::parse(text);
        assert_eq!(source.line_with_floats(1), Some(3));
        assert_eq!(source.line_with_floats(4), Some(4));
        assert_eq!(source.line_with_floats(5), Some(5));
        assert_eq!(source.line_with_floats(6), None);
    }

    #[test]
    fn a_raw_program_takes_the_context() {
        assert!(CSource::parse("void raw (unsigned long long *ctx) {}").takes_context("raw"));
        let text = "void raw(struct sock *sk) {} void not_raw(__u64 *ctx) {}";
        assert!(!CSource::parse(text).takes_context("raw"));
        assert!(!CSource::parse("SEC(\"x\") void BPF_PROG(raw, struct sock *sk) {}").takes_context("raw"));
    }

    #[test]
    fn the_summary_is_the_first_line() {
        assert_eq!(CSource::parse(TEXT).summary(), Some("a window that stands still"));
        assert_eq!(CSource::parse("/* Copyright (c) Jane Doe: her */").summary(), None);
        assert_eq!(CSource::parse("int x;").summary(), None);
    }

    #[test]
    fn certain_loops_are_found_with_their_line() {
        assert_eq!(unbounded("int i;\nwhile (1) {\n\ti++;\n}"), Some(2));
        assert_eq!(unbounded("do {\n\ti++;\n} while (true);"), Some(1));
        assert_eq!(unbounded("for (;; i++)\n\tx();"), Some(1));
        assert_eq!(unbounded("f();\nfor ( ; ; ) { g(); }"), Some(2));
        assert_eq!(unbounded("for (;;) { switch (x) { case 1: break; } }"), Some(1), "the break leaves the switch");
        let program = TEXT.replace("if (sk) break;", "");
        assert_eq!(CSource::parse(&program).unbounded_loop(), Some(20));
    }

    #[test]
    fn other_loops_are_left_alone() {
        assert_eq!(unbounded("/* for (;;) x(); */\nchar *s = \"while (1);\";"), None);
        assert_eq!(unbounded("for (;;) {\n\tif (x)\n\t\tgoto out;\n}"), None);
        assert_eq!(unbounded("for (i = 0; i < 8; i++)\n\tx();"), None);
        assert_eq!(unbounded("do {\n\ti++;\n} while (i < 8);"), None);
        assert_eq!(unbounded("do { if (x) break; } while (1);"), None);
        assert_eq!(unbounded("while (1) { CHECK(x); }"), None);
        assert_eq!(unbounded("for (;;"), None);
        assert_eq!(CSource::parse(TEXT).unbounded_loop(), None);
    }

    #[test]
    fn a_read_may_depend_on_existence() {
        let read = |body: &str| CSource::parse(&format!("void f(void) {{\n{body}\n}}")).unconditional_read("rcv_wnd");
        assert_eq!(read("if (bpf_core_field_exists(tp->rcv_wnd))\n\tx = tp->rcv_wnd;"), Ok(None));
        assert_eq!(read("if (bpf_core_field_exists(struct tcp_sock, rcv_wnd)) { x = tp->rcv_wnd; }"), Ok(None));
        assert_eq!(read("z = bpf_core_field_exists(tp->rcv_wnd) && tp->rcv_wnd > 3 ? 1 : 2;"), Ok(None));
        assert_eq!(read("z = bpf_core_field_exists(tp->rcv_wnd) || tp->rcv_wnd > 3;"), Ok(Some(2)));
        assert_eq!(read("if (bpf_core_field_exists(tp->lost))\n\tx = tp->rcv_wnd;"), Ok(Some(3)));
        assert_eq!(read("if (bpf_core_field_exists(tp->rcv_wnd)) y = 1;\nelse\n\tx = tp->rcv_wnd;"), Ok(Some(4)));
        assert_eq!(read("x = BPF_CORE_READ(tp, rcv_wnd);"), Ok(Some(2)));
        assert_eq!(read("x = OURS(tp);"), Err(()));
    }
}
