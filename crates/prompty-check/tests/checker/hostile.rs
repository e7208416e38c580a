//! Hostile templates: no panic, no stack overflow, and only linear work.

use proptest::prelude::*;

use super::{report, report_as};
use prompty_check::check::{CheckOptions, check};
use prompty_core::diagnostic::SourceText;
use prompty_template::{built_in, built_in_kinds};
use work_counting::{assert_linear, count_work};

/// Parts of templates, valid and invalid.
fn piece() -> impl Strategy<Value = String> {
    let pieces = [
        "{% if nickname %}",
        "{% endif %}",
        "{% else %}",
        "{% elif name %}",
        "{% for p in passages %}",
        "{% for a, b in anything %}",
        "{% endfor %}",
        "{{ p.title }}",
        "{{ name | upper }}",
        "{{ loop.index }}",
        "{% set x = name %}",
        "{{ x }}",
        "{% set x %}",
        "{% endset %}",
        "{% macro m(a) %}",
        "{% endmacro %}",
        "{{ m(1) }}",
        "{% call m() %}",
        "{% endcall %}",
        "{{ caller() }}",
        "user:",
        "\n",
        "system:\n",
        "{{- age -}}",
        "{%- if 1 -%}",
        "{# c #}",
        "{{ 'é' ~ history }}",
        "{{ words[0:1] }}",
        "# Us\u{435}r:",
        "\r\n",
        "{{",
        "}}",
        "{%",
        "%}",
        "{{ a.b['c'][0] if d else e }}",
        "{% with a = b %}",
        "{% endwith %}",
        "{{#a}}",
        "{{/a}}",
        "{{^a}}",
        "{{.}}",
        "{{{name}}}",
        "{{>x}}",
        "user[a={{ name }}]:",
        "\u{2028}",
        "{% raw %}",
        "{% endraw %}",
        "{% filter upper %}",
        "{% endfilter %}",
        "{{ anything | map('upper') | join(d='') }}",
    ];
    prop_oneof![proptest::sample::select(pieces.to_vec()).prop_map(str::to_owned), any::<String>()]
}

proptest! {
    #[test]
    fn any_text_can_be_checked(pieces in prop::collection::vec(piece(), 0..24)) {
        let text = pieces.concat();
        for kind in built_in_kinds() {
            for finding in report_as(built_in(kind).unwrap(), &text).diagnostics {
                let span = finding.span.unwrap();
                prop_assert!(text.get(span.start..span.end).is_some(), "{:?}", finding);
            }
        }
    }
}

/// Checks that the work grows linearly with the number of parts.
#[track_caller]
fn grows_linearly(name: &str, text: impl Fn(usize) -> String) {
    assert_linear(name, 250, |count| {
        let text = text(count);
        count_work(|| report(&text)).1
    });
}

#[test]
fn work_grows_with_the_text() {
    grows_linearly("unknown names", |count| {
        (0..count).map(|i| format!("{{{{ a{i} }}}}")).collect()
    });
    grows_linearly("sets", |count| {
        (0..count).map(|i| format!("{{% set a{i} = a{} %}}", i.max(1) - 1)).collect::<String>()
    });
    grows_linearly("sets in ifs", |count| {
        (0..count).map(|i| format!("{{% if name %}}{{% set a{i} = name %}}{{% endif %}}")).collect()
    });
    grows_linearly("merging", |count| {
        (0..count).map(|i| format!("{{% set x = x or anything.a{i} %}}")).collect::<String>()
    });
    grows_linearly("lists in lists", |count| "{% set x = [x, x] %}".repeat(count));
    grows_linearly("tuples in tuples", |count| "{% set x = (x, x) %}".repeat(count));
    grows_linearly("deepening", |count| "{% set anything = anything.a %}".repeat(count));
    grows_linearly("markers", |count| "user:\n{{ name }}\nsytem:\n".repeat(count));
    grows_linearly("one line", |count| "{{ name }}{% if name %}user:{% endif %}".repeat(count));
    grows_linearly("attributes", |count| {
        (0..count).map(|i| format!("{{{{ anything.a{i} }}}}")).collect::<String>()
    });
    grows_linearly("loops", |count| {
        "{% for p in passages %}{{ p.title }}{% endfor %}".repeat(count)
    });
    grows_linearly("unknown names next to many bound names", |count| {
        let part = |i: usize| format!("{{% set a{i:05} = b{i:05} %}}{{{{ c{i:05}() }}}}");
        (0..count).map(part).collect::<String>()
    });
    grows_linearly("open loops", |count| "{% for p in passages %}".repeat(count));
}

