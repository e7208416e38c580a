//! Properties of all partial values, for damaged, truncated and chunked replies: a finished part
//! never changes, and is the same in the complete value.

use std::collections::BTreeMap;

use proptest::prelude::*;
use typed_prompty::output::{Leniency, Output, OutputEvent, Partial};
use typed_prompty::{Map, Value};
use work_counting::{assert_linear, count_work};

#[derive(Debug, Clone, PartialEq, Partial, serde::Deserialize, schemars::JsonSchema)]
#[partial(derive(Clone, PartialEq))]
struct Report {
    title: String,
    parts: Vec<Part>,
    counts: BTreeMap<String, i32>,
    note: Option<String>,
    #[serde(default)]
    is_long: bool,
}

#[derive(Debug, Clone, PartialEq, Partial, serde::Deserialize, schemars::JsonSchema)]
#[partial(derive(Clone, PartialEq))]
struct Part {
    text: String,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Partial, serde::Deserialize, schemars::JsonSchema)]
enum Kind {
    Plain,
    Quote { by: String },
}

/// Whether no finished part has changed, and no string has become shorter. A string may only become
/// shorter if its key first had another spelling.
trait Follows {
    fn follows(&self, before: &Self) -> bool;
}

fn follows<T, G>(after: &Partial<T>, before: &Partial<T>, growing: G) -> bool
where
    T: typed_prompty::output::Growable + PartialEq,
    G: Fn(&T::Growing, &T::Growing) -> bool,
{
    match (before, after) {
        (Partial::Absent, _) | (Partial::Growing(_), Partial::Absent | Partial::Done(_)) => true,
        (Partial::Done(before), Partial::Done(after)) => before == after,
        (Partial::Growing(before), Partial::Growing(after)) => growing(after, before),
        _ => false,
    }
}

impl Follows for Partial<Report> {
    fn follows(&self, before: &Self) -> bool {
        follows(self, before, |after, before| {
            follows(&after.title, &before.title, |_, _| true)
                && follows(&after.parts, &before.parts, |after, before| {
                    before.iter().zip(after).all(|(before, after)| after.follows(before))
                })
                && follows(&after.counts, &before.counts, |after, before| {
                    before.iter().zip(after.iter()).all(|((name, before), (key, after))| {
                        name == key && follows(after, before, |_, _| true)
                    })
                })
                && follows(&after.note, &before.note, |_, _| true)
        })
    }
}

impl Follows for Partial<Part> {
    fn follows(&self, before: &Self) -> bool {
        follows(self, before, |after, before| {
            after.text.text().starts_with(before.text.text())
                && follows(&after.text, &before.text, |_, _| true)
                && follows(&after.kind, &before.kind, |_, _| true)
        })
    }
}

/// Whether each finished part of a report is the same in the complete report.
fn is_part_of(partial: &Partial<Report>, complete: &Report) -> bool {
    let fields = match partial {
        Partial::Absent => return true,
        Partial::Done(report) => return report == complete,
        Partial::Growing(fields) => fields,
    };
    let is_done =
        |partial: &Partial<String>, complete: &str| partial.done().is_none_or(|it| it == complete);
    let parts = match &fields.parts {
        Partial::Absent => true,
        Partial::Done(parts) => *parts == complete.parts,
        Partial::Growing(parts) => {
            parts.iter().zip(&complete.parts).all(|(part, complete)| match part {
                Partial::Absent => true,
                Partial::Done(part) => part == complete,
                Partial::Growing(part) => {
                    is_done(&part.text, &complete.text)
                        && part.kind.done().is_none_or(|it| *it == complete.kind)
                }
            })
        }
    };
    let counts = match &fields.counts {
        Partial::Absent => true,
        Partial::Done(counts) => *counts == complete.counts,
        Partial::Growing(counts) => counts.iter().all(|(key, count)| {
            count.done().is_none_or(|count| complete.counts.get(key) == Some(count))
        }),
    };
    is_done(&fields.title, &complete.title)
        && parts
        && counts
        && fields.note.done().is_none_or(|it| *it == complete.note)
        && fields.is_long.done().is_none_or(|it| *it == complete.is_long)
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z ]{0,8}", "[a-zé😀]{0,3}[\"'{}\\[\\],:\n]{0,3}[a-z]{0,3}"]
}

fn kind() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::from("Plain")),
        // Another spelling of `Plain`.
        Just(Value::from("plain")),
        text().prop_map(|by| object([("Quote", object([("by", Value::from(by))]))])),
    ]
}

fn object<'a>(entries: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    let mut map = Map::new();
    for (key, value) in entries {
        map.insert(key, value);
    }
    Value::Object(map)
}

