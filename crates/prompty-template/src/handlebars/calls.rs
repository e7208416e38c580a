//! Calls of helpers as expressions: what a helper has in common with an operator of the tree becomes that
//! operator, so that the checker and the engine know its meaning.

use super::expressions::{Calls, Content, Head};
use super::helpers::{self, is_block};
use super::names::{Blocks, Path};
use crate::SyntaxError;
use crate::tree::{Argument, BinaryOperator, Call, Expr, ExprKind, Name, UnaryOperator};
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::value::Value;
use prompty_core::value::internal::excerpt;

/// What names stand for at the place that is being read.
#[derive(Debug, Default)]
pub(super) struct Meaning {
    pub(super) blocks: Blocks,
}

impl Calls for Meaning {
    fn call(&self, content: Content) -> Result<Expr, SyntaxError> {
        self.helper(content)
    }

    fn blocks(&self) -> &Blocks {
        &self.blocks
    }
}

impl Meaning {
    /// What a tag prints, or a block is about: a name where nothing stands behind it, otherwise a call.
    pub(super) fn value(&self, content: Content) -> Result<Expr, SyntaxError> {
        if let Some(name) = content.parameters.first() {
            let error = SyntaxError::new(name.span, "names behind `as` belong to a block");
            return Err(error.with_help("write `{{#each items as |item|}}…{{/each}}`"));
        }
        if !content.arguments.is_empty() {
            return self.helper(content);
        }
        match content.head {
            Head::Path(path) if path.simple().is_some_and(|name| is_helper(&name.text)) => {
                let head = Head::Path(path);
                self.helper(Content { head, ..content })
            }
            Head::Path(path) => self.blocks.resolve(path),
            Head::Literal(_, name) => self.blocks.resolve(named(name)),
            Head::Call(content) => self.helper(*content),
        }
    }

    /// A call of a helper.
    fn helper(&self, content: Content) -> Result<Expr, SyntaxError> {
        let head = content.head.span();
        let Head::Path(path) = content.head else {
            let error = SyntaxError::new(head, "this is no helper");
            return Err(error.with_help("a call begins with the name of a helper"));
        };
        let Some(name) = path.simple().cloned() else {
            let error =
                SyntaxError::new(path.span, "this is the name of a value, and of no helper");
            return Err(error.with_help("a helper's name has no dots and no slashes"));
        };
        if is_block(&name.text) {
            let message = format!("`{}` is a block", name.text);
            let help = format!("write `{{{{#{0} …}}}}…{{{{/{0}}}}}`", name.text);
            return Err(SyntaxError::new(name.span, message).with_help(help));
        }
        if name.text == "set" {
            let error = SyntaxError::new(name.span, "`set` gives nothing");
            return Err(error.with_help("write it as a tag of its own: `{{set \"name\" value}}`"));
        }
        let call = Call { name, arguments: content.arguments };
        let kind = self.kind(call, content.span)?;
        Ok(Expr { kind, span: content.span })
    }

    fn kind(&self, call: Call, span: TemplateSpan) -> Result<ExprKind, SyntaxError> {
        let positional = call.arguments.iter().all(|it| matches!(it, Argument::Positional(_)));
        if !positional {
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
                Ok(match two(name, left, right, span) {
                    Some(kind) => kind,
                    None => several(call),
                })
            }
            _ => Ok(several(call)),
        }
    }

    /// `get "name"`: the input of that name.
    fn input(&self, name: &Expr) -> Result<ExprKind, SyntaxError> {
        let ExprKind::Literal(Value::String(text)) = &name.kind else {
            let error = SyntaxError::new(name.span, "`get` takes the name as a text");
            return Err(error.with_help("for a computed name write `lookup map name`"));
        };
        let root = Name::new("root", name.span);
        let parts = vec![root, Name::new(&**text, name.span)];
        let path = Path { is_data: true, up: 0, this: None, parts, span: name.span };
        Ok(self.blocks.resolve(path)?.kind)
    }
}

/// A name that stands for a value.
fn named(name: Name) -> Path {
    Path { is_data: false, up: 0, this: None, span: name.span, parts: vec![name] }
}

fn is_helper(name: &str) -> bool {
    helpers::find(name).is_some() || is_block(name)
}

/// A helper of two arguments that the tree has an operator for.
fn two(name: &str, left: &Expr, right: &Expr, span: TemplateSpan) -> Option<ExprKind> {
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
    // `or` says whether one of them is true.
    Some(if operator == BinaryOperator::Or {
        not(Expr { kind: not(Expr { kind, span }), span })
    } else {
        kind
    })
}

fn not(operand: Expr) -> ExprKind {
    ExprKind::Unary { operator: UnaryOperator::Not, operand: Box::new(operand) }
}

/// A helper of any number of arguments.
fn several(call: Call) -> ExprKind {
    if call.name.text != "array" {
        return ExprKind::Function(call);
    }
    ExprKind::List(call.arguments.iter().map(|argument| argument.expr().clone()).collect())
}

/// A name and a value, as `set` takes them.
pub(super) fn assignment(
    arguments: &[Argument],
    span: TemplateSpan,
) -> Result<(Name, Expr), SyntaxError> {
    let wrong = |span: TemplateSpan| {
        let error = SyntaxError::new(span, "`set` takes a name and a value");
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
        return Err(SyntaxError::new(name.span, "`set` takes the name as a text")
            .with_help("put it between quotation marks: `{{set \"name\" value}}`"));
    };
    let is_name =
        !text.is_empty() && text.chars().all(|next| next.is_alphanumeric() || next == '_');
    if !is_name {
        let message = format!("`{}` is no name", excerpt(text));
        return Err(SyntaxError::new(name.span, message));
    }
    Ok((Name::new(&**text, name.span), value.clone()))
}
