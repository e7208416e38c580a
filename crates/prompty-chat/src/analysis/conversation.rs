//! Conversations with sentinels as texts, in the forms that templates accept.

use std::fmt;

use super::piece::Piece;
use crate::capabilities::REASONING_FIELDS;
use prompty_core::message::{ToolSpec, call_to_openai, tools_to_openai};
use prompty_core::value::{Map, Value};

/// Sentinels: lower case words that no template contains and that no escape changes. Other modules
/// name them in their comments: `FIRST` is the name of the first tool that is called, for example.
pub(super) const USER: &str = "zqaskaqz";
pub(super) const NEXT_USER: &str = "zqaskbqz";
pub(super) const CONTENT: &str = "zqsayqz";
pub(super) const REASON: &str = "zqmuseqz";
pub(super) const FIRST: &str = "zqtoolaqz";
pub(super) const SECOND: &str = "zqtoolbqz";
pub(super) const TYPED: &str = "zqtoolcqz";
pub(super) const KEY: &str = "zqkeyaqz";
pub(super) const OTHER_KEY: &str = "zqkeybqz";
pub(super) const VALUE: &str = "zqvalaqz";
pub(super) const OTHER_VALUE: &str = "zqvalbqz";
pub(super) const NUMBER: &str = "7357191";
pub(super) const FIRST_ID: &str = "zq1call01";
pub(super) const SECOND_ID: &str = "zq1call02";
pub(super) const ITEM: &str = "zqitemqz";
/// The arguments of [`typed_call`]: the key, the type, and a text of the value.
pub(super) const TYPES: [(&str, &str, &str); 5] = [
    ("zqkeycqz", "integer", "7357192"),
    ("zqkeydqz", "number", "73571.5"),
    ("zqkeyeqz", "boolean", "true"),
    ("zqkeyfqz", "array", ITEM),
    ("zqkeygqz", "object", "zqdeepqz"),
];

/// The form in which a template accepts messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct MessageStyle {
    /// Arguments are a string of JSON.
    pub(super) arguments_as_text: bool,
    /// Content is a list of parts.
    pub(super) parts: bool,
    /// The replacement for missing content.
    pub(super) absent: AbsentContent,
    /// A message contains only the first call.
    pub(super) single: bool,
    /// Ids contain the tool's name.
    pub(super) named_ids: bool,
}

/// The replacement for missing content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum AbsentContent {
    #[default]
    Empty,
    Null,
    Missing,
    /// Content is never missing: some templates open a turn only if it has content.
    Filled,
}

/// How a message contains reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReasoningForm {
    /// In every field.
    Fields,
    /// In one of them.
    Field(&'static str),
    /// In a part of the content: its `type`, and the key of its text.
    Part(&'static str, &'static str),
}

/// A call of a probe: its tool, its id and its arguments.
pub(super) type ProbeCall = (&'static str, &'static str, Map);

/// The tools that a probe offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolOffer {
    None,
    /// The tools of [`two_calls`].
    Plain,
    /// In addition, the tool of [`typed_call`]. Some templates cannot write its schema.
    Typed,
    /// The tools of [`two_calls`], in each variable whose name contains `tools`.
    Everywhere,
}

impl fmt::Display for MessageStyle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.single { "one call" } else { "two calls" })?;
        f.write_str(if self.arguments_as_text { ", arguments as text" } else { "" })?;
        f.write_str(if self.named_ids { ", ids with names" } else { "" })?;
        f.write_str(match self.absent {
            AbsentContent::Empty => "",
            AbsentContent::Null => ", null for content",
            AbsentContent::Missing => ", without content",
            AbsentContent::Filled => ", with content",
        })
    }
}

impl fmt::Display for ReasoningForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fields => f.write_str("in every field"),
            Self::Field(name) => write!(f, "in `{name}`"),
            Self::Part(kind, key) => write!(f, "as `{key}` of a part `{kind}`"),
        }
    }
}

impl MessageStyle {
    /// The content of a message: `text`, or the replacement for it if there is none. The result is
    /// `None` if the message must not have a field `content`.
    fn content(self, text: Option<&str>) -> Option<Value> {
        let text = match (text, self.absent) {
            (Some(text), _) => text,
            (None, AbsentContent::Empty) => "",
            (None, AbsentContent::Null) => return Some(Value::Null),
            (None, AbsentContent::Missing) => return None,
            (None, AbsentContent::Filled) => CONTENT,
        };
        Some(if self.parts {
            Value::from_iter([part("text", "text", text)])
        } else {
            Value::from(text)
        })
    }

    /// A message of the user.
    pub(super) fn ask(self, text: &str) -> Value {
        let mut message = Map::from([("role", Value::from("user"))]);
        message.insert("content", self.content(Some(text)).unwrap_or_default());
        message.into()
    }