/// A report as models write it: fields in any order, missing, in other spellings, or with values of
/// other types.
fn report() -> impl Strategy<Value = Vec<(String, Value)>> {
    let part = (text(), kind())
        .prop_map(|(text, kind)| object([("text", Value::from(text)), ("kind", kind)]));
    let parts = prop::collection::vec(part, 0..4).prop_map(Value::from);
    let count = prop_oneof![any::<i8>().prop_map(Value::from), Just(Value::from("7"))];
    let counts = prop::collection::btree_map("[a-z]{1,4}", count, 0..4)
        .prop_map(|it| object(it.iter().map(|(key, value)| (key.as_str(), value.clone()))));
    let note = prop_oneof![Just(Value::Null), text().prop_map(Value::from)];
    let key = |name: &'static str, other: &'static str| prop_oneof![8 => Just(name.to_owned()), 1 => Just(other.to_owned())];
    let entries = (
        (key("title", "Title"), text().prop_map(Value::from)),
        (key("parts", "PARTS"), parts),
        (key("counts", "counts"), counts),
        prop::option::of((key("note", "Note"), note)),
        prop::option::of((key("is_long", "isLong"), prop_oneof![Just(true), Just(false)])),
        prop::option::of((key("title", "TITLE"), text().prop_map(Value::from))),
        prop::option::of((key("other", "unknown"), text().prop_map(Value::from))),
    );
    let entries = entries.prop_map(|(title, parts, counts, note, is_long, again, other)| {
        let is_long = is_long.map(|(key, value)| (key, Value::from(value)));
        let all = [Some(title), Some(parts), Some(counts), note, is_long, again, other];
        all.into_iter().flatten().collect::<Vec<_>>()
    });
    entries.prop_shuffle()
}

/// The style in which a model writes JSON.
#[derive(Debug, Clone, Copy)]
struct Style {
    quote: char,
    bare_keys: bool,
    trailing_commas: bool,
    python: bool,
    raw_breaks: bool,
    /// The comment before each value.
    comment: &'static str,
    around: (&'static str, &'static str),
}

fn style() -> impl Strategy<Value = Style> {
    let around = prop_oneof![
        Just(("", "")),
        Just(("```json\n", "\n```")),
        Just(("Here it is:\n", "\nMore?")),
        Just(("<think>{\"title\": 1}</think>", "")),
        Just(("First {\"title\": \"x\"}, then ", "")),
    ];
    let comment = prop_oneof![
        3 => Just(""),
        1 => Just("/* what follows */ "),
        1 => Just("// it's \"this\", [1]: {\n"),
        1 => Just("# and, so: }\n"),
    ];
    (any::<[bool; 5]>(), comment, around).prop_map(|(flags, comment, around)| Style {
        quote: if flags[0] { '\'' } else { '"' },
        bare_keys: flags[1],
        trailing_commas: flags[2],
        python: flags[3],
        raw_breaks: flags[4],
        comment,
        around,
    })
}

fn write(value: &Value, style: Style, out: &mut String) {
    match value {
        Value::Object(map) => {
            let entries = map.iter().map(|(key, value)| (key.to_owned(), value.clone()));
            write_object(&entries.collect::<Vec<_>>(), style, out);
        }
        Value::Array(items) => {
            out.push('[');
            for item in items.iter() {
                out.push_str(style.comment);
                write(item, style, out);
                out.push_str(", ");
            }
            end(items.is_empty(), style, out);
            out.push(']');
        }
        Value::Null if style.python => out.push_str("None"),
        Value::Bool(true) if style.python => out.push_str("True"),
        Value::Bool(false) if style.python => out.push_str("False"),
        Value::String(text) => write_text(text, style, out),
        other => out.push_str(&other.to_json()),
    }
}

fn write_object(entries: &[(String, Value)], style: Style, out: &mut String) {
    out.push('{');
    for (key, value) in entries {
        out.push_str(style.comment);
        match style.bare_keys {
            true => out.push_str(key),
            false => write_text(key, style, out),
        }
        out.push_str(": ");
        write(value, style, out);
        out.push_str(", ");
    }
    end(entries.is_empty(), style, out);
    out.push('}');
}

fn end(is_empty: bool, style: Style, out: &mut String) {
    if !is_empty && !style.trailing_commas {
        out.truncate(out.len() - 2);
    }
}

fn write_text(text: &str, style: Style, out: &mut String) {
    let quote = style.quote;
    out.push(quote);
    for character in text.chars() {
        match character {
            '\n' if !style.raw_breaks => out.push_str("\\n"),
            it if it == quote => out.extend(['\\', it]),
            it => out.push(it),
        }
    }
    out.push(quote);
}

fn pieces<'text>(text: &'text str, cuts: &[usize]) -> Vec<&'text str> {
    let mut at: Vec<usize> = cuts.iter().map(|cut| cut % (text.len() + 1)).collect();
    at.retain(|it| text.is_char_boundary(*it));
    at.extend([0, text.len()]);
    at.sort_unstable();
    at.windows(2).map(|it| &text[it[0]..it[1]]).collect()
}

