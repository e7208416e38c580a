//! What the findings of a front matter leave unknown, so that one mistake is one message: nothing is
//! said of what only follows from a broken declaration.

use super::build::Misread;
use super::node::{Mapping, Node, NodeKind};
use prompty_core::diagnostic::{Diagnostic, Severity, SourceSpan};

/// The keys of an input that say which values its input has.
const TELLING: [&str; 10] = [
    "name",
    "kind",
    "required",
    "nullable",
    "default",
    "enumValues",
    "items",
    "properties",
    "oneOf",
    "anyOf",
];

/// The declarations that have findings.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Doubts {
    /// Whether there may be inputs that are not known.
    pub any_input: bool,
    /// The inputs of which only the name is known.
    pub inputs: Vec<String>,
    /// Whether the template's language is not known.
    pub template: bool,
    /// The keys that are only warned of, and that stand for others: what follows from them is their
    /// error.
    pub misread: Vec<SourceSpan>,
}

impl Doubts {
    /// The doubts that the findings about a front matter raise.
    pub(super) fn of(root: &Mapping, findings: &[Diagnostic], misread: &[Misread]) -> Self {
        let mut doubts = Self::default();
        let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
        errors.filter_map(|finding| finding.span).for_each(|span| doubts.add(root, span));
        for Misread { key, meant } in misread {
            let at_top = root.iter().any(|(_, entry)| entry.key == *key);
            match *meant {
                "inputs" if at_top => doubts.any_input = true,
                "template" if at_top => doubts.template = true,
                meant if !at_top && TELLING.contains(&meant) => doubts.add(root, *key),
                _ => continue,
            }
            doubts.misread.push(*key);
        }
        doubts
    }

    /// Whether everything is known.
    pub fn is_empty(&self) -> bool {
        !self.any_input && !self.template && self.inputs.is_empty()
    }

    /// Adds what a finding at a place leaves unknown.
    fn add(&mut self, root: &Mapping, at: SourceSpan) {
        let around = root.iter().find(|(_, entry)| entry.key.to(entry.value.span).contains(at));
        match around {
            Some(("template", _)) => self.template = true,
            Some(("inputs", entry)) => match declared_around(&entry.value, at) {
                Some(name) => self.inputs.push(name),
                None => self.any_input = true,
            },
            _ => {}
        }
    }
}

/// The name of the input whose declaration a place is in.
fn declared_around(inputs: &Node, at: SourceSpan) -> Option<String> {
    match &inputs.kind {
        NodeKind::Map(named) => {
            let mut entries = named.iter();
            let found = entries.find(|(_, entry)| entry.key.to(entry.value.span).contains(at));
            found.map(|(name, _)| name.to_owned())
        }
        NodeKind::List(items) => {
            let item = items.iter().find(|item| item.span.contains(at))?;
            item.get("name").and_then(Node::as_text).map(str::to_owned)
        }
        _ => None,
    }
}
