//! Names: inputs, attributes, filters, tests, functions, and their scopes.

use super::{accepts, finding, findings, help};

#[test]
fn an_unknown_input_gets_a_similar_name_as_help() {
    assert_eq!(finding("{{ nme }}"), "unknown_input `nme`: unknown input `nme`");
    assert_eq!(help("{{ nme }}"), "an input with a similar name exists: `name`");
    assert!(help("{{ zzz }}").starts_with("available inputs: `name`, `age`"));
}

#[test]
fn every_unknown_name_is_found_at_once() {
    assert_eq!(findings("{{ a1 }}{% if b1 %}{{ c1 | d1 }}{% endif %}").len(), 4);
}

#[test]
fn an_unknown_attribute_is_found_through_loops_and_aliases() {
    let expected = "unknown_attribute `titel`: unknown attribute `titel`";
    assert_eq!(finding("{{ passage.titel }}"), expected);
    assert_eq!(finding("{% for p in passages %}{{ p.titel }}{% endfor %}"), expected);
    assert_eq!(
        finding("{% set q = passages %}{% for p in q %}{{ p.titel }}{% endfor %}"),
        expected
    );
    assert_eq!(finding("{% with p = passages[0] %}{{ p.titel }}{% endwith %}"), expected);
    assert_eq!(finding("{{ (passages | first).titel }}"), expected);
    assert_eq!(finding("{% for p in passages | sort %}{{ p.titel }}{% endfor %}"), expected);
    assert_eq!(
        finding("{{ passage['titel'] }}"),
        "unknown_attribute `'titel'`: unknown attribute `titel`"
    );
    assert_eq!(help("{{ passage.titel }}"), "an attribute with a similar name exists: `title`");
    assert_eq!(
        help("{{ passage.x }}"),
        "available attributes of `passage`: `title`, `score`, `note`, `tags`"
    );
}

#[test]
fn attribute_names_in_filter_arguments_are_checked() {
    let found = "unknown_attribute `\"titel\"`: unknown attribute `titel`";
    assert_eq!(finding("{{ passages | map(attribute=\"titel\") | join }}"), found);
    assert_eq!(finding("{{ passages | sort(attribute=\"titel\") | length }}"), found);
    assert_eq!(finding("{{ passages | selectattr(\"titel\") | length }}"), found);
    accepts("{{ passages | map(attribute=\"title\") | join(\", \") }}");
    accepts("{{ passages | sort(attribute=\"score,title\") | length }}");
}

#[test]
fn unknown_filters_tests_and_functions_are_found() {
    assert_eq!(finding("{{ name | uper }}"), "unknown_filter `uper`: unknown filter `uper`");
    assert_eq!(help("{{ name | uper }}"), "a filter with a similar name exists: `upper`");
    assert_eq!(help("{{ name | strip }}"), "write `trim`");
    assert_eq!(finding("{{ name is odds }}"), "unknown_test `odds`: unknown test `odds`");
    assert_eq!(finding("{{ ragne(3) }}"), "unknown_function `ragne`: unknown function `ragne`");
    assert_eq!(help("{{ upper(name) }}"), "`upper` is a filter: `{{ value | upper }}`");
    assert_eq!(
        finding("{{ words | map(\"uper\") | join }}"),
        "unknown_filter `\"uper\"`: unknown filter `uper`"
    );
    assert_eq!(
        finding("{{ words | select(\"emtpy\") | join }}"),
        "unknown_test `\"emtpy\"`: unknown test `emtpy`"
    );
}

