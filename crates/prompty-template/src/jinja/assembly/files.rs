//! Reads all files that a template names.

use super::names::{self, FileNames, ReferenceTag};
use super::white_space;
use super::white_space::WhiteSpace;
use crate::assembly::library::{FileLibrary, FileLookup, LoadedFile, LoadedFiles, refusal_finding};
use crate::assembly::{Reason, Refusal, TemplateFile};
use crate::jinja::{Dialect, parse};
use crate::tree::{Node, NodeKind, OtherTemplate, Template};
use prompty_core::diagnostic::{Code, Diagnostic, SourceText, TemplateSpan};

/// A file of a template.
pub(super) type JinjaFile = LoadedFile<JinjaContent>;

/// The files of a template.
pub(super) type JinjaFiles = LoadedFiles<JinjaContent>;

/// The content of a file. The spans are relative to the template's own text.
#[derive(Default)]
pub(super) struct JinjaContent {
    pub(super) template: Template,
    pub(super) names: FileNames,
}

impl JinjaFile {
    pub(super) fn nodes(&self) -> &[Node] {
        &self.content.template.nodes
    }

    pub(super) fn names(&self) -> &FileNames {
        &self.content.names
    }

    /// The file's `extends` tag: its index among the nodes, and its node.
    pub(super) fn extends(&self) -> Option<(usize, &Node)> {
        self.nodes().iter().enumerate().find(|(_, node)| is_extends(node))
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

/// Reads the template and all files that it names.
///
/// # Errors
///
/// Returns an error if nothing needs to be assembled. It is the template's tree, or `None` if the
/// template was not parsed.
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
    let read = |source: SourceText| {
        let source = white_space::apply(source, white_space);
        let content = parse(source.text(), &Dialect::PROMPT).map(|template| {
            let names = names::find_names(&template.nodes);
            JinjaContent { template, names }
        });
        (source, content)
    };
    let main = JinjaFile::read_main(main, &read).ok_or(None)?;
    if !has_options && !main.names().has_parts() {
        return Err(Some(main.content.template));
    }
    let mut library = FileLibrary::new(main, &read, load);
    let mut next = 0;
    while let Some(file) = library.files.list.get_mut(next) {
        // The tags are put back below, so that files can be loaded meanwhile.
        let tags = std::mem::take(&mut file.content.names.tags);
        for tag in &tags {
            if let Some(target) = target(&mut library, next, tag) {
                library.files.targets.insert((next, tag.span.start), target);
            }
        }
        if let Some(file) = library.files.list.get_mut(next) {
            file.content.names.tags = tags;
        }
        next += 1;
    }
    Ok(library.files)
}

/// Whether a text may contain a tag that names other files or opens a block. The tag may be in a
/// `raw` block. Most templates contain none, and need not be parsed for assembly.
fn may_have_parts(text: &str) -> bool {
    text.split("{%").skip(1).any(|tag| {
        let tag = tag.strip_prefix(['-', '+']).unwrap_or(tag).trim_start();
        ["include", "import", "from", "extends", "block"].iter().any(|it| tag.starts_with(it))
    })
}

/// Returns the first file of a tag's names that exists. If none does, the error is that of the
/// first name.
fn target(
    library: &mut FileLibrary<'_, JinjaContent>,
    file: usize,
    tag: &ReferenceTag,
) -> Option<usize> {
    let names = tag.other.names();
    let Some(given) = &names.given else {
        library.report(file, computed_name(names.span));
        return None;
    };
    let mut first: Option<(TemplateSpan, Reason)> = None;
    for name in given {
        match library.find(file, name) {
            FileLookup::File(found) => return Some(found),
            FileLookup::Missing(reason) => {
                first.get_or_insert((name.span, reason));
            }
            FileLookup::Reported => return None,
        }
    }
    let may_be_missing = matches!(tag.other, OtherTemplate::Include { may_be_missing: true, .. });
    if let (Some((span, reason)), false) = (first, may_be_missing) {
        library.report(file, refusal_finding(span, reason));
    }
    None
}

fn computed_name(span: TemplateSpan) -> Diagnostic<TemplateSpan> {
    Diagnostic::new(Code::UnsupportedConstruct, "the name of a template's file is computed")
        .with_span(span)
        .with_label("is not known before the prompt is rendered")
        .with_help("write the name as a string literal")
        .with_help("to choose between files, write `{% if %}` around several tags")
}
