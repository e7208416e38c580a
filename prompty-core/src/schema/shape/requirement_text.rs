//! The text that shows a shape to a model: JSON with types instead of values.
//!
//! The notation is that of Agently, the reference implementation: `<str>`, `// description`, `...`.
//! It differs where the original is ambiguous or wrong:
//!
//! - A description with line breaks stays in its comment.
//! - A key is written as a JSON string.
//! - An object or array with a description is not indented twice.
//! - An optional key may be `null`, as in strict schemas that require each key.
//! - The comment of a value names its limits, such as `at least 1, at most 9`.
//!
//! A shape is written either in lines, between brackets (`write_shape`), or as a type expression in
//! one line, such as `<list[str]>` (`type_expression`). Its comment follows at the end of its last
//! line. A recursive shape is written as its name; its content follows after the others.

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
        writer.write_root(self);
        // The content of a recursive shape may contain further ones, so the list can grow.
        let mut next = 0;
        while let Some(defined) = writer.names.get(next) {
            let (shape, scope) = (defined.shape, defined.scope.clone());
            writer.out.push_str(&format!("\n\n<{}>:\n", one_line(&defined.name)));
            writer.scope = scope;
            writer.write_root(shape);
            next += 1;
        }
        writer.out
    }

    /// The shape in one line, as a type expression.
    pub(super) fn type_name(&self) -> String {
        RequirementWriter::default().type_expression(self)
    }
}

/// Writes the requirement of a shape to `out`.
#[derive(Default)]
struct RequirementWriter<'s> {
    /// The recursive shapes whose content has to be written.
    names: DefinitionNames<'s>,
    /// The names of the recursive shapes around the current one.
    scope: NameScope,
    out: String,
}

impl<'s> RequirementWriter<'s> {
    /// Writes a shape that is not inside of another, and its limits. Its description is not written.
    fn write_root(&mut self, shape: &'s Shape) {
        self.write_shape(shape, 0);
        let limits = self.comments_of_parts(shape).join("; ");
        self.write_comment(Some(limits).filter(|it| !it.is_empty()));
    }

    /// Writes a shape. Its lines after the first are indented by `depth` steps.
    fn write_shape(&mut self, shape: &'s Shape, depth: usize) {
        match &shape.kind {
            ShapeKind::ListOf(items) if shape.layout == ShapeLayout::Lines => {
                self.write_items(items, &["..."], depth);
            }
            ShapeKind::Tuple(items) if shape.layout == ShapeLayout::Lines => {
                self.write_items(items, &[], depth);
            }
            ShapeKind::Object(object) if needs_lines(shape) => self.write_object(object, depth),
            ShapeKind::OneOf(shapes) if needs_lines(shape) => {
                self.write_alternatives(shapes, depth);
            }
            _ => {
                let words = self.type_expression(shape);
                self.out.push_str(&format!("<{words}>"));
            }
        }
    }

    /// Writes a list or a tuple. A list has a last line, `...`, in `more`.
    fn write_items(&mut self, items: &'s [Shape], more: &[&str], depth: usize) {
        if items.is_empty() {
            self.out.push_str("[]");
            return;
        }
        self.out.push('[');
        for (index, item) in items.iter().enumerate() {
            self.start_line(depth + 1);
            self.write_shape(item, depth + 1);
            if index + 1 < items.len() || !more.is_empty() {
                self.out.push(',');
            }
            let comment = self.comment_of(item).filter(|it| !it.is_empty());
            self.write_comment(comment);
        }
        for line in more {
            self.start_line(depth + 1);
            self.out.push_str(line);
        }
        self.start_line(depth);
        self.out.push(']');
    }

