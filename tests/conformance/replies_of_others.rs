//! Replies that the tests of other projects read: well formed, damaged, without types, and disputed.

use prompty_chat::{Candidate, ChatTemplate};
use prompty_core::message::tools_from_openai;
use prompty_core::value::Value as PromptValue;
use prompty_reply::format::AnalysisResult;
use prompty_reply::{Channel, FinishReason, Reply, ReplyOptions, ReplyParser};
use serde_json::Value;

use crate::chat_templates::template;
use crate::frame::{Area, Case, Outcome};

pub(crate) const WELLFORMED: Area = Area {
    only: |case| case["class"] == "wellformed",
    ..area("replies/wellformed", read_as_stated)
};
/// Damaged replies: nothing is lost, and no markup becomes content.
pub(crate) const MALFORMED: Area =
    Area { only: |case| case["class"] == "malformed", ..area("replies/malformed", keep_apart) };
/// The same, read as the suite of each case reads it.
pub(crate) const MALFORMED_AS_STATED: Area = Area {
    only: |case| case["class"] == "malformed",
    ..area("replies/malformed, as the suites read them", read_as_stated)
};
pub(crate) const UNTYPED: Area =
    Area { only: |case| case["class"] == "untyped", ..area("replies/untyped", read_as_stated) };
pub(crate) const DISPUTED: Area =
    Area { only: |case| case["class"] == "disputed", ..area("replies/disputed", read_as_stated) };
/// No call that is told as complete has a name or a key other than the case's.
pub(crate) const TRUE_CALLS: Area =
    Area { only: |case| case["class"] != "disputed", ..area("replies/true calls", calls_are_true) };

const fn area(name: &'static str, run: fn(&Case<'_>) -> Outcome) -> Area {
    Area { file: Some("replies/replies"), ..Area::new(name, run) }
}

/// The reply, read whole; an error where it is read in another way in pieces of 1, 3 or 7 characters.
fn read(case: &Case<'_>) -> Result<(ReplyParser, Reply), String> {
    let parser = parser(case).map_err(|error| format!("{error:#}"))?;
    let text = case.json["reply"].as_str().unwrap();
    let whole = parser.parse(text);
    match [1, 3, 7].into_iter().find(|length| streamed(&parser, text, *length) != whole) {
        Some(length) => Err(format!("in pieces of {length} it is read in another way")),
        None => Ok((parser, whole)),
    }
}

/// Compares what was read with what the case's suite states.
fn read_as_stated(case: &Case<'_>) -> Outcome {
    let (parser, reply) = match read(case) {
        Ok(read) => read,
        Err(why) => return Outcome::Failed(why),
    };
    let differences = differences(&reply, case.json);
    if differences.is_empty() {
        let is_adopted = !reply.calls().is_empty() && only_told(&template(case)).is_some();
        return if is_adopted { Outcome::SetAside(ADOPTED) } else { Outcome::Passed };
    }
    if let Some(rule) = set_aside(case.json, &parser, &reply) {
        return Outcome::SetAside(rule);
    }
    let text = case.json["reply"].as_str().unwrap();
    Outcome::Failed(format!(
        "{} ({text:?}, malformed {:?})",
        differences.join("; "),
        reply.malformed()
    ))
}

/// The format of calls that only the instructions to the model show, which an author adopts.
fn only_told(template: &ChatTemplate) -> Option<&Candidate> {
    let analysis = template.analysis().ok()?;
    analysis.candidates().first().filter(|_| analysis.format().tools.is_none())
}

const ADOPTED: &str =
    "only the instructions show calls, and with the first candidate it is read right";

