//! Tests the tree of Jinja templates, and syntax errors.

use prompty_core::diagnostic::TemplateSpan;
use prompty_template::jinja::syntax::parse;
use prompty_template::tree::{BinaryOperator, Expr, ExprKind, Node, NodeKind};

fn nodes(text: &str) -> Vec<Node> {
    parse(text).unwrap().nodes
}

/// Returns the expression that a template prints.
fn printed(text: &str) -> Expr {
    match nodes(text).remove(0).kind {
        NodeKind::Output(expr) => expr,
        other => panic!("not an output: {other:?}"),
    }
}

fn at(text: &str, span: TemplateSpan) -> &str {
    &text[span.start..span.end]
}

/// Returns the message of a syntax error, the source that it points at, and the help.
fn error(text: &str) -> String {
    let error = parse(text).unwrap_err();
    let help = error.help.unwrap_or_default();
    format!("{} | {} | {help}", error.message, at(text, error.span))
}

#[test]
fn an_expression_spans_all_of_its_parts() {
    for text in [
        "é{{ name }}",
        "{{ a.b.c }}",
        "{{ a[0].b }}",
        "{{ a.b[1:2] }}",
        "{{ a.b(1)('x') }}",
        "{{ a | join(', ') | upper }}",
        "{{ (a ~ b) | upper }}",
        "{{ ((a) ~ b) | f(x, (1)) }}",
        "{{ (a) == b }}",
        "{{ ( (a) ).b }}",
        "{{ a if (b) else (c) }}",
        "{{ (a or b) and (c) }}",
        "{{ not a }}",
        "{{ -a }}",
        "{{ a is divisibleby(3) }}",
        "{{ a is not defined }}",
        "{{ a not in (b) }}",
        "{{ a < b <= (c) }}",
        "{{ [1, 'two'] }}",
        "{{ (1, 2) }}",
        "{{ {'a': 1} }}",
        "{{ 'a' 'b' }}",
    ] {
        let (start, end) = (text.find("{{ ").unwrap() + 3, text.find(" }}").unwrap());
        let node = nodes(text).pop().unwrap();
        assert_eq!(at(text, node.span), &text[start - 3..end + 3]);
        let NodeKind::Output(expr) = node.kind else { panic!("{text}") };
        assert_eq!(at(text, expr.span), &text[start..end]);
    }
}

#[test]
fn names_of_attributes_filters_tests_and_methods_have_their_own_span() {
    let text = "{{ user.items() | sort(attribute=x.y) }}";
    let ExprKind::Filter { value, call } = printed(text).kind else { panic!() };
    assert_eq!(at(text, call.name.span), "sort");
    assert_eq!(at(text, call.arguments[0].expr().span), "x.y");
    let ExprKind::Method { value, call } = value.kind else { panic!() };
    assert_eq!((at(text, value.span), at(text, call.name.span)), ("user", "items"));
}

#[test]
fn blocks_span_from_their_first_tag_to_their_last() {
    for text in [
        "{% if a %}x{% elif b %}y{% else %}z{% endif %}",
        "{%- for a in b -%} x {%- endfor -%}",
        "{% set a = 1 %}",
        "{% set a %}x{% endset %}",
        "{% with a = 1, b = 2 %}x{% endwith %}",
        "{% filter upper | trim %}x{% endfilter %}",
        "{% macro a(b, c=1) %}x{% endmacro %}",
        "{% call a(1) %}x{% endcall %}",
        "{% do a(1) %}",
        "{% include 'x' %}",
        "{% block a %}x{% endblock a %}",
    ] {
        let template = format!("<{text}>");
        assert_eq!(at(&template, nodes(&template)[1].span), text);
    }
}

#[test]
fn texts_are_the_bytes_that_are_written() {
    let text = "a  {%- if b -%}  c  {%- endif %}\n{% raw -%} {{ d }} {%- endraw %}\n";
    let all = nodes(text);
    let texts: Vec<_> = all
        .iter()
        .filter(|node| matches!(node.kind, NodeKind::Text(_)))
        .map(|node| at(text, node.span))
        .collect();
    assert_eq!(texts, ["a", "\n", "{{ d }}", "\n"]);
}

#[test]
fn an_elif_is_a_branch_and_an_if_in_an_else_is_not() {
    let NodeKind::If(branches) = nodes("{% if a %}{% elif b %}{% endif %}").remove(0).kind else {
        panic!()
    };
    assert_eq!((branches.branches.len(), branches.otherwise), (2, None));
    let text = "{% if a %}{% else %}{% if b %}{% endif %}{% endif %}";
    let NodeKind::If(nested) = nodes(text).remove(0).kind else { panic!() };
    assert_eq!(nested.branches.len(), 1);
    assert!(matches!(nested.otherwise.unwrap()[0].kind, NodeKind::If(_)));
}

#[test]
fn brackets_are_an_index_and_dots_an_attribute() {
    assert!(matches!(printed("{{ a['b'] }}").kind, ExprKind::Index { .. }));
    assert!(matches!(printed("{{ a.b }}").kind, ExprKind::Attribute { .. }));
    assert!(matches!(printed("{{ a.0 }}").kind, ExprKind::Index { .. }));
}

