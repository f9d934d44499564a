//! Statements: `assert`, `print`, assignments, and `pass`.

use super::expression::{calculate, Reader};
use super::tokens::{tokens, Token};
use super::value::{CodeError, Variables};
use crate::limits;

/// Keywords of unsupported statements.
const MISSING: &[&str] = &[
    "import", "from", "def", "class", "for", "while", "if", "else", "elif", "try", "with", "return", "lambda",
    "global", "del",
];
const ASSIGNMENTS: &[&str] = &["=", "+=", "-=", "*=", "/=", "//=", "%=", "|=", "&=", "<<=", ">>=", "**="];

/// Runs code; printed lines are appended to `printed`.
pub fn run(code: &str, variables: &mut Variables, printed: &mut Vec<String>) -> Result<(), CodeError> {
    let tokens = tokens(code)?;
    for statement in tokens.split(|token| *token == Token::End).filter(|statement| !statement.is_empty()) {
        let statement = [statement, &[Token::End]].concat();
        run_statement(&statement, variables, printed)?;
    }
    Ok(())
}

fn run_statement(statement: &[Token], variables: &mut Variables, printed: &mut Vec<String>) -> Result<(), CodeError> {
    if let Token::Name(word) = &statement[0] {
        if MISSING.contains(&word.as_str()) {
            return Err(CodeError::Unsupported(format!("Python statement {word}")));
        }
        if let Token::Sign(sign) = statement[1] {
            if ASSIGNMENTS.contains(&sign) {
                return assign(word, sign, statement, variables);
            }
        }
    }
    let mut reader = Reader::new(statement, 0, variables);
    if reader.takes_name("pass") {
        // Nothing to do.
    } else if reader.takes_name("assert") {
        let holds = reader.expression()?.is_true();
        let message = if reader.takes(",") { Some(reader.expression()?) } else { None };
        if !holds {
            return Err(CodeError::raised(
                "AssertionError",
                message.map(|value| value.to_string()).unwrap_or_default(),
            ));
        }
    } else if reader.takes_name("print") {
        let values = if reader.takes("(") { reader.arguments(")")? } else { vec![reader.expressions()?] };
        let line = values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        if printed.iter().map(|line| line.len() + 1).sum::<usize>() + line.len() > limits::PRINTED_BYTES {
            return Err(CodeError::raised("MemoryError", "the code prints too much"));
        }
        printed.push(line);
    } else {
        reader.expressions()?;
    }
    if reader.tokens[reader.at] != Token::End {
        return Err(CodeError::syntax("invalid syntax"));
    }
    Ok(())
}

fn assign(name: &str, sign: &str, statement: &[Token], variables: &mut Variables) -> Result<(), CodeError> {
    let mut reader = Reader::new(statement, 2, variables);
    let mut value = reader.expressions()?;
    if reader.tokens[reader.at] != Token::End {
        return Err(CodeError::syntax("invalid syntax"));
    }
    if let Some(operator) = sign.strip_suffix('=').filter(|operator| !operator.is_empty()) {
        let old = variables.get(name).ok_or_else(|| CodeError::UnknownName(name.to_owned()))?;
        value = calculate(operator, old, &value)?;
    }
    if variables.len() >= limits::VARIABLES && !variables.contains_key(name) {
        return Err(CodeError::raised("MemoryError", format!("more than {} variables", limits::VARIABLES)));
    }
    variables.insert(name.to_owned(), value.within_limits()?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::python::Value;

    fn outcome(code: &str) -> Result<Vec<String>, CodeError> {
        let mut variables = Variables::new();
        variables.insert("cwnd".into(), Value::Integer(10));
        let mut printed = Vec::new();
        run(code, &mut variables, &mut printed).map(|()| printed)
    }

    #[test]
    fn assertions_pass_or_explain_the_failure() {
        assert_eq!(outcome("assert cwnd == 10, cwnd"), Ok(vec![]));
        assert_eq!(
            outcome("\nassert 5 < cwnd <= 10\nassert cwnd in (9, 10); assert not cwnd == 3 # note\n"),
            Ok(vec![])
        );
        assert_eq!(outcome("assert cwnd == 11, 'cwnd=%d' % cwnd"), Err(CodeError::raised("AssertionError", "cwnd=10")));
        assert_eq!(outcome("assert nothing"), Err(CodeError::UnknownName("nothing".into())));
    }

    #[test]
    fn numbers_follow_pythons_rules() {
        let all = "assert 7 // 2 == 3 and -7 // 2 == -4 and -7 % 3 == 2 and 7 / 2 == 3.5 and 2 ** 3 == 8\n\
                   assert 0x7f & 0xf == 15 and (1 << 4 | 1) == 17 and max(1, 5, 3) == 5 and abs(-2) == 2";
        assert_eq!(outcome(all), Ok(vec![]));
    }

    #[test]
    fn assignments_and_prints() {
        assert_eq!(
            outcome("w = cwnd; w += 2; print(w); print('%d %s' % (w, 'x'), w); print(1, 2)"),
            Ok(vec!["12".into(), "12 x 12".into(), "1 2".into()])
        );
    }

    #[test]
    fn unsupported_python_is_named() {
        assert_eq!(outcome("import socket"), Err(CodeError::Unsupported("Python statement import".into())));
    }
}
