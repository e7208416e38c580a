//! Arbitrary texts: pieces of markup in any order, and written replies with changes.

use prompty_reply::{CallsInReasoning, FinishReason, ReplyOptions};
use proptest::prelude::*;
use serde_json::Value;

use super::writer::{messages, write};
use super::{Case, cases, reply_checks};

/// Text between markers, complete and truncated.
const PIECES: &[&str] = &[
    "weather",
    "locate",
    "fly",
    "city",
    "days",
    "exact",
    "tags",
    "place",
    "either",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "\"",
    "'",
    "\\",
    ":",
    "=",
    ",",
    ";",
    " ",
    "\n",
    "\n\n",
    "\t",
    "  ",
    "\"name\"",
    "\"arguments\"",
    "\"parameters\"",
    "\"id\"",
    "\"function\"",
    "{\"name\": \"weather\", ",
    "\"arguments\": {",
    "\"arguments\": \"{\\\"city\\\": ",
    "{\"city\": \"Bonn\"}",
    "{}",
    "\"}\"",
    "null",
    "None",
    "true",
    "True",
    "12",
    "-0.5",
    "1e",
    "+1",
    ".5",
    "\\u00e9",
    "\\ud83d",
    "\\ude00",
    "\\x41",
    "\\n",
    "\\\"",
    "ö",
    "日本",
    "😀",
    "\u{1}",
    "\u{a0}",
    "\u{2003}",
    "<",
    ">",
    "<|",
    "|>",
    "</",
    "```",
    "```json\n",
    "functions.",
    " to=",
    "a",
    "Hm.",
    "<mu",
    "x=1",
];

/// Lengths of white space and of words.
const LONG: [[usize; 4]; 2] = [[63, 65, 255, 257], [511, 600, 1_023, 1_100]];

/// A text made of a format's markers, beginnings of them, and text that may be between them.
fn text_of_pieces(case: &Case, picks: &[(u16, u8)]) -> String {
    let mut markers = Vec::new();
    strings_in(&serde_json::to_value(&case.format).unwrap(), &mut markers);
    let mut text = String::new();
    for (pick, cut) in picks {
        let pick = usize::from(*pick);
        if pick % 128 == 64 {
            // As long as the maximum lengths of the parser, and longer.
            let [space, word] = LONG.map(|lengths| lengths[usize::from(*cut) % lengths.len()]);
            text += &if *cut < 128 { " ".repeat(space) } else { "a".repeat(word) };
            continue;
        }
        if pick % 2 == 0 {
            text.push_str(PIECES[pick / 2 % PIECES.len()]);
            continue;
        }
        let marker = &markers[pick / 2 % markers.len()];
        // Most markers are complete.
        let end = if *cut < 160 { marker.len() } else { usize::from(*cut) % (marker.len() + 1) };
        let end = (0..=end).rev().find(|end| marker.is_char_boundary(*end)).unwrap_or(0);
        text.push_str(&marker[..end]);
    }
    text
}

fn strings_in(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::String(text) if !text.is_empty() => out.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| strings_in(item, out)),
        Value::Object(map) => map.values().for_each(|item| strings_in(item, out)),
        _ => {}
    }
}

/// The text with parts of it removed, doubled or replaced.
fn changed(text: &str, changes: &[(u16, u8, u8)], case: &Case) -> String {
    let mut text = text.to_owned();
    for (at, length, what) in changes {
        let boundary = |place: usize| {
            (0..=place.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
        };
        let start = boundary(usize::from(*at) % (text.len() + 1));
        let end = boundary(start + usize::from(*length % 24)).max(start);
        let part = text[start..end].to_owned();
        match what % 4 {
            0 => text.replace_range(start..end, ""),
            1 => text.insert_str(end, &part),
            2 => text.truncate(end),
            _ => {
                let piece = text_of_pieces(case, &[(at.rotate_left(3), *length)]);
                text.insert_str(start, &piece);
            }
        }
    }
    text
}

fn options() -> impl Strategy<Value = (ReplyOptions, bool, FinishReason)> {
    (0_u8..5, 0_u8..3, any::<bool>(), 0_u8..4).prop_map(|(kind, calls, has_tools, reason)| {
        let options = ReplyOptions::default()
            .with_reasoning_in_content(kind == 1)
            .with_stop_at_first_call(kind == 2)
            .with_calls_in_reasoning(match calls {
                0 => CallsInReasoning::ByOpener,
                1 => CallsInReasoning::End,
                _ => CallsInReasoning::Text,
            });
        let options = match kind {
            4 => options.with_content_schema(prompty_core::value::Map::new()),
            _ => options,
        };
        let reason = match reason {
            0 => FinishReason::Length,
            1 => FinishReason::Stop,
            _ => FinishReason::End,
        };
        (options, has_tools, reason)
    })
}

/// A possible end of the prompt: none, the format's own, or opened reasoning.
fn tail(case: &Case, which: u8) -> String {
    match (which % 3, &case.format.reasoning) {
        (0, Some(reasoning)) => reasoning.open.to_string(),
        (1, _) => String::new(),
        _ => case.tail.to_owned(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::default())]

    #[test]
    fn any_text_is_read_the_same_in_all_chunks(
        format in 0..cases().len(),
        picks in prop::collection::vec(any::<(u16, u8)>(), 0..24),
        sizes in prop::collection::vec(1_u8..12, 1..6),
        (options, has_tools, reason) in options(),
        which in any::<u8>(),
    ) {
        let case = &cases()[format];
        let parser = case.parser(has_tools, options, &tail(case, which));
        reply_checks::check(&parser, &text_of_pieces(case, &picks), &sizes, reason);
    }

    #[test]
    fn changed_reply_is_read_the_same_in_all_chunks(
        format in 0..cases().len(),
        message in messages(),
        changes in prop::collection::vec(any::<(u16, u8, u8)>(), 1..4),
        sizes in prop::collection::vec(1_u8..12, 1..6),
        (options, has_tools, reason) in options(),
        which in any::<u8>(),
    ) {
        let case = &cases()[format];
        let parser = case.parser(has_tools, options, &tail(case, which));
        let text = changed(&write(&case.format, &message), &changes, case);
        reply_checks::check(&parser, &text, &sizes, reason);
    }
}
