//! Tests the assembly of templates with several files: properties of every result, and rejected
//! templates.

use prompty_core::diagnostic::{SourceSpan, SourceText};
use prompty_template::assembly::{AssembledTemplate, Reason, Refusal, TemplateFile};
use prompty_template::jinja::assembly::{WhiteSpace, assemble};
use prompty_template::jinja::{Dialect, parse};
use prompty_template::walk;
use proptest::prelude::*;

/// Assembles files by name. The first is the template.
fn assembled(files: &[(&str, &str)], white_space: WhiteSpace) -> AssembledTemplate {
    let main = SourceText::new(files[0].0, files[0].1);
    let body = SourceSpan::new(0, main.text().len());
    assemble(&main, body, white_space, &mut |name| {
        let file = files.iter().find(|(known, _)| *known == name);
        let (name, text) = file.ok_or_else(|| {
            let message = format!("missing file `{name}`");
            Refusal::Missing(Reason { message, help: "write it".to_owned() })
        })?;
        let source = SourceText::new(*name, *text);
        let body = SourceSpan::new(0, source.text().len());
        Ok(TemplateFile { source, body })
    })
}

fn text(files: &[(&str, &str)]) -> String {
    let assembled = assembled(files, WhiteSpace::default());
    assert!(assembled.is_complete, "{:?}", assembled.findings);
    assembled.source.text().to_owned()
}

fn rejected(files: &[(&str, &str)]) -> String {
    let assembled = assembled(files, WhiteSpace::default());
    assert!(!assembled.is_complete, "{}", assembled.source.text());
    assert_eq!(assembled.source.text(), files[0].1, "the template is unchanged");
    let finding = &assembled.findings[0];
    let place = assembled.source.place(finding.span.unwrap().start);
    format!("{place}: {}", finding.message)
}

#[test]
fn files_that_import_each_other_too_often_are_rejected_even_if_nothing_is_written() {
    let named: Vec<(String, String)> = (0..20)
        .map(|at| {
            let import = format!("{{% import 'f{}' as x %}}", at + 1);
            (format!("f{at}"), import.repeat(3))
        })
        .chain([("f20".to_owned(), String::new())])
        .collect();
    let files: Vec<(&str, &str)> =
        named.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    assert!(rejected(&files).contains("include each other too often"));
}

#[test]
fn missing_file_names_are_counted() {
    let text: String =
        (0..300).map(|at| format!("{{% include 'f{at}' ignore missing %}}")).collect();
    assert!(rejected(&[("main", &text)]).contains("refers to more than 256 files"));
}

#[test]
fn many_names_may_be_bound_around_many_tags() {
    let bound: String = (0..3_000).map(|at| format!("{{% set a{at} = 1 %}}")).collect();
    let main = bound + &"{% include 'x' without context %}".repeat(1_000);
    assert!(text(&[("main", &main), ("x", "x")]).ends_with("x{% endwith %}"));
}

#[test]
fn names_that_files_take_from_each_other_are_limited() {
    let read: String = (0..3_000).map(|at| format!("{{{{ a{at} }}}}")).collect();
    let scope = "{% if 1 %}{% for a in [] %}{% include 'x' %}{% endfor %}{% endif %}";
    let asks = "{% import 'm' as m %}";
    let module = format!("{{% macro m() %}}{}{{% endmacro %}}", scope.repeat(1_000));
    let all_bound: String = (0..3_000).map(|at| format!("{{% set a{at} = 1 %}}")).collect();
    let module = format!("{all_bound}{module}");
    let found = rejected(&[("main", asks), ("m", &module), ("x", &read)]);
    assert!(found.contains("names together"), "{found}");
}

#[test]
fn a_name_that_a_file_cannot_see_is_reported_once() {
    let main = "{% set x = 1 %}".to_owned() + &"{% include 'f' without context %}".repeat(9);
    let found = assembled(&[("main", &main), ("f", "{{ x }}{{ x }}")], WhiteSpace::default());
    let messages: Vec<&str> = found.findings.iter().map(|it| it.message.as_str()).collect();
    let expected = "`x` is not defined in `f`, which is used without the context";
    assert_eq!(messages, [expected]);
}

