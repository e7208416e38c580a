//! The written forms of a grammar, and that they mean the same.

use prompty_core::value::Value;
use prompty_reply::grammar::schema::SchemaOptions;
use prompty_reply::grammar::{CharacterClass, Expression, GrammarBuilder};

use crate::support::GrammarForms;

#[test]
fn every_character_can_be_written() {
    let odd = "\"\\/[]^-{}()|*+?.#\u{0}\u{1}\n\r\t\u{7f}\u{a0}äß\u{2028}\u{feff}😀\u{10ffff}";
    let text = GrammarForms::of_expression(Expression::text(odd));
    assert!(text.admits(odd));
    assert!(!text.admits("x"));
    let class = GrammarForms::of_expression(CharacterClass::from_characters(odd).into());
    let others = GrammarForms::of_expression(CharacterClass::from_characters(odd).negated().into());
    for character in odd.chars() {
        assert!(class.admits(&character.to_string()), "{character:?}");
        assert!(!others.admits(&character.to_string()), "{character:?}");
    }
    assert!(others.admits("é") && !class.admits("é"));
}

#[test]
fn any_character_is_matched() {
    let forms = GrammarForms::of_expression(CharacterClass::any().into());
    assert!(forms.admits("\0") && forms.admits("\n") && forms.admits("😀") && !forms.admits("ab"));
}

#[test]
fn counts_apply_to_the_complete_item() {
    let forms = GrammarForms::of_expression(Expression::text("ab").repeated(2, Some(3)));
    for (text, admitted) in [("ab", false), ("abab", true), ("ababab", true), ("abb", false)] {
        assert_eq!(forms.admits(text), admitted, "{text}");
    }
    let nested = Expression::text("x").repeated(2, Some(2)).repeated(0, None);
    let forms = GrammarForms::of_expression(nested);
    assert!(forms.admits("") && forms.admits("xxxx") && !forms.admits("xxx"));
}

#[test]
fn large_counts_are_split_into_blocks() {
    for (at_least, at_most) in
        [(0, Some(2500)), (1500, None), (1200, Some(1900)), (3000, Some(3000))]
    {
        let forms = GrammarForms::of_expression(Expression::text("x").repeated(at_least, at_most));
        let around = [at_least.saturating_sub(1), at_least, at_most.unwrap_or(5000)];
        for count in around.into_iter().chain(at_most.map(|at_most| at_most + 1)) {
            let is_admitted = at_least <= count && at_most.is_none_or(|at_most| count <= at_most);
            assert_eq!(forms.gbnf.admits(&"x".repeat(count as usize)), is_admitted, "{count}");
        }
    }
}

#[test]
fn longest_terminal_is_avoided_if_it_is_wrong() {
    // A lexer that takes all letters at once would not find the last one.
    let mut builder = GrammarBuilder::new();
    let nest = builder.reserve("nest");
    let letters = || Expression::from(CharacterClass::range('a', 'z')).repeated(0, None);
    let inner = Expression::sequence(["(".into(), nest.into(), ")".into()]).optional();
    builder.define(nest, Expression::sequence([letters(), inner, letters(), "z".into()]));
    let forms = GrammarForms::of(&builder.build(nest).unwrap());
    for (text, admitted) in [("z", true), ("abcz", true), ("a(bz)cz", true), ("a(b)z", false)] {
        assert_eq!(forms.admits(text), admitted, "{text}");
    }
}

#[test]
fn non_recursive_grammar_is_one_terminal() {
    let forms = GrammarForms::of_expression(Expression::sequence([
        Expression::until(["</think>"]),
        "</think>".into(),
        Expression::choice(["yes".into(), "no".into()]).repeated(1, Some(3)),
    ]));
    assert!(forms.lark_text.contains("test: TERMINAL__0\n"), "{}", forms.lark_text);
    assert!(forms.admits("so</thin</think>yesno"));
    assert!(!forms.admits("so</think></think>yes"));
}

/// A reply as models write it: reasoning, content, and calls with any arguments.
fn reply(arguments: &str) -> GrammarForms {
    let mut builder = GrammarBuilder::new();
    let schema = Value::from_json(arguments).unwrap();
    let arguments = builder.schema("arguments", &schema, &SchemaOptions::new()).unwrap().rule;
    let call = Expression::sequence([
        "<tool_call>\n{\"name\": \"f\", \"arguments\": ".into(),
        arguments.into(),
        "}\n</tool_call>".into(),
    ]);
    let call = builder.rule("call", call);
    let more = Expression::sequence(["\n".into(), call.into()]).repeated(0, None);
    let calls = builder.rule("calls", Expression::sequence([call.into(), more]));
    let thought = Expression::until(["</think>", "<tool_call>"]);
    let reply = Expression::sequence([
        Expression::sequence(["<think>".into(), thought, "</think>\n".into()]).optional(),
        Expression::until(["<tool_call>"]),
        Expression::from(calls).optional(),
    ]);
    let reply = builder.rule("reply", reply);
    GrammarForms::of(&builder.build(reply).unwrap())
}

#[test]
fn reply_is_split_into_few_terminals() {
    let forms = reply("{}");
    // Text up to a delimiter is one terminal with it, and is never read by characters.
    assert!(!forms.lark_text.contains("until"), "{}", forms.lark_text);
    let call = "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": [1, \"<tool_call>\"]}}\n</tool_call>";
    for admitted in ["", "hello", "<think>so</think>\n", "<think>so</think>\nhello <tool"] {
        assert!(forms.admits(admitted), "{admitted}");
        assert!(forms.admits(&format!("{admitted}{call}")), "{admitted}{call}");
        assert!(forms.admits(&format!("{admitted}{call}\n{call}")), "{admitted}{call}");
        assert!(!forms.admits(&format!("{admitted}{call}x")), "{admitted}{call}");
    }
    assert!(!forms.admits("hello <tool_call>"));
}

#[test]
fn large_schemas_are_written_fast() {
    let properties: Vec<String> = (0..300)
        .map(|at| format!(r#""property {at}": {{"anyOf": [{{"type": "string"}}, {{}}]}}"#))
        .collect();
    let schema =
        format!(r#"{{"properties": {{{}}}, "additionalProperties": true}}"#, properties.join(","));
    let forms = reply(&schema);
    let call = r#"{"property 1": [], "property 299": "x", "other": {}}"#;
    let call = format!("<tool_call>\n{{\"name\": \"f\", \"arguments\": {call}}}\n</tool_call>");
    assert!(forms.admits(&call));
    assert!(!forms.admits(&call.replace("299", "0")));
}
