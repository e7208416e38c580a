//! Reads all partials that a template names.

use std::collections::BTreeSet;

use crate::assembly::library::{FileLibrary, FileLookup, LoadedFile, LoadedFiles, refusal_finding};
use crate::assembly::{Refusal, TemplateFile};
use crate::mustache::recursion::RecursionTag;
use crate::mustache::tags::{Delimiters, MustacheTagKind, MustacheTagReader};
use crate::mustache::{parse, tags};
use crate::tree::Name;
use crate::{SyntaxError, Template};
use prompty_core::diagnostic::{Code, Diagnostic, SourceText, TemplateSpan};

/// The extension of a partial's file, if its name has none.
const ENDING: &str = ".mustache";

/// The files of a template.
pub(super) type MustacheFiles = LoadedFiles<MustacheContent>;

/// The content of a file. The spans are relative to the template's own text.
#[derive(Default)]
pub(super) struct MustacheContent {
    template: Template,
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

impl MustacheFiles {
    /// Returns the files that include themselves, directly or through other files.
    pub(super) fn recursive(&self) -> BTreeSet<usize> {
        let mut named: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); self.list.len()];
        for ((file, _), target) in &self.targets {
            if let Some(named) = named.get_mut(*file) {
                named.insert(*target);
            }
        }
        let includes_itself = |file: &usize| {
            let mut reached = BTreeSet::new();
            let mut waiting = vec![*file];
            while let Some(next) = waiting.pop() {
                let named = named.get(next).into_iter().flatten();
                waiting.extend(named.filter(|it| reached.insert(**it)));
            }
            reached.contains(file)
        };
        (0..self.list.len()).filter(includes_itself).collect()
    }
}

/// Reads the template and all partials.
///
/// # Errors
///
/// Returns an error if nothing needs to be assembled. It is the template's tree, or `None` if the
/// template was not parsed.
pub(super) fn read(
    main: &TemplateFile,
    load: &mut dyn FnMut(&str) -> Result<TemplateFile, Refusal>,
) -> Result<MustacheFiles, Option<Template>> {
    let read = |source: SourceText| {
        let content = read_content(source.text());
        (source, content)
    };
    let main = LoadedFile::read_main(main, &read).ok_or(None)?;
    if !main.content.tags.iter().any(|tag| matches!(tag.kind, FileTagKind::Partial(_))) {
        return Err(Some(main.content.template));
    }
    let mut library = FileLibrary::new(main, &read, load);
    let mut next = 0;
    while let Some(file) = library.files.list.get(next) {
        let partials = file.content.tags.iter().filter_map(|tag| match &tag.kind {
            FileTagKind::Partial(name) => Some((tag.span.start, name.clone())),
            _ => None,
        });
        let partials: Vec<(usize, Name)> = partials.collect();
        for (tag, name) in partials {
            if let Some(target) = target(&mut library, next, &name) {
                library.files.targets.insert((next, tag), target);
            }
        }
        next += 1;
    }
    Ok(library.files)
}

fn read_content(text: &str) -> Result<MustacheContent, SyntaxError> {
    Ok(MustacheContent { template: parse(text)?, tags: read_tags(text)? })
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

/// Returns the file that a tag names. Reports an error if there is none.
fn target(
    library: &mut FileLibrary<'_, MustacheContent>,
    file: usize,
    name: &Name,
) -> Option<usize> {
    let found = match name.text.starts_with('*') {
        true => library.report(file, computed_name(name.span)),
        false => library.find_partial(file, name, ENDING),
    };
    match found {
        FileLookup::File(index) => return Some(index),
        FileLookup::Missing(reason) => {
            library.report(file, refusal_finding(name.span, reason));
        }
        FileLookup::Reported => {}
    }
    None
}

fn computed_name(span: TemplateSpan) -> Diagnostic<TemplateSpan> {
    Diagnostic::new(Code::UnsupportedConstruct, "the name of a partial is computed")
        .with_span(span)
        .with_label("is not known before the prompt is rendered")
        .with_help(
            "write the name literally; to choose between partials, write a section around each tag",
        )
}
