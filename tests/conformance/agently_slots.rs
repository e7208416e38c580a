//! Prompts of slots: as text, as messages, with placeholders, built in steps, and the YAML of their
//! blocks.
//!
//! Titles, order and empty lines are compared exactly. The value in a block may be written in
//! another way if it parses to the same value.

use serde_json::{Value as Json, json};
use typed_prompty::Definition;
use typed_prompty::message::{ContentPart, Message, Role};
use typed_prompty::slots::{
    Layout, Padding, Skipped, Slot, SlotTool, Slots, UnknownPlaceholder, Written, fill,
};
use typed_prompty::wire::Request;
use typed_prompty::{Error, Map, Value};

use crate::agently_shapes::{notation, python_text, shape};
use crate::frame::{Case, Outcome, Rule};

/// The case is marked as a fault of the reference.
const QUIRK: Rule = Rule::named("quirk: a fault of the reference is not reproduced");
const HISTORY: Rule = Rule::named("a parent's history precedes the child's");
const PYTHON_TEXT: Rule = Rule::named("python_repr: Python's text of a value is not reproduced");
const INDENTED: Rule = Rule::named("quirk: a described structure is indented one level too far");
const FOREIGN: Rule = Rule::named("a part that messages cannot hold is returned as skipped");
const NO_TYPES: Rule = Rule::named("a value cannot contain Python types");
const NEWER: Rule = Rule::named("only the newer release forces JSON or adds notes to fields");

/// A case of a prompt as one text.
pub(crate) fn text(case: &Case<'_>) -> Outcome {
    let input = &case.json["input"];
    let layout = layout(case.json);
    check_result(case.json, |expected| {
        let levels = levels(input);
        with_levels(&levels, |slots| {
            let found = slots.to_text_with(&layout).map_err(error_text)?;
            let of_history = found.skipped.iter().filter(|it| it.slot == Slot::ChatHistory);
            check_skipped(case.json, of_history)?;
            same_text(expected.as_str().unwrap(), &found.prompt, input, &slots.values())
        })
    })
}

/// A case of a prompt as messages.
pub(crate) fn messages(case: &Case<'_>) -> Outcome {
    let input = &case.json["input"];
    let layout = layout(case.json);
    let is_foreign = |it: &Json| {
        let kind = it["type"].as_str();
        kind == Some("video") || it.pointer("/file/file_id").is_some()
    };
    if input["rich_content"] == true && any(&input["slots"], &is_foreign) {
        return skip_if_reported(input, &layout);
    }
    check_result(case.json, |expected| {
        let levels = levels(input);
        with_levels(&levels, |slots| {
            let found: Written<_> = slots.to_messages_with(&layout).map_err(error_text)?;
            // We also report zero and `false`, which the reference skips silently.
            let is_part = |it: &&Skipped| matches!(it.slot, Slot::ChatHistory | Slot::Attachment);
            check_skipped(case.json, found.skipped.iter().filter(is_part))?;
            let messages: Json = found.prompt.iter().map(chat_form).collect();
            let (ours, theirs) = (messages.as_array().unwrap(), expected.as_array().unwrap());
            if ours.len() != theirs.len() {
                return Err(format!("expected {expected}, got {messages}"));
            }
            let values = slots.values();
            theirs.iter().zip(ours).try_for_each(|(theirs, ours)| {
                if theirs["role"] != ours["role"] {
                    return Err(format!("expected {theirs}, got {ours}"));
                }
                let (theirs, ours) = (parts(&theirs["content"]), parts(&ours["content"]));
                if theirs.len() != ours.len() {
                    return Err(format!("expected {theirs:?}, got {ours:?}"));
                }
                theirs.iter().zip(&ours).try_for_each(|(theirs, ours)| {
                    match (theirs["text"].as_str(), ours["text"].as_str()) {
                        (Some(theirs), Some(ours)) => same_text(theirs, ours, input, &values),
                        _ if theirs == ours => Ok(()),
                        _ => Err(format!("expected {theirs}, got {ours}")),
                    }
                })
            })
        })
    })
}

