//! The findings of the checker, by topic, and templates without findings.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "in a test, a panic is a failure and what is printed is read"
)]

mod characters;
mod guards;
mod handlebars;
mod hostile;
mod marker_lines;
mod message_tags;
mod mustache;
mod names;
mod prompts;
mod renders;
mod reports;
mod semantic_kernel;
mod uses;
mod values;

use prompty_check::check::{
    AllowedCodes, HostSignatures, Input, Report, Signature, ValueType, check_template,
};
use prompty_core::diagnostic::{Code, Diagnostic, SourceSpan, SourceText};
use prompty_core::message::RichKind;
use prompty_template::Language;
use prompty_template::jinja::Jinja2;

fn list(item: ValueType) -> ValueType {
    ValueType::list_of(item)
}

/// The inputs that all tests have: one of each type.
fn inputs() -> Vec<Input> {
    let passage = ValueType::Object(vec![
        Input::new("title", ValueType::String),
        Input::new("score", ValueType::Float),
        Input::new("note", ValueType::String).optional(),
        Input::new("tags", list(ValueType::String)),
    ]);
    let tone = ValueType::Choice(vec!["formal".into(), "casual".into()]);
    let all = [
        ("name", ValueType::String),
        ("age", ValueType::Integer),
        ("score", ValueType::Float),
        ("premium", ValueType::Boolean),
        ("tone", tone),
        ("words", list(ValueType::String)),
        ("passages", list(passage.clone())),
        ("passage", passage),
        ("anything", ValueType::Any),
        ("foreign", ValueType::Foreign("Order".into())),
        ("history", ValueType::Rich(RichKind::Thread)),
        ("picture", ValueType::Rich(RichKind::Image)),
    ];
    let required = all.into_iter().map(|(name, value_type)| Input::new(name, value_type));
    let optional = [
        ("nickname", ValueType::String),
        ("limit", ValueType::Integer),
        ("extras", list(ValueType::String)),
    ];
    let optional =
        optional.into_iter().map(|(name, value_type)| Input::new(name, value_type).optional());
    required.chain(optional).collect()
}

fn report_as(language: &dyn Language, text: &str) -> Report {
    let source = SourceText::new("t", text);
    let signature = Signature::new(inputs());
    let allowed = AllowedCodes::new([Code::UnusedInput, Code::NoRoleMarker]);
    let body = SourceSpan::new(0, text.len());
    check_template(&source, body, language, &signature, &HostSignatures::default(), &allowed)
}

fn report(text: &str) -> Report {
    report_as(&Jinja2, text)
}

/// Each finding as its code, its part of the template, and its message.
fn described(text: &str, diagnostics: &[Diagnostic]) -> Vec<String> {
    let describe = |finding: &Diagnostic| {
        let span = finding.span.unwrap();
        format!("{} `{}`: {}", finding.code, &text[span.start..span.end], finding.message)
    };
    diagnostics.iter().map(describe).collect()
}

fn findings(text: &str) -> Vec<String> {
    described(text, &report(text).diagnostics)
}

/// The only finding of a template.
#[track_caller]
fn finding(text: &str) -> String {
    let mut found = findings(text);
    assert_eq!(found.len(), 1, "{text}: {found:#?}");
    found.remove(0)
}

/// The help of the only finding of a template.
#[track_caller]
fn help(text: &str) -> String {
    let report = report(text);
    assert_eq!(report.diagnostics.len(), 1, "{text}: {:#?}", report.diagnostics);
    report.diagnostics[0].help.join(" | ")
}

#[track_caller]
fn accepts(text: &str) {
    assert_eq!(findings(text), Vec::<String>::new(), "{text}");
}
