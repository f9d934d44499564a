//! Finds loops without an end in C text, which a kernel's verifier would refuse.
//!
//! Only the certain cases: `for (;;)`, `while (1)`, `do ... while (true)` and their like, whose body has no way out that
//! can be seen, and calls no macro that may hide one. The guard finds the others when they happen.

/// The line of the first loop that cannot end.
pub fn endless(source: &str) -> Option<usize> {
    let text = without_comments_and_literals(source);
    let mut starts = words(&text).filter(|&(at, word)| {
        let rest = &text[at + word.len()..];
        match word {
            "for" => parentheses(rest).is_some_and(|(inside, body)| {
                let compact: String = inside.chars().filter(|c| !c.is_whitespace()).collect();
                compact.starts_with(";;") && !has_way_out(statement(body))
            }),
            "while" => parentheses(rest).is_some_and(|(inside, body)| {
                let after_do = text[..at].trim_end().ends_with('}') && body.trim_start().starts_with(';');
                is_true(inside) && !after_do && !has_way_out(statement(body))
            }),
            "do" => {
                let body = statement(rest);
                let end = rest[rest.len() - rest.trim_start().len() + body.len()..].trim_start();
                let condition = end.strip_prefix("while").and_then(parentheses);
                condition.is_some_and(|(inside, _)| is_true(inside)) && !has_way_out(body)
            }
            _ => false,
        }
    });
    let (at, _) = starts.next()?;
    Some(1 + text[..at].matches('\n').count())
}

fn is_true(condition: &str) -> bool {
    matches!(condition.trim(), "1" | "true" | "1U")
}

/// Something in a body that ends its loop, or might: a name in capitals may be a macro with a `break` in it.
fn has_way_out(body: &str) -> bool {
    words(body).any(|(_, word)| {
        matches!(word, "break" | "return" | "goto" | "asm")
            || (word.chars().any(|c| c.is_ascii_uppercase()) && !word.chars().any(|c| c.is_ascii_lowercase()))
    })
}

/// Identifiers and numbers with their places.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let starts = text.char_indices().filter(move |&(at, c)| is_part(c) && !text[..at].ends_with(is_part));
    starts.map(move |(at, _)| (at, &text[at..at + text[at..].find(|c| !is_part(c)).unwrap_or(text.len() - at)]))
}

/// What stands in the parentheses that follow, and the text after them.
fn parentheses(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = closing(text, '(', ')')?;
    Some((&text[1..end], &text[end + 1..]))
}

/// The block or the statement that follows.
fn statement(text: &str) -> &str {
    let text = text.trim_start();
    match closing(text, '{', '}') {
        Some(end) => &text[..=end],
        None => &text[..text.find(';').map_or(text.len(), |end| end + 1)],
    }
}

/// Where the bracket that the text begins with is closed.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    if !text.starts_with(open) {
        return None;
    }
    let mut depth = 0_i32;
    for (at, c) in text.char_indices() {
        depth += i32::from(c == open) - i32::from(c == close);
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The text with blanks in their place, so that lines stay where they are.
fn without_comments_and_literals(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '/' if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '"' | '\'' => literal_length(rest, c),
            _ => {
                text.push(c);
                rest = &rest[c.len_utf8()..];
                continue;
            }
        };
        text.extend(rest[..length].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        rest = &rest[length..];
    }
    text
}

fn literal_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::endless;

    #[test]
    fn certain_loops_are_found_with_their_line() {
        assert_eq!(endless("int i;\nwhile (1) {\n\ti++;\n}"), Some(2));
        assert_eq!(endless("do {\n\ti++;\n} while (true);"), Some(1));
        assert_eq!(endless("for (;; i++)\n\tx();"), Some(1));
        assert_eq!(endless("f();\nfor ( ; ; ) { g(); }"), Some(2));
    }

    #[test]
    fn others_are_left_alone() {
        assert_eq!(endless("/* for (;;) x(); */\nchar *s = \"while (1);\";"), None);
        assert_eq!(endless("for (;;) {\n\tif (x)\n\t\tgoto out;\n}"), None);
        assert_eq!(endless("for (i = 0; i < 8; i++)\n\tx();"), None);
        assert_eq!(endless("do {\n\ti++;\n} while (i < 8);"), None);
        assert_eq!(endless("do { if (x) break; } while (1);"), None);
        assert_eq!(endless("while (1) { CHECK(x); }"), None);
        assert_eq!(endless("for (;;"), None);
    }
}
