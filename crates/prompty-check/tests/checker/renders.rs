//! A template that the checker accepts renders with all inputs of the declared types.

use prompty_core::diagnostic::Severity;
use prompty_core::message::{Media, Message};
use prompty_core::value::{Map, Value};
use prompty_core::{Error, ErrorKind};
use prompty_runtime::render::{Inputs, PipelineBuilder};
use proptest::prelude::*;

use super::report;

/// Expressions over the inputs, in all forms and mostly with the right types. Divisions and `int`
/// are excluded, because they may fail for a value instead of a type.
fn expression() -> impl Strategy<Value = String> {
    let leaves = [
        "name",
        "age",
        "score",
        "premium",
        "tone",
        "words",
        "passages",
        "passage",
        "nickname",
        "limit",
        "extras",
        "passage.note",
        "passage.title",
        "passages[0]",
        "words[0]",
        "w",
        "p",
        "p.note",
        "p.title",
        "k",
        "loop.index",
        "loop.previtem",
        "x",
        "y",
        "'a'",
        "''",
        "3",
        "1.5",
        "true",
        "none",
        "[1, 2]",
        "['a', name]",
        "{'a': name}",
        "(1, 'b')",
        "m(name)",
        "range(3)",
        "dict(a=1)",
    ];
    let leaf = proptest::sample::select(leaves.to_vec()).prop_map(str::to_owned);
    leaf.prop_recursive(2, 12, 3, |inner| {
        let filters = [
            "upper", "lower", "trim", "length", "join(', ')", "default('')", "default(0)", "default([])",
            "first", "last", "list", "reverse", "sort", "unique", "sum", "min", "max", "abs", "round",
            "bool", "string", "title", "capitalize", "items", "dictsort", "lines", "split",
            "split('a')", "replace('a', 'b')", "indent(2)", "tojson", "map('upper')", "map('length')",
            "map(attribute='title')", "select", "select('odd')", "reject('none')", "selectattr('note')",
            "rejectattr('score', 'gt', 1)", "groupby('title')", "sort(attribute='score')",
            "sum(attribute='score')", "d(none)", "default(name, true)",
        ];
        let tests = [
            "defined", "none", "string", "number", "odd", "divisibleby(3)", "in(words)", "eq('a')",
            "startingwith('a')", "sequence", "mapping", "gt(2)", "not defined", "not none", "true",
        ];
        let operators =
            ["+", "-", "*", "~", "==", "!=", "<", ">=", "in", "not in", "and", "or", "< 5 <"];
        prop_oneof![
            4 => (inner.clone(), proptest::sample::select(filters.to_vec()))
                .prop_map(|(value, filter)| format!("{value} | {filter}")),
            1 => (inner.clone(), proptest::sample::select(tests.to_vec()))
                .prop_map(|(value, test)| format!("({value} is {test})")),
            3 => (inner.clone(), proptest::sample::select(operators.to_vec()), inner.clone())
                .prop_map(|(left, operator, right)| format!("({left} {operator} {right})")),
            1 => (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(value, condition, other)| format!("({value} if {condition} else {other})")),
            1 => (inner.clone(), inner.clone())
                .prop_map(|(value, condition)| format!("({value} if {condition})")),
            1 => inner.clone().prop_map(|value| format!("(not {value})")),
            1 => inner.clone().prop_map(|value| format!("(-{value})")),
            1 => inner.clone().prop_map(|value| format!("({value})[0]")),
            1 => inner.clone().prop_map(|value| format!("({value})[1:]")),
            1 => inner.clone().prop_map(|value| format!("({value}).title")),
            1 => inner.clone().prop_map(|value| format!("({value}).items()")),
            1 => (inner.clone(), inner).prop_map(|(value, index)| format!("({value})[{index}]")),
        ]
    })
}

/// Binds the names that expressions use in addition to the inputs.
const OPEN: &str = "user:\n{% set x = 1 %}{% set y = 'b' %}{% macro m(a) %}{{ a }}{% endmacro %}\
    {% for w in words %}{% for k in passage %}{% for p in passages %}";
