//! Partials from files, inline partials, and partials with blocks. They are assembled into one
//! text.

use prompty_core::diagnostic::{SourceSpan, SourceText};
use prompty_template::assembly::{AssembledTemplate, Reason, Refusal, TemplateFile};
use prompty_template::handlebars::assembly::assemble;
use proptest::prelude::*;
use work_counting::{assert_linear, count_work};

use super::*;

fn assembled(text: &str, files: &[(&str, &str)]) -> AssembledTemplate {
    let main = SourceText::new("main", text);
    assemble(&main, SourceSpan::new(0, text.len()), &mut |name| {
        let found = files.iter().find(|(known, _)| *known == name);
        let Some((_, text)) = found else {
            let (message, help) = (format!("there is no file `{name}`"), "write it".to_owned());
            return Err(Refusal::Missing(Reason { message, help }));
        };
        Ok(TemplateFile {
            source: SourceText::new(name, *text),
            body: SourceSpan::new(0, text.len()),
        })
    })
}

fn with_files(text: &str, files: &[(&str, &str)], inputs: &str) -> String {
    let found = assembled(text, files);
    assert_eq!(found.findings, [], "{text}");
    render(found.source.text(), inputs)
}

/// The only finding, with the text of its file.
fn finding(text: &str, files: &[(&str, &str)]) -> String {
    let found = assembled(text, files);
    assert!(!found.is_complete, "{text}");
    let finding = found.findings.first().unwrap();
    let place = found.source.place(finding.span.unwrap().start);
    format!("{place}: {}", finding.message)
}

