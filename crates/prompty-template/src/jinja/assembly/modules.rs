//! Chooses names for imported definitions.
//!
//! The macros and variables of a module are written at the place of the import, so `module.name`
//! becomes a name of the assembled text. It keeps its own name, unless another file has that name
//! too. Then `greet` of the module `lib` becomes `lib_greet`, or with a number `lib_greet_2`.

use std::collections::{HashMap, HashSet};

use super::files::{JinjaFile, JinjaFiles};
use super::free_names::{FreeNameSearch, TooManyNames};
use super::names::MAX_NAMES;
use super::names::{FileNames, NameReference, ReferenceTag};
use crate::assembly::FileFindings;
use crate::tree::OtherTemplate;
use prompty_core::diagnostic::{Code, Diagnostic, TemplateSpan, suggest};
use prompty_core::work::add_steps;

/// The names that the imports of a template need.
#[derive(Default)]
pub(super) struct Modules {
    /// For each file, the replacement of each `module.name`, by its span.
    pub(super) members: Vec<Vec<(TemplateSpan, String)>>,
    /// For each import tag, by its file and its start, the new names of the module's definitions.
    pub(super) renamed: HashMap<(usize, usize), HashMap<String, String>>,
    /// The diagnostics, with their files.
    pub(super) findings: FileFindings,
}

/// Chooses the names for all imports.
pub(super) fn choose_names(files: &JinjaFiles) -> Modules {
    let mut namer = Namer {
        files,
        modules: Modules::default(),
        counts: HashMap::new(),
        taken: HashSet::new(),
        numbers: HashMap::new(),
        free: FreeNameSearch::new(files),
        work: 0,
        compared: 0,
    };
    for file in &files.list {
        for name in &file.names().all {
            *namer.counts.entry(name).or_insert(0) += 1;
        }
    }
    for (index, file) in files.list.iter().enumerate() {
        for tag in &file.names().tags {
            let Some(target) = files.target(index, tag.span.start) else { continue };
            if let Err(TooManyNames) = namer.tag(index, tag, target) {
                namer.report(index, too_many_names(tag.span));
                return namer.modules;
            }
        }
        let members = namer.members(index, file.names());
        namer.modules.members.push(members);
        namer.check_uses(index, file.names());
    }
    namer.modules
}

fn too_many_names(tag: TemplateSpan) -> Diagnostic<TemplateSpan> {
    let message =
        format!("the imports of the template define more than {MAX_NAMES} names together");
    let finding = Diagnostic::new(Code::TemplateSyntax, message).with_span(tag);
    finding.with_help("import each file once, and import shared definitions from one of the files")
}

/// Chooses names for imported definitions.
struct Namer<'f> {
    files: &'f JinjaFiles,
    modules: Modules,
    /// The number of files that have each name.
    counts: HashMap<&'f str, usize>,
    /// The names that were assigned so far.
    taken: HashSet<String>,
    /// The last number that was appended to each name.
    numbers: HashMap<String, usize>,
    free: FreeNameSearch<'f>,
    /// The number of names that were assigned.
    work: usize,
    /// The number of names that unknown names were compared with.
    compared: usize,
}

impl<'f> Namer<'f> {
    /// Chooses the names for an import, and reports the names that its file needs but cannot see.
    fn tag(
        &mut self,
        index: usize,
        tag: &'f ReferenceTag,
        target: usize,
    ) -> Result<(), TooManyNames> {
        if !tag.other.sees_context() {
            self.free.check(index, tag, target, &mut self.modules.findings)?;
        }
        let renamed = match &tag.other {
            OtherTemplate::Import { module, .. } => {
                self.new_names(target, Some(&module.text), &HashMap::new())?
            }
            OtherTemplate::From { imported, .. } => {
                let mut own = HashMap::new();
                for (name, alias) in imported {
                    self.check_definition(index, target, &name.text, name.span);
                    if own.insert(name.text.as_str(), alias.text.as_str()).is_some() {
                        let message = format!("`{}` is imported twice", name.text);
                        let finding =
                            Diagnostic::new(Code::Duplicate, message).with_span(name.span);
                        self.report(index, finding.with_help("import it under one name"));
                    }
                }
                self.new_names(target, None, &own)?
            }
            OtherTemplate::Include { .. } | OtherTemplate::Extends { .. } => return Ok(()),
        };
        self.modules.renamed.insert((index, tag.span.start), renamed);
        Ok(())
    }

    fn report(&mut self, file: usize, finding: Diagnostic<TemplateSpan>) {
        self.modules.findings.push(file, finding);
    }

    /// Counts the work of assigning names.
    fn pay(&mut self, names: usize) -> Result<(), TooManyNames> {
        add_steps(names);
        self.work = self.work.saturating_add(names);
        if self.work > MAX_NAMES { Err(TooManyNames) } else { Ok(()) }
    }

