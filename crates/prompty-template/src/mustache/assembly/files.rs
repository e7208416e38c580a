//! Reads all partials that a template names. Each file is read once.

use std::collections::{BTreeSet, HashMap};

use crate::assembly::library::{FileLibrary, FileLookup, refusal_finding};
use crate::assembly::partials;
use crate::assembly::{FileFindings, Refusal, TemplateFile};
use crate::mustache::recursion::RecursionTag;
use crate::mustache::tags::{Delimiters, MustacheTagKind, MustacheTagReader};
use crate::mustache::{parse, tags};
use crate::tree::Name;
use crate::{SyntaxError, Template};
use prompty_core::diagnostic::{
    Code, Diagnostic, SourceBuilder, SourceSpan, SourceText, TemplateSpan,
};

/// The extension of a partial's file, if its name has none.
const ENDING: &str = ".mustache";

/// A file of a template.
pub(super) struct MustacheFile {
    /// The template's text, without what precedes it.
    pub(super) source: SourceText,
    pub(super) tags: Vec<FileTag>,
}

/// A tag of a file.
pub(super) struct FileTag {
    pub(super) kind: FileTagKind,
    pub(super) span: TemplateSpan,
    /// Its line, if the tag is standalone.
    pub(super) line: Option<TemplateSpan>,
    /// The delimiters of the tag itself.
    pub(super) delimiters: Delimiters,
}

/// The kind of tag, as far as assembly needs it.
pub(super) enum FileTagKind {
    /// Names a partial.
    Partial(Name),
    /// Changes the delimiters.
    Delimiters(Delimiters),
    /// Opens a section.
    Open,
    /// Closes a section.
    Close,
    Other,
}

/// The files of a template. The first is the template itself.
pub(super) struct MustacheFiles {
    pub(super) list: Vec<MustacheFile>,
    /// The file that each tag names, by the tag's own file and its start.
    targets: HashMap<(usize, usize), usize>,
    /// The files that include themselves, directly or through other files.
    pub(super) recursive: BTreeSet<usize>,
    /// The diagnostics, with their files.
    pub(super) findings: FileFindings,
}

impl MustacheFiles {
    /// Returns the file that a tag names.
    pub(super) fn target(&self, file: usize, tag: &FileTag) -> Option<usize> {
        self.targets.get(&(file, tag.span.start)).copied()
    }

    pub(super) fn source(&self, file: usize) -> Option<&SourceText> {
        self.list.get(file).map(|file| &file.source)
    }

