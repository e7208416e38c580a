//! Reads all files that a template names. Each file is read once.

use std::collections::HashMap;

use super::names::{self, FileNames, ReferenceTag};
use super::white_space;
use super::white_space::WhiteSpace;
use crate::SyntaxError;
use crate::assembly::library::{FileLibrary, FileLookup, refusal_finding};
use crate::assembly::{FileFindings, Reason, Refusal, TemplateFile};
use crate::jinja::{Dialect, parse};
use crate::tree::{Name, Node, NodeKind, OtherTemplate, Template};
use prompty_core::diagnostic::{
    Code, Diagnostic, SourceBuilder, SourceSpan, SourceText, TemplateSpan,
};

/// A file of a template.
pub(super) struct JinjaFile {
    /// The name that tags use; for the main template, the name of its source.
    pub(super) name: String,
    /// The template's text, without what precedes it.
    pub(super) source: SourceText,
    pub(super) template: Template,
    pub(super) names: FileNames,
}

impl JinjaFile {
    /// The file's `extends` tag: its index among the nodes, and its node.
    pub(super) fn extends(&self) -> Option<(usize, &Node)> {
        self.template.nodes.iter().enumerate().find(|(_, node)| is_extends(node))
    }

    /// Returns the span that is written. Like Jinja2, it omits the last line break of an included
    /// file.
    pub(super) fn written_span(&self, is_main: bool) -> TemplateSpan {
        let text = self.source.text();
        let end = if is_main { text } else { text.strip_suffix('\n').unwrap_or(text) };
        TemplateSpan::new(0, end.len())
    }
}

fn is_extends(node: &Node) -> bool {
    matches!(&node.kind, NodeKind::OtherTemplate(other) if matches!(**other, OtherTemplate::Extends { .. }))
}

/// The files of a template. The first is the template itself.
pub(super) struct JinjaFiles {
    pub(super) list: Vec<JinjaFile>,
    /// The file that each tag names, by the tag's own file and its start. A file that may be
    /// missing can have no entry.
    targets: HashMap<(usize, usize), usize>,
    /// The diagnostics, with their files.
    pub(super) findings: FileFindings,
}

impl JinjaFiles {
    /// Returns the file that the tag beginning at `tag` names.
    pub(super) fn target(&self, file: usize, tag: usize) -> Option<usize> {
        self.targets.get(&(file, tag)).copied()
    }

    /// Takes the tree of the template itself, if the assembled text equals the template's text.
    pub(super) fn take_template(&mut self, written: Option<&str>) -> Option<Template> {
        let main = self.list.first_mut().filter(|main| Some(main.source.text()) == written)?;
        Some(std::mem::take(&mut main.template))
    }
}

/// Reads the template and all files that it names.
///
/// # Errors
///
/// Returns the template's tree, if it was parsed, if nothing needs to be assembled.
pub(super) fn read(
    main: &TemplateFile,
    white_space: WhiteSpace,
    load: &mut dyn FnMut(&str) -> Result<TemplateFile, Refusal>,
) -> Result<JinjaFiles, Option<Template>> {
    let has_options = white_space != WhiteSpace::default();
    let text = main.body.text_in(main.source.text()).ok_or(None)?;
    if !has_options && !may_have_parts(text) {
        return Err(None);
    }
    let main = read_file(main.source.name().to_owned(), main, white_space).map_err(|_| None)?;
    if !has_options && !main.names.has_parts() {
        return Err(Some(main.template));
    }
    let files =
        JinjaFiles { list: vec![main], targets: HashMap::new(), findings: FileFindings::default() };
    let mut reader = FileReader { files, library: FileLibrary::new(load), white_space };
    let mut next = 0;
    while next < reader.files.list.len() {
        reader.find_targets(next);
        next += 1;
    }
    Ok(reader.files)
}

/// Reads a file. The spans of its tree are relative to the template's own text.
fn read_file(
    name: String,
    source_file: &TemplateFile,
    options: WhiteSpace,
) -> Result<JinjaFile, Box<(SourceText, SyntaxError)>> {
    let mut builder = SourceBuilder::new(source_file.source.name());
    builder.copy(&source_file.source, source_file.body);
    let source = white_space::apply(builder.finish(), options);
    match parse(source.text(), &Dialect::PROMPT) {
        Ok(template) => {
            let names = names::find_names(&template.nodes);
            Ok(JinjaFile { name, source, template, names })
        }
        Err(error) => Err(Box::new((source, error))),
    }
}