#[test]
fn python_methods_have_types() {
    accepts("{{ name.upper().split(\",\", 1) | join }}{{ \", \".join(words) }}");
    accepts("{% if name.startswith((\"a\", \"b\")) %}{{ name.center(9, \"-\") }}{% endif %}");
    accepts("{{ words.count(\"a\") + name.find(\"b\") }}");
    accepts("{% set m = {\"a\": 1} %}{{ m.get(\"a\", 2) }}{{ m.items() | length }}");
    assert_eq!(
        finding("{{ name.split() | upper }}"),
        "wrong_value `upper`: `upper` does not accept a list"
    );
    assert_eq!(
        finding("{{ name.replace(\"a\", 1) }}"),
        "wrong_value `1`: method `replace` does not accept an integer"
    );
    assert_eq!(
        finding("{{ name.join(5) }}"),
        "wrong_value `5`: method `join` does not accept an integer"
    );
    assert_eq!(
        finding("{{ name.upper(1) }}"),
        "wrong_arguments `upper`: method `upper` takes no arguments, but the call has 1"
    );
}

/// Python accepts bounds in these calls. Prompts do not, and must not ignore them.
#[test]
fn arguments_that_methods_do_not_support_are_found() {
    for method in
        ["name.find", "name.rfind", "name.index", "name.rindex", "name.count", "words.index"]
    {
        for argument in ["1", "start=1"] {
            let found = finding(&format!("{{{{ {method}(\"a\", {argument}) }}}}"));
            assert!(found.starts_with("wrong_arguments"), "{found}");
        }
    }
    let found = finding("{{ name.startswith(\"a\", start=1) }}");
    assert!(found.starts_with("wrong_arguments"), "{found}");
}

#[test]
fn common_jinja2_functions_and_filters_have_types() {
    accepts("{% for word, p in zip(words, passages) %}{{ word }}{{ p.title }}{% endfor %}");
    accepts("{{ name | truncate(20, end=\"…\") | upper }}{{ passages | tojson(indent=2) }}");
    accepts("{{ [{\"a\": 1}, {\"a\": 2}] | map(attribute=\"a\") | join(\",\") }}");
    accepts("{% for k, v in [(\"a\", 1), (\"b\", 2)] %}{{ k }}{{ v }}{% endfor %}");
    assert_eq!(
        finding("{{ zip(5) | length }}"),
        "wrong_value `5`: `zip` does not accept an integer"
    );
    assert_eq!(
        finding("{{ name | truncate(\"a\") }}"),
        "wrong_value `\"a\"`: filter `truncate` does not accept a string"
    );
}

#[test]
fn unknown_methods_are_found() {
    assert_eq!(finding("{{ name.uper() }}"), "unknown_function `uper`: unknown method `uper`");
    assert_eq!(help("{{ name.uper() }}"), "a method with a similar name exists: `upper`");
    assert_eq!(help("{{ name.len() }}"), "write `name | length`");
    assert_eq!(
        help("{{ words.append(1) }}"),
        "values cannot be changed: bind a new value with `set`"
    );
    assert_eq!(help("{{ words.upper() }}"), "write `words | upper`");
}

#[test]
fn the_help_of_an_unknown_filter_shows_how_to_register_one() {
    let found = help("{{ name | lemmatize }}");
    assert!(found.contains("`Registry::new().with_filter(\"lemmatize\", ...)`"), "{found}");
    assert!(!help("{{ name | untrusted }}").contains("`trusted`"));
}

#[test]
fn a_loop_variable_ends_with_its_loop() {
    assert_eq!(
        finding("{% for p in passages %}{{ p.title }}{% endfor %}{{ p.title }}"),
        "unknown_input `p`: `p` is used outside of its loop"
    );
    assert_eq!(
        finding("{{ loop.index }}"),
        "unknown_input `loop`: `loop` is used outside of a loop"
    );
    let text = "{% for p in passages %}{% else %}{{ p.title }}{% endfor %}";
    assert_eq!(finding(text), "unknown_input `p`: `p` is used outside of its loop");
}

#[test]
fn a_variable_that_a_loop_sets_ends_with_the_loop() {
    let text = "{% for w in words %}{% set last = w %}{% endfor %}{{ last }}";
    assert_eq!(
        finding(text),
        "unknown_input `last`: `last` is used outside of the loop that sets it"
    );
    assert!(help(text).contains("namespace(last=...)"));
}