fn skip_if_reported(input: &Json, layout: &Layout) -> Outcome {
    let levels = levels(input);
    let skipped = with_levels(&levels, |slots| {
        Ok(!slots.to_messages_with(layout).map_err(error_text)?.skipped.is_empty())
    });
    match skipped {
        Ok(true) => Outcome::Skipped(FOREIGN),
        other => Outcome::Failed(format!("the part is not reported as skipped: {other:?}")),
    }
}

/// A case of placeholders, or of a prompt that is built in steps.
pub(crate) fn operations(case: &Case<'_>) -> Outcome {
    let input = &case.json["input"];
    if case.json["operation"] == "prompt_ops" {
        return steps(case.json);
    }
    let unknown = match input["raise_unknown"] == true {
        true => UnknownPlaceholder::Refuse,
        false => UnknownPlaceholder::Keep,
    };
    let found = match value(&input["mappings"]).as_object() {
        Some(mappings) => fill(&value(&input["value"]), mappings, unknown).map_err(error_text),
        None => Err("the values are not an object".to_owned()),
    };
    let Some(expected) = case.json["expect"].get("ok") else {
        return failed_as_expected(found.map(|_| ()));
    };
    match found {
        Ok(found) if found == value(expected) => Outcome::Passed,
        Ok(found) if found.as_str() == in_json_words(expected).as_deref() => {
            Outcome::Skipped(PYTHON_TEXT)
        }
        other => Outcome::Failed(format!("expected {expected}, got {other:?}")),
    }
}

/// Replaces the literals and quotes of Python by those of JSON.
fn in_json_words(expected: &Json) -> Option<String> {
    let text = expected.as_str()?;
    Some(text.replace("None", "null").replace("True", "true").replace('\'', "\""))
}

/// A case of a prompt that is built in steps.
fn steps(case: &Json) -> Outcome {
    if case.get("quirk").is_some() {
        return Outcome::Skipped(QUIRK);
    }
    let steps = case["input"]["ops"].as_array().unwrap();
    let history =
        |level: &str| steps.iter().any(|step| step["on"] == level && step["key"] == "chat_history");
    if history("agent") && history("request") {
        return Outcome::Skipped(HISTORY);
    }
    let run = || -> Result<Result<(), String>, Error> {
        let mut agent = Slots::new();
        for step in steps.iter().filter(|step| step["on"] == "agent") {
            apply_step(&mut agent, step)?;
        }
        let agent_values = agent.own_values().clone();
        let mut request = agent.child();
        for step in steps.iter().filter(|step| step["on"] == "request") {
            apply_step(&mut request, step)?;
        }
        let request_values = request.own_values().clone();
        let merged = request.values();
        let text = request.to_text_with(&Layout::new().with_slot_references(true))?.prompt;
        let Some(expected) = case["expect"].get("ok") else { return Ok(Ok(())) };
        let levels = [("agent", agent_values), ("request", request_values), ("merged", merged)];
        for (name, found) in levels {
            let wanted = in_notation(&expected[name]).as_object().unwrap().clone();
            if found != wanted {
                return Ok(Err(format!("{name}: expected {wanted:?}, got {found:?}")));
            }
        }
        let wanted = expected["request_text"].as_str().unwrap();
        Ok(same_text(wanted, &text, &case["input"], &request.values()))
    };
    match (run(), case["expect"].get("error")) {
        (Err(_), Some(_)) | (Ok(Ok(())), None) => Outcome::Passed,
        (Ok(Err(why)), _) => Outcome::Failed(why),
        (Err(error), None) => Outcome::Failed(error.to_string()),
        (Ok(Ok(())), Some(error)) => Outcome::Failed(format!("expected the error {error}")),
    }
}

/// The slots of a case as values, with the output in our notation.
fn in_notation(slots: &Json) -> Value {
    let mut slots = slots.clone();
    if let Some(output) = slots.get_mut("output") {
        *output = notation(output);
    }
    value(&slots)
}

