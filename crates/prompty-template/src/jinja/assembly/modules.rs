//! Names for what is imported.
//!
//! A module's macros and variables are written where they are imported, so that `module.name` becomes a
//! name of the whole text. It is the name that its author gave it, unless another file has that name, too.

use std::collections::{HashMap, HashSet};

use super::files::{File, Files};
use super::free::{self, TooMany};
use super::names::MAX_NAMES;
use super::names::{Names, Reference, Tag};
use crate::assembly::FileFindings;
use crate::tree::OtherTemplate;
use prompty_core::diagnostic::{Code, Diagnostic, TemplateSpan, suggest};
use prompty_core::work::add_steps;

/// The names that the imports of a template need.
#[derive(Default)]
pub(super) struct Modules {
    /// For each file: what is written in the place of each `module.name`, by its place.
    pub(super) members: Vec<Vec<(TemplateSpan, String)>>,
    /// The names that the parts of a module get, by the tag that imports it.
    pub(super) renamed: HashMap<(usize, usize), HashMap<String, String>>,
    /// What is wrong, with the file that it is in.
    pub(super) findings: FileFindings,
}

/// Finds the names.
pub(super) fn name(files: &Files) -> Modules {
    let mut namer = Namer {
        files,
        modules: Modules::default(),
        counts: HashMap::new(),
        given: HashSet::new(),
        numbers: HashMap::new(),
        free: free::Search::new(files),
        work: 0,
        compared: 0,
    };
    for file in &files.list {
        for name in &file.names.all {
            *namer.counts.entry(name).or_insert(0) += 1;
        }
    }
    for (index, file) in files.list.iter().enumerate() {
        if let Err((tag, TooMany)) = namer.tags(index, &file.names) {
            namer.report(index, too_many_names(tag));
            break;
        }
        let members = namer.members(index, &file.names);
        namer.modules.members.push(members);
        namer.check_uses(index, &file.names);
    }
    namer.modules
}

fn too_many_names(tag: TemplateSpan) -> Diagnostic<TemplateSpan> {
    let message = "the files of the template have too many names in common";
    let finding = Diagnostic::new(Code::TemplateSyntax, message).with_span(tag);
    finding.with_help("import a file once, and what the files share from one of them")
}

struct Namer<'f> {
    files: &'f Files,
    modules: Modules,
    /// How many files have a name.
    counts: HashMap<&'f str, usize>,
    /// The names that were given.
    given: HashSet<String>,
    /// The last number that a name got behind it.
    numbers: HashMap<String, usize>,
    /// What files take from outside.
    free: free::Search<'f>,
    /// How many names were given.
    work: usize,
    /// With how many names one was compared that is none of them.
    compared: usize,
}

impl<'f> Namer<'f> {
    /// Names what the tags of a file import; where that cannot be, gives the place of the tag.
    fn tags(&mut self, index: usize, names: &'f Names) -> Result<(), (TemplateSpan, TooMany)> {
        for tag in &names.tags {
            let Some(target) = self.files.target(index, tag.span.start) else { continue };
            self.tag(index, tag, target).map_err(|too_many| (tag.span, too_many))?;
        }
        Ok(())
    }

    fn tag(&mut self, index: usize, tag: &'f Tag, target: usize) -> Result<(), TooMany> {
        if !tag.other.sees_context() {
            self.free.check(index, tag, target, &mut self.modules.findings)?;
        }
        let renamed = match &tag.other {
            OtherTemplate::Import { module, .. } => {
                self.parts(target, Some(&module.text), &HashMap::new())?
            }
            OtherTemplate::From { imported, .. } => {
                let mut own = HashMap::new();
                for (name, alias) in imported {
                    self.check_part(index, target, &name.text, name.span);
                    if own.insert(name.text.as_str(), alias.text.as_str()).is_some() {
                        let message = format!("`{}` is imported twice", name.text);
                        let finding =
                            Diagnostic::new(Code::Duplicate, message).with_span(name.span);
                        self.report(index, finding.with_help("import it under one name"));
                    }
                }
                self.parts(target, None, &own)?
            }
            OtherTemplate::Include { .. } | OtherTemplate::Extends { .. } => return Ok(()),
        };
        self.modules.renamed.insert((index, tag.span.start), renamed);
        Ok(())
    }

    fn report(&mut self, file: usize, finding: Diagnostic<TemplateSpan>) {
        self.modules.findings.push(file, finding);
    }

    fn pay(&mut self, names: usize) -> Result<(), TooMany> {
        add_steps(names);
        self.work = self.work.saturating_add(names);
        if self.work > MAX_NAMES { Err(TooMany) } else { Ok(()) }
    }

