//! Partials. A template and its files are assembled into one text. It renders as if each partial
//! were looked up during the render, which a small model does here.

use super::*;
use prompty_core::diagnostic::{Code, SourceSpan, SourceText, TemplateSpan};
use prompty_template::assembly::{AssembledTemplate, Reason, Refusal, TemplateFile};
use prompty_template::mustache::assembly::assemble;
use prompty_template::tree::{Expr, ExprKind, Node, NodeKind};

/// Assembles files by their names. The first one is the template.
fn assembled(files: &[(&str, &str)]) -> AssembledTemplate {
    let main = SourceText::new(files[0].0, files[0].1);
    let body = SourceSpan::new(0, main.text().len());
    assemble(&main, body, &mut |name| {
        let file = files.iter().find(|(known, _)| *known == name);
        let (name, text) = file.ok_or_else(|| {
            let message = format!("there is no file `{name}`");
            Refusal::Missing(Reason { message, help: "write it".to_owned() })
        })?;
        Ok(TemplateFile {
            source: SourceText::new(*name, *text),
            body: SourceSpan::new(0, text.len()),
        })
    })
}

fn text(files: &[(&str, &str)]) -> String {
    let assembled = assembled(files);
    assert!(assembled.is_complete, "{:?}", assembled.findings);
    assembled.source.text().to_owned()
}

/// The error of a template that cannot be assembled, with its place.
fn wrong(files: &[(&str, &str)]) -> String {
    let assembled = assembled(files);
    assert!(!assembled.is_complete, "{}", assembled.source.text());
    let finding = &assembled.findings[0];
    assert!(!finding.help.is_empty(), "{finding:?}");
    let place = assembled.source.place(finding.span.unwrap().start);
    format!("{place}: {}", finding.message)
}

#[test]
fn a_template_without_partials_stays_as_it_is() {
    for template in ["", "a\n{{#b}}\n{{c}}\n{{/b}}", "{{=<% %>=}}{{> a}}", "{{#a}}"] {
        assert_eq!(text(&[("main", template)]), template);
    }
}

#[test]
fn a_name_without_an_extension_is_a_mustache_file() {
    let files = [("main", "{{> a}}{{> b.md}}{{> c/d}}"), ("a.mustache", "1"), ("b.md", "2")];
    let files = [files.as_slice(), &[("c/d.mustache", "3")]].concat();
    assert_eq!(text(&files), "{{!}}{{!}}1{{!}}{{!}}{{!}}{{!}}2{{!}}{{!}}{{!}}{{!}}3{{!}}{{!}}");
}

#[test]
fn places_in_a_partial_are_those_of_its_file() {
    let found = assembled(&[("main", "a\n {{> b}}\nc"), ("b.mustache", "x\n{{y}}\n")]);
    assert_eq!(found.source.text(), "a\n x\n {{y}}\nc");
    let place = |at: usize| found.source.place(at).to_string();
    assert_eq!(
        [place(0), place(3), place(8), place(12)],
        ["main:1:1", "b.mustache:1:1", "b.mustache:2:3", "main:3:1"]
    );
}

#[test]
fn a_role_marker_keeps_its_line() {
    let found = text(&[
        ("main", "{{> a}}\nuser:\n{{> b}}\n"),
        ("a.mustache", "Be brief."),
        ("b.mustache", "x {{> c}}\n"),
        ("c.mustache", "assistant:\ny"),
    ]);
    assert_eq!(found, "Be brief.\nuser:\nx {{!}}{{!}}\nassistant:\ny{{!}}{{!}}\n");
    let indented = text(&[("main", "  {{> a}}\n"), ("a.mustache", "user:\nhi\n")]);
    assert_eq!(indented, "user:\n  hi\n");
}

