//! The checker of prompts. The macros run it at compile time, and [`check`] runs it at run time.
//!
//! It reads the parsed tree of a template and the types of the prompt's inputs. It follows scopes,
//! aliases, loop variables and guards, and reports all findings at once, with places and help:
//!
//! ```
//! # mod typed_prompty { pub use prompty_core::diagnostic; pub use prompty_check::check; }
//! use typed_prompty::check::{CheckOptions, check};
//! use typed_prompty::diagnostic::SourceText;
//!
//! let text = "---\ninputs:\n  passages: {kind: array, required: true}\n---\nuser:\n\
//!     {% for p in passges %}{{ p.title }}{% endfor %}{{ passages | length }}\n";
//! let source = SourceText::new("support.prompty", text);
//! let checked = check(source, &CheckOptions::new());
//! assert_eq!(
//!     checked.findings()[0].render(&checked.source),
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
//! A template that the checker accepts renders with any inputs of the declared types, within the
//! limits of the render. The checker knows types but not values, so three errors remain for the
//! render. These are division by an input that is zero, `int` of a string that is not a number, and
//! unpacking a list that is too short. It accepts all uses of untyped inputs, macro parameters and
//! namespaces, and all names in a Mustache partial that includes itself.

mod almost_markers;
mod argument_checks;
mod call_arguments;
mod calls;
mod checker;
mod context_blocks;
mod definition;
mod expressions;
mod filter_reads;
mod filters;
mod front_matter_findings;
mod guards;
mod host_functions;
mod markers;
mod message_tags;
mod operands;
mod operators;
mod output;
mod output_lines;
mod placeholders;
mod prompt;
mod result_types;
mod role_lines;
mod role_mentions;
mod scope;
mod sections;
mod signature;
mod statements;
mod tag_facts;
mod text_checks;
mod text_prompts;
mod types;
mod unknown_names;
mod unusable_inputs;
mod uses;
mod value_tests;

// A check is a chain of these functions:
//
// 1. `check_template` parses the template of a macro. `check_definition`, for a loaded prompt, gets
//    the tree from its definition.
// 2. `check_parsed` reports the inputs whose names cannot be variables.
// 3. `check_usable` checks the template as if these names were valid. It replaces the loops that
//    represent threads, and adds the findings of the template's language.
// 4. `check_tree` creates all other findings: `Checker` visits the tree, and then checks the lines.
//
// `checker` has the state of a check. The modules `statements`, `expressions`, `calls`, `filters`,
// `value_tests` and `operators` visit the tree. `operands`, `argument_checks`, `result_types` and
// `unknown_names` check the parts of a filter or test. `scope`, `guards`, `types` and `uses` have
// the facts about values. `output_lines`, `markers`, `almost_markers`, `role_lines` and
// `role_mentions` find the lines that open messages, or were meant to. Most of them add methods to
// `Checker`.

#[doc(no_inline)]
pub use crate::definition::{Input, Presence, ValueType};
#[doc(hidden)]
pub use front_matter_findings::{FrontMatterFindings, check_with_front_matter};
#[doc(hidden)]
pub use markers::MarkerFact;
#[doc(hidden)]
pub use output::{missing_requirement_finding, reserved_name_finding};
pub use prompt::{CheckOptions, CheckSource, CheckedPrompt, check};
pub use signature::HostSignatures;
#[doc(hidden)]
pub use signature::{AllowedCodes, OutputInstruction, Signature};
#[doc(hidden)]
pub use unusable_inputs::{is_variable_name, plain_name, why_unusable};
#[doc(hidden)]
pub use uses::{Use, Uses};

use std::sync::Arc;

use checker::Checker;
use role_lines::PrintedRoleLines;
use tag_facts::TagFacts;
use unusable_inputs::UnusableInputs;