#[test]
fn an_include_outside_of_a_modules_macros_is_not_written_and_needs_no_names() {
    let module = "{% include 'x' %}{{ y }}{% macro f() %}{% endmacro %}";
    let files = [("main", "{% import 'm' as p %}{{ p.f() }}"), ("m", module), ("x", "{{ z }}")];
    assert_eq!(text(&files), "{% macro f() %}{% endmacro %}{{ f() }}");
    let module = "{% macro f() %}{% include 'x' %}{% endmacro %}";
    let files = [("main", "{% import 'm' as p %}{{ p.f() }}"), ("m", module), ("x", "{{ z }}")];
    assert!(rejected(&files).starts_with("x:1:4: `z` is not defined in `m`"));
}

#[test]
fn a_template_of_one_file_is_unchanged() {
    for template in ["", "{{ x }}", "{% if %}", "{% set x = 1 %}\n{% macro m() %}{% endmacro %}"] {
        assert_eq!(text(&[("main", template)]), template);
    }
}

#[test]
fn an_included_file_has_its_own_scope_and_no_last_line_break() {
    let files = [("main", "a {%- include 'f' -%} b"), ("f", " c\n\n")];
    assert_eq!(text(&files), "a {%- with %} c\n{% endwith -%} b");
}

#[test]
fn a_role_marker_at_the_start_or_end_of_a_file_keeps_its_own_line() {
    let files = [("main", "{% include 'f' %}\nhi"), ("f", "system:\nBe kind.\nuser:\n")];
    let expected = "{% with -%}\nsystem:\nBe kind.\nuser:\n{%- endwith %}\nhi";
    assert_eq!(text(&files), expected);
}

#[test]
fn macros_keep_their_names_if_no_other_file_has_them() {
    let files =
        [("main", "{% import 'f' as f %}{{ f.m(1) }}"), ("f", "{% macro m(x) %}{% endmacro %}")];
    assert_eq!(text(&files), "{% macro m(x) %}{% endmacro %}{{ m(1) }}");
    let files = [
        ("main", "{% import 'f' as f %}{{ f.m(m) }}"),
        ("f", "{% macro m(x) %}{{ m }}{% endmacro %}"),
    ];
    assert_eq!(text(&files), "{% macro f_m(x) %}{{ f_m }}{% endmacro %}{{ f_m(m) }}");
}

#[test]
fn a_macro_is_written_after_what_it_uses() {
    let module =
        "{% macro a() %}{{ b() }}{% endmacro %}{% set s = 1 %}{% macro b() %}{{ s }}{% endmacro %}";
    let found = text(&[("main", "{% from 'f' import a %}{{ a() }}"), ("f", module)]);
    let expected = "{% set s = 1 %}{% macro b() %}{{ s }}{% endmacro %}{% macro a() %}{{ b() }}{% endmacro %}{{ a() }}";
    assert_eq!(found, expected);
}

#[test]
fn the_sign_of_an_extends_tag_removes_the_white_space_before_it() {
    let found = text(&[("main", "{% extends 'a' %}"), ("a", " \n{%- extends 'b' %}"), ("b", "x")]);
    assert_eq!(found, " \n{%- with %}{% endwith %}{% with %}{% endwith -%}\nx");
}

#[test]
fn a_name_that_a_file_reads_before_it_binds_it_is_the_callers() {
    let module = "{% set x = x %}{% macro a() %}{{ x }}{% endmacro %}";
    let main = "{% from 'f' import a with context %}{{ a() }}{{ x }}";
    let expected = "{% set x_2 = x %}{% macro a() %}{{ x_2 }}{% endmacro %}{{ a() }}{{ x }}";
    assert_eq!(text(&[("main", main), ("f", module)]), expected);
    for file in ["{{ x }}{% set x = 1 %}", "{% set x = x %}", "{% set x %}{{ x }}{% endset %}"] {
        let found = rejected(&[("main", "{% include 'f' without context %}"), ("f", file)]);
        assert!(found.contains("`x` is not defined in `f`"), "{found}");
        text(&[("main", "{% include 'f' %}"), ("f", file)]);
    }
    let known = "{% set x = 1 %}{{ x }}{% macro a() %}{{ y }}{% endmacro %}{% set y = 1 %}";
    text(&[("main", "{% include 'f' without context %}"), ("f", known)]);
}

#[test]
fn a_variable_of_a_module_stays_before_later_assignments() {
    let module = "{% set v = x %}{% set x = 1 %}{% macro a() %}{{ v }}{% endmacro %}";
    let found = text(&[("main", "{% from 'f' import a with context %}{{ a() }}"), ("f", module)]);
    assert_eq!(found, format!("{module}{{{{ a() }}}}"));
}

