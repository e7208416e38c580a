//! What people bring from other languages and template engines, and what they write here instead. One
//! row is one habit; the parser and the checker look here for the help of their messages.

/// A habit: what is written elsewhere, and the cure.
struct Habit {
    written: &'static str,
    /// The help. `{x}` stands for the value to which the habit is applied.
    cure: &'static str,
}

const fn habit(written: &'static str, cure: &'static str) -> Habit {
    Habit { written, cure }
}

/// Functions: `len(x)`.
const FUNCTIONS: &[Habit] = &[
    habit("len", "write `{x} | length`"),
    habit("size", "write `{x} | length`"),
    habit("count", "write `{x} | length`"),
    habit("str", "write `{x} | string`; what is printed is a text anyway"),
    habit("to_string", "write `{x} | string`; what is printed is a text anyway"),
    habit("repr", "write `{x} | tojson`"),
    habit("print", "what stands between `{{` and `}}` is printed: `{{ {x} }}`"),
    habit("println", "what stands between `{{` and `}}` is printed: `{{ {x} }}`"),
    habit("echo", "what stands between `{{` and `}}` is printed: `{{ {x} }}`"),
    habit("enumerate", "loop over `{x}` itself: `loop.index` counts from 1, `loop.index0` from 0"),
    habit("sorted", "write `{x} | sort`"),
    habit("reversed", "write `{x} | reverse`"),
    habit("any", "ask the items in a loop, or write `{x} | select | list`"),
    habit("all", "ask the items in a loop, or compare `{x} | select | list | length`"),
    habit("filter", "write `{x} | selectattr(\"name\")` or `{% for item in {x} if condition %}`"),
    habit("type", "ask with a test: `{x} is string`, `{x} is number`"),
    habit("typeof", "ask with a test: `{x} is string`, `{x} is number`"),
    habit("isinstance", "ask with a test: `{x} is string`, `{x} is number`"),
    habit("defined", "write `{x} is defined`"),
    habit("isset", "write `{x} is defined`"),
    habit("empty", "write `not {x}`"),
    habit("Some", "a value stands for itself, and a missing one is `none`"),
    habit("vec", "a list is written `[a, b]`"),
    habit("set", "write `{x} | unique`"),
    habit("include", "it is a tag: `{% include {x} %}`"),
    habit("import", "it is a tag: `{% import {x} as name %}`"),
    habit("extends", "it is a tag, at the start of the file: `{% extends {x} %}`"),
    habit("now", "a template does not know the time: make it an input"),
    habit("today", "a template does not know the time: make it an input"),
    habit("date", "a template does not know the time: make it an input"),
];

/// Methods: `x.len()`.
const METHODS: &[Habit] = &[
    habit("len", "write `{x} | length`"),
    habit("length", "write `{x} | length`"),
    habit("size", "write `{x} | length`"),
    habit("is_empty", "write `not {x}`: what is empty is false"),
    habit("isEmpty", "write `not {x}`: what is empty is false"),
    habit("is_some", "write `{x} is not none`, or as a condition `{% if {x} %}`"),
    habit("is_none", "write `{x} is none`, or as a condition `{% if not {x} %}`"),
    habit("is_ok", "write `{x} is not none`, or as a condition `{% if {x} %}`"),
    habit("unwrap", "guard it with `{% if {x} %}`, or write `{x} | default(\"\")`"),
    habit("expect", "guard it with `{% if {x} %}`, or write `{x} | default(\"\")`"),
    habit("unwrap_or", "write `{x} | default(...)`"),
    habit("unwrap_or_else", "write `{x} | default(...)`"),
    habit("unwrap_or_default", "write `{x} | default(\"\")`"),
    habit("or", "write `{x} or ...`"),
    habit("map_or", "write `... if {x} else ...`"),
    habit("iter", "loop over `{x}` itself: `{% for item in {x} %}`"),
    habit("into_iter", "loop over `{x}` itself: `{% for item in {x} %}`"),
    habit("iter_mut", "loop over `{x}` itself: `{% for item in {x} %}`"),
    habit("forEach", "loop over it: `{% for item in {x} %}`"),
    habit("enumerate", "loop over `{x}`: `loop.index` counts from 1, `loop.index0` from 0"),
    habit("map", "write `{x} | map(attribute=\"name\")`, or `{% for item in {x} %}`"),
    habit("filter", "write `{x} | selectattr(\"name\")`, or `{% for item in {x} if condition %}`"),
    habit("collect", "leave it out: `{x}` is a list"),
    habit("rev", "write `{x} | reverse`"),
    habit("sum", "write `{x} | sum`"),
    habit("take", "write `{x}[:n]`"),
    habit("skip", "write `{x}[n:]`"),
    habit("substring", "write `{x}[start:end]`"),
    habit("slice", "write `{x}[start:end]`"),
    habit("to_string", "leave it out: `{x}` prints as it is"),
    habit("toString", "leave it out: `{x}` prints as it is"),
    habit("to_owned", "leave it out: `{x}` is used as it is"),
    habit("clone", "leave it out: `{x}` is used as it is"),
    habit("as_str", "leave it out: `{x}` is used as it is"),
    habit("as_ref", "leave it out: `{x}` is used as it is"),
    habit("as_deref", "leave it out: `{x}` is used as it is"),
    habit("into", "leave it out: `{x}` is used as it is"),
    habit("to_uppercase", "write `{x} | upper`"),
    habit("toUpperCase", "write `{x} | upper`"),
    habit("to_lowercase", "write `{x} | lower`"),
    habit("toLowerCase", "write `{x} | lower`"),
    habit("trim", "write `{x} | trim`"),
    habit("contains", "write `... in {x}`"),
    habit("includes", "write `... in {x}`"),
    habit("has", "write `... in {x}`"),
    habit("starts_with", "write `{x} is startingwith(...)`"),
    habit("startsWith", "write `{x} is startingwith(...)`"),
    habit("ends_with", "write `{x} is endingwith(...)`"),
    habit("endsWith", "write `{x} is endingwith(...)`"),
    habit("lines", "write `{x} | lines`"),
    habit("first", "write `{x} | first`"),
    habit("last", "write `{x} | last`"),
    habit("round", "write `{x} | round`"),
    habit("toFixed", "write `{x} | round(...)`"),
    habit("abs", "write `{x} | abs`"),
    habit("push", "values cannot be changed; `set` binds a new one"),
];