#[test]
fn a_chained_comparison_holds_each_operand_once() {
    let ExprKind::Comparison { rest, .. } = printed("{{ a < b not in c }}").kind else { panic!() };
    let operators: Vec<_> = rest.iter().map(|(operator, _)| *operator).collect();
    assert_eq!(operators, [BinaryOperator::Less, BinaryOperator::NotIn]);
}

#[test]
fn the_last_newline_is_kept() {
    assert_eq!(nodes("a\n")[0].kind, NodeKind::Text("a\n".to_owned()));
}

#[test]
fn an_unclosed_tag_is_reported_at_its_start() {
    assert_eq!(error("Hi {{ name\nand more"), "`{{` is never closed | {{ | close it with `}}`");
    assert_eq!(error("{{ name } and {{ b }}"), "`{{` is never closed | {{ | close it with `}}`");
    assert_eq!(error("{%- if a }x"), "`{%` is never closed | {%- | close it with `%}`");
    assert_eq!(error("{{ a }} {# note {{ b }}"), "`{#` is never closed | {# | close it with `#}`");
    assert_eq!(error("a{{"), "`{{` is never closed | {{ | close it with `}}`");
    assert_eq!(
        error("{% raw %} {{ x }}"),
        "`{%` is never closed | {% | close it with `{% endraw %}`"
    );
    assert_eq!(
        error("{{ 'abc }}"),
        "this string is never closed | ' | close it with the same quotation mark"
    );
}

#[test]
fn an_unclosed_bracket_is_reported_before_each_closing_delimiter() {
    let outputs = ["{{ f(a }}", "{{ f(a -}}", "{{ f(a | }}", "{{ f(a | -}}"];
    let tags = ["{% if f(a %}", "{% if f(a -%}", "{% if f(a +%}", "{% if f(a | -%}"];
    for template in outputs.into_iter().chain(tags) {
        assert_eq!(error(template), "`(` is never closed | ( | close it with `)`", "{template}");
    }
}

#[test]
fn an_unclosed_block_is_reported_at_its_start() {
    let expected = "`{% if a %}` is never closed | {% if a %} | add `{% endif %}` where it ends";
    assert_eq!(error("x{% if a %}y{% for b in c %}z{% endfor %}\nend"), expected);
    assert_eq!(error("x{% if a %}y{% set b = 1 %}"), expected);
    assert!(error("{% set a %}x").starts_with("`{% set a %}` is never closed"));
}

#[test]
fn an_end_tag_without_a_block_is_distinguished_from_a_wrong_one() {
    assert_eq!(
        error("a{% endif %}"),
        "`endif` without an open block | endif | remove it, or open the block with `{% if %}`"
    );
    assert_eq!(
        error("{% for a in b %}{% endif %}"),
        "`endif` inside `{% for a in b %}`, which is still open | endif | \
         close that block first with `{% endfor %}`"
    );
    assert!(error("{% else %}").starts_with("`else` without an open block"));
}

#[test]
fn an_unknown_tag_is_reported_with_the_available_tags() {
    assert_eq!(
        error("{% fro a in b %}"),
        "unknown tag `fro` | fro | a tag with a similar name exists: `for`"
    );
    assert_eq!(
        error("{% user %}a{% enduser %}"),
        "unknown tag `user` | user | set the parser `message-tags`, and write a message as a block: \
         `{% call user() %}...{% endcall %}`"
    );
    assert!(error("{% frobnicate %}").contains("available tags: `if`, `for`, `set`"));
    assert!(error("{% if a %}{% elseif b %}{% endif %}").ends_with("write `elif`"));
    assert!(error("{% for a in b %}{% break %}{% endfor %}").contains("if condition"));
}

#[test]
fn tags_of_other_languages_are_translated() {
    assert!(error("{{$name}}").ends_with("set the format `semantic-kernel`"));
    assert!(error("{{{ name }}}").ends_with("or remove the third brace"));
}

#[test]
fn operators_of_other_languages_are_translated() {
    assert_eq!(error("{% if a && b %}"), "`&&` is not an operator | && | write `and`");
    assert_eq!(error("{% if a || b %}"), "`||` is not an operator | || | write `or`");
    assert_eq!(error("{% if !a %}"), "`!` is not an operator | ! | write `not`");
    assert_eq!(
        error("{{ a ? 1 : 2 }}"),
        "`?` is not an operator | ? | write `a if condition else b`"
    );
    assert_eq!(error("{% if a = 1 %}"), "`=` is not a comparison | = | compare with `==`");
    assert!(error("{{ “a” }}").ends_with("| “ | write `\"` or `'`"));
}

#[test]
fn two_values_in_an_output_are_reported_with_a_help() {
    assert_eq!(
        error("{{ a b }}"),
        "unexpected `b`, expected `}}` | b | \
         write one value between `{{` and `}}`; join strings with `~`, filter with `|`"
    );
    assert_eq!(error("{{ }}"), "unexpected `}}`, expected a value | }} | ");
    assert_eq!(error("{{ é }}").split(" | ").next(), Some("unexpected character `é`"));
}
