//! Builds a value from the events of the JSON machine.

use prompty_core::value::{Map, Value};

use super::json::JsonEvent;
use super::path::Step;

/// A value that is built from events.
#[derive(Debug, Clone, Default)]
pub(super) struct ValueBuilder {
    /// The open objects and arrays, the outermost first.
    open: Vec<OpenContainer>,
    /// The open string.
    text: Option<String>,
    /// The number or literal in which the reply ended.
    cut: Option<Value>,
    root: Option<Value>,
}

#[derive(Debug, Clone)]
enum OpenContainer {
    Object { entries: Map, key: String },
    List(Vec<Value>),
}

impl ValueBuilder {
    /// Applies an event, and returns the value that it completed.
    pub(super) fn apply(&mut self, event: JsonEvent) -> Option<Value> {
        match event {
            JsonEvent::Object => {
                self.open.push(OpenContainer::Object { entries: Map::new(), key: String::new() });
            }
            JsonEvent::List => self.open.push(OpenContainer::List(Vec::new())),
            JsonEvent::Key(name) => {
                if let Some(OpenContainer::Object { key, .. }) = self.open.last_mut() {
                    *key = name;
                }
            }
            JsonEvent::Text => self.text = Some(String::new()),
            JsonEvent::Piece(piece) => {
                if let Some(text) = &mut self.text {
                    text.push_str(&piece);
                }
            }
            JsonEvent::TextEnd => return self.end_text(),
            JsonEvent::Scalar(value) => return Some(self.put(value)),
            JsonEvent::CutScalar(value) => self.cut = Some(value),
            JsonEvent::End => return self.end_container(),
        }
        None
    }

    /// Whether the innermost object already has a key.
    pub(super) fn has_key(&self, name: &str) -> bool {
        matches!(
            self.open.last(),
            Some(OpenContainer::Object { entries, .. }) if entries.contains_key(name)
        )
    }

    fn end_text(&mut self) -> Option<Value> {
        let text = self.text.take()?;
        Some(self.put(Value::from(text)))
    }

    fn end_container(&mut self) -> Option<Value> {
        let value = match self.open.pop()? {
            OpenContainer::Object { entries, .. } => Value::Object(entries),
            OpenContainer::List(items) => Value::from(items),
        };
        Some(self.put(value))
    }

    /// Adds a complete value to the innermost container.
    fn put(&mut self, value: Value) -> Value {
        match self.open.last_mut() {
            Some(OpenContainer::Object { entries, key }) => {
                entries.insert(std::mem::take(key), value.clone());
            }
            Some(OpenContainer::List(items)) => items.push(value.clone()),
            None => self.root = Some(value.clone()),
        }
        value
    }

    /// The path of the innermost open value; `None` if no value is open.
    pub(super) fn open_path(&self) -> Option<Vec<Step>> {
        let steps = self.open.iter().map(|it| match it {
            OpenContainer::Object { key, .. } => Step::Key(key.as_str().into()),
            OpenContainer::List(items) => Step::Index(items.len()),
        });
        // Without an open scalar, the innermost container is the innermost open value.
        let is_in_scalar = self.text.is_some() || self.cut.is_some();
        let length = if is_in_scalar { self.open.len() } else { self.open.len().checked_sub(1)? };
        Some(steps.take(length).collect())
    }

    /// The value, with all open containers closed; `None` if no value began.
    pub(super) fn finish(mut self) -> Option<Value> {
        self.end_text();
        if let Some(value) = self.cut.take() {
            self.put(value);
        }
        while !self.open.is_empty() {
            self.end_container();
        }
        self.root
    }
}
