//! Parses expressions, with Jinja's operator precedence.
//!
//! Each method parses the operators of one level, and its operands with the next method. From the
//! loosest to the tightest: `conditional` (`a if b else c`), `or`, `and`, `not`, `comparison`,
//! `arithmetic` (`+`, `-`, then `~`, then `*`, `/`, `//`, `%`, then `**`), `filter_or_test`,
//! `signed_value`, `postfix` (`a.b[c](d)`), and `primary` (constants, names, brackets).

use super::{JinjaParser, Result};
use crate::SyntaxError;
use crate::jinja::token::TokenKind;
use crate::tree::{Argument, BinaryOperator, Call, Expr, ExprKind, Name, UnaryOperator};
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::value::Value;

/// A parsed expression. It is boxed to keep the stack frames of the recursive parser small.
pub(super) struct ParsedExpr {
    pub(super) expr: Box<Expr>,
    /// The span including the parentheses around it.
    pub(super) span: TemplateSpan,
}

impl ParsedExpr {
    fn new(kind: ExprKind, span: TemplateSpan) -> Self {
        Self { expr: Box::new(Expr { kind, span }), span }
    }

    pub(super) fn into_expr(self) -> Expr {
        *self.expr
    }
}

impl<'s> JinjaParser<'s> {
    /// Returns the span from `start` to the last token that was taken.
    fn span_since(&self, start: TemplateSpan) -> TemplateSpan {
        TemplateSpan::new(start.start, self.end)
    }

    /// Parses any expression without a comma.
    pub(super) fn expression(&mut self) -> Result<ParsedExpr> {
        self.enter()?;
        let value = self.conditional()?;
        self.leave();
        Ok(value)
    }

    /// Parses one part, or several with commas between them, which are a tuple.
    pub(super) fn one_or_tuple(
        &mut self,
        part: fn(&mut Self) -> Result<ParsedExpr>,
    ) -> Result<ParsedExpr> {
        let first = part(self)?;
        if !self.is_operator(",") {
            return Ok(first);
        }
        let start = first.span;
        let mut items = vec![first.into_expr()];
        while self.take_operator(",") {
            if matches!(self.token.kind, TokenKind::VariableEnd | TokenKind::BlockEnd) {
                break;
            }
            items.push(part(self)?.into_expr());
        }
        Ok(ParsedExpr::new(ExprKind::Tuple(items), self.span_since(start)))
    }

    fn conditional(&mut self) -> Result<ParsedExpr> {
        let mut value = self.or()?;
        while self.take_word("if") {
            let start = value.span;
            let condition = self.or()?.expr;
            let otherwise =
                if self.take_word("else") { Some(self.conditional()?.expr) } else { None };
            let kind = ExprKind::Conditional { condition, value: value.expr, otherwise };
            value = ParsedExpr::new(kind, self.span_since(start));
        }
        Ok(value)
    }

    fn binary(&self, operator: BinaryOperator, left: ParsedExpr, right: ParsedExpr) -> ParsedExpr {
        let span = left.span.to(right.span);
        let kind = ExprKind::Binary { operator, left: left.expr, right: right.expr };
        ParsedExpr::new(kind, span)
    }

