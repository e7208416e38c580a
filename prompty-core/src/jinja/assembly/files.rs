//! Reads all files that a template names, each once.

use std::collections::{BTreeMap, HashMap};

use super::given::{MAX_FILES, MAX_READ, Refusal, TemplateFile, WhiteSpace};
use super::names::{self, Names};
use super::white_space;
use crate::diagnostic::{Code, Diagnostic, SourceBuilder, SourceText, Span};
use crate::jinja::tree::{Name, Node, NodeKind, OtherTemplate, Template, TemplateNames};
use crate::jinja::{Dialect, SyntaxError, parse, walk};
use crate::work::add_steps;

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
    let mut reader = Reader { files, known: BTreeMap::new(), white_space, is_full: false, load };
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
    /// What came of each name that was asked for.
    known: BTreeMap<String, Result<usize, Refusal>>,
    white_space: WhiteSpace,
    /// Whether it was told that the template has too many files.
    is_full: bool,
    load: &'l mut dyn FnMut(&str) -> Result<TemplateFile, Refusal>,
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
        let path = match within_the_set(name) {
            Ok(path) => path,
            Err(finding) => {
                self.report(file, *finding);
                return Sought::Told;
            }
        };
        add_steps(1);
        if let Some(known) = self.known.get(&path) {
            return known.clone().map_or_else(Sought::Missing, Sought::File);
        }
        let length: usize = self.files.list.iter().map(|file| file.source.text().len()).sum();
        let too_many = match (self.known.len() >= MAX_FILES, length > MAX_READ) {
            (true, _) => Some(format!("the template asks for more than {MAX_FILES} files")),
            (_, true) => Some(format!("the template's files have more than {MAX_READ} bytes")),
            _ => None,
        };
        if let Some(message) = too_many {
            // Once is enough: nothing is written then.
            if std::mem::replace(&mut self.is_full, true) {
                return Sought::Told;
            }
            let finding = Diagnostic::new(Code::TemplateSyntax, message).at(name.span);
            self.report(file, finding.help("put files together that are always used together"));
            return Sought::Told;
        }
        let loaded = (self.load)(&path);
        let index = self.files.list.len();
        let known = match loaded {
            Err(refusal) => Err(refusal),
            Ok(given) => {
                match self::file(path.clone(), &given, self.white_space) {
                    Ok(read) => self.files.list.push(read),
                    Err(broken) => self.broken(&path, *broken),
                }
                Ok(index)
            }
        };
        self.known.insert(path, known.clone());
        known.map_or_else(Sought::Missing, Sought::File)
    }

    /// A file that is no template.
    fn broken(&mut self, name: &str, (source, error): (SourceText, SyntaxError)) {
        let finding = Diagnostic::new(Code::TemplateSyntax, error.message).at(error.span);
        let finding = match error.help {
            Some(help) => finding.help(help),
            None => finding,
        };
        let (template, names) = (Template::default(), Names::default());
        self.report(self.files.list.len(), finding);
        self.files.list.push(File { name: name.to_owned(), source, template, names });
    }

    fn report(&mut self, file: usize, finding: Diagnostic) {
        self.files.findings.push((file, finding));
    }
}

fn refused(span: Span, refusal: Refusal) -> Diagnostic {
    Diagnostic::new(Code::MissingFile, refusal.message).at(span).help(refusal.help)
}

fn computed(span: Span) -> Diagnostic {
    Diagnostic::new(Code::UnsupportedConstruct, "the name of a template's file cannot be computed")
        .at(span)
        .label("not known before the prompt is rendered")
        .help("write the name in quotes")
        .help("to choose between files, write `{% if %}` around several tags")
}

/// A name without `.` parts, if it cannot lead out of a folder.
fn within_the_set(name: &Name) -> Result<String, Box<Diagnostic>> {
    let finding = |message: String, help: &str| {
        let finding = Diagnostic::new(Code::MissingFile, message).at(name.span).help(help);
        Err(Box::new(finding.label("not in the set of files")))
    };
    let text = name.text.as_str();
    let parts: Vec<&str> = text.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let relative = "names are relative to the folder of the templates, such as `parts/rules.jinja`";
    if text.starts_with('/') || text.contains(':') {
        return finding(format!("`{text}` is an absolute name"), relative);
    }
    if text.contains(['\\', '\0']) {
        return finding(
            format!("`{text}` is not the name of a file"),
            "folders are separated by `/`",
        );
    }
    if parts.contains(&"..") {
        let help = "move the file into the folder of the templates, or name a folder that holds all \
                    of them";
        return finding(format!("`{text}` leads out of the folder of the templates"), help);
    }
    if parts.is_empty() {
        return finding("the name of the file is empty".to_owned(), relative);
    }
    Ok(parts.join("/"))
}
