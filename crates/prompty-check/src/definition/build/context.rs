//! Reads values of a required type from the tree, and collects the findings.
//!
//! The `path` of a value, such as `model.options.topP`, names it in messages.

use std::sync::Arc;

use super::super::node::{Entry, Mapping, Node, NodeKind, Origin};
use super::super::reference::Reference;
use super::super::scalar;
use prompty_core::diagnostic::{Code, Diagnostic, SourceSpan, SourceText, suggest::suggest};
use prompty_core::value::Map;

/// The maximum number of findings. The cost of drawing each grows with the source.
const MAX_DIAGNOSTICS: usize = 100;

/// Whether the references in the tree have been resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum References {
    Resolved,
    Unresolved,
}

/// The state while a definition is built: its source, and the findings so far.
pub(in super::super) struct Context<'s> {
    pub(super) source: &'s SourceText,
    references: References,
    diagnostics: Vec<Diagnostic>,
    misread: Vec<MisreadKey>,
}

/// A key that the format does not have, and the one that its author probably meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct MisreadKey {
    pub(in super::super) key: SourceSpan,
    pub(in super::super) meant: &'static str,
}

impl<'s> Context<'s> {
    pub(in super::super) fn new(source: &'s SourceText, references: References) -> Self {
        Self { source, references, diagnostics: Vec::new(), misread: Vec::new() }
    }

    /// All findings, and the keys that were probably meant as other keys.
    pub(in super::super) fn finish(self) -> (Vec<Diagnostic>, Vec<MisreadKey>) {
        (self.diagnostics, self.misread)
    }

    /// Adds a finding, unless there are too many.
    pub(in super::super) fn report(&mut self, diagnostic: Diagnostic) {
        // Errors prevent loading, so they have a higher limit than warnings.
        let limit = match diagnostic.code {
            Code::WrongType => 2 * MAX_DIAGNOSTICS,
            _ => MAX_DIAGNOSTICS,
        };
        if self.diagnostics.len() < limit {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Reports a finding with a help line.
    pub(super) fn report_at(
        &mut self,
        span: SourceSpan,
        code: Code,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.report(Diagnostic::new(code, message).with_span(span).with_help(help));
    }

    /// The line of a span, for notes.
    pub(super) fn line(&self, span: SourceSpan) -> usize {
        self.source.place(span.start).line
    }

    /// Whether a value is a reference that is not resolved yet, so that its type is unknown.
    pub(in super::super) fn is_unresolved(&self, node: &Node) -> bool {
        self.references == References::Unresolved
            && node.as_text().is_some_and(|text| Reference::parse(text).is_some())
    }

    /// Creates the finding for a value of the wrong type.
    pub(super) fn wrong_type(&mut self, node: &Node, path: &str, expected: &str) -> Diagnostic {
        Diagnostic::new(
            Code::WrongType,
            format!("`{path}` must be {expected}, found {}", node.kind_name()),
        )
        .with_span(node.span)
        .with_label(format!("expected {expected}"))
    }

    /// Reads a string; `None` if there is none, or if the value has another type.
    pub(super) fn text(&mut self, node: &Node, path: &str) -> Option<String> {
        match &node.kind {
            NodeKind::Text(text) => Some(text.to_string()),
            NodeKind::Null => None,
            kind => {
                let wrong = self.wrong_type(node, path, "a string");
                let help = match kind {
                    NodeKind::List(_) | NodeKind::Map(_) => {
                        "write a string after the key".to_owned()
                    }
                    _ => format!("put it in quotes: \"{}\"", node.to_value()),
                };
                self.report(wrong.with_help(help));
                None
            }
        }
    }

    /// Reads a boolean; `None` if there is none, or if the value has another type.
    pub(super) fn boolean(&mut self, node: &Node, path: &str) -> Option<bool> {
        match resolve_variable_text(node) {
            NodeKind::Bool(value) => Some(value),
            NodeKind::Null => None,
            _ => self.report_wrong_type(node, path, "true or false"),
        }
    }

    /// Reads a number; `None` if there is none, or if the value has another type.
    pub(super) fn number(&mut self, node: &Node, path: &str) -> Option<f64> {
        match resolve_variable_text(node) {
            #[expect(clippy::cast_precision_loss, reason = "options are floats by the format")]
            NodeKind::Integer(number) => Some(number as f64),
            NodeKind::Float(number) => Some(number),
            NodeKind::Null => None,
            _ => self.report_wrong_type(node, path, "a number"),
        }
    }

    /// Reads an integer that fits `T`; `None` if there is none, or if the value has another type.
    pub(super) fn integer<T: TryFrom<i128>>(&mut self, node: &Node, path: &str) -> Option<T> {
        let number = match resolve_variable_text(node) {
            NodeKind::Integer(number) => T::try_from(number).ok(),
            #[expect(clippy::cast_possible_truncation, reason = "saturates, and then does not fit")]
            NodeKind::Float(number) if number.fract() == 0.0 => T::try_from(number as i128).ok(),
            NodeKind::Null => return None,
            _ => None,
        };
        // Only an unsigned type has no -1.
        let expected = match T::try_from(-1) {
            Ok(_) => "an integer",
            Err(_) => "an integer, zero or more",
        };
        number.or_else(|| self.report_wrong_type(node, path, expected))
    }

    /// Reads a map; `None` if there is none, or if the value has another type.
    pub(super) fn map<'n>(&mut self, node: &'n Node, path: &str) -> Option<&'n Mapping> {
        match &node.kind {
            NodeKind::Map(mapping) => Some(mapping),
            NodeKind::Null => None,
            _ => self.report_wrong_type(node, path, "a map"),
        }
    }