/// Whether a text may contain a tag that names other files or opens a block. The tag may be in a
/// `raw` block. Most templates contain none, and need not be parsed for assembly.
fn may_have_parts(text: &str) -> bool {
    text.split("{%").skip(1).any(|tag| {
        let tag = tag.strip_prefix(['-', '+']).unwrap_or(tag).trim_start();
        ["include", "import", "from", "extends", "block"].iter().any(|it| tag.starts_with(it))
    })
}

/// Reads files and finds the targets of their tags.
struct FileReader<'l> {
    files: JinjaFiles,
    library: FileLibrary<'l>,
    white_space: WhiteSpace,
}

/// The result of looking up a name in a tag.
enum TargetFile {
    File(usize),
    Missing(Reason),
    /// The error was already reported.
    Reported,
}

impl FileReader<'_> {
    fn find_targets(&mut self, index: usize) {
        let Some(file) = self.files.list.get_mut(index) else { return };
        // The tags are put back below, so that diagnostics can be reported meanwhile.
        let tags = std::mem::take(&mut file.names.tags);
        for tag in &tags {
            if let Some(target) = self.target(index, tag) {
                self.files.targets.insert((index, tag.span.start), target);
            }
        }
        if let Some(file) = self.files.list.get_mut(index) {
            file.names.tags = tags;
        }
    }

    /// Returns the first file of a tag's names that exists. If none does, the error is that of the
    /// first name.
    fn target(&mut self, file: usize, tag: &ReferenceTag) -> Option<usize> {
        let names = tag.other.names();
        let Some(given) = &names.given else {
            self.report(file, computed_name(names.span));
            return None;
        };
        let mut first: Option<(TemplateSpan, Reason)> = None;
        for name in given {
            match self.find(file, name) {
                TargetFile::File(found) => return Some(found),
                TargetFile::Missing(reason) => {
                    first.get_or_insert((name.span, reason));
                }
                TargetFile::Reported => return None,
            }
        }
        let may_be_missing =
            matches!(tag.other, OtherTemplate::Include { may_be_missing: true, .. });
        if let (Some((span, reason)), false) = (first, may_be_missing) {
            self.report(file, refusal_finding(span, reason));
        }
        None
    }

    /// Looks up a name, and reads the file if it is new. A file that cannot be read is reported.
    fn find(&mut self, file: usize, name: &Name) -> TargetFile {
        let length: usize = self.files.list.iter().map(|file| file.source.text().len()).sum();
        let free = self.files.list.len();
        let (name, source, finding) = match self.library.find(name, free, length) {
            FileLookup::Known(index) => return TargetFile::File(index),
            FileLookup::Missing(reason) => return TargetFile::Missing(reason),
            FileLookup::Reported => return TargetFile::Reported,
            FileLookup::Invalid(finding) => {
                self.report(file, *finding);
                return TargetFile::Reported;
            }
            FileLookup::Broken { name, file: broken } => (name, broken.source, broken.finding),
            FileLookup::New { name, file: loaded } => {
                match read_file(name.clone(), &loaded, self.white_space) {
                    Ok(read) => {
                        self.files.list.push(read);
                        return TargetFile::File(free);
                    }
                    Err(broken) => {
                        (name, broken.0, broken.1.into_finding().in_source(SourceSpan::default()))
                    }
                }
            }
        };
        // An invalid file is treated as an empty template.
        let (template, names) = (Template::default(), FileNames::default());
        self.files.list.push(JinjaFile { name, source, template, names });
        self.files.findings.push_broken(free, finding);
        TargetFile::File(free)
    }

    fn report(&mut self, file: usize, finding: Diagnostic<TemplateSpan>) {
        self.files.findings.push(file, finding);
    }
}

fn computed_name(span: TemplateSpan) -> Diagnostic<TemplateSpan> {
    Diagnostic::new(Code::UnsupportedConstruct, "the name of a template's file is computed")
        .with_span(span)
        .with_label("is not known before the prompt is rendered")
        .with_help("write the name as a string literal")
        .with_help("to choose between files, write `{% if %}` around several tags")
}
