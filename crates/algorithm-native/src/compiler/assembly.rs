//! Rejects code that the compiler does not check: inline assembly, and files that are pasted into the object.
//!
//! The preprocessed text is searched, so that no macro hides a word. Empty templates are allowed: `barrier()` and
//! `barrier_var()` use them. A program must have the same meaning on other machines and in the kernel, which has no
//! assembly of this processor; the sandbox does not depend on this check.

use crate::error::LoadError;
use std::path::Path;

/// The first piece of hidden code in `preprocessed`, of which `path` is the program.
pub fn hidden_in(path: &Path, preprocessed: &str) -> Option<LoadError> {
    let mut words = Words { text: preprocessed.as_bytes(), at: 0 };
    while let Some(word) = words.next_word() {
        let start = words.at;
        let construct = match word {
            "asm" | "__asm" | "__asm__" if words.template().is_some_and(|text| !text.is_empty()) => "inline assembly",
            "section" | "__section__" if words.section_name().is_some_and(|name| !is_section_name(&name)) => {
                "a section name that is more than a name"
            }
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

fn is_section_name(name: &str) -> bool {
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
                b'#' if self.at == 0 || self.text[self.at - 1] == b'\n' => self.skip(|byte| byte != b'\n'),
                byte if is_word(byte) => {
                    let start = self.at;
                    self.skip(is_word);
                    return std::str::from_utf8(&self.text[start..self.at]).ok();
                }
                _ => self.at += 1,
            }
        }
    }

    /// The template of an `asm` whose keyword was just read, its strings joined; `None` if there is none.
    fn template(&mut self) -> Option<String> {
        loop {
            self.skip(|byte| byte.is_ascii_whitespace());
            match *self.text.get(self.at)? {
                b'(' => break self.at += 1,
                byte if is_word(byte) => self.skip(is_word), // volatile, inline, goto
                _ => return None,
            }
        }
        Some(self.strings())
    }

    /// The argument of a `section` that was just read.
    fn section_name(&mut self) -> Option<String> {
        self.skip(|byte| byte.is_ascii_whitespace());
        if *self.text.get(self.at)? != b'(' {
            return None;
        }
        self.at += 1;
        Some(self.strings())
    }

    /// Adjacent strings, joined.
    fn strings(&mut self) -> String {
        let mut joined = String::new();
        loop {
            self.skip(|byte| byte.is_ascii_whitespace());
            match self.text.get(self.at) {
                Some(b'"') => joined.push_str(&self.literal()),
                _ => return joined,
            }
        }
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
    }
}