    /// The names that the parts of a module get where they differ from their own.
    fn parts(
        &mut self,
        target: usize,
        module: Option<&str>,
        own: &HashMap<&str, &str>,
    ) -> Result<HashMap<String, String>, TooMany> {
        let mut renamed = HashMap::new();
        let Some(file) = self.files.list.get(target) else { return Ok(renamed) };
        self.pay(file.names.top.len())?;
        for name in file.names.top.keys() {
            let new = match own.get(name.as_str()) {
                Some(alias) => (*alias).to_owned(),
                None => self.unique(name, module),
            };
            self.given.insert(new.clone());
            if new != *name {
                renamed.insert(name.clone(), new);
            }
        }
        Ok(renamed)
    }

    /// A name that no other file has, and that was not given before.
    fn unique(&mut self, name: &str, module: Option<&str>) -> String {
        if self.is_free(name, 1) {
            return name.to_owned();
        }
        let base = module.map_or_else(|| name.to_owned(), |module| format!("{module}_{name}"));
        if module.is_some() && self.is_free(&base, 0) {
            return base;
        }
        // Numbers below were tried for this name already.
        let mut number = self.numbers.get(&base).copied().unwrap_or(1);
        loop {
            add_steps(1);
            number += 1;
            let candidate = format!("{base}_{number}");
            if self.is_free(&candidate, 0) {
                self.numbers.insert(base, number);
                return candidate;
            }
        }
    }

    /// Whether a name was not given, and at most so many files have it.
    fn is_free(&self, name: &str, files: usize) -> bool {
        self.counts.get(name).copied().unwrap_or(0) <= files && !self.given.contains(name)
    }

    /// What is written in the place of each `module.name`.
    fn members(&mut self, index: usize, names: &Names) -> Vec<(TemplateSpan, String)> {
        let mut edits = Vec::new();
        for member in &names.members {
            let Some(target) = self.files.target(index, member.tag) else { continue };
            self.check_part(index, target, &member.name.text, member.name.span);
            let renamed = self.modules.renamed.get(&(index, member.tag));
            let new = renamed.and_then(|renamed| renamed.get(&member.name.text));
            edits.push((member.span, new.unwrap_or(&member.name.text).clone()));
        }
        edits.sort_by_key(|(span, _)| *span);
        edits
    }

    /// Whether a module has a part of this name.
    fn check_part(&mut self, index: usize, target: usize, name: &str, span: TemplateSpan) {
        let Some(file) = self.files.list.get(target) else { return };
        if file.names.top.contains_key(name) {
            return;
        }
        let message = format!("`{}` defines no `{name}`", file.name);
        let finding = Diagnostic::new(Code::UnknownAttribute, message).with_span(span);
        let finding = finding.with_label("not in that file");
        self.compared = self.compared.saturating_add(file.names.top.len());
        let help = match self.compared <= MAX_COMPARED {
            true => help_for_part(name, file),
            false => "look into the file for its macros and variables".to_owned(),
        };
        self.report(index, finding.with_help(help));
    }

    /// Modules that are read as a whole, and `super` and `self` where they are no outputs.
    fn check_uses(&mut self, index: usize, names: &Names) {
        for name in &names.modules {
            let message = format!("`{}` is a file of macros, and no value", name.text);
            let finding = Diagnostic::new(Code::WrongValue, message)
                .with_span(name.span)
                .with_help(format!("write what you need of it, such as `{}.name(...)`", name.text));
            self.report(index, finding);
        }
        let has_parts = self.files.list.len() > 1 || !names.scopes_of_blocks.is_empty();
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
            let finding = Diagnostic::new(Code::UnsupportedConstruct, message).with_span(name.span);
            self.report(index, finding.with_help(help));
        }
    }
}

/// With how many names those are compared that no module has, to find the names that were meant.
const MAX_COMPARED: usize = 1 << 16;

/// How many parts of a module are listed for a name that is none of them.
const MAX_LISTED: usize = 12;

/// What a module has in the place of a part that it does not have.
fn help_for_part(name: &str, module: &File) -> String {
    let known: Vec<&str> = module.names.top.keys().map(String::as_str).collect();
    if let Some(similar) = suggest(name, &known) {
        return format!("it defines a similar name: `{similar}`");
    }
    if known.is_empty() {
        return "a module's parts are its macros and its variables; it has none".to_owned();
    }
    let more = if known.len() > MAX_LISTED { ", and others" } else { "" };
    let listed: Vec<&str> = known.into_iter().take(MAX_LISTED).collect();
    format!("it defines `{}`{more}", listed.join("`, `"))
}