    pub(super) fn or(&mut self) -> Result<ParsedExpr> {
        let mut left = self.and()?;
        while self.take_word("or") {
            let right = self.and()?;
            left = self.binary(BinaryOperator::Or, left, right);
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<ParsedExpr> {
        let mut left = self.not()?;
        while self.take_word("and") {
            let right = self.not()?;
            left = self.binary(BinaryOperator::And, left, right);
        }
        Ok(left)
    }

    fn not(&mut self) -> Result<ParsedExpr> {
        let mut starts = Vec::new();
        while self.is_word("not") {
            starts.push(self.token.span);
            self.advance();
        }
        let value = self.comparison()?;
        let negate = |value, start| unary(UnaryOperator::Not, value, start);
        Ok(starts.into_iter().rev().fold(value, negate))
    }

    fn comparison(&mut self) -> Result<ParsedExpr> {
        let first = self.arithmetic(1)?;
        let mut rest: Vec<(BinaryOperator, ParsedExpr)> = Vec::new();
        while let Some(operator) = self.comparison_operator()? {
            rest.push((operator, self.arithmetic(1)?));
        }
        if rest.len() > 1 {
            let span = self.span_since(first.span);
            let rest = rest.into_iter().map(|(operator, operand)| (operator, operand.into_expr()));
            let kind = ExprKind::Comparison { first: first.expr, rest: rest.collect() };
            return Ok(ParsedExpr::new(kind, span));
        }
        Ok(match rest.pop() {
            None => first,
            Some((BinaryOperator::NotIn, right)) => {
                let value = self.binary(BinaryOperator::In, first, right);
                let start = value.span;
                unary(UnaryOperator::Not, value, start)
            }
            Some((operator, right)) => self.binary(operator, first, right),
        })
    }

    fn comparison_operator(&mut self) -> Result<Option<BinaryOperator>> {
        let operator = match self.token.kind {
            TokenKind::Operator("==") => BinaryOperator::Equal,
            TokenKind::Operator("!=") => BinaryOperator::NotEqual,
            TokenKind::Operator("<") => BinaryOperator::Less,
            TokenKind::Operator("<=") => BinaryOperator::LessOrEqual,
            TokenKind::Operator(">") => BinaryOperator::Greater,
            TokenKind::Operator(">=") => BinaryOperator::GreaterOrEqual,
            TokenKind::Name("in") => BinaryOperator::In,
            TokenKind::Name("not") => {
                self.advance();
                if !self.is_word("in") {
                    return self.unexpected("`in`");
                }
                BinaryOperator::NotIn
            }
            _ => return Ok(None),
        };
        self.advance();
        Ok(Some(operator))
    }

    /// Parses operators that bind at least as tightly as `loosest`: 1 accepts all, 3 only `*`, `/`,
    /// `//`, `%` and `**`. All of them are left-associative.
    fn arithmetic(&mut self, loosest: u8) -> Result<ParsedExpr> {
        let mut left = self.filter_or_test()?;
        while let Some((operator, binding)) = self.arithmetic_operator() {
            if binding < loosest {
                break;
            }
            self.advance();
            let right = self.arithmetic(binding + 1)?;
            left = self.binary(operator, left, right);
        }
        Ok(left)
    }

    /// Returns the current operator and its binding strength.
    fn arithmetic_operator(&self) -> Option<(BinaryOperator, u8)> {
        let TokenKind::Operator(operator) = self.token.kind else { return None };
        Some(match operator {
            "+" => (BinaryOperator::Add, 1),
            "-" => (BinaryOperator::Subtract, 1),
            "~" => (BinaryOperator::Concatenate, 2),
            "*" => (BinaryOperator::Multiply, 3),
            "/" => (BinaryOperator::Divide, 3),
            "//" => (BinaryOperator::FloorDivide, 3),
            "%" => (BinaryOperator::Remainder, 3),
            "**" => (BinaryOperator::Power, 4),
            _ => return None,
        })
    }

    /// Parses a value with its signs, attributes, indices, calls, filters and tests. A sign binds
    /// more tightly than a filter: `-5 | abs` is 5.
    fn filter_or_test(&mut self) -> Result<ParsedExpr> {
        let mut value = self.signed_value()?;
        loop {
            let start = value.span;
            if self.take_operator("|") {
                let call = self.call_of_filter()?;
                let kind = ExprKind::Filter { value: value.expr, call };
                value = ParsedExpr::new(kind, self.span_since(start));
            } else if self.take_word("is") {
                value = self.finish_test(value)?;
            } else if self.dialect.calls_filter_results && self.is_operator("(") {
                value = self.finish_call(value)?;
            } else {
                return Ok(value);
            }
        }
    }

    fn signed_value(&mut self) -> Result<ParsedExpr> {
        let mut signs = Vec::new();
        loop {
            let operator = match self.token.kind {
                TokenKind::Operator("-") => UnaryOperator::Minus,
                TokenKind::Operator("+") if self.dialect.has_unary_plus => UnaryOperator::Plus,
                _ => break,
            };
            signs.push((operator, self.token.span));
            self.advance();
        }
        let value = self.primary()?;
        let value = self.postfix(value)?;
        let sign = |value, (operator, start)| unary(operator, value, start);
        Ok(signs.into_iter().rev().fold(value, sign))
    }

    /// Parses a constant, a name, or an expression in brackets.
    fn primary(&mut self) -> Result<ParsedExpr> {
        self.enter()?;
        let start = self.token.span;
        let kind = match &self.token.kind {
            // `null` may be the name of a function. As a value it is a constant.
            TokenKind::Name("null") if self.dialect.has_null && !self.is_called() => {
                ExprKind::Literal(Value::Null)
            }
            TokenKind::Name(name) => constant(name)
                .map_or_else(|| ExprKind::Variable((*name).to_owned()), ExprKind::Literal),
            TokenKind::Integer(number) => ExprKind::Literal(Value::Integer(*number)),
            TokenKind::Float(number) => ExprKind::Literal(Value::Float(*number)),
            TokenKind::String(text) => {
                let mut text = text.clone();
                self.advance();
                if matches!(self.token.kind, TokenKind::String(_)) {
                    text = self.join_strings(&text).into();
                }
                self.leave();
                let kind = ExprKind::Literal(Value::String(text));
                return Ok(ParsedExpr::new(kind, self.span_since(start)));
            }
            TokenKind::Operator(bracket @ ("(" | "[" | "{")) => {
                let bracket = *bracket;
                self.advance();
                let value = match bracket {
                    "(" => self.parentheses(start)?,
                    "[" => self.list(start)?,
                    _ => self.map(start)?,
                };
                self.leave();
                return Ok(value);
            }
            _ => return self.unexpected("a value"),
        };
        self.advance();
        self.leave();
        Ok(ParsedExpr::new(kind, start))
    }

    /// Whether arguments follow the current token.
    fn is_called(&self) -> bool {
        self.ahead.kind == TokenKind::Operator("(")
    }

    /// Joins a string literal with the string literals that directly follow it.
    fn join_strings(&mut self, first: &str) -> String {
        let mut joined = first.to_owned();
        while let TokenKind::String(text) = &self.token.kind {
            joined.push_str(text);
            self.advance();
        }
        joined
    }

    /// Parses the content of parentheses: one expression, or the items of a tuple.
    fn parentheses(&mut self, start: TemplateSpan) -> Result<ParsedExpr> {
        if self.take_operator(")") {
            return Ok(ParsedExpr::new(ExprKind::Tuple(Vec::new()), self.span_since(start)));
        }
        let first = self.expression()?;
        if !self.is_operator(",") {
            self.expect(")", "`)`")?;
            return Ok(ParsedExpr { expr: first.expr, span: self.span_since(start) });
        }
        let mut items = vec![first.into_expr()];
        while self.take_operator(",") && !self.is_operator(")") {
            items.push(self.expression()?.into_expr());
        }
        self.expect(")", "`)`")?;
        Ok(ParsedExpr::new(ExprKind::Tuple(items), self.span_since(start)))
    }

    /// Parses items up to a closing bracket, with commas between them and an optional trailing
    /// comma.
    fn items<T>(&mut self, close: &str, item: fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = Vec::new();
        while !self.take_operator(close) {
            if !items.is_empty() {
                self.expect(",", "`,`")?;
                if self.take_operator(close) {
                    break;
                }
            }
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn list(&mut self, start: TemplateSpan) -> Result<ParsedExpr> {
        let items = self.items("]", |parser| Ok(parser.expression()?.into_expr()))?;
        Ok(ParsedExpr::new(ExprKind::List(items), self.span_since(start)))
    }

    fn map(&mut self, start: TemplateSpan) -> Result<ParsedExpr> {
        let entries = self.items("}", |parser| {
            let key = parser.expression()?.into_expr();
            parser.expect(":", "`:`")?;
            Ok((key, parser.expression()?.into_expr()))
        })?;
        Ok(ParsedExpr::new(ExprKind::Map(entries), self.span_since(start)))
    }

    /// Parses attributes, indices and calls.
    fn postfix(&mut self, mut value: ParsedExpr) -> Result<ParsedExpr> {
        loop {
            let start = value.span;
            if self.take_operator(".") {
                let kind = match self.token.kind {
                    TokenKind::Integer(number) => {
                        let span = self.token.span;
                        let kind = ExprKind::Literal(Value::Integer(number));
                        self.advance();
                        let index = Box::new(Expr { kind, span });
                        ExprKind::Index { value: value.expr, index }
                    }
                    TokenKind::Name(_) => {
                        ExprKind::Attribute { value: value.expr, name: self.name()? }
                    }
                    _ => return self.unexpected("a name or a number"),
                };
                value = ParsedExpr::new(kind, self.span_since(start));
            } else if self.is_operator("[") {
                value = self.subscript(value)?;
            } else if self.is_operator("(") {
                value = self.finish_call(value)?;
            } else {
                return Ok(value);
            }
        }
    }

    /// Parses the arguments of a call of `value`.
    /// It is the call of a function, a method or another expression.
    fn finish_call(&mut self, value: ParsedExpr) -> Result<ParsedExpr> {
        let start = value.span;
        let arguments = self.arguments()?;
        let kind = match value.expr.kind {
            ExprKind::Variable(name) => {
                ExprKind::Function(Call { name: Name::new(name, value.expr.span), arguments })
            }
            ExprKind::Attribute { value, name } => {
                ExprKind::Method { value, call: Call { name, arguments } }
            }
            _ => ExprKind::Invocation { value: value.expr, arguments },
        };
        Ok(ParsedExpr::new(kind, self.span_since(start)))
    }

    /// Parses `[index]` or `[start:stop:step]`.
    fn subscript(&mut self, value: ParsedExpr) -> Result<ParsedExpr> {
        let start = value.span;
        self.advance();
        let inside = self.token.span;
        let has_tuples = self.dialect.has_tuples_everywhere;
        let first = match () {
            () if self.is_operator(":") => None,
            () if has_tuples && self.is_operator("]") => {
                Some(Box::new(Expr { kind: ExprKind::Tuple(Vec::new()), span: inside }))
            }
            () => Some(self.expression()?.expr),
        };
        let kind = match first {
            Some(mut index) if !self.is_operator(":") => {
                if has_tuples && self.is_operator(",") {
                    let mut items = vec![*index];
                    while self.take_operator(",") {
                        items.push(self.expression()?.into_expr());
                    }
                    let span = self.span_since(inside);
                    index = Box::new(Expr { kind: ExprKind::Tuple(items), span });
                }
                ExprKind::Index { value: value.expr, index }
            }
            start => ExprKind::Slice { value: value.expr, bounds: self.slice_bounds(start)? },
        };
        self.expect("]", "`]`")?;
        Ok(ParsedExpr::new(kind, self.span_since(start)))
    }

    /// Parses `:stop:step` after the start of a slice.
    fn slice_bounds(&mut self, start: Option<Box<Expr>>) -> Result<[Option<Box<Expr>>; 3]> {
        let mut bounds = [start, None, None];
        for bound in bounds.iter_mut().skip(1) {
            if !self.take_operator(":") {
                break;
            }
            if !self.is_operator(":") && !self.is_operator("]") {
                *bound = Some(self.expression()?.expr);
            }
        }
        Ok(bounds)
    }

    /// Parses the name of a filter or test, which may have dots.
    fn dotted_name(&mut self) -> Result<Name> {
        let mut name = self.name()?;
        if self.is_operator(".") {
            while self.take_operator(".") {
                self.name()?;
            }
            let span = self.span_since(name.span);
            #[expect(clippy::string_slice, reason = "the tokens were read from this text")]
            let written = &self.text[span.start..span.end];
            name = Name::new(written, span);
        }
        Ok(name)
    }

    /// Parses a filter's name and arguments.
    pub(super) fn call_of_filter(&mut self) -> Result<Call> {
        let name = self.dotted_name()?;
        let arguments = if self.is_operator("(") { self.arguments()? } else { Vec::new() };
        Ok(Call { name, arguments })
    }

    /// Parses a test of a value after `is`.
    fn finish_test(&mut self, value: ParsedExpr) -> Result<ParsedExpr> {
        let start = value.span;
        let is_negated = self.take_word("not");
        let name = self.dotted_name()?;
        let arguments = if self.is_operator("(") {
            self.arguments()?
        } else if self.begins_test_argument() {
            vec![Argument::Positional(self.signed_value()?.into_expr())]
        } else {
            Vec::new()
        };
        let kind = ExprKind::Test { value: value.expr, call: Call { name, arguments } };
        let test = ParsedExpr::new(kind, self.span_since(start));
        Ok(if is_negated { unary(UnaryOperator::Not, test, start) } else { test })
    }

    /// Whether the current token begins an argument of the test before it.
    fn begins_test_argument(&self) -> bool {
        match self.token.kind {
            TokenKind::String(_) | TokenKind::Integer(_) | TokenKind::Float(_) => true,
            TokenKind::Operator("[" | "{") => true,
            TokenKind::Operator("+" | "-") => self.dialect.test_argument_may_be_signed,
            TokenKind::Name(name) => !self.dialect.words_after_a_test.contains(&name),
            _ => false,
        }
    }

    /// Parses the arguments of a call, including the parentheses.
    fn arguments(&mut self) -> Result<Vec<Argument>> {
        self.advance();
        let arguments = self.items(")", Self::argument)?;
        let mut has_names = false;
        for argument in &arguments {
            match argument {
                Argument::Positional(value) if has_names => {
                    let message = "a positional argument follows a named one";
                    return Err(SyntaxError::new(value.span, message)
                        .with_help("put positional arguments before named ones"));
                }
                Argument::Positional(_) | Argument::Spread(_) => {}
                Argument::Named(..) | Argument::SpreadNamed(_) => has_names = true,
            }
        }
        match arguments.get(self.dialect.max_arguments) {
            Some(argument) => {
                let message =
                    format!("a call has more than {} arguments", self.dialect.max_arguments);
                Err(SyntaxError::new(argument.expr().span, message)
                    .with_help("combine them in a list or a map"))
            }
            None => Ok(arguments),
        }
    }

    fn argument(&mut self) -> Result<Argument> {
        if self.take_operator("*") {
            return Ok(Argument::Spread(self.expression()?.into_expr()));
        }
        if self.take_operator("**") {
            return Ok(Argument::SpreadNamed(self.expression()?.into_expr()));
        }
        match (&self.token.kind, &self.ahead.kind) {
            (TokenKind::Name(name), TokenKind::Operator("="))
                if *name != "not" && constant(name).is_none() =>
            {
                let name = self.name()?;
                self.advance();
                Ok(Argument::Named(name, self.expression()?.into_expr()))
            }
            _ => Ok(Argument::Positional(self.expression()?.into_expr())),
        }
    }
}

/// Returns the value of a constant's name.
fn constant(name: &str) -> Option<Value> {
    Some(match name {
        "true" | "True" => Value::Bool(true),
        "false" | "False" => Value::Bool(false),
        "none" | "None" => Value::Null,
        _ => return None,
    })
}

/// Returns an operator that begins at `start`, with its operand.
fn unary(operator: UnaryOperator, operand: ParsedExpr, start: TemplateSpan) -> ParsedExpr {
    let span = start.to(operand.span);
    ParsedExpr::new(ExprKind::Unary { operator, operand: operand.expr }, span)
}
