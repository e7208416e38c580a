//! Deeply nested untrusted templates do not overflow the stack, in any parser or visitor. Each
//! construct that can be nested is nested ten thousand times, closed and unclosed, and read on a
//! small stack.

use prompty_check::check::{CheckOptions, check};
use prompty_core::diagnostic::{SourceSpan, SourceText};
use prompty_core::value::Value;
use prompty_runtime::render::PipelineBuilder;
use prompty_template::assembly::{AssembledTemplate, Reason, Refusal, TemplateFile};
use prompty_template::jinja::assembly::WhiteSpace;
use prompty_template::{handlebars, jinja, mustache};

const DEPTH: usize = 10_000;
/// The stack of a small thread.
const STACK: usize = 512 << 10;

/// The constructs that can be nested: their opening and closing texts.
const JINJA: &[(&str, &str)] = &[
    ("{% if a %}", "{% endif %}"),
    ("{% if a %}{% else %}", "{% endif %}"),
    ("{% for a in a %}", "{% endfor %}"),
    ("{% with a = 1 %}", "{% endwith %}"),
    ("{% set a %}", "{% endset %}"),
    ("{% filter upper %}", "{% endfilter %}"),
    ("{% macro a() %}", "{% endmacro %}"),
    ("{% call a() %}", "{% endcall %}"),
    ("{% call message('user') %}", "{% endcall %}"),
    ("{% raw %}", "{% endraw %}"),
    ("{% block a %}", "{% endblock %}"),
    ("{% include 'part' %}", ""),
    ("{% extends 'part' %}", ""),
    ("{{ (", ") }}"),
    ("{% elif a %}", ""),
];

const HANDLEBARS: &[(&str, &str)] = &[
    ("{{#if a}}", "{{/if}}"),
    ("{{#if a}}{{else}}", "{{/if}}"),
    ("{{#if a}}{{else with a}}", "{{/if}}"),
    ("{{else if a}}", ""),
    ("{{#each a}}", "{{/each}}"),
    ("{{#with a}}", "{{/with}}"),
    ("{{#a}}", "{{/a}}"),
    ("{{^a}}", "{{/a}}"),
    ("{{#message role=\"user\"}}", "{{/message}}"),
    ("{{#user}}", "{{/user}}"),
    ("{{> part}}{{#if a}}", "{{/if}}"),
    ("{{> part}}{{#with a}}", "{{/with}}"),
    ("{{#> part}}", "{{/part}}"),
    ("{{#> nothing}}", "{{/nothing}}"),
    ("{{#*inline \"a\"}}", "{{/inline}}"),
    ("{{> part}}", ""),
    ("{{{{raw}}}}", "{{{{/raw}}}}"),
];

const MUSTACHE: &[(&str, &str)] = &[
    ("{{#a}}", "{{/a}}"),
    ("{{^a}}", "{{/a}}"),
    ("{{#a}}{{> part}}", "{{/a}}"),
    ("{{> part}}", ""),
    ("{{> itself}}", ""),
    ("{{={{ }}=}}", ""),
];

const SEMANTIC_KERNEL: &[(&str, &str)] =
    &[("{{", "}}"), ("{{f ", "}}"), ("{{f '", "'}}"), ("{{message role='user'}}", "")];

/// The constructs of all languages.
const TAGS: &[(&str, &str)] = &[
    ("<message role=\"user\">", "</message>"),
    ("<message role=\"user\"><text>", "</text></message>"),
    ("<answer>", "</answer>"),
    ("<![CDATA[", "]]>"),
    ("<!--", "-->"),
    ("&lt;", ""),
];

/// The nested texts between `{{ ` and ` }}`, or between `{{` and `}}`.
const EXPRESSIONS: &[(&str, &str)] = &[
    ("(", ")"),
    ("[", "]"),
    ("{'a': ", "}"),
    ("(a ", ")"),
    ("a(", ")"),
    ("not ", ""),
    ("-", ""),
    ("a.", "a"),
    ("../", "a"),
    ("a|", "upper"),
    ("a ~ ", "a"),
    ("a if a else ", "a"),
    ("a[", "]"),
    ("'", "'"),
];

fn assembled(format: &str, text: &str) -> AssembledTemplate {
    let main = SourceText::new("main", text);
    let body = SourceSpan::new(0, text.len());
    let mut load = |name: &str| {
        let part = if name.starts_with("itself") { "{{> itself}}" } else { "part" };
        let source = SourceText::new(name, part);
        if name.starts_with("nothing") {
            return Err(missing());
        }
        Ok(TemplateFile { body: SourceSpan::new(0, source.text().len()), source })
    };
    match format {
        "jinja2" => jinja::assembly::assemble(&main, body, WhiteSpace::default(), &mut load),
        "handlebars" => handlebars::assembly::assemble(&main, body, &mut load),
        "mustache" => mustache::assembly::assemble(&main, body, &mut load),
        _ => AssembledTemplate {
            source: main,
            body,
            findings: Vec::new(),
            is_complete: true,
            template: None,
        },
    }
}

