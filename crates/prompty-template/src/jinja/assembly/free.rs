//! The names that a file reads and does not bind: those it takes from whoever names it.
//!
//! A file that sees nothing of the template around it must not need such names. They are looked for once for
//! each file, and each is told once, at the first place where the file reads it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::files::Files;
use super::names::MAX_NAMES;
use super::names::{ScopeId, Tag};
use crate::assembly::FileFindings;
use crate::tree::OtherTemplate;
use prompty_core::diagnostic::{Code, Diagnostic, TemplateSpan};
use prompty_core::work::add_steps;

/// Names that mean something in every file.
const SPECIAL: [&str; 5] = ["super", "self", "caller", "varargs", "kwargs"];

/// What of a file is written where a tag names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Part {
    Whole,
    /// What binds names: all that counts of a file that is imported.
    Definitions,
}

impl Part {
    fn of(tag: &OtherTemplate) -> Self {
        match tag {
            OtherTemplate::Include { .. } | OtherTemplate::Extends { .. } => Self::Whole,
            OtherTemplate::Import { .. } | OtherTemplate::From { .. } => Self::Definitions,
        }
    }
}

/// The first place where a name is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    file: usize,
    span: TemplateSpan,
}

/// The names that a part of a file takes from outside.
#[derive(Debug, Default)]
struct Free<'f> {
    values: BTreeMap<&'f str, Place>,
    /// Names that are called: each may be a function of the host.
    calls: BTreeMap<&'f str, Place>,
}

/// More names were looked at than may be.
pub(super) struct TooMany;

/// Finds names that files cannot see.
pub(super) struct Search<'f> {
    files: &'f Files,
    known: HashMap<(usize, Part), Rc<Free<'f>>>,
    open: HashSet<(usize, Part)>,
    /// The parts whose values were told already.
    with_values_told: HashSet<(usize, Part)>,
    /// The parts whose calls were compared already with the names of a file's scope.
    compared: HashSet<(usize, Part, usize, ScopeId)>,
    told: HashSet<Place>,
    work: usize,
}

impl<'f> Search<'f> {
    pub(super) fn new(files: &'f Files) -> Self {
        let (known, open) = (HashMap::new(), HashSet::new());
        let (with_values_told, compared, told) = (HashSet::new(), HashSet::new(), HashSet::new());
        Self { files, known, open, with_values_told, compared, told, work: 0 }
    }

    /// Adds the names to `findings` that the file of a tag reads, although it sees nothing of the template
    /// around the tag.
    ///
    /// # Errors
    ///
    /// There are too many names.
    pub(super) fn check(
        &mut self,
        index: usize,
        tag: &Tag,
        target: usize,
        findings: &mut FileFindings,
    ) -> Result<(), TooMany> {
        let Some(file) = self.files.list.get(index) else { return Ok(()) };
        let part = Part::of(&tag.other);
        let free = self.of(target, part)?;
        let mut unseen: Vec<(&str, Place)> = Vec::new();
        if self.with_values_told.insert((target, part)) {
            unseen.extend(free.values.iter().map(|(name, place)| (*name, *place)));
        }
        if self.compared.insert((target, part, index, tag.scope)) {
            self.pay(free.calls.len())?;
            let calls = free.calls.iter().filter(|(name, _)| file.names.binds(tag.scope, name));
            unseen.extend(calls.map(|(name, place)| (*name, *place)));
        }
        for (name, place) in unseen {
            if self.told.insert(place) {
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
        tag: &Tag,
        target: usize,
    ) -> Diagnostic<TemplateSpan> {
        let asked = self.files.list.get(target).map_or("", |file| file.name.as_str());
        let message = format!(
            "`{name}` is not known in `{asked}`, which does not see the names of the template that \
             asks for it"
        );
        let finding = Diagnostic::new(Code::UnknownInput, message).with_span(at);
        let finding = finding.with_label("comes from nowhere");
        let Some(file) = self.files.list.get(index) else { return finding };
        let cure = match &tag.other {
            OtherTemplate::Include { .. } => "leave `without context` out".to_owned(),
            _ => {
                let written = tag.span.text_in(file.source.text());
                let Some(line) = written.and_then(|it| it.lines().next()) else { return finding };
                format!(
                    "give it to the macro as an argument, or end the tag `{line}` with `with context`"
                )
            }
        };
        let place = file.source.place(tag.span.start);
        finding.with_help(cure).with_note(format!("the tag is at {place}"))
    }

    /// What a part of a file takes from outside, with the files that it names and that see its own names.
    fn of(&mut self, index: usize, part: Part) -> Result<Rc<Free<'f>>, TooMany> {
        if let Some(known) = self.known.get(&(index, part)) {
            return Ok(Rc::clone(known));
        }
        let mut free = Free::default();
        let Some(file) = self.files.list.get(index) else { return Ok(Rc::new(free)) };
        // Files that name each other in a circle are refused when they are written.
        if !self.open.insert((index, part)) {
            return Ok(Rc::new(free));
        }
        let is_written =
            |span: TemplateSpan| part == Part::Whole || file.names.is_in_definition(span);
        let unbound = file.names.references.iter().filter(|it| it.bound.is_none());
        for reference in unbound.filter(|it| is_written(it.name.span)) {
            let name = reference.name.text.as_str();
            if SPECIAL.contains(&name) {
                continue;
            }
            let names = if reference.is_call { &mut free.calls } else { &mut free.values };
            names.entry(name).or_insert(Place { file: index, span: reference.name.span });
        }
        let mut scopes: BTreeMap<(usize, Part), BTreeSet<ScopeId>> = BTreeMap::new();
        let seeing = file.names.tags.iter().filter(|tag| tag.other.sees_context());
        for tag in seeing.filter(|tag| is_written(tag.span)) {
            if let Some(target) = self.files.target(index, tag.span.start) {
                scopes.entry((target, Part::of(&tag.other))).or_default().insert(tag.scope);
            }
        }
        for ((target, part), scopes) in scopes {
            let inner = self.of(target, part)?;
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

    fn pay(&mut self, names: usize) -> Result<(), TooMany> {
        add_steps(names);
        self.work = self.work.saturating_add(names);
        if self.work > MAX_NAMES { Err(TooMany) } else { Ok(()) }
    }
}
