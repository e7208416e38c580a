//! Finds the free names of a file, which it reads but does not bind.
//!
//! A file that cannot see the names of the template around its tag must not need free names. They
//! are searched once per file, and each is reported once, at its first use.
//!
//! A free name of an included file is also a free name of the including file, unless that file
//! binds it around the tag: with `{{ a }}{{ b }}` in `part`, the file
//! `{% set a = 1 %}{% include "part" %}` has the free name `b`.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::files::{JinjaFile, JinjaFiles};
use super::names::{MAX_NAMES, NameReference, ReferenceTag, ScopeId};
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

    fn contains(self, file: &JinjaFile, span: TemplateSpan) -> bool {
        self == Self::All || file.names.is_in_definition(span)
    }
}

/// Returns the names that a part of a file reads, and that the file does not bind.
fn own_free_names(index: usize, file: &JinjaFile, part: FilePart) -> FreeNames<'_> {
    let mut free = FreeNames::default();
    let unbound = file.names.references.iter().filter(|it| it.bound.is_none());
    for NameReference { name, is_call, .. } in
        unbound.filter(|it| part.contains(file, it.name.span))
    {
        if !SPECIAL.contains(&name.text.as_str()) {
            let names = if *is_call { &mut free.calls } else { &mut free.values };
            names.entry(&name.text).or_insert(NamePlace { file: index, span: name.span });
        }
    }
    free
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
    /// The free names of each part of a file for which they have been found.
    known: HashMap<(usize, FilePart), Rc<FreeNames<'f>>>,
    /// The parts for which they have been requested.
    open: HashSet<(usize, FilePart)>,
    /// The parts whose values were already reported.
    with_values_reported: HashSet<(usize, FilePart)>,
    /// The parts whose calls were already compared with the names of a file's scope.
    compared: HashSet<(usize, FilePart, usize, ScopeId)>,
    reported: HashSet<NamePlace>,
    /// The number of names that were examined.
    work: usize,
}

impl<'f> FreeNameSearch<'f> {
    pub(super) fn new(files: &'f JinjaFiles) -> Self {
        let (known, open) = (HashMap::new(), HashSet::new());
        let (with_values_reported, compared, reported) =
            (HashSet::new(), HashSet::new(), HashSet::new());
        Self { files, known, open, with_values_reported, compared, reported, work: 0 }
    }

    /// Reports the free names in the file `target` of a tag that does not pass its context. `index`
    /// is the tag's own file. A called name is only reported if that file binds it, because it is
    /// otherwise a function of the host.
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
            "`{name}` is not defined in `{target_name}`, which is used without the context"
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
        // A cycle of files is reported when they are written.
        let Some(file) = self.files.list.get(index).filter(|_| self.open.insert((index, part)))
        else {
            return Ok(Rc::default());
        };
        let mut free = own_free_names(index, file, part);
        for ((target, part), scopes) in self.seeing_files(index, file, part) {
            let inner = self.free_names(target, part)?;
            for (name, place) in &inner.values {
                if self.passes(file, &scopes, name)? {
                    free.values.entry(name).or_insert(*place);
                }
            }
            for (name, place) in &inner.calls {
                if self.passes(file, &scopes, name)? {
                    free.calls.entry(name).or_insert(*place);
                }
            }
        }
        let free = Rc::new(free);
        self.known.insert((index, part), Rc::clone(&free));
        Ok(free)
    }

    /// Returns the parts of files that a part of a file names and that see its context, each with
    /// the scopes of the tags.
    fn seeing_files(
        &self,
        index: usize,
        file: &JinjaFile,
        part: FilePart,
    ) -> BTreeMap<(usize, FilePart), BTreeSet<ScopeId>> {
        let mut scopes: BTreeMap<_, BTreeSet<ScopeId>> = BTreeMap::new();
        let seeing = file.names.tags.iter().filter(|tag| tag.other.sees_context());
        for tag in seeing.filter(|tag| part.contains(file, tag.span)) {
            if let Some(target) = self.files.target(index, tag.span.start) {
                scopes.entry((target, FilePart::of(&tag.other))).or_default().insert(tag.scope);
            }
        }
        scopes
    }

    /// Whether one of the scopes in a file does not bind a name.
    fn passes(
        &mut self,
        file: &JinjaFile,
        scopes: &BTreeSet<ScopeId>,
        name: &str,
    ) -> Result<bool, TooManyNames> {
        for scope in scopes {
            self.pay(1)?;
            if !file.names.binds(*scope, name) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn pay(&mut self, names: usize) -> Result<(), TooManyNames> {
        add_steps(names);
        self.work = self.work.saturating_add(names);
        if self.work > MAX_NAMES { Err(TooManyNames) } else { Ok(()) }
    }
}
