//! Analyses chat templates, and compares the classification and the markers with the reference.

use std::cell::RefCell;
use std::collections::HashMap;

use prompty_reply::format::AnalysisResult;
use serde_json::Value;

use crate::chat_templates::template;
use crate::frame::{Case, Outcome, Rule};
use crate::replies;

/// If the two formats differ, ours must read the template's own replies at least as well.
const READS_AS_WELL: Rule =
    Rule::named("our format reads every reply of the template that the reference reads");

thread_local! {
    /// The replies of each template, by its name: the replies that the template writes, and those
    /// in the tests of the reference.
    static REPLIES: RefCell<Option<HashMap<String, Vec<Value>>>> = const { RefCell::new(None) };
}

pub(crate) fn run(case: &Case<'_>) -> Outcome {
    let template = template(case);
    let analysis = template.analysis().unwrap_or_else(|error| panic!("{error}"));
    let differences = differences(&analysis.result(), &case.json["analysis"]);
    if differences.is_empty() {
        return Outcome::Passed;
    }
    let (read, unread) = read_replies(case);
    if unread.is_empty() && read > 0 {
        return Outcome::Skipped(READS_AS_WELL);
    }
    let name = &case.json["template"];
    let mut why = format!("{name}: {}", differences.join("; "));
    for id in unread {
        why += &format!("\n        does not read {id}");
    }
    Outcome::Failed(why)
}

/// The number of replies that are read like the reference reads them, and the ids of the others.
fn read_replies(case: &Case<'_>) -> (usize, Vec<String>) {
    let name = case.json["template"].as_str().unwrap();
    REPLIES.with_borrow_mut(|replies| {
        let replies = replies.get_or_insert_with(|| all_replies(case));
        let all = replies.get(name).map_or(&[][..], Vec::as_slice);
        // If the reference wrote nothing with a template, the replies of its tests are used.
        let written = all.iter().any(|it| it["verdict"] == "agree");
        let agreed = all.iter().filter(|it| match written {
            true => it["verdict"] == "agree",
            false => it["is_partial"] == false,
        });
        let reads = |it: &&Value| {
            let case = Case { json: it, folder: case.folder };
            let outcome = if written { replies::roundtrip(&case) } else { replies::reply(&case) };
            matches!(outcome, Outcome::Passed)
        };
        let (read, unread): (Vec<_>, Vec<_>) = agreed.partition(reads);
        (read.len(), unread.iter().map(|it| it["id"].to_string()).collect())
    })
}

/// The replies of each template, by its name.
fn all_replies(case: &Case<'_>) -> HashMap<String, Vec<Value>> {
    let mut replies: HashMap<String, Vec<Value>> = HashMap::new();
    for file in ["roundtrip_cases.jsonl", "reply_cases.jsonl"] {
        for line in std::fs::read_to_string(case.folder.join(file)).unwrap().lines() {
            let reply: Value = serde_json::from_str(line).unwrap();
            let name = reply["template"].as_str().unwrap().to_owned();
            replies.entry(name).or_default().push(reply);
        }
    }
    replies
}

/// The differences, field by field.
///
/// White space around markers is ignored. It also does not matter which of two adjacent fields has
/// a literal, so adjacent markers are joined before they are compared. There are four groups:
/// before a name, between the name and the first argument, between an argument's name and its
/// value, and after the last argument. The reference has three modes of reasoning; it counts
/// reasoning that the prompt opens as tags.
fn differences(ours: &AnalysisResult, theirs: &Value) -> Vec<String> {
    let ours = serde_json::to_value(ours).unwrap();
    let plain = |text: &str| text.chars().filter(|it| !it.is_whitespace()).collect::<String>();
    let one = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let join = |object: &Value, names: &[&str]| {
        names.iter().map(|name| one(&object[*name])).collect::<String>()
    };
    let markers = |names: &[&str]| join(&ours["markers"], names);
    let tools = &theirs["tools"];
    let (shape, function, arguments) = (&tools["format"], &tools["function"], &tools["arguments"]);

    let mode = one(&ours["reasoning"]);
    let mode = match &*mode {
        "FORCED_OPEN" | "FORCED_CLOSED" | "DELIMITER" => "TAG_BASED",
        other => other,
    };
    let mut pairs = vec![
        ("reasoning", mode.to_owned(), one(&theirs["reasoning"]["mode"])),
        ("reasoning_start", markers(&["reasoning_start"]), one(&theirs["reasoning"]["start"])),
        ("reasoning_end", markers(&["reasoning_end"]), one(&theirs["reasoning"]["end"])),
        ("content", one(&ours["content"]), one(&theirs["content"]["mode"])),
        ("content_start", markers(&["content_start"]), one(&theirs["content"]["start"])),
        ("content_end", markers(&["content_end"]), one(&theirs["content"]["end"])),
        ("tools", one(&ours["tools"]), one(&shape["mode"])),
        (
            "before the name",
            markers(&[
                "tool_section_start",
                "per_call_start",
                "func_name_prefix",
                "function_namespace",
            ]),
            join(shape, &["section_start", "per_call_start"]) + &one(&function["name_prefix"]),
        ),
        (
            "after the name",
            markers(&["func_name_suffix", "arg_name_prefix"]),
            join(function, &["name_suffix", "args_separator"]) + &one(&arguments["name_prefix"]),
        ),
        (
            "before a value",
            markers(&["arg_name_suffix", "arg_value_prefix"]),
            join(arguments, &["name_suffix", "value_prefix"]),
        ),
        ("after a value", markers(&["arg_value_suffix"]), one(&arguments["value_suffix"])),
        (
            "after the arguments",
            markers(&["func_close", "per_call_end", "tool_section_end"]),
            one(&function["close"]) + &join(shape, &["per_call_end", "section_end"]),
        ),
        ("call_id_pos", one(&ours["call_id_pos"]), one(&tools["call_id"]["position"])),
    ];
    let mut value = |name: &'static str| {
        pairs.push((name, ours[name].to_string(), shape[name].to_string()));
    };
    value("fun_name_is_key");
    value("tools_array_wrapped");
    if shape["mode"] == "JSON_NATIVE" {
        ["name_field", "args_field", "id_field", "gen_id_field"].into_iter().for_each(&mut value);
        let theirs = shape["parameter_order"].to_string();
        pairs.push(("parameter_order", ours["parameter_order"].to_string(), theirs));
    }
    let differing = pairs.iter().filter(|(_, ours, theirs)| plain(ours) != plain(theirs));
    differing.map(|(name, ours, theirs)| format!("{name} is {ours:?}, not {theirs:?}")).collect()
}