fn missing() -> Refusal {
    let (message, help) = ("there is no such file".to_owned(), "write it".to_owned());
    Refusal::Missing(Reason { message, help })
}

/// Assembles, checks, builds and renders a template.
fn read(format: &str, text: &str) {
    let assembled = assembled(format, text);
    drop(assembled.findings);
    for parser in ["prompty", "message-tags"] {
        let template = assembled.source.text();
        let pipeline = PipelineBuilder::from_text("t", template)
            .with_format(format)
            .with_parser(parser)
            .build();
        if let Ok(pipeline) = pipeline {
            let inputs = [("a", Value::from(true))];
            drop(pipeline.prepare(inputs.clone()));
            drop(pipeline.render_segments(inputs));
        }
        let head = format!("template:\n  format: {format}\n  parser: {parser}\n");
        let source = SourceText::new("t", format!("---\n{head}---\n{text}"));
        drop(check(source, &CheckOptions::new()));
    }
}

#[track_caller]
fn fits_the_stack(format: &'static str, open: &str, close: &str) {
    let closed = format!("{}{}", open.repeat(DEPTH), close.repeat(DEPTH));
    for text in [closed, open.repeat(DEPTH)] {
        let thread = std::thread::Builder::new().stack_size(STACK);
        thread.spawn(move || read(format, &text)).unwrap().join().unwrap();
    }
}

#[test]
fn blocks_of_jinja_fit_a_small_stack() {
    for (open, close) in JINJA.iter().chain(TAGS) {
        fits_the_stack("jinja2", open, close);
    }
}

#[test]
fn blocks_of_handlebars_fit_a_small_stack() {
    for (open, close) in HANDLEBARS.iter().chain(TAGS) {
        fits_the_stack("handlebars", open, close);
    }
}

#[test]
fn sections_of_mustache_fit_a_small_stack() {
    for (open, close) in MUSTACHE.iter().chain(TAGS) {
        fits_the_stack("mustache", open, close);
    }
}

#[test]
fn blocks_of_semantic_kernel_fit_a_small_stack() {
    for (open, close) in SEMANTIC_KERNEL.iter().chain(TAGS) {
        fits_the_stack("semantic-kernel", open, close);
    }
}

#[test]
fn expressions_fit_a_small_stack() {
    for format in ["jinja2", "handlebars", "mustache", "semantic-kernel"] {
        for (open, close) in EXPRESSIONS {
            let text = format!("{}a{}", open.repeat(DEPTH), close.repeat(DEPTH));
            for text in [format!("{{{{ {text} }}}}"), format!("{{{{f {text}}}}}")] {
                let thread = std::thread::Builder::new().stack_size(STACK);
                thread.spawn(move || read(format, &text)).unwrap().join().unwrap();
            }
        }
    }
}

/// Renders a template on a small stack.
#[track_caller]
fn renders_on_a_small_stack(format: &'static str, text: String) {
    let render = move || {
        let pipeline = PipelineBuilder::from_text("t", &text).with_format(format).build()?;
        assert!(
            format!("{:?}", prompty_template::built_in(format).unwrap().parse(&text)).len() > 9
        );
        let source =
            SourceText::new("t", format!("---\ntemplate:\n  format: {format}\n---\n{text}"));
        assert!(check(source, &CheckOptions::new()).definition.is_some());
        pipeline.prepare([("a", Value::from(true))])
    };
    let thread = std::thread::Builder::new().stack_size(STACK);
    let messages = thread.spawn(render).unwrap().join().unwrap().unwrap();
    assert_eq!(messages.len(), 1);
}

#[test]
fn templates_of_usual_depth_render_on_a_small_stack() {
    let nested = |open: &str, close: &str, inner: &str, depth| {
        format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
    };
    for operator in [" + 1", " or 1", " and 1", " ~ a", "|string", " if a else a"] {
        let first = if operator == " + 1" { "1" } else { "a" };
        let chain = |count| format!("{{{{ {first}{} }}}}", operator.repeat(count));
        // Each `~` is a nested call in the engine, which limits these to fewer.
        renders_on_a_small_stack("jinja2", chain(if operator == " ~ a" { 20 } else { 40 }));
        // The engine limits blocks and operands together.
        let (open, close) = ("{% if a %}", "{% endif %}");
        renders_on_a_small_stack("jinja2", nested(open, close, &chain(20), 30));
    }
    let brackets = format!("{{{{ {} }}}}", nested("(", ")", "a", 20));
    renders_on_a_small_stack("jinja2", brackets);
    renders_on_a_small_stack("jinja2", nested("{% if a %}", "{% endif %}", "a", 60));
    renders_on_a_small_stack("jinja2", nested("{% for x in [1] %}", "{% endfor %}", "a", 60));
    renders_on_a_small_stack("handlebars", nested("{{#if a}}", "{{/if}}", "a", 60));
    let calls = format!("{{{{json {} }}}}", nested("(equals a ", ")", "a", 30));
    renders_on_a_small_stack("handlebars", nested("{{#if a}}", "{{/if}}", &calls, 60));
    renders_on_a_small_stack("mustache", nested("{{#a}}", "{{/a}}", "a", 60));
}
