//! Replies from the tests of other projects: well formed, damaged, without types, and disputed.

use prompty_chat::{Candidate, ChatTemplate};
use prompty_core::message::tools_from_openai;
use prompty_core::value::Value as PromptValue;
use prompty_reply::format::AnalysisResult;
use prompty_reply::{Channel, FinishReason, Reply, ReplyOptions, ReplyParser};
use serde_json::Value;

use crate::chat_templates::template;
use crate::frame::{Area, Case, Outcome, Rule};

const ONLY_CALLS: Rule =
    Rule::named("the case's parser reads only calls and leaves reasoning in the content");
const WHITE_SPACE: Rule = Rule::named("white space next to markup belongs to the template");
const CLOSER_AT_START: Rule =
    Rule::named("a closing marker at the start means that there is no reasoning");
const ONLY_REASONING: Rule =
    Rule::named("the case's parser reads only reasoning and leaves calls in the content");
const MISSING_BRACE: Rule = Rule::named("a missing brace is closed and reported");
const CONSECUTIVE_CALLS: Rule = Rule::named("consecutive calls without list brackets are all read");
const EXTRA_COMMA: Rule = Rule::named("an extra comma is repaired");

pub(crate) const WELLFORMED: Area = Area {
    only: |case| case["class"] == "wellformed",
    ..area("replies/wellformed", read_as_stated)
};
/// Damaged replies: nothing is lost, and markup does not become content.
pub(crate) const MALFORMED: Area = Area {
    only: |case| case["class"] == "malformed",
    ..area("replies/malformed", separates_markup)
};
/// The damaged replies, compared with what the test suite of each case states.
pub(crate) const MALFORMED_AS_STATED: Area = Area {
    only: |case| case["class"] == "malformed",
    ..area("replies/malformed, as the suites read them", read_as_stated)
};
pub(crate) const UNTYPED: Area =
    Area { only: |case| case["class"] == "untyped", ..area("replies/untyped", read_as_stated) };
pub(crate) const DISPUTED: Area =
    Area { only: |case| case["class"] == "disputed", ..area("replies/disputed", read_as_stated) };
/// The name and the keys of each call that is reported as complete are those of the case.
pub(crate) const TRUE_CALLS: Area =
    Area { only: |case| case["class"] != "disputed", ..area("replies/true calls", calls_are_true) };

const fn area(name: &'static str, run: fn(&Case<'_>) -> Outcome) -> Area {
    Area { file: Some("replies/replies"), ..Area::new(name, run) }
}

/// Parses the complete reply. It is an error if chunks of 1, 3 or 7 characters give another result.
fn read(case: &Case<'_>) -> Result<(ReplyParser, Reply), String> {
    let parser = parser(case).map_err(|error| format!("{error:#}"))?;
    let text = case.json["reply"].as_str().unwrap();
    let reply = parser.parse(text);
    match [1, 3, 7].into_iter().find(|length| parse_in_chunks(&parser, text, *length) != reply) {
        Some(length) => Err(format!("chunks of {length} characters give another result")),
        None => Ok((parser, reply)),
    }
}

/// Compares a reply with what the test suite of the case states.
fn read_as_stated(case: &Case<'_>) -> Outcome {
    let (parser, reply) = match read(case) {
        Ok(read) => read,
        Err(why) => return Outcome::Failed(why),
    };
    let differences = differences(&reply, case.json);
    if differences.is_empty() {
        let is_adopted =
            !reply.calls().is_empty() && instruction_candidate(&template(case)).is_some();
        return if is_adopted { Outcome::Skipped(ADOPTED) } else { Outcome::Passed };
    }
    if let Some(rule) = skip_rule(case.json, &parser, &reply) {
        return Outcome::Skipped(rule);
    }
    let text = case.json["reply"].as_str().unwrap();
    Outcome::Failed(format!(
        "{} ({text:?}, malformed {:?})",
        differences.join("; "),
        reply.malformed()
    ))
}

/// The first candidate for the format of calls, if only the instructions to the model show the
/// format. An author can adopt it.
fn instruction_candidate(template: &ChatTemplate) -> Option<&Candidate> {
    let analysis = template.analysis().ok()?;
    analysis.candidates().first().filter(|_| analysis.format().tools.is_none())
}

const ADOPTED: Rule =
    Rule::named("only the instructions show the call format, and the first candidate reads it");