    /// A message of the assistant.
    pub(super) fn answer(
        self,
        content: Option<&str>,
        reason: Option<ReasoningForm>,
        calls: &[ProbeCall],
    ) -> Value {
        let mut message = Map::from([("role", Value::from("assistant"))]);
        if let Some(ReasoningForm::Part(kind, key)) = reason {
            let spoken = content.map(|text| part("text", "text", text));
            let parts = std::iter::once(part(kind, key, REASON)).chain(spoken);
            message.insert("content", Value::from_iter(parts));
        } else if let Some(content) = self.content(content) {
            message.insert("content", content);
        }
        for field in REASONING_FIELDS {
            if reason == Some(ReasoningForm::Fields) || reason == Some(ReasoningForm::Field(field))
            {
                message.insert(field, REASON);
            }
        }
        if !calls.is_empty() {
            let calls = calls.iter().take(if self.single { 1 } else { calls.len() });
            message.insert("tool_calls", Value::from_iter(calls.map(|it| self.call(it))));
        }
        message.into()
    }

    /// A call in the form of chat APIs. With `named_ids`, the id has the form that some models
    /// write: the name, and the number of the call in its message.
    fn call(self, (name, id, arguments): &ProbeCall) -> Value {
        let arguments = match self.arguments_as_text {
            true => Value::from(Value::from(arguments.clone()).to_string()),
            false => Value::from(arguments.clone()),
        };
        let id = match self.named_ids {
            true => format!("functions.{name}:{}", usize::from(*id == SECOND_ID)),
            false => (*id).to_owned(),
        };
        call_to_openai(&id, name, arguments)
    }
}

/// Two calls: the first with a string and a number, the second with a string.
pub(super) fn two_calls() -> [ProbeCall; 2] {
    let number = NUMBER.parse::<i64>().unwrap_or(0);
    let first = Map::from([(KEY, Value::from(VALUE)), (OTHER_KEY, Value::from(number))]);
    [(FIRST, FIRST_ID, first), (SECOND, SECOND_ID, Map::from([(KEY, OTHER_VALUE)]))]
}

/// A call without arguments.
pub(super) fn bare_call() -> [ProbeCall; 1] {
    [(SECOND, FIRST_ID, Map::new())]
}

/// A call with a value of each other type.
pub(super) fn typed_call() -> [ProbeCall; 1] {
    let values = TYPES.map(|(key, kind, text)| {
        let value = match kind {
            "integer" => Value::from(text.parse::<i64>().unwrap_or_default()),
            "number" => Value::from(text.parse::<f64>().unwrap_or_default()),
            "boolean" => Value::from(true),
            "array" => Value::from_iter([Value::from(text)]),
            _ => Map::from([("zqinnerqz", text)]).into(),
        };
        (key, value)
    });
    [(TYPED, FIRST_ID, Map::from(values))]
}

/// The tools that the probes call, with schemas of their arguments.
pub(super) fn tools(offer: ToolOffer) -> Value {
    let first = tool(FIRST, &[(KEY, "string"), (OTHER_KEY, "integer")]);
    let mut tools = vec![first, tool(SECOND, &[(KEY, "string")])];
    if offer == ToolOffer::Typed {
        tools.push(tool(TYPED, &TYPES.map(|(key, kind, _)| (key, kind))));
    }
    tools_to_openai(&tools)
}

/// A tool with required parameters of these names and types.
fn tool(name: &str, parameters: &[(&'static str, &'static str)]) -> ToolSpec {
    let required = Value::from_iter(parameters.iter().map(|(key, _)| Value::from(*key)));
    let properties: Map = parameters.iter().map(|(key, kind)| (*key, property(kind))).collect();
    let parameters = Map::from([
        ("type", Value::from("object")),
        ("properties", properties.into()),
        ("required", required),
    ]);
    let mut tool = ToolSpec::new(name, parameters);
    tool.description = Some("a probe".to_owned());
    tool
}

/// The schema of a parameter of a type. The items of a list and of an object are strings.
fn property(kind: &'static str) -> Map {
    let mut schema = Map::from([("type", kind), ("description", "a probe")]);
    let text = Map::from([("type", "string"), ("description", "a probe")]);
    match kind {
        "array" => schema.insert("items", text),
        "object" => {
            schema.insert("properties", Map::from([("zqinnerqz", text.clone())]));
            schema.insert("additionalProperties", text)
        }
        _ => None,
    };
    schema
}

/// A part of a message's content.
fn part(kind: &str, key: &str, text: &str) -> Value {
    Map::from([("type", kind), (key, text)]).into()
}

/// The rest of an output after the last user message.
pub(super) fn after_question(render: &str) -> Option<Piece<'_>> {
    Piece::new(render).after_last(USER)
}
