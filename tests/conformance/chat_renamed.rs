//! Analyses chat templates whose markers are renamed. The format must follow the new names.

use std::cell::RefCell;
use std::collections::HashMap;

use prompty_chat::ChatTemplate;
use prompty_core::value::Map;
use serde_json::Value;

use crate::chat_templates::{NOON, template};
use crate::frame::{Case, Outcome, Rule};

const NO_MARKER: Rule = Rule::named("no marker can be renamed in the template's text");

/// The number of a template's conversations that decide whether a marker can be renamed.
const CONVERSATIONS: usize = 16;

thread_local! {
    /// The conversations of each template, by its name.
    static CONTEXTS: RefCell<Option<HashMap<String, Vec<Map>>>> = const { RefCell::new(None) };
}

pub(crate) fn run(case: &Case<'_>) -> Outcome {
    let template = template(case);
    let contexts = contexts(case);
    let format = format_json(&template);
    let mut markers = Vec::new();
    collect_markers(&format, &mut markers);
    // Some templates assemble a marker from parts in one place, and write it as a literal in
    // another.
    markers.retain(|marker| writes_same(&template, std::slice::from_ref(marker), &contexts));
    markers.sort_by_key(|marker| std::cmp::Reverse(marker.len()));
    if markers.is_empty() || !writes_same(&template, &markers, &contexts) {
        return Outcome::Skipped(NO_MARKER);
    }
    let renamed = ChatTemplate::from_text(&rename(template.text(), &markers)).unwrap();
    let (found, expected) = (format_json(&renamed), rename_all(&format, &markers));
    if found == expected {
        return Outcome::Passed;
    }
    let name = &case.json["template"];
    Outcome::Failed(format!("{name}: {markers:?}\n        {found}\n        {expected}"))
}

fn format_json(template: &ChatTemplate) -> Value {
    let analysis = template.analyze().unwrap_or_else(|error| panic!("{error}"));
    serde_json::to_value(analysis.format()).unwrap()
}

/// The conversations of the reference for a template.
fn contexts(case: &Case<'_>) -> Vec<Map> {
    CONTEXTS.with_borrow_mut(|contexts| {
        let contexts = contexts.get_or_insert_with(|| {
            let text = std::fs::read_to_string(case.folder.join("renders.jsonl")).unwrap();
            let mut contexts: HashMap<String, Vec<Map>> = HashMap::new();
            for line in text.lines() {
                let render: Value = serde_json::from_str(line).unwrap();
                let name = render["template"].as_str().unwrap();
                let known = contexts.entry(name.to_owned()).or_default();
                if known.len() < CONVERSATIONS {
                    known.push(serde_json::from_value(render["jinja_context"].clone()).unwrap());
                }
            }
            contexts
        });
        contexts[case.json["template"].as_str().unwrap()].clone()
    })
}

/// Whether a template with renamed markers writes the same text, except for the markers.
fn writes_same(template: &ChatTemplate, markers: &[String], contexts: &[Map]) -> bool {
    let text = rename(template.text(), markers);
    let Ok(renamed) = ChatTemplate::from_text(&text) else { return false };
    text != template.text()
        && contexts.iter().all(|context| {
            let written = template.render(context, Some(NOON)).ok();
            let written = written.map(|text| rename(&text, markers));
            written == renamed.render(context, Some(NOON)).ok()
        })
}

/// The markers in a format: the texts between `<` and `>`, or between `[` and `]`.
fn collect_markers(value: &Value, markers: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            for (at, _) in text.match_indices(['<', '[']) {
                let (_, rest) = text.split_at(at);
                let closer = if rest.starts_with('<') { '>' } else { ']' };
                let marker = rest.split_inclusive(closer).next().unwrap_or_default().trim();
                let letters = marker.chars().filter(char::is_ascii_alphabetic).count();
                let is_single = marker.rfind(['<', '[']) == Some(0);
                if letters > 1 && is_single && !markers.iter().any(|it| it == marker) {
                    markers.push(marker.to_owned());
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect_markers(item, markers)),
        Value::Object(map) => map.values().for_each(|value| collect_markers(value, markers)),
        _ => {}
    }
}

/// Replaces the letters in every marker.
fn rename(text: &str, markers: &[String]) -> String {
    let mut renamed = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let marker = markers.iter().find(|marker| rest.starts_with(&***marker));
        let length = marker.map_or(letter.len_utf8(), String::len);
        let (first, after) = rest.split_at(length);
        match marker {
            Some(_) => renamed.extend(first.chars().map(other_letter)),
            None => renamed.push_str(first),
        }
        rest = after;
    }
    renamed
}

fn other_letter(letter: char) -> char {
    let shift = |first: u8| char::from((letter as u8 - first + 13) % 26 + first);
    match letter {
        'a'..='z' => shift(b'a'),
        'A'..='Z' => shift(b'A'),
        other => other,
    }
}

fn rename_all(value: &Value, markers: &[String]) -> Value {
    match value {
        Value::String(text) => Value::String(rename(text, markers)),
        Value::Array(items) => items.iter().map(|item| rename_all(item, markers)).collect(),
        Value::Object(map) => {
            map.iter().map(|(key, it)| (key.clone(), rename_all(it, markers))).collect()
        }
        other => other.clone(),
    }
}
