//! Nested chat templates on a small stack: each construct works at its limit, and is an error when
//! it is nested one level deeper.
//!
//! The limits hold for code without optimization, which the gate tests separately.

use std::thread::Builder;

use prompty_chat::{ChatTemplate, PromptOptions};
use prompty_core::ErrorKind;
use prompty_core::message::Message;
use prompty_core::value::Map;

/// The stack of a thread in a service that has many of them.
const STACK: usize = 512 << 10;
/// The maximum nesting of blocks and expressions.
const MOST: usize = 150;
/// The maximum nesting of brackets.
const BRACKETS: usize = 20;
/// The maximum nesting of blocks.
const BLOCKS: usize = 64;
/// The maximum nesting of `call` blocks, each of which also is a macro.
const CALL_BLOCKS: usize = 32;

/// A construct that can be nested: the text before it, its opening, the innermost text, its closing
/// and the text after it.
type Construct<'t> = [&'t str; 5];

fn nested([before, open, inner, close, after]: Construct<'_>, count: usize) -> String {
    format!("{before}{}{inner}{}{after}", open.repeat(count), close.repeat(count))
}

/// Runs on a small stack. A stack overflow ends the test program.
fn on_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    Builder::new().stack_size(STACK).spawn(work).unwrap().join().unwrap()
}

/// Compiles, renders and analyses a template. Returns the kind of the first error.
fn run(text: String) -> Option<ErrorKind> {
    on_small_stack(move || {
        let template = match ChatTemplate::from_text(&text) {
            Ok(template) => template,
            Err(error) => return Some(error.kind()),
        };
        let rendered = template.render(&Map::new(), Some(0));
        let _ = template.analyze();
        let _ = template.prompt(&[Message::user("x")], &[], &PromptOptions::default());
        rendered.err().map(|error| error.kind())
    })
}

/// Checks that a construct renders if it is nested `most` times, and is an error after that.
#[track_caller]
fn assert_limit(construct: Construct<'_>, most: usize) {
    assert_eq!(run(nested(construct, most)), None, "{construct:?}");
    for count in [most + 1, 2 * most, 3_000] {
        let error = run(nested(construct, count));
        assert_eq!(error, Some(ErrorKind::TemplateSyntax), "{count} of {construct:?}");
    }
}

#[test]
fn nested_brackets_fit_a_small_stack() {
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{'a': ", "}"),
        ("(1, ", ")"),
        ("[1][", "* 0]"),
        ("lipsum is eq(", ")"),
        ("dict(a=", ")"),
        ("1|default(", ")"),
        ("'a'.count('b' ~ ", ")"),
        ("range(1 if 0 else 1 if 0 else - - - - + 1 * ", ")|length"),
    ] {
        assert_limit(["{{ ", open, "1", close, " }}"], BRACKETS);
    }
    assert_limit(["{% for ", "(a, ", "b", ")", " in [] %}{% endfor %}"], BRACKETS);
}

#[test]
fn long_expressions_fit_a_small_stack() {
    for (first, link) in [
        ("1", " + 1"),
        ("1", " ** 1"),
        ("1", " and 1"),
        ("1", "|int"),
        ("1", " is defined"),
        ("'a'", "[0]"),
        ("'a'", ".strip()"),
        ("1", " if 1 else 1"),
        ("1", " if 0 else 1"),
    ] {
        assert_limit(["{{ ", "", first, link, " }}"], MOST - 2);
    }
    for sign in ["not ", "- ", "+ "] {
        assert_limit(["{{ ", sign, "1", "", " }}"], MOST - 2);
    }
}

#[test]
fn nested_blocks_fit_a_small_stack() {
    for (open, close) in [
        ("{% if true %}", "{% endif %}"),
        ("{% if false %}{% else %}", "{% endif %}"),
        ("{% for i in [1] %}", "{% endfor %}"),
        ("{% for i in [1] if i %}", "{% endfor %}"),
        ("{% for i in [] %}{% else %}", "{% endfor %}"),
        ("{% with a = 1 %}", "{% endwith %}"),
        ("{% set a %}", "{% endset %}"),
        ("{% filter upper %}", "{% endfilter %}"),
        ("{% macro a() %}", "{% endmacro %}"),
        ("{% generation %}", "{% endgeneration %}"),
    ] {
        assert_limit(["", open, "x", close, ""], BLOCKS);
    }
    let call = ["{% macro m() %}{{ caller() }}{% endmacro %}", "{% call m() %}", "x"];
    let [before, open, inner] = call;
    let construct = [before, open, inner, "{% endcall %}", ""];
    assert_eq!(run(nested(construct, CALL_BLOCKS)), None);
    assert_eq!(run(nested(construct, CALL_BLOCKS + 1)), Some(ErrorKind::Limit));
    assert_eq!(run(nested(construct, BLOCKS + 1)), Some(ErrorKind::TemplateSyntax));
}