#[test]
fn a_partial_is_written_where_it_is_named() {
    let files = [("who.handlebars", "{{name}}"), ("parts/rule.txt", "- {{this}}\n")];
    assert_eq!(with_files("Hi {{> who}}!", &files, r#"{"name": "Ada"}"#), "Hi Ada!");
    let list = "Rules:\n{{#each rules}}\n  {{> parts/rule.txt}}\n{{/each}}\nEnd\n";
    let expected = "Rules:\n  - a\n  - b\nEnd\n";
    assert_eq!(with_files(list, &files, r#"{"rules": ["a", "b"]}"#), expected);
    assert_eq!(with_files("{{> who boss}}", &files, r#"{"boss": {"name": "Bo"}}"#), "Bo");
    assert_eq!(
        with_files("{{> 'who' (lookup all 0)}}", &files, r#"{"all": [{"name": "C"}]}"#),
        "C"
    );
}

#[test]
fn each_file_keeps_its_white_space() {
    let files = [("p.handlebars", "{{#if x}}\nyes\n{{/if}}\n"), ("e.handlebars", "no line end")];
    assert_eq!(with_files("a {{> p}} b", &files, r#"{"x": 1}"#), "a yes\n b");
    assert_eq!(
        with_files("a\n{{> e}}\n{{#if x}}\nb\n{{/if}}\n", &files, r#"{"x": 1}"#),
        "a\nno line endb\n"
    );
    assert_eq!(with_files("a\n {{~> e ~}}\n b", &files, "{}"), "ano line endb");
    assert_eq!(
        with_files("a\n\n{{#if x}}\n\n{{> e}}\n\n{{/if}}\n\nb", &files, r#"{"x": 1}"#),
        "a\n\n\nno line end\n\nb"
    );
}

#[test]
fn text_that_looks_like_a_tag_stays_text() {
    let files = [("p.handlebars", "\\{{x}} and \\\\{{x}} {{{{raw}}}}{{y}}{{{{/raw}}}}\\")];
    let expected = "{{x}} and \\1 {{y}}\\1";
    assert_eq!(with_files("{{> p}}{{x}}", &files, r#"{"x": 1}"#), expected);
}

#[test]
fn inline_partials_and_blocks_are_written_where_they_are_named() {
    let layout = [("layout.handlebars", "<{{> title}}|{{> @partial-block}}>")];
    let text = "{{#> layout}}{{#*inline \"title\"}}T{{n}}{{/inline}}body{{n}}{{/layout}}";
    assert_eq!(with_files(text, &layout, r#"{"n": 1}"#), "<T1|body1>");
    assert_eq!(with_files("{{#> gone}}instead{{/gone}}", &[], "{}"), "instead");
    let late = "{{> a}}{{#*inline \"a\"}}1{{/inline}}{{#*inline \"a\"}}2{{/inline}}";
    assert_eq!(with_files(late, &[], "{}"), "2");
}

/// The expected texts are those that handlebars.js 4.7.8 prints.
#[test]
fn an_inline_partial_sees_the_partials_of_its_own_file() {
    let written = |text: &str, files: &[(&str, &str)]| with_files(text, files, r#"{"yes": 1}"#);
    let (a1, a2) = ("{{#*inline 'a'}}1{{/inline}}", "{{#*inline 'a'}}2{{/inline}}");
    let b = "{{#*inline 'b'}}{{> a}}{{/inline}}";
    assert_eq!(written(&format!("{a1}{{{{#if yes}}}}{a2}{b}{{{{> b}}}}{{{{/if}}}}"), &[]), "2");
    assert_eq!(
        written(&format!("{a1}{b}{{{{#if yes}}}}{a2}{{{{> b}}}}{{{{/if}}}}{{{{> b}}}}"), &[]),
        "21"
    );
    let layout = [("layout.handlebars", "{{#*inline 'a'}}L{{/inline}}{{> b}}")];
    assert_eq!(written(&format!("{a1}{b}{{{{#> layout}}}}{{{{/layout}}}}"), &layout), "1");
    assert!(
        finding(&format!("{b}{{{{#> layout}}}}{{{{/layout}}}}"), &layout)
            .contains("`a.handlebars`")
    );
    let own = [("layout.handlebars", "{{#*inline 'a'}}L{{/inline}}{{> a}}")];
    assert_eq!(written(&format!("{{{{#> layout}}}}{a1}{{{{/layout}}}}"), &own), "L");
}

/// The expected texts are those that handlebars.js 4.7.8 prints.
#[test]
fn the_block_of_a_call_is_visible_in_nested_partials() {
    let files = [
        ("layout.handlebars", "{{> inner}}"),
        ("inner.handlebars", "[{{> @partial-block}}]"),
        ("inline.handlebars", "{{#*inline 'x'}}<{{> @partial-block}}>{{/inline}}{{> x}}"),
    ];
    assert_eq!(with_files("{{#> layout}}block{{/layout}}", &files, "{}"), "[block]");
    assert_eq!(with_files("{{#> inline}}block{{/inline}}", &files, "{}"), "<block>");
}

#[test]
fn inline_partials_in_many_blocks_take_linear_work() {
    let many = |count: usize| -> String {
        (0..count).map(|i| format!("{{{{#*inline 'p{i}'}}}}x{{{{/inline}}}}")).collect()
    };
    assert_linear("blocks", 100, |count| {
        let text = format!("{}{}", many(100), "{{#if a}}{{> p1}}{{/if}}".repeat(count));
        count_work(|| assembled(&text, &[])).1
    });
    assert_linear("names", 100, |count| {
        let text = format!("{}{}", many(count), "{{#if a}}{{> p1}}{{/if}}".repeat(count));
        count_work(|| assembled(&text, &[])).1
    });
}

#[test]
fn bodies_with_many_visible_inline_partials_are_charged() {
    let inline = |i: usize| format!("{{{{#*inline 'p{i}'}}}}x{{{{/inline}}}}");
    let many: String = (0..2_000).map(inline).collect();
    let text = format!("{many}{}", format!("{{{{#if a}}}}{}{{{{/if}}}}", inline(1)).repeat(2_000));
    let expected = "the files of the template include each other too often";
    assert!(finding(&text, &[]).contains(expected));
}

#[test]
fn blocks_around_partials_nest_at_most_sixty_four_deep() {
    let nested = |depth: usize| {
        format!("{}{{{{> p}}}}{}", "{{#if a}}".repeat(depth), "{{/if}}".repeat(depth))
    };
    let files = [("p.handlebars", "x")];
    assert!(assembled(&nested(64), &files).is_complete);
    let expected = "blocks are nested more than 64 levels deep";
    assert!(finding(&nested(65), &files).ends_with(expected));
}

#[test]
fn a_role_marker_in_a_partial_keeps_its_line() {
    let files = [("p.handlebars", "user:\nHi\n"), ("e.handlebars", "x")];
    let text = "  {{> p}}\n{{> e}}\nsystem:\nBe brief.\n";
    let found = assembled(text, &files);
    let tree = parse(found.source.text()).unwrap();
    let boundaries = Boundaries::from_role_lines(found.source.text(), &tree);
    assert_eq!(boundaries.insertions.len(), 2, "{}", found.source.text());
}

#[test]
fn an_error_is_reported_in_its_own_file() {
    let files = [
        ("loop.handlebars", "a\n{{> loop}}"),
        ("open.handlebars", "{{#if x}}"),
        ("far.handlebars", "a\n {{> gone}}"),
    ];
    assert_eq!(finding("{{> gone}}", &[]), "main:1:5: there is no file `gone.handlebars`");
    assert_eq!(
        finding("{{> far}}", &files),
        "far.handlebars:2:6: there is no file `gone.handlebars`"
    );
    assert!(
        finding("{{> loop}}", &files).ends_with("partials are nested more than 24 levels deep")
    );
    assert_eq!(
        finding("{{> open}}", &files),
        "main:1:5: the partial `open` is not a complete template"
    );
    assert_eq!(finding("{{> (f x)}}", &[]), "main:1:5: the name of a partial is computed");
    assert_eq!(finding("{{> p a=1}}", &[]), "main:1:7: a partial does not accept named arguments");
    assert!(finding("{{#*other}}x{{/other}}", &[]).contains("unknown decorator"));
    let bomb =
        [("b.handlebars", "{{> c}}{{> c}}{{> c}}{{> c}}"), ("c.handlebars", &"x".repeat(300_000))];
    assert!(finding("{{> b}}", &bomb).contains("longer than 1 MiB"));
}

proptest! {
    #[test]
    fn any_text_is_assembled_or_rejected(
        text in "[{}#/>*@^!~\\\\ab \"\n-]{0,20}",
        part in "[{}#/>*@^!~\\\\ab \"\n-]{0,20}",
    ) {
        let text = format!("{text}{{{{> p}}}}");
        let found = assembled(&text, &[("p.handlebars", &part)]);
        prop_assert!(found.is_complete || !found.findings.is_empty());
    }
}
