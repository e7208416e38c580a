//! Tests each difference between the dialects of prompts and of models' chat templates. Everything
//! else is the same, because one lexer and parser read both.

use prompty_core::value::Value;
use prompty_template::jinja::{Dialect, parse};
use prompty_template::tree::{ExprKind, NodeKind};
use prompty_template::walk;

fn is_prompt(text: &str) -> bool {
    parse(text, &Dialect::PROMPT).is_ok()
}

fn is_chat(text: &str) -> bool {
    parse(text, &Dialect::CHAT).is_ok()
}

/// The literal texts of a template, joined.
fn texts(text: &str, dialect: &Dialect) -> String {
    let nodes = parse(text, dialect).unwrap().nodes;
    let texts = nodes.into_iter().filter_map(|node| match node.kind {
        NodeKind::Text(text) => Some(text),
        _ => None,
    });
    texts.collect()
}

/// Returns the constant that a template prints.
fn constant(text: &str, dialect: &Dialect) -> Value {
    match parse(text, dialect).unwrap().nodes.remove(0).kind {
        NodeKind::Output(expr) => match expr.kind {
            ExprKind::Literal(value) => value,
            other => panic!("not a constant: {other:?}"),
        },
        other => panic!("not an output: {other:?}"),
    }
}

#[test]
fn chat_templates_trim_the_lines_of_block_tags() {
    let text = "a\n  {% set x = 1 %}\nb\n  {# c #}\nd";
    assert_eq!(texts(text, &Dialect::CHAT), "a\nb\nd");
    assert_eq!(texts(text, &Dialect::PROMPT), "a\n  \nb\n  \nd");
}

#[test]
fn white_space_signs_work_in_both() {
    for dialect in [Dialect::PROMPT, Dialect::CHAT] {
        assert_eq!(texts("a \n{%- set x = 1 -%}\n b {#- c -#} d", &dialect), "abd");
        assert_eq!(texts("{% raw -%} {{ x }} {%- endraw %}", &dialect), "{{ x }}");
    }
    assert_eq!(texts("a\n  {%+ set x = 1 +%}\nb", &Dialect::CHAT), "a\n  \nb");
}

#[test]
fn only_chat_templates_leave_loops_early_and_mark_generations() {
    for text in [
        "{% for x in xs %}{% break %}{% endfor %}",
        "{% for x in xs %}{% continue %}{% endfor %}",
        "{% generation %}a{% endgeneration %}",
        "{% do 1 %}",
        "{% macro f() %}{% endmacro f %}",
    ] {
        assert!(is_chat(text) && !is_prompt(text), "{text}");
    }
}

#[test]
fn only_chat_templates_have_tuples_without_parentheses_everywhere() {
    for text in [
        "{% if 1, 2 %}{% endif %}",
        "{% if a if b else c %}{% endif %}",
        "{{ a[1, 2] }}",
        "{% with a, b = c %}{% endwith %}",
    ] {
        assert!(is_chat(text) && !is_prompt(text), "{text}");
    }
    for text in ["{{ 1, 2 }}", "{% for x in 1, 2 %}{% endfor %}", "{% set a = 1, 2 %}"] {
        assert!(is_chat(text) && is_prompt(text), "{text}");
    }
}

#[test]
fn only_chat_templates_have_a_plus_sign_and_call_filter_results() {
    for text in ["{{ +a }}", "{{ a|f(1)(2) }}", "{{ größe }}", "{% set true = 1 %}"] {
        assert!(is_chat(text) && !is_prompt(text), "{text}");
    }
}

#[test]
fn only_prompts_have_tags_that_name_other_templates() {
    for (construct, rest) in
        [("include", ""), ("import", "as y"), ("from", "import y as z"), ("extends", "")]
    {
        let text = format!("{{% {construct} 'x' {rest} %}}");
        let nodes = parse(&text, &Dialect::PROMPT).unwrap().nodes;
        assert_eq!(walk::unsupported(&nodes[0]), Some(construct));
        let error = parse(&text, &Dialect::CHAT).unwrap_err();
        assert_eq!(error.message, format!("`{construct}` is not available"));
    }
}

#[test]
fn a_dot_after_a_number_begins_a_fraction_only_in_prompts() {
    assert_eq!(constant("{{ 1. }}", &Dialect::PROMPT), Value::Float(1.0));
    assert!(!is_chat("{{ 1. }}"));
    assert!(is_chat("{{ 1 if a == 1else 2 }}") && !is_prompt("{{ 1 if a == 1else 2 }}"));
}

#[test]
fn an_integer_that_is_too_large_is_a_float_only_in_chat_templates() {
    let text = format!("{{{{ 1{} }}}}", "0".repeat(40));
    assert_eq!(constant(&text, &Dialect::CHAT), Value::Float(1e40));
    assert!(!is_prompt(&text));
}

#[test]
fn string_literals_have_the_escapes_of_json_or_python() {
    let both = r#"{{ "\n\t\\\"\x41\u00e9\101\q" }}"#;
    for dialect in [Dialect::PROMPT, Dialect::CHAT] {
        assert_eq!(constant(both, &dialect), Value::from("\n\t\\\"AéA\\q"));
    }
    assert_eq!(constant(r"{{ '\ud83d\ude00\/' }}", &Dialect::PROMPT), Value::from("😀/"));
    assert_eq!(constant(r"{{ '\U0001f600\a' }}", &Dialect::CHAT), Value::from("😀\u{7}"));
    let signs = [r"{{ '\x+4' }}", r"{{ '\u+041' }}"];
    for broken in [r"{{ '\x4' }}", r"{{ '\u00' }}"].into_iter().chain(signs) {
        assert!(!is_prompt(broken) && !is_chat(broken), "{broken}");
    }
    assert!(!is_chat(r"{{ '\U+0000041' }}"));
    for broken in [r"{{ '\ud83d' }}", r"{{ '\400' }}"] {
        assert!(!is_prompt(broken) && is_chat(broken), "{broken}");
    }
}

#[test]
fn null_is_a_constant_of_prompts_and_a_name_in_chat_templates() {
    assert_eq!(constant("{{ null }}", &Dialect::PROMPT), Value::Null);
    let nodes = parse("{{ null }}", &Dialect::CHAT).unwrap().nodes;
    let NodeKind::Output(expr) = &nodes[0].kind else { panic!("not an output") };
    assert_eq!(expr.kind, ExprKind::Variable("null".to_owned()));
}

#[test]
fn the_text_after_a_test_is_its_argument_or_not_depending_on_the_dialect() {
    // The engine of prompts reads `if` as a name here, unlike Python's Jinja.
    assert!(is_chat("{{ a if b is defined if c }}"));
    assert!(is_chat("{{ 1 if b is odd in c }}"));
    assert!(!is_prompt("{{ a if b is defined if c }}"));
    assert!(is_prompt("{{ a is eq -1 }}"));
}

#[test]
fn the_spans_of_raw_texts_are_known() {
    let text = "a{% raw %}b{% endraw %}{{ c }}{% raw %}{% endraw %}";
    let template = parse(text, &Dialect::PROMPT).unwrap();
    let raw: Vec<&str> = template.raw.iter().map(|it| &text[it.start..it.end]).collect();
    assert_eq!(raw, ["b"]);
}
