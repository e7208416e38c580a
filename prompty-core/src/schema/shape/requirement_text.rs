//! The text that shows a shape to a model: JSON with types instead of values.
//!
//! The notation is that of the reference implementation: `<str>`, `// description`, `...`. It
//! differs where the original is ambiguous or wrong:
//!
//! - A description with line breaks stays in its comment.
//! - A key is written as a JSON string.
//! - An object or array with a description is not indented twice.
//! - An optional key may be `null`, as in strict schemas that require each key.

use std::borrow::Cow;

use super::names::{DefinitionNames, NameScope, resolve};
use super::{Literal, ObjectShape, OtherKeys, Shape, ShapeKind, ShapeLayout};
use crate::value::Value;

impl Shape {
    /// The structure as text for the model. Descriptions are comments, each in one line.
    ///
    /// ```
    /// # mod typed_prompty { pub use prompty_core::schema::shape; }
    /// use typed_prompty::shape::Shape;
    ///
    /// let people = Shape::list_of(Shape::object([
    ///     ("name", Shape::text()),
    ///     ("born", Shape::one_of([Shape::integer(), Shape::null()]).with_description("the year")),
    /// ]));
    /// assert_eq!(people.requirement(), r#"[
    ///   {
    ///     "name": <str>,
    ///     "born": <int | NoneType> // the year
    ///   },
    ///   ...
    /// ]"#);
    /// ```
    #[must_use]
    pub fn requirement(&self) -> String {
        let mut writer = RequirementWriter::default();
        writer.shape(self, 0);
        let mut next = 0;
        while let Some(defined) = writer.names.get(next) {
            let (shape, scope) = (defined.shape, defined.scope.clone());
            writer.out.push_str(&format!("\n\n<{}>:\n", one_line(&defined.name)));
            writer.scope = scope;
            writer.shape(shape, 0);
            next += 1;
        }
        writer.out
    }
}

impl Shape {
    /// The shape in one line, as a type expression.
    pub(super) fn type_name(&self) -> String {
        RequirementWriter::default().inline(self)
    }
}

#[derive(Default)]
struct RequirementWriter<'s> {
    names: DefinitionNames<'s>,
    scope: NameScope,
    out: String,
}

impl<'s> RequirementWriter<'s> {
    /// Writes a shape. Its lines after the first are indented by `depth` steps.
    fn shape(&mut self, shape: &'s Shape, depth: usize) {
        match &shape.kind {
            ShapeKind::ListOf(items) if shape.layout == ShapeLayout::Lines => {
                self.items(items, &["..."], depth);
            }
            ShapeKind::Tuple(items) if shape.layout == ShapeLayout::Lines => {
                self.items(items, &[], depth);
            }
            ShapeKind::Object(object) if has_lines(shape) => self.object(object, depth),
            ShapeKind::OneOf(shapes) if has_lines(shape) => self.alternatives(shapes, depth),
            _ => {
                let words = self.inline(shape);
                self.out.push_str(&format!("<{words}>"));
            }
        }
    }

    fn items(&mut self, items: &'s [Shape], more: &[&str], depth: usize) {
        if items.is_empty() {
            self.out.push_str("[]");
            return;
        }
        self.out.push('[');
        for (index, item) in items.iter().enumerate() {
            self.line(depth + 1);
            self.shape(item, depth + 1);
            if index + 1 < items.len() || !more.is_empty() {
                self.out.push(',');
            }
            let comment = self.comment(item).filter(|it| !it.is_empty());
            self.write_comment(comment);
        }
        for line in more {
            self.line(depth + 1);
            self.out.push_str(line);
        }
        self.line(depth);
        self.out.push(']');
    }

    fn object(&mut self, object: &'s ObjectShape, depth: usize) {
        let others = match &object.others {
            OtherKeys::Shape(shape) if !is_unspecific(shape) => Some(&**shape),
            _ => None,
        };
        if object.fields.is_empty() && others.is_none() {
            self.out.push_str("{}");
            return;
        }
        self.out.push('{');
        let fields =
            object.fields.iter().map(|(name, shape)| (Value::from(name.clone()).to_json(), shape));
        let others = others.map(|shape| ("\"<str>\"".to_owned(), shape));
        let has_more = others.is_some();
        let mut entries = fields.chain(others).peekable();
        while let Some((key, shape)) = entries.next() {
            self.line(depth + 1);
            self.out.push_str(&key);
            self.out.push_str(": ");
            self.field(shape, depth + 1);
            if entries.peek().is_some() || has_more {
                self.out.push(',');
            }
            let comment = self.comment(shape);
            self.write_comment(comment);
        }
        if has_more {
            self.line(depth + 1);
            self.out.push_str("...");
        }
        self.line(depth);
        self.out.push('}');
    }

    /// Writes the value of a key. An optional key may also be `null`.
    fn field(&mut self, shape: &'s Shape, depth: usize) {
        self.shape(shape, depth);
        if !shape.is_null_if_missing() {
            return;
        }
        match self.out.ends_with('>') {
            true => {
                self.out.pop();
                self.out.push_str(" | NoneType>");
            }
            false => self.out.push_str(" | <NoneType>"),
        }
    }

    fn alternatives(&mut self, shapes: &'s [Shape], depth: usize) {
        for (index, shape) in shapes.iter().enumerate() {
            self.shape(shape, depth);
            if index + 1 == shapes.len() {
                break;
            }
            match self.comment(shape).filter(|it| !it.is_empty()) {
                None => self.out.push_str(" | "),
                comment => {
                    self.write_comment(comment);
                    self.line(depth);
                    self.out.push_str("| ");
                }
            }
        }
    }

    fn line(&mut self, depth: usize) {
        self.out.push('\n');
        self.out.push_str(&"  ".repeat(depth));
    }