#[test]
fn a_failed_assembly_is_reported_at_its_place() {
    assert_eq!(wrong(&[("main", "\n{{> a }}")]), "main:2:5: there is no file `a.mustache`");
    assert_eq!(wrong(&[("main", "{{> *a}}")]), "main:1:5: the name of a partial is computed");
    assert_eq!(
        wrong(&[("main", "{{> ../a}}")]),
        "main:1:5: `../a.mustache` is outside of the folder of the templates"
    );
    assert_eq!(
        wrong(&[("main", "{{> a}}"), ("a.mustache", "\n{{#b}}")]),
        "a.mustache:2:1: the section `b` is never closed"
    );
    assert_eq!(
        wrong(&[("main", "{{#a}}{{> b}}{{/a}}"), ("b.mustache", "x{{> b}}")]),
        "b.mustache:1:2: `b.mustache` includes itself endlessly, because this tag is not inside a section"
    );
}

#[test]
fn partials_that_grow_exponentially_are_rejected() {
    let named: Vec<(String, String)> = (0..22)
        .map(|at| (format!("f{at}.mustache"), format!("{{{{> f{}}}}}", at + 1).repeat(4)))
        .chain([("f22.mustache".to_owned(), "x".to_owned())])
        .collect();
    let files = named.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    let files: Vec<(&str, &str)> = [("main", "{{> f0}}")].into_iter().chain(files).collect();
    let found = wrong(&files);
    assert!(found.contains("include each other too often") || found.contains("1 MiB"), "{found}");
    let lines = "\n".repeat(1 << 19);
    let indent = format!("{}{{{{> a}}}}", " ".repeat(1 << 10));
    assert!(wrong(&[("main", &indent), ("a.mustache", &lines)]).contains("longer than 1 MiB"));
}

#[test]
fn a_recursive_partial_can_render_the_children_of_an_item() {
    let files = [
        ("main", "Tasks:\n{{#tasks}}\n  {{> task}}\n{{/tasks}}\nDone.\n"),
        ("task.mustache", "- {{title}}\n{{#parts}}\n  {{> task}}\n{{/parts}}\n"),
    ];
    let inputs = r#"{"tasks": [{"title": "a", "parts": [{"title": "b", "parts":
        [{"title": "c", "parts": []}]}, {"title": "d", "parts": []}]}]}"#;
    assert_eq!(
        render(&text(&files), inputs),
        "Tasks:\n  - a\n    - b\n      - c\n    - d\nDone.\n"
    );
}

#[test]
fn an_endless_recursive_partial_stops_at_the_depth_limit() {
    let files = [("main", "{{> a}}"), ("a.mustache", "{{#x}}{{> a}}{{/x}}")];
    let inputs = map(r#"{"x": true}"#);
    let failure = run(&text(&files), &inputs, RenderLimits::default(), Undefined::Error);
    assert_eq!(failure.unwrap_err().error.kind(), ErrorKind::Limit);
}

#[test]
fn markers_in_a_recursive_partial_open_messages() {
    let files = [
        ("main", "system:\nBe.\n{{> turn}}\n"),
        ("turn.mustache", "user:\n{{q}}\n{{#next}}\n{{> turn}}\n{{/next}}\n"),
    ];
    let inputs = r#"{"q": "1", "next": {"q": "user:", "next": false}}"#;
    assert_eq!(
        render(&text(&files), inputs),
        "system[nonce=00ff]:\nBe.\n^00ff\nuser[nonce=00ff]:\n1\n^00ff\nuser[nonce=00ff]:\nuser:\n"
    );
}

#[test]
fn a_computed_partial_name_is_an_error() {
    let found = assembled(&[("main", "{{> *a}}")]);
    assert_eq!(found.findings[0].code, Code::UnsupportedConstruct);
}

/// Renders as specified: looks a partial up, indents it, parses it and renders it in its place.
struct Model<'m> {
    files: &'m [(&'m str, String)],
    contexts: Vec<&'m Value>,
    out: String,
    /// The remaining number of partials.
    left: usize,
}

impl<'m> Model<'m> {
    fn file(&mut self, text: &str) {
        let tree = parse(text).unwrap();
        self.nodes(text, &tree.nodes);
    }

