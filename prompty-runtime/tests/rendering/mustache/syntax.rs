//! The syntax tree of a template with its spans, and syntax errors.

use super::*;
use prompty_core::diagnostic::TemplateSpan;
use prompty_template::tree::{ExprKind, Node, NodeKind};

fn only(text: &str) -> Node {
    let mut tree = parse(text).unwrap();
    assert_eq!(tree.nodes.len(), 1);
    tree.nodes.remove(0)
}

#[test]
fn an_escaped_output_is_a_filter_and_a_raw_one_is_not() {
    let NodeKind::Output(escaped) = only("{{ x }}").kind else { panic!("no output") };
    let ExprKind::Filter { value, call } = escaped.kind else { panic!("no filter") };
    assert_eq!((call.name.text.as_str(), escaped.span), ("escape", TemplateSpan::new(3, 4)));
    assert_eq!(value.kind, ExprKind::Variable("x".to_owned()));
    let NodeKind::Output(raw) = only("{{{x}}}").kind else { panic!("no output") };
    assert_eq!((raw.kind, raw.span), (ExprKind::Variable("x".to_owned()), TemplateSpan::new(3, 4)));
}

#[test]
fn every_part_of_a_dotted_name_has_its_place() {
    let node = only("{{& é.b.cd }}");
    assert_eq!(node.span, TemplateSpan::new(0, 14));
    let NodeKind::Output(whole) = node.kind else { panic!("no output") };
    let ExprKind::Attribute { value, name } = whole.kind else { panic!("no attribute") };
    assert_eq!(
        (whole.span, name.text.as_str(), name.span),
        (TemplateSpan::new(4, 11), "cd", TemplateSpan::new(9, 11))
    );
    let ExprKind::Attribute { value: first, name } = value.kind else { panic!("no attribute") };
    assert_eq!((value.span, name.span), (TemplateSpan::new(4, 8), TemplateSpan::new(7, 8)));
    assert_eq!(
        (first.kind, first.span),
        (ExprKind::Variable("é".to_owned()), TemplateSpan::new(4, 6))
    );
}

#[test]
fn a_section_reaches_from_its_first_tag_to_its_last() {
    let node = parse("a\n{{^ x }}\nb\n{{/x}}\n").unwrap().nodes.remove(1);
    assert_eq!(node.span, TemplateSpan::new(2, 19));
    let NodeKind::Section(section) = node.kind else { panic!("no section") };
    assert!(section.inverted);
    assert_eq!(section.subject.span, TemplateSpan::new(6, 7));
    assert_eq!(section.body.len(), 1);
    assert_eq!(section.body[0].span, TemplateSpan::new(11, 13));
}

#[test]
fn the_dot_is_the_implicit_item() {
    let NodeKind::Output(dot) = only("{{&.}}").kind else { panic!("no output") };
    assert_eq!(dot.kind, ExprKind::Implicit);
}

#[test]
fn a_partial_is_parsed_and_rejected_when_compiled() {
    assert!(matches!(only("{{> x }}").kind, NodeKind::Partial));
    let error = refused("a {{> x }}");
    assert_eq!(error.message, "partials are not available in a template without files");
    assert_eq!(error.span, TemplateSpan::new(2, 10));
}

/// The message of a syntax error, and the text at its span.
fn mistake(text: &str) -> (String, &str) {
    let error = refused(text);
    assert!(error.help.is_some(), "{text}");
    (error.message, text.get(error.span.start..error.span.end).unwrap())
}

#[test]
fn a_tag_without_end_is_reported() {
    assert_eq!(mistake("a {{x"), ("the tag is never closed: missing `}}`".into(), "{{"));
    assert_eq!(mistake("a {{#x\nb {{y}}").1, "{{#");
    assert_eq!(mistake("{{{x}}"), ("the tag is never closed: missing `}}}`".into(), "{{{"));
    assert_eq!(mistake("{{! x").1, "{{!");
    assert_eq!(mistake("{{=<% %>}}").0, "the tag is never closed: missing `=}}`");
}

#[test]
fn a_section_without_end_is_reported_where_it_opens() {
    let text = "{{#a}}{{/a}} {{#b}} x";
    assert_eq!(mistake(text), ("the section `b` is never closed".into(), "{{#b}}"));
    assert_eq!(refused(text).help.unwrap(), "write `{{/b}}` where it ends");
    assert_eq!(refused("{{=<% %>=}}<%#b%>").help.unwrap(), "write `<%/b%>` where it ends");
}

#[test]
fn a_wrong_closing_tag_names_the_open_section() {
    assert_eq!(
        mistake("{{#a}}\n\n{{#b}}\n{{/a}}\n{{/b}}"),
        ("`{{/a}}` does not close the section `b`, opened one line above".into(), "{{/a}}")
    );
    assert_eq!(mistake("{{/a}}"), ("`{{/a}}` has no open section".into(), "{{/a}}"));
}