/// The rules by which a difference does not count.
fn set_aside(case: &Value, parser: &ReplyParser, reply: &Reply) -> Option<&'static str> {
    if is_left_in_content(case, parser, reply) {
        return Some("the case's reader reads calls alone, and leaves reasoning in the content");
    }
    let stated = case["expected"]["content"].as_str().unwrap_or_default();
    if let [difference] = &*differences(reply, case)
        && difference.starts_with("content is")
    {
        let words = |text: &str| text.split_whitespace().collect::<String>();
        if words(stated) == words(reply.content()) {
            return Some("white space beside markup is the template's own");
        }
        let close = parser.format().reasoning.as_ref().map(|it| &*it.close.text);
        let without = close.and_then(|close| stated.trim_start().strip_prefix(close));
        if without.is_some_and(|without| without.trim() == reply.content().trim()) {
            return Some("a closer at the reply's start says that there is no reasoning");
        }
    }
    if !case["expected"]["tool_calls"].as_array().is_none_or(Vec::is_empty) {
        return None;
    }
    let regions = parser.regions(case["reply"].as_str().unwrap());
    let is_call = |channel: &Channel| matches!(channel, Channel::Call | Channel::Malformed);
    let mut calls = regions.iter().filter(|(channel, _)| is_call(channel)).peekable();
    (calls.peek().is_some() && calls.all(|(_, text)| stated.contains(text.trim())))
        .then_some("the case's reader reads reasoning alone, and leaves calls in the content")
}

/// Complete calls that a case does not have, and the rules by which they are right.
const RIGHT_CALLS: [(&str, &str); 4] = [
    ("smg/command-r7b/011", "a brace that the model left open is closed, and told"),
    ("vllm/mistral-v3/019", "a row of calls without its list has all of them"),
    ("vllm/mistral-v3/020", "a row of calls without its list has all of them"),
    ("vllm-rust/kimi-k2/001", "a comma too many is mended"),
];

/// Whether what was read as reasoning is content for the case, with its markers.
fn is_left_in_content(case: &Value, parser: &ReplyParser, reply: &Reply) -> bool {
    let content = case["expected"]["content"].as_str().unwrap_or_default().trim();
    let with_reasoning = ReplyOptions::default().with_reasoning_in_content(true);
    let parser = parser.clone().with_options(with_reasoning);
    !reply.reasoning().is_empty() && {
        let other = parser.parse(case["reply"].as_str().unwrap());
        other.content().trim() == content && other.calls() == reply.calls()
    }
}

/// Whether the pieces of a damaged reply are the whole of it, with no markup of the format among the content.
fn keep_apart(case: &Case<'_>) -> Outcome {
    let (parser, reply) = match read(case) {
        Ok(read) => read,
        Err(why) => return Outcome::Failed(why),
    };
    let text = case.json["reply"].as_str().unwrap();
    let pieces: String = parser.regions(text).into_iter().map(|(_, piece)| piece).collect();
    if pieces != text {
        return Outcome::Failed(format!("of {text:?} {pieces:?} is left"));
    }
    let stated = case.json["expected"]["content"].as_str().unwrap_or_default();
    let view = AnalysisResult::from_format(parser.format());
    let is_markup =
        |mark: &&String| mark.starts_with(['<', '[']) && reply.content().contains(mark.as_str());
    match view
        .preserved_tokens
        .iter()
        .filter(|mark| !stated.contains(mark.as_str()))
        .find(is_markup)
    {
        Some(mark) => Outcome::Failed(format!("{mark:?} stands in the content of {text:?}")),
        None => Outcome::Passed,
    }
}

/// Whether each complete call has the name and the keys of one that the case has.
fn calls_are_true(case: &Case<'_>) -> Outcome {
    let (parser, reply) = match read(case) {
        Ok(read) => read,
        Err(why) => return Outcome::Failed(why),
    };
    let stated = case.json["expected"]["tool_calls"].as_array().map_or(&[][..], Vec::as_slice);
    let Some(why) = untrue_call(&reply, stated) else { return Outcome::Passed };
    let exception = RIGHT_CALLS.iter().find(|(id, _)| case.json["id"] == **id);
    let rule = exception.map(|(_, rule)| *rule);
    let rule = rule.or_else(|| set_aside(case.json, &parser, &reply).filter(|_| stated.is_empty()));
    rule.map_or(Outcome::Failed(why), Outcome::SetAside)
}