#[cfg(doc)]
use crate::definition::Definition;
use prompty_core::diagnostic::{Code, Diagnostic, Severity, SourceSpan, SourceText, TemplateSpan};
use prompty_template::jinja::role_loops::with_threads;
use prompty_template::role_markers;
use prompty_template::{Language, Marking, SyntaxError, Template};

/// The result of checking a template. All places are in the complete source.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Report {
    /// The findings, sorted by place.
    pub diagnostics: Vec<Diagnostic>,
    /// How the template uses each input.
    #[doc(hidden)]
    pub uses: Uses,
    /// The place of each use of an input's name.
    #[doc(hidden)]
    pub variables: Vec<(String, SourceSpan)>,
    /// The role markers, in the order of the text.
    #[doc(hidden)]
    pub markers: Vec<MarkerFact>,
    /// The tree of the template, if it could be parsed. The macros generate code from it. Its
    /// places are in the template's own text.
    #[doc(hidden)]
    pub template: Option<Arc<Template>>,
    /// The text of the tree. It is the template's own text, except that each loop that represents
    /// a thread is replaced by an output of the thread, such as `{{ history }}`. White space keeps
    /// the length, so all places are the same in both texts.
    #[doc(hidden)]
    pub text: Arc<str>,
}

/// Checks the template in the range `body` of a source, for macros without a [`Definition`].
///
/// `signature` lists the inputs, and `extensions` lists what the host adds to the templates.
/// Findings with a code in `allowed` are suppressed.
#[doc(hidden)]
pub fn check_template(
    source: &SourceText,
    body: SourceSpan,
    language: &dyn Language,
    signature: &Signature,
    extensions: &HostSignatures,
    allowed: &AllowedCodes,
) -> Report {
    let Some(text) = source.text().get(body.start..body.end) else {
        let error = SyntaxError::new(TemplateSpan::default(), "`body` is not a span of `source`")
            .with_help("pass the source from which the span of the body was taken");
        return Report {
            diagnostics: vec![error.into_finding().in_source(SourceSpan::default())],
            ..Report::default()
        };
    };
    let parsed = language.parse(text).map(Arc::new);
    let template = ParsedBody { source, text, body, marking: Marking::RoleLines, parsed };
    check_parsed(template, language, TemplateRules { signature, extensions, allowed })
}

/// The rules that a template is checked against.
#[derive(Clone, Copy)]
struct TemplateRules<'a> {
    signature: &'a Signature,
    extensions: &'a HostSignatures,
    allowed: &'a AllowedCodes,
}

/// A template in its source.
struct ParsedBody<'s> {
    source: &'s SourceText,
    text: &'s str,
    body: SourceSpan,
    /// How it marks its messages.
    marking: Marking,
    parsed: Result<Arc<Template>, SyntaxError>,
}

/// Like [`check_template`], for a template that is already parsed.
fn check_parsed(
    template: ParsedBody<'_>,
    language: &dyn Language,
    rules: TemplateRules<'_>,
) -> Report {
    // An input whose name cannot be a variable is reported at its declaration. The template is
    // checked as if its name were valid, so that its uses cause no more findings.
    let unusable = UnusableInputs::of(rules.signature, language);
    let accepting = unusable.accepting_signature(rules.signature);
    let signature = accepting.as_ref().unwrap_or(rules.signature);
    let source = template.source.text();
    let mut report = check_usable(template, language, TemplateRules { signature, ..rules });
    if accepting.is_some() {
        report.diagnostics.retain(|finding| !unusable.is_cause_of(finding, source));
        report.diagnostics.extend(unusable.findings());
        sort(&mut report.diagnostics);
    }
    report
}