/// Operators and brackets, by what the text at the place begins with; the longest first.
const SYNTAX: &[Habit] = &[
    habit("===", "write `==`"),
    habit("!==", "write `!=`"),
    habit("&&", "write `and`"),
    habit("||", "write `or`"),
    habit("??", "write `a or b`, or `a | default(b)`"),
    habit("?.", "write `.`, and guard what may be missing: `{% if x %}`"),
    habit("::", "write `.`: `user.name`"),
    habit("..=", "write `range(start, end + 1)`"),
    habit("..", "write `range(start, end)`; a part of a list is `list[start:end]`"),
    habit("=>", "a template has no functions of its own but `{% macro %}`"),
    habit("->", "write `.`: `user.name`"),
    habit("++", "write `{% set n = n + 1 %}`"),
    habit("+=", "write `{% set n = n + value %}`"),
    habit("<>", "write `!=`"),
    habit("!", "write `not`"),
    habit("?", "write `a if condition else b`"),
];

/// What other engines write behind `{{`: `{{#if x}}`.
const BLOCKS: &[Habit] = &[
    habit("#if", "write `{% if x %}...{% endif %}`"),
    habit("#unless", "write `{% if not x %}...{% endif %}`"),
    habit("#each", "write `{% for item in list %}...{% endfor %}`"),
    habit("#with", "write `{% with name = value %}...{% endwith %}`"),
    habit("#", "write `{% if x %}...{% endif %}` or `{% for item in x %}...{% endfor %}`"),
    habit("^", "write `{% if not x %}...{% endif %}`"),
    habit("/if", "write `{% endif %}`"),
    habit("/each", "write `{% endfor %}`"),
    habit("/", "write `{% endif %}` or `{% endfor %}`"),
    habit("else", "write `{% else %}`"),
    habit(">", "write `{% include %}`, where there are other files"),
    habit("!", "comments are written `{# ... #}`"),
    habit(
        "$",
        "write the name alone: `{{ x }}`; Semantic Kernel's language is the format `semantic-kernel`",
    ),
];

fn cure(table: &[Habit], written: &str, x: &str) -> Option<String> {
    let habit = table.iter().find(|habit| habit.written == written)?;
    Some(habit.cure.replace("{x}", x))
}

/// The cure for a function of another language. `x` is its first argument.
pub fn function(name: &str, x: &str) -> Option<String> {
    cure(FUNCTIONS, name, x)
}

/// The cure for a method of another language. `x` is its value.
pub fn method(name: &str, x: &str) -> Option<String> {
    cure(METHODS, name, x)
}

/// The operator of another language with which a text begins, and its cure.
pub(super) fn operator(text: &str) -> Option<(&'static str, &'static str)> {
    beginning(SYNTAX, text)
}

/// What another engine writes behind `{{`, with which a text begins, and its cure.
pub(super) fn block(text: &str) -> Option<(&'static str, &'static str)> {
    beginning(BLOCKS, text)
}

fn beginning(table: &[Habit], text: &str) -> Option<(&'static str, &'static str)> {
    let habit = table.iter().find(|habit| text.starts_with(habit.written))?;
    Some((habit.written, habit.cure))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_row_hides_behind_a_shorter_one() {
        for table in [SYNTAX, BLOCKS] {
            for (index, habit) in table.iter().enumerate() {
                let mut before = table.iter().take(index);
                let hidden = before.find(|earlier| habit.written.starts_with(earlier.written));
                assert!(hidden.is_none(), "{}", habit.written);
            }
        }
    }

    #[test]
    fn each_name_stands_once() {
        for table in [FUNCTIONS, METHODS] {
            for (index, habit) in table.iter().enumerate() {
                let twice = table.iter().skip(index + 1).any(|it| it.written == habit.written);
                assert!(!twice, "{}", habit.written);
            }
        }
    }

    #[test]
    fn the_cure_names_the_value() {
        assert_eq!(function("len", "xs").as_deref(), Some("write `xs | length`"));
        assert_eq!(
            method("is_some", "note").as_deref(),
            Some("write `note is not none`, or as a condition `{% if note %}`")
        );
    }
}
