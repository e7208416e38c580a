//! Help texts for syntax of other languages and template engines. The checker looks up functions
//! and methods by their names. The parser, at a syntax error, looks for an operator or a tag at the
//! beginning of the text from the error on.

/// Syntax of another language, with a help text that names the equivalent in Jinja.
struct ForeignSyntax {
    source: &'static str,
    /// The help text. In the tables of functions and methods, `{x}` is replaced with the value to
    /// which the syntax is applied.
    help: &'static str,
}

const fn entry(source: &'static str, help: &'static str) -> ForeignSyntax {
    ForeignSyntax { source, help }
}

/// Functions: `len(x)`.
const FUNCTIONS: &[ForeignSyntax] = &[
    entry("len", "write `{x} | length`"),
    entry("size", "write `{x} | length`"),
    entry("count", "write `{x} | length`"),
    entry("str", "write `{x} | string`; an output is converted to a string anyway"),
    entry("to_string", "write `{x} | string`; an output is converted to a string anyway"),
    entry("repr", "write `{x} | tojson`"),
    entry("print", "write the value as an output: `{{ {x} }}`"),
    entry("println", "write the value as an output: `{{ {x} }}`"),
    entry("echo", "write the value as an output: `{{ {x} }}`"),
    entry("enumerate", "loop over `{x}` itself; `loop.index` counts from 1, `loop.index0` from 0"),
    entry("sorted", "write `{x} | sort`"),
    entry("reversed", "write `{x} | reverse`"),
    entry("any", "check the items in a loop, or write `{x} | select | list`"),
    entry("all", "check the items in a loop, or compare `{x} | select | list | length`"),
    entry("filter", "write `{x} | selectattr(\"name\")` or `{% for item in {x} if condition %}`"),
    entry("type", "use a test: `{x} is string`, `{x} is number`"),
    entry("typeof", "use a test: `{x} is string`, `{x} is number`"),
    entry("isinstance", "use a test: `{x} is string`, `{x} is number`"),
    entry("defined", "write `{x} is defined`"),
    entry("isset", "write `{x} is defined`"),
    entry("empty", "write `not {x}`"),
    entry("Some", "write the value itself; a missing value is `none`"),
    entry("vec", "write a list as `[a, b]`"),
    entry("set", "write `{x} | unique`"),
    entry("include", "use the tag `{% include {x} %}`"),
    entry("import", "use the tag `{% import {x} as name %}`"),
    entry("extends", "use the tag `{% extends {x} %}` at the start of the file"),
    entry("now", "pass the time as an input"),
    entry("today", "pass the time as an input"),
    entry("date", "pass the time as an input"),
];

/// Methods: `x.len()`.
const METHODS: &[ForeignSyntax] = &[
    entry("len", "write `{x} | length`"),
    entry("length", "write `{x} | length`"),
    entry("size", "write `{x} | length`"),
    entry("is_empty", "write `not {x}`; an empty value is false"),
    entry("isEmpty", "write `not {x}`; an empty value is false"),
    entry("is_some", "write `{x} is not none`, or as a condition `{% if {x} %}`"),
    entry("is_none", "write `{x} is none`, or as a condition `{% if not {x} %}`"),
    entry("is_ok", "write `{x} is not none`, or as a condition `{% if {x} %}`"),
    entry("unwrap", "guard it with `{% if {x} %}`, or write `{x} | default(\"\")`"),
    entry("expect", "guard it with `{% if {x} %}`, or write `{x} | default(\"\")`"),
    entry("unwrap_or", "write `{x} | default(...)`"),
    entry("unwrap_or_else", "write `{x} | default(...)`"),
    entry("unwrap_or_default", "write `{x} | default(\"\")`"),
    entry("or", "write `{x} or ...`"),
    entry("map_or", "write `... if {x} else ...`"),
    entry("iter", "loop over `{x}` itself: `{% for item in {x} %}`"),
    entry("into_iter", "loop over `{x}` itself: `{% for item in {x} %}`"),
    entry("iter_mut", "loop over `{x}` itself: `{% for item in {x} %}`"),
    entry("forEach", "loop over it: `{% for item in {x} %}`"),
    entry("enumerate", "loop over `{x}`; `loop.index` counts from 1, `loop.index0` from 0"),
    entry("map", "write `{x} | map(attribute=\"name\")`, or `{% for item in {x} %}`"),
    entry("filter", "write `{x} | selectattr(\"name\")`, or `{% for item in {x} if condition %}`"),
    entry("collect", "remove it; `{x}` is a list"),
    entry("rev", "write `{x} | reverse`"),
    entry("sum", "write `{x} | sum`"),
    entry("take", "write `{x}[:n]`"),
    entry("skip", "write `{x}[n:]`"),
    entry("substring", "write `{x}[start:end]`"),
    entry("slice", "write `{x}[start:end]`"),
    entry("to_string", "remove it; an output is converted to a string anyway"),
    entry("toString", "remove it; an output is converted to a string anyway"),
    entry("to_owned", "remove it; `{x}` needs no conversion"),
    entry("clone", "remove it; `{x}` needs no conversion"),
    entry("as_str", "remove it; `{x}` needs no conversion"),
    entry("as_ref", "remove it; `{x}` needs no conversion"),
    entry("as_deref", "remove it; `{x}` needs no conversion"),
    entry("into", "remove it; `{x}` needs no conversion"),
    entry("to_uppercase", "write `{x} | upper`"),
    entry("toUpperCase", "write `{x} | upper`"),
    entry("to_lowercase", "write `{x} | lower`"),
    entry("toLowerCase", "write `{x} | lower`"),
    entry("trim", "write `{x} | trim`"),
    entry("contains", "write `... in {x}`"),
    entry("includes", "write `... in {x}`"),
    entry("has", "write `... in {x}`"),
    entry("starts_with", "write `{x} is startingwith(...)`"),
    entry("startsWith", "write `{x} is startingwith(...)`"),
    entry("ends_with", "write `{x} is endingwith(...)`"),
    entry("endsWith", "write `{x} is endingwith(...)`"),
    entry("lines", "write `{x} | lines`"),
    entry("first", "write `{x} | first`"),
    entry("last", "write `{x} | last`"),
    entry("round", "write `{x} | round`"),
    entry("toFixed", "write `{x} | round(...)`"),
    entry("abs", "write `{x} | abs`"),
    entry("push", "values cannot be changed: bind a new value with `set`"),
];

