//! Mustache templates.

use prompty_template::mustache::Mustache;

use super::{described, report_as};

fn findings(text: &str) -> Vec<String> {
    described(text, &report_as(&Mustache, text).diagnostics)
}

#[track_caller]
fn finding(text: &str) -> String {
    let mut found = findings(text);
    assert_eq!(found.len(), 1, "{text}: {found:#?}");
    found.remove(0)
}

#[track_caller]
fn accepts(text: &str) {
    assert_eq!(findings(text), Vec::<String>::new(), "{text}");
}

#[test]
fn names_are_inputs_or_attributes_of_the_enclosing_sections() {
    accepts("{{name}} {{{name}}} {{passage.title}}");
    accepts("{{#passages}}{{title}} for {{name}}: {{#tags}}{{.}}{{/tags}}{{/passages}}");
    assert_eq!(finding("{{nme}}"), "unknown_input `nme`: unknown input `nme`");
    assert_eq!(
        finding("{{#passages}}{{titel}}{{/passages}}"),
        "unknown_attribute `titel`: unknown attribute `titel`"
    );
    assert!(finding("{{#passages}}{{zzz}}{{/passages}}").starts_with("unknown_input"));
    assert!(finding("{{passage.titel}}").starts_with("unknown_attribute"));
}

#[test]
fn help_texts_use_mustache() {
    let help = |text: &str| report_as(&Mustache, text).diagnostics.remove(0).help.remove(0);
    assert_eq!(help("{{name.length}}"), "pass its length as a separate input");
    assert_eq!(help("{{passages.title}}"), "loop over it, and print `title` in the loop");
    assert_eq!(help("{{name.first}}"), "use the value itself: `{{name}}`");
    assert_eq!(finding("{{loop}}"), "unknown_input `loop`: unknown input `loop`");
}

#[test]
fn a_section_guards_its_value() {
    assert!(finding("{{nickname}}").starts_with("unguarded_optional"));
    accepts("{{#nickname}}{{nickname}}{{/nickname}}{{^nickname}}you{{/nickname}}");
    let help = report_as(&Mustache, "{{nickname}}").diagnostics.remove(0).help;
    assert_eq!(help[0], "guard it with `{{#nickname}}...{{/nickname}}`");
}

#[test]
fn threads_are_printed_and_are_not_sections() {
    accepts("{{history}}{{{picture}}}");
    assert!(finding("{{#history}}x{{/history}}").starts_with("misplaced_rich"));
}

#[test]
fn markers_and_partials_are_checked() {
    accepts("system:\nHi\n{{#premium}}\nuser:\n{{name}}\n{{/premium}}\n");
    assert!(finding("{{#premium}}user:{{/premium}}\nHi").starts_with("made_marker"));
    assert!(finding("sytem:\nHi").starts_with("near_marker"));
    assert!(finding("{{> header}}").starts_with("unsupported_construct"));
    assert!(finding("{{#premium}}x").starts_with("template_syntax"));
}

#[test]
fn a_section_over_an_unknown_type_reads_the_complete_value() {
    let uses = report_as(&Mustache, "{{#anything}}{{name}}{{/anything}}").uses;
    assert!(uses.get("name").unwrap().read_fully);
    let anything = uses.get("anything").unwrap();
    assert!(anything.read_fully && !anything.tested && anything.item.is_none());
}
