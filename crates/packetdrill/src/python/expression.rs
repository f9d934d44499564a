//! Expressions, evaluated while they are parsed.
//!
//! Both sides of `and` and `or` are evaluated, and both branches of `x if c else y`: expressions have no side effects,
//! and an unknown name is always an error.

use super::tokens::Token;
use super::value::{check_size, CodeError, Value, Variables};
use crate::limits;
use std::cmp::Ordering;

pub(super) struct Reader<'a> {
    pub tokens: &'a [Token],
    pub at: usize,
    pub variables: &'a Variables,
    depth: usize,
}

/// Binary operators by precedence, lowest first.
const BINARY: [&[&str]; 6] = [&["|"], &["^"], &["&"], &["<<", ">>"], &["+", "-"], &["*", "//", "/", "%"]];

impl<'a> Reader<'a> {
    pub fn new(tokens: &'a [Token], at: usize, variables: &'a Variables) -> Self {
        Self { tokens, at, variables, depth: 0 }
    }

    /// Parses a recursive part of an expression, within the depth limit.
    fn inside(&mut self, read: impl FnOnce(&mut Self) -> Result<Value, CodeError>) -> Result<Value, CodeError> {
        if self.depth == limits::DEPTH {
            return Err(CodeError::raised("RecursionError", format!("nested more than {} deep", limits::DEPTH)));
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value?.within_limits()
    }

    /// `a, b` is a sequence.
    pub fn expressions(&mut self) -> Result<Value, CodeError> {
        let first = self.expression()?;
        if !self.takes(",") {
            return Ok(first);
        }
        let mut size = first.size();
        let mut values = vec![first];
        while !matches!(self.tokens.get(self.at), Some(Token::End | Token::Sign(")")) | None) {
            let value = self.expression()?;
            size += value.size();
            values.push(value);
            check_size(size)?;
            if !self.takes(",") {
                break;
            }
        }
        Ok(Value::Sequence(values))
    }

    pub fn expression(&mut self) -> Result<Value, CodeError> {
        self.inside(Self::conditional)
    }

    fn conditional(&mut self) -> Result<Value, CodeError> {
        let value = self.disjunction()?;
        if !self.takes_name("if") {
            return Ok(value);
        }
        let condition = self.disjunction()?;
        if !self.takes_name("else") {
            return Err(CodeError::syntax("expected 'else' after 'if' expression"));
        }
        let otherwise = self.expression()?;
        Ok(if condition.is_true() { value } else { otherwise })
    }

    fn disjunction(&mut self) -> Result<Value, CodeError> {
        let mut value = self.conjunction()?;
        while self.takes_name("or") {
            let next = self.conjunction()?;
            value = if value.is_true() { value } else { next };
        }
        Ok(value)
    }

    fn conjunction(&mut self) -> Result<Value, CodeError> {
        let mut value = self.negation()?;
        while self.takes_name("and") {
            let next = self.negation()?;
            value = if value.is_true() { next } else { value };
        }
        Ok(value)
    }

    fn negation(&mut self) -> Result<Value, CodeError> {
        if self.takes_name("not") {
            return Ok(Value::Bool(!self.inside(Self::negation)?.is_true()));
        }
        self.comparison()
    }

    /// Comparisons chain: `a < b <= c`.
    fn comparison(&mut self) -> Result<Value, CodeError> {
        let mut left = self.binary(0)?;
        let mut holds = None;
        while let Some(operator) = self.comparison_operator() {
            let right = self.binary(0)?;
            let outcome = compare(operator, &left, &right)?;
            holds = Some(holds.unwrap_or(true) && outcome);
            left = right;
        }
        Ok(holds.map_or(left, Value::Bool))
    }

    fn comparison_operator(&mut self) -> Option<&'static str> {
        for operator in ["==", "!=", "<=", ">=", "<", ">"] {
            if self.takes(operator) {
                return Some(operator);
            }
        }
        if self.takes_name("in") {
            return Some("in");
        }
        let negated_in = matches!(self.tokens.get(self.at), Some(Token::Name(name)) if name == "not")
            && matches!(self.tokens.get(self.at + 1), Some(Token::Name(name)) if name == "in");
        if negated_in {
            self.at += 2;
            return Some("not in");
        }
        None
    }

