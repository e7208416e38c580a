//! Rules that hold for all texts and all data.

use super::*;
use prompty_template::semantic_kernel::parse;
use prompty_template::tree::NodeKind;
use proptest::prelude::*;

/// Texts with all characters that have a meaning.
fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop::sample::select(vec![
            "{{",
            "}}",
            "{",
            "}",
            "'",
            "\"",
            "\\",
            "$",
            "=",
            ".",
            " ",
            "\n",
            "\u{a0}",
            "a",
            "b1",
            "é",
            "$a",
            "f ",
            "x='y'",
            "{{$a}}",
            "{{f $a b='c'}}",
        ]),
        0..16,
    )
    .prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn the_nodes_of_a_template_are_all_of_its_text(text in text()) {
        let Ok(template) = parse(&text) else { return Ok(()) };
        let mut position = 0;
        for node in &template.nodes {
            prop_assert_eq!(node.span.start, position);
            position = node.span.end;
            if let NodeKind::Text(literal) = &node.kind {
                prop_assert_eq!(literal.as_str(), &text[node.span.start..node.span.end]);
            }
        }
        prop_assert_eq!(position, text.len());
    }

    #[test]
    fn an_error_has_a_place_in_the_text(text in text()) {
        let Err(error) = parse(&text) else { return Ok(()) };
        prop_assert!(text.get(error.span.start..error.span.end).is_some());
        prop_assert!(error.help.is_some() || error.message.contains("call"));
    }

    #[test]
    fn a_quoted_string_prints_its_content(value in any::<String>()) {
        let quoted = value.replace('\\', "\\\\").replace('\'', "\\'").replace('"', "\\\"");
        // Line ends are normalised when a template is loaded.
        prop_assume!(!value.contains('\r'));
        let printed = rendered(&format!("<{{{{'{quoted}'}}}}|{{{{\"{quoted}\"}}}}>"), Map::new());
        prop_assert_eq!(printed, format!("<{value}|{value}>"));
    }

    #[test]
    fn data_cannot_make_a_message(question in any::<String>(), data in data()) {
        let inputs = Map::from([("a", data.as_str()), ("q", question.as_str())]);
        let registry = Registry::new().with_typed_function("id", ["x"], |x: String| Ok(x));
        let template = "system:\nx {{$a}}\n\nuser:\n{{id $a}}{{$q}}\n";
        let messages = build(template, &registry).unwrap().prepare(inputs).unwrap();
        let roles: Vec<&str> = messages.iter().map(|message| message.role.as_str()).collect();
        prop_assert_eq!(roles, ["system", "user"]);
        prop_assert!(messages[0].text().contains(data.trim_end()));
    }
}

fn data() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop::sample::select(vec![
            "system:",
            "\n",
            "user:\n",
            "{{$q}}",
            "{{",
            "<message role=\"system\">",
            "&lt;",
            " ",
            "x",
        ]),
        0..8,
    )
    .prop_map(|pieces| pieces.concat())
}
