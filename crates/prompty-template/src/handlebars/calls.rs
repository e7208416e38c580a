//! Converts calls of helpers into expressions. A helper that is equivalent to an operator of the
//! tree becomes that operator, so that the checker and the engine need no special case.

use super::expressions::{CallResolver, TagContent, TagHead};
use super::helpers::{self, is_block};
use super::names::{ContextBlocks, NamePath};
use crate::SyntaxError;
use crate::tree::{Argument, BinaryOperator, Call, Expr, ExprKind, Name, UnaryOperator};
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::value::Value;
use prompty_core::value::internal::excerpt;

/// Resolves names and calls at the current position.
#[derive(Debug, Default)]
pub(super) struct NameScope {
    pub(super) blocks: ContextBlocks,
}

impl CallResolver for NameScope {
    fn call(&self, content: TagContent) -> Result<Expr, SyntaxError> {
        self.helper(content)
    }

    fn blocks(&self) -> &ContextBlocks {
        &self.blocks
    }
}

impl NameScope {
    /// Resolves the content of a tag: a name without arguments, or otherwise a call.
    pub(super) fn value(&self, content: TagContent) -> Result<Expr, SyntaxError> {
        if let Some(name) = content.parameters.first() {
            let error = SyntaxError::new(name.span, "names after `as` are only allowed in a block");
            return Err(error.with_help("write `{{#each items as |item|}}…{{/each}}`"));
        }
        if !content.arguments.is_empty() {
            return self.helper(content);
        }
        match content.head {
            TagHead::Path(path) if path.simple().is_some_and(|name| is_helper(&name.text)) => {
                let head = TagHead::Path(path);
                self.helper(TagContent { head, ..content })
            }
            TagHead::Path(path) => self.blocks.resolve(path),
            TagHead::Literal(_, name) => self.blocks.resolve(path_of(name)),
            TagHead::Call(content) => self.helper(*content),
        }
    }

    /// Resolves a call of a helper.
    fn helper(&self, content: TagContent) -> Result<Expr, SyntaxError> {
        let head = content.head.span();
        let TagHead::Path(path) = content.head else {
            let error = SyntaxError::new(head, "this is not a helper");
            return Err(error.with_help("begin a call with the name of a helper"));
        };
        let Some(name) = path.simple().cloned() else {
            let error = SyntaxError::new(path.span, "this is the name of a value, not of a helper");
            return Err(error.with_help("write the helper's name without dots and slashes"));
        };
        if is_block(&name.text) {
            let message = format!("the block `{}` is used without `#`", name.text);
            let help = format!("write `{{{{#{0} …}}}}…{{{{/{0}}}}}`", name.text);
            return Err(SyntaxError::new(name.span, message).with_help(help));
        }
        if name.text == "set" {
            let error = SyntaxError::new(name.span, "`set` does not return a value");
            return Err(error.with_help("write it as a separate tag: `{{set \"name\" value}}`"));
        }
        let call = Call { name, arguments: content.arguments };
        let kind = self.kind_of_call(call, content.span)?;
        Ok(Expr { kind, span: content.span })
    }

    /// Returns the operator or constant that is equivalent to a call, or otherwise the call.
    fn kind_of_call(&self, call: Call, span: TemplateSpan) -> Result<ExprKind, SyntaxError> {
        if !call.arguments.iter().all(|it| matches!(it, Argument::Positional(_))) {
            return Ok(ExprKind::Function(call));
        }
        let name = call.name.text.as_str();
        match call.arguments.as_slice() {
            [] => Ok(match name {
                "double_open" | "doubleOpen" => ExprKind::Literal(Value::from("{{")),
                "double_close" | "doubleClose" => ExprKind::Literal(Value::from("}}")),
                "array" => ExprKind::List(Vec::new()),
                _ => ExprKind::Function(call),
            }),
            [Argument::Positional(only)] => match name {
                "get" => self.input(only),
                "array" => Ok(ExprKind::List(vec![only.clone()])),
                "messages" => Ok(only.kind.clone()),
                _ => Ok(ExprKind::Function(call)),
            },
            [Argument::Positional(left), Argument::Positional(right)] => {
                Ok(match binary_helper(name, left, right, span) {
                    Some(kind) => kind,
                    None => variadic_helper(call),
                })
            }
            _ => Ok(variadic_helper(call)),
        }
    }