#[test]
fn bindings_of_with_and_macros_end_with_their_block() {
    let text = "{% with a = 1 %}{{ a }}{% endwith %}{{ a }}";
    assert_eq!(finding(text), "unknown_input `a`: `a` is used outside of its `with` block");
    let text = "{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1) }}{{ a }}";
    assert_eq!(finding(text), "unknown_input `a`: `a` is used outside of its `macro` block");
}

#[test]
fn a_variable_that_an_if_sets_is_kept() {
    accepts("{% if premium %}{% set a = 1 %}{% else %}{% set a = 2 %}{% endif %}{{ a + 1 }}");
    accepts("{% if premium %}{% set a = 1 %}{% endif %}{{ a }}");
}

#[test]
fn loops_have_their_own_variable() {
    accepts(
        "{% for w in words %}{{ loop.index }}{{ loop.last }}{{ loop.cycle('a', 'b') }}{% endfor %}",
    );
    assert_eq!(
        finding("{% for w in words %}{{ loop.indx }}{% endfor %}"),
        "unknown_attribute `indx`: unknown attribute `indx`"
    );
    accepts(
        "{% for w in words %}{% if loop.previtem %}{{ loop.previtem | upper }}{% endif %}{% endfor %}",
    );
}

#[test]
fn macros_are_called_with_their_parameters() {
    let define = "{% macro m(a, b=1) %}{{ a }}{{ b }}{% endmacro %}";
    let with = |call: &str| format!("{define}{call}");
    accepts(&with("{{ m(1) }}{{ m(1, b=2) }}{{ m(a=1) }}"));
    assert!(finding(&with("{{ m(1, 2, 3) }}")).starts_with("wrong_arguments `m`: macro `m` takes"));
    assert!(finding(&with("{{ m(1, c=2) }}")).starts_with("wrong_arguments `c`: unknown argument"));
    assert!(finding(&with("{{ m(1, a=2) }}")).contains("argument `a` is specified twice"));
    assert!(finding(&with("{{ m }}")).contains("macro `m` is not called"));
    assert!(finding(&with("{% call m(1) %}{% endcall %}")).contains("does not use `caller`"));
}

#[test]
fn caller_needs_a_call_block() {
    let define = "{% macro m() %}{{ caller() }}{% endmacro %}";
    accepts(&format!("{define}{{% call m() %}}x{{% endcall %}}"));
    assert!(
        finding(&format!("{define}{{{{ m() }}}}"))
            .contains("needs a `caller`, but the call has no body")
    );
    accepts("{% macro m() %}{% if caller %}{{ caller() }}{% endif %}{% endmacro %}{{ m() }}");
    assert!(finding("{{ caller() }}").contains("unknown function `caller`"));
}

#[test]
fn only_a_namespace_can_be_changed() {
    accepts(
        "{% set ns = namespace(n=0) %}{% for w in words %}{% set ns.n = ns.n + 1 %}{% endfor %}{{ ns.n }}",
    );
    assert!(finding("{% set passage.title = 1 %}").contains("cannot be changed"));
}

#[test]
fn a_recursive_loop_may_call_itself() {
    accepts("{% for a in anything recursive %}{{ loop(a.children) }}{% endfor %}");
    assert!(
        finding("{% for a in anything %}{{ loop(a.b) }}{% endfor %}").contains("not recursive")
    );
}

#[test]
fn constructs_that_load_files_are_found() {
    for text in [
        "{% include 'a' %}",
        "{% import 'a' as b %}",
        "{% from 'a' import b %}",
        "{% extends 'a' %}",
    ] {
        assert!(finding(text).starts_with("unsupported_construct"), "{text}");
    }
    assert!(
        finding("{% block a %}x{% endblock %}")
            .starts_with("unsupported_construct `{% block a %}`")
    );
    assert!(finding("{% autoescape false %}x{% endautoescape %}").contains("autoescape"));
}

#[test]
fn functions_must_be_called_and_inputs_cannot_be() {
    assert!(finding("{{ range }}").contains("function `range` is not called"));
    assert!(finding("{{ name() }}").contains("is an input and cannot be called"));
    assert!(finding("{{ words[0]() }}").contains("only functions and macros can be called"));
}