#[test]
fn a_tag_without_name_is_rejected() {
    for text in ["{{}}", "{{ }}", "{{# }}", "{{{ }}}", "{{&}}", "{{>}}", "{{#a}}{{/}}", "{{/}}"] {
        assert_eq!(mistake(text).0, "the tag has no name", "{text}");
    }
    assert_eq!(refused("{{#a}}{{/}}").help.unwrap(), "write `{{/a}}` to close the section");
    for text in ["{{a..b}}", "{{.a}}", "{{a.}}", "{{..}}"] {
        assert_eq!(mistake(text).0, "a part of the dotted name is empty", "{text}");
    }
}

#[test]
fn syntax_of_other_languages_is_rejected_with_the_mustache_form() {
    assert_eq!(mistake("{{ x|upper }}"), ("`x|upper` is not a valid name".into(), "x|upper"));
    assert!(refused("{{#if x}}").help.unwrap().contains("{{#name}}…{{/name}}"));
    assert!(refused("{{x[0]}}").help.unwrap().contains("items.0"));
    assert!(refused("{{$x}}").help.unwrap().contains("blocks and parents"));
}

#[test]
fn delimiters_must_be_two() {
    for text in ["{{=a=}}", "{{=a b c=}}", "{{= =}}", "{{=a= b=}}"] {
        assert_eq!(mistake(text).0, "the tag does not contain two delimiters", "{text}");
    }
}

/// Whether all nodes are in order and inside their parent, and texts match their spans.
fn is_placed(text: &str, nodes: &[Node], within: TemplateSpan) -> bool {
    let mut start = within.start;
    nodes.iter().all(|node| {
        let in_order = node.span.start >= start && within.contains(node.span);
        start = node.span.end;
        let slice = text.get(node.span.start..node.span.end);
        in_order
            && match &node.kind {
                NodeKind::Text(literal) => slice == Some(literal),
                NodeKind::Section(section) => {
                    slice.is_some() && is_placed(text, &section.body, node.span)
                }
                _ => slice.is_some(),
            }
    })
}

/// Templates that are often valid.
pub(super) fn any_template() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "{{",
        "}}",
        "{{{",
        "}}}",
        "{{#a}}",
        "{{/a}}",
        "{{^b}}",
        "{{/b}}",
        "{{a}}",
        "{{&a.b}}",
        "{{.}}",
        "{{! c }}",
        "{{=<% %>=}}",
        "<%a%>",
        "<%={{ }}=%>",
        "{{>p}}",
        "\n",
        "\r\n",
        " ",
        "\t",
        "é",
        "user:\n",
        "x",
        "{",
        "}",
        "=",
        "/",
        "#",
        ".",
    ]);
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn parsing_never_panics_and_all_spans_are_in_the_text(
        text in prop_oneof![any_template(), ".*", "[{}#^/&. \na]{0,40}"]
    ) {
        match parse(&text) {
            Ok(tree) => {
                let whole = TemplateSpan::new(0, text.len());
                prop_assert!(is_placed(&text, &tree.nodes, whole), "{:?}", tree);
            }
            Err(error) => {
                prop_assert!(text.get(error.span.start..error.span.end).is_some(), "{:?}", error);
            }
        }
    }

    #[test]
    fn each_compiled_template_renders(text in any_template()) {
        let limits = RenderLimits::default();
        let inputs = map(r#"{"a": [1, {"b": "x"}, {"a": false}], "b": null}"#);
        if let Ok(template) = compile(&text, limits, Undefined::Empty) {
            let scope = Scope { inputs: &inputs, rich: &[], nonce: "00ff" };
            prop_assert!(template.render(scope).is_ok());
        }
    }

    #[test]
    fn text_without_braces_renders_to_itself(text in "[^{]*") {
        prop_assume!(parse(&text).is_ok());
        let limits = RenderLimits::default();
        let fenced = compile_with(&text, Marks::Fences(Boundaries::default()), limits, Undefined::Error).unwrap();
        let scope = Scope { inputs: &Map::new(), rich: &[], nonce: "00ff" };
        prop_assert_eq!(fenced.render(scope).unwrap(), text);
    }

    #[test]
    fn a_raw_value_is_written_unchanged(value in ".*") {
        let inputs = Map::from([("x", value.as_str())]);
        let text = run("{{{x}}}", &inputs, RenderLimits::default(), Undefined::Error).unwrap();
        prop_assert_eq!(text, value);
    }

    #[test]
    fn an_escaped_value_contains_no_markup(value in ".*") {
        let inputs = Map::from([("x", value.as_str())]);
        let text = run("{{x}}", &inputs, RenderLimits::default(), Undefined::Error).unwrap();
        prop_assert!(!text.contains(['<', '>', '"', '\'']));
        let back = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
            .into_iter()
            .fold(text, |text, (entity, character)| text.replace(entity, character));
        prop_assert_eq!(back, value);
    }
}
