//! The text that shows a shape to a model: JSON with types in the place of values.

use std::borrow::Cow;

use super::names::{Names, Scope, resolve};
use super::{Kind, Layout, Literal, Object, Others, Shape};
use crate::value::Value;

impl Shape {
    /// The structure as the model is shown it. Descriptions are comments, each in one line.
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
        let mut writer =
            Writer { names: Names::default(), scope: Scope::new(), out: String::new() };
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
    /// The shape in one line, as its type is written.
    pub(super) fn type_name(&self) -> String {
        Writer { names: Names::default(), scope: Scope::new(), out: String::new() }.inline(self)
    }
}

struct Writer<'s> {
    names: Names<'s>,
    scope: Scope,
    out: String,
}

impl<'s> Writer<'s> {
    /// A shape whose lines are indented by so many steps, but for the first.
    fn shape(&mut self, shape: &'s Shape, depth: usize) {
        match &shape.kind {
            Kind::ListOf(items) if shape.layout == Layout::Lines => {
                self.items(items, &["..."], depth);
            }
            Kind::Tuple(items) if shape.layout == Layout::Lines => self.items(items, &[], depth),
            Kind::Object(object) if has_lines(shape) => self.object(object, depth),
            Kind::OneOf(shapes) if has_lines(shape) => self.alternatives(shapes, depth),
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

    fn object(&mut self, object: &'s Object, depth: usize) {
        let others = match &object.others {
            Others::Shape(shape) if !says_nothing(shape) => Some(&**shape),
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

    /// What stands under a key. Where the key may be missing, the model may write `null`.
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

    /// What stands behind a shape in a comment: its description, and those of what it lists in a line.
    fn comment(&mut self, shape: &'s Shape) -> Option<String> {
        let own = shape.description.as_deref().map(one_line);
        let listed: Vec<String> = match &shape.kind {
            Kind::Literals(literals) => {
                let described = |it: &Literal| {
                    Some(format!(
                        "{}: {}",
                        literal(&it.value),
                        one_line(it.description.as_deref()?)
                    ))
                };
                literals.iter().filter_map(described).collect()
            }
            // Those with lines of their own have their comments, but for the last one.
            Kind::OneOf(shapes) => {
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

    /// A shape in one line, as its type is written.
    fn inline(&mut self, shape: &'s Shape) -> String {
        match &shape.kind {
            Kind::Any => "Any".to_owned(),
            Kind::Words(words) => one_line(words).into_owned(),
            Kind::Null => "NoneType".to_owned(),
            Kind::Boolean => "bool".to_owned(),
            Kind::Integer => "int".to_owned(),
            Kind::Number => "float".to_owned(),
            Kind::Text => "str".to_owned(),
            Kind::List => "list".to_owned(),
            Kind::ListOf(items) if items.is_empty() => "list".to_owned(),
            Kind::ListOf(items) => format!("list[{}]", self.inline_all(items, " | ")),
            Kind::Tuple(items) => format!("tuple[{}]", self.inline_all(items, ", ")),
            Kind::Map => "dict".to_owned(),
            Kind::Object(object) => match &object.others {
                Others::Shape(shape) if !says_nothing(shape) => {
                    format!("dict[str, {}]", self.inline(shape))
                }
                _ => "dict".to_owned(),
            },
            Kind::OneOf(shapes) => self.inline_all(shapes, " | "),
            Kind::Literals(literals) => {
                let values: Vec<String> = literals.iter().map(|it| literal(&it.value)).collect();
                format!("Literal[{}]", values.join(", "))
            }
            Kind::Recursive(name, inner) => {
                one_line(&self.names.define(name, inner, &self.scope)).into_owned()
            }
            Kind::Reference(name) => {
                let written = resolve(&self.scope, name);
                written.map_or("Any".to_owned(), |name| one_line(name).into_owned())
            }
        }
    }

    fn inline_all(&mut self, shapes: &'s [Shape], between: &str) -> String {
        shapes.iter().map(|it| self.inline(it)).collect::<Vec<_>>().join(between)
    }
}

/// Whether a shape needs lines of its own wherever it stands.
fn has_lines(shape: &Shape) -> bool {
    match &shape.kind {
        Kind::Object(object) if object.fields.is_empty() => match &object.others {
            Others::Shape(others) => {
                has_lines(others) || shape.parts().iter().any(|it| is_described(it))
            }
            Others::Unsaid | Others::Nothing => true,
        },
        Kind::Object(_) => true,
        Kind::ListOf(parts) | Kind::Tuple(parts) => {
            parts.iter().any(|part| has_lines(part) || is_described(part))
        }
        Kind::OneOf(parts) => parts.iter().any(has_lines),
        _ => false,
    }
}

fn is_described(shape: &Shape) -> bool {
    shape.description().is_some_and(|it| !it.is_empty())
}

/// Whether a shape says nothing of a value.
fn says_nothing(shape: &Shape) -> bool {
    matches!(shape.kind, Kind::Any) && !is_described(shape)
}

/// A value of a list of values. Texts are bare where they cannot be mistaken.
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

/// A text in one line: a line break would end the comment that it stands in.
fn one_line(text: &str) -> Cow<'_, str> {
    let is_break = |it: char| matches!(it, '\n'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
    if !text.contains(is_break) {
        return Cow::Borrowed(text);
    }
    let lines = text.split(is_break).map(str::trim).filter(|line| !line.is_empty());
    Cow::Owned(lines.collect::<Vec<_>>().join(" "))
}