const CLOSE: &str = "{% endfor %}{% endfor %}{% endfor %}";

/// Templates that use an expression in different places.
fn template() -> impl Strategy<Value = String> {
    let statement = expression().prop_flat_map(|e| {
        proptest::sample::select(vec![
            format!("{{{{ {e} }}}}"),
            format!("{{% if {e} %}}{{{{ nickname }}}}{{{{ {e} }}}}{{% else %}}{{{{ limit }}}}{{% endif %}}"),
            format!("{{% if nickname and limit %}}{{{{ {e} }}}}{{% endif %}}"),
            format!("{{% for w in {e} %}}{{{{ w }}}}{{{{ loop.index }}}}{{% endfor %}}"),
            format!("{{% for w in words if {e} %}}{{{{ w | upper }}}}{{{{ {e} }}}}{{% endfor %}}"),
            format!("{{% for p in passages %}}{{{{ {e} }}}}{{% endfor %}}"),
            format!("{{% for k, v in {e} %}}{{{{ k }}}}{{{{ v }}}}{{% endfor %}}"),
            format!("{{% set x = {e} %}}"),
            format!("{{% if premium %}}{{% set y = {e} %}}{{% endif %}}"),
            format!("{{% with y = {e} %}}{{{{ y }}}}{{{{ {e} }}}}{{% endwith %}}"),
            format!("{{% set ns = namespace(n={e}) %}}"),
            format!("{{% macro m(a, b=1) %}}{{{{ a }}}}{{{{ {e} }}}}{{% endmacro %}}"),
            format!("{{% set x %}}{{{{ {e} }}}}{{% endset %}}{{{{ x | upper }}}}"),
            format!("{{% filter upper %}}{{{{ {e} }}}}{{% endfilter %}}"),
        ])
    });
    prop::collection::vec(statement, 1..3)
        .prop_map(|parts| format!("{OPEN}{}{CLOSE}", parts.concat()))
}

fn passage(text: &str, has_note: bool) -> Value {
    let mut map = Map::from([
        ("title", Value::from(text)),
        ("score", Value::from(1.5)),
        ("tags", Value::from(vec![text])),
    ]);
    if has_note {
        map.insert("note", text);
    }
    Value::from(map)
}

/// Inputs of the declared types: many or none, with or without the optional ones.
fn inputs(text: &str, count: usize, has_optional: bool) -> Inputs {
    let passages: Vec<Value> = (0..count).map(|index| passage(text, index % 2 == 0)).collect();
    let mut inputs = Inputs::new()
        .with("name", text)
        .with("age", count)
        .with("score", 0.5)
        .with("premium", count.is_multiple_of(2))
        .with("tone", "formal")
        .with("words", Value::from(vec![text; count]))
        .with("passages", Value::from(passages))
        .with("passage", passage(text, has_optional))
        .with("anything", Value::Null)
        .with("foreign", Value::Null)
        .with_thread("history", vec![Message::user("x")])
        .with_image("picture", Media::new("https://x"));
    if has_optional {
        inputs =
            inputs.with("nickname", text).with("limit", 3).with("extras", Value::from(vec![text]));
    }
    inputs
}

fn render(template: &str, inputs: Inputs) -> Result<String, Error> {
    Ok(PipelineBuilder::from_text("t", template).build()?.render(inputs)?.plain_text())
}

proptest! {
    #[test]
    fn a_template_without_errors_renders(template in template(), text in "[a-z ]{0,6}", count in 0_usize..4) {
        let has_errors =
            report(&template).diagnostics.iter().any(|it| it.severity == Severity::Error);
        if !has_errors {
            for has_optional in [false, true] {
                let result = render(&template, inputs(&text, count, has_optional));
                if let Err(error) = result {
                    prop_assert!(error.kind() == ErrorKind::Limit, "{}\n{:#}", template, error);
                }
            }
        }
    }
}
