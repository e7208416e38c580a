//! The work of assembling files is linear in the length of the files and of the result.

use prompty_core::diagnostic::{SourceSpan, SourceText};
use prompty_template::assembly::{Reason, Refusal, TemplateFile};
use prompty_template::jinja::assembly::{WhiteSpace, assemble};
use work_counting::{Work, assert_linear, count_work};

/// The work of assembling files. The first file is the template.
fn work(files: &[(String, String)], is_complete: bool) -> Work {
    let source = |(name, text): &(String, String)| SourceText::new(name.as_str(), text.as_str());
    let main = source(&files[0]);
    let body = SourceSpan::new(0, main.text().len());
    let (found, work) = count_work(|| {
        assemble(&main, body, WhiteSpace::default(), &mut |name| {
            let file = files.iter().find(|(known, _)| known == name);
            let source = source(file.ok_or_else(|| {
                let message = format!("file `{name}` not found");
                Refusal::Missing(Reason { message, help: "create it".to_owned() })
            })?);
            let body = SourceSpan::new(0, source.text().len());
            Ok(TemplateFile { source, body })
        })
    });
    assert_eq!(found.is_complete, is_complete, "{:?}", found.findings.first());
    work
}

/// A name of a file with its text.
fn file(name: &str, text: String) -> (String, String) {
    (name.to_owned(), text)
}

/// Concatenates a text for each number below `count`. All numbers in names have four digits, so the
/// length is proportional to `count`.
fn each(count: usize, text: impl Fn(usize) -> String) -> String {
    (0..count).map(text).collect()
}

#[test]
fn many_includes_of_one_file_take_linear_work() {
    assert_linear("including", 50, |count| {
        let main = each(count, |at| format!("{{% set a{at:04} = {at:04} %}}{{% include 'x' %}}"));
        work(&[file("main", main), file("x", "{{ a0000 }}".to_owned())], true)
    });
}

#[test]
fn many_imports_of_one_module_under_different_names_take_linear_work() {
    assert_linear("importing", 50, |count| {
        let main =
            each(count, |at| format!("{{% import 'x' as m{at:04} %}}{{{{ m{at:04}.f() }}}}"));
        work(&[file("main", main), file("x", "{% macro f() %}{% endmacro %}".to_owned())], true)
    });
}

#[test]
fn many_imports_of_one_module_under_one_name_take_linear_work() {
    assert_linear("importing again", 50, |count| {
        let main = each(count, |_| "{% import 'x' as m %}{{ m.f() }}".to_owned());
        work(&[file("main", main), file("x", "{% macro f() %}{% endmacro %}".to_owned())], true)
    });
}

#[test]
fn many_macros_of_one_module_take_linear_work() {
    assert_linear("a module", 50, |count| {
        let macros =
            each(count, |at| format!("{{% macro f{at:04}() %}}{{{{ g }}}}{{% endmacro %}}"));
        let main = "{% set g = 1 %}{% import 'x' as m with context %}".to_owned()
            + &each(count, |at| format!("{{{{ m.f{at:04}() }}}}"));
        work(&[file("main", main), file("x", macros)], true)
    });
}

#[test]
fn many_blocks_take_linear_work() {
    assert_linear("blocks", 50, |count| {
        let blocks = |text: &str| {
            each(count, |at| format!("{{% block b{at:04} %}}{text}{{{{ x }}}}{{% endblock %}}"))
        };
        let main = "{% extends 'x' %}".to_owned() + &blocks("{{ super() }}");
        let base = format!("{{% for y in z %}}{}{{% endfor %}}", blocks("b"));
        work(&[file("main", main), file("x", base)], true)
    });
}

#[test]
fn many_unknown_names_of_a_file_take_linear_work() {
    assert_linear("unknown names", 50, |count| {
        let main = each(count, |_| "{% include 'x' without context %}".to_owned());
        let read = each(count, |at| format!("{{{{ a{at:04} }}}}"));
        work(&[file("main", main), file("x", read)], false)
    });
}

#[test]
fn many_names_of_nested_includes_take_linear_work() {
    assert_linear("names of included files", 50, |count| {
        let tag = |from: usize| format!("{{% include 'x{from}' %}}");
        let read = |from: usize| each(count, |at| format!("{{{{ a{at:04}_{from}() }}}}"));
        let mut files = vec![file("main", "{% include 'x0' without context %}".to_owned())];
        files.extend((0..9).map(|at| (format!("x{at}"), tag(at + 1) + &read(at))));
        files.push(file("x9", read(9)));
        work(&files, true)
    });
}

#[test]
fn many_unknown_names_of_a_module_take_linear_work() {
    assert_linear("parts of a module", 400, |count| {
        let main = each(count, |at| format!("{{{{ m.g{at:04} }}}}"));
        let module = each(count, |at| format!("{{% set f{at:04} = 1 %}}"));
        let main = "{% import 'x' as m %}".to_owned() + &main;
        work(&[file("main", main), file("x", module)], false)
    });
}

#[test]
fn many_dropped_blocks_take_linear_work() {
    assert_linear("dropped blocks", 50, |count| {
        let blocks =
            |name: &str| each(count, |at| format!("{{% block {name}{at:04} %}}{{% endblock %}}"));
        let main = "{% extends 'x' %}".to_owned() + &blocks("a");
        work(&[file("main", main), file("x", blocks("b"))], true)
    });
}
