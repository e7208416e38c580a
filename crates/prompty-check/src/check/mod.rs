//! The one checker of prompts: the macros run it at compile time, [`check`] runs it at run time.
//!
//! It reads the parsed tree of a template together with the types of the prompt's inputs, with
//! scopes, aliases, loop variables and guards, and reports everything it finds at once, each with
//! its place and with help:
//!
//! ```
//! # mod typed_prompty { pub use prompty_core::diagnostic; pub use prompty_check::check; }
//! use typed_prompty::check::{Allowed, HostSignatures, check_source};
//! use typed_prompty::diagnostic::SourceText;
//!
//! let text = "---\ninputs:\n  passages: {kind: array, required: true}\n---\nuser:\n\
//!     {% for p in passges %}{{ p.title }}{% endfor %}{{ passages | length }}\n";
//! let source = SourceText::new("support.prompty", text);
//! let checked = check_source(source, &HostSignatures::default(), &Allowed::default());
//! assert_eq!(
//!     checked.report.diagnostics[0].render(&checked.source),
//!     "\
//! error: unknown input `passges`
//!  --> support.prompty:6:13
//!   |
//! 6 | {% for p in passges %}{{ p.title }}{% endfor %}{{ passages | length }}
//!   |             ^^^^^^^ not an input of this prompt
//!   |
//!   = help: an input with a similar name exists: `passages`
//! "
//! );
//! ```
//!
//! What it accepts renders, with any inputs of the declared types, within the limits of the render.
//! What depends on a value and not on its type it cannot know: a division by an input that is zero,
//! the `int` of a text that is no number, lists that are taken apart into too few names, and all
//! that is done with inputs of no declared type, parameters of macros, namespaces, and what the names in a
//! Mustache partial stand for where it writes itself.

mod almost_markers;
mod beside_text;
mod calls;
mod checker;
mod contexts;
mod declared;
mod expressions;
mod filter_reads;
mod filters;
mod flow;
mod guards;
mod host_functions;
mod markers;
mod message_tags;
mod names;
mod operators;
mod output;
mod placeholders;
mod role_lines;
mod roles_in_text;
mod scope;
mod sections;
mod signature;
mod statements;
mod tag_facts;
mod types;
mod uses;

#[doc(no_inline)]
pub use crate::definition::{Input, Presence, ValueType};
#[doc(hidden)]
pub use declared::{Declared, check_declared};
#[doc(hidden)]
pub use markers::MarkerFact;
#[doc(hidden)]
pub use names::{is_variable_name, plain_name, why_unusable};
#[doc(hidden)]
pub use output::{reserved_name, untold_output};
pub use signature::{Allowed, AskedOutput, HostSignatures, Signature};
#[doc(hidden)]
pub use uses::{Use, Uses};

use std::path::Path;
use std::sync::Arc;

use checker::Checker;
use names::Unusable;
use role_lines::RoleLines;
use tag_facts::TagFacts;

use crate::definition::{
    Definition, Inspection, TemplateFolder, inspect, inspect_in, output_findings,
};
use prompty_core::diagnostic::{Code, Diagnostic, Severity, SourceText, Span};
use prompty_template::jinja::role_loops::with_threads;
use prompty_template::role_markers as structure;
use prompty_template::{Language, Marking, PARSERS, SyntaxError, Template, built_in_kinds};

/// What a check found. All places are in the whole source.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Report {
    /// The findings, sorted by place.
    pub diagnostics: Vec<Diagnostic>,
    /// What the template reads of each input.
    #[doc(hidden)]
    pub uses: Uses,
    /// Each place where an input is named.
    #[doc(hidden)]
    pub variables: Vec<(String, Span)>,
    /// The role markers, in the order of the text.
    #[doc(hidden)]
    pub markers: Vec<MarkerFact>,
    /// The tree of the template, if it could be read: for the macros, which go on with it. Its places
    /// are in the template's own text.
    #[doc(hidden)]
    pub template: Option<Arc<Template>>,
    /// The text that the tree was read from: as long as the template's own, with threads in the place of
    /// the loops that stand for them.
    #[doc(hidden)]
    pub text: Arc<str>,
}

