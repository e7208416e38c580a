//! The exact format that is found for each kind of template.

use prompty_chat::Analysis;
use prompty_reply::ReplyParser;
use prompty_reply::format::{Arguments, CallShape, Marker, NamedCall, Quoting};
use serde_json::Value;

use super::{TEMPLATES, analyze, analyze_with_tokens, source};

/// A value without its empty parts.
fn compact(value: Value) -> Option<Value> {
    match value {
        Value::Null | Value::Bool(false) => None,
        Value::String(text) if text.is_empty() => None,
        Value::Object(map) => {
            let entries = map.into_iter().filter_map(|(key, value)| Some((key, compact(value)?)));
            let map: serde_json::Map<_, _> = entries.collect();
            (!map.is_empty()).then_some(Value::Object(map))
        }
        Value::Array(items) if items.is_empty() => None,
        other => Some(other),
    }
}

#[test]
fn each_kind_of_template_gives_its_format() {
    for (name, text) in TEMPLATES {
        let format = serde_json::to_value(analyze(text).format()).unwrap();
        let shown = serde_json::to_string_pretty(&compact(format)).unwrap();
        insta::assert_snapshot!(*name, shown);
    }
}

#[test]
fn an_analysis_is_deterministic() {
    for (_, text) in TEMPLATES {
        assert_eq!(analyze(text).format(), analyze(text).format());
    }
}

#[test]
fn few_probes_are_enough() {
    for (name, text) in TEMPLATES {
        let probes = analyze(text).probes().len();
        assert!(probes <= 25, "{name}: {probes} probes");
    }
}

#[test]
fn special_tokens_end_turns_and_are_control_tokens() {
    let format = analyze_with_tokens(source("named_id")).format().clone();
    assert_eq!(format.turn.end.to_vec(), [Marker::new("</s>")]);
    assert_eq!(format.turn.control_tokens.to_vec(), ["<s>", "</s>"]);
}

#[test]
fn a_marker_before_the_end_token_also_ends_a_turn() {
    let text = "{% for m in messages %}<{{ m.role }}>{{ m.content }}</turn>\n{{ eos_token }}\
                {% endfor %}";
    let format = analyze_with_tokens(text).format().clone();
    assert_eq!(format.turn.end.to_vec(), [Marker::new("</turn>"), Marker::new("</s>")]);
}

/// The quoting of strings in a template that writes values with this expression.
fn quoting_of(value: &str) -> Quoting {
    let text = format!(
        "{{% for m in messages %}}<{{{{ m.role }}}}>{{{{ m.content }}}}{{% for c in m.tool_calls or [] %}}\
         <f={{{{ c.function.name }}}}>{{% for k, v in c.function.arguments.items() %}}\
         <p={{{{ k }}}}>{value}</p>{{% endfor %}}</f>{{% endfor %}}</turn>{{% endfor %}}"
    );
    let tools = analyze(&text).format().tools.clone().expect("it calls");
    match tools.shape {
        CallShape::Named(NamedCall { arguments: Arguments::Tagged { quoting, .. }, .. }) => quoting,
        other => panic!("{other:?}"),
    }
}

#[test]
fn quotes_around_strings_with_markup_are_detected() {
    for condition in ["v is string and ('<' in v or '\\n' in v)", "v is string"] {
        let quoted = format!("{{% if {condition} %}}<![CDATA[{{{{ v }}}}]]>");
        let quoting = quoting_of(&format!("{quoted}{{% else %}}{{{{ v }}}}{{% endif %}}"));
        assert_eq!((&*quoting.open, &*quoting.close), ("<![CDATA[", "]]>"));
        assert!(quoting.escapes.is_empty());
    }
    assert!(quoting_of("{{ v }}").is_none());
    // Prose may begin with a quotation mark, too.
    assert!(quoting_of("{{ v|tojson if v is string and '&' in v else v }}").open.is_empty());
}

#[test]
fn escapes_of_markup_are_detected() {
    let quoting = quoting_of("{{ v|string|replace('&', '&amp;')|replace('<', '&lt;') }}");
    let escapes: Vec<_> = quoting.escapes.iter().map(|it| (&*it.written, &*it.meant)).collect();
    assert_eq!(escapes, [("&amp;", "&"), ("&lt;", "<")]);
    assert!(quoting.open.is_empty());
    let quoting = quoting_of("{{ v|string|replace('</p>', '<\\/p>') }}");
    assert_eq!((&*quoting.escapes[0].written, &*quoting.escapes[0].meant), ("<\\/p>", "</p>"));
}

/// A template that explains calls to the model with these instructions, but writes no calls.
fn analyze_instructions(instructions: &str) -> Analysis {
    analyze(&format!(
        "{{% if tools %}}{{{{ tools }}}} {instructions}{{% endif %}}\
         {{% for m in messages %}}<{{{{ m.role }}}}>{{{{ m.content }}}}</turn>{{% endfor %}}"
    ))
}

#[test]
fn an_example_in_the_instructions_is_a_candidate() {
    for (instructions, reply) in [
        (
            r#"<do>{"name": <name>, "arguments": <args>}</do>"#,
            r#"<do>{"name": "f", "arguments": {"a": 1}}</do>"#,
        ),
        (
            r#"marker[{"name": [name], "arguments": [as JSON]}, ...] please"#,
            r#"marker[{"name": "f", "arguments": {"a": 1}}]"#,
        ),
        (
            r#"[DO][{"parameters": "a", "tool": "b"}, {"parameters": {}, "tool": "c"}][/DO]"#,
            r#"[DO][{"parameters": {"a": 1}, "tool": "f"}][/DO]"#,
        ),
    ] {
        let analysis = analyze_instructions(instructions);
        assert!(analysis.format().tools.is_none());
        let [candidate] = analysis.candidates() else { panic!("{:?}", analysis.candidates()) };
        assert!(instructions.contains(&candidate.evidence), "{instructions}: {candidate:?}");
        let reply = ReplyParser::new(candidate.format.clone()).parse(reply);
        assert_eq!(reply.calls().len(), 1, "{instructions}: {reply:?}");
        assert_eq!((&*reply.calls()[0].name, &*reply.calls()[0].arguments), ("f", r#"{"a": 1}"#));
    }
}

#[test]
fn other_objects_in_the_instructions_are_not_candidates() {
    for instructions in [
        r#"<do>{"name": "n", "arguments": {}, "more": 1}</do>"#,
        r#"<do>{"name": "n", "arguments": {}} and no end"#,
        r#"</do>{"city": "n", "country": "x"}"#,
        r#"{"name": "n""#,
    ] {
        assert!(analyze_instructions(instructions).candidates().is_empty(), "{instructions}");
    }
}

#[test]
fn reasoning_removed_from_the_history_has_mirrored_tags() {
    for kept in [
        "m.content if loop.last else m.content.split('</muse>')[-1]",
        "m.content.split('<muse>')[0] + m.content.split('</muse>')[1] if '</muse>' in m.content else m.content",
    ] {
        let text = format!(
            "{{% for m in messages %}}<{{{{ m.role }}}}>{{{{ {kept} }}}}</turn>{{% endfor %}}"
        );
        let parser = ReplyParser::new(analyze(&text).format().clone());
        let read = |text: &str| {
            let reply = parser.parse(text);
            (reply.reasoning().to_owned(), reply.content().to_owned())
        };
        assert_eq!(read("<muse>Easy.</muse>42"), ("Easy.".to_owned(), "42".to_owned()), "{kept}");
        assert_eq!(read("42"), (String::new(), "42".to_owned()), "{kept}");
    }
}