    /// Reads a map without its spans; empty if there is none.
    pub(super) fn free_map(&mut self, node: &Node, path: &str) -> Map {
        let Some(mapping) = self.map(node, path) else { return Map::new() };
        let values = mapping.entries.iter();
        values.map(|(key, entry)| (Arc::clone(key), entry.value.to_value())).collect()
    }

    /// Reads the items of a list; empty if there is none.
    pub(super) fn list<'n>(&mut self, node: &'n Node, path: &str) -> &'n [Node] {
        match &node.kind {
            NodeKind::List(items) => items,
            NodeKind::Null => &[],
            _ => self.report_wrong_type(node, path, "a list").unwrap_or(&[]),
        }
    }

    /// Reads a list of strings. A single string counts as a list of one.
    pub(super) fn texts(&mut self, node: &Node, path: &str) -> Vec<String> {
        if let Some(text) = node.as_text()
            && !self.is_unresolved(node)
        {
            return vec![text.to_owned()];
        }
        self.list(node, path).iter().filter_map(|item| self.text(item, path)).collect()
    }

    /// Reports a value of the wrong type. Always returns `None`.
    fn report_wrong_type<T>(&mut self, node: &Node, path: &str, expected: &str) -> Option<T> {
        if !self.is_unresolved(node) {
            let wrong = self.wrong_type(node, path, expected);
            self.report(wrong.with_help(format!("write {expected} after the key")));
        }
        None
    }

    /// Keeps a key that the format does not define, and reports it.
    pub(super) fn unknown_key(
        &mut self,
        key: &str,
        entry: &Entry,
        known: &KnownKeys,
        unknown: &mut Map,
    ) {
        unknown.insert(key, entry.value.to_value());
        let finding = self.unknown_key_finding(key, entry, known);
        self.report(finding.with_help(format!("available keys: `{}`", known.keys.join("`, `"))));
    }

    /// Creates the finding about a key that the format does not define. Its help is the first that
    /// fits: the key's new name, the name of such a key here, a missing space, or a similar name.
    pub(super) fn unknown_key_finding(
        &mut self,
        key: &str,
        entry: &Entry,
        known: &KnownKeys,
    ) -> Diagnostic {
        let mut finding =
            Diagnostic::new(Code::UnknownKey, format!("unknown key `{key}` in {}", known.place))
                .with_span(entry.key)
                .with_label("not a key of the format");
        let renamed = known.renamed.iter().find(|(old, _)| *old == key);
        let other = known.other_names.iter().find(|(other, _)| *other == key);
        if let Some((_, new)) = renamed {
            finding = finding.with_help(format!("use {new}, its name since version 2"));
        } else if let Some((_, meant)) = other {
            self.note_misread(entry, known, meant);
            finding = finding.with_help(format!("use `{meant}`"));
        } else if let Some((name, value)) = key.split_once(':')
            && known.keys.contains(&name)
        {
            self.note_misread(entry, known, name);
            finding = finding.with_help(format!("add a space after the colon: `{name}: {value}`"));
        } else if let Some(name) = suggest(key, known.keys) {
            self.note_misread(entry, known, &name);
            finding = finding.with_help(format!("a key with a similar name exists: `{name}`"));
        }
        finding
    }

    /// Records that a key was probably meant as another key of the table.
    pub(super) fn note_misread(&mut self, entry: &Entry, known: &KnownKeys, meant: &str) {
        // The number of recorded keys is limited like the number of findings.
        let meant = known.keys.iter().find(|key| **key == meant);
        let meant = meant.filter(|_| self.misread.len() < MAX_DIAGNOSTICS);
        self.misread.extend(meant.map(|meant| MisreadKey { key: entry.key, meant }));
    }

    /// Reports a key of an open map that is probably a misspelling of a known key.
    pub(super) fn misspelt_key(&mut self, key: &str, entry: &Entry, known: &KnownKeys) {
        let Some(name) = suggest(key, known.keys) else { return };
        let message = format!("unknown key `{key}` in {}", known.place);
        let help = format!("a key with a similar name exists: `{name}`");
        self.report_at(entry.key, Code::UnknownKey, message, help);
    }
}

/// The keys that the format defines at one place.
pub(super) struct KnownKeys {
    /// The name of the place in messages.
    pub(super) place: &'static str,
    pub(super) keys: &'static [&'static str],
    /// The keys of version 1 with their new names.
    pub(super) renamed: &'static [(&'static str, &'static str)],
    /// The names that other formats and authors use for a key, with its name here.
    pub(super) other_names: &'static [(&'static str, &'static str)],
}

/// Appends a key to a path. Long ones are cut, so hostile names cannot create large messages.
pub(super) fn join(path: &str, key: &str) -> String {
    const LONGEST: usize = 200;
    if path.len() > LONGEST {
        return path.to_owned();
    }
    let mut joined = format!("{path}.");
    joined.extend(key.chars().take(LONGEST));
    joined
}

/// The type of a value that should be a number or a boolean. Environment variables contain only
/// strings, so their strings are parsed.
pub(super) fn resolve_variable_text(node: &Node) -> NodeKind {
    match (&node.kind, node.origin) {
        (NodeKind::Text(text), Origin::Environment | Origin::Default) => {
            scalar::resolve(text.trim())
        }
        (kind, _) => kind.clone(),
    }
}

/// The kind of the format for a kind of another format.
pub(in super::super) fn other_name(kind: &str) -> Option<String> {
    let name = match kind.to_ascii_lowercase().as_str() {
        "str" | "text" => "string",
        "int" => "integer",
        "number" | "double" | "decimal" => "float",
        "bool" => "boolean",
        "list" => "array",
        "dict" | "map" | "json" => "object",
        "messages" | "history" | "conversation" => "thread",
        _ => return None,
    };
    Some(name.to_owned())
}