/// The rule by which a difference is skipped.
fn skip_rule(case: &Value, parser: &ReplyParser, reply: &Reply) -> Option<Rule> {
    if is_left_in_content(case, parser, reply) {
        return Some(ONLY_CALLS);
    }
    let stated = case["expected"]["content"].as_str().unwrap_or_default();
    if let [difference] = &*differences(reply, case)
        && difference.starts_with("content is")
    {
        let words = |text: &str| text.split_whitespace().collect::<String>();
        if words(stated) == words(reply.content()) {
            return Some(WHITE_SPACE);
        }
        let close = parser.format().reasoning.as_ref().map(|it| &*it.close.text);
        let without = close.and_then(|close| stated.trim_start().strip_prefix(close));
        if without.is_some_and(|without| without.trim() == reply.content().trim()) {
            return Some(CLOSER_AT_START);
        }
    }
    if !case["expected"]["tool_calls"].as_array().is_none_or(Vec::is_empty) {
        return None;
    }
    let regions = parser.regions(case["reply"].as_str().unwrap());
    let is_call = |channel: &Channel| matches!(channel, Channel::Call | Channel::Malformed);
    let mut calls = regions.iter().filter(|(channel, _)| is_call(channel)).peekable();
    (calls.peek().is_some() && calls.all(|(_, text)| stated.contains(text.trim())))
        .then_some(ONLY_REASONING)
}

/// Cases with complete calls that the case does not state, and the rules by which the calls are
/// right.
const RIGHT_CALLS: [(&str, Rule); 4] = [
    ("smg/command-r7b/011", MISSING_BRACE),
    ("vllm/mistral-v3/019", CONSECUTIVE_CALLS),
    ("vllm/mistral-v3/020", CONSECUTIVE_CALLS),
    ("vllm-rust/kimi-k2/001", EXTRA_COMMA),
];

/// Whether the case states our reasoning, including its markers, as content.
fn is_left_in_content(case: &Value, parser: &ReplyParser, reply: &Reply) -> bool {
    let content = case["expected"]["content"].as_str().unwrap_or_default().trim();
    let with_reasoning = ReplyOptions::default().with_reasoning_in_content(true);
    let parser = parser.clone().with_options(with_reasoning);
    !reply.reasoning().is_empty() && {
        let other = parser.parse(case["reply"].as_str().unwrap());
        other.content().trim() == content && other.calls() == reply.calls()
    }
}

/// Passes if the regions of a damaged reply contain all of it, and its content has no markup of the
/// format.
fn separates_markup(case: &Case<'_>) -> Outcome {
    let (parser, reply) = match read(case) {
        Ok(read) => read,
        Err(why) => return Outcome::Failed(why),
    };
    let text = case.json["reply"].as_str().unwrap();
    let pieces: String = parser.regions(text).into_iter().map(|(_, piece)| piece).collect();
    if pieces != text {
        return Outcome::Failed(format!("the regions of {text:?} are {pieces:?}"));
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
        Some(mark) => Outcome::Failed(format!("the content of {text:?} contains {mark:?}")),
        None => Outcome::Passed,
    }
}

/// Passes if the case states a call with the name and the keys of each complete call.
fn calls_are_true(case: &Case<'_>) -> Outcome {
    let (parser, reply) = match read(case) {
        Ok(read) => read,
        Err(why) => return Outcome::Failed(why),
    };
    let stated = case.json["expected"]["tool_calls"].as_array().map_or(&[][..], Vec::as_slice);
    let Some(why) = untrue_call(&reply, stated) else { return Outcome::Passed };
    let exception = RIGHT_CALLS.iter().find(|(id, _)| case.json["id"] == **id);
    let rule = exception.map(|(_, rule)| *rule);
    let rule = rule.or_else(|| skip_rule(case.json, &parser, &reply).filter(|_| stated.is_empty()));
    rule.map_or(Outcome::Failed(why), Outcome::Skipped)
}

/// A call that is reported as complete, and that has the name and keys of no stated call.
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
        (!is_true).then(|| format!("`{}` with {arguments} is not one of {stated:?}", call.name))
    })
}

/// The keys of arguments, which may be JSON in a string.
fn keys(arguments: &Value) -> Vec<String> {
    let parsed = arguments.as_str().and_then(|text| serde_json::from_str(text).ok());
    let arguments = parsed.as_ref().unwrap_or(arguments);
    let keys = arguments.as_object().into_iter().flat_map(|it| it.keys());
    let mut keys: Vec<String> = keys.cloned().collect();
    keys.sort();
    keys
}

fn parser(case: &Case<'_>) -> Result<ReplyParser, prompty_core::Error> {
    let template = template(case);
    let format = match instruction_candidate(&template) {
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

fn parse_in_chunks(parser: &ReplyParser, text: &str, length: usize) -> Reply {
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

/// The differences between a reply and the case.
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

/// Whether two values are the same. Numbers are compared by value.
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
