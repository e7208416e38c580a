//! Reads all files that a template names, each once.

use std::collections::HashMap;

use super::names::{self, Names, Tag};
use super::white_space;
use super::white_space::WhiteSpace;
use crate::SyntaxError;
use crate::assembly::library::{Answer, Library, refused};
use crate::assembly::{FileFindings, Reason, Refusal, TemplateFile};
use crate::jinja::{Dialect, parse};
use crate::tree::{Name, Node, NodeKind, OtherTemplate, Template};
use prompty_core::diagnostic::{
    Code, Diagnostic, SourceBuilder, SourceSpan, SourceText, TemplateSpan,
};

/// A file of a template.
pub(super) struct File {
    /// The name that tags give it; that of the whole for the template itself.
    pub(super) name: String,
    /// The template's text alone.
    pub(super) source: SourceText,
    pub(super) template: Template,
    pub(super) names: Names,
}

impl File {
    /// The file's `extends` tag: its index among the nodes, and its node.
    pub(super) fn extends(&self) -> Option<(usize, &Node)> {
        self.template.nodes.iter().enumerate().find(|(_, node)| is_extends(node))
    }

    /// The text that is written of it: without its last line break, as Jinja2 reads files.
    pub(super) fn written(&self, is_main: bool) -> TemplateSpan {
        let text = self.source.text();
        let end = if is_main { text } else { text.strip_suffix('\n').unwrap_or(text) };
        TemplateSpan::new(0, end.len())
    }
}

fn is_extends(node: &Node) -> bool {
    matches!(&node.kind, NodeKind::OtherTemplate(other) if matches!(**other, OtherTemplate::Extends { .. }))
}

/// The files of a template; the first is the template itself.
pub(super) struct Files {
    pub(super) list: Vec<File>,
    /// The file that a tag names, by the tag's own file and its start; nothing where it may be missing.
    targets: HashMap<(usize, usize), usize>,
    /// What is wrong, with the file that it is in.
    pub(super) findings: FileFindings,
}

impl Files {
    /// The file that the tag names that begins at `tag`.
    pub(super) fn target(&self, file: usize, tag: usize) -> Option<usize> {
        self.targets.get(&(file, tag)).copied()
    }

    /// The tree of the text that was written, if that is the text of the template itself.
    pub(super) fn take_template(&mut self, written: Option<&str>) -> Option<Template> {
        let main = self.list.first_mut().filter(|main| Some(main.source.text()) == written)?;
        Some(std::mem::take(&mut main.template))
    }
}

/// Reads the template and all that it names.
///
/// # Errors
///
/// There is nothing to do for the template, which comes with its tree if that was read.
pub(super) fn read(
    main: &TemplateFile,
    white_space: WhiteSpace,
    load: &mut dyn FnMut(&str) -> Result<TemplateFile, Refusal>,
) -> Result<Files, Option<Template>> {
    let has_options = white_space != WhiteSpace::default();
    let text = main.body.text_in(main.source.text()).ok_or(None)?;
    if !has_options && !may_have_parts(text) {
        return Err(None);
    }
    let main = file(main.source.name().to_owned(), main, white_space).map_err(|_| None)?;
    if !has_options && !main.names.has_parts() {
        return Err(Some(main.template));
    }
    let files =
        Files { list: vec![main], targets: HashMap::new(), findings: FileFindings::default() };
    let mut reader = Reader { files, library: Library::new(load), white_space };
    let mut next = 0;
    while next < reader.files.list.len() {
        reader.targets_of(next);
        next += 1;
    }
    Ok(reader.files)
}

/// Reads a file. Places are those in the template's own text.
fn file(
    name: String,
    given: &TemplateFile,
    options: WhiteSpace,
) -> Result<File, Box<(SourceText, SyntaxError)>> {
    let mut builder = SourceBuilder::new(given.source.name());
    builder.copy(&given.source, given.body);
    let source = white_space::carried_out(builder.finish(), options);
    match parse(source.text(), &Dialect::PROMPT) {
        Ok(template) => {
            let names = names::of(&template.nodes);
            Ok(File { name, source, template, names })
        }
        Err(error) => Err(Box::new((source, error))),
    }
}

/// Whether a text has a tag that names other files, or one that opens a block; it may stand in a text that is
/// written as it is. Most templates have none, and need not be parsed for that.
fn may_have_parts(text: &str) -> bool {
    text.split("{%").skip(1).any(|tag| {
        let tag = tag.strip_prefix(['-', '+']).unwrap_or(tag).trim_start();
        ["include", "import", "from", "extends", "block"].iter().any(|it| tag.starts_with(it))
    })
}

struct Reader<'l> {
    files: Files,
    library: Library<'l>,
    white_space: WhiteSpace,
}

/// What came of a name that a tag asks for.
enum Found {
    File(usize),
    Missing(Reason),
    /// What is wrong was reported.
    Reported,
}

impl Reader<'_> {
    fn targets_of(&mut self, index: usize) {
        let Some(file) = self.files.list.get_mut(index) else { return };
        // They are put back below, so that findings can be reported meanwhile.
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

    /// The first file of a tag's names that there is.
    fn target(&mut self, file: usize, tag: &Tag) -> Option<usize> {
        let names = tag.other.names();
        let Some(given) = &names.given else {
            self.report(file, computed(names.span));
            return None;
        };
        let mut first: Option<(TemplateSpan, Reason)> = None;
        for name in given {
            match self.find(file, name) {
                Found::File(found) => return Some(found),
                Found::Missing(reason) => {
                    first.get_or_insert((name.span, reason));
                }
                Found::Reported => return None,
            }
        }
        let may_be_missing =
            matches!(tag.other, OtherTemplate::Include { may_be_missing: true, .. });
        if let (Some((span, reason)), false) = (first, may_be_missing) {
            self.report(file, refused(span, reason));
        }
        None
    }

    fn find(&mut self, file: usize, name: &Name) -> Found {
        let length: usize = self.files.list.iter().map(|file| file.source.text().len()).sum();
        let free = self.files.list.len();
        let (name, source, finding) = match self.library.find(name, free, length) {
            Answer::Known(index) => return Found::File(index),
            Answer::Missing(reason) => return Found::Missing(reason),
            Answer::Reported => return Found::Reported,
            Answer::Wrong(finding) => {
                self.report(file, *finding);
                return Found::Reported;
            }
            Answer::Broken { name, file: broken } => (name, broken.source, broken.finding),
            Answer::New { name, file: given } => {
                match self::file(name.clone(), &given, self.white_space) {
                    Ok(read) => {
                        self.files.list.push(read);
                        return Found::File(free);
                    }
                    Err(broken) => {
                        (name, broken.0, broken.1.into_finding().in_source(SourceSpan::default()))
                    }
                }
            }
        };
        // A file that is no template stands for an empty one.
        let (template, names) = (Template::default(), Names::default());
        self.files.list.push(File { name, source, template, names });
        self.files.findings.push_broken(free, finding);
        Found::File(free)
    }

    fn report(&mut self, file: usize, finding: Diagnostic<TemplateSpan>) {
        self.files.findings.push(file, finding);
    }
}

fn computed(span: TemplateSpan) -> Diagnostic<TemplateSpan> {
    Diagnostic::new(Code::UnsupportedConstruct, "the name of a template's file cannot be computed")
        .with_span(span)
        .with_label("not known before the prompt is rendered")
        .with_help("write the name in quotes")
        .with_help("to choose between files, write `{% if %}` around several tags")
}
