//! Tests of typed values in replies. A value that is written with damage, truncated or in pieces is
//! read back unchanged, or is reported as truncated.

use std::collections::BTreeMap;

use prompty_core::value::Value;
use prompty_output::output::{Leniency, Output, OutputEvent, Parsed};
use proptest::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model_text::{around, pieces, style, until, write};

/// A type with all kinds of fields that services use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Report {
    title: String,
    parts: Vec<Part>,
    counts: BTreeMap<String, i64>,
    note: Option<String>,
    #[serde(rename = "isLong", default)]
    is_long: bool,
    weight: f64,
    place: (u8, i32),
    #[serde(flatten)]
    author: Author,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Part {
    text: String,
    kind: Kind,
    within: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    PlainText,
    Quote { by: String, year: Option<u16> },
    Table(Vec<Vec<String>>),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Author {
    name: String,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    tags: Vec<String>,
}

/// Strings that confuse a reader, and strings that look like other values.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z ]{0,12}",
        "[a-zé😀 ]{0,6}[\"'{}\\[\\],:#/\\\\\n\t]{0,3}[a-z]{0,6}",
        prop::sample::select(vec![
            "true",
            "null",
            "12",
            "None",
            "2,000",
            "{\"a\": 1}",
            "[1]",
            "```"
        ])
        .prop_map(str::to_owned),
    ]
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![
        Just(Kind::PlainText),
        (text(), any::<Option<u16>>()).prop_map(|(by, year)| Kind::Quote { by, year }),
        prop::collection::vec(prop::collection::vec(text(), 0..3), 0..3).prop_map(Kind::Table),
    ]
}

fn part() -> impl Strategy<Value = Part> {
    let leaf = (text(), kind()).prop_map(|(text, kind)| Part { text, kind, within: Vec::new() });
    leaf.prop_recursive(2, 6, 2, |inner| {
        (text(), kind(), prop::collection::vec(inner, 0..3)).prop_map(|(text, kind, within)| Part {
            text,
            kind,
            within,
        })
    })
}

prop_compose! {
    fn report()(
        title in text(), parts in prop::collection::vec(part(), 0..3),
        counts in prop::collection::btree_map("[a-z_][a-z0-9_]{0,5}", any::<i64>(), 0..3),
        note in prop::option::of(text()), is_long in any::<bool>(), weight in -1e9..1e9_f64,
        place in any::<(u8, i32)>(), name in text(), tags in prop::collection::vec(text(), 0..3),
    ) -> Report {
        let author = Author { name, tags };
        Report { title, parts, counts, note, is_long, weight, place, author }
    }
}

/// The result of a stream that reads pieces, and whether it reported the complete value.
fn streamed<'text>(
    output: &Output<Report>,
    pieces: impl IntoIterator<Item = &'text str>,
) -> (String, bool) {
    let mut stream = output.stream();
    let mut events: Vec<_> = pieces.into_iter().flat_map(|it| stream.push(it)).collect();
    events.extend(stream.end());
    let is_complete =
        |it: &OutputEvent| matches!(it, OutputEvent::Done { path, .. } if path.steps().is_empty());
    let is_reported = events
        .iter()
        .rposition(is_complete)
        .is_some_and(|at| !events[at..].contains(&OutputEvent::Restarted));
    (format!("{:?}", stream.finish()), is_reported)
}

proptest! {
    #[test]
    fn a_typed_value_reads_back_or_is_truncated(
        report in report(), style in style(), around in around(), cut in any::<usize>(),
        cuts in prop::collection::vec(any::<usize>(), 0..12), generous in any::<bool>(),
    ) {
        let value = Value::from_serialize(&report)?;
        let mut reply = around.0.to_owned();
        write(&value, style, &mut reply);
        reply.push_str(around.1);
        // In prose, a bracket does not begin a value before the first key and its colon.
        let uncertain = around.0.len() + style.comment.len() + "{'title':".len();
        let leniency = if generous { Leniency::Generous } else { Leniency::Plain };
        let output = Output::<Report>::new().with_leniency(leniency).with_truncated();

        let Parsed { value, truncated, .. } = output.parse(&reply).map_err(|it| TestCaseError::fail(format!("{it} {reply}")))?;
        prop_assert_eq!(&value, &report, "{}", reply);
        prop_assert!(!truncated, "{}", reply);

        let begun = until(&reply, cut);
        let parsed = output.parse(begun);
        match &parsed {
            Ok(parsed) => prop_assert!(parsed.truncated || parsed.value == report, "{}", begun),
            Err(error) => prop_assert!(
                error.is_truncated() || begun.len() <= uncertain,
                "{} of {}", error, begun
            ),
        }
        for text in [begun, reply.as_str()] {
            let parsed = output.parse(text);
            let is_complete = parsed.as_ref().is_ok_and(|it| !it.truncated);
            let (read, is_reported) = streamed(&output, pieces(text, &cuts));
            prop_assert_eq!(is_reported, is_complete, "{}", text);
            prop_assert_eq!(read, format!("{:?}", parsed), "{}", text);
        }
    }
}
