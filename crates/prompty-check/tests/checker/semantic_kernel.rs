//! Templates in Semantic Kernel's basic language.

use prompty_check::check::{AllowedCodes, HostSignatures, Report, Signature, check_template};
use prompty_core::diagnostic::{Code, SourceSpan, SourceText};
use prompty_template::semantic_kernel::SemanticKernel;

use super::{described, inputs};

/// Functions of the host: one with known parameters, two with the same name, and one that may read
/// all inputs.
fn extensions() -> HostSignatures {
    let mut extensions = HostSignatures::default()
        .with_function("mail.send", ["text", "to"])
        .with_function("clock.now", [""; 0])
        .with_function("time.now", [""; 0])
        .with_function("text.join", ["name", "nickname"]);
    extensions.functions.push("all".to_owned());
    extensions
}

fn report_allowing(text: &str, allowed: &[Code]) -> Report {
    let source = SourceText::new("t", text);
    let signature = Signature::new(inputs());
    let allowed = AllowedCodes::new(allowed.iter().copied().chain([Code::NoRoleMarker]));
    let body = SourceSpan::new(0, text.len());
    check_template(&source, body, &SemanticKernel, &signature, &extensions(), &allowed)
}

fn report(text: &str) -> Report {
    report_allowing(text, &[Code::UnusedInput])
}

#[track_caller]
fn finding(text: &str) -> String {
    let mut found = described(text, &report(text).diagnostics);
    assert_eq!(found.len(), 1, "{text}: {found:#?}");
    found.remove(0)
}

#[track_caller]
fn help(text: &str) -> String {
    report(text).diagnostics.remove(0).help.remove(0)
}

#[track_caller]
fn accepts(text: &str) {
    assert_eq!(described(text, &report(text).diagnostics), Vec::<String>::new(), "{text}");
}

/// The messages about unused inputs.
fn unused(text: &str) -> Vec<String> {
    let report = report_allowing(text, &[]);
    let unused = report.diagnostics.iter().filter(|it| it.code == Code::UnusedInput);
    unused.map(|it| it.message.clone()).collect()
}

#[test]
fn variables_are_inputs() {
    accepts("system:\n{{$name}} {{'x'}} {{$words}}\nuser[name={{$name}}]:\n{{$history}}\n");
    assert_eq!(finding("{{$nme}}"), "unknown_input `nme`: unknown input `nme`");
    assert_eq!(help("{{$nme}}"), "an input with a similar name exists: `name`");
    assert_eq!(help("{{$upper}}").split(':').next(), Some("available inputs"));
}

#[test]
fn an_input_that_may_be_missing_is_reported_where_it_is_printed() {
    assert!(finding("{{$nickname}}").starts_with("unguarded_optional"));
    let function =
        "pass it to a function that accepts a missing value: `{{text.or_empty $nickname}}`";
    assert_eq!(help("{{$nickname}}"), function);
    accepts("{{send $nickname}}");
}

#[test]
fn functions_are_those_of_the_host() {
    accepts("{{mail.send 'x' to=$name}}{{send}}{{all}}{{all x='1'}}");
    assert_eq!(
        finding("{{mail.sned}}"),
        "unknown_function `mail.sned`: unknown function `mail.sned`"
    );
    assert_eq!(help("{{mail.sned}}"), "a function with a similar name exists: `mail.send`");
    assert_eq!(help("{{sned}}"), "a function with a similar name exists: `send`");
}

#[test]
fn an_input_without_its_sign_gets_the_sign_as_help() {
    assert_eq!(finding("{{name}}"), "unknown_function `name`: unknown function `name`");
    assert_eq!(help("{{name}}"), "`name` is an input: write `{{$name}}`");
}

#[test]
fn a_function_of_two_plugins_needs_the_name_of_the_plugin() {
    assert!(finding("{{now}}").starts_with("unknown_function"));
    assert_eq!(help("{{now}}"), "write `clock.now` or `time.now`");
    accepts("{{time.now}}");
}

#[test]
fn each_argument_is_a_parameter_and_is_passed_once() {
    assert_eq!(
        finding("{{send 'x' too='y'}}"),
        "wrong_arguments `too`: unknown argument `too` of `send`"
    );
    assert!(finding("{{send 'x' text='y'}}").starts_with("wrong_arguments"));
    assert!(finding("{{all a='x' a='y'}}").starts_with("wrong_arguments"));
    assert!(finding("{{time.now 'x'}}").starts_with("wrong_arguments"));
}

#[test]
fn arguments_are_inputs_or_earlier_arguments() {
    assert!(finding("{{send $nme}}").starts_with("unknown_input"));
    accepts("{{send 'x' to=$text}}");
    accepts("{{all zone='x' b=$zone}}");
    assert!(finding("{{all b=$zone zone='x'}}").starts_with("unknown_input"));
}

#[test]
fn threads_and_media_are_not_arguments() {
    assert!(finding("{{send $history}}").starts_with("misplaced_rich"));
    assert!(finding("{{send to=$picture}}").starts_with("misplaced_rich"));
}

#[test]
fn an_input_that_a_function_may_read_is_used() {
    let all = inputs().len();
    assert_eq!(unused("{{time.now}}").len(), all);
    // Threads and media are never arguments.
    assert_eq!(
        unused("{{all}}"),
        ["input `history` is never used", "input `picture` is never used"]
    );
    assert_eq!(unused("{{text.join}}").len(), all - 2);
    assert_eq!(unused("{{text.join 'x'}}").len(), all - 1);
    let uses = report("{{text.join}}").uses;
    assert!(uses.get("name").unwrap().read_fully && uses.get("age").is_none());
}

#[test]
fn braces_that_do_not_open_a_block_are_reported() {
    let reported = |text| {
        let report = report(text);
        let [finding] = report.diagnostics.as_slice() else { panic!("{report:#?}") };
        let span = finding.span.unwrap();
        [finding.message.clone(), text[span.start..span.end].to_owned(), finding.help[0].clone()]
    };
    insta::assert_debug_snapshot!([
        reported("a {{}} b"),
        reported("a {{  }} b"),
        reported("Hi {{$name"),
        reported("Hi {{{$name"),
        reported("{{$name}} {{ 'it }} and {{$name}}\nb"),
        reported("{{ {{$name}} }}"),
        reported("{{{{$name}}}}"),
    ]);
    accepts("{{{$name}}} { $name } {\"a\": {\"b\": 1}} }}");
    assert!(
        report_allowing("{{}}", &[Code::StrayBraces, Code::UnusedInput]).diagnostics.is_empty()
    );
}

#[test]
fn a_syntax_error_has_its_place() {
    assert_eq!(
        finding("user:\n{{#if name}}"),
        "template_syntax `#if`: `#if` is not a valid function name"
    );
}

#[test]
fn markers_are_checked() {
    assert!(finding("sytem:\nHi").starts_with("near_marker"));
    accepts("system:\nHi\nuser:\n{{'user:'}}");
}