/// Checks the template in the range `body` of a source, for the macros, which have no [`Definition`].
///
/// `signature` lists the inputs, `extensions` what the host adds to the templates, and `allowed` the
/// findings that the author does not want to hear of.
#[doc(hidden)]
pub fn check_template(
    source: &SourceText,
    body: Span,
    language: &dyn Language,
    signature: &Signature,
    extensions: &HostSignatures,
    allowed: &Allowed,
) -> Report {
    let Some(text) = source.text().get(body.start..body.end) else {
        let error = SyntaxError::new(Span::default(), "the template is outside of its source");
        return Report { diagnostics: vec![error.into_finding()], ..Report::default() };
    };
    let parsed = language.parse(text).map(Arc::new);
    let template = ParsedBody { source, text, body, marking: Marking::RoleLines, parsed };
    check_parsed(template, language, signature, extensions, allowed)
}

/// A template in its source.
struct ParsedBody<'s> {
    source: &'s SourceText,
    text: &'s str,
    body: Span,
    /// How it marks its messages.
    marking: Marking,
    parsed: Result<Arc<Template>, SyntaxError>,
}

/// As [`check_template`], of a template that is parsed.
fn check_parsed(
    template: ParsedBody<'_>,
    language: &dyn Language,
    signature: &Signature,
    extensions: &HostSignatures,
    allowed: &Allowed,
) -> Report {
    let ParsedBody { source, text: written, body, marking, parsed } = template;
    let unusable = Unusable::of(signature, language);
    let tolerated = unusable.tolerated(signature);
    let signature = tolerated.as_ref().unwrap_or(signature);
    let mut report = match parsed {
        Ok(tree) => {
            let loops = match marking {
                Marking::RoleLines => role_lines::loops(written, &tree, language, signature),
                _ => Vec::new(),
            };
            let threads = role_lines::threads(&loops, signature);
            let (text, tree) = with_threads(written, tree, &threads);
            let mut checker = Checker::new(&text, body.start, language, signature, extensions);
            if marking == Marking::RoleLines {
                checker.role_lines = RoleLines::new(&loops, &text, &tree, language, signature);
            }
            let mut report = check_tree(checker, &tree, marking);
            let further = language.findings(&text, &tree).into_iter();
            report.diagnostics.extend(further.map(|finding| shifted(finding, body.start)));
            sort(&mut report.diagnostics);
            report.text = Arc::from(&*text);
            let tree = report.template.insert(tree);
            // What the engine refuses is said where nothing else is said of the template.
            if report.diagnostics.iter().all(|finding| finding.severity != Severity::Error) {
                let refused = language.refused(&text, tree);
                report.diagnostics.extend(refused.map(|error| syntax(error, body)));
            }
            report
        }
        Err(error) => Report { diagnostics: vec![syntax(error, body)], ..Report::default() },
    };
    report.diagnostics.retain(|diagnostic| !allowed.contains(diagnostic.code));
    if tolerated.is_some() {
        report.diagnostics.retain(|finding| !unusable.causes(finding, source.text()));
        report.diagnostics.extend(unusable.findings());
        sort(&mut report.diagnostics);
    }
    report
}

/// The finding with its place in the whole source.
fn shifted(mut finding: Diagnostic, by: usize) -> Diagnostic {
    finding.span = finding.span.map(|span| span.shifted(by));
    finding
}

fn syntax(error: SyntaxError, body: Span) -> Diagnostic {
    shifted(error.into_finding(), body.start)
}

/// Checks a tree that has been read from the checker's text.
fn check_tree(mut checker: Checker<'_>, tree: &Template, marking: Marking) -> Report {
    let (text, signature) = (checker.text, checker.signature);
    let tags = message_tags::outline(marking, text, tree);
    checker.tags = tags.as_ref().map(TagFacts::new).unwrap_or_default();
    checker.nodes(&tree.nodes);
    let layout = flow::layout(&tree.nodes);
    let role_lines = structure::find(text, tree);
    let markers = match tags {
        Some(tags) => checker.message_tags(tags, &role_lines),
        None => {
            checker.tags_without_parser(tree, &role_lines);
            checker.markers(&layout, &role_lines)
        }
    };
    if checker.language.has_statement_tags() {
        checker.split_tags(&layout.texts, &tree.raw);
    }
    checker.unused_inputs();
    checker.asked_output();
    let uses = checker.uses.finish(signature.inputs.iter().map(|input| input.name.as_str()));
    let Checker { mut diagnostics, variables, .. } = checker;
    sort(&mut diagnostics);
    Report { diagnostics, uses, variables, markers, ..Report::default() }
}

/// By place; what has none comes last.
fn sort(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by_key(|diagnostic| {
        (diagnostic.span.is_none(), diagnostic.span.unwrap_or_default(), diagnostic.code)
    });
}

