//! Free text in grammars: it contains nothing that the parser would read as a call or a message.

use grammar_testing::Gbnf;
use prompty_core::message::{ToolChoice, ToolSpec};
use prompty_core::value::Map;
use prompty_reply::format::{
    CallShape, Headers, JsonCall, Marker, NamePlace, NamedCall, Reasoning, ReplyFormat, Suffix,
    Tools,
};
use prompty_reply::grammar::GrammarOptions;
use prompty_reply::{CallsInReasoning, ReplyOptions, ReplyParser};

const CALL: &str = r#"<call>{"name": "now", "arguments": {}}</call>"#;

fn now() -> ToolSpec {
    ToolSpec::new("now", Map::from([("type", "object")]))
}

fn json(call: JsonCall) -> ReplyFormat {
    let mut format = ReplyFormat::plain();
    format.tools = Some(Tools::new(CallShape::Json(call)).with_call("<call>", "</call>"));
    format
}

fn parser(format: ReplyFormat, options: ReplyOptions) -> ReplyParser {
    ReplyParser::new(format).with_options(options).with_tools(&[now()])
}

fn rules(parser: &ReplyParser) -> Gbnf {
    let options = GrammarOptions::new().with_tool_choice(ToolChoice::Required);
    Gbnf::parse(&parser.grammar(&options).unwrap().unwrap().to_gbnf()).unwrap()
}

/// Checks that a grammar matches texts without malformed calls, and refuses the others.
#[track_caller]
fn check(parser: &ReplyParser, admitted: &[&str], refused: &[&str]) {
    let rules = rules(parser);
    for text in admitted {
        assert!(rules.admits(text), "{text}");
        assert!(parser.parse(text).malformed().is_empty(), "{text}");
    }
    for text in refused {
        assert!(!rules.admits(text), "{text}");
        assert!(!parser.parse(text).malformed().is_empty(), "{text}");
    }
}

#[test]
fn content_between_markers_contains_no_opener_of_a_call() {
    let mut format = json(JsonCall::default());
    format.content.open = Marker::new("<say>");
    format.content.close = Marker::new("</say>");
    check(
        &parser(format, ReplyOptions::default()),
        &[CALL, &format!("<say>a < b</say>{CALL}")],
        &[&format!(r#"<say>a <call>{{"name": 1}} b</say>{CALL}"#)],
    );
}

#[test]
fn reasoning_contains_an_opener_only_if_the_option_says_text() {
    let mut format = json(JsonCall::default());
    format.reasoning = Some(Reasoning::tags("<think>", "</think>"));
    let parser = |calls: CallsInReasoning| {
        parser(format.clone(), ReplyOptions::default().with_calls_in_reasoning(calls))
    };
    let with_opener = format!(r#"I <call>{{"name": 1}} it</think>{CALL}"#);
    let opened = format!("<think>{with_opener}");
    check(&parser(CallsInReasoning::End), &[CALL], &[&opened]);
    check(&parser(CallsInReasoning::Text), &[&opened], &[]);
    check(&parser(CallsInReasoning::ByOpener).with_prompt_tail("<think>"), &[], &[&with_opener]);
    check(&parser(CallsInReasoning::Text).with_prompt_tail("<think>"), &[&with_opener], &[]);
}

#[test]
fn body_of_a_message_contains_no_opener_of_another() {
    let call = NamedCall {
        name: NamePlace::Header,
        prefix: Marker::NONE,
        suffix: Suffix::new(""),
        namespace: "".into(),
        id: None,
        arguments: prompty_reply::format::Arguments::Json,
        close: Marker::new("<|call|>"),
    };
    let mut format = ReplyFormat::plain();
    format.turn.open = "<|start|>".into();
    format.headers = Some(Headers {
        open: Marker::new("<|start|>"),
        end: Marker::new("<|message|>"),
        close: vec![Marker::new("<|end|>")].into(),
        reasoning: vec!["thinks".into()].into(),
        content: vec!["says".into()].into(),
        recipient: " to=".into(),
        namespace: "tools.".into(),
    });
    format.tools = Some(Tools::new(CallShape::Named(call)));
    let call = " to=tools.now<|message|>{}<|call|>";
    let other = "<|start|> to=tools.now<|message|>no";
    let [thinks, says] = ["thinks", "says"].map(|header| format!("{header}<|message|>a < b"));
    check(
        &parser(format, ReplyOptions::default()),
        &[
            call,
            &format!("{thinks}<|end|><|start|>{call}"),
            &format!("{says}<|end|><|start|>{call}"),
        ],
        &[
            &format!("{thinks}{other}<|end|><|start|>{call}"),
            &format!("{says}{other}<|end|><|start|>{call}"),
        ],
    );
}

#[test]
fn text_contains_no_opener_with_other_white_space() {
    let mut format = json(JsonCall::default());
    let tools = Tools::new(CallShape::Json(JsonCall::default()));
    format.tools = Some(tools.with_call("<|sep|>\n\ncall<|role|>", ""));
    let call = "<|sep|>call<|role|>{\"name\": \"now\", \"arguments\": {}}";
    check(
        &parser(format, ReplyOptions::default()),
        &[call, &format!("a < b{call}")],
        &[&format!("a<|sep|>call<|role|>b{call}"), &format!("a<|sep|>\ncall<|role|>b{call}")],
    );
}

#[test]
fn text_contains_no_opener_with_other_white_space_inside_a_tag() {
    let mut format = json(JsonCall::default());
    for (open, others) in [
        ("<tool call>", ["<toolcall>", "<tool\n call>", "<tool  call>"]),
        ("<a><b>", ["<a> <b>", "<a>\n\n<b>", "<a>\t<b>"]),
        ("<a><b> c>", ["<a> <b>c>", "<a><b>\nc>", "<a>\n<b> c>"]),
    ] {
        let tools = Tools::new(CallShape::Json(JsonCall::default()));
        format.tools = Some(tools.with_call(open, "</call>"));
        let call = format!(r#"{open}{{"name": "now", "arguments": {{}}}}</call>"#);
        let wrong = others.map(|other| format!(r#"see {other}{{"name": 1}} b {call}"#));
        check(
            &parser(format.clone(), ReplyOptions::default()),
            &[&call, &format!("see < b{call}")],
            &wrong.each_ref().map(String::as_str),
        );
    }
}

#[test]
fn numeric_ids_are_json_numbers() {
    let mut call = JsonCall { id_field: "id".into(), ..JsonCall::default() };
    call.order = ["id", "name", "arguments"].map(Into::into).to_vec().into();
    let call_of = |id| format!(r#"<call>{{"id": {id}, "name": "now", "arguments": {{}}}}</call>"#);
    let [zero, some, leading_zero] = ["0", "10", "01"].map(call_of);
    check(&parser(json(call), ReplyOptions::default()), &[&zero, &some], &[&leading_zero]);
}

#[test]
fn marker_may_continue_after_white_space_that_is_text() {
    let mut format = json(JsonCall::default());
    format.reasoning = Some(Reasoning::tags("\n<think>", "</think>"));
    let parser = parser(format, ReplyOptions::default()).with_prompt_tail("One\n<ca");
    let rules = rules(&parser);
    for text in [CALL.trim_start_matches("<ca").to_owned(), format!("r>{CALL}")] {
        assert!(rules.admits(&text), "{text}");
        assert!(parser.parse(&text).malformed().is_empty(), "{text}");
    }
}
