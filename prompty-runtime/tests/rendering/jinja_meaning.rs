//! Our parser of Jinja and the engine accept the same templates, and agree on their meaning.

mod printer;
mod property;

use minijinja::Value;
use proptest::prelude::*;
use proptest::sample::select;

/// Values of many kinds, under the names that the templates below use.
fn inputs() -> impl Strategy<Value = Value> {
    let scalar = || {
        prop_oneof![
            (-3..30_i64).prop_map(Value::from),
            select(vec![0.5, 2.0, -1.25]).prop_map(Value::from),
            any::<bool>().prop_map(Value::from),
            select(vec!["", "a", "x y", "Zoë"]).prop_map(Value::from),
            Just(Value::from(())),
        ]
    };
    let list = || prop::collection::vec(scalar(), 0..4).prop_map(Value::from_iter);
    let any_value = || prop_oneof![scalar(), list()];
    let map = (any_value(), any_value()).prop_map(|(a, b)| Value::from_iter([("a", a), ("b", b)]));
    (any_value(), any_value(), list(), map)
        .prop_map(|(a, b, xs, m)| Value::from_iter([("a", a), ("b", b), ("xs", xs), ("m", m)]))
}

fn atom() -> impl Strategy<Value = String> {
    let atoms = [
        "a",
        "b",
        "xs",
        "m",
        "nothing",
        "loop",
        "null",
        "none",
        "None",
        "true",
        "False",
        "0",
        "1",
        "2",
        "7",
        "1_0",
        "0x1F",
        "0b101",
        "0o17",
        "1.5",
        "2.",
        "1e2",
        "1.e1",
        "2.5e-1",
        "'a'",
        r#""it's""#,
        r"'\n\x41\u00e9\101\/\q'",
        r"'\ud83d\ude00'",
        "'a' \"b\"",
        "''",
        "()",
        "[]",
        "{}",
        "in",
        "if",
    ];
    select(atoms.to_vec()).prop_map(str::to_owned)
}

/// An expression whose parentheses are random.
fn expression() -> impl Strategy<Value = String> {
    atom().prop_recursive(4, 24, 3, |inner| {
        let binary = [
            "+", "-", "*", "/", "//", "%", "**", "~", "==", "!=", "<", "<=", ">", ">=", " and ",
            " or ", " in ", " not in ",
        ];
        let tests = [
            "defined", "not defined", "none", "odd", "divisibleby 2", "divisibleby(2)", "in [1, 'a']",
            "not in (1,)", "sameas none", "eq -1", "string", "not sequence", "gt a.b", "lt b[0]",
        ];
        let filters = [
            "upper", "length", "default(1)", "default(value=b,)", "join(', ')", "first", "list",
            "string", "int", "abs", "tojson", "replace('a', 'b')", "title|trim",
        ];
        prop_oneof![
            4 => (inner.clone(), select(binary.to_vec()), inner.clone())
                .prop_map(|(left, operator, right)| format!("{left} {operator} {right}")),
            1 => (select(vec!["-", "not ", "- ", "not not "]), inner.clone())
                .prop_map(|(operator, value)| format!("{operator}{value}")),
            2 => inner.clone().prop_map(|value| format!("({value})")),
            1 => (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("{a} if {b} else {c}")),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} if {b}")),
            2 => (inner.clone(), select(tests.to_vec())).prop_map(|(a, test)| format!("{a} is {test}")),
            2 => (inner.clone(), select(filters.to_vec())).prop_map(|(a, it)| format!("{a}|{it}")),
            1 => (inner.clone(), select(vec![".a", ".0", ".1.0", "['a']", "[0]", "[-1]", ".items()"]))
                .prop_map(|(a, step)| format!("{a}{step}")),
            1 => (inner.clone(), select(vec!["[:]", "[1:]", "[:2]", "[0:2:1]", "[::-1]", "[a:b]"]))
                .prop_map(|(a, slice)| format!("{a}{slice}")),
            1 => prop::collection::vec(inner.clone(), 0..3)
                .prop_map(|items| format!("[{}]", items.join(","))),
            1 => prop::collection::vec(inner.clone(), 1..3)
                .prop_map(|items| format!("({},)", items.join(" , "))),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{{'k': {a}, {b}: 1,}}")),
            1 => (inner.clone(), inner).prop_map(|(a, b)| format!("f({a}, q={b})")),
        ]
    })
}

fn target() -> impl Strategy<Value = &'static str> {
    select(vec!["a", "b", "x", "x, y", "(x, y)", "x, (y, z)", "x,", "((x))", "(x,), y"])
}

