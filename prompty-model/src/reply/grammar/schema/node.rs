//! A part of a schema and where it stands; references; what is said where a keyword cannot be held to.

use prompty_core::diagnostic::Place;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::value::Value;

/// A schema, or a part of one, with its JSON pointer.
#[derive(Debug, Clone)]
pub(super) struct Node<'s> {
    pub(super) value: &'s Value,
    pub(super) at: String,
}

impl<'s> Node<'s> {
    /// The whole schema.
    pub(super) fn root(value: &'s Value) -> Self {
        Self { value, at: "#".to_owned() }
    }

    /// The value of a keyword, as a schema.
    pub(super) fn child(&self, keyword: &str, value: &'s Value) -> Self {
        Self { value, at: format!("{}/{}", self.at, step(keyword)) }
    }

    /// The schemas of a keyword whose value is a list of them.
    pub(super) fn children(&self, keyword: &str, value: &'s Value) -> Result<Vec<Self>, Error> {
        let Some(list) = value.as_array() else {
            return Err(self.wrong(keyword, "a list of schemas", value));
        };
        let list_node = self.child(keyword, value);
        let child = |(at, value): (usize, &'s Value)| list_node.child(&at.to_string(), value);
        Ok(list.iter().enumerate().map(child).collect())
    }

    /// An error at a keyword.
    pub(super) fn error(&self, keyword: &str, message: impl Into<String>) -> Error {
        error_at(&format!("{}/{}", self.at, step(keyword)), message)
    }

    /// The error of a keyword whose value has the wrong form.
    pub(super) fn wrong(&self, keyword: &str, expected: &str, found: &Value) -> Error {
        let found = found.kind_name();
        self.error(keyword, format!("`{keyword}` of a schema has to be {expected}, not {found}"))
    }
}

/// An error at a place in a schema.
pub(super) fn error_at(pointer: &str, message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Grammar, message).at(Place::named(pointer))
}

/// A name as a step of a JSON pointer.
pub(super) fn step(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// What a reference such as `#/$defs/address` stands for.
pub(super) fn referred<'s>(root: &'s Value, reference: &str) -> Option<&'s Value> {
    let pointer = percent_decoded(reference.strip_prefix('#')?)?;
    let mut steps = pointer.split('/');
    // A name without a slash is an anchor.
    if steps.next() != Some("") {
        return None;
    }
    steps.try_fold(root, |at, step| {
        let step = step.replace("~1", "/").replace("~0", "~");
        match at {
            Value::Array(list) => list.get(step.parse::<usize>().ok()?),
            _ => at.get(&step),
        }
    })
}

fn percent_decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        let code = digit(rest.next())? * 16 + digit(rest.next())?;
        bytes.push(u8::try_from(code).ok()?);
    }
    String::from_utf8(bytes).ok()
}
