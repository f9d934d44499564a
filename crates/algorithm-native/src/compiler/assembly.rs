//! Rejects code that the compiler does not check: inline assembly, and files that are pasted into the object.
//!
//! The preprocessed text is searched, so that no macro hides a word. Empty templates are allowed: `barrier()` and
//! `barrier_var()` use them. Raw strings are rejected, since compilers disagree on where they end. A program must have the
//! same meaning on other machines and in the kernel, which has no assembly of this processor; the sandbox does not depend
//! on this check.

use crate::error::LoadError;
use std::path::Path;

/// The first piece of hidden code in `preprocessed`, of which `path` is the program.
pub fn hidden_in(path: &Path, preprocessed: &str) -> Option<LoadError> {
    let mut words = Words { text: preprocessed.as_bytes(), at: 0 };
    while let Some(word) = words.next_word() {
        let start = words.at;
        let construct = match word {
            "asm" | "__asm" | "__asm__" if words.has_template() => "inline assembly",
            "section" | "__section__" if words.argument().is_some_and(|name| !is_symbol_name(&name)) => {
                "a section name that is more than a name"
            }
            word if NAMES_A_SYMBOL.contains(&word.trim_matches('_'))
                && words.argument().is_some_and(|name| !is_symbol_name(&name)) =>
            {
                "a symbol's name that is more than a name"
            }
            "R" | "LR" | "uR" | "UR" | "u8R" if words.text.get(words.at) == Some(&b'"') => "a raw string",
            _ => continue,
        };
        let construct = if construct == "inline assembly" && preprocessed.contains(".incbin") {
            "inline assembly with .incbin"
        } else {
            construct
        };
        return Some(LoadError::HiddenCode { location: place_of(path, preprocessed, start), construct });
    }
    None
}

/// Attributes whose text becomes part of the assembly, as `section`'s does.
const NAMES_A_SYMBOL: &[&str] = &["alias", "weakref", "ifunc", "symver", "target_clones", "target_version"];

fn is_symbol_name(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._/?$-+".contains(&byte))
}

/// `file:line` of an offset, from the line marks (`# 12 "file"`) before it.
fn place_of(path: &Path, text: &str, at: usize) -> String {
    let mut place = (path.display().to_string(), 1);
    for line in text[..at].split_inclusive('\n') {
        let mark = line.strip_prefix("# ").or_else(|| line.strip_prefix("#line "));
        let mark = mark.and_then(|rest| rest.split_once(' '));
        match mark.and_then(|(number, rest)| Some((number.parse::<usize>().ok()?, rest.split('"').nth(1)?))) {
            Some((number, file)) => place = (file.to_owned(), number),
            None if line.ends_with('\n') => place.1 += 1,
            None => {}
        }
    }
    format!("{}:{}", place.0, place.1)
}

/// Reads C text word by word, without strings, characters and line marks.
struct Words<'t> {
    text: &'t [u8],
    at: usize,
}