    fn write_comment(&mut self, comment: Option<String>) {
        let Some(comment) = comment else { return };
        self.out.push_str(" //");
        if !comment.is_empty() {
            self.out.push(' ');
            self.out.push_str(&comment);
        }
    }

    /// The comment after a shape: its description, and those of the parts in its line.
    fn comment(&mut self, shape: &'s Shape) -> Option<String> {
        let own = shape.description.as_deref().map(one_line);
        let listed: Vec<String> = match &shape.kind {
            ShapeKind::Literals(literals) => {
                let described = |it: &Literal| {
                    Some(format!(
                        "{}: {}",
                        literal(&it.value),
                        one_line(it.description.as_deref()?)
                    ))
                };
                literals.iter().filter_map(described).collect()
            }
            // Alternatives in separate lines have their own comments, except for the last one.
            ShapeKind::OneOf(shapes) => {
                let lines = has_lines(shape);
                let from = if lines { shapes.len().saturating_sub(1) } else { 0 };
                let mut listed = Vec::new();
                for part in shapes.iter().skip(from) {
                    let Some(comment) = self.comment(part).filter(|it| !it.is_empty()) else {
                        continue;
                    };
                    listed.push(if lines {
                        comment
                    } else {
                        format!("{}: {comment}", self.inline(part))
                    });
                }
                listed
            }
            _ => Vec::new(),
        };
        if listed.is_empty() {
            return own.map(Cow::into_owned);
        }
        let listed = listed.join("; ");
        Some(match own.filter(|it| !it.is_empty()) {
            None => listed,
            Some(own) if own.ends_with(['.', '!', '?']) => format!("{own} {listed}"),
            Some(own) => format!("{own}; {listed}"),
        })
    }

    /// The shape in one line, as a type expression.
    fn inline(&mut self, shape: &'s Shape) -> String {
        match &shape.kind {
            ShapeKind::Any => "Any".to_owned(),
            ShapeKind::Words(words) => one_line(words).into_owned(),
            ShapeKind::Null => "NoneType".to_owned(),
            ShapeKind::Boolean => "bool".to_owned(),
            ShapeKind::Integer => "int".to_owned(),
            ShapeKind::Number => "float".to_owned(),
            ShapeKind::Text => "str".to_owned(),
            ShapeKind::List => "list".to_owned(),
            ShapeKind::ListOf(items) if items.is_empty() => "list".to_owned(),
            ShapeKind::ListOf(items) => format!("list[{}]", self.inline_all(items, " | ")),
            ShapeKind::Tuple(items) => format!("tuple[{}]", self.inline_all(items, ", ")),
            ShapeKind::Map => "dict".to_owned(),
            ShapeKind::Object(object) => match &object.others {
                OtherKeys::Shape(shape) if !is_unspecific(shape) => {
                    format!("dict[str, {}]", self.inline(shape))
                }
                _ => "dict".to_owned(),
            },
            ShapeKind::OneOf(shapes) => self.inline_all(shapes, " | "),
            ShapeKind::Literals(literals) => {
                let values: Vec<String> = literals.iter().map(|it| literal(&it.value)).collect();
                format!("Literal[{}]", values.join(", "))
            }
            ShapeKind::Recursive(name, inner) => {
                one_line(&self.names.define(name, inner, &self.scope)).into_owned()
            }
            ShapeKind::Reference(name) => {
                let written = resolve(&self.scope, name);
                written.map_or("Any".to_owned(), |name| one_line(name).into_owned())
            }
        }
    }

    fn inline_all(&mut self, shapes: &'s [Shape], separator: &str) -> String {
        shapes.iter().map(|it| self.inline(it)).collect::<Vec<_>>().join(separator)
    }
}

/// Whether a shape is written in several lines.
fn has_lines(shape: &Shape) -> bool {
    match &shape.kind {
        ShapeKind::Object(object) if object.fields.is_empty() => match &object.others {
            OtherKeys::Shape(others) => {
                has_lines(others) || shape.parts().iter().any(|it| is_described(it))
            }
            OtherKeys::Unspecified | OtherKeys::None => true,
        },
        ShapeKind::Object(_) => true,
        ShapeKind::ListOf(parts) | ShapeKind::Tuple(parts) => {
            parts.iter().any(|part| has_lines(part) || is_described(part))
        }
        ShapeKind::OneOf(parts) => parts.iter().any(has_lines),
        _ => false,
    }
}

fn is_described(shape: &Shape) -> bool {
    shape.description().is_some_and(|it| !it.is_empty())
}

/// Whether a shape allows any value and has no description.
fn is_unspecific(shape: &Shape) -> bool {
    matches!(shape.kind, ShapeKind::Any) && !is_described(shape)
}

/// A literal. Strings have quotes only if they could be mistaken for something else.
fn literal(value: &Value) -> String {
    match value {
        Value::String(text) if is_plain(text) => text.to_string(),
        value => value.to_json(),
    }
}

fn is_plain(text: &str) -> bool {
    let is_special =
        |it: char| it.is_control() || matches!(it, ',' | '[' | ']' | '"' | '<' | '>' | '|');
    let is_text = Value::from_json(text).is_err();
    is_text && !text.is_empty() && text.trim() == text && !text.contains(is_special)
}

/// A text in one line, because a line break would end its comment.
fn one_line(text: &str) -> Cow<'_, str> {
    let is_break = |it: char| matches!(it, '\n'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
    if !text.contains(is_break) {
        return Cow::Borrowed(text);
    }
    let lines = text.split(is_break).map(str::trim).filter(|line| !line.is_empty());
    Cow::Owned(lines.collect::<Vec<_>>().join(" "))
}
