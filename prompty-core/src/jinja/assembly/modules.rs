//! Names for what is imported.
//!
//! A module's macros and variables are written where they are imported, so that `module.name` becomes a
//! name of the whole text. It is the name that its author gave it, unless another file has that name, too.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::files::Files;
use super::names::{Names, Reference, binds};
use crate::diagnostic::{Code, Diagnostic, Span, suggest};
use crate::jinja::tree::{Node, NodeKind, OtherTemplate};
use crate::jinja::walk;
use crate::text::slice;

/// The names that the imports of a template need.
#[derive(Default)]
pub(super) struct Modules {
    /// For each file: what is written in the place of each `module.name`, by its place.
    pub(super) members: Vec<Vec<(Span, String)>>,
    /// The names that the parts of a module get, by the tag that imports it.
    pub(super) renamed: HashMap<(usize, usize), HashMap<String, String>>,
    /// What is wrong, with the file that it is in.
    pub(super) findings: Vec<(usize, Diagnostic)>,
}

/// Functions that are no macros of a template.
const SPECIAL: [&str; 5] = ["super", "self", "caller", "varargs", "kwargs"];

/// Finds the names.
pub(super) fn name(files: &Files) -> Modules {
    let mut modules = Modules::default();
    let mut namer =
        Namer { files, counts: HashMap::new(), given: BTreeSet::new(), free: HashMap::new() };
    for file in &files.list {
        for name in &file.names.all {
            *namer.counts.entry(name).or_insert(0) += 1;
        }
    }
    for index in 0..files.list.len() {
        namer.file(index, &mut modules);
    }
    modules
}

struct Namer<'f> {
    files: &'f Files,
    /// How many files have a name.
    counts: HashMap<&'f str, usize>,
    /// The names that were given.
    given: BTreeSet<String>,
    /// What each file reads and does not bind, once that is known.
    free: HashMap<usize, Vec<Free>>,
}

/// A name that a file reads and does not bind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Free {
    file: usize,
    name: String,
    span: Span,
    is_call: bool,
}

impl<'f> Namer<'f> {
    fn file(&mut self, index: usize, modules: &mut Modules) {
        let Some(file) = self.files.list.get(index) else { return };
        let mut tags: Vec<(&Node, &OtherTemplate)> = Vec::new();
        other_templates(&file.template.nodes, &mut tags);
        for (node, other) in &tags {
            let Some(target) = self.files.target(index, node) else { continue };
            match other {
                OtherTemplate::Include { sees_context: false, .. } => {
                    self.check_free(index, node, target, modules);
                }
                OtherTemplate::Import { module, sees_context, .. } => {
                    if !sees_context {
                        self.check_free(index, node, target, modules);
                    }
                    let renamed = self.parts(target, Some(&module.text), &HashMap::new());
                    modules.renamed.insert((index, node.span.start), renamed);
                }
                OtherTemplate::From { imported, sees_context, .. } => {
                    if !sees_context {
                        self.check_free(index, node, target, modules);
                    }
                    let mut own = HashMap::new();
                    for (name, alias) in imported {
                        self.check_part(index, target, &name.text, name.span, modules);
                        if own.insert(name.text.clone(), alias.text.clone()).is_some() {
                            let message = format!("`{}` is imported twice", name.text);
                            let finding = Diagnostic::new(Code::Duplicate, message).at(name.span);
                            let finding = finding.help("import it under one name");
                            modules.findings.push((index, finding));
                        }
                    }
                    let renamed = self.parts(target, None, &own);
                    modules.renamed.insert((index, node.span.start), renamed);
                }
                OtherTemplate::Include { .. } | OtherTemplate::Extends { .. } => {}
            }
        }
        let members = self.members(index, &file.names, &tags, modules);
        modules.members.push(members);
        self.check_uses(index, &file.names, modules);
    }