impl Checker<'_> {
    fn unused_inputs(&mut self) {
        for input in &self.signature.inputs {
            if self.signature.is_bound(input) || self.uses.has(&input.name) {
                continue;
            }
            let message = format!("input `{}` is never used", input.name);
            let mut diagnostic = Diagnostic::new(Code::UnusedInput, message)
                .label("not in the template")
                .help(match self.as_other_placeholder(&input.name) {
                    Some(written) => format!(
                        "`{written}` is text in a template: write `{}`",
                        self.language.output(&input.name)
                    ),
                    None => "remove it, or use it in the template".to_owned(),
                });
            diagnostic.span = input.name_span;
            self.diagnostics.push(diagnostic);
        }
    }
}

impl Checker<'_> {
    /// An input in the braces of another notation: `{name}` or `${name}`.
    fn as_other_placeholder(&self, name: &str) -> Option<String> {
        let braced = format!("{{{name}}}");
        let (before, _) = self.text.split_once(&braced)?;
        Some(if before.ends_with('$') { format!("${braced}") } else { braced })
    }
}

/// Checks the template of a loaded prompt with the inputs that it declares.
///
/// ```
/// # use prompty_check as typed_prompty;
/// use typed_prompty::check::check;
/// use typed_prompty::definition::Definition;
///
/// let text = "---\ninputs:\n  city: {kind: string, required: true}\n---\nuser:\n{{ ctiy }}\n";
/// let definition = Definition::from_text(text)?;
/// let findings = check(&definition);
/// assert_eq!(findings[0].message, "input `city` is never used");
/// assert_eq!(findings[1].message, "unknown input `ctiy`");
/// # Ok::<(), prompty_core::Error>(())
/// ```
pub fn check(definition: &Definition) -> Vec<Diagnostic> {
    check_with(definition, &HostSignatures::default(), &Allowed::default())
}

/// As [`check`], with what the host adds to the templates, and without what the author allows.
pub fn check_with(
    definition: &Definition,
    extensions: &HostSignatures,
    allowed: &Allowed,
) -> Vec<Diagnostic> {
    check_definition(definition, &Signature::from_definition(definition), extensions, allowed)
        .diagnostics
}

/// Checks the template of a prompt with inputs of these types, which may say more than the prompt
/// itself. All places are in the definition's source, or in its instructions where the source does
/// not hold them.
pub fn check_definition(
    definition: &Definition,
    signature: &Signature,
    extensions: &HostSignatures,
    allowed: &Allowed,
) -> Report {
    let kinds = kinds(definition, extensions);
    let mut report = match extensions.language(&definition.template.format) {
        None => Report::default(),
        Some(language) => {
            let (source, body) = template_in_source(definition);
            let text = source.text().get(body.start..body.end);
            let text = text.unwrap_or(&definition.instructions);
            let cached = match extensions.has_language(&definition.template.format) {
                true => None,
                false => definition.parse_template(text),
            };
            let parsed = cached.unwrap_or_else(|| language.parse(text).map(Arc::new));
            let marking = Marking::of_parser(&definition.template.parser);
            let template = ParsedBody { source: &source, text, body, marking, parsed };
            check_parsed(template, language, signature, extensions, allowed)
        }
    };
    report.diagnostics.extend(kinds);
    report.diagnostics.extend(output_findings(&definition.outputs));
    let findings = report.diagnostics.into_iter();
    report.diagnostics =
        findings.map(|finding| definition.hidden.hide_diagnostic(finding)).collect();
    sort(&mut report.diagnostics);
    report
}

/// The template's text with its place in the source.
fn template_in_source(definition: &Definition) -> (SourceText, Span) {
    let source = &definition.source;
    let body = definition.body;
    let instructions = definition.instructions.as_str();
    let written = source.text().get(body.start..body.end);
    if written.is_some_and(|written| written.trim_end() == instructions.trim_end()) {
        return (source.clone(), body);
    }
    (SourceText::new(source.name(), instructions), Span::new(0, instructions.len()))
}

/// What [`check_source`] found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Checked {
    /// The source that all places refer to: the given one with plain line ends.
    pub source: SourceText,
    /// The prompt; `None` where the front matter cannot be read.
    pub definition: Option<Definition>,
    /// The findings in the front matter and in the template.
    pub report: Report,
}

