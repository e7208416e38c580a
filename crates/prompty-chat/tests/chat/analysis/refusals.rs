//! Templates that refuse, and templates whose format cannot be detected.

use prompty_chat::{ChatTemplate, PromptOptions};
use prompty_core::ErrorKind;
use prompty_core::message::{Message, ToolSpec};
use prompty_core::value::Map;

use super::{analyze, source};

#[test]
fn a_template_that_writes_no_answer_is_an_error_with_the_probe() {
    let template = ChatTemplate::from_text("{{ messages[0].content }}").unwrap();
    let error = template.analyze().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Analysis);
    assert_eq!(
        error.to_string(),
        "the template does not write assistant messages; in the probe `question and answer`, the \
         template wrote nothing after the user message"
    );
    assert!(error.help().is_some());
}

#[test]
fn a_template_that_refuses_is_an_error_with_its_message() {
    let text = "{{ raise_exception('Only on Sundays.') }}";
    let error = ChatTemplate::from_text(text).unwrap().analyze().unwrap_err();
    assert!(error.to_string().ends_with("refused: Only on Sundays."), "{error}");
}

#[test]
fn unclear_calls_are_an_error_only_if_tools_are_offered() {
    let text = "{% for m in messages %}<{{ m.role }}>{{ m.content }}\
                {% for c in m.tool_calls or [] %}{{ c.function.arguments.zqkeyaqz }} \
                {{ c.function.name }}{% endfor %}</>{% endfor %}";
    let template = ChatTemplate::from_text(text).unwrap();
    let error = template.analysis().unwrap().unclear_calls().unwrap();
    assert_eq!(error.kind(), ErrorKind::Analysis);
    assert!(error.to_string().contains("the format of tool calls"), "{error}");

    let (question, options) = ([Message::user("Why?")], PromptOptions::new());
    let turn = template.apply(&question, &[], &options).unwrap();
    assert_eq!(turn.parser.parse("So.</>").content(), "So.");
    let tool = ToolSpec::new("time", Map::from([("type", "object")]));
    let refused = template.apply(&question, &[tool], &options).unwrap_err();
    assert_eq!(refused.to_string(), error.to_string());
}

#[test]
fn a_refused_probe_has_the_message_of_the_template() {
    let analysis = analyze(source("json_nested"));
    let refusals: Vec<_> =
        analysis.probes().iter().filter_map(|it| it.refusal.as_deref()).collect();
    assert!(refusals.contains(&"One call at a time!"), "{refusals:?}");
    assert!(!analysis.format().tools.as_ref().unwrap().parallel);
}

#[test]
fn an_unset_variable_is_an_empty_string() {
    let text = "{{ 'Today is ' + today }}{% for m in messages %}<{{ m.role }}>{{ m.content }}</>\
                {% endfor %}";
    assert_eq!(analyze(text).format().turn.end[0].text, "</>");
}
