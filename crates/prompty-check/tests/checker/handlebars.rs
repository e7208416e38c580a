//! Handlebars templates.

use prompty_check::check::{AllowedCodes, HostSignatures, Signature, check_template};
use prompty_core::diagnostic::{Code, SourceSpan, SourceText};
use prompty_template::handlebars::Handlebars;

use super::{described, inputs, report_as};

fn findings(text: &str) -> Vec<String> {
    described(text, &report_as(&Handlebars, text).diagnostics)
}

#[track_caller]
fn finding(text: &str) -> String {
    let mut found = findings(text);
    assert_eq!(found.len(), 1, "{text}: {found:#?}");
    found.remove(0)
}

#[track_caller]
fn help(text: &str) -> String {
    finding(text);
    report_as(&Handlebars, text).diagnostics.remove(0).help.join(" | ")
}

#[track_caller]
fn accepts(text: &str) {
    assert_eq!(findings(text), Vec::<String>::new(), "{text}");
}

#[test]
fn names_are_inputs_or_attributes_of_the_enclosing_block() {
    accepts("{{name}} {{{name}}} {{passage.title}} {{words.length}} {{words.0}} {{name.length}}");
    accepts("{{#each passages}}{{title}} {{this.title}} {{../name}} {{@root.name}}{{/each}}");
    accepts("{{#each passages}}{{#each tags}}{{this}}{{../title}}{{../../name}}{{/each}}{{/each}}");
    accepts("{{#with passage}}{{title}}{{/with}}{{#passage}}{{title}}{{/passage}}");
    accepts("{{#each anything}}{{whatever}} {{@key}}{{/each}}{{#anything}}{{x}}{{/anything}}");
    assert_eq!(finding("{{nme}}"), "unknown_input `nme`: unknown input `nme`");
    assert_eq!(
        finding("{{#each passages}}{{titel}}{{/each}}"),
        "unknown_attribute `titel`: unknown attribute `titel`"
    );
    assert_eq!(
        help("{{#each passages}}{{titel}}{{/each}}"),
        "an attribute with a similar name exists: `title`"
    );
    assert!(finding("{{#each passages}}{{this.titel}}{{/each}}").starts_with("unknown_attribute"));
    assert!(finding("{{passage.titel}}").starts_with("unknown_attribute"));
}

#[test]
fn an_input_in_a_block_gets_its_path_as_help() {
    assert_eq!(
        help("{{#each passages}}{{name}}{{/each}}"),
        "use the input outside of the block: `../name`"
    );
    assert_eq!(
        help("{{#each passages}}{{#each tags}}{{name}}{{/each}}{{/each}}"),
        "use the input outside of the block: `../../name`"
    );
    assert_eq!(
        help("{{#each words}}{{zzz}}{{/each}}"),
        "print the value, a string, with `{{this}}`"
    );
}

#[test]
fn a_condition_does_not_change_names() {
    accepts("{{#if premium}}{{name}}{{else}}{{age}}{{/if}}{{#premium}}{{name}}{{/premium}}");
    accepts("{{#each passages}}{{#if ../premium}}{{title}}{{/if}}{{/each}}");
}

#[test]
fn a_block_guards_its_value() {
    assert!(finding("{{nickname}}").starts_with("unguarded_optional"));
    assert_eq!(
        help("{{nickname}}").split(" | ").next(),
        Some("guard it with `{{#if nickname}}...{{/if}}`")
    );
    accepts("{{#if nickname}}{{nickname}}{{else}}you{{/if}}");
    accepts("{{#unless nickname}}you{{else}}{{nickname}}{{/unless}}");
    accepts("{{#with nickname}}{{this}}{{/with}}{{#nickname}}{{this}}{{/nickname}}");
    accepts("{{#each extras}}{{this}}{{/each}}");
    accepts("{{#each passages}}{{#if note}}{{note}}{{/if}}{{/each}}");
    assert!(finding("{{#each passages}}{{note}}{{/each}}").starts_with("unguarded_optional"));
    accepts("{{#if (or nickname name)}}x{{/if}}");
}

