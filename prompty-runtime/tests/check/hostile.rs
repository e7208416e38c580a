//! Templates of strangers: no panic, no stack overflow, no more than linear time.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::{report, report_as};
use prompty_core::diagnostic::SourceText;
use prompty_runtime::check::{Allowed, Extensions, Format, check_source};

/// Pieces that templates are made of, right and wrong.
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
        for format in Format::ALL {
            for finding in report_as(format, &text).diagnostics {
                let span = finding.span.unwrap();
                prop_assert!(text.get(span.start..span.end).is_some(), "{:?}", finding);
            }
        }
    }
}

/// A text that is eight times as long may take 24 times as long. Eight short texts stand beside each
/// long one, so that other work on the machine slows both down alike, and the best of several such
/// pairs counts.
fn grows_linearly(name: &str, text: impl Fn(usize) -> String) {
    let (short, long) = (text(500), text(4_000));
    let time = |text: &str, count: usize| {
        let start = Instant::now();
        for _ in 0..count {
            std::hint::black_box(report(text));
        }
        start.elapsed().as_secs_f64()
    };
    let is_linear = || {
        let ratio = time(&long, 1) / time(&short, 8);
        println!("{name}: the long one takes {ratio:.2} times as long as eight short ones");
        ratio < 3.0
    };
    assert!((0..10).any(|_| is_linear()), "{name}: see the times above");
}

#[test]
fn time_grows_with_the_text() {
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
    grows_linearly("open loops", |count| "{% for p in passages %}".repeat(count));
}

#[test]
fn many_inputs_and_choices_are_checked_in_linear_time() {
    let names = |count: usize| (0..count).map(|number| format!("k{number}"));
    let inputs: String = names(50_000).map(|name| format!("  {name}: string\n")).collect();
    let prints: String = names(50_000).map(|name| format!("{{{{ {name} }}}}")).collect();
    let choices: Vec<String> = names(50_000).collect();
    let kind = format!("{{kind: string, enumValues: [{}]}}", choices.join(", "));
    let compares = "{% if a == 'x' %}{% endif %}".repeat(10_000);
    for text in [
        format!("---\ninputs:\n{inputs}---\n{prints}"),
        format!("---\ninputs:\n  a: {kind}\n---\n{compares}"),
    ] {
        let start = Instant::now();
        let source = SourceText::new("t", text);
        check_source(source, &Extensions::default(), &Allowed::default());
        // Unoptimised, on a busy machine; quadratic time would be minutes.
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}

#[test]
fn types_as_deep_as_the_template_is_long_fit_the_stack_of_a_thread() {
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