#[test]
fn blocks_and_expressions_share_a_limit() {
    let blocks = [
        ("{% if true %}", "{% endif %}"),
        ("{% for i in [1] %}", "{% endfor %}"),
        ("{% set a %}", "{% endset %}"),
    ];
    for (open, close) in blocks {
        for link in [" + 1", " if 0 else 1"] {
            let inside = |count| {
                nested(["", open, &nested(["{{ ", "", "1", link, " }}"], count), close, ""], BLOCKS)
            };
            assert_eq!(run(inside(MOST - BLOCKS - 2)), None, "{open} {link}");
            let error = run(inside(MOST - BLOCKS - 1));
            assert_eq!(error, Some(ErrorKind::TemplateSyntax), "{open} {link}");
        }
    }
}

#[test]
fn macros_that_call_themselves_end_on_a_small_stack() {
    for construct in [
        ["{% macro f() %}", "{% if true %}", "{{ f() }}", "{% endif %}", "{% endmacro %}{{ f() }}"],
        ["{% macro f() %}{{ ", "[", "f()", "]", " }}{% endmacro %}{{ f() }}"],
        ["{% macro f(a) %}{{ ", "f(", "f(1)", ")", " }}{% endmacro %}{{ f(1) }}"],
        ["{% macro f(a=", "[", "f()", "]", ") %}{% endmacro %}{{ f() }}"],
        ["{% macro f(a=", "1|default(", "f()", ", f())", ") %}{% endmacro %}{{ f() }}"],
        ["{% macro f() %}{{ 1 is eq(", "1 + (", "f()", ")", ") }}{% endmacro %}{{ f() }}"],
        ["{% macro f() %}{% if ", "(", "f()", ")", " %}{% endif %}{% endmacro %}{{ f() }}"],
        ["{% macro f() %}", "{% set a %}", "{{ f() }}", "{% endset %}", "{% endmacro %}{{ f() }}"],
        ["{% macro f() %}", "{% call f() %}", "x", "{% endcall %}", "{% endmacro %}{{ f() }}"],
        [
            "{% macro f() %}",
            "{% for a in [1] if a %}",
            "{{ f() }}",
            "{% endfor %}",
            "{% endmacro %}{{ f() }}",
        ],
        [
            "{% macro c() %}{{ caller() }}{% endmacro %}{% macro f() %}",
            "{% call c() %}",
            "{{ f() }}",
            "{% endcall %}",
            "{% endmacro %}{{ f() }}",
        ],
    ] {
        for count in [1, 2, 3, 5, 9, BRACKETS - 2] {
            assert_eq!(run(nested(construct, count)), Some(ErrorKind::Limit), "{construct:?}");
        }
    }
}

#[test]
fn loops_that_call_themselves_end_on_a_small_stack() {
    let start = "{% for i in [1] recursive %}";
    for construct in [
        [start, "{% if true %}", "{{ loop([1]) }}", "{% endif %}", "{% endfor %}"],
        ["{% for i in [1] recursive %}{{ ", "[", "loop([1])", "]", " }}{% endfor %}"],
    ] {
        for count in [1, 2, 3, 5, 9, BRACKETS - 2] {
            assert_eq!(run(nested(construct, count)), Some(ErrorKind::Limit), "{construct:?}");
        }
    }
}

#[test]
fn nested_values_fit_a_small_stack() {
    for (wrap, used) in [
        ("[n.l]", "n.l"),
        ("{'a': n.l}", "n.l|tojson(indent=1)"),
        ("(n.l,)", "{n.l: 1}"),
        ("[n.l]", "n.l == n.m"),
        ("[n.l]", "[n.l, n.m]|sort"),
        ("(n.l, )", "[n.l, n.m]|sort"),
        ("(n.l,)", "[n.l]|unique|list"),
    ] {
        let make = |depth| {
            let set =
                format!("{{% set n.l = {wrap} %}}{{% set n.m = {} %}}", wrap.replace('l', "m"));
            let start = "{% set n = namespace(l=(), m=()) %}";
            format!("{start}{{% for i in range({depth}) %}}{set}{{% endfor %}}{{{{ {used} }}}}")
        };
        assert_eq!(run(make(120)), None, "{used}");
        assert_eq!(run(make(140)), Some(ErrorKind::Limit), "{used}");
    }
}

#[test]
fn including_a_file_is_an_error() {
    for tag in ["{% include 'x' %}", "{% import 'x' as y %}", "{% extends 'x' %}"] {
        assert_eq!(run(tag.repeat(1_000)), Some(ErrorKind::TemplateSyntax), "{tag}");
    }
}