fn apply_step(slots: &mut Slots<'_>, step: &Json) -> Result<(), Error> {
    let mappings = value(&step["mappings"]);
    let is_output = step["key"].as_str().is_some_and(|it| it.starts_with("output"));
    let new = &step["value"];
    let new = match step["op"] == "update" {
        true => in_notation(new),
        false if is_output => value(&notation(new)),
        false => value(new),
    };
    let filled = |value: &Value| match mappings.as_object() {
        Some(mappings) => fill(value, mappings, UnknownPlaceholder::Keep),
        None => Ok(value.clone()),
    };
    let key = filled(&value(&step["key"]))?;
    let key = key.as_str().unwrap_or_default();
    let written = new;
    let new = filled(&written)?;
    match (step["op"].as_str().unwrap(), mappings.as_object()) {
        ("set", Some(mappings)) => {
            slots.set_filled(key, written, mappings, UnknownPlaceholder::Keep)
        }
        ("set", None) => slots.set(key, new),
        ("append", _) => slots.append(key, new),
        ("extend", _) => slots.extend(key, new.as_array().unwrap_or_default().to_vec()),
        ("update", _) => slots.update(new.as_object().unwrap()),
        ("delete", _) => {
            slots.remove(key);
            Ok(())
        }
        (other, _) => panic!("unknown step {other}"),
    }
}

/// A case of a list or an object as YAML: the written text parses to the same value.
pub(crate) fn yaml(case: &Case<'_>) -> Outcome {
    let json = &case.json["input"]["value"];
    let is_type = |it: &Json| {
        let python = it["$py"].as_str();
        python.is_some_and(|it| ["type", "generic", "model", "enum"].contains(&it))
    };
    if any(json, &is_type) {
        return Outcome::Skipped(NO_TYPES);
    }
    let value = python_value(json);
    let text = Slots::new().with("value", value.clone()).to_text().unwrap();
    let block = text.strip_prefix("user:\n[value]:\n").unwrap();
    let block = block.strip_suffix("\n\n[OUTPUT]:\nassistant:").unwrap();
    match read_yaml(block) {
        Some(found) if is_same(&found, &value) => Outcome::Passed,
        found => Outcome::Failed(format!("expected {value:?}, got {found:?} from `{block}`")),
    }
}

/// Whether two values are the same. Here NaN equals NaN, and an integer of more than 64 bits equals
/// the float that the front matter of a prompt reads for it.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Integer(_), Value::Float(_)) | (Value::Float(_), Value::Integer(_)) => {
            one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other.iter()).all(|(a, b)| is_same(a, b))
        }
        _ => one == other || format!("{one:?}") == format!("{other:?}"),
    }
}

/// Compares the result of a case, which is a value or an error.
fn check_result(case: &Json, run: impl FnOnce(&Json) -> Result<(), String>) -> Outcome {
    if case.get("quirk").is_some() {
        // Unit tests check the right behaviour of these cases.
        return Outcome::Skipped(QUIRK);
    }
    if is_newer_only(case) {
        return Outcome::Skipped(NEWER);
    }
    match case["expect"].get("ok") {
        Some(expected) => match run(expected) {
            Ok(()) => Outcome::Passed,
            Err(why) if why == PYTHON_TEXT.name() => Outcome::Skipped(PYTHON_TEXT),
            Err(why) if why == INDENTED.name() => Outcome::Skipped(INDENTED),
            Err(why) => Outcome::Failed(why),
        },
        None => failed_as_expected(run(&Json::Null)),
    }
}

/// Whether the newer release chooses another format than the specification, or adds notes to
/// fields.
fn is_newer_only(case: &Json) -> bool {
    let differs =
        case["tags"].as_array().is_some_and(|tags| tags.contains(&"spec-conflict".into()));
    let forces = differs && case["input"]["settings"].get("prompt.default_output_format").is_none();
    forces || case["expect"]["ok"].as_str().is_some_and(|text| text.contains("Field requirements:"))
}