    /// Finds the files that include themselves.
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
/// Returns the template's tree, if it was parsed, if nothing needs to be assembled.
pub(super) fn read(
    main: &TemplateFile,
    load: &mut dyn FnMut(&str) -> Result<TemplateFile, Refusal>,
) -> Result<MustacheFiles, Option<Template>> {
    let (main, template) = read_file(main).map_err(|_| None)?;
    if !main.tags.iter().any(|tag| matches!(tag.kind, FileTagKind::Partial(_))) {
        return Err(Some(template));
    }
    let files = MustacheFiles {
        list: vec![main],
        targets: HashMap::new(),
        recursive: BTreeSet::new(),
        findings: FileFindings::default(),
    };
    let mut reader = PartialReader { files, library: FileLibrary::new(load) };
    let mut next = 0;
    while next < reader.files.list.len() {
        reader.find_targets(next);
        next += 1;
    }
    reader.files.find_recursive();
    Ok(reader.files)
}

/// Reads a file. The spans of its tree are relative to the template's own text.
fn read_file(
    template_file: &TemplateFile,
) -> Result<(MustacheFile, Template), Box<(SourceText, SyntaxError)>> {
    let mut builder = SourceBuilder::new(template_file.source.name());
    builder.copy(&template_file.source, template_file.body);
    let source = builder.finish();
    let read = parse(source.text()).and_then(|template| Ok((read_tags(source.text())?, template)));
    match read {
        Ok((tags, template)) => Ok((MustacheFile { source, tags }, template)),
        Err(error) => Err(Box::new((source, error))),
    }
}

fn read_tags(text: &str) -> Result<Vec<FileTag>, SyntaxError> {
    let mut reader = MustacheTagReader::new(text);
    let mut tags = Vec::new();
    loop {
        let delimiters = reader.delimiters().clone();
        let Some(tag) = reader.next_tag()? else { return Ok(tags) };
        let kind = kind_of(&tag, reader.delimiters());
        tags.push(FileTag { kind, span: tag.span, line: tag.line, delimiters });
    }
}

/// Returns the kind of a tag. `next` are the delimiters of the tag after it.
fn kind_of(tag: &tags::MustacheTag<'_>, next: &Delimiters) -> FileTagKind {
    match tag.kind {
        MustacheTagKind::Delimiters => FileTagKind::Delimiters(next.clone()),
        MustacheTagKind::Section | MustacheTagKind::Inverted => FileTagKind::Open,
        MustacheTagKind::Close => FileTagKind::Close,
        // A tag of an assembled recursive partial does not name a file.
        MustacheTagKind::Partial if RecursionTag::read(tag.content).is_none() => {
            FileTagKind::Partial(Name::new(tag.content, tag.content_span()))
        }
        _ => FileTagKind::Other,
    }
}

/// Reads files and finds the targets of their tags.
struct PartialReader<'l> {
    files: MustacheFiles,
    library: FileLibrary<'l>,
}

impl PartialReader<'_> {
    fn find_targets(&mut self, index: usize) {
        let Some(file) = self.files.list.get(index) else { return };
        let partials = file.tags.iter().filter_map(|tag| match &tag.kind {
            FileTagKind::Partial(name) => Some((tag.span.start, name.clone())),
            _ => None,
        });
        let partials: Vec<(usize, Name)> = partials.collect();
        for (tag, name) in partials {
            if let Some(target) = self.target(index, &name) {
                self.files.targets.insert((index, tag), target);
            }
        }
    }

    /// Returns the file that a tag names. Reports an error if there is none.
    fn target(&mut self, file: usize, name: &Name) -> Option<usize> {
        if name.text.starts_with('*') {
            self.report(file, computed_name(name.span));
            return None;
        }
        let free = self.files.list.len();
        let known = self.files.list.iter().map(|file| &file.source);
        let (source, finding) = match partials::find(&mut self.library, name, ENDING, known) {
            FileLookup::Known(index) => return Some(index),
            FileLookup::Reported => return None,
            FileLookup::Missing(reason) => {
                self.report(file, refusal_finding(name.span, reason));
                return None;
            }
            FileLookup::Invalid(finding) => {
                self.report(file, *finding);
                return None;
            }
            FileLookup::Broken { file: broken, .. } => (broken.source, broken.finding),
            FileLookup::New { file: loaded, .. } => match read_file(&loaded) {
                Ok((read, _)) => {
                    self.files.list.push(read);
                    return Some(free);
                }
                Err(broken) => (broken.0, broken.1.into_finding().in_source(SourceSpan::default())),
            },
        };
        // An invalid file is reported, and then treated as an empty template.
        self.files.list.push(MustacheFile { source, tags: Vec::new() });
        self.files.findings.push_broken(free, finding);
        Some(free)
    }

    fn report(&mut self, file: usize, finding: Diagnostic<TemplateSpan>) {
        self.files.findings.push(file, finding);
    }
}

fn computed_name(span: TemplateSpan) -> Diagnostic<TemplateSpan> {
    Diagnostic::new(Code::UnsupportedConstruct, "the name of a partial is computed")
        .with_span(span)
        .with_label("is not known before the prompt is rendered")
        .with_help(
            "write the name literally; to choose between partials, write a section around each tag",
        )
}