/// A template of the supported constructs, with some white-space control.
fn template() -> impl Strategy<Value = String> {
    let texts = [
        " ",
        "\n",
        "text",
        "  \n x \n ",
        "{",
        "%}",
        "}}",
        "\u{a0}é\u{2028} ",
        "{% raw %} {{ a }} {%- endraw %}",
        "{#- no #}",
        "{# no -#}",
    ];
    let open = || select(vec!["{%", "{%-", "{%+"]);
    let close = || select(vec!["%}", "-%}", "+%}"]);
    let print = (select(vec!["{{", "{{-", "{{+"]), expression(), select(vec!["}}", "-}}", "+}}"]))
        .prop_map(|(open, value, close)| format!("{open} {value} {close}"));
    let set = (open(), target(), expression(), close())
        .prop_map(|(open, target, value, close)| format!("{open} set {target} = {value} {close}"));
    let leaf = prop_oneof![select(texts.to_vec()).prop_map(str::to_owned), print, set];
    let leaf = leaf.boxed();
    leaf.prop_recursive(3, 16, 4, move |inner| {
        let body = || prop::collection::vec(inner.clone(), 0..3).prop_map(|it| it.concat());
        prop_oneof![
            (open(), expression(), close(), body(), expression(), body(), body()).prop_map(
                |(open, test, close, first, other, second, last)| format!(
                    "{open} if {test} {close}{first}{{% elif {other} %}}{second}{open}else{close}{last}{{% endif %}}"
                )
            ),
            (open(), target(), expression(), close(), body(), body()).prop_map(
                |(open, target, list, close, first, last)| format!(
                    "{open} for {target} in {list} {close}{first}{{% else %}}{last}{{% endfor %}}"
                )
            ),
            (target(), expression(), expression(), body()).prop_map(|(target, list, test, body)| format!(
                "{{% for {target} in {list} if {test} recursive %}}{body}{{{{ loop.index }}}}{{% endfor %}}"
            )),
            (expression(), body()).prop_map(|(value, body)| format!(
                "{{% with x = {value}, (y, z) = xs %}}{body}{{{{ x }}}}{{% endwith %}}"
            )),
            (expression(), body(), expression()).prop_map(|(default, body, given)| format!(
                "{{% macro f(p, q={default}) %}}{body}{{{{ p }}}}{{{{ q }}}}{{{{ caller() }}}}{{% endmacro %}}{{% call(x) f({given}) %}}!{{% endcall %}}{{{{ f(1) }}}}"
            )),
            body().prop_map(|body| format!("{{% filter upper | replace('A', 'b') %}}{body}{{% endfilter %}}")),
            (target(), body()).prop_map(|(target, body)| format!("{{% set {target} | trim %}}{body}{{% endset %}}")),
            body().prop_map(|body| format!("{{% set ns = namespace(a=1) %}}{{% set ns.a = xs, 1 %}}{body}{{{{ ns.a }}}}")),
        ]
    })
}

/// Parts of templates in random order.
fn soup() -> impl Strategy<Value = String> {
    let pieces = [
        "{{",
        "}}",
        "{%",
        "%}",
        "{#",
        "#}",
        "{{-",
        "-}}",
        "{%-",
        "-%}",
        "{%+",
        "+%}",
        "+}}",
        " ",
        " ",
        " ",
        "\n",
        "\t",
        "\u{b}",
        "a",
        "b.c",
        "xs",
        "_",
        "é",
        "1",
        "1.",
        ".5",
        "1e",
        "1e5",
        "0x",
        "0xg",
        "1__",
        "9".repeat(38).leak(),
        "9".repeat(39).leak(),
        "9".repeat(40).leak(),
        "'",
        "\"",
        "'a'",
        r"'\u12'",
        r"'\xZ1'",
        r"'\777'",
        r"'\ud800'",
        r"'\+'",
        "\\",
        "+",
        "-",
        "*",
        "/",
        "//",
        "%",
        "**",
        "~",
        "==",
        "=",
        "!",
        "!=",
        "<",
        "<=",
        ">",
        "&&",
        "||",
        "?",
        ";",
        "$",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        "|",
        ".",
        "if",
        "elif",
        "else",
        "endif",
        "for",
        "in",
        "endfor",
        "recursive",
        "set",
        "endset",
        "with",
        "endwith",
        "macro",
        "f(",
        "endmacro",
        "call",
        "endcall",
        "filter",
        "endfilter",
        "upper",
        "raw",
        "endraw",
        "do",
        "is",
        "not",
        "and",
        "or",
        "none",
        "null",
        "true",
        "loop",
        "self",
        "block",
        "endblock",
        "include",
        "import",
        "from",
        "as",
        "extends",
        "autoescape",
        "endautoescape",
        "break",
        "continue",
        "defined",
        "{% if a %}",
        "{% endif %}",
        "{% for x in xs %}",
        "{% endfor %}",
        "{% raw %}",
        "{% endraw %}",
        "{{ a }}",
        "{% set a %}",
        "{% endset %}",
        "{%endif x%}",
        "{% else %}",
        "a=1",
        "*xs",
        "**m",
        "()",
        "(a, b)",
        "[a]",
        "{'a': 1}",
        "cycle",
        "__prompty_",
    ];
    prop::collection::vec(select(pieces.to_vec()), 0..14).prop_map(|pieces| pieces.concat())
}

