//! The declarations that findings make uncertain. Findings that only follow from a broken
//! declaration are not reported, so that one mistake gives one message.

use super::build::MisreadKey;
use super::node::{Mapping, Node, NodeKind};
use prompty_core::diagnostic::{Diagnostic, Severity, SourceSpan};

/// The declarations that have findings.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Doubts {
    /// Whether there may be unknown inputs.
    pub any_input: bool,
    /// The inputs whose names are known, but not their types.
    pub inputs: Vec<String>,
    /// Whether the template's language is unknown.
    pub template: bool,
    /// The keys with a warning that were probably meant as other keys. If template errors follow
    /// from such a key, its warning becomes an error.
    pub misread: Vec<SourceSpan>,
}

impl Doubts {
    /// Finds the declarations that the findings about a front matter make uncertain.
    pub(super) fn of(root: &Mapping, findings: &[Diagnostic], misread: &[MisreadKey]) -> Self {
        let mut doubts = Self::default();
        let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
        errors.filter_map(|finding| finding.span).for_each(|span| doubts.add(root, span));
        for MisreadKey { key, meant } in misread {
            let at_top = root.iter().any(|(_, entry)| entry.key == *key);
            match *meant {
                "inputs" if at_top => doubts.any_input = true,
                "template" if at_top => doubts.template = true,
                // The keys of an input that determine its values.
                "name" | "kind" | "required" | "nullable" | "default" | "enumValues" | "items"
                | "properties" | "oneOf" | "anyOf"
                    if !at_top =>
                {
                    doubts.add(root, *key);
                }
                _ => continue,
            }
            doubts.misread.push(*key);
        }
        doubts
    }

    /// Whether all declarations are certain.
    pub fn is_empty(&self) -> bool {
        !self.any_input && !self.template && self.inputs.is_empty()
    }

    /// Adds the declaration that a finding makes uncertain.
    fn add(&mut self, root: &Mapping, at: SourceSpan) {
        let around = root.iter().find(|(_, entry)| entry.key.to(entry.value.span).contains(at));
        match around {
            Some(("template", _)) => self.template = true,
            Some(("inputs", entry)) => match declaring_input(&entry.value, at) {
                Some(name) => self.inputs.push(name),
                None => self.any_input = true,
            },
            _ => {}
        }
    }
}

/// The name of the input whose declaration contains a place.
fn declaring_input(inputs: &Node, at: SourceSpan) -> Option<String> {
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