    /// The names that the parts of a module get where they differ from their own.
    fn parts(
        &mut self,
        target: usize,
        module: Option<&str>,
        own: &HashMap<String, String>,
    ) -> HashMap<String, String> {
        let mut renamed = HashMap::new();
        let Some(file) = self.files.list.get(target) else { return renamed };
        for name in file.names.top.keys() {
            let new = match own.get(name) {
                Some(alias) => alias.clone(),
                None => self.unique(name, module),
            };
            self.given.insert(new.clone());
            if new != *name {
                renamed.insert(name.clone(), new);
            }
        }
        renamed
    }

    /// A name that no other file has, and that was not given before.
    fn unique(&self, name: &str, module: Option<&str>) -> String {
        let is_free = |candidate: &str, own: usize| {
            self.counts.get(candidate).copied().unwrap_or(0) <= own
                && !self.given.contains(candidate)
        };
        if is_free(name, 1) {
            return name.to_owned();
        }
        let base = module.map_or_else(|| name.to_owned(), |module| format!("{module}_{name}"));
        if module.is_some() && is_free(&base, 0) {
            return base;
        }
        let numbered = (2..usize::MAX).map(|number| format!("{base}_{number}"));
        numbered.into_iter().find(|candidate| is_free(candidate, 0)).unwrap_or(base)
    }

    /// What is written in the place of each `module.name`.
    fn members(
        &self,
        index: usize,
        names: &Names,
        tags: &[(&Node, &OtherTemplate)],
        modules: &mut Modules,
    ) -> Vec<(Span, String)> {
        let mut edits = Vec::new();
        for member in &names.members {
            let tag = tags.iter().find(|(node, _)| node.span.start == member.tag);
            let target = tag.and_then(|(node, _)| self.files.target(index, node));
            let Some(target) = target else { continue };
            self.check_part(index, target, &member.name.text, member.name.span, modules);
            let renamed = modules.renamed.get(&(index, member.tag));
            let new = renamed.and_then(|renamed| renamed.get(&member.name.text));
            edits.push((member.span, new.unwrap_or(&member.name.text).clone()));
        }
        edits.sort_by_key(|(span, _)| *span);
        edits
    }

    /// Whether a module has a part of this name.
    fn check_part(
        &self,
        index: usize,
        target: usize,
        name: &str,
        span: Span,
        modules: &mut Modules,
    ) {
        let Some(file) = self.files.list.get(target) else { return };
        if file.names.top.contains_key(name) {
            return;
        }
        let known: Vec<&str> = file.names.top.keys().map(String::as_str).collect();
        let message = format!("`{}` defines no `{name}`", file.name);
        let help = match (suggest(name, &known), known.is_empty()) {
            (Some(similar), _) => format!("it defines a similar name: `{similar}`"),
            (None, true) => {
                "a module's parts are its macros and its variables; it has none".to_owned()
            }
            (None, false) => format!("it defines `{}`", known.join("`, `")),
        };
        let finding = Diagnostic::new(Code::UnknownAttribute, message).at(span);
        modules.findings.push((index, finding.label("not in that file").help(help)));
    }

    /// Modules that are read as a whole, and `super` and `self` where they are no outputs.
    fn check_uses(&self, index: usize, names: &Names, modules: &mut Modules) {
        for name in &names.modules {
            let message = format!("`{}` is a file of macros, and no value", name.text);
            let finding = Diagnostic::new(Code::WrongValue, message)
                .at(name.span)
                .help(format!("write what you need of it, such as `{}.name(...)`", name.text));
            modules.findings.push((index, finding));
        }
        let has_parts = self.files.list.len() > 1 || !names.around_blocks.is_empty();
        let special = names.references.iter().filter(|it| it.bound.is_none() && has_parts);
        for Reference { name, .. } in special {
            let (shown, help) = match name.text.as_str() {
                "super" => (
                    "super()",
                    "write `{{ super() }}` alone; a `{% filter %}` block around it filters",
                ),
                "self" => ("self", "write `{{ self.name() }}` alone, with the name of a block"),
                _ => continue,
            };
            let message = format!("`{shown}` can only stand alone in an output");
            let finding = Diagnostic::new(Code::UnsupportedConstruct, message).at(name.span);
            modules.findings.push((index, finding.help(help)));
        }
    }