    fn binary(&mut self, level: usize) -> Result<Value, CodeError> {
        let Some(operators) = BINARY.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.takes(operator)) {
            let right = self.binary(level + 1)?;
            left = calculate(operator, &left, &right)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Value, CodeError> {
        if self.takes("-") {
            let value = self.inside(Self::unary)?;
            return calculate("-", &Value::Integer(0), &value);
        }
        if self.takes("+") {
            return self.inside(Self::unary);
        }
        if self.takes("~") {
            let value = self.inside(Self::unary)?.integer();
            return value.map(|value| Value::Integer(!value)).ok_or_else(|| operands("~"));
        }
        let base = self.atom()?;
        if self.takes("**") {
            let exponent = self.inside(Self::unary)?;
            return calculate("**", &base, &exponent);
        }
        Ok(base)
    }

    fn atom(&mut self) -> Result<Value, CodeError> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        match token {
            Some(Token::Integer(value)) => Ok(Value::Integer(value)),
            Some(Token::Float(value)) => Ok(Value::Float(value)),
            Some(Token::Text(text)) => Ok(Value::Text(text)),
            Some(Token::Sign("(")) => {
                let value = if self.sees(")") { Value::Sequence(Vec::new()) } else { self.expressions()? };
                self.closes(")")?;
                Ok(value)
            }
            Some(Token::Sign("[")) => Ok(Value::Sequence(self.arguments("]")?)),
            Some(Token::Name(name)) if self.takes("(") => {
                let arguments = self.arguments(")")?;
                call(&name, &arguments)
            }
            Some(Token::Name(name)) => match name.as_str() {
                "True" => Ok(Value::Bool(true)),
                "False" => Ok(Value::Bool(false)),
                "None" => Ok(Value::None),
                _ => self.variables.get(&name).cloned().ok_or(CodeError::UnknownName(name)),
            },
            _ => Err(CodeError::syntax("an expression is missing")),
        }
    }

    pub fn arguments(&mut self, end: &'static str) -> Result<Vec<Value>, CodeError> {
        let mut values = Vec::new();
        let mut size = 0;
        while !self.takes(end) {
            let value = self.expression()?;
            size += value.size();
            values.push(value);
            check_size(size)?;
            if !self.takes(",") {
                self.closes(end)?;
                break;
            }
        }
        Ok(values)
    }

    fn closes(&mut self, sign: &'static str) -> Result<(), CodeError> {
        if self.takes(sign) {
            Ok(())
        } else {
            Err(CodeError::syntax(format!("expected '{sign}'")))
        }
    }

    pub fn takes(&mut self, sign: &str) -> bool {
        let comes = self.sees(sign);
        self.at += usize::from(comes);
        comes
    }

    fn sees(&self, sign: &str) -> bool {
        matches!(self.tokens.get(self.at), Some(Token::Sign(next)) if *next == sign)
    }

    pub fn takes_name(&mut self, name: &str) -> bool {
        let comes = matches!(self.tokens.get(self.at), Some(Token::Name(next)) if next == name);
        self.at += usize::from(comes);
        comes
    }
}

fn compare(operator: &str, left: &Value, right: &Value) -> Result<bool, CodeError> {
    if operator.ends_with("in") {
        let Value::Sequence(values) = right else { return Err(operands("in")) };
        return Ok(values.iter().any(|value| value.equals(left)) == (operator == "in"));
    }
    if operator == "==" || operator == "!=" {
        return Ok(left.equals(right) == (operator == "=="));
    }
    let order = left.compare(right).ok_or_else(|| operands(operator))?;
    Ok(match operator {
        "<" => order == Ordering::Less,
        "<=" => order != Ordering::Greater,
        ">" => order == Ordering::Greater,
        _ => order != Ordering::Less,
    })
}

