//! The states of one small chat template and reply, as `DESIGN.md` shows them.

use std::fmt::Write as _;

use prompty_core::message::{Message, ToolSpec};
use prompty_core::value::Map;

use crate::{ChatTemplate, PromptOptions};

const TEMPLATE: &str = concat!(
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}",
    "{% for c in m.tool_calls %}<call>{{ c.function | tojson }}</call>{% endfor %}<end>{% endfor %}",
    "{% if add_generation_prompt %}<assistant>{% endif %}",
);

#[test]
fn the_reply_path() {
    let template = ChatTemplate::from_text(TEMPLATE).unwrap();
    let analysis = template.analysis().unwrap();
    let mut shown = String::new();
    let is_shown = |name: &str| ["question and answer", "two calls"].contains(&name);
    for probe in analysis.probes().iter().filter(|probe| is_shown(&probe.name)) {
        let _ = writeln!(
            shown,
            "Probe    {}: {:?}",
            probe.name,
            probe.rendered.as_deref().unwrap_or_default()
        );
    }
    let is_shown = |step: &str| ["turn", "T1", "T2"].contains(&step);
    for finding in analysis.findings().iter().filter(|finding| is_shown(finding.step)) {
        let _ = writeln!(shown, "Finding  {}: {}", finding.step, finding.found);
    }
    let tools = [ToolSpec::new("f", Map::new())];
    let turn = template.apply(&[Message::user("Hi")], &tools, &PromptOptions::default()).unwrap();
    let _ = writeln!(shown, "Prompt   {:?}", turn.prompt);
    let reply = turn.parser.parse("A<call>{\"name\": \"f\", \"arguments\": {\"a\": 1}}</call>");
    let _ = writeln!(shown, "Content  {:?}", reply.content());
    for call in reply.calls() {
        let _ = writeln!(shown, "Call     {} {}", call.name, call.arguments);
    }
    insta::assert_snapshot!(shown);
}