proptest! {
    #[test]
    fn finished_parts_never_change_and_match_the_complete_value(
        entries in report(), style in style(), generous in any::<bool>(),
        cuts in prop::collection::vec(any::<usize>(), 0..20), until in any::<usize>(),
    ) {
        let mut reply = style.around.0.to_owned();
        write_object(&entries, style, &mut reply);
        reply.push_str(style.around.1);
        let mut until = until % (reply.len() + 1);
        while !reply.is_char_boundary(until) {
            until -= 1;
        }
        // Every second reply ends early.
        let reply = if until % 2 == 0 { &reply[..until] } else { &reply };
        let leniency = if generous { Leniency::Generous } else { Leniency::Plain };
        let output = Output::<Report>::new().with_leniency(leniency);

        let mut stream = output.stream().with_partial();
        let mut steps = vec![stream.partial().clone()];
        for piece in pieces(reply, &cuts) {
            let events = stream.push(piece);
            let partial = stream.partial().clone();
            if events.contains(&OutputEvent::Restarted) {
                steps.clear();
            } else if let Some(last) = steps.last() {
                prop_assert!(partial.follows(last), "{last:?}\n{partial:?}\n{reply}");
            }
            steps.push(partial);
        }
        let in_one_piece = {
            let mut stream = output.stream().with_partial();
            stream.push(reply);
            stream.partial().clone()
        };
        prop_assert_eq!(stream.partial(), &in_one_piece, "{}", reply);
        let has_restarted = stream.end().contains(&OutputEvent::Restarted);
        let end = stream.partial().clone();
        let Ok(parsed) = stream.finish() else { return Ok(()) };
        if !has_restarted {
            for step in &steps {
                prop_assert!(is_part_of(step, &parsed.value), "{step:?}\n{parsed:?}\n{reply}");
            }
        }
        prop_assert_eq!(&end, &Partial::Done(parsed.value.clone()), "{}", reply);
        prop_assert_eq!(output.parse(reply).unwrap().value, parsed.value);
    }

    #[test]
    fn the_deltas_of_a_string_are_its_value(
        reply in "(<think>[a`]{0,4}</think>)?[a` \n]{0,20}", cuts in prop::collection::vec(any::<usize>(), 0..8),
    ) {
        let output = Output::<String>::new();
        let mut stream = output.stream().with_partial();
        let mut received = String::new();
        let mut events = Vec::new();
        for piece in pieces(&reply, &cuts) {
            events.extend(stream.push(piece));
        }
        events.extend(stream.end());
        for event in events {
            match event {
                OutputEvent::Text { delta, .. } => received += &delta,
                OutputEvent::Restarted => received.clear(),
                _ => {}
            }
        }
        match output.parse(&reply) {
            Ok(parsed) => {
                prop_assert_eq!(&received, &parsed.value);
                prop_assert_eq!(stream.partial(), &Partial::Done(parsed.value));
            }
            Err(_) => prop_assert_eq!(received, ""),
        }
    }
}

/// Parts of a reply whose work could depend on the length of everything before them.
const UNITS: [&str; 8] = [
    r#"{"text": "a", "kind": "Plain"}, "#,
    r#"{"text": "long, long", "text": "twice"}, "#,
    r#"{"Text": "a", "TEXT": "b"}, "#,
    r#"{"kind": {"Quote": {"by": "a b c"}}}, "#,
    r#"{"unknown": {"a": [1, 2]}}, "#,
    "[[1], ",
    "\"a\", ",
    "null, ",
];

#[test]
fn the_work_is_linear_in_the_length_of_the_reply() {
    for unit in UNITS {
        for length in [1, 7] {
            assert_linear(unit, 2_000, |size| {
                let reply = format!("{{\"parts\": [{}", unit.repeat(size / unit.len()));
                count_work(|| work(&Output::<Report>::new(), &reply, length)).1
            });
        }
    }
    for unit in ["a", " ", "`", "```\n", "```a", "<think>", "\n "] {
        for prefix in ["", "```\n", "<think>", "a"] {
            assert_linear(unit, 2_000, |size| {
                let reply = format!("{prefix}{}", unit.repeat(size / unit.len()));
                count_work(|| work(&Output::<String>::new(), &reply, 3)).1
            });
        }
    }
}

fn work<T: typed_prompty::output::Growable>(output: &Output<T>, reply: &str, length: usize) {
    let mut stream = output.stream().with_partial();
    let at: Vec<usize> = (0..reply.len()).step_by(length).collect();
    for piece in pieces(reply, &at) {
        stream.push(piece);
    }
    stream.end();
}