impl<'t> Words<'t> {
    /// The next identifier.
    fn next_word(&mut self) -> Option<&'t str> {
        loop {
            match *self.text.get(self.at)? {
                b'"' | b'\'' => {
                    self.literal();
                }
                b'#' if self.begins_line() => self.skip(|byte| byte != b'\n'),
                byte if is_word(byte) => {
                    let start = self.at;
                    self.skip(is_word);
                    return std::str::from_utf8(&self.text[start..self.at]).ok();
                }
                _ => self.at += 1,
            }
        }
    }

    /// Has the `asm` whose keyword was just read a template with anything in it?
    fn has_template(&mut self) -> bool {
        loop {
            self.skip_blank();
            match self.text.get(self.at) {
                Some(b'(') => break self.at += 1,
                Some(&byte) if is_word(byte) => self.skip(is_word), // volatile, inline, goto
                _ => return false,
            }
        }
        // Only plain empty strings are harmless: u8"nop" and ("nop") are templates as well.
        !self.strings().is_empty() || !matches!(self.text.get(self.at), Some(b':' | b')'))
    }

    /// The string that is the argument of an attribute whose name was just read; `None` if it is no string.
    fn argument(&mut self) -> Option<String> {
        self.skip_blank();
        if *self.text.get(self.at)? != b'(' {
            return None;
        }
        while self.text.get(self.at) == Some(&b'(') {
            self.at += 1;
            self.skip_blank();
        }
        let prefix = self.at;
        self.skip(is_word);
        if self.text.get(self.at) != Some(&b'"') {
            self.at = prefix;
            return None;
        }
        Some(self.strings())
    }

    /// Adjacent strings, joined.
    fn strings(&mut self) -> String {
        let mut joined = String::new();
        loop {
            self.skip_blank();
            match self.text.get(self.at) {
                Some(b'"') => joined.push_str(&self.literal()),
                _ => return joined,
            }
        }
    }

    /// Skips blanks and line marks, which may stand between any two words.
    fn skip_blank(&mut self) {
        loop {
            self.skip(|byte| byte.is_ascii_whitespace());
            if self.text.get(self.at) != Some(&b'#') || !self.begins_line() {
                return;
            }
            self.skip(|byte| byte != b'\n');
        }
    }

    fn begins_line(&self) -> bool {
        self.at == 0 || self.text[self.at - 1] == b'\n'
    }

    /// The contents of the string or character at the current position.
    fn literal(&mut self) -> String {
        let quote = self.text[self.at];
        let start = self.at + 1;
        self.at = start;
        while self.text.get(self.at).is_some_and(|&byte| byte != quote && byte != b'\n') {
            self.at += if self.text[self.at] == b'\\' { 2 } else { 1 };
        }
        let end = self.at.min(self.text.len());
        self.at = (self.at + 1).min(self.text.len());
        String::from_utf8_lossy(&self.text[start..end]).into_owned()
    }

    fn skip(&mut self, belongs: impl Fn(u8) -> bool) {
        while self.text.get(self.at).is_some_and(|&byte| belongs(byte)) {
            self.at += 1;
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<String> {
        hidden_in(Path::new("x.c"), &format!("# 1 \"x.c\"\n{text}")).map(|error| error.to_string())
    }

    #[test]
    fn assembly_is_found_with_its_line() {
        let message = found("int a;\n\nvoid f(void) { __asm__ volatile (\"rd\" \"tsc\"); }").expect("is found");
        assert!(message.starts_with("x.c:3: inline assembly,"), "{message}");
        assert!(found("int x asm(\"y\");").is_some());
        assert!(found("asm(\".incbin \\\"/etc/passwd\\\"\");").expect("is found").contains(".incbin"));
        for hidden in [
            "asm\n# 1 \"empty.h\" 1\n# 3 \"x.c\" 2\n(\"nop\");",
            "asm(\"\"\n# 1 \"empty.h\" 1\n# 3 \"x.c\" 2\n\"nop\");",
            "asm(u8\"nop\");",
            "asm((\"nop\"));",
            "asm(\"\" u8\"nop\");",
        ] {
            assert!(found(hidden).is_some_and(|found| found.contains("inline assembly")), "{hidden}");
        }
        assert!(found("asm goto inline (\"jmp %l0\" : : : : out);").is_some());
    }

    #[test]
    fn empty_templates_and_other_words_are_left_alone() {
        assert_eq!(found("__asm__ volatile(\"\" ::: \"memory\"); __asm__ volatile(\"\" : \"+r\"(x));"), None);
        assert_eq!(found("char *s = \"asm(\\\"nop\\\")\"; int asm_count; char c = '\\'';"), None);
        assert_eq!(found("__attribute__((section(\"struct_ops/x\"), used)) int f(void);"), None);
        assert_eq!(found("__attribute__((section(\"?.struct_ops\" \".link\"))) int x;"), None);
    }

    #[test]
    fn a_section_name_with_more_in_it_is_found() {
        let message = found("__attribute__((section(\".x\\n.incbin\"))) int x;").expect("is found");
        assert!(message.contains("section name"), "{message}");
        for hidden in [
            "__attribute__((section((\".x\\n.incbin\")))) int x;",
            "__attribute__((section\n# 1 \"empty.h\" 1\n(\".x\" \"\\n.incbin\"))) int x;",
            "__attribute__((section(u8\".x\\n.incbin\"))) int x;",
            "[[gnu::section(\".x;nop\")]] int x;",
            "static int f(void) __attribute__((__weakref__(\"x\\n.incbin\")));",
            "int f(void) __attribute__((alias(\"x\\nnop\")));",
        ] {
            assert!(found(hidden).is_some_and(|found| found.contains("more than a name")), "{hidden}");
        }
        assert_eq!(found("int section(int x); int alias = section(5); int target(void);"), None);
    }

    #[test]
    fn raw_strings_are_found() {
        for raw in ["R\"x(\")x\"", "LR\"(\")\"", "u8R\"(\")\""] {
            let hidden = format!("char *a = {raw}; asm(\"nop\"); char *b = {raw};");
            assert!(found(&hidden).is_some_and(|found| found.contains("a raw string")), "{hidden}");
        }
        assert_eq!(found("int R; char *s = \"R\" \"x\"; int x = sizeof R;"), None);
    }
}