/// Checks a template whose inputs all have valid names.
fn check_usable(
    template: ParsedBody<'_>,
    language: &dyn Language,
    rules: TemplateRules<'_>,
) -> Report {
    let TemplateRules { signature, extensions, .. } = rules;
    let ParsedBody { text: written, body, marking, parsed, .. } = template;
    let tree = match parsed {
        Ok(tree) => tree,
        Err(error) => {
            let diagnostics = vec![error.into_finding().in_source(body)];
            return Report { diagnostics, ..Report::default() };
        }
    };
    // A loop that prints `{{ m.role }}:` and `{{ m.content }}` for each `m` of `history` represents
    // the thread `{{ history }}`. It is replaced by that output in the text and in the tree.
    let loops = match marking {
        Marking::RoleLines => role_lines::loops(written, &tree, language, signature),
        _ => Vec::new(),
    };
    let threads = role_lines::threads(&loops, signature);
    let (text, tree) = with_threads(written, tree, &threads);
    let mut checker = Checker::new(&text, body, language, signature, extensions);
    if marking == Marking::RoleLines {
        checker.printed_role_lines =
            PrintedRoleLines::new(&loops, &text, &tree, language, signature);
    }
    let mut report = check_tree(checker, &tree, marking);
    let further = language.findings(&text, &tree).into_iter();
    report.diagnostics.extend(further.map(|finding| finding.in_source(body)));
    sort(&mut report.diagnostics);
    report.text = Arc::from(&*text);
    let tree = report.template.insert(tree);
    report.diagnostics.retain(|finding| !rules.allowed.contains(finding.code));
    // A construct that the template engine refuses is reported only if there is no other error.
    if report.diagnostics.iter().all(|finding| finding.severity != Severity::Error) {
        let refused = language.refused(&text, tree);
        report.diagnostics.extend(refused.map(|error| error.into_finding().in_source(body)));
    }
    report
}

/// Checks a tree that was parsed from the checker's text.
fn check_tree(mut checker: Checker<'_>, tree: &Template, marking: Marking) -> Report {
    let (text, signature) = (checker.text, checker.signature);
    let tags = (marking == Marking::Tags).then(|| prompty_template::message_tags::find(text, tree));
    checker.tags = tags.as_ref().map(TagFacts::new).unwrap_or_default();
    checker.nodes(&tree.nodes);
    let lines = output_lines::of(&tree.nodes);
    let found_markers = role_markers::find(text, tree);
    let markers = match tags {
        Some(tags) => checker.message_tags(tags, &found_markers),
        None if marking == Marking::Text => {
            checker.text_prompt(tree);
            Vec::new()
        }
        None => {
            checker.report_unread_message_tags(tree, &found_markers);
            checker.markers(&lines, &found_markers)
        }
    };
    if checker.language.has_statement_tags() {
        checker.report_split_braces(&lines.texts, &tree.raw);
    }
    checker.check_unused_inputs();
    checker.check_output_requirement();
    let uses = checker.uses.finish(signature.inputs.iter().map(|input| input.name.as_str()));
    let Checker { mut diagnostics, variables, .. } = checker;
    sort(&mut diagnostics);
    Report { diagnostics, uses, variables, markers, ..Report::default() }
}

/// Sorts findings by place. Those without a place come last.
fn sort(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by_key(|diagnostic| {
        (diagnostic.span.is_none(), diagnostic.span.unwrap_or_default(), diagnostic.code)
    });
}

impl Checker<'_> {
    /// Reports the inputs that neither the template nor a tool uses.
    fn check_unused_inputs(&mut self) {
        for input in &self.signature.inputs {
            if self.signature.is_bound(input) || self.uses.has(&input.name) {
                continue;
            }
            let message = format!("input `{}` is never used", input.name);
            let mut diagnostic = Diagnostic::new(Code::UnusedInput, message)
                .with_label("not in the template")
                .with_help(match self.as_other_placeholder(&input.name) {
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

    /// An input in the braces of another notation: `{name}` or `${name}`.
    fn as_other_placeholder(&self, name: &str) -> Option<String> {
        let braced = format!("{{{name}}}");
        let (before, _) = self.text.split_once(&braced)?;
        Some(if before.ends_with('$') { format!("${braced}") } else { braced })
    }
}