/// A call that is told as complete and has the name, or the keys, of none that is stated.
pub(crate) fn untrue_call(reply: &Reply, stated: &[Value]) -> Option<String> {
    let is_stated = |name: &str, arguments: &Value| {
        stated.iter().any(|call| {
            let is_name = call["name"].is_null() || call["name"] == name;
            is_name && (call["arguments"].is_null() || keys(arguments) == keys(&call["arguments"]))
        })
    };
    reply.calls().iter().filter(|call| call.complete).find_map(|call| {
        let arguments = serde_json::from_str(&call.arguments).unwrap_or(Value::Null);
        let is_true = arguments.is_null() || is_stated(&call.name, &arguments);
        (!is_true).then(|| format!("{} {arguments} is none of {stated:?}", call.name))
    })
}

/// The keys of arguments, which may be a text that holds them.
fn keys(arguments: &Value) -> Vec<String> {
    let held = arguments.as_str().and_then(|text| serde_json::from_str(text).ok());
    let arguments = held.as_ref().unwrap_or(arguments);
    let keys = arguments.as_object().into_iter().flat_map(|it| it.keys());
    let mut keys: Vec<String> = keys.cloned().collect();
    keys.sort();
    keys
}

fn parser(case: &Case<'_>) -> Result<ReplyParser, prompty_core::Error> {
    let template = template(case);
    let format = match only_told(&template) {
        Some(candidate) => candidate.format.clone(),
        None => template.format()?.clone(),
    };
    let begins_in_header = format.headers.is_some();
    let mut parser = ReplyParser::new(format);
    if !case.json["tools"].is_null() {
        let tools = PromptValue::from_serialize(&case.json["tools"]).unwrap();
        parser = parser.with_tools(&tools_from_openai(&tools)?);
    }
    Ok(match case.json["start"].as_str() {
        Some("reasoning") => parser.starting_in_reasoning(),
        // The reply begins with the header of a message.
        _ if begins_in_header => parser,
        _ => parser.starting_in_content(),
    })
}

fn streamed(parser: &ReplyParser, text: &str, length: usize) -> Reply {
    let mut stream = parser.stream();
    let mut reply = Reply::default();
    let characters: Vec<char> = text.chars().collect();
    for piece in characters.chunks(length) {
        let piece: String = piece.iter().collect();
        stream.push(&piece).for_each(|event| reply.add(event));
    }
    stream.finish(FinishReason::End).for_each(|event| reply.add(event));
    reply
}

/// What was read in another way than the case has it.
fn differences(reply: &Reply, case: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let expected = &case["expected"];
    let is_checked =
        |part: &str| !case["unspecified"].as_array().into_iter().flatten().any(|name| name == part);
    for (part, text) in [("reasoning", reply.reasoning()), ("content", reply.content())] {
        let wanted = expected[part].as_str().unwrap_or_default().trim();
        if is_checked(part) && text.trim() != wanted {
            found.push(format!("{part} is {:?}, not {wanted:?}", text.trim()));
        }
    }
    if !is_checked("tool_calls") {
        return found;
    }
    let calls: Vec<_> = reply.calls().iter().filter(|call| call.complete).collect();
    let wanted: Vec<&Value> = expected["tool_calls"].as_array().into_iter().flatten().collect();
    if calls.len() != wanted.len() {
        found.push(format!("{} calls, not {}", calls.len(), wanted.len()));
    }
    for (call, wanted) in calls.iter().zip(wanted) {
        let name = &wanted["name"];
        if !name.is_null() && *name != *call.name {
            found.push(format!("name {:?}, not {name}", call.name));
        }
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or(Value::Null);
        let written = &wanted["arguments"];
        if !written.is_null() && !is_same(&arguments, written) {
            found.push(format!("arguments {arguments}, not {written}"));
        }
    }
    found
}

/// Whether two values are the same, with numbers compared by value.
fn is_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            left == right || left.as_f64() == right.as_f64()
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| is_same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, left)| right.get(key).is_some_and(|right| is_same(left, right)))
        }
        _ => left == right,
    }
}
