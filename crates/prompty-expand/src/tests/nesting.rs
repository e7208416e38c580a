//! Nested templates on a small stack: each is expanded, or is an error. rustc has a larger stack,
//! but a language server or a test may expand a prompt in any thread.

use std::thread::Builder;

use proc_macro2::TokenTree;
use quote::quote;

/// The stack of a small thread.
const STACK: usize = 512 << 10;

/// Expands a prompt on a small stack. Returns whether it has no error. A stack overflow ends the test
/// program.
fn expands(text: String) -> bool {
    let expand = move || {
        let expansion = super::prompt(quote!(Ask { a: bool, b: Vec<bool> }, #text));
        let is_error =
            |token: &TokenTree| matches!(token, TokenTree::Ident(it) if it == "compile_error");
        !expansion.into_iter().any(|token| is_error(&token))
    };
    Builder::new().stack_size(STACK).spawn(expand).unwrap().join().unwrap()
}

/// The text of a prompt with a nested template.
fn nested(format: &str, construct: [&str; 5], count: usize) -> String {
    let [before, open, inner, close, after] = construct;
    let template = format!("{before}{}{inner}{}{after}", open.repeat(count), close.repeat(count));
    format!("---\ntemplate: {{format: {format}}}\n---\nuser:\n{{{{a}}}}{{{{b}}}}{template}")
}

/// The depths at which each construct is expanded, around the limits of the languages.
const DEPTHS: [usize; 14] = [1, 5, 10, 19, 20, 21, 30, 31, 50, 60, 64, 65, 150, 3_000];

/// Checks that a construct is expanded at a depth, and is an error when it is nested 3,000 times.
#[track_caller]
fn assert_nesting(format: &str, construct: [&str; 5], depth: usize) {
    for count in DEPTHS {
        let is_expanded = expands(nested(format, construct, count));
        assert!(is_expanded || count > depth, "{count} of {construct:?}");
        assert!(!is_expanded || count < 3_000, "{count} of {construct:?}");
    }
}

#[test]
fn nested_jinja_fits_a_small_stack() {
    for (open, close) in [
        ("{% if a %}", "{% endif %}"),
        ("{% if a %}x{% else %}", "{% endif %}"),
        ("{% for x in b %}", "{% endfor %}"),
        ("{% with c = a %}", "{% endwith %}"),
        ("{% set c %}", "{% endset %}"),
        ("{% filter upper %}", "{% endfilter %}"),
    ] {
        assert_nesting("jinja2", ["", open, "x", close, ""], 50);
    }
    assert_nesting("jinja2", ["{% if a %}", "{% elif a %}", "x", "", "{% endif %}"], 50);
    for (open, close) in [("(", ")"), ("a or (", ")"), ("a|default(", ")")] {
        assert_nesting("jinja2", ["{{ ", open, "a", close, " }}"], 19);
        assert_nesting("jinja2", ["{% if ", open, "a", close, " %}x{% endif %}"], 19);
    }
    assert_nesting("jinja2", ["{{ ", "", "a", " if a else a", " }}"], 50);
    for link in [" or a", " and a", " ~ 'x'", "|string", " == a"] {
        assert_nesting("jinja2", ["{{ ", "", "a", link, " }}"], 50);
        assert_nesting("jinja2", ["{% if ", "", "a", link, " %}x{% endif %}"], 50);
    }
    assert_nesting("jinja2", ["{{ ", "not ", "a", "", " }}"], 50);
    let blocks = "{% for x in b %}".repeat(50);
    let end = "{% endfor %}".repeat(50);
    let (before, after) = (format!("{blocks}{{{{ "), format!(" }}}}{end}"));
    assert_nesting("jinja2", [&before, "(", "a", ")", &after], 19);
    assert_nesting("jinja2", [&before, "", "a", " or a", &after], 50);
}

#[test]
fn nested_handlebars_fits_a_small_stack() {
    for (open, close) in [
        ("{{#if a}}", "{{/if}}"),
        ("{{#if a}}x{{else}}", "{{/if}}"),
        ("{{#each @root.b}}", "{{/each}}"),
        ("{{#unless a}}", "{{/unless}}"),
    ] {
        assert_nesting("handlebars", ["", open, "x", close, ""], 50);
    }
    // The branches of a block are not nested.
    assert!(expands(nested("handlebars", ["{{#if a}}", "{{else if a}}", "x", "", "{{/if}}"], 500)));
    assert_nesting("handlebars", ["{{#if ", "(equals a ", "a", ")", "}}x{{/if}}"], 30);
}

#[test]
fn nested_mustache_fits_a_small_stack() {
    for (open, close) in [("{{#a}}", "{{/a}}"), ("{{^a}}", "{{/a}}"), ("{{#b}}", "{{/b}}")] {
        assert_nesting("mustache", ["", open, "x", close, ""], 50);
    }
}

#[test]
fn nested_types_of_inputs_fit_a_small_stack() {
    for (open, close) in [
        ("{kind: array, items: ", "}"),
        ("{kind: object, properties: {c: ", "}}"),
        ("{kind: object, properties: [{name: c, kind: array, items: ", "}]}"),
    ] {
        for count in [1, 10, 20, 31, 62, 3_000] {
            let inputs = format!("{}{{kind: string}}{}", open.repeat(count), close.repeat(count));
            let text = format!("---\ninputs: {{c: {inputs}}}\n---\nuser:\n{{{{ c }}}}");
            let expand = move || {
                super::prompt(quote!(Ask, #text));
            };
            Builder::new().stack_size(STACK).spawn(expand).unwrap().join().unwrap();
        }
    }
}