    /// Resolves `get "name"` to the input with this name.
    fn input(&self, name: &Expr) -> Result<ExprKind, SyntaxError> {
        let ExprKind::Literal(Value::String(text)) = &name.kind else {
            let error = SyntaxError::new(name.span, "`get` expects a string literal");
            return Err(error.with_help("for a computed name, write `lookup map name`"));
        };
        let root = Name::new("root", name.span);
        let parts = vec![root, Name::new(&**text, name.span)];
        let path = NamePath { is_data: true, up: 0, this: None, parts, span: name.span };
        Ok(self.blocks.resolve(path)?.kind)
    }
}

/// Returns a path that consists of one name.
fn path_of(name: Name) -> NamePath {
    NamePath { is_data: false, up: 0, this: None, span: name.span, parts: vec![name] }
}

fn is_helper(name: &str) -> bool {
    helpers::find(name).is_some() || is_block(name)
}

/// Returns the operator of a helper with two arguments, if there is one.
fn binary_helper(name: &str, left: &Expr, right: &Expr, span: TemplateSpan) -> Option<ExprKind> {
    let operator = match name {
        "equals" => BinaryOperator::Equal,
        "lessThan" | "less_than" => BinaryOperator::Less,
        "lessThanOrEqual" | "less_than_or_equal" => BinaryOperator::LessOrEqual,
        "greaterThan" | "greater_than" => BinaryOperator::Greater,
        "greaterThanOrEqual" | "greater_than_or_equal" => BinaryOperator::GreaterOrEqual,
        "or" => BinaryOperator::Or,
        "lookup" => {
            return Some(ExprKind::Index {
                value: Box::new(left.clone()),
                index: Box::new(right.clone()),
            });
        }
        _ => return None,
    };
    let (left, right) = (Box::new(left.clone()), Box::new(right.clone()));
    let kind = ExprKind::Binary { operator, left, right };
    // The helper `or` returns a boolean, unlike the operator.
    Some(if operator == BinaryOperator::Or {
        not(Expr { kind: not(Expr { kind, span }), span })
    } else {
        kind
    })
}

fn not(operand: Expr) -> ExprKind {
    ExprKind::Unary { operator: UnaryOperator::Not, operand: Box::new(operand) }
}

/// Converts a call of a helper with any number of arguments.
fn variadic_helper(call: Call) -> ExprKind {
    if call.name.text != "array" {
        return ExprKind::Function(call);
    }
    ExprKind::List(call.arguments.iter().map(|argument| argument.expr().clone()).collect())
}

/// Returns the name and the value in the arguments of `set`.
pub(super) fn assignment(
    arguments: &[Argument],
    span: TemplateSpan,
) -> Result<(Name, Expr), SyntaxError> {
    let wrong = |span: TemplateSpan| {
        let error = SyntaxError::new(span, "`set` expects a name and a value");
        error.with_help("write `{{set \"name\" value}}` or `{{set name=\"name\" value=value}}`")
    };
    let (name, value) = match arguments {
        [Argument::Positional(name), Argument::Positional(value)] => (name, value),
        [Argument::Named(first, one), Argument::Named(second, other)] => {
            match (first.text.as_str(), second.text.as_str()) {
                ("name", "value") => (one, other),
                ("value", "name") => (other, one),
                _ => return Err(wrong(span)),
            }
        }
        _ => return Err(wrong(span)),
    };
    let ExprKind::Literal(Value::String(text)) = &name.kind else {
        return Err(SyntaxError::new(name.span, "`set` expects the name as a string literal")
            .with_help("put it in quotes: `{{set \"name\" value}}`"));
    };
    let is_name =
        !text.is_empty() && text.chars().all(|next| next.is_alphanumeric() || next == '_');
    if !is_name {
        let message = format!("`{}` is not a valid name", excerpt(text));
        return Err(SyntaxError::new(name.span, message)
            .with_help("write a name with letters, digits and `_`"));
    }
    Ok((Name::new(&**text, name.span), value.clone()))
}