/// Checks a whole prompt, front matter and template, without loading it: no variable and no file is
/// read. A template that includes, imports or extends files needs [`check_source_in`].
///
/// ```
/// # mod typed_prompty { pub use prompty_core::diagnostic; pub use prompty_check::check; }
/// use typed_prompty::check::{Allowed, HostSignatures, check_source};
/// use typed_prompty::diagnostic::SourceText;
///
/// let text = "---\ninputs:\n  city: {kind: strng}\n---\nuser:\n{{ city | uper }}\n";
/// let source = SourceText::new("weather.prompty", text);
/// let checked = check_source(source, &HostSignatures::default(), &Allowed::default());
/// let codes: Vec<&str> =
///     checked.report.diagnostics.iter().map(|finding| finding.code.name()).collect();
/// assert_eq!(codes, ["unknown_kind", "unknown_filter"]);
/// ```
pub fn check_source(source: SourceText, extensions: &HostSignatures, allowed: &Allowed) -> Checked {
    check_inspected(inspect(source), None, extensions, allowed)
}

/// Checks a whole prompt as [`check_source`] does. The files that its template includes, imports or extends
/// are read from `folder`, and so is a file with samples. No other file is read.
///
/// ```no_run
/// # mod typed_prompty { pub use prompty_core::diagnostic; pub use prompty_check::check; }
/// use typed_prompty::check::{Allowed, HostSignatures, check_source_in};
/// use typed_prompty::diagnostic::SourceText;
///
/// let source = SourceText::new("prompts/support.prompty", "user:\n{% include 'rules.jinja' %}\n");
/// let (extensions, allowed) = (HostSignatures::default(), Allowed::default());
/// let checked = check_source_in(source, "prompts".as_ref(), &extensions, &allowed);
/// assert!(checked.report.diagnostics.is_empty());
/// ```
pub fn check_source_in(
    source: SourceText,
    folder: &Path,
    extensions: &HostSignatures,
    allowed: &Allowed,
) -> Checked {
    let templates = TemplateFolder::beside(folder, &source);
    check_inspected(inspect_in(source, folder), Some(&templates), extensions, allowed)
}

fn check_inspected(
    inspection: Inspection,
    templates: Option<&TemplateFolder>,
    extensions: &HostSignatures,
    allowed: &Allowed,
) -> Checked {
    let Inspection { mut definition, mut diagnostics, mut source, open_inputs, doubts, .. } =
        inspection;
    let mut signature = None;
    if let Some(definition) = &mut definition {
        let assembly = definition.assemble(templates, "check the prompt with `check_source_in`");
        source = assembly.source;
        diagnostics.extend(assembly.diagnostics);
        // Without its files a template is not what its author wrote.
        if assembly.is_whole {
            let mut known = Signature::from_definition(definition);
            known.open |= open_inputs;
            signature = Some(known);
        }
    }
    let declared = Declared { diagnostics, doubts };
    let report = match (&definition, signature) {
        (Some(definition), Some(signature)) => {
            check_declared(definition, declared, &signature, extensions, allowed)
        }
        _ => declared.into_report(allowed),
    };
    Checked { source, definition, report }
}

/// Template formats and parsers that nobody knows.
fn kinds(definition: &Definition, extensions: &HostSignatures) -> Vec<Diagnostic> {
    let options = &definition.template;
    let mut diagnostics = Vec::new();
    let mut unknown = |code, what: &str, name: &str, known: Vec<&str>, span: Option<Span>| {
        if known.contains(&name) {
            return;
        }
        let diagnostic = Diagnostic::new(code, format!("unknown {what} `{name}`"));
        let help = match prompty_core::diagnostic::suggest::suggest(name, &known) {
            Some(similar) => format!("a {what} with a similar name exists: `{similar}`"),
            None => format!("there are: {}", checker::listed(&known)),
        };
        let mut diagnostic = diagnostic.label(format!("no such {what}")).help(help);
        diagnostic.span = span;
        diagnostics.push(diagnostic);
    };
    let mut formats: Vec<&str> = built_in_kinds().collect();
    formats.extend(extensions.formats.iter().map(String::as_str));
    let span = options.format_span;
    if extensions.language(&options.format).is_none() {
        unknown(Code::UnknownFormat, "template format", &options.format, formats, span);
    }
    let mut parsers = PARSERS.to_vec();
    parsers.extend(extensions.parsers.iter().map(String::as_str));
    unknown(Code::UnknownParser, "parser", &options.parser, parsers, options.parser_span);
    diagnostics
}