/// Operators. A longer one is before its own prefix: `..=` before `..`.
const OPERATORS: &[ForeignSyntax] = &[
    entry("===", "write `==`"),
    entry("!==", "write `!=`"),
    entry("&&", "write `and`"),
    entry("||", "write `or`"),
    entry("??", "write `a or b`, or `a | default(b)`"),
    entry("?.", "write `.`, and guard a value that may be missing: `{% if x %}`"),
    entry("::", "write `.`: `user.name`"),
    entry("..=", "write `range(start, end + 1)`"),
    entry("..", "write `range(start, end)`, or `list[start:end]` for a part of a list"),
    entry("=>", "write a `{% macro %}`; a template has no other functions"),
    entry("->", "write `.`: `user.name`"),
    entry("++", "write `{% set n = n + 1 %}`"),
    entry("+=", "write `{% set n = n + value %}`"),
    entry("<>", "write `!=`"),
    entry("!", "write `not`"),
    entry("?", "write `a if condition else b`"),
];

/// The beginnings of other template engines' tags, as they are written after `{{`: `{{#if x}}`.
/// They are ordered like the operators.
const TAGS: &[ForeignSyntax] = &[
    entry("#if", "write `{% if x %}...{% endif %}`"),
    entry("#unless", "write `{% if not x %}...{% endif %}`"),
    entry("#each", "write `{% for item in list %}...{% endfor %}`"),
    entry("#with", "write `{% with name = value %}...{% endwith %}`"),
    entry("#", "write `{% if x %}...{% endif %}` or `{% for item in x %}...{% endfor %}`"),
    entry("^", "write `{% if not x %}...{% endif %}`"),
    entry("/if", "write `{% endif %}`"),
    entry("/each", "write `{% endfor %}`"),
    entry("/", "write `{% endif %}` or `{% endfor %}`"),
    entry("else", "write `{% else %}`"),
    entry(">", "write `{% include %}`, if there are other files"),
    entry("!", "write a comment as `{# ... #}`"),
    entry(
        "$",
        "write the name alone: `{{ x }}`; for Semantic Kernel, set the format `semantic-kernel`",
    ),
];

fn find_help(table: &[ForeignSyntax], name: &str, value: &str) -> Option<String> {
    let found = table.iter().find(|entry| entry.source == name)?;
    Some(found.help.replace("{x}", value))
}

/// Returns the help text for a function of another language. `argument` is its first argument.
pub fn function_help(name: &str, argument: &str) -> Option<String> {
    find_help(FUNCTIONS, name, argument)
}

/// Returns the help text for a method of another language. `value` is the value with the method.
pub fn method_help(name: &str, value: &str) -> Option<String> {
    find_help(METHODS, name, value)
}

/// Returns the foreign operator at the beginning of a text, with its help text.
pub(super) fn find_operator(text: &str) -> Option<(&'static str, &'static str)> {
    find_prefix(OPERATORS, text)
}

/// Returns the beginning of a foreign tag in the text after a `{{`, with its help text.
pub(super) fn find_tag(text: &str) -> Option<(&'static str, &'static str)> {
    find_prefix(TAGS, text)
}

fn find_prefix(table: &[ForeignSyntax], text: &str) -> Option<(&'static str, &'static str)> {
    let found = table.iter().find(|entry| text.starts_with(entry.source))?;
    Some((found.source, found.help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_entry_comes_after_its_own_prefix() {
        for table in [OPERATORS, TAGS] {
            for (index, entry) in table.iter().enumerate() {
                let mut before = table.iter().take(index);
                let hidden = before.find(|earlier| entry.source.starts_with(earlier.source));
                assert!(hidden.is_none(), "{}", entry.source);
            }
        }
    }

    #[test]
    fn each_name_occurs_once() {
        for table in [FUNCTIONS, METHODS] {
            for (index, entry) in table.iter().enumerate() {
                let twice = table.iter().skip(index + 1).any(|it| it.source == entry.source);
                assert!(!twice, "{}", entry.source);
            }
        }
    }

    #[test]
    fn the_help_contains_the_value() {
        assert_eq!(function_help("len", "xs").as_deref(), Some("write `xs | length`"));
        assert_eq!(
            method_help("is_some", "note").as_deref(),
            Some("write `note is not none`, or as a condition `{% if note %}`")
        );
    }
}