    /// Names that a file reads, although it cannot see those of the template around it.
    fn check_free(&mut self, index: usize, tag: &Node, target: usize, modules: &mut Modules) {
        let (Some(file), Some(named)) = (self.files.list.get(index), self.files.list.get(target))
        else {
            return;
        };
        let visible = file.names.at_tags.get(&tag.span.start);
        // Of a module only what binds names is written.
        let is_module = !matches!(tag.kind, NodeKind::Unsupported { construct: "include", .. });
        let is_written = |free: &Free| {
            let mut kept = named.template.nodes.iter().filter(|node| binds(node));
            !is_module || free.file != target || kept.any(|node| node.span.contains(free.span))
        };
        for free in self.free(target, &mut HashSet::new()).into_iter().filter(is_written) {
            let is_bound = visible.is_some_and(|visible| visible.contains(&free.name));
            // A function may be one of the host's.
            if free.is_call && !is_bound {
                continue;
            }
            let written = slice(file.source.text(), tag.span.start..tag.span.end);
            let place = file.source.place(tag.span.start);
            let message = format!(
                "`{}` is not known in `{}`, which does not see the names of the template that \
                 asks for it",
                free.name, named.name
            );
            let cure = match &tag.kind {
                NodeKind::Unsupported { construct: "include", .. } => {
                    "leave `without context` out".to_owned()
                }
                _ => format!(
                    "give it to the macro as an argument, or end the tag `{}` with `with context`",
                    written.lines().next().unwrap_or_default()
                ),
            };
            let finding = Diagnostic::new(Code::UnknownInput, message)
                .at(free.span)
                .label("comes from nowhere")
                .help(cure)
                .note(format!("the tag is at {place}"));
            modules.findings.push((free.file, finding));
        }
    }

    /// What a file reads and does not bind, with the files that it includes and extends.
    fn free(&mut self, index: usize, open: &mut HashSet<usize>) -> Vec<Free> {
        if let Some(known) = self.free.get(&index) {
            return known.clone();
        }
        let Some(file) = self.files.list.get(index) else { return Vec::new() };
        if !open.insert(index) {
            return Vec::new();
        }
        let unbound = file.names.references.iter().filter(|it| it.bound.is_none());
        let mut free: Vec<Free> = unbound
            .filter(|it| !SPECIAL.contains(&it.name.text.as_str()))
            .map(|it| {
                let (name, span) = (it.name.text.clone(), it.name.span);
                Free { file: index, name, span, is_call: it.is_call }
            })
            .collect();
        let mut tags: Vec<(&Node, &OtherTemplate)> = Vec::new();
        other_templates(&file.template.nodes, &mut tags);
        for (node, other) in tags {
            let sees = match other {
                OtherTemplate::Include { sees_context, .. }
                | OtherTemplate::Import { sees_context, .. }
                | OtherTemplate::From { sees_context, .. } => *sees_context,
                OtherTemplate::Extends { .. } => true,
            };
            let Some(target) = self.files.target(index, node).filter(|_| sees) else { continue };
            let bound = file.names.at_tags.get(&node.span.start);
            let inner = self.free(target, open).into_iter();
            free.extend(inner.filter(|it| !bound.is_some_and(|bound| bound.contains(&it.name))));
        }
        // A file may be included often, and each time by a file that is included often.
        free.sort_unstable();
        free.dedup();
        self.free.insert(index, free.clone());
        free
    }
}

/// The tags of a file that name others, in order.
fn other_templates<'t>(nodes: &'t [Node], found: &mut Vec<(&'t Node, &'t OtherTemplate)>) {
    for node in nodes {
        if let NodeKind::Unsupported { other: Some(other), .. } = &node.kind {
            found.push((node, other));
        }
        walk::bodies(node).into_iter().for_each(|body| other_templates(body, found));
    }
}
