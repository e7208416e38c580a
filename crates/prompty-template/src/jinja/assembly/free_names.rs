//! Finds the free names of a file, which it reads but does not bind.
//!
//! A file that cannot see the names of the template around its tag must not need free names. They
//! are searched once per file, and each is reported once, at its first use.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::files::JinjaFiles;
use super::names::MAX_NAMES;
use super::names::{ReferenceTag, ScopeId};
use crate::assembly::FileFindings;
use crate::tree::OtherTemplate;
use prompty_core::diagnostic::{Code, Diagnostic, TemplateSpan};
use prompty_core::work::add_steps;

/// Names with a meaning in every file.
const SPECIAL: [&str; 5] = ["super", "self", "caller", "varargs", "kwargs"];

/// The part of a file that is written in place of a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum FilePart {
    All,
    /// The nodes that bind names. Only they are relevant in an imported file.
    Definitions,
}

impl FilePart {
    fn of(tag: &OtherTemplate) -> Self {
        match tag {
            OtherTemplate::Include { .. } | OtherTemplate::Extends { .. } => Self::All,
            OtherTemplate::Import { .. } | OtherTemplate::From { .. } => Self::Definitions,
        }
    }
}

/// The first place at which a name is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct NamePlace {
    file: usize,
    span: TemplateSpan,
}

/// The free names of a part of a file.
#[derive(Debug, Default)]
struct FreeNames<'f> {
    values: BTreeMap<&'f str, NamePlace>,
    /// Names that are called. Each may be a function of the host.
    calls: BTreeMap<&'f str, NamePlace>,
}

/// The error that the limit on examined names was exceeded.
pub(super) struct TooManyNames;

/// Finds the free names that files cannot see.
pub(super) struct FreeNameSearch<'f> {
    files: &'f JinjaFiles,
    known: HashMap<(usize, FilePart), Rc<FreeNames<'f>>>,
    open: HashSet<(usize, FilePart)>,
    /// The parts whose values were already reported.
    with_values_reported: HashSet<(usize, FilePart)>,
    /// The parts whose calls were already compared with the names of a file's scope.
    compared: HashSet<(usize, FilePart, usize, ScopeId)>,
    reported: HashSet<NamePlace>,
    work: usize,
}

impl<'f> FreeNameSearch<'f> {
    pub(super) fn new(files: &'f JinjaFiles) -> Self {
        let (known, open) = (HashMap::new(), HashSet::new());
        let (with_values_reported, compared, reported) =
            (HashSet::new(), HashSet::new(), HashSet::new());
        Self { files, known, open, with_values_reported, compared, reported, work: 0 }
    }

    /// Reports the free names in the file of a tag that does not pass its context.
    ///
    /// # Errors
    ///
    /// Returns an error if there are too many names.
    pub(super) fn check(
        &mut self,
        index: usize,
        tag: &ReferenceTag,
        target: usize,
        findings: &mut FileFindings,
    ) -> Result<(), TooManyNames> {
        let Some(file) = self.files.list.get(index) else { return Ok(()) };
        let part = FilePart::of(&tag.other);
        let free = self.free_names(target, part)?;
        let mut unseen: Vec<(&str, NamePlace)> = Vec::new();
        if self.with_values_reported.insert((target, part)) {
            unseen.extend(free.values.iter().map(|(name, place)| (*name, *place)));
        }
        if self.compared.insert((target, part, index, tag.scope)) {
            self.pay(free.calls.len())?;
            let calls = free.calls.iter().filter(|(name, _)| file.names.binds(tag.scope, name));
            unseen.extend(calls.map(|(name, place)| (*name, *place)));
        }
        for (name, place) in unseen {
            if self.reported.insert(place) {
                findings.push(place.file, self.finding(name, place.span, index, tag, target));
            }
        }
        Ok(())
    }

    fn finding(
        &self,
        name: &str,
        at: TemplateSpan,
        index: usize,
        tag: &ReferenceTag,
        target: usize,
    ) -> Diagnostic<TemplateSpan> {
        let target_name = self.files.list.get(target).map_or("", |file| file.name.as_str());
        let message = format!(
            "unknown name `{name}` in `{target_name}`, which does not see the names of the \
             template that names it"
        );
        let finding = Diagnostic::new(Code::UnknownInput, message).with_span(at);
        let finding = finding.with_label("is not defined in this file");
        let Some(file) = self.files.list.get(index) else { return finding };
        let help = match &tag.other {
            OtherTemplate::Include { .. } => "remove `without context`".to_owned(),
            _ => {
                let written = tag.span.text_in(file.source.text());
                let Some(line) = written.and_then(|it| it.lines().next()) else { return finding };
                format!(
                    "pass it as an argument of the macro, or end the tag `{line}` with `with context`"
                )
            }
        };
        let place = file.source.place(tag.span.start);
        finding.with_help(help).with_note(format!("the tag is at {place}"))
    }

    /// Returns the free names of a part, including those of the files that it names with its
    /// context.
    fn free_names(
        &mut self,
        index: usize,
        part: FilePart,
    ) -> Result<Rc<FreeNames<'f>>, TooManyNames> {
        if let Some(known) = self.known.get(&(index, part)) {
            return Ok(Rc::clone(known));
        }
        let mut free = FreeNames::default();
        let Some(file) = self.files.list.get(index) else { return Ok(Rc::new(free)) };
        // A cycle of files is reported when they are written.
        if !self.open.insert((index, part)) {
            return Ok(Rc::new(free));
        }
        let is_written =
            |span: TemplateSpan| part == FilePart::All || file.names.is_in_definition(span);
        let unbound = file.names.references.iter().filter(|it| it.bound.is_none());
        for reference in unbound.filter(|it| is_written(it.name.span)) {
            let name = reference.name.text.as_str();
            if SPECIAL.contains(&name) {
                continue;
            }
            let names = if reference.is_call { &mut free.calls } else { &mut free.values };
            names.entry(name).or_insert(NamePlace { file: index, span: reference.name.span });
        }
        let mut scopes: BTreeMap<(usize, FilePart), BTreeSet<ScopeId>> = BTreeMap::new();
        let seeing = file.names.tags.iter().filter(|tag| tag.other.sees_context());
        for tag in seeing.filter(|tag| is_written(tag.span)) {
            if let Some(target) = self.files.target(index, tag.span.start) {
                scopes.entry((target, FilePart::of(&tag.other))).or_default().insert(tag.scope);
            }
        }
        for ((target, part), scopes) in scopes {
            let inner = self.free_names(target, part)?;
            let mut passes = |name: &str| {
                for scope in &scopes {
                    self.pay(1)?;
                    if !file.names.binds(*scope, name) {
                        return Ok(true);
                    }
                }
                Ok(false)
            };
            for (name, place) in &inner.values {
                if passes(name)? {
                    free.values.entry(name).or_insert(*place);
                }
            }
            for (name, place) in &inner.calls {
                if passes(name)? {
                    free.calls.entry(name).or_insert(*place);
                }
            }
        }
        let free = Rc::new(free);
        self.known.insert((index, part), Rc::clone(&free));
        Ok(free)
    }

    fn pay(&mut self, names: usize) -> Result<(), TooManyNames> {
        add_steps(names);
        self.work = self.work.saturating_add(names);
        if self.work > MAX_NAMES { Err(TooManyNames) } else { Ok(()) }
    }
}