    /// Returns the new names of a module's definitions that differ from the original ones. `own`
    /// has the names that the tag itself gives: `a` -> `b` for `import a as b`.
    fn new_names(
        &mut self,
        target: usize,
        module: Option<&str>,
        own: &HashMap<&str, &str>,
    ) -> Result<HashMap<String, String>, TooManyNames> {
        let mut renamed = HashMap::new();
        let Some(file) = self.files.list.get(target) else { return Ok(renamed) };
        self.pay(file.names().top.len())?;
        for name in file.names().top.keys() {
            let new = match own.get(name.as_str()) {
                Some(alias) => (*alias).to_owned(),
                None => self.unique_name(name, module),
            };
            self.taken.insert(new.clone());
            if new != *name {
                renamed.insert(name.clone(), new);
            }
        }
        Ok(renamed)
    }

    /// Returns a name that no other file has, and that is not taken.
    fn unique_name(&mut self, name: &str, module: Option<&str>) -> String {
        // The module itself has the name.
        if self.is_free(name, 1) {
            return name.to_owned();
        }
        let base = module.map_or_else(|| name.to_owned(), |module| format!("{module}_{name}"));
        if module.is_some() && self.is_free(&base, 0) {
            return base;
        }
        // Lower numbers were already tried for this name.
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

    /// Whether a name is not taken, and at most `files` files have it.
    fn is_free(&self, name: &str, files: usize) -> bool {
        self.counts.get(name).copied().unwrap_or(0) <= files && !self.taken.contains(name)
    }

    /// Returns the replacement of each `module.name`.
    fn members(&mut self, index: usize, names: &FileNames) -> Vec<(TemplateSpan, String)> {
        let mut edits = Vec::new();
        for member in &names.members {
            let Some(target) = self.files.target(index, member.tag) else { continue };
            self.check_definition(index, target, &member.name.text, member.name.span);
            let renamed = self.modules.renamed.get(&(index, member.tag));
            let new = renamed.and_then(|renamed| renamed.get(&member.name.text));
            edits.push((member.span, new.unwrap_or(&member.name.text).clone()));
        }
        edits.sort_by_key(|(span, _)| *span);
        edits
    }

    /// Reports an error if a module has no definition with this name.
    fn check_definition(&mut self, index: usize, target: usize, name: &str, span: TemplateSpan) {
        let Some(file) = self.files.list.get(target) else { return };
        if file.names().top.contains_key(name) {
            return;
        }
        let message = format!("`{}` does not define `{name}`", file.name);
        let finding = Diagnostic::new(Code::UnknownAttribute, message).with_span(span);
        let finding = finding.with_label("is not defined in that file");
        self.compared = self.compared.saturating_add(file.names().top.len());
        let help = match self.compared <= MAX_COMPARED {
            true => help_for_definition(name, file),
            false => "check the macros and variables of that file".to_owned(),
        };
        self.report(index, finding.with_help(help));
    }

    /// Reports modules that are used as values, and `super` and `self` outside of a plain output.
    fn check_uses(&mut self, index: usize, names: &FileNames) {
        for name in &names.modules {
            let message = format!("`{}` is an imported file, not a value", name.text);
            let finding =
                Diagnostic::new(Code::WrongValue, message).with_span(name.span).with_help(format!(
                    "write one of its definitions, such as `{}.name(...)`",
                    name.text
                ));
            self.report(index, finding);
        }
        let has_parts = self.files.list.len() > 1 || !names.scopes_of_blocks.is_empty();
        let special = names.references.iter().filter(|it| it.bound.is_none() && has_parts);
        for NameReference { name, .. } in special {
            let (shown, help) = match name.text.as_str() {
                "super" => (
                    "super()",
                    "write `{{ super() }}` alone; to filter it, use a `{% filter %}` block",
                ),
                "self" => ("self", "write `{{ self.name() }}` alone, with the name of a block"),
                _ => continue,
            };
            let message = format!("`{shown}` must be alone in an output");
            let finding = Diagnostic::new(Code::UnsupportedConstruct, message).with_span(name.span);
            self.report(index, finding.with_help(help));
        }
    }
}

/// The maximum number of names that unknown names are compared with for a suggestion.
const MAX_COMPARED: usize = 1 << 16;

/// The maximum number of definitions in a help text.
const MAX_LISTED: usize = 12;

/// Returns the help text for an unknown name of a module.
fn help_for_definition(name: &str, module: &JinjaFile) -> String {
    let known: Vec<&str> = module.names().top.keys().map(String::as_str).collect();
    if let Some(similar) = suggest(name, &known) {
        return format!("a definition with a similar name exists: `{similar}`");
    }
    if known.is_empty() {
        return "define a macro or a variable in that file; it has none".to_owned();
    }
    let more = if known.len() > MAX_LISTED { ", and others" } else { "" };
    let listed: Vec<&str> = known.into_iter().take(MAX_LISTED).collect();
    format!("available definitions: `{}`{more}", listed.join("`, `"))
}
