//! Reads all files that a template names, each once.

use std::collections::HashMap;

use super::given::{Refusal, TemplateFile, WhiteSpace};
use super::library::{Found, Library, refused};
use super::names::{self, Names};
use super::white_space;
use crate::diagnostic::{Code, Diagnostic, SourceBuilder, SourceText, Span};
use crate::jinja::tree::{Name, Node, NodeKind, OtherTemplate, Template, TemplateNames};
use crate::jinja::{Dialect, SyntaxError, parse, walk};

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
    pub(super) fn written(&self, is_main: bool) -> Span {
        let text = self.source.text();
        let end = if is_main { text } else { text.strip_suffix('\n').unwrap_or(text) };
        Span::new(0, end.len())
    }
}

pub(super) fn is_extends(node: &Node) -> bool {
    matches!(
        &node.kind,
        NodeKind::Unsupported { other: Some(other), .. }
            if matches!(**other, OtherTemplate::Extends { .. })
    )
}

/// The files of a template; the first is the template itself.
pub(super) struct Files {
    pub(super) list: Vec<File>,
    /// The file that a tag names, by the tag's own file and its start; `None` where it may be missing.
    targets: HashMap<(usize, usize), Option<usize>>,
    /// What is wrong, with the file that it is in.
    pub(super) findings: Vec<(usize, Diagnostic)>,
}

impl Files {
    /// The file that a tag names.
    pub(super) fn target(&self, file: usize, tag: &Node) -> Option<usize> {
        self.targets.get(&(file, tag.span.start)).copied().flatten()
    }
}

/// Reads the template and all that it names; `None` if there is nothing to do for it.
pub(super) fn read(
    main: &TemplateFile,
    white_space: WhiteSpace,
    load: &mut dyn FnMut(&str) -> Result<TemplateFile, Refusal>,
) -> Option<Files> {
    let name = main.source.name().to_owned();
    let main = file(name, main, white_space).ok()?;
    let is_one = !has_parts(&main.template.nodes);
    if is_one && white_space == WhiteSpace::default() {
        return None;
    }
    let files = Files { list: vec![main], targets: HashMap::new(), findings: Vec::new() };
    let mut reader = Reader { files, library: Library::new(load), white_space };
    let mut next = 0;
    while next < reader.files.list.len() {
        reader.targets_of(next);
        next += 1;
    }
    Some(reader.files)
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

/// Whether a template names others, or has blocks that others could fill.
fn has_parts(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| {
        matches!(
            node.kind,
            NodeKind::Unsupported { other: Some(_), .. } | NodeKind::Scope { block: Some(_), .. }
        ) || walk::bodies(node).into_iter().any(has_parts)
    })
}

/// Calls `visit` with every tag that names other files.
fn tags<'t>(nodes: &'t [Node], visit: &mut impl FnMut(&'t Node, &'t OtherTemplate)) {
    for node in nodes {
        if let NodeKind::Unsupported { other: Some(other), .. } = &node.kind {
            visit(node, other);
        }
        for body in walk::bodies(node) {
            tags(body, visit);
        }
    }
}

struct Reader<'l> {
    files: Files,
    library: Library<'l>,
    white_space: WhiteSpace,
}

/// A name that a tag asks for: the file, or why there is none.
enum Sought {
    File(usize),
    Missing(Refusal),
    /// What is wrong was told.
    Told,
}

impl Reader<'_> {
    fn targets_of(&mut self, index: usize) {
        let Some(file) = self.files.list.get(index) else { return };
        if file.names.are_too_many {
            let message = "too many names are bound around the tags that name other files";
            let finding = Diagnostic::new(Code::TemplateSyntax, message).at(Span::default());
            let help = "give the file fewer of these tags, or fewer variables and macros";
            return self.report(index, finding.help(help));
        }
        let mut asked: Vec<(Span, TemplateNames, bool)> = Vec::new();
        tags(&file.template.nodes, &mut |node, other| {
            let may_be_missing =
                matches!(other, OtherTemplate::Include { may_be_missing: true, .. });
            asked.push((node.span, other.names().clone(), may_be_missing));
        });
        for (tag, names, may_be_missing) in asked {
            let target = self.target(index, &names, may_be_missing);
            self.files.targets.insert((index, tag.start), target);
        }
    }

    /// The first file of a tag's names that there is.
    fn target(
        &mut self,
        file: usize,
        names: &TemplateNames,
        may_be_missing: bool,
    ) -> Option<usize> {
        let Some(given) = &names.given else {
            self.report(file, computed(names.span));
            return None;
        };
        let mut first: Option<(Span, Refusal)> = None;
        for name in given {
            match self.sought(file, name) {
                Sought::File(found) => return Some(found),
                Sought::Missing(refusal) if refusal.is_missing => {
                    first.get_or_insert((name.span, refusal));
                }
                Sought::Missing(refusal) => {
                    self.report(file, refused(name.span, refusal));
                    return None;
                }
                Sought::Told => return None,
            }
        }
        if let (Some((span, refusal)), false) = (first, may_be_missing) {
            self.report(file, refused(span, refusal));
        }
        None
    }

    fn sought(&mut self, file: usize, name: &Name) -> Sought {
        let length: usize = self.files.list.iter().map(|file| file.source.text().len()).sum();
        let free = self.files.list.len();
        match self.library.find(name, free, length) {
            Found::Known(index) => Sought::File(index),
            Found::New { name, file } => {
                match self::file(name.clone(), &file, self.white_space) {
                    Ok(read) => self.files.list.push(read),
                    Err(broken) => self.broken(&name, *broken),
                }
                Sought::File(free)
            }
            Found::Missing(refusal) => Sought::Missing(refusal),
            Found::Wrong(finding) => {
                self.report(file, *finding);
                Sought::Told
            }
            Found::Told => Sought::Told,
        }
    }

    /// A file that is no template.
    fn broken(&mut self, name: &str, (source, error): (SourceText, SyntaxError)) {
        let (template, names) = (Template::default(), Names::default());
        self.report(self.files.list.len(), error.into_finding());
        self.files.list.push(File { name: name.to_owned(), source, template, names });
    }

    fn report(&mut self, file: usize, finding: Diagnostic) {
        self.files.findings.push((file, finding));
    }
}

fn computed(span: Span) -> Diagnostic {
    Diagnostic::new(Code::UnsupportedConstruct, "the name of a template's file cannot be computed")
        .at(span)
        .label("not known before the prompt is rendered")
        .help("write the name in quotes")
        .help("to choose between files, write `{% if %}` around several tags")
}
