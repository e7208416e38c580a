//! The methods, filters and functions of templates that were written for Python, compared with
//! Jinja2 3.1. Booleans print by the rules of prompts.

use prompty_core::value::{Map, Value};
use prompty_core::{Error, ErrorKind};
use prompty_runtime::render::PipelineBuilder;

fn render(expression: &str) -> Result<String, Error> {
    let template = format!("{{{{ {expression} }}}}");
    let words = Value::from(vec![Value::from("a"), Value::from("b"), Value::from("b")]);
    let inputs = Map::from([("text", Value::from("Grüße")), ("words", words)]);
    Ok(PipelineBuilder::from_text("test", template.as_str()).build()?.render(inputs)?.plain_text())
}

#[track_caller]
fn prints(expression: &str, expected: &str) {
    assert_eq!(render(expression).unwrap(), expected, "{expression}");
}

#[track_caller]
fn fails(expression: &str, part: &str) {
    let error = render(expression).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Render, "{expression}");
    assert!(error.to_string().contains(part), "{expression}: {error}");
}

#[test]
fn strings_have_the_methods_of_python() {
    prints("text.upper()", "GRÜSSE");
    prints("text.lower()", "grüße");
    prints("text.casefold()", "grüsse");
    prints("text.capitalize()", "Grüße");
    prints(r#""o'neill AND son".title()"#, "O'Neill And Son");
    prints(r#""aBcé".swapcase()"#, "AbCÉ");
    prints(r#""[" ~ "  a b ".strip() ~ "]""#, "[a b]");
    prints(r#""[" ~ "  a b ".lstrip() ~ "]""#, "[a b ]");
    prints(r#""[" ~ "  a b ".rstrip() ~ "]""#, "[  a b]");
    prints(r#""--a-b--".strip("-")"#, "a-b");
    prints(r#""éaé".lstrip("é")"#, "aé");
    prints(r#""a.b.c".split(".") | join("|")"#, "a|b|c");
    prints(r#""a.b.c".split(".", 1) | join("|")"#, "a|b.c");
    prints(r#""a.b.c".rsplit(".", 1) | join("|")"#, "a.b|c");
    prints(r#""a.b.c".rsplit(".", maxsplit=1) | join("|")"#, "a.b|c");
    prints(r#"" a  b c ".split() | join("|")"#, "a|b|c");
    prints(r#"" a  b c ".split(None, 1) | join("|")"#, "a|b c ");
    prints(r#"" a  b c ".rsplit(None, 1) | join("|")"#, " a  b|c");
    prints(r#""a\nb\r\nc\n".splitlines() | join("|")"#, "a|b|c");
    prints(r#""a\nb".splitlines(true) | join("|")"#, "a\n|b");
    prints(r#""a\nb".splitlines(keepends=true) | length"#, "2");
    prints(r#""a=b=c".partition("=") | join("|")"#, "a|=|b=c");
    prints(r#""a=b=c".rpartition("=") | join("|")"#, "a=b|=|c");
    prints(r#""abc".rpartition("=") | join("|")"#, "||abc");
    prints(r#""aXbX".replace("X", "-")"#, "a-b-");
    prints(r#""aXbX".replace("X", "-", 1)"#, "a-bX");
    prints(r#""ab".replace("", "-")"#, "-a-b-");
    prints(r#"text.startswith("Gr")"#, "true");
    prints(r#"text.endswith(("x", "ße"))"#, "true");
    prints(r#"text.startswith("ü", 2)"#, "true");
    prints(r#"text.endswith("ü", 0, 3)"#, "true");
    prints(r#"text.endswith("", 4)"#, "true");
    prints(r#"text.startswith("", 5)"#, "false");
    prints(r#"text.startswith("", 2, 1)"#, "false");
    prints(r#"text.find("ß")"#, "3");
    prints(r#"text.find("x")"#, "-1");
    prints(r#"text.rfind("r")"#, "1");
    prints(r#""abab".rindex("b")"#, "3");
    prints(r#""banana".count("an")"#, "2");
    prints(r#"", ".join(words)"#, "a, b, b");
    prints(r#""-".join("abc")"#, "a-b-c");
    prints(r#""[" ~ "ab".center(5) ~ "]""#, "[  ab ]");
    prints(r#""[" ~ "ab".center(5, "*") ~ "]""#, "[**ab*]");
    prints(r#""[" ~ "ab".ljust(5) ~ "]""#, "[ab   ]");
    prints(r#""[" ~ "ab".rjust(5, "é") ~ "]""#, "[éééab]");
    prints(r#""-7".zfill(4)"#, "-007");
    prints(r#""a\tb".expandtabs(4)"#, "a   b");
    prints(r#""test.py".removesuffix(".py")"#, "test");
    prints(r#""test.py".removeprefix("test")"#, ".py");
    prints(r#""12".isdigit()"#, "true");
    prints(r#""a1".isalnum()"#, "true");
    prints(r#""".isalpha()"#, "false");
    prints(r#""AB".isupper()"#, "true");
    prints(r#""Ab Cd".istitle()"#, "true");
    prints(r#"" ".isspace()"#, "true");
    prints(r#""a_1".isidentifier()"#, "true");
}

#[test]
fn lists_and_maps_have_the_methods_without_side_effects() {
    prints(r#"words.count("b")"#, "2");
    prints(r#"words.index("b")"#, "1");
    prints(r#"{"a": 1}.get("a")"#, "1");
    prints(r#"{"a": 1}.get("b", 2)"#, "2");
    prints(r#"{"a": 1, "b": 2}.keys() | join(",")"#, "a,b");
    prints(r#"{"a": 1, "b": 2}.values() | join(",")"#, "1,2");
    prints(r#"{"a": 1, "b": 2}.items() | map("first") | join(",")"#, "a,b");
    prints(r#"[{"a": 1}, {"a": 2}] | map(attribute="a") | join(",")"#, "1,2");
}

#[test]
fn filters_and_functions_print_like_jinja2() {
    prints(r#""one two three four" | truncate(9)"#, "one...");
    prints(r#""one two three four" | truncate(11, leeway=0)"#, "one two...");
    prints(r#""one two three four" | truncate(11, true, leeway=0)"#, "one two ...");
    prints(r#""one two three four" | truncate(length=11, end="…", leeway=0)"#, "one two…");
    prints(r#""one two" | truncate(5)"#, "one two");
    prints(r#""onetwothree" | truncate(5, leeway=0)"#, "on...");
    prints(
        r#"{"a": [1, "é"], "b": {}} | tojson(indent=2)"#,
        "{\n  \"a\": [\n    1,\n    \"é\"\n  ],\n  \"b\": {}\n}",
    );
    prints(r#"{"a": [1]} | tojson(4)"#, "{\n    \"a\": [\n        1\n    ]\n}");
    prints(r#"zip(["a", "b"], [1, 2, 3]) | map("join", "=") | join(",")"#, "a=1,b=2");
    prints(r#"zip("ab", "cd") | map("join") | join(",")"#, "ac,bd");
    prints(r#"zip(["a"]) | map("first") | join"#, "a");
    fails("zip(5)", "`zip` expects lists, found an integer");
    fails("text | truncate('a')", "filter `truncate` expects an integer");
}

#[test]
fn a_failing_method_is_an_error_that_names_it() {
    fails("text.index('x')", "method `index` did not find the substring");
    fails("words.index('x')", "method `index` did not find the value in the list");
    fails("text.split('')", "method `split` expects a separator that is not empty");
    fails("text.replace('a', 1)", "method `replace` expects a string");
    fails("text.center('a')", "method `center` expects an integer");
    fails("text.center(9, 'ab')", "method `center` expects a single fill character");
    fails("text.split(by='x')", "unknown argument `by` of `split`");
    fails("text.upper(1)", "method `upper` takes no arguments, but the call has 1");
    fails("text.encode()", "string has no method named encode");
    fails("words.append(1)", "sequence has no method named append");
}

#[test]
fn loops_and_namespaces_have_no_methods() {
    let text = "(namespace(a=1)).items()";
    fails(text, "has no method named items");
}

#[test]
fn a_method_cannot_fill_memory() {
    let error = render("text.center(99999999999)").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    let error = render("('\\t' * 9).expandtabs(9999999999)").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
}

#[test]
fn format_strings_work_as_in_python() {
    prints("'%#06x %.0e %g %05s' | format(255, 9.5, 999999.5, 'ab')", "0x00ff 1e+01 1e+06    ab");
    prints(
        "'{:05} {:010,} {:_x} {:.0%}'.format('ab', 1234, 1048575, 0.125)",
        "ab000 00,001,234 f_ffff 12%",
    );
    prints("'{:{}} {:>{width}}|'.format('a', 3, 'b', width=2)", "a    b|");
    prints("'{:d} {:5} {}'.format(true, true, true)", "1     1 true");
    prints(
        "'{} {!r} {!s:>4} {:>6}|'.format(words, 'a', 2.0, [1])",
        "[\"a\", \"b\", \"b\"] \"a\"    2    [1]|",
    );
}

#[test]
fn an_invalid_format_string_is_an_error_with_the_reason() {
    fails("('100' ~ '%') | format(5)", "`%` without a kind in a format string");
    fails("('%' ~ 'y') | format(5)", "unknown kind `y` in a format string");
    fails("('%' ~ '*d') | format(5, 3)", "`*` is not supported as a width");
    fails("('{:9' ~ '9999d}').format(5)", "width or precision above 10000");
    fails("('{:,' ~ '}').format('a')", "the option `,` is not supported for this value");
    fails("('{} {' ~ '0}').format(1, 2)", "`{}` and `{0}` in the same format string");
    fails("('{!' ~ 'x}').format(1)", "unknown conversion `!x` in a format string");
    fails("('{:d' ~ '}').format('a')", "the kind `d` expects a number");
    fails("('%' ~ 'x') | format(1.5)", "the kind `x` expects an integer");
    fails("('{:{:{}}' ~ '}').format(1, 2, 3)", "nested too deeply");
}
