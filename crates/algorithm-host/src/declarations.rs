//! What a program's source text says about itself: its summary and its parameters.
//!
//! The object file knows a parameter's place and size, but not whether it is signed, nor what it means.
//! That is read here, from `const volatile TYPE NAME = VALUE;` at file level and from comments of the
//! form `/* NAME: unit, meaning, source */`. No C is understood beyond that.

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
}

/// All parameter declarations in the order of the text.
pub fn parameters(source: &str) -> Vec<Declaration> {
    let (statements, comments) = split(source);
    let mut found: Vec<Declaration> = Vec::new();
    for statement in &statements {
        found.extend(declarations_in(statement));
    }
    for declaration in &mut found {
        let prefix = format!("{}:", declaration.name);
        declaration.comment =
            comments.iter().find_map(|comment| comment.strip_prefix(&prefix).map(|rest| rest.trim().to_owned()));
    }
    found
}

/// The sentence after `name:` on the first line of the file's first real comment.
pub fn summary(source: &str) -> Option<String> {
    let (_, comments) = split(source);
    let text = comments.iter().find(|comment| !comment.starts_with("SPDX"))?;
    let (name, rest) = text.lines().next()?.split_once(':')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c));
    is_name.then(|| rest.trim().to_owned())
}

/// The file's opening comment as plain text, for explanations.
pub fn header(source: &str) -> Option<String> {
    let (_, comments) = split(source);
    comments.into_iter().find(|comment| !comment.starts_with("SPDX"))
}

/// Is `function` written as `function(unsigned long long *ctx)`, the raw form of a BPF program?
pub fn takes_context(source: &str, function: &str) -> bool {
    source.match_indices(function).any(|(position, _)| {
        let starts_a_word = !source[..position].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let after = source[position + function.len()..].trim_start();
        let Some((arguments, _)) = after.strip_prefix('(').and_then(|text| text.split_once(')')) else { return false };
        starts_a_word && arguments.contains('*') && !arguments.contains(',') && !arguments.contains("struct")
    })
}

/// The first line from `first` on that has `float`, `double` or a number with a decimal point.
pub fn line_with_floats(source: &str, first: usize) -> Option<usize> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let is_float = |word: &str| {
        let has_point = word.contains('.') && word.chars().any(|c| c.is_ascii_digit());
        word == "float" || word == "double" || (has_point && word.starts_with(|c: char| c.is_ascii_digit() || c == '.'))
    };
    let mut lines = source.lines().enumerate().skip(first.saturating_sub(1));
    let found = lines.find(|(_, line)| {
        let code = line.split("/*").next().unwrap_or("").split("//").next().unwrap_or("");
        !code.trim_start().starts_with('*') && code.split(|c| !is_word(c)).any(is_float)
    });
    found.map(|(index, _)| index + 1)
}

/// Statements at file level (without comments, preprocessor lines and bodies), and the comments' texts.
fn split(source: &str) -> (Vec<String>, Vec<String>) {
    let mut statements = Vec::new();
    let mut comments = Vec::new();
    let mut statement = String::new();
    let mut depth = 0_u32;
    let mut rest = source;
    let mut line_start = true;
    while let Some(c) = rest.chars().next() {
        if let Some(body) = rest.strip_prefix("/*") {
            let end = body.find("*/").unwrap_or(body.len());
            comments.push(comment_text(&body[..end]));
            rest = body.get(end + 2..).unwrap_or("");
            statement.push(' ');
            continue;
        }
        if let Some(body) = rest.strip_prefix("//") {
            let end = body.find('\n').unwrap_or(body.len());
            comments.push(body[..end].trim().to_owned());
            rest = &body[end..];
            continue;
        }
        if line_start && c == '#' {
            rest = after_directive(rest);
            continue;
        }
        if c == '"' || c == '\'' {
            let length = literal_length(rest, c);
            statement.push('0');
            rest = &rest[length..];
            line_start = false;
            continue;
        }
        line_start = c == '\n' || (line_start && c.is_whitespace());
        rest = &rest[c.len_utf8()..];
        match c {
            '{' => depth += 1,
            '}' => {
                depth = depth.saturating_sub(1);
                // The end of a function body ends a statement; that of an initialiser comes before its `;`.
                if depth == 0 && !statement.contains('=') {
                    statement.clear();
                }
            }
            ';' if depth == 0 => statements.push(std::mem::take(&mut statement)),
            _ if depth == 0 => statement.push(c),
            _ => {}
        }
    }
    (statements, comments)
}