#[test]
fn block_parameters_are_names_of_their_block() {
    accepts("{{#each passages as |p i|}}{{i}} {{p.title}} {{title}}{{/each}}");
    assert!(
        finding("{{#each passages as |p|}}{{p.titel}}{{/each}}").starts_with("unknown_attribute")
    );
    assert!(finding("{{#each passages as |p|}}x{{/each}}{{p}}").starts_with("unknown_input"));
}

#[test]
fn arguments_of_helpers_are_checked() {
    accepts("{{add age 1}} {{json passages}} {{concat name \" \" age}} {{lookup words 0}}");
    accepts("{{#if (equals tone \"formal\")}}Dear{{/if}} {{#each (range 1 3)}}{{this}}{{/each}}");
    assert_eq!(finding("{{jsn name}}"), "unknown_function `jsn`: unknown function `jsn`");
    assert_eq!(help("{{jsn name}}"), "a function with a similar name exists: `json`");
    assert!(finding("{{json name age}}").starts_with("wrong_arguments"));
    assert!(finding("{{json}}").starts_with("wrong_arguments"));
    assert!(finding("{{add name 1}}").starts_with("wrong_value"));
    assert!(finding("{{json value=name}}").starts_with("wrong_arguments"));
    assert!(finding("{{#if (equals tone \"frmal\")}}x{{/if}}").starts_with("wrong_value"));
    assert!(finding("{{add limit 1}}").starts_with("unguarded_optional"));
}

#[test]
fn functions_of_the_host_are_known_with_and_without_arguments() {
    let text = "{{time-now}} {{#each words}}{{time-now}}{{mail-send this to=../name}}{{/each}}";
    let source = SourceText::new("t", text);
    let mut extensions = HostSignatures::default();
    extensions.functions = vec!["time-now".into(), "mail-send".into()];
    let body = SourceSpan::new(0, text.len());
    let allowed = AllowedCodes::new([Code::UnusedInput, Code::NoRoleMarker]);
    let signature = Signature::new(inputs());
    let report = check_template(&source, body, &Handlebars, &signature, &extensions, &allowed);
    assert_eq!(described(text, &report.diagnostics), Vec::<String>::new());
}

#[test]
fn only_lists_and_maps_are_looped_over() {
    assert_eq!(
        finding("{{#each age}}{{this}}{{/each}}"),
        "wrong_value `age`: `age` is an integer and cannot be iterated over"
    );
    accepts("{{#each passage}}{{@key}}: {{this}}{{/each}}");
}

#[test]
fn threads_are_printed_and_are_not_blocks() {
    accepts("{{history}}{{{picture}}}{{messages history}}{{#if picture}}{{picture}}{{/if}}");
    assert!(finding("{{#each history}}x{{/each}}").starts_with("misplaced_rich"));
    assert!(finding("{{#history}}x{{/history}}").starts_with("misplaced_rich"));
    assert!(finding("{{json history}}").starts_with("misplaced_rich"));
}

#[test]
fn markers_and_partials_are_checked() {
    accepts("system:\nHi\n{{#if premium}}\nuser:\n{{name}}\n{{/if}}\n");
    accepts("{{#each words}}\nuser:\n{{this}}\n{{else}}\nuser:\nnothing\n{{/each}}\n");
    assert!(finding("{{#if premium}}user:{{/if}}\nHi").starts_with("made_marker"));
    assert!(finding("sytem:\nHi").starts_with("near_marker"));
    assert!(finding("{{> header}}").starts_with("unsupported_construct"));
    assert!(finding("{{#if premium}}x").starts_with("template_syntax"));
}

#[test]
fn names_of_set_can_be_used() {
    accepts("{{set \"full\" (concat name \"!\")}}{{full}}{{#each words}}{{@root.full}}{{/each}}");
}
