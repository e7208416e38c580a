//! Records the parts of a definition that came from the host: from its environment and its files.
//! They are used like all other parts, but are never shown.
//!
//! A value of `${env:…}` or `${file:…}` belongs to the host, and so does each value that is derived
//! from it. In a file the keys belong to the host too. The default in `${env:NAME:default}` belongs
//! to the author. Messages cannot use this record, because they may quote a value that a template
//! has processed. `HiddenTexts` finds the host's strings in them by their characters.
//!
//! A value that is built from a map of the front matter keeps the [`HostParts`] of that map. Its
//! `Debug` shows each field through [`DebugFields`], which hides those parts.

use std::collections::HashMap;
use std::fmt::{self, Debug};
use std::sync::Arc;

use prompty_core::trace::{REDACTED, is_secret, redact};
use prompty_core::value::{Map, Value};

/// The parts of a value that came from the host, by their places in the value.
#[derive(Debug, Clone, Default)]
pub(super) enum HostParts {
    /// No part.
    #[default]
    None,
    /// All of it, with the names of its entries.
    All,
    /// Parts of the entries of a map.
    Entries(Arc<HashMap<Arc<str>, HostParts>>),
    /// Parts of the items of a list.
    Items(Arc<Vec<HostParts>>),
}

/// All are equal, because the origin of a value does not belong to the content of a definition.
impl PartialEq for HostParts {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl HostParts {
    pub(super) fn from_entries(
        entries: impl IntoIterator<Item = (Arc<str>, HostParts)>,
    ) -> HostParts {
        let entries = entries.into_iter().filter(|(_, parts)| parts.any());
        let entries: HashMap<_, _> = entries.collect();
        if entries.is_empty() { Self::None } else { Self::Entries(Arc::new(entries)) }
    }

    pub(super) fn from_entry(key: &str, parts: HostParts) -> HostParts {
        Self::from_entries([(key.into(), parts)])
    }

    pub(super) fn from_items(items: impl IntoIterator<Item = HostParts>) -> HostParts {
        let items: Vec<_> = items.into_iter().collect();
        if items.iter().any(Self::any) { Self::Items(Arc::new(items)) } else { Self::None }
    }

    /// Whether any part came from the host.
    pub(super) fn any(&self) -> bool {
        !matches!(self, Self::None)
    }

    /// Whether the names of the entries came from the host as well.
    pub(super) fn is_all(&self) -> bool {
        matches!(self, Self::All)
    }

    /// The parts of the value under a key.
    pub(super) fn entry(&self, key: &str) -> HostParts {
        match self {
            Self::All => Self::All,
            Self::Entries(entries) => entries.get(key).cloned().unwrap_or_default(),
            Self::None | Self::Items(_) => Self::None,
        }
    }

    fn item(&self, index: usize) -> HostParts {
        match self {
            Self::All => Self::All,
            Self::Items(items) => items.get(index).cloned().unwrap_or_default(),
            Self::None | Self::Entries(_) => Self::None,
        }
    }

    /// A value in the form that is shown: without parts of the host and values with secret names.
    fn shown(&self, value: &Value) -> Value {
        match (self, value) {
            (Self::None, value) => redact(value),
            (Self::All, _) => Value::from(REDACTED),
            // Some parts came from the host, so the others are shown.
            (_, Value::Array(items)) => {
                let items = items.iter().enumerate();
                items.map(|(index, item)| self.item(index).shown(item)).collect()
            }
            (_, Value::Object(map)) => self.shown_entries(map),
            // The value has another form than the node that the parts were found in.
            (_, _) => Value::from(REDACTED),
        }
    }

    /// A map in the form that is shown. If the host chose its keys, they are hidden as well.
    fn shown_entries(&self, map: &Map) -> Value {
        if self.is_all() && !map.is_empty() {
            return Value::from(REDACTED);
        }
        let shown = map.iter().map(|(name, value)| {
            let is_hidden = is_secret(name);
            let shown = if is_hidden { REDACTED.into() } else { self.entry(name).shown(value) };
            (name, shown)
        });
        Value::Object(shown.collect())
    }
}

/// The parts of a named value. The name is under the key `name` of its map, or is its key.
#[derive(Clone, Default, PartialEq)]
pub(super) struct NamedHostParts {
    pub(super) parts: HostParts,
    /// The parts of the name: all or none.
    pub(super) name: HostParts,
}

impl NamedHostParts {
    /// The parts of something that is built from a single value, as if the value had this key.
    pub(super) fn under(key: &str, parts: HostParts) -> Self {
        Self { parts: HostParts::from_entry(key, parts), name: HostParts::None }
    }
}

/// Shows the fields of a struct, without the parts that came from the host.
pub(super) struct DebugFields<'h, 'f, 'b> {
    host: &'h HostParts,
    shown: fmt::DebugStruct<'f, 'b>,
}

impl<'h, 'f, 'b> DebugFields<'h, 'f, 'b> {
    pub(super) fn new(f: &'f mut fmt::Formatter<'b>, name: &str, host: &'h HostParts) -> Self {
        Self { host, shown: f.debug_struct(name) }
    }

    /// A field that was read from a key.
    pub(super) fn field(&mut self, name: &str, key: &str, value: &dyn Debug) -> &mut Self {
        let is_host = self.host.entry(key).any();
        self.shown.field(name, if is_host { &REDACTED } else { value });
        self
    }

    /// A field that is a value of any type, and that was read from a key.
    pub(super) fn value(&mut self, name: &str, key: &str, value: Option<&Value>) -> &mut Self {
        let parts = self.host.entry(key);
        self.shown.field(name, &value.map(|value| parts.shown(value)));
        self
    }

    /// A field with all entries under a key.
    pub(super) fn entries(&mut self, name: &str, key: &str, map: &Map) -> &mut Self {
        self.shown.field(name, &self.host.entry(key).shown_entries(map));
        self
    }

    /// A field with the unknown entries of the struct's own map.
    pub(super) fn unknown(&mut self, map: &Map) -> &mut Self {
        self.shown.field("unknown", &self.host.shown_entries(map));
        self
    }

    /// A field whose keys alone are shown: the keys of the struct's own map that are not fields.
    pub(super) fn keys(&mut self, name: &str, map: &Map) -> &mut Self {
        let keys: Vec<&str> = map.keys().collect();
        let is_host = self.host.is_all() && !keys.is_empty();
        self.shown.field(name, if is_host { &REDACTED } else { &keys });
        self
    }

    /// The name, which may be the key of the struct.
    pub(super) fn name(&mut self, field: &str, name: &str, parts: &HostParts) -> &mut Self {
        self.shown.field(field, if parts.any() { &REDACTED } else { &name });
        self
    }

    /// A field that needs no redaction: a span, or a value whose own `Debug` hides its parts.
    pub(super) fn shown_as_is(&mut self, name: &str, value: &dyn Debug) -> &mut Self {
        self.shown.field(name, value);
        self
    }

    pub(super) fn finish(&mut self) -> fmt::Result {
        self.shown.finish()
    }
}