/// A template with typing mistakes: some characters are missing, doubled or exchanged.
fn mistyped() -> impl Strategy<Value = String> {
    let edit = (
        any::<prop::sample::Index>(),
        0..4_usize,
        select("{}%#|()[].,='\" -+~x1\\".chars().collect::<Vec<_>>()),
    );
    (template(), prop::collection::vec(edit, 1..4)).prop_map(|(text, edits)| {
        let mut characters: Vec<char> = text.chars().collect();
        for (index, kind, other) in edits {
            if characters.is_empty() {
                break;
            }
            let at = index.index(characters.len());
            match kind {
                0 => drop(characters.remove(at)),
                1 => characters.insert(at, characters[at]),
                2 => characters[at] = other,
                _ => characters.insert(at, other),
            }
        }
        characters.into_iter().collect()
    })
}

/// Random parts inside one tag, which parse further than parts alone.
fn tag() -> impl Strategy<Value = String> {
    let pieces = [
        "a",
        "b",
        "xs",
        "m",
        ".a",
        ".0",
        "1",
        "2.",
        "1e1",
        "'a'",
        "+",
        "-",
        "*",
        "//",
        "**",
        "~",
        "==",
        "<",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        "|",
        "|upper",
        "|f.g",
        "is",
        "not",
        "in",
        "if",
        "else",
        "and",
        "or",
        "none",
        "null",
        "true",
        "defined",
        "sameas",
        "=",
        "a=",
        "*",
        "loop",
        "recursive",
        "f(",
        "()",
        "(a)",
        "[0]",
        "[::2]",
        "[1:]",
        "cycle()",
        "x.y",
    ];
    let forms = [
        "{{ @ }}",
        "{% if @ %}x{% endif %}",
        "{% for @ %}x{% endfor %}",
        "{% set @ %}",
        "{% set @ %}x{% endset %}",
        "{% with @ %}x{% endwith %}",
        "{% macro @ %}x{% endmacro %}",
        "{% call @ %}x{% endcall %}",
        "{% filter @ %}x{% endfilter %}",
        "{% do @ %}",
        "{% for x in @ %}x{% endfor %}",
        "{% set x = @ %}",
        "{% macro f(@) %}x{% endmacro %}",
        "{{ f(@) }}",
        "{{ a[@] }}",
        "{{ a is @ }}",
    ];
    (select(forms.to_vec()), prop::collection::vec(select(pieces.to_vec()), 0..7))
        .prop_map(|(form, pieces)| form.replace('@', &pieces.join(" ")))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn templates_mean_the_same_to_the_engine_and_to_our_parser(text in template(), inputs in inputs()) {
        property::check(&property::engine(), &text, Some(&inputs));
    }

    #[test]
    fn mistyped_templates_are_accepted_or_rejected_alike(text in mistyped(), inputs in inputs()) {
        property::check(&property::engine(), &text, Some(&inputs));
    }

    #[test]
    fn tags_of_random_parts_are_accepted_or_rejected_alike(text in tag(), inputs in inputs()) {
        property::check(&property::engine(), &text, Some(&inputs));
    }

    #[test]
    fn parts_in_random_order_are_accepted_or_rejected_alike(text in soup(), inputs in inputs()) {
        property::check(&property::engine(), &text, Some(&inputs));
    }

    #[test]
    fn any_text_is_accepted_or_rejected_alike(text in any::<String>()) {
        property::check(&property::engine(), &text, None);
    }
}

#[test]
fn an_argument_cannot_have_the_name_of_an_operator() {
    for text in ["{{ f(not=1) }}", "{% macro f(not) %}{% endmacro %}", "{{ f(not not=1) }}"] {
        property::check(&property::engine(), text, None);
    }
}

/// The properties are meaningful only if most generated templates are valid.
#[test]
fn many_templates_are_accepted_and_many_rejected() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut accepted = |strategy: &BoxedStrategy<String>| {
        let is_accepted = |_| {
            let text = strategy.new_tree(&mut runner).unwrap().current();
            prompty_template::jinja::syntax::parse_accepted(&text).is_ok()
        };
        (0..300).map(is_accepted).filter(|it| *it).count()
    };
    assert!(accepted(&template().boxed()) > 100);
    for strategy in [mistyped().boxed(), tag().boxed(), soup().boxed()] {
        assert!((5..290).contains(&accepted(&strategy)));
    }
}

#[test]
fn the_examples_of_our_own_refusals_are_templates_of_the_engine() {
    for example in property::examples_refused_by_us_alone() {
        let accepted = property::engine().template_from_str(&example).is_ok();
        assert!(accepted, "the engine also refuses {example:.40}");
        property::check(&property::engine(), &example, None);
    }
}
