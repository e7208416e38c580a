//! Generated messages of the assistant: texts that hold pieces of markers, and calls with arguments
//! of every type.

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Map, Value, json};

use super::markers::{Markers, dense};
use super::messages::{Called, Said};

/// A message before it is known what markers its template has.
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
    Of(&'static str),
    Word(String),
    /// A marker.
    Marker(Index),
    /// A marker without its end.
    Begun(Index, Index),
}

#[derive(Debug, Clone)]
enum Argument {
    Null,
    Boolean(bool),
    Whole(i64),
    Number(i32),
    Text(Text),
    List(Vec<Argument>),
    Object(Vec<(String, Argument)>),
}

/// Texts that a parser could easily misunderstand.
const ODD: [&str; 24] = [
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
        4 => proptest::sample::select(ODD.to_vec()).prop_map(Piece::Of),
        2 => any::<Index>().prop_map(Piece::Marker),
        2 => (any::<Index>(), any::<Index>()).prop_map(|(which, end)| Piece::Begun(which, end)),
    ]
}

fn text() -> impl Strategy<Value = Text> {
    proptest::collection::vec(piece(), 0..10)
}

fn argument() -> impl Strategy<Value = Argument> {
    let leaf = prop_oneof![
        1 => Just(Argument::Null),
        1 => any::<bool>().prop_map(Argument::Boolean),
        1 => any::<i64>().prop_map(Argument::Whole),
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
    /// The message with a template's markers in it.
    ///
    /// Whole markers are data in arguments only: in reasoning and in content they are what they say.
    pub(crate) fn with(&self, markers: &Markers) -> Said {
        let spoken = |text: &Option<Text>| {
            let text = draft_text(text.as_ref()?, markers);
            Some(if text.trim().is_empty() { "Well.".to_owned() } else { text })
        };
        let calls = self.calls.iter().enumerate().map(|(index, (name, arguments))| {
            let name = format!("{name}_{index}");
            let id = markers.id(&name, index);
            Called { id, name, arguments: object(arguments, markers) }
        });
        let (reasoning, calls) = (spoken(&self.reasoning), calls.collect::<Vec<_>>());
        let content = spoken(&self.content);
        let is_silent = content.is_none() && calls.is_empty();
        let content = if is_silent { Some("Well.".to_owned()) } else { content };
        Said { reasoning, content, calls }
    }
}

/// A text of reasoning or content.
fn draft_text(text: &Text, markers: &Markers) -> String {
    let begun = |marker: &str| marker.chars().take(marker.chars().count() - 1).collect();
    let with = |piece: &Piece| match piece {
        Piece::Marker(which) if !markers.all.is_empty() => begun(which.get::<String>(&markers.all)),
        piece => piece_text(piece, markers),
    };
    let whole: String = text.iter().map(with).collect();
    if !holds_any(&whole, &markers.structure) {
        return whole;
    }
    let is_plain = |piece: &&Piece| matches!(piece, Piece::Word(_));
    text.iter().filter(is_plain).map(with).collect::<Vec<_>>().join(" ")
}

/// Whether a text contains a marker with any white space in it, or would contain one if a marker
/// followed.
fn holds_any(text: &str, markers: &[String]) -> bool {
    let text = dense(text);
    let markers: Vec<String> = markers.iter().map(|marker| dense(marker)).collect();
    // If a marker follows, the end of the text may become part of another marker.
    markers.iter().any(|behind| {
        let text_in_front = format!("{text}{behind}");
        let found = |marker: &String| text_in_front.find(&**marker);
        markers.iter().filter_map(found).any(|at| at < text.len())
    })
}

fn piece_text(piece: &Piece, markers: &Markers) -> String {
    match piece {
        Piece::Of(text) => (*text).to_owned(),
        Piece::Word(word) => word.clone(),
        Piece::Marker(_) | Piece::Begun(..) if markers.all.is_empty() => String::new(),
        Piece::Marker(which) => which.get(&markers.all).clone(),
        Piece::Begun(which, end) => {
            let marker = which.get(&markers.all);
            let letters = marker.chars().count();
            marker.chars().take(1 + end.index(letters)).collect()
        }
    }
}

fn value(argument: &Argument, markers: &Markers) -> Value {
    match argument {
        Argument::Null => Value::Null,
        Argument::Boolean(it) => (*it).into(),
        Argument::Whole(it) => (*it).into(),
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
