//! Finds the free names of a file, which it reads but does not bind.
//!
//! A file that is imported without `with context`, or included `without context`, does not see the
//! names of the file with the tag. So it must not need free names: with `{{ a }}` in `part`, the
//! file `{% set a = 1 %}{% include "part" without context %}` has a finding at the `a` of `part`.
//! Free names are searched once per file, and each is reported once, at its first use.
//!
//! A free name of an included file is also a free name of the including file, unless that file
//! binds it around the tag: with `{{ a }}{{ b }}` in `part`, the file
//! `{% set a = 1 %}{% include "part" %}` has the free name `b`.
//!
//! A file is identified by its index in the list of [`JinjaFiles`].

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
        self == Self::All || file.names().is_in_definition(span)
    }
}

/// Returns the names that a part of a file reads, and that the file does not bind.
fn own_free_names(index: usize, file: &JinjaFile, part: FilePart) -> FreeNames<'_> {
    let mut free = FreeNames::default();
    let unbound = file.names().references.iter().filter(|it| it.bound.is_none());
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
    /// The parts for which the search has begun. One that is not in `known` is being searched: if
    /// it is requested again, it is in a cycle of files.
    begun: HashSet<(usize, FilePart)>,
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
        let (known, begun) = (HashMap::new(), HashSet::new());
        let (with_values_reported, compared, reported) =
            (HashSet::new(), HashSet::new(), HashSet::new());
        Self { files, known, begun, with_values_reported, compared, reported, work: 0 }
    }

    /// Reports the free names in the file `target` of a tag that does not pass its context. `index`
    /// is the file with the tag. A called name may be a function of the host. It is reported only
    /// if the file `index` binds it where the tag is.
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
        // A free value is an error whichever file has the tag.
        if self.with_values_reported.insert((target, part)) {
            unseen.extend(free.values.iter().map(|(name, place)| (*name, *place)));
        }
        // A free call is an error only if the scope of the tag binds the name.
        if self.compared.insert((target, part, index, tag.scope)) {
            self.pay(free.calls.len())?;
            let calls = free.calls.iter().filter(|(name, _)| file.names().binds(tag.scope, name));
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

    /// Returns the free names of a part, including those of the files that its tags name and that
    /// see its context.
    fn free_names(
        &mut self,
        index: usize,
        part: FilePart,
    ) -> Result<Rc<FreeNames<'f>>, TooManyNames> {
        if let Some(known) = self.known.get(&(index, part)) {
            return Ok(Rc::clone(known));
        }
        // A cycle of files is reported when they are written.
        let Some(file) = self.files.list.get(index).filter(|_| self.begun.insert((index, part)))
        else {
            return Ok(Rc::default());
        };
        let mut free = own_free_names(index, file, part);
        for ((target, target_part), scopes) in self.parts_with_context(index, file, part) {
            let inner = self.free_names(target, target_part)?;
            let values = (&inner.values, &mut free.values);
            for (names, free) in [values, (&inner.calls, &mut free.calls)] {
                for (name, place) in names {
                    if self.is_unbound_in_any(file, &scopes, name)? {
                        free.entry(name).or_insert(*place);
                    }
                }
            }
        }
        let free = Rc::new(free);
        self.known.insert((index, part), Rc::clone(&free));
        Ok(free)
    }

    /// Returns the parts of files that a part of a file names and that see its context, each with
    /// the scopes of the tags.
    fn parts_with_context(
        &self,
        index: usize,
        file: &JinjaFile,
        part: FilePart,
    ) -> BTreeMap<(usize, FilePart), BTreeSet<ScopeId>> {
        let mut scopes: BTreeMap<_, BTreeSet<ScopeId>> = BTreeMap::new();
        let seeing = file.names().tags.iter().filter(|tag| tag.other.sees_context());
        for tag in seeing.filter(|tag| part.contains(file, tag.span)) {
            if let Some(target) = self.files.target(index, tag.span.start) {
                scopes.entry((target, FilePart::of(&tag.other))).or_default().insert(tag.scope);
            }
        }
        scopes
    }

    /// Whether a name is unbound in at least one of the scopes of a file.
    fn is_unbound_in_any(
        &mut self,
        file: &JinjaFile,
        scopes: &BTreeSet<ScopeId>,
        name: &str,
    ) -> Result<bool, TooManyNames> {
        for scope in scopes {
            self.pay(1)?;
            if !file.names().binds(*scope, name) {
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
