//! White space, escapes, and syntax errors.

use super::*;

fn error(text: &str) -> (String, String) {
    let error = parse(text).unwrap_err();
    let place = text.get(error.span.start..error.span.end).unwrap();
    (error.message, place.to_owned())
}

#[test]
fn a_tag_alone_on_its_line_removes_the_line() {
    let inputs = r#"{"b": true, "l": [1, 2]}"#;
    assert_eq!(render("1\n  {{#if b}}  \n2\n\t{{/if}}\n3\n", inputs), "1\n2\n3\n");
    assert_eq!(
        render("1\r\n{{#if b}}\r\n2\r\n{{else}}\r\n4\r\n{{/if}}\r\n3", inputs),
        "1\r\n2\r\n3"
    );
    assert_eq!(render("1\n{{! a\n b }}\n2", inputs), "1\n2");
    assert_eq!(render("{{#each l}}\n- {{this}}\n{{/each}}\n", inputs), "- 1\n- 2\n");
    assert_eq!(render(" {{#if b}} x {{/if}} \n", inputs), "  x  \n");
}

#[test]
fn a_tilde_removes_adjacent_white_space() {
    let inputs = r#"{"b": true, "x": "-"}"#;
    assert_eq!(render("a \n {{~x~}} \n b", inputs), "a-b");
    assert_eq!(render("a {{~#if b~}} x {{~/if~}} b", inputs), "axb");
    assert_eq!(render("a {{~! c ~}} b {{!-- {{x}} --}}c", inputs), "ab c");
}

#[test]
fn braces_are_written_by_a_backslash_or_in_a_raw_block() {
    let inputs = r#"{"x": "-"}"#;
    assert_eq!(render("\\{{x}} {{x}} \\\\{{x}}", inputs), "{{x}} - \\-");
    assert_eq!(render("{{{{raw}}}} {{x}} {{{{/raw}}}}", inputs), " {{x}} ");
}

#[test]
fn a_text_has_the_span_of_its_source() {
    let text = "a \\{{x}}\n  {{#if b}}\n c {{~y}}{{/if}}";
    let tree = parse(text).unwrap();
    let mut texts = Vec::new();
    prompty_template::walk::texts(&tree.nodes, &mut |span| {
        texts.push(text.get(span.start..span.end).unwrap());
    });
    assert_eq!(texts, ["a ", "{{x}}\n", " c"]);
}

#[test]
fn an_unclosed_block_is_reported_where_it_opens() {
    assert_eq!(error("a {{name"), ("the tag is never closed: missing `}}`".into(), "{{".into()));
    assert_eq!(error("{{{name}}").0, "the tag is never closed: missing `}}}`");
    assert_eq!(error("{{!-- x }}").0, "the tag is never closed: missing `--}}`");
    assert_eq!(error("{{#if a}}x"), ("the block `if` is never closed".into(), "{{#if a}}".into()));
    assert_eq!(error("{{#each l}}{{else if b}}x").0, "the block `each` is never closed");
    assert_eq!(error("{{{{raw}}}} x").0, "the raw block `raw` is never closed");
    assert_eq!(error("{{x \"a}}"), ("the tag is never closed: missing `}}`".into(), "{{".into()));
    assert_eq!(error("{{x (add 1 2}}").0, "the parenthesis is never closed");
}

#[test]
fn a_wrong_closing_tag_is_reported_at_its_place() {
    let (message, place) = error("{{#if a}}\nx{{/each}}");
    assert_eq!(message, "`{{/each}}` does not close the block `if`, opened one line above");
    assert_eq!(place, "{{/each}}");
    assert_eq!(error("x{{/if}}").0, "`{{/if}}` has no open block");
    assert_eq!(error("{{else}}").0, "`else` without an open block");
    assert_eq!(error("{{#if a}}{{else}}{{else}}{{/if}}").0, "a second `else` in the block `if`");
    assert_eq!(
        error("{{#if a}}{{else}}{{else if b}}{{/if}}").0,
        "a second `else` in the block `if`"
    );
}

#[test]
fn invalid_names_are_errors() {
    assert_eq!(error("{{../x}}").0, "too many `../`: no enclosing block");
    assert_eq!(error("{{#if a}}{{../x}}{{/if}}").0, "too many `../`: no enclosing block");
    assert_eq!(error("{{@index}}").0, "`@index` without an enclosing `{{#each}}`");
    assert_eq!(error("{{@foo}}").0, "unknown variable `@foo`");
    assert_eq!(error("{{this}}").0, "this expression means all inputs");
    assert_eq!(error("{{a/this}}"), ("`a/this` is not a valid name".into(), "a/this".into()));
    assert_eq!(error("{{a..b}}").0, "`a..` is not a valid name");
    let shadowed = "{{#each l as |x|}}{{../x}}{{/each}}";
    assert_eq!(error(shadowed).0, "`x` is also a name after `as` of an enclosing block");
}

#[test]
fn tags_contain_names_and_calls() {
    assert_eq!(error("{{}}").0, "the tag has no name");
    assert_eq!(error("{{a | upper}}").0, "unexpected `|`");
    assert_eq!(error("{{a + b}}").0, "unexpected `+`");
    assert_eq!(error("{{#if a == b}}{{/if}}").0, "unexpected `=`");
    assert_eq!(error("{{a.b c}}").0, "this is the name of a value, not of a helper");
    assert_eq!(error("{{if a}}").0, "the block `if` is used without `#`");
    assert_eq!(
        error("{{f a=1 b}}"),
        ("a positional argument follows a named one".into(), "b".into())
    );
    assert_eq!(error("{{#if a b}}{{/if}}").0, "the block expects 1 argument, found 2");
    assert_eq!(error("{{#eech l}}{{/eech}}").0, "unknown block `eech`");
    assert_eq!(error("{{#*inline \"x\"}}{{/inline}}").0, "decorators are not available");
    assert_eq!(error("{{x as |y|}}").0, "names after `as` are only allowed in a block");
    assert_eq!(error("{{set x 1}}").0, "`set` expects the name as a string literal");
}

#[test]
fn partials_are_parsed_and_rejected() {
    let tree = parse("{{> header}}").unwrap();
    let refused = Handlebars.refused("{{> header}}", &tree).unwrap();
    assert_eq!(refused.message, "partials are not available in a template without files");
}