#[test]
fn options_remove_white_space_but_role_markers_keep_their_lines() {
    let options = WhiteSpace { trim_blocks: true, lstrip_blocks: true };
    for (template, expected) in [
        ("  {% if x %}\n  a\n  {% endif %}\nb", "{% if x %}  a\n{% endif -%}\nb"),
        ("{% if x %}\nuser:\n{% endif %}\n", "{% if x -%}\nuser:\n{% endif %}"),
        ("{% if x %}\n  user:\n{% endif %}\n", "{% if x -%}\n  user:\n{% endif %}"),
        ("{% if x +%}\n  {%+ endif %}", "{% if x +%}\n  {%+ endif %}"),
        ("{##}\n a\n  {# b #}\nc", "{##} a\n{# b -#}\nc"),
        ("  {{ x }}\n", "  {{ x }}\n"),
    ] {
        let assembled = assembled(&[("main", template)], options);
        assert_eq!(assembled.source.text(), expected);
    }
}

#[test]
fn a_block_that_no_extended_file_has_is_reported() {
    let base = "{% block rules %}{% endblock %}";
    for (main, is_reported) in [
        ("{% extends 'base' %}{% block rule %}x{% endblock %}", true),
        ("{% extends 'base' %}{% if x %}{% block rule %}x{% endblock %}{% endif %}", true),
        (
            "{% extends 'base' %}{% block rules %}{% block rule %}x{% endblock %}{% endblock %}",
            false,
        ),
        (
            "{% extends 'base' %}{% block rules %}{{ self.rule() }}{% endblock %}{% block rule %}x{% endblock %}",
            false,
        ),
        ("{% block rule %}x{% endblock %}{% extends 'base' %}", false),
    ] {
        let found = assembled(&[("main", main), ("base", base)], WhiteSpace::default());
        assert!(found.is_complete, "{main}");
        let messages: Vec<&str> = found.findings.iter().map(|it| it.message.as_str()).collect();
        let expected =
            if is_reported { vec!["the block `rule` is never rendered"] } else { vec![] };
        assert_eq!(messages, expected, "{main}");
    }
}

#[test]
fn file_names_of_windows_are_errors_on_all_systems() {
    let cases = [
        (r"{% include 'parts\\rules' %}", r"main:1:12: `parts\rules` is not a file name"),
        (r"{% include '..\\rules' %}", r"main:1:12: `..\rules` is not a file name"),
        ("{% include 'C:rules' %}", "main:1:12: `C:rules` is an absolute name"),
        (r"{% include 'C:\\rules' %}", r"main:1:12: `C:\rules` is an absolute name"),
    ];
    for (main, expected) in cases {
        assert_eq!(rejected(&[("main", main)]), expected);
    }
}

#[test]
fn an_assembly_error_is_reported_in_its_file() {
    let include = "{% include 'f' %}";
    let cases = [
        ("{% include x %}", "", "main:1:12: the name of a template's file is computed"),
        ("{% include 'g' %}", "", "main:1:12: missing file `g`"),
        ("{% include '/f' %}", "", "main:1:12: `/f` is an absolute name"),
        (
            "{% include 'a/../f' %}",
            "",
            "main:1:12: `a/../f` is outside of the folder of the templates",
        ),
        (include, "\n{% include 'f' %}", "f:2:1: `f` includes itself"),
        (include, "{% extends 'f' %}", "f:1:1: `f` extends itself"),
        (include, "{% if x %}", "f:1:1: `{% if x %}` is never closed"),
        (
            include,
            "{% block a %}{% endblock %}{% block a %}{% endblock %}",
            "f:1:37: the block `a` is defined twice",
        ),
        (include, "{{ super() }}", "f:1:1: `super()` outside of a block"),
        (
            include,
            "{% block a %}{{ super() }}{% endblock %}",
            "f:1:14: `super()` in the block `a`, which overrides no other block",
        ),
        (
            include,
            "{% block a %}{{ super() | upper }}{% endblock %}",
            "f:1:17: `super()` must be alone in an output",
        ),
        (
            include,
            "{% if x %}{% extends 'f' %}{% endif %}",
            "f:1:11: `extends` is not allowed here",
        ),
        ("{% import 'f' as f %}{{ f }}", "", "main:1:25: `f` is an imported file, not a value"),
        ("{% import 'f' as f %}{{ f.m() }}", "", "main:1:27: `f` does not define `m`"),
    ];
    for (main, file, expected) in cases {
        assert_eq!(rejected(&[("main", main), ("f", file)]), expected, "{main} {file}");
    }
}