    /// Writes the keys of an object. If it may have others, the last line is `...`.
    fn write_object(&mut self, object: &'s ObjectShape, depth: usize) {
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
            self.start_line(depth + 1);
            self.out.push_str(&key);
            self.out.push_str(": ");
            self.write_field(shape, depth + 1);
            if entries.peek().is_some() || has_more {
                self.out.push(',');
            }
            let comment = self.comment_of(shape);
            self.write_comment(comment);
        }
        if has_more {
            self.start_line(depth + 1);
            self.out.push_str("...");
        }
        self.start_line(depth);
        self.out.push('}');
    }

    /// Writes the value of a key. An optional key may also be `null`.
    fn write_field(&mut self, shape: &'s Shape, depth: usize) {
        self.write_shape(shape, depth);
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

    /// Writes alternatives with ` | ` between them. After a comment, the next one begins a line.
    fn write_alternatives(&mut self, shapes: &'s [Shape], depth: usize) {
        for (index, shape) in shapes.iter().enumerate() {
            self.write_shape(shape, depth);
            if index + 1 == shapes.len() {
                break;
            }
            match self.comment_of(shape).filter(|it| !it.is_empty()) {
                None => self.out.push_str(" | "),
                comment => {
                    self.write_comment(comment);
                    self.start_line(depth);
                    self.out.push_str("| ");
                }
            }
        }
    }

    /// Begins a line that is indented by `depth` steps.
    fn start_line(&mut self, depth: usize) {
        self.out.push('\n');
        self.out.push_str(&"  ".repeat(depth));
    }

    /// Writes a comment at the end of a line. An empty one, of a field whose description is empty,
    /// is written as `//`.
    fn write_comment(&mut self, comment: Option<String>) {
        let Some(comment) = comment else { return };
        self.out.push_str(" //");
        if !comment.is_empty() {
            self.out.push(' ');
            self.out.push_str(&comment);
        }
    }

    /// The comment after a shape: its description, its limits, and the comments of the parts in its
    /// line. For the literals `low` (described as "a day") and `high` with the description "How
    /// urgent.", it is `How urgent. low: a day`.
    fn comment_of(&mut self, shape: &'s Shape) -> Option<String> {
        let own = shape.description.as_deref().map(one_line);
        let listed = self.comments_of_parts(shape);
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

    /// The limits of a shape, and the comments of the parts in its line.
    fn comments_of_parts(&mut self, shape: &'s Shape) -> Vec<String> {
        let limits = shape.limits_in_words(|_, _| true);
        let mut listed: Vec<String> = limits.iter().map(|it| one_line(it).into_owned()).collect();
        match &shape.kind {
            ShapeKind::Literals(literals) => {
                let described = |it: &Literal| {
                    let description = one_line(it.description.as_deref()?);
                    Some(format!("{}: {description}", literal_text(&it.value)))
                };
                listed.extend(literals.iter().filter_map(described));
            }
            // Alternatives in separate lines have their own comments, except for the last one.
            ShapeKind::OneOf(shapes) if needs_lines(shape) => {
                let last = shapes.last().and_then(|last| self.comment_of(last));
                listed.extend(last.filter(|it| !it.is_empty()));
            }
            ShapeKind::OneOf(parts) => self.add_comments_of(parts, &mut listed),
            ShapeKind::ListOf(parts) | ShapeKind::Tuple(parts)
                if shape.layout == ShapeLayout::Inline =>
            {
                self.add_comments_of(parts, &mut listed);
            }
            _ => {}
        }
        listed
    }

    /// Adds the comments of shapes that are written in one line, each after its type.
    fn add_comments_of(&mut self, shapes: &'s [Shape], listed: &mut Vec<String>) {
        for part in shapes {
            if let Some(comment) = self.comment_of(part).filter(|it| !it.is_empty()) {
                listed.push(format!("{}: {comment}", self.type_expression(part)));
            }
        }
    }

    /// The shape in one line, as a type expression.
    fn type_expression(&mut self, shape: &'s Shape) -> String {
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
            ShapeKind::ListOf(items) => format!("list[{}]", self.type_expressions(items, " | ")),
            ShapeKind::Tuple(items) => format!("tuple[{}]", self.type_expressions(items, ", ")),
            ShapeKind::Map => "dict".to_owned(),
            ShapeKind::Object(object) => match &object.others {
                OtherKeys::Shape(shape) if !is_unspecific(shape) => {
                    format!("dict[str, {}]", self.type_expression(shape))
                }
                _ => "dict".to_owned(),
            },
            ShapeKind::OneOf(shapes) => self.type_expressions(shapes, " | "),
            ShapeKind::Literals(literals) => {
                let values: Vec<String> =
                    literals.iter().map(|it| literal_text(&it.value)).collect();
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

    fn type_expressions(&mut self, shapes: &'s [Shape], separator: &str) -> String {
        shapes.iter().map(|it| self.type_expression(it)).collect::<Vec<_>>().join(separator)
    }
}

/// Whether a shape needs several lines, because a type expression in one line would lose its keys
/// or descriptions. `list[str]` does not need them, so `list[str] | int` is written in one line.
fn needs_lines(shape: &Shape) -> bool {
    match &shape.kind {
        ShapeKind::Object(object) if object.fields.is_empty() => match &object.others {
            OtherKeys::Shape(others) => {
                needs_lines(others) || shape.parts().iter().any(|it| is_described(it))
            }
            // It is written as `{}`. A type expression would be `dict`, which allows any keys.
            OtherKeys::Unspecified | OtherKeys::None => true,
        },
        ShapeKind::Object(_) => true,
        ShapeKind::ListOf(parts) | ShapeKind::Tuple(parts) => {
            parts.iter().any(|part| needs_lines(part) || is_described(part))
        }
        ShapeKind::OneOf(parts) => parts.iter().any(needs_lines),
        _ => false,
    }
}

/// Whether a shape has a description or limits, which its comment shows.
fn is_described(shape: &Shape) -> bool {
    shape.description().is_some_and(|it| !it.is_empty())
        || shape.limits_in_words(|_, _| true).is_some()
}

/// Whether a shape allows any value and has no description.
fn is_unspecific(shape: &Shape) -> bool {
    matches!(shape.kind, ShapeKind::Any) && !is_described(shape)
}

/// A literal. Strings have quotes only if they could be mistaken for something else.
fn literal_text(value: &Value) -> String {
    match value {
        Value::String(text) if is_plain(text) => text.to_string(),
        value => value.to_json(),
    }
}

/// Whether a string needs no quotes in `Literal[a, b]`. JSON, such as `1` and `true`, needs them.
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
