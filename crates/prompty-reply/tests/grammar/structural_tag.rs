//! The content of structural tags.

use prompty_core::message::{ToolChoice, ToolSpec};
use prompty_core::value::Map;
use prompty_reply::format::{CallShape, JsonCall, Reasoning, ReplyFormat, Tools};
use prompty_reply::grammar::{GrammarOptions, GrammarStart};
use prompty_reply::{ReplyOptions, ReplyParser};
use serde_json::{Value, json};

fn parser() -> ReplyParser {
    let mut format = ReplyFormat::plain();
    format.reasoning = Some(Reasoning::tags("<think>\n", "\n</think>\n\n"));
    format.tools =
        Some(Tools::new(CallShape::Json(JsonCall::default())).with_call("<call>", "</call>"));
    ReplyParser::new(format).with_tools(&[ToolSpec::new("now", Map::from([("type", "object")]))])
}

fn format(parser: &ReplyParser, options: &GrammarOptions) -> Value {
    let tag = parser.grammar(options).unwrap().unwrap().to_structural_tag();
    let tag = serde_json::to_value(tag).unwrap();
    assert_eq!(tag["type"], "structural_tag");
    tag["format"].clone()
}

/// The format with `…` in place of its grammars.
fn outline(format: &Value) -> Value {
    match format {
        Value::Object(map) if map.get("type") == Some(&json!("grammar")) => json!("…"),
        Value::Object(map) => {
            map.iter().map(|(key, value)| (key.clone(), outline(value))).collect()
        }
        Value::Array(list) => list.iter().map(outline).collect(),
        other => other.clone(),
    }
}

fn required() -> GrammarOptions {
    GrammarOptions::new().with_tool_choice(ToolChoice::Required).with_parallel(false)
}

fn reasoning(begin: &str) -> Value {
    json!({"type": "sequence", "elements": [
        {"type": "tag", "begin": begin, "content": {"type": "any_text"}, "end": "</think>"}, "…"]})
}

/// The parts after a call's opener.
fn call() -> Vec<Value> {
    let arguments = json!({"type": "json_schema", "json_schema": {"type": "object"}});
    vec![json!("…"), arguments, json!("…")]
}

fn sequence(parts: impl IntoIterator<Item = Value>) -> Value {
    json!({"type": "sequence", "elements": parts.into_iter().collect::<Vec<_>>()})
}

#[test]
fn required_call_follows_reasoning_and_text() {
    let text = json!({"type": "tag", "begin": "",
        "content": {"type": "any_text", "excludes": ["</call>", "<think>"]}, "end": "<call>"});
    let optional = json!({"type": "optional", "content": reasoning("<think>")});
    let found = outline(&format(&parser(), &required()));
    assert_eq!(found, sequence([optional, text.clone()].into_iter().chain(call())));

    // Without reasoning, if the server knows where it ends.
    let after_reasoning = required().with_start(GrammarStart::AfterReasoning);
    let found = outline(&format(&parser(), &after_reasoning));
    assert_eq!(found, sequence([text].into_iter().chain(call())));
}

#[test]
fn reasoning_that_the_prompt_opened_must_be_closed() {
    let found = outline(&format(&parser().starting_in_reasoning(), &required()));
    let closed = json!({"type": "tag", "begin": "",
        "content": {"type": "any_text", "excludes": ["<call>"]}, "end": "</think>"});
    assert_eq!(found["elements"][0], closed);
}

#[test]
fn lazy_grammar_is_dispatched_to() {
    let once = GrammarOptions::new().with_parallel(false);
    let waiting =
        json!({"type": "dispatch", "rules": [["<call>", sequence(call())]], "loop": false});
    let optional = json!({"type": "optional", "content": reasoning("<think>")});
    let found = outline(&format(&parser(), &once));
    assert_eq!(found, sequence([optional, waiting.clone()]));

    // A call ends reasoning that the prompt opened.
    let found = outline(&format(&parser().starting_in_reasoning(), &once));
    assert_eq!(found, waiting);
}

#[test]
fn repeated_calls_follow_a_dispatched_one() {
    let options = GrammarOptions::new().with_start(GrammarStart::AfterReasoning);
    let found = outline(&format(&parser(), &options));
    assert_eq!(found["type"], "dispatch");
    assert_eq!(found["rules"][0][0], "<call>");
    let after_opener = found["rules"][0][1]["elements"].as_array().unwrap();
    assert!(after_opener.iter().any(|part| part["type"] == "star"), "{found}");
}

#[test]
fn text_that_the_prompt_has_begun_is_left_out() {
    let found = outline(&format(&parser().with_prompt_tail("<call>"), &required()));
    assert_eq!(found, sequence(call()));
}

#[test]
fn possible_beginning_in_the_prompt_may_be_text() {
    let grammar = parser().with_prompt_tail("<ca").grammar(&required()).unwrap().unwrap();
    let rules = grammar_testing::Gbnf::parse(&grammar.to_gbnf()).unwrap();
    let call = r#"{"name": "now", "arguments": {}}</call>"#;
    for (admitted, opener) in [("ll>", ""), ("t ", "<call>"), ("lls", "<call>")] {
        assert!(rules.admits(&format!("{admitted}{opener}{call}")), "{admitted}");
    }
    for refused in ["", "t", "t<think><call>", "ll><call>"] {
        assert!(!rules.admits(&format!("{refused}{call}")), "{refused}");
    }
}

#[test]
fn content_is_left_to_its_schema() {
    let schema = json!({"type": "integer"});
    let value = prompty_core::value::Value::from_json(&schema.to_string()).unwrap();
    let parser = ReplyParser::new(ReplyFormat::plain())
        .with_options(ReplyOptions::default().with_content_schema(value));
    let json = json!({"type": "json_schema", "json_schema": schema});
    let fenced =
        sequence([json!("…"), json.clone(), json!({"type": "const_string", "value": "\n```"})]);
    let found = outline(&format(&parser, &GrammarOptions::new()));
    let either = json!({"type": "or", "elements": [json, fenced]});
    assert_eq!(found, sequence([either, json!("…")]));
}

#[test]
fn prompt_without_a_continuation_is_an_error_that_quotes_it() {
    let parser = parser().with_prompt_tail(r#"<call>{"name": "now", "arguments": {"a"#);
    let error = parser.grammar(&required()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the prompt ends inside of a marker or a call, with `<call>{\"name\": \"now\", \
         \"arguments\": {\"a`, which no reply can continue"
    );
}
