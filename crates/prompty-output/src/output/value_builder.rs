//! Builds a value from the events of the JSON machine.

use prompty_core::value::{Map, Value};

use super::json::JsonEvent;
use super::path::{Path, Step};
use super::repair::{Repair, RepairKind};
use super::written_form::{InnerForms, WrittenForm};

/// The maximum number of duplicate keys that are recorded for a value. Each has its complete path.
const MAX_DUPLICATES: usize = 16;

/// A value that is built from events.
#[derive(Debug, Clone, Default)]
pub(super) struct ValueBuilder {
    /// The open objects and arrays, the outermost first.
    open: Vec<OpenContainer>,
    /// The open string.
    text: Option<String>,
    /// The number or literal in which the reply ended.
    cut: Option<(Value, WrittenForm)>,
    root: Option<(Value, WrittenForm)>,
    /// The paths of the first keys that occurred again.
    duplicates: Vec<Path>,
}

#[derive(Debug, Clone)]
enum OpenContainer {
    Object { entries: Map, key: String, forms: InnerForms },
    List { items: Vec<Value>, forms: InnerForms },
}

impl ValueBuilder {
    /// Applies an event, and returns the value that it completed.
    pub(super) fn apply(&mut self, event: JsonEvent) -> Option<Value> {
        match event {
            JsonEvent::Object => {
                self.open.push(OpenContainer::Object {
                    entries: Map::new(),
                    key: String::new(),
                    forms: InnerForms::default(),
                });
            }
            JsonEvent::List => {
                let (items, forms) = (Vec::new(), InnerForms::default());
                self.open.push(OpenContainer::List { items, forms });
            }
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
            JsonEvent::Scalar(scalar) => {
                let (value, form) = *scalar;
                return Some(self.put(value, form));
            }
            JsonEvent::CutScalar(scalar) => self.cut = Some(*scalar),
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
        Some(self.put(Value::from(text), WrittenForm::Json))
    }

    fn end_container(&mut self) -> Option<Value> {
        let (value, forms) = match self.open.pop()? {
            OpenContainer::Object { entries, forms, .. } => (Value::Object(entries), forms),
            OpenContainer::List { items, forms } => (Value::from(items), forms),
        };
        Some(self.put(value, forms.finish()))
    }

    /// Adds a complete value to the innermost container.
    fn put(&mut self, value: Value, form: WrittenForm) -> Value {
        self.record_duplicate();
        match self.open.last_mut() {
            Some(OpenContainer::Object { entries, key, forms }) => {
                // A duplicate key keeps its position.
                let position = entries.position(key).unwrap_or(entries.len());
                forms.put(position, form);
                entries.insert(std::mem::take(key), value.clone());
            }
            Some(OpenContainer::List { items, forms }) => {
                forms.put(items.len(), form);
                items.push(value.clone());
            }
            None => self.root = Some((value.clone(), form)),
        }
        value
    }

    /// Records the key of the next value, if the innermost object already has it.
    fn record_duplicate(&mut self) {
        let Some(OpenContainer::Object { entries, key, .. }) = self.open.last() else { return };
        if entries.contains_key(key) && self.duplicates.len() < MAX_DUPLICATES {
            let path = Path::from_steps(self.steps());
            self.duplicates.push(path);
        }
    }

    /// The repairs of the keys that occurred more than once.
    pub(super) fn repairs(&self) -> impl Iterator<Item = Repair> {
        let paths = self.duplicates.iter().cloned();
        paths.map(|path| Repair::of_value(RepairKind::DoubledKey, path))
    }

    /// The steps to the current value of the innermost container.
    fn steps(&self) -> impl Iterator<Item = Step> {
        self.open.iter().map(|it| match it {
            OpenContainer::Object { key, .. } => Step::Key(key.as_str().into()),
            OpenContainer::List { items, .. } => Step::Index(items.len()),
        })
    }

    /// The path of the innermost open value; `None` if no value is open.
    pub(super) fn open_path(&self) -> Option<Vec<Step>> {
        // Without an open scalar, the innermost container is the innermost open value.
        let is_in_scalar = self.text.is_some() || self.cut.is_some();
        let length = if is_in_scalar { self.open.len() } else { self.open.len().checked_sub(1)? };
        Some(self.steps().take(length).collect())
    }

    /// The value with all open containers closed, and its form; `None` if no value began.
    pub(super) fn finish(mut self) -> Option<(Value, WrittenForm)> {
        self.end_text();
        if let Some((value, form)) = self.cut.take() {
            self.put(value, form);
        }
        while !self.open.is_empty() {
            self.end_container();
        }
        self.root
    }
}