#[test]
fn doubling_includes_are_rejected_quickly() {
    let names: Vec<String> = (0..40).map(|index| format!("f{index}")).collect();
    let texts: Vec<String> = (1..41)
        .map(|next| format!("{{% include 'f{next}' %}}{{% include 'f{next}' without context %}}"))
        .collect();
    let mut files: Vec<(&str, &str)> = vec![("main", "{% include 'f0' %}")];
    files.extend(names.iter().map(String::as_str).zip(texts.iter().map(String::as_str)));
    files.push(("f40", "x"));
    assert!(rejected(&files).contains("is nested in more than 24 files and blocks"));
    let files: Vec<(&str, &str)> =
        files[..20].iter().copied().chain([("f19", "{{ x }}")]).collect();
    let found = rejected(&files);
    assert!(found.contains("longer than 1 MiB") || found.contains("is not defined in"), "{found}");
}

/// The pieces of generated files. Every block of a piece ends in the piece.
const PARTS: [&str; 34] = [
    "text",
    " ",
    "\n",
    "user:\n",
    "{",
    "}",
    "%}",
    "{{ x }}",
    "{{- x -}}",
    "{# c #}",
    "{#- c -#}",
    "{% include 'a' %}",
    "{%- include 'b' -%}",
    "{% include 'c' without context %}",
    "{% include ['none', 'a'] %}",
    "{% include 'none' ignore missing %}",
    "{% extends 'b' %}",
    "{% extends 'c' %}",
    "{% block one %}1{{ x }}{% endblock %}",
    "{%- block two -%} {{ super() }} {%- endblock two -%}",
    "{% block one %}{% block two %}{% endblock %}{% endblock %}",
    "{% for x in xs %}{% block three scoped %}{{ x }}{% endblock %}{% endfor %}",
    "{{ self.one() }}",
    "{% import 'c' as m %}{{ m.f(x) }}",
    "{% from 'c' import f as g with context %}{{ g(x) }}",
    "{% macro f(y) -%} {{ y }} {%- endmacro %}",
    "{% macro g(y) %}{{ f(y) }}{% endmacro %}",
    "{% set x = 'set' %}",
    "{%- set t -%} {{ x }} {%- endset -%}",
    "{% if x %}\n{% set z = 1 %}{% endif %}\n",
    "{% for y in xs %}{% include 'a' %}{% endfor %}",
    "{% raw %}\n {{ y }} {% endraw %}\n",
    "{% with y = x %}{% block four %}{{ y }}{% endblock %}{% endwith %}",
    "  {%+ if x +%}\n  {% endif %}\n",
];

fn file() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PARTS.to_vec()), 0..6).prop_map(|it| it.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]
    #[test]
    fn an_assembled_template_is_valid_and_its_places_are_in_the_files(
        main in file(), a in file(), b in file(), c in file(),
        trim_blocks in any::<bool>(), lstrip_blocks in any::<bool>(),
    ) {
        let files = [("main", &*main), ("a", &*a), ("b", &*b), ("c", &*c)];
        let found = assembled(&files, WhiteSpace { trim_blocks, lstrip_blocks });
        for finding in &found.findings {
            let (source, span) = found.source.origin(finding.span.unwrap());
            prop_assert!(source.text().get(span.start..span.end).is_some());
            prop_assert!(files.iter().any(|(name, _)| *name == source.name()));
        }
        if !found.is_complete {
            prop_assert!(!found.findings.is_empty());
            prop_assert_eq!(found.source.text(), &*main);
            return Ok(());
        }
        let text = found.source.text();
        if parse(&main, &Dialect::PROMPT).is_err() {
            prop_assert_eq!(text, &*main);
            return Ok(());
        }
        let template = parse(text, &Dialect::PROMPT).map_err(|it| TestCaseError::fail(format!("{it:?} {text}")))?;
        prop_assert!(walk::first_unsupported(&template.nodes).is_none());
        for (at, character) in text.char_indices() {
            let (source, span) = found.source.origin(SourceSpan::new(at, at + character.len_utf8()));
            prop_assert!(source.text().get(span.start..span.end).is_some());
        }
    }
}
