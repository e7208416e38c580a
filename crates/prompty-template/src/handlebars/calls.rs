//! Converts calls of helpers into expressions. A helper that is equivalent to an operator of the
//! tree becomes that operator, so that the checker and the engine need no special case.

use super::expressions::{TagContent, TagHead};
use super::helpers::{self, is_block};
use super::names::{ContextBlocks, NamePath};
use crate::SyntaxError;
use crate::tree::{
    Argument, BinaryOperator, Call, Expr, ExprKind, Name, UnaryOperator, positional_values,
};
use prompty_core::diagnostic::TemplateSpan;
use prompty_core::value::Value;
use prompty_core::value::internal::excerpt;

/// Resolves the content of a tag: a name without arguments, or otherwise a call.
pub(super) fn resolve_tag(
    blocks: &ContextBlocks,
    content: TagContent,
) -> Result<Expr, SyntaxError> {
    if let Some(name) = content.parameters.first() {
        let error = SyntaxError::new(name.span, "names after `as` are only allowed in a block");
        return Err(error.with_help("write `{{#each items as |item|}}…{{/each}}`"));
    }
    if !content.arguments.is_empty() || content.simple_name().is_some_and(is_helper_or_block) {
        return resolve_call(blocks, content);
    }
    match content.head {
        TagHead::Path(path) => blocks.resolve(path),
        // `{{"a b"}}` prints the input `a b`.
        TagHead::Literal(_, name) => blocks.resolve(path_of(name)),
        TagHead::Call(content) => resolve_call(blocks, *content),
    }
}

/// Resolves a call of a helper or of a host function.
pub(super) fn resolve_call(
    blocks: &ContextBlocks,
    content: TagContent,
) -> Result<Expr, SyntaxError> {
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
    Ok(Expr { kind: kind_of_call(blocks, call, content.span)?, span: content.span })
}

/// Returns the operator or constant that is equivalent to a call, or otherwise the call.
fn kind_of_call(
    blocks: &ContextBlocks,
    call: Call,
    span: TemplateSpan,
) -> Result<ExprKind, SyntaxError> {
    let Some(values) = positional_values(&call.arguments) else {
        return Ok(ExprKind::Function(call));
    };
    let equivalent = match (call.name.text.as_str(), values.as_slice()) {
        ("double_open" | "doubleOpen", []) => Some(ExprKind::Literal(Value::from("{{"))),
        ("double_close" | "doubleClose", []) => Some(ExprKind::Literal(Value::from("}}"))),
        ("array", values) => Some(ExprKind::List(values.iter().copied().cloned().collect())),
        ("get", [name]) => Some(resolve_get(blocks, name)?),
        // A printed thread is its messages, so `{{messages history}}` is `{{history}}`.
        ("messages", [thread]) => Some(thread.kind.clone()),
        (name, [left, right]) => binary_helper(name, left, right, span),
        _ => None,
    };
    Ok(equivalent.unwrap_or(ExprKind::Function(call)))
}

/// Resolves `get "name"` to the input with this name, as `@root.name` does.
fn resolve_get(blocks: &ContextBlocks, name: &Expr) -> Result<ExprKind, SyntaxError> {
    let ExprKind::Literal(Value::String(text)) = &name.kind else {
        let error = SyntaxError::new(name.span, "`get` expects a string literal");
        return Err(error.with_help("for a computed name, write `lookup map name`"));
    };
    let root = Name::new("root", name.span);
    let parts = vec![root, Name::new(&**text, name.span)];
    let path = NamePath { is_data: true, up: 0, this: None, parts, span: name.span };
    Ok(blocks.resolve(path)?.kind)
}

/// Returns a path that consists of one name.
fn path_of(name: Name) -> NamePath {
    NamePath { is_data: false, up: 0, this: None, span: name.span, parts: vec![name] }
}

/// Whether a name alone in a tag is read as a call. The names of blocks are included, so that
/// [`resolve_call`] reports `{{each}}` as a block without `#`.
fn is_helper_or_block(name: &Name) -> bool {
    helpers::find(&name.text).is_some() || is_block(&name.text)
}

/// Returns the operator of a helper with two arguments, if there is one.
fn binary_helper(name: &str, left: &Expr, right: &Expr, span: TemplateSpan) -> Option<ExprKind> {
    let (left, right) = (Box::new(left.clone()), Box::new(right.clone()));
    let operator = match name {
        "equals" => BinaryOperator::Equal,
        "lessThan" | "less_than" => BinaryOperator::Less,
        "lessThanOrEqual" | "less_than_or_equal" => BinaryOperator::LessOrEqual,
        "greaterThan" | "greater_than" => BinaryOperator::Greater,
        "greaterThanOrEqual" | "greater_than_or_equal" => BinaryOperator::GreaterOrEqual,
        "or" => BinaryOperator::Or,
        "lookup" => return Some(ExprKind::Index { value: left, index: right }),
        _ => return None,
    };
    let kind = ExprKind::Binary { operator, left, right };
    // The helper `or` returns a boolean, unlike the operator, so it becomes `not not (a or b)`.
    Some(if operator == BinaryOperator::Or {
        not(Expr { kind: not(Expr { kind, span }), span })
    } else {
        kind
    })
}

pub(super) fn not(operand: Expr) -> ExprKind {
    ExprKind::Unary { operator: UnaryOperator::Not, operand: Box::new(operand) }
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
