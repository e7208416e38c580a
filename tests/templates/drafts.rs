//! Generated messages of the assistant: texts that contain pieces of markers, and calls with
//! arguments of every type.

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Map, Value, json};

use super::markers::{Markers, dense};
use super::messages::{AssistantMessage, MessageCall};

/// A message for any template. It does not contain the markers of a template yet.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    reasoning: Option<Text>,
    content: Option<Text>,
    calls: Vec<(String, Vec<(String, Argument)>)>,
}

/// A text as a list of pieces.
type Text = Vec<Piece>;

#[derive(Debug, Clone)]
enum Piece {
    Fixed(&'static str),
    Word(String),
    /// A marker.
    Marker(Index),
    /// A marker without its end.
    CutMarker(Index, Index),
}

#[derive(Debug, Clone)]
enum Argument {
    Null,
    Boolean(bool),
    Integer(i64),
    Number(i32),
    Text(Text),
    List(Vec<Argument>),
    Object(Vec<(String, Argument)>),
}

/// Texts that a parser could easily misunderstand.
const TRICKY: [&str; 24] = [
    " ",
    " ",
    "\n",
    "\n\n",
    "\t",
    "\"",
    "'",
    "\\",
    "\\n",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    "</",
    ",",
    ": ",
    "é",
    "漢字",
    "🦀",
    "{\"a\": 1}",
    "true",
    "None",
];

fn piece() -> impl Strategy<Value = Piece> {
    prop_oneof![
        4 => "[a-z]{1,8}".prop_map(Piece::Word),
        4 => proptest::sample::select(TRICKY.to_vec()).prop_map(Piece::Fixed),
        2 => any::<Index>().prop_map(Piece::Marker),
        2 => (any::<Index>(), any::<Index>()).prop_map(|(which, end)| Piece::CutMarker(which, end)),
    ]
}

fn text() -> impl Strategy<Value = Text> {
    proptest::collection::vec(piece(), 0..10)
}

fn argument() -> impl Strategy<Value = Argument> {
    let leaf = prop_oneof![
        1 => Just(Argument::Null),
        1 => any::<bool>().prop_map(Argument::Boolean),
        1 => any::<i64>().prop_map(Argument::Integer),
        1 => any::<i32>().prop_map(Argument::Number),
        4 => text().prop_map(Argument::Text),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Argument::List),
            proptest::collection::vec(("[a-z]{1,5}", inner), 0..3).prop_map(Argument::Object),
        ]
    })
}

/// Any message that is not empty.
pub(crate) fn draft() -> impl Strategy<Value = Draft> {
    let arguments = proptest::collection::vec(("[a-z][a-zA-Z0-9_-]{0,7}", argument()), 0..4);
    let call = ("[a-z][a-zA-Z0-9_-]{0,9}", arguments);
    let calls = proptest::collection::vec(call, 0..4);
    (proptest::option::of(text()), proptest::option::of(text()), calls)
        .prop_map(|(reasoning, content, calls)| Draft { reasoning, content, calls })
}

impl Draft {
    /// The message with the markers of a template.
    ///
    /// Only arguments contain complete markers. In reasoning and in content these would be markup.
    pub(crate) fn with(&self, markers: &Markers) -> AssistantMessage {
        let text_or_word = |text: &Option<Text>| {
            let text = draft_text(text.as_ref()?, markers);
            Some(if text.trim().is_empty() { "Well.".to_owned() } else { text })
        };
        let calls = self.calls.iter().enumerate().map(|(index, (name, arguments))| {
            let name = format!("{name}_{index}");
            let id = markers.id(&name, index);
            MessageCall { id, name, arguments: object(arguments, markers) }
        });
        let (reasoning, calls) = (text_or_word(&self.reasoning), calls.collect::<Vec<_>>());
        let content = text_or_word(&self.content);
        let is_empty = content.is_none() && calls.is_empty();
        let content = if is_empty { Some("Well.".to_owned()) } else { content };
        AssistantMessage { reasoning, content, calls }
    }
}

/// A text of reasoning or content.
fn draft_text(text: &Text, markers: &Markers) -> String {
    let cut = |marker: &str| marker.chars().take(marker.chars().count() - 1).collect();
    let with = |piece: &Piece| match piece {
        Piece::Marker(which) if !markers.all.is_empty() => cut(which.get::<String>(&markers.all)),
        piece => piece_text(piece, markers),
    };
    let complete: String = text.iter().map(with).collect();
    if !contains_any(&complete, &markers.structure) {
        return complete;
    }
    let is_plain = |piece: &&Piece| matches!(piece, Piece::Word(_));
    text.iter().filter(is_plain).map(with).collect::<Vec<_>>().join(" ")
}

/// Whether a text contains a marker with any white space in it, or would contain one if a marker
/// followed.
fn contains_any(text: &str, markers: &[String]) -> bool {
    let text = dense(text);
    let markers: Vec<String> = markers.iter().map(|marker| dense(marker)).collect();
    // If a marker follows, the end of the text may become part of another marker.
    markers.iter().any(|next| {
        let with_next = format!("{text}{next}");
        let found = |marker: &String| with_next.find(&**marker);
        markers.iter().filter_map(found).any(|at| at < text.len())
    })
}

fn piece_text(piece: &Piece, markers: &Markers) -> String {
    match piece {
        Piece::Fixed(text) => (*text).to_owned(),
        Piece::Word(word) => word.clone(),
        Piece::Marker(_) | Piece::CutMarker(..) if markers.all.is_empty() => String::new(),
        Piece::Marker(which) => which.get(&markers.all).clone(),
        Piece::CutMarker(which, end) => {
            let marker = which.get(&markers.all);
            let length = marker.chars().count();
            marker.chars().take(1 + end.index(length)).collect()
        }
    }
}

fn value(argument: &Argument, markers: &Markers) -> Value {
    match argument {
        Argument::Null => Value::Null,
        Argument::Boolean(it) => (*it).into(),
        Argument::Integer(it) => (*it).into(),
        Argument::Number(it) => json!(f64::from(*it) / 8.0 + 0.0625),
        Argument::Text(text) => text.iter().map(|it| piece_text(it, markers)).collect(),
        Argument::List(items) => items.iter().map(|it| value(it, markers)).collect(),
        Argument::Object(entries) => object(entries, markers),
    }
}

fn object(entries: &[(String, Argument)], markers: &Markers) -> Value {
    let entries = entries.iter().map(|(key, argument)| (key.clone(), value(argument, markers)));
    Value::Object(entries.collect::<Map<_, _>>())
}
