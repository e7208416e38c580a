//! From tokens to expressions, with the precedence that Jinja2 has.

use std::sync::Arc;

use super::lex::Kind;
use super::parse::Parser;
use super::tree::{Argument, Arithmetic, Comparison, Expr, ExprKind, Filter};
use super::{filters, tests};
use prompty_core::jinja::SyntaxError;

/// How many expressions may lie in each other.
const MAX_DEPTH: u16 = 200;
/// How many arguments a call, and parameters a macro, may have.
pub(super) const MAX_ARGUMENTS: usize = 255;
/// How many brackets may be open at once.
const MAX_BRACKETS: usize = 40;

impl<'s> Parser<'s, '_> {
    /// Notes an open bracket.
    pub(super) fn open(&mut self) -> Result<(), SyntaxError> {
        self.brackets += 1;
        if self.brackets > MAX_BRACKETS {
            return self.fail("brackets are nested too deep");
        }
        self.advance();
        Ok(())
    }

    /// An expression of a kind, and how deep it is.
    fn make(&self, kind: ExprKind, at: u32) -> Result<Expr, SyntaxError> {
        let depth = 1 + deepest(&kind);
        if depth > MAX_DEPTH {
            return self.fail("this expression is too long; split it with `{% set %}`");
        }
        Ok(Expr { kind, at, depth })
    }

    /// One expression, or several with commas between them, which make a tuple.
    pub(super) fn tuple(&mut self, has_condition: bool) -> Result<Expr, SyntaxError> {
        let at = self.at();
        let first = self.part(has_condition)?;
        if !self.is_operator(",") {
            return Ok(first);
        }
        let mut items = vec![first];
        while self.take_operator(",") {
            if matches!(self.kind(), Kind::VariableEnd | Kind::BlockEnd) || self.is_operator(")") {
                break;
            }
            items.push(self.part(has_condition)?);
        }
        self.make(ExprKind::Tuple(items), at)
    }

    fn part(&mut self, has_condition: bool) -> Result<Expr, SyntaxError> {
        if has_condition { self.expression() } else { self.or() }
    }

    /// Any expression without a comma.
    pub(super) fn expression(&mut self) -> Result<Expr, SyntaxError> {
        let mut value = self.or()?;
        while self.is_word("if") {
            let at = self.at();
            self.advance();
            let condition = Box::new(self.or()?);
            let otherwise = if self.is_word("else") {
                self.open()?;
                let otherwise = self.expression()?;
                self.brackets -= 1;
                Some(Box::new(otherwise))
            } else {
                None
            };
            let kind = ExprKind::Conditional { condition, value: Box::new(value), otherwise };
            value = self.make(kind, at)?;
        }
        Ok(value)
    }

    fn or(&mut self) -> Result<Expr, SyntaxError> {
        let mut left = self.and()?;
        while self.is_word("or") {
            let at = self.at();
            self.advance();
            let right = self.and()?;
            left = self.make(ExprKind::Or(Box::new(left), Box::new(right)), at)?;
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Expr, SyntaxError> {
        let mut left = self.not()?;
        while self.is_word("and") {
            let at = self.at();
            self.advance();
            let right = self.not()?;
            left = self.make(ExprKind::And(Box::new(left), Box::new(right)), at)?;
        }
        Ok(left)
    }

    fn not(&mut self) -> Result<Expr, SyntaxError> {
        if !self.is_word("not") {
            return self.comparison();
        }
        let at = self.at();
        self.open()?;
        let value = self.not()?;
        self.brackets -= 1;
        self.make(ExprKind::Not(Box::new(value)), at)
    }

    fn comparison(&mut self) -> Result<Expr, SyntaxError> {
        let at = self.at();
        let first = self.sum()?;
        let mut rest = Vec::new();
        loop {
            let comparison = match self.kind() {
                Kind::Operator("==") => Comparison::Equal,
                Kind::Operator("!=") => Comparison::NotEqual,
                Kind::Operator("<") => Comparison::Less,
                Kind::Operator("<=") => Comparison::LessOrEqual,
                Kind::Operator(">") => Comparison::Greater,
                Kind::Operator(">=") => Comparison::GreaterOrEqual,
                Kind::Name("in") => Comparison::In,
                Kind::Name("not") if *self.kind_after() == Kind::Name("in") => {
                    self.advance();
                    Comparison::NotIn
                }
                _ => break,
            };
            self.advance();
            rest.push((comparison, self.sum()?));
        }
        if rest.is_empty() {
            return Ok(first);
        }
        self.make(ExprKind::Compare(Box::new(first), rest), at)
    }

    fn sum(&mut self) -> Result<Expr, SyntaxError> {
        let mut left = self.concatenation()?;
        loop {
            let operator = match self.kind() {
                Kind::Operator("+") => Arithmetic::Add,
                Kind::Operator("-") => Arithmetic::Subtract,
                _ => return Ok(left),
            };
            let at = self.at();
            self.advance();
            let right = self.concatenation()?;
            let kind = ExprKind::Arithmetic(operator, Box::new(left), Box::new(right));
            left = self.make(kind, at)?;
        }
    }

    fn concatenation(&mut self) -> Result<Expr, SyntaxError> {
        let at = self.at();
        let first = self.product()?;
        if !self.is_operator("~") {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.take_operator("~") {
            parts.push(self.product()?);
        }
        self.make(ExprKind::Concatenate(parts), at)
    }

    fn product(&mut self) -> Result<Expr, SyntaxError> {
        let mut left = self.power()?;
        loop {
            let operator = match self.kind() {
                Kind::Operator("*") => Arithmetic::Multiply,
                Kind::Operator("/") => Arithmetic::Divide,
                Kind::Operator("//") => Arithmetic::FloorDivide,
                Kind::Operator("%") => Arithmetic::Remainder,
                _ => return Ok(left),
            };
            let at = self.at();
            self.advance();
            let right = self.power()?;
            let kind = ExprKind::Arithmetic(operator, Box::new(left), Box::new(right));
            left = self.make(kind, at)?;
        }
    }

    fn power(&mut self) -> Result<Expr, SyntaxError> {
        let mut left = self.unary(true)?;
        while self.is_operator("**") {
            let at = self.at();
            self.advance();
            let right = self.unary(true)?;
            let kind = ExprKind::Arithmetic(Arithmetic::Power, Box::new(left), Box::new(right));
            left = self.make(kind, at)?;
        }
        Ok(left)
    }

    /// A sign binds closer than a filter: `-5 | abs` is 5.
    fn unary(&mut self, has_filters: bool) -> Result<Expr, SyntaxError> {
        let at = self.at();
        let value = if self.is_operator("-") || self.is_operator("+") {
            let is_minus = self.is_operator("-");
            self.open()?;
            let value = Box::new(self.unary(false)?);
            self.brackets -= 1;
            self.make(if is_minus { ExprKind::Minus(value) } else { ExprKind::Plus(value) }, at)?
        } else {
            self.primary()?
        };
        let value = self.postfix(value)?;
        if has_filters { self.filtered(value) } else { Ok(value) }
    }

    fn primary(&mut self) -> Result<Expr, SyntaxError> {
        let at = self.at();
        let kind = match self.kind() {
            Kind::Name(name) => match *name {
                "true" | "True" => ExprKind::Bool(true),
                "false" | "False" => ExprKind::Bool(false),
                "none" | "None" => ExprKind::None,
                name => ExprKind::Name(self.names.id(name)),
            },
            Kind::Integer(number) => ExprKind::Integer(*number),
            Kind::Float(number) => ExprKind::Float(*number),
            Kind::String(text) => {
                let mut text = text.clone();
                self.advance();
                while let Kind::String(more) = self.kind() {
                    text.push_str(more);
                    self.advance();
                }
                return self.make(ExprKind::String(text.into()), at);
            }
            Kind::Operator("(") => return self.parentheses(),
            Kind::Operator("[") => {
                self.open()?;
                let mut items = Vec::new();
                while !self.is_operator("]") {
                    if !items.is_empty() {
                        self.expect(",")?;
                        if self.is_operator("]") {
                            break;
                        }
                    }
                    items.push(self.expression()?);
                }
                self.brackets -= 1;
                ExprKind::List(items)
            }
            Kind::Operator("{") => {
                self.open()?;
                let mut entries = Vec::new();
                while !self.is_operator("}") {
                    if !entries.is_empty() {
                        self.expect(",")?;
                        if self.is_operator("}") {
                            break;
                        }
                    }
                    let key = self.expression()?;
                    self.expect(":")?;
                    entries.push((key, self.expression()?));
                }
                self.brackets -= 1;
                ExprKind::Dict(entries)
            }
            _ => return self.unexpected("a value"),
        };
        self.advance();
        self.make(kind, at)
    }

    fn parentheses(&mut self) -> Result<Expr, SyntaxError> {
        let at = self.at();
        self.open()?;
        let value = match self.is_operator(")") {
            true => self.make(ExprKind::Tuple(Vec::new()), at)?,
            false => self.tuple(true)?,
        };
        self.expect(")")?;
        self.brackets -= 1;
        Ok(value)
    }

    /// Attributes, items and calls.
    fn postfix(&mut self, mut value: Expr) -> Result<Expr, SyntaxError> {
        loop {
            let at = self.at();
            if self.take_operator(".") {
                let kind = match self.kind() {
                    Kind::Name(name) => ExprKind::Attribute(Box::new(value), (*name).into()),
                    Kind::Integer(number) => {
                        let index = self.make(ExprKind::Integer(*number), at)?;
                        ExprKind::Item(Box::new(value), Box::new(index))
                    }
                    _ => return self.unexpected("a name or a number"),
                };
                self.advance();
                value = self.make(kind, at)?;
            } else if self.is_operator("[") {
                value = self.subscript(value)?;
            } else if self.is_operator("(") {
                value = self.call(value)?;
            } else {
                return Ok(value);
            }
        }
    }

    fn call(&mut self, value: Expr) -> Result<Expr, SyntaxError> {
        let at = self.at();
        let arguments = self.arguments()?;
        self.make(ExprKind::Call(Box::new(value), arguments), at)
    }

    /// `[index]` or `[start:stop:step]`.
    fn subscript(&mut self, value: Expr) -> Result<Expr, SyntaxError> {
        let at = self.at();
        self.open()?;
        let mut bounds = [None, None, None];
        let mut colons = 0;
        let mut indices = Vec::new();
        while !self.is_operator("]") {
            if self.take_operator(":") {
                colons += 1;
                if colons > 2 {
                    return self.fail("a slice has a start, a stop and a step");
                }
            } else if self.take_operator(",") {
                if colons > 0 || indices.is_empty() {
                    return self.fail("expected an index");
                }
            } else {
                let index = self.expression()?;
                match bounds.get_mut(colons) {
                    Some(bound) if colons > 0 || self.is_operator(":") => *bound = Some(index),
                    _ => indices.push(index),
                }
            }
        }
        self.advance();
        self.brackets -= 1;
        let value = Box::new(value);
        if colons > 0 {
            return self.make(ExprKind::Slice(value, Box::new(bounds)), at);
        }
        let index = match (indices.pop(), indices.is_empty()) {
            (Some(index), true) => index,
            (last, _) => {
                indices.extend(last);
                self.make(ExprKind::Tuple(indices), at)?
            }
        };
        self.make(ExprKind::Item(value, Box::new(index)), at)
    }

    /// Filters, tests, and calls of what they give.
    fn filtered(&mut self, mut value: Expr) -> Result<Expr, SyntaxError> {
        loop {
            let at = self.at();
            if self.take_operator("|") {
                let filter = Box::new(self.filter()?);
                value = self.make(ExprKind::Filter(Box::new(value), filter), at)?;
            } else if self.take_word("is") {
                value = self.test(value, at)?;
            } else if self.is_operator("(") {
                value = self.call(value)?;
            } else {
                return Ok(value);
            }
        }
    }

    /// A filter's name and arguments.
    pub(super) fn filter(&mut self) -> Result<Filter, SyntaxError> {
        let at = self.at();
        let name: Arc<str> = self.name()?.into();
        let arguments = if self.is_operator("(") { self.arguments()? } else { Vec::new() };
        let function = filters::named(&name);
        Ok(Filter { name, function, arguments, at })
    }

    fn test(&mut self, value: Expr, at: u32) -> Result<Expr, SyntaxError> {
        let is_negated = self.take_word("not");
        let name: Arc<str> = self.name()?.into();
        let has_argument = match self.kind() {
            Kind::String(_) | Kind::Integer(_) | Kind::Float(_) => true,
            Kind::Operator(operator) => matches!(*operator, "[" | "{"),
            Kind::Name(name) => {
                !matches!(*name, "else" | "or" | "and" | "if" | "in" | "not" | "is" | "recursive")
            }
            _ => false,
        };
        let arguments = if self.is_operator("(") {
            self.arguments()?
        } else if has_argument {
            let argument = self.primary()?;
            vec![Argument::Positional(self.postfix(argument)?)]
        } else {
            Vec::new()
        };
        let test = tests::named(&name);
        let kind = ExprKind::Test { value: Box::new(value), name, test, arguments };
        let value = self.make(kind, at)?;
        if is_negated { self.make(ExprKind::Not(Box::new(value)), at) } else { Ok(value) }
    }

    /// The arguments of a call, with the parentheses around them.
    fn arguments(&mut self) -> Result<Vec<Argument>, SyntaxError> {
        self.open()?;
        let mut arguments = Vec::new();
        while !self.is_operator(")") {
            if !arguments.is_empty() {
                self.expect(",")?;
                if self.is_operator(")") {
                    break;
                }
            }
            let argument = if self.take_operator("*") {
                Argument::List(self.expression()?)
            } else if self.take_operator("**") {
                Argument::Dict(self.expression()?)
            } else {
                match (self.kind(), self.kind_after()) {
                    (Kind::Name(name), Kind::Operator("=")) => {
                        let name = Arc::from(*name);
                        self.advance();
                        self.advance();
                        Argument::Named(name, self.expression()?)
                    }
                    _ => Argument::Positional(self.expression()?),
                }
            };
            arguments.push(argument);
            if arguments.len() > MAX_ARGUMENTS {
                return self.fail("a call has too many arguments");
            }
        }
        self.advance();
        self.brackets -= 1;
        Ok(arguments)
    }
}

/// How deep the deepest part of an expression is.
fn deepest(kind: &ExprKind) -> u16 {
    let all = |parts: &[Expr]| parts.iter().map(|part| part.depth).max().unwrap_or_default();
    let of_arguments = |arguments: &[Argument]| {
        arguments.iter().map(|argument| argument.expr().depth).max().unwrap_or_default()
    };
    match kind {
        ExprKind::None
        | ExprKind::Bool(_)
        | ExprKind::Integer(_)
        | ExprKind::Float(_)
        | ExprKind::String(_)
        | ExprKind::Name(_) => 0,
        ExprKind::List(parts) | ExprKind::Tuple(parts) | ExprKind::Concatenate(parts) => all(parts),
        ExprKind::Dict(entries) => {
            entries.iter().map(|(key, value)| key.depth.max(value.depth)).max().unwrap_or_default()
        }
        ExprKind::Attribute(value, _)
        | ExprKind::Not(value)
        | ExprKind::Minus(value)
        | ExprKind::Plus(value) => value.depth,
        ExprKind::Item(left, right)
        | ExprKind::And(left, right)
        | ExprKind::Or(left, right)
        | ExprKind::Arithmetic(_, left, right) => left.depth.max(right.depth),
        ExprKind::Slice(value, bounds) => {
            bounds.iter().flatten().map(|bound| bound.depth).fold(value.depth, u16::max)
        }
        ExprKind::Call(value, arguments) | ExprKind::Test { value, arguments, .. } => {
            value.depth.max(of_arguments(arguments))
        }
        ExprKind::Filter(value, filter) => value.depth.max(of_arguments(&filter.arguments)),
        ExprKind::Compare(first, rest) => {
            rest.iter().map(|(_, operand)| operand.depth).fold(first.depth, u16::max)
        }
        ExprKind::Conditional { condition, value, otherwise } => {
            let otherwise = otherwise.as_ref().map_or(0, |otherwise| otherwise.depth);
            condition.depth.max(value.depth).max(otherwise)
        }
    }
}
