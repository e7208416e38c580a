//! Reads all partials that a template names, each once.

use std::collections::{BTreeSet, HashMap};

use crate::assembly::library::{Answer, Library, refused};
use crate::assembly::partials;
use crate::assembly::{FileFindings, Refusal, TemplateFile};
use crate::mustache::recursion::Sign;
use crate::mustache::tags::{Delimiters, TagKind, Tags};
use crate::mustache::{parse, tags};
use crate::tree::Name;
use crate::{SyntaxError, Template};
use prompty_core::diagnostic::{
    Code, Diagnostic, SourceBuilder, SourceSpan, SourceText, TemplateSpan,
};

/// The ending of a partial's file, where its name has none.
const ENDING: &str = ".mustache";

/// A file of a template.
pub(super) struct File {
    /// The template's text alone.
    pub(super) source: SourceText,
    pub(super) tags: Vec<Tag>,
}

/// A tag of a file.
pub(super) struct Tag {
    pub(super) kind: Kind,
    pub(super) span: TemplateSpan,
    /// The line that it has for itself.
    pub(super) line: Option<TemplateSpan>,
    /// The delimiters with which it is written.
    pub(super) delimiters: Delimiters,
}

/// What assembly must know of a tag.
pub(super) enum Kind {
    /// It names a partial.
    Partial(Name),
    /// It changes the delimiters.
    Delimiters(Delimiters),
    /// It opens a section.
    Open,
    /// It closes one.
    Close,
    Other,
}

/// The files of a template; the first is the template itself.
pub(super) struct Files {
    pub(super) list: Vec<File>,
    /// The file that a tag names, by the tag's own file and its start.
    targets: HashMap<(usize, usize), usize>,
    /// Those files that name themselves, or that others do which they name.
    pub(super) recursive: BTreeSet<usize>,
    /// What is wrong, with the file that it is in.
    pub(super) findings: FileFindings,
}

impl Files {
    /// The file that a tag names.
    pub(super) fn target(&self, file: usize, tag: &Tag) -> Option<usize> {
        self.targets.get(&(file, tag.span.start)).copied()
    }

    pub(super) fn source(&self, file: usize) -> Option<&SourceText> {
        self.list.get(file).map(|file| &file.source)
    }

    /// The files that come back to themselves.
    fn find_recursive(&mut self) {
        let mut named: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); self.list.len()];
        for ((file, _), target) in &self.targets {
            if let Some(named) = named.get_mut(*file) {
                named.insert(*target);
            }
        }
        for file in 0..self.list.len() {
            let mut reached = BTreeSet::new();
            let mut waiting = vec![file];
            while let Some(next) = waiting.pop() {
                let named = named.get(next).into_iter().flatten();
                waiting.extend(named.filter(|it| reached.insert(**it)));
            }
            if reached.contains(&file) {
                self.recursive.insert(file);
            }
        }
    }
}

/// Reads the template and all partials.
///
/// # Errors
///
/// There is nothing to do for the template, which comes with its tree if that was read.
pub(super) fn read(
    main: &TemplateFile,
    load: &mut dyn FnMut(&str) -> Result<TemplateFile, Refusal>,
) -> Result<Files, Option<Template>> {
    let (main, template) = file(main).map_err(|_| None)?;
    if !main.tags.iter().any(|tag| matches!(tag.kind, Kind::Partial(_))) {
        return Err(Some(template));
    }
    let files = Files {
        list: vec![main],
        targets: HashMap::new(),
        recursive: BTreeSet::new(),
        findings: FileFindings::default(),
    };
    let mut reader = Reader { files, library: Library::new(load) };
    let mut next = 0;
    while next < reader.files.list.len() {
        reader.targets_of(next);
        next += 1;
    }
    reader.files.find_recursive();
    Ok(reader.files)
}

/// Reads a file. Places are those in the template's own text.
fn file(given: &TemplateFile) -> Result<(File, Template), Box<(SourceText, SyntaxError)>> {
    let mut builder = SourceBuilder::new(given.source.name());
    builder.copy(&given.source, given.body);
    let source = builder.finish();
    let read = parse(source.text()).and_then(|template| Ok((read_tags(source.text())?, template)));
    match read {
        Ok((tags, template)) => Ok((File { source, tags }, template)),
        Err(error) => Err(Box::new((source, error))),
    }
}

fn read_tags(text: &str) -> Result<Vec<Tag>, SyntaxError> {
    let mut reader = Tags::new(text);
    let mut tags = Vec::new();
    loop {
        let delimiters = reader.delimiters().clone();
        let Some(tag) = reader.next_tag()? else { return Ok(tags) };
        let kind = kind(&tag, reader.delimiters());
        tags.push(Tag { kind, span: tag.span, line: tag.line, delimiters });
    }
}

fn kind(tag: &tags::Tag<'_>, behind: &Delimiters) -> Kind {
    match tag.kind {
        TagKind::Delimiters => Kind::Delimiters(behind.clone()),
        TagKind::Section | TagKind::Inverted => Kind::Open,
        TagKind::Close => Kind::Close,
        // What was put together before names no file.
        TagKind::Partial if Sign::read(tag.content).is_none() => {
            Kind::Partial(Name::new(tag.content, tag.content_span()))
        }
        _ => Kind::Other,
    }
}

struct Reader<'l> {
    files: Files,
    library: Library<'l>,
}

impl Reader<'_> {
    fn targets_of(&mut self, index: usize) {
        let Some(file) = self.files.list.get(index) else { return };
        let asked = file.tags.iter().filter_map(|tag| match &tag.kind {
            Kind::Partial(name) => Some((tag.span.start, name.clone())),
            _ => None,
        });
        let asked: Vec<(usize, Name)> = asked.collect();
        for (tag, name) in asked {
            if let Some(target) = self.target(index, &name) {
                self.files.targets.insert((index, tag), target);
            }
        }
    }

    fn target(&mut self, file: usize, name: &Name) -> Option<usize> {
        if name.text.starts_with('*') {
            self.report(file, computed(name.span));
            return None;
        }
        let free = self.files.list.len();
        let known = self.files.list.iter().map(|file| &file.source);
        let (source, finding) = match partials::find(&mut self.library, name, ENDING, known) {
            Answer::Known(index) => return Some(index),
            Answer::Reported => return None,
            Answer::Missing(reason) => {
                self.report(file, refused(name.span, reason));
                return None;
            }
            Answer::Wrong(finding) => {
                self.report(file, *finding);
                return None;
            }
            Answer::Broken { file: broken, .. } => (broken.source, broken.finding),
            Answer::New { file: given, .. } => match self::file(&given) {
                Ok((read, _)) => {
                    self.files.list.push(read);
                    return Some(free);
                }
                Err(broken) => (broken.0, broken.1.into_finding().in_source(SourceSpan::default())),
            },
        };
        // A file that is no template stands for an empty one.
        self.files.list.push(File { source, tags: Vec::new() });
        self.files.findings.push_broken(free, finding);
        Some(free)
    }

    fn report(&mut self, file: usize, finding: Diagnostic<TemplateSpan>) {
        self.files.findings.push(file, finding);
    }
}

fn computed(span: TemplateSpan) -> Diagnostic<TemplateSpan> {
    Diagnostic::new(Code::UnsupportedConstruct, "the name of a partial cannot be computed")
        .with_span(span)
        .with_label("not known before the prompt is rendered")
        .with_help(
            "write the name itself; to choose between partials, write a section around each tag",
        )
}