fn failed_as_expected(found: Result<(), String>) -> Outcome {
    match found {
        Err(why) if !why.starts_with("expected") => Outcome::Passed,
        found => Outcome::Failed(format!("expected an error, got {found:?}")),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` takes")]
fn error_text(error: Error) -> String {
    format!("error: {error:#}")
}

/// Checks that the parts that the case lists as skipped are reported as skipped.
fn check_skipped<'s>(
    case: &Json,
    skipped: impl Iterator<Item = &'s Skipped>,
) -> Result<(), String> {
    let found: Vec<Json> = skipped
        .map(|it| match it.kind.as_str() {
            "image" => "image_url".into(),
            "audio" => "input_audio".into(),
            other => other.into(),
        })
        .collect();
    let wanted = case["skipped"].as_array().cloned().unwrap_or_default();
    if wanted == found {
        Ok(())
    } else {
        Err(format!("expected {wanted:?} skipped, got {found:?}"))
    }
}

/// The slots of a case, from the outermost parent to the innermost child.
fn levels(input: &Json) -> Vec<Json> {
    let parents = input["parents"].as_array().cloned().unwrap_or_default();
    parents.into_iter().chain([input["slots"].clone()]).collect()
}

/// A function that a case calls with its slots.
type SlotsFunction<'r, T> = Box<dyn FnOnce(&Slots<'_>) -> Result<T, String> + 'r>;

/// Calls a function with the slots of all levels.
fn with_levels<T>(
    levels: &[Json],
    run: impl FnOnce(&Slots<'_>) -> Result<T, String>,
) -> Result<T, String> {
    fn from<T>(
        parent: &Slots<'_>,
        levels: &[Json],
        run: impl FnOnce(&Slots<'_>) -> Result<T, String>,
        output: Json,
    ) -> Result<T, String> {
        let Some((first, rest)) = levels.split_first() else { return run(parent) };
        let (slots, output) = add_level(parent.child(), first, output);
        let mut run = Some(run);
        // A box, because otherwise the type of the closure would grow with each level.
        let run: SlotsFunction<'_, T> = Box::new(move |slots| run.take().unwrap()(slots));
        from(&slots, rest, run, output)
    }
    from(&Slots::new(), levels, run, Json::Null)
}

/// Adds the slots of a level. Outputs are shapes, so objects of outputs are merged here.
fn add_level<'p>(mut slots: Slots<'p>, level: &Json, output: Json) -> (Slots<'p>, Json) {
    let mut output = output;
    for (name, json) in level.as_object().unwrap() {
        match name.as_str() {
            "output" => {
                output = match (output, json.clone()) {
                    (Json::Object(mut parent), Json::Object(child))
                        if !child.contains_key("$py") =>
                    {
                        parent.extend(child);
                        Json::Object(parent)
                    }
                    (_, child) => child,
                };
                let is_empty = output == Json::Null
                    || output.as_array().is_some_and(Vec::is_empty)
                    || output.as_object().is_some_and(serde_json::Map::is_empty)
                    || output == "";
                slots = match is_empty {
                    true => slots.with(Slot::Output, python_value(&output)),
                    false => slots.with_output(shape(&output)),
                };
            }
            "tools" if json.is_array() && has_required_keys(json) => {
                for tool in json.as_array().unwrap() {
                    slots = slots.with_tool(slot_tool(tool));
                }
            }
            name => slots = slots.with(name, python_value(json)),
        }
    }
    (slots, output)
}

/// Whether tools have all required keys. If not, the slot itself must report the error.
fn has_required_keys(tools: &Json) -> bool {
    let names = ["name", "desc", "kwargs"];
    tools.as_array().unwrap().iter().all(|tool| names.iter().all(|name| tool.get(name).is_some()))
}

fn slot_tool(json: &Json) -> SlotTool {
    let text = |name: &str| json[name].as_str().unwrap().to_owned();
    let mut tool = SlotTool::new(text("name"), text("desc"), shape(&json["kwargs"]));
    for (name, more) in json.as_object().unwrap() {
        match name.as_str() {
            "name" | "desc" | "kwargs" => {}
            "returns" => tool = tool.with_returns(shape(more)),
            name => tool = tool.with(name, python_value(more)),
        }
    }
    tool
}

fn layout(case: &Json) -> Layout {
    let input = &case["input"];
    let mut layout = Layout::new()
        .with_slot_references(true)
        .with_rich_content(matches!(input.get("rich_content"), Some(it) if *it != false))
        .with_strict_role_orders(input.get("strict_role_orders").is_none_or(|it| *it == true));
    let expected = case["expect"].to_string();
    if expected.contains("[User continue input]")
        || expected.contains("\"[CHAT HISTORY]\"")
        || expected.contains("\"[历史]\"")
    {
        layout = layout.with_padding(Padding::Labels);
    }
    let settings = &input["settings"];
    for roles in [&settings["prompt.role_mapping"], &input["role_mapping"]] {
        for (role, name) in roles.as_object().into_iter().flatten() {
            let name = name.as_str().unwrap();
            layout = match role.as_str() {
                "_" => layout.with_other_roles(name),
                role => layout.with_role(role, name),
            };
        }
    }
    for (slot, title) in settings["prompt.prompt_title_mapping"].as_object().into_iter().flatten() {
        layout = layout.with_title(Slot::from_name(slot).unwrap(), python_text(title));
    }
    layout
}

/// A message in the form of chat completions. Its role and the URL of an image may be any string.
fn chat_form(message: &Message) -> Json {
    let parts = message.content.iter().map(|part| match part {
        ContentPart::Text(text) => json!({"type": "text", "text": text}),
        ContentPart::Image(image) => {
            let mut url = json!({"url": image.value});
            if let Some(detail) = &image.detail {
                url["detail"] = json!(detail);
            }
            json!({"type": "image_url", "image_url": url})
        }
        other => {
            let alone = [Message::new(Role::User, other.clone())];
            let body = Request::new("model", &alone).to_value().unwrap();
            to_json(&body)["messages"][0]["content"][0].take()
        }
    });
    json!({"role": message.role.as_str(), "content": parts.collect::<Json>()})
}

/// The parts of a content. A string is one part, and an empty string has no parts.
fn parts(content: &Json) -> Vec<Json> {
    let parts = match content {
        Json::Array(parts) => parts.clone(),
        text => vec![json!({"type": "text", "text": text})],
    };
    match parts.as_slice() {
        [only] if only["text"] == "" => Vec::new(),
        _ => parts,
    }
}

/// Compares two prompts: the lines between values exactly, and the values by what they parse to.
fn same_text(theirs: &str, ours: &str, input: &Json, values: &Map) -> Result<(), String> {
    let different = || Err(format!("expected {theirs:?}, got {ours:?}"));
    if theirs == ours || in_json_words(&theirs.into()).as_deref() == Some(ours) {
        return Ok(());
    }
    let (their_blocks, our_blocks) = (blocks(theirs), blocks(ours));
    if their_blocks.len() != our_blocks.len() {
        return different();
    }
    for ((their_title, their_body), (our_title, our_body)) in their_blocks.iter().zip(&our_blocks) {
        if their_title != our_title {
            return different();
        }
        let is_same = their_body == our_body
            || (empty_lines(their_body) == empty_lines(our_body)
                && is_value_of_block(their_title, our_body, their_body, input, values));
        if !is_same && their_title == "[TOOLS]:" && their_body.contains("{'") {
            return Err(PYTHON_TEXT.name().to_owned());
        }
        if !is_same && without_indentation(their_body) == without_indentation(our_body) {
            return Err(INDENTED.name().to_owned());
        }
        if !is_same {
            return different();
        }
    }
    Ok(())
}

/// The titles of a prompt, each with the text below it.
fn blocks(text: &str) -> Vec<(String, String)> {
    let mut blocks = vec![(String::new(), String::new())];
    for line in text.split('\n') {
        if line.starts_with('[') && line.ends_with("]:") {
            blocks.push((line.to_owned(), String::new()));
        } else {
            let body = &mut blocks.last_mut().unwrap().1;
            body.push_str(line);
            body.push('\n');
        }
    }
    blocks
}

fn without_indentation(text: &str) -> Vec<&str> {
    text.lines().map(str::trim_start).collect()
}

fn empty_lines(body: &str) -> usize {
    body.len() - body.trim_end_matches('\n').len()
}

/// Whether the text of a block parses to the value of its slot.
fn is_value_of_block(title: &str, ours: &str, theirs: &str, input: &Json, values: &Map) -> bool {
    let Some(found) = read_yaml(ours) else { return false };
    let title = title.trim_start_matches('[').trim_end_matches("]:");
    let titles = &input["settings"]["prompt.prompt_title_mapping"];
    let mapped = titles.as_object().into_iter().flatten().find(|(_, it)| python_text(it) == title);
    let standard = Slot::ALL.iter().find(|slot| slot.title() == title);
    let name = mapped.map(|(name, _)| name.as_str()).or(standard.map(|slot| slot.name()));
    // A block without a title is a message of the system or the developer.
    if title.is_empty() {
        return ["system", "developer", "input"].iter().any(|it| values.get(it) == Some(&found));
    }
    match (values.get(name.unwrap_or(title)), name) {
        (Some(Value::Object(map)), Some("info")) => {
            let facts = map.iter().map(|(name, value)| Map::from([(name, value.clone())]));
            found == facts.collect()
        }
        (Some(value), _) if is_same(value, &found) => true,
        // Placeholders in the value were filled in.
        _ => read_yaml(theirs).is_some_and(|theirs| is_same(&theirs, &found)),
    }
}

/// Parses YAML with the parser of front matter.
pub(crate) fn read_yaml(text: &str) -> Option<Value> {
    let lines = text.trim_end_matches('\n').split('\n');
    let indented: Vec<String> = lines.map(|line| format!("    {line}")).collect();
    let source = format!("---\nname: x\nmetadata:\n  block:\n{}\n---\nx", indented.join("\n"));
    let definition = Definition::from_text(source).ok()?;
    definition.metadata.get("block").cloned()
}

fn any(json: &Json, holds: &dyn Fn(&Json) -> bool) -> bool {
    holds(json)
        || match json {
            Json::Array(items) => items.iter().any(|it| any(it, holds)),
            Json::Object(map) => map.values().any(|it| any(it, holds)),
            _ => false,
        }
}

/// A value as it is written in the cases, including the tags of Python types.
fn value(json: &Json) -> Value {
    Value::from_json(&json.to_string()).unwrap()
}

fn to_json(value: &Value) -> Json {
    serde_json::from_str(&value.to_json()).unwrap()
}

/// Converts a Python value to one of our values.
pub(crate) fn python_value(json: &Json) -> Value {
    match json {
        Json::Array(items) => items.iter().map(python_value).collect(),
        Json::Object(map) => match map.get("$py").and_then(Json::as_str) {
            None => map
                .iter()
                .map(|(name, it)| (name.as_str(), python_value(it)))
                .collect::<Map>()
                .into(),
            Some("tuple" | "set") => {
                json["items"].as_array().unwrap().iter().map(python_value).collect()
            }
            Some("dict") => {
                let entries = json["items"].as_array().unwrap().iter();
                entries
                    .map(|it| (python_text(&it[0]), python_value(&it[1])))
                    .collect::<Map>()
                    .into()
            }
            Some("float") => Value::from(match json["value"].as_str().unwrap() {
                "nan" => f64::NAN,
                "inf" => f64::INFINITY,
                _ => f64::NEG_INFINITY,
            }),
            Some("bigint") => Value::Integer(json["value"].as_str().unwrap().parse().unwrap()),
            Some(_) => value(json.get("value").or(json.get("name")).unwrap_or(&Json::Null)),
        },
        other => value(other),
    }
}