    fn nodes(&mut self, text: &str, nodes: &[Node]) {
        for node in nodes {
            match &node.kind {
                NodeKind::Text(text) => self.out.push_str(text),
                NodeKind::Output(expr) => {
                    let shown = self.find(expr).map(Value::to_string).unwrap_or_default();
                    self.out.push_str(&shown);
                }
                NodeKind::Section(section) => {
                    let found = self.find(&section.subject);
                    let holds = found.is_some_and(Value::is_true);
                    match (section.inverted, holds, found) {
                        (true, false, _) => self.nodes(text, &section.body),
                        (false, true, Some(value)) => {
                            let one = std::slice::from_ref(value);
                            for item in value.as_array().unwrap_or(one) {
                                self.contexts.push(item);
                                self.nodes(text, &section.body);
                                self.contexts.pop();
                            }
                        }
                        _ => {}
                    }
                }
                NodeKind::Partial => self.partial(text, node.span),
                other => unreachable!("{other:?}"),
            }
        }
    }

    fn partial(&mut self, text: &str, tag: TemplateSpan) {
        let Some(left) = self.left.checked_sub(1) else { return };
        self.left = left;
        let start = text[..tag.start].rfind('\n').map_or(0, |at| at + 1);
        let before = &text[start..tag.start];
        let after = text[tag.end..].split('\n').next().unwrap();
        let is_alone = before.trim().is_empty() && after.trim().is_empty();
        let indent = if is_alone { before } else { "" };
        let tag = &text[tag.start..tag.end];
        let name = tag.trim_matches(|sign: char| !sign.is_ascii_alphabetic());
        let file = &self.files.iter().find(|(known, _)| *known == name).unwrap().1;
        let lines = file.split_inclusive('\n').map(|line| format!("{indent}{line}"));
        let file: String = lines.collect();
        self.file(&file);
    }

    fn find(&self, expr: &Expr) -> Option<&'m Value> {
        match &expr.kind {
            ExprKind::Filter { value, .. } => self.find(value),
            ExprKind::Variable(name) => {
                self.contexts.iter().rev().find_map(|context| context.get(name))
            }
            _ => self.contexts.last().copied(),
        }
    }
}

fn any_file() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "x",
        "{",
        "<",
        "|",
        "y z",
        " ",
        "  ",
        "\t",
        "\n",
        "\n",
        "\n",
        "{{a}}",
        "{{{b}}}",
        "{{> p}}",
        "{{> q}}",
        "{{> r}}",
        "\n{{> p}}\n",
        "\n  {{> q}}\n",
        " {{> r}}\n",
        "{{!c}}",
        "\n{{!c}}\n",
        "{{=<% %>=}}",
        "{{=| |=}}",
        "<%={{ }}=%>",
        "|={{ }}=|",
        "<%> q%>",
        "\n |> r|\n",
        "<%a%>",
        "{{#s}}",
        "{{/s}}",
        "{{^n}}",
        "{{/n}}",
        "\n{{#s}}\n",
        "\n{{/s}}\n",
        " {{#l}}\n",
        "\n{{/l}}\n",
        "\n{{^s}}\n",
        "{{#l}}",
        "{{/l}}",
    ]);
    proptest::collection::vec(piece, 0..12)
        .prop_map(|pieces| pieces.concat())
        .prop_filter("a template", |text| parse(text).is_ok())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn the_assembled_text_renders_like_partials_that_are_looked_up(
        main in any_file(), p in any_file(), q in any_file(), r in any_file()
    ) {
        let files =
            [("main", main.as_str()), ("p.mustache", &p), ("q.mustache", &q), ("r.mustache", &r)];
        let found = assembled(&files);
        prop_assume!(found.is_complete);
        let inputs = map(r#"{"a": "A", "b": "B\n", "s": {"s": {"s": false, "l": []}}, "n": false,
            "l": [{"l": [{"l": [], "s": false}]}, {"a": "Z", "l": [], "s": {"l": [], "s": false}}]}"#);
        let limits = RenderLimits::default().with_fuel(100_000);
        let rendered = run(found.source.text(), &inputs, limits, Undefined::Empty);
        prop_assume!(rendered.is_ok());
        let root = Value::from(inputs.clone());
        let known = [("p", p), ("q", q), ("r", r)];
        let mut model =
            Model { files: &known, contexts: vec![&root], out: String::new(), left: 10_000 };
        model.file(&main);
        prop_assume!(model.left > 0);
        prop_assert_eq!(rendered.unwrap(), model.out, "{}", found.source.text());
    }
}
