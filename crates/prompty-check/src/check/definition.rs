//! Checks the template of a definition.

use std::sync::Arc;

use super::checker::listed;
use super::signature::HostSignatures;
use super::{ParsedBody, Report, TemplateRules, Uses, check_parsed, sort};
use crate::definition::{Definition, output_findings};
use prompty_core::diagnostic::suggest::suggest;
use prompty_core::diagnostic::{Code, Diagnostic, SourceSpan, SourceText};
use prompty_template::{Marking, PARSERS, built_in_kinds};

/// Checks the template of a prompt. The types of the inputs may be more specific than the prompt's.
/// All places are in the definition's source, or in its instructions if the source lacks them.
pub(super) fn check_definition(definition: &Definition, rules: TemplateRules<'_>) -> Report {
    let extensions = rules.extensions;
    let kinds = unknown_kinds(definition, extensions);
    let mut report = match extensions.language(&definition.template.format) {
        // The host's engine may read anything, so it gets all inputs completely.
        None => Report { uses: Uses::of_all(&rules.signature.inputs), ..Report::default() },
        Some(language) => {
            let (source, body) = template_in_source(definition);
            let text = source.text().get(body.start..body.end);
            let text = text.unwrap_or(&definition.instructions);
            // The definition's cache only has trees of built-in languages.
            let cached = match extensions.has_language(&definition.template.format) {
                true => None,
                false => definition.parse_template(text),
            };
            let parsed = cached.unwrap_or_else(|| language.parse(text).map(Arc::new));
            // A parser of the host reads role lines, even if it has the name of a built-in parser.
            let marking = match extensions.has_parser(&definition.template.parser) {
                true => Marking::RoleLines,
                false => Marking::of_parser(&definition.template.parser),
            };
            let template = ParsedBody { source: &source, text, body, marking, parsed };
            check_parsed(template, language, rules)
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

/// The text that contains the template, and the template's place in it.
pub(super) fn template_in_source(definition: &Definition) -> (SourceText, SourceSpan) {
    let source = &definition.source;
    let body = definition.body;
    let instructions = definition.instructions.as_str();
    let written = source.text().get(body.start..body.end);
    if written.is_some_and(|written| written.trim_end() == instructions.trim_end()) {
        return (source.clone(), body);
    }
    (SourceText::new(source.name(), instructions), SourceSpan::new(0, instructions.len()))
}

/// Reports unknown template formats and parsers.
fn unknown_kinds(definition: &Definition, extensions: &HostSignatures) -> Vec<Diagnostic> {
    let options = &definition.template;
    let mut diagnostics = Vec::new();
    let mut unknown = |code, what: &str, name: &str, known: Vec<&str>, span: Option<SourceSpan>| {
        if known.contains(&name) {
            return;
        }
        let diagnostic = Diagnostic::new(code, format!("unknown {what} `{name}`"));
        let help = match suggest(name, &known) {
            Some(similar) => format!("a {what} with a similar name exists: `{similar}`"),
            None => format!("available {what}s: {}", listed(&known)),
        };
        let mut diagnostic = diagnostic.with_label(format!("no such {what}")).with_help(help);
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