fn comment_text(body: &str) -> String {
    let lines = body.lines().map(|line| line.trim().trim_start_matches('*').trim_start_matches(' '));
    let text: Vec<&str> = lines.collect();
    text.join("\n").trim().to_owned()
}

fn after_directive(text: &str) -> &str {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        end += line.len();
        if !line.trim_end().ends_with('\\') {
            break;
        }
    }
    &text[end..]
}

fn literal_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (i, c) in text.char_indices().skip(1) {
        if c == quote && !escaped {
            return i + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

fn declarations_in(statement: &str) -> Vec<Declaration> {
    // Initialisers may contain anything; only what stands before each `=` is read.
    let mut found = Vec::new();
    let mut words_of_type: Option<Vec<String>> = None;
    for declarator in statement.split(',') {
        let declared = declarator.split('=').next().unwrap_or("");
        if declared.contains(['(', '[', '*']) {
            continue;
        }
        let mut words: Vec<String> = declared.split_whitespace().map(str::to_owned).collect();
        let Some(name) = words.pop() else { continue };
        let words = match &words_of_type {
            None if words.iter().any(|w| w == "const") && words.iter().any(|w| w == "volatile") => words,
            None => return found,
            Some(earlier) if words.is_empty() => earlier.clone(),
            Some(_) => continue,
        };
        let type_name: Vec<&str> = words
            .iter()
            .map(String::as_str)
            .filter(|w| !["const", "volatile", "static", "extern", "SEC"].contains(w))
            .collect();
        let boolean = type_name.iter().any(|w| *w == "bool" || *w == "_Bool");
        let unsigned = boolean
            || type_name
                .iter()
                .any(|w| *w == "unsigned" || *w == "size_t" || w.trim_start_matches('_').starts_with('u'));
        found.push(Declaration { name, type_name: type_name.join(" "), signed: !unsigned, boolean, comment: None });
        words_of_type = Some(words);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

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
const volatile unsigned long long big = 1ULL << 40;
"#;

    #[test]
    fn parameters_are_found_with_type_and_comment() {
        let all = parameters(TEXT);
        let names: Vec<&str> = all.iter().map(|d| d.name.as_str()).collect();
        assert_eq!(names, ["size", "step", "stride", "fast", "big"]);
        assert_eq!(all[0].comment.as_deref(), Some("packets, the window, my thumb"));
        assert_eq!((all[0].signed, all[1].signed, all[2].signed), (false, true, true));
        assert!(all[3].boolean);
        assert_eq!(all[4].type_name, "unsigned long long");
    }

    #[test]
    fn floating_point_is_seen_in_the_text() {
        let text = "x = 1; /* 0.5 */\ny.a = 2;\nz = x * 0.7;\nfloat f;\n";
        assert_eq!(line_with_floats(text, 1), Some(3));
        assert_eq!(line_with_floats(text, 4), Some(4));
        assert_eq!(line_with_floats(text, 5), None);
    }

    #[test]
    fn a_raw_program_takes_the_context() {
        assert!(takes_context("void raw (unsigned long long *ctx) {}", "raw"));
        assert!(!takes_context("void raw(struct sock *sk) {} void not_raw(__u64 *ctx) {}", "raw"));
        assert!(!takes_context("SEC(\"x\") void BPF_PROG(raw, struct sock *sk) {}", "raw"));
    }

    #[test]
    fn the_summary_is_the_first_line() {
        assert_eq!(summary(TEXT).as_deref(), Some("a window that stands still"));
        assert_eq!(summary("/* Copyright (c) somebody: them */"), None);
        assert_eq!(summary("int x;"), None);
    }
}
