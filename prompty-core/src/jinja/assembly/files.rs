//! Reads all files that a template names, each once.

use std::collections::{BTreeMap, HashMap};

use super::given::{MAX_FILES, MAX_READ, Reason, Refusal, TemplateFile, WhiteSpace};
use super::names::{self, Names, Tag};
use super::white_space;
use crate::diagnostic::{Code, Diagnostic, SourceBuilder, SourceText, Span};
use crate::jinja::tree::{Name, Node, NodeKind, OtherTemplate, Template};
use crate::jinja::{Dialect, SyntaxError, parse};
use crate::text::slice;
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

fn is_extends(node: &Node) -> bool {
    matches!(&node.kind, NodeKind::OtherTemplate(other) if matches!(**other, OtherTemplate::Extends { .. }))
}

/// The files of a template; the first is the template itself.
pub(super) struct Files {
    pub(super) list: Vec<File>,
    /// The file that a tag names, by the tag's own file and its start; nothing where it may be missing.
    targets: HashMap<(usize, usize), usize>,
    /// What is wrong, with the file that it is in.
    pub(super) findings: Vec<(usize, Diagnostic)>,
}

impl Files {
    /// The file that the tag names that begins at `tag`.
    pub(super) fn target(&self, file: usize, tag: usize) -> Option<usize> {
        self.targets.get(&(file, tag)).copied()
    }
}

/// Reads the template and all that it names; `None` if there is nothing to do for it.
pub(super) fn read(
    main: &TemplateFile,
    white_space: WhiteSpace,
    load: &mut dyn FnMut(&str) -> Result<TemplateFile, Refusal>,
) -> Option<Files> {
    let has_options = white_space != WhiteSpace::default();
    let text = slice(main.source.text(), main.body.start..main.body.end);
    if !has_options && !may_have_parts(text) {
        return None;
    }
    let main = file(main.source.name().to_owned(), main, white_space).ok()?;
    if !has_options && !main.names.has_parts() {
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

/// Whether a text has a tag that names other files, or one that opens a block; it may stand in a text that is
/// written as it is. Most templates have none, and need not be parsed for that.
fn may_have_parts(text: &str) -> bool {
    text.match_indices("{%").any(|(start, opener)| {
        let tag = slice(text, start + opener.len()..);
        let tag = tag.strip_prefix(['-', '+']).unwrap_or(tag).trim_start();
        ["include", "import", "from", "extends", "block"].iter().any(|it| tag.starts_with(it))
    })
}

struct Reader<'l> {
    files: Files,
    /// What came of each name that was asked for.
    known: BTreeMap<String, Found>,
    white_space: WhiteSpace,
    /// Whether it was told that the template has too many files.
    is_full: bool,
    load: &'l mut dyn FnMut(&str) -> Result<TemplateFile, Refusal>,
}

/// What came of a name that a tag asks for.
#[derive(Clone)]
enum Found {
    File(usize),
    Missing(Reason),
    NotRead(Reason),
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
        let mut first: Option<(Span, Reason)> = None;
        for name in given {
            match self.find(file, name) {
                Found::File(found) => return Some(found),
                Found::Missing(reason) => {
                    first.get_or_insert((name.span, reason));
                }
                Found::NotRead(reason) => {
                    self.report(file, refused(name.span, reason));
                    return None;
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
        let path = match within_the_set(name) {
            Ok(path) => path,
            Err(finding) => {
                self.report(file, *finding);
                return Found::Reported;
            }
        };
        add_steps(1);
        if let Some(known) = self.known.get(&path) {
            return known.clone();
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
                return Found::Reported;
            }
            let finding = Diagnostic::new(Code::TemplateSyntax, message).at(name.span);
            self.report(file, finding.help("put files together that are always used together"));
            return Found::Reported;
        }
        let found = self.load(&path);
        self.known.insert(path, found.clone());
        found
    }

    fn load(&mut self, path: &str) -> Found {
        let (source, finding) = match (self.load)(path) {
            Err(Refusal::Missing(reason)) => return Found::Missing(reason),
            Err(Refusal::NotRead(reason)) => return Found::NotRead(reason),
            Err(Refusal::Broken(broken)) => (broken.source, broken.finding),
            Ok(given) => match file(path.to_owned(), &given, self.white_space) {
                Ok(read) => return Found::File(self.add(read)),
                Err(broken) => (broken.0, finding_of(broken.1)),
            },
        };
        // A file that is no template stands for an empty one.
        let (template, names) = (Template::default(), Names::default());
        let index = self.add(File { name: path.to_owned(), source, template, names });
        self.report(index, finding);
        Found::File(index)
    }

    fn add(&mut self, file: File) -> usize {
        self.files.list.push(file);
        self.files.list.len() - 1
    }

    fn report(&mut self, file: usize, finding: Diagnostic) {
        self.files.findings.push((file, finding));
    }
}

fn finding_of(error: SyntaxError) -> Diagnostic {
    let finding = Diagnostic::new(Code::TemplateSyntax, error.message).at(error.span);
    match error.help {
        Some(help) => finding.help(help),
        None => finding,
    }
}

fn refused(span: Span, reason: Reason) -> Diagnostic {
    Diagnostic::new(Code::MissingFile, reason.message).at(span).help(reason.help)
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