/// One operation on two values.
pub(super) fn calculate(operator: &str, left: &Value, right: &Value) -> Result<Value, CodeError> {
    let overflow = || CodeError::raised("OverflowError", "the numbers are too large");
    if let (Value::Text(template), "%") = (left, operator) {
        return Value::format(template, right);
    }
    if let (Value::Text(a), Value::Text(b), "+") = (left, right, operator) {
        check_size(a.len() + b.len())?;
        return Ok(Value::Text(format!("{a}{b}")));
    }
    let (Some(a), Some(b)) = (left.float(), right.float()) else { return Err(operands(operator)) };
    if b == 0.0 && matches!(operator, "/" | "//" | "%") {
        return Err(CodeError::raised("ZeroDivisionError", "division by zero"));
    }
    if let (Some(a), Some(b)) = (left.integer(), right.integer()) {
        let small = u32::try_from(b);
        let whole = match operator {
            "+" => a.checked_add(b),
            "-" => a.checked_sub(b),
            "*" => a.checked_mul(b),
            "//" => floored(a, b),
            "%" => floored(a, b).and_then(|quotient| a.checked_sub(b.checked_mul(quotient)?)),
            "**" => small.ok().and_then(|b| a.checked_pow(b)),
            "|" => Some(a | b),
            "&" => Some(a & b),
            "^" => Some(a ^ b),
            "<<" => small.ok().and_then(|b| a.checked_shl(b)),
            ">>" => small.ok().and_then(|b| a.checked_shr(b)),
            _ => return Ok(Value::Float(a as f64 / b as f64)),
        };
        return whole.map(Value::Integer).ok_or_else(overflow);
    }
    Ok(Value::Float(match operator {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" => a / b,
        "//" => (a / b).floor(),
        "%" => a - b * (a / b).floor(),
        "**" => a.powf(b),
        _ => return Err(operands(operator)),
    }))
}

/// The quotient, rounded down.
fn floored(a: i128, b: i128) -> Option<i128> {
    let (quotient, rest) = (a.checked_div(b)?, a.checked_rem(b)?);
    Some(quotient - i128::from(rest != 0 && (rest < 0) != (b < 0)))
}

/// The functions that assertions use.
fn call(name: &str, arguments: &[Value]) -> Result<Value, CodeError> {
    let wrong = || CodeError::raised("TypeError", format!("{name}() got arguments that it cannot take"));
    let items = match arguments {
        [Value::Sequence(values)] => values.as_slice(),
        other => other,
    };
    let best = |wanted: Ordering| {
        let mut best = items.first().ok_or_else(wrong)?;
        for item in items {
            if item.compare(best).ok_or_else(wrong)? == wanted {
                best = item;
            }
        }
        Ok(best.clone())
    };
    match (name, arguments) {
        ("min", _) => best(Ordering::Less),
        ("max", _) => best(Ordering::Greater),
        ("abs", [Value::Float(value)]) => Ok(Value::Float(value.abs())),
        ("abs", [value]) => value.integer().and_then(i128::checked_abs).map(Value::Integer).ok_or_else(wrong),
        ("int", [value]) => value.float().map(|value| Value::Integer(value as i128)).ok_or_else(wrong),
        ("float", [value]) => value.float().map(Value::Float).ok_or_else(wrong),
        ("round", [value]) => {
            value.float().map(|value| Value::Integer(value.round_ties_even() as i128)).ok_or_else(wrong)
        }
        ("str", [value]) => Ok(Value::Text(value.to_string())),
        ("bool", [value]) => Ok(Value::Bool(value.is_true())),
        ("len", [Value::Text(text)]) => Ok(Value::Integer(text.len() as i128)),
        ("len", [Value::Sequence(values)]) => Ok(Value::Integer(values.len() as i128)),
        _ => Err(CodeError::Unsupported(format!("Python function {name}"))),
    }
}

fn operands(operator: &str) -> CodeError {
    CodeError::raised("TypeError", format!("unsupported operand types for {operator}"))
}
