//! A value while it grows: the events of the machine, put together.

use prompty_core::value::{Map, Value};

use super::json::Event;
use super::path::Step;

/// A value that is put together from events.
#[derive(Debug, Clone, Default)]
pub(super) struct Growing {
    /// The objects and lists that are open, from the outermost.
    open: Vec<Open>,
    /// The text that is open.
    text: Option<String>,
    /// The number or the literal in which the reply ended.
    cut: Option<Value>,
    root: Option<Value>,
}

#[derive(Debug, Clone)]
enum Open {
    Object { entries: Map, key: String },
    List(Vec<Value>),
}

impl Growing {
    /// Takes an event, and returns the value that it made whole.
    pub(super) fn apply(&mut self, event: Event) -> Option<Value> {
        match event {
            Event::Object => {
                self.open.push(Open::Object { entries: Map::new(), key: String::new() });
            }
            Event::List => self.open.push(Open::List(Vec::new())),
            Event::Key(name) => {
                if let Some(Open::Object { key, .. }) = self.open.last_mut() {
                    *key = name;
                }
            }
            Event::Text => self.text = Some(String::new()),
            Event::Piece(piece) => {
                if let Some(text) = &mut self.text {
                    text.push_str(&piece);
                }
            }
            Event::TextEnd => return self.end_text(),
            Event::Scalar(value) => return Some(self.put(value)),
            Event::CutScalar(value) => self.cut = Some(value),
            Event::End => return self.end(),
        }
        None
    }

    /// Whether the object at hand has a key already.
    pub(super) fn has_key(&self, name: &str) -> bool {
        matches!(self.open.last(), Some(Open::Object { entries, .. }) if entries.contains_key(name))
    }

    fn end_text(&mut self) -> Option<Value> {
        let text = self.text.take()?;
        Some(self.put(Value::from(text)))
    }

    fn end(&mut self) -> Option<Value> {
        let value = match self.open.pop()? {
            Open::Object { entries, .. } => Value::Object(entries),
            Open::List(items) => Value::from(items),
        };
        Some(self.put(value))
    }

    fn put(&mut self, value: Value) -> Value {
        match self.open.last_mut() {
            Some(Open::Object { entries, key }) => {
                entries.insert(std::mem::take(key), value.clone());
            }
            Some(Open::List(items)) => items.push(value.clone()),
            None => self.root = Some(value.clone()),
        }
        value
    }

    /// The way to the innermost value that is open. `None` if all that began is whole.
    pub(super) fn open(&self) -> Option<Vec<Step>> {
        let steps = self.open.iter().map(|it| match it {
            Open::Object { key, .. } => Step::Key(key.clone()),
            Open::List(items) => Step::Index(items.len()),
        });
        let is_in_scalar = self.text.is_some() || self.cut.is_some();
        let length = if is_in_scalar { self.open.len() } else { self.open.len().checked_sub(1)? };
        Some(steps.take(length).collect())
    }

    /// The value, with all that is open closed. `None` if none began.
    pub(super) fn finish(mut self) -> Option<Value> {
        self.end_text();
        if let Some(value) = self.cut.take() {
            self.put(value);
        }
        while !self.open.is_empty() {
            self.end();
        }
        self.root
    }
}