#[test]
fn findings_in_one_long_line_are_drawn_in_linear_work() {
    assert_linear("findings", 250, |count| {
        let text: String = (0..count).map(|i| format!("{{{{ unknown_{i} }}}} é ")).collect();
        let found = report(&text).diagnostics;
        assert!(found.len() >= count);
        let source = SourceText::new("t", text);
        count_work(|| found.iter().map(|it| it.render(&source).len()).sum::<usize>()).1
    });
}

#[test]
fn many_inputs_and_choices_are_checked_in_linear_work() {
    let names = |count: usize| (0..count).map(|number| format!("k{number:05}"));
    let inputs = |count: usize| {
        let inputs: String = names(count).map(|name| format!("  {name}: string\n")).collect();
        let prints: String = names(count).map(|name| format!("{{{{ {name} }}}}")).collect();
        format!("---\ninputs:\n{inputs}---\n{prints}")
    };
    let choices = |count: usize| {
        let choices: Vec<String> = names(count).collect();
        let kind = format!("{{kind: string, enumValues: [{}]}}", choices.join(", "));
        let compares = "{% if a == 'x' %}{% endif %}".repeat(count);
        format!("---\ninputs:\n  a: {kind}\n---\n{compares}")
    };
    // Comparisons with more than a thousand choices are not checked.
    let texts: [(&str, &dyn Fn(usize) -> String); 2] = [("inputs", &inputs), ("choices", &choices)];
    for (name, text) in texts {
        assert_linear(name, 2_000, |count| {
            let source = SourceText::new("t", text(count));
            count_work(|| check(source, &CheckOptions::new())).1
        });
    }
}

#[test]
fn deep_types_fit_the_stack_of_a_thread() {
    for step in ["[x]", "(x,)", "[x]|groupby('a')", "{'a': x}|items|list", "[x if name else none]"]
    {
        let text = format!("{{% set x = 1 %}}{}", format!("{{% set x = {step} %}}").repeat(40_000));
        let thread = std::thread::Builder::new().stack_size(2 << 20);
        thread.spawn(move || report(&text).diagnostics.len()).unwrap().join().unwrap();
    }
}

#[test]
fn deep_templates_fit_the_stack_of_a_thread() {
    let blocks = "{% for a in anything %}{% if a %}".repeat(31);
    let ends = "{% endif %}{% endfor %}".repeat(31);
    let expressions = [
        format!("{{{{ {}a }}}}", "not ".repeat(280)),
        format!("{{{{ a{} }}}}", "+a".repeat(140)),
        format!("{{{{ a{} }}}}", "|upper".repeat(140)),
        format!("{{{{ a{} }}}}", ".a".repeat(140)),
        format!("{{{{ a{} }}}}", " if a else a".repeat(70)),
        format!("{{{{ {}a{} }}}}", "[".repeat(70), "]".repeat(70)),
        format!("{{{{ {}a{} }}}}", "(not ".repeat(28), ")".repeat(28)),
    ];
    for expression in expressions {
        let texts = [expression.clone(), format!("{blocks}{expression}{ends}")];
        let thread = std::thread::Builder::new().stack_size(2 << 20);
        let work = move || texts.map(|text| report(&text).diagnostics.len());
        thread.spawn(work).unwrap().join().unwrap();
    }
}

#[test]
fn macros_that_call_each_other_in_a_long_chain_fit_the_stack_of_a_thread() {
    let link = |i: usize| format!("{{% macro m{i}() %}}{{{{ m{}() }}}}{{% endmacro %}}", i + 1);
    let links: Vec<String> = (0..10_000).map(link).collect();
    let last = "{% macro m10000() %}Hello{% endmacro %}";
    let forwards = format!("{}{last}{{{{ m0() }}}}:", links.concat());
    let backwards: String = links.iter().rev().map(String::as_str).collect();
    let backwards = format!("{last}{backwards}{{{{ m0() }}}}:");
    for text in [forwards, backwards] {
        let thread = std::thread::Builder::new().stack_size(2 << 20);
        thread.spawn(move || report(&text).diagnostics.len()).unwrap().join().unwrap();
    }
}
