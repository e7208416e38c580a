//! The forms that answers of the responses API have: events, responses, items and their parts.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::{CALL_FIELDS, PROTOCOL};
use crate::assembler::{CallFields, CallPiece};
use crate::error::is_error;
use crate::fields::{Count, JsonText, List, Object, Text, TextOr, json_objects};
use crate::usage::BodyUsage;

json_objects! {
    /// An event, or a whole response.
    pub(super) struct Event<'j> {
        #[serde(rename = "type")]
        pub(super) kind: Text<'j>,
        pub(super) output_index: Count,
        pub(super) item_id: Text<'j>,
        pub(super) summary_index: Count,
        pub(super) content_index: Count,
        pub(super) delta: Text<'j>,
        pub(super) text: Text<'j>,
        pub(super) refusal: Text<'j>,
        pub(super) arguments: JsonText<'j>,
        pub(super) input: Text<'j>,
        pub(super) item: Option<&'j RawValue>,
        pub(super) part: Option<&'j RawValue>,
        pub(super) response: Option<&'j RawValue>,
        pub(super) error: Option<&'j RawValue>,
    }

    pub(super) struct Response<'j> {
        /// Events have it, and responses have none.
        #[serde(rename = "type")]
        pub(super) event: Text<'j>,
        pub(super) id: Text<'j>,
        pub(super) model: Text<'j>,
        pub(super) status: Text<'j>,
        pub(super) object: Text<'j>,
        pub(super) output: List<Object<Item<'j>>>,
        pub(super) output_text: Text<'j>,
        pub(super) incomplete_details: Object<Incomplete<'j>>,
        pub(super) error: Option<&'j RawValue>,
        pub(super) usage: Object<BodyUsage>,
    }
}

/// The items of a response as they are written.
#[derive(Deserialize)]
pub(super) struct Written<'j> {
    #[serde(borrow)]
    pub(super) output: Vec<&'j RawValue>,
}

#[derive(Deserialize)]
pub(super) struct Incomplete<'j> {
    #[serde(borrow, default)]
    pub(super) reason: Text<'j>,
}

json_objects! {
    pub(super) struct Item<'j> {
        #[serde(rename = "type")]
        pub(super) kind: Text<'j>,
        pub(super) call_id: Text<'j>,
        pub(super) id: Text<'j>,
        pub(super) name: Text<'j>,
        pub(super) arguments: JsonText<'j>,
        pub(super) input: Text<'j>,
        pub(super) status: Text<'j>,
        pub(super) phase: Text<'j>,
        pub(super) namespace: Option<&'j RawValue>,
        pub(super) caller: Option<&'j RawValue>,
        pub(super) content: Parts<'j>,
        pub(super) summary: Parts<'j>,
    }
}

/// The parts of an item.
#[derive(Default)]
pub(super) struct Parts<'j>(pub(super) Vec<Part<'j>>);

impl<'de: 'j, 'j> Deserialize<'de> for Parts<'j> {
    /// A text, or a list of parts.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let parts = TextOr::<List<TextOr<'j, Object<Part<'j>>>>>::deserialize(deserializer)?;
        let list = match parts {
            TextOr::Text(text) => return Ok(Self(vec![Part::text(text)])),
            TextOr::Other(list) => list.0,
        };
        let part = |part: TextOr<'j, Object<Part<'j>>>| match part {
            TextOr::Text(text) => Some(Part::text(text)),
            TextOr::Other(part) => part.0,
        };
        Ok(Self(list.into_iter().filter_map(part).collect()))
    }
}

json_objects! {
    pub(super) struct Part<'j> {
        #[serde(rename = "type")]
        pub(super) kind: Text<'j>,
        pub(super) text: Text<'j>,
        pub(super) refusal: Text<'j>,
    }
}

impl<'j> Part<'j> {
    /// A text that stands without a part around it.
    fn text(text: Text<'j>) -> Self {
        Self { kind: Text::default(), text, refusal: Text::default() }
    }
}

impl Response<'_> {
    /// Whether it is a response at all.
    pub(super) fn is_one(&self) -> bool {
        self.object.get() == Some("response")
            || self.status.get().is_some()
            || !self.output.0.is_empty()
            || self.output_text.get().is_some()
            || self.error.is_some_and(|error| is_error(error.get()))
    }
}

impl Item<'_> {
    /// Whether it is kept as it is written: all but messages and calls.
    pub(super) fn is_kept(&self) -> bool {
        self.call().is_none() && self.kind.get() != Some("message")
    }

    /// Whether any text stands in it.
    pub(super) fn says_anything(&self) -> bool {
        let says = |part: &Part<'_>| part.text.get().or(part.refusal.get()).is_some();
        !self.arguments.0.is_empty()
            || self.input.get().is_some()
            || self.content.0.iter().chain(&self.summary.0).any(says)
    }

    /// What the item is known by: the id of a call that the caller carries out, else its own. A call that the provider
    /// carries out has one id with its result.
    pub(super) fn own_id(&self) -> &str {
        let call_id = self.call_id.get().filter(|_| self.is_call());
        call_id.or(self.id.get()).unwrap_or_default()
    }

    /// Whether the caller must carry the item out.
    pub(super) fn is_call(&self) -> bool {
        matches!(self.kind.get(), Some("function_call" | "custom_tool_call"))
    }

    /// The call, if the item is one that the caller must carry out.
    pub(super) fn call(&self) -> Option<CallPiece<'_>> {
        let free_text = match self.kind.get() {
            Some("function_call") => false,
            Some("custom_tool_call") => true,
            _ => return None,
        };
        let arguments: &Cow<'_, str> = if free_text { &self.input.0 } else { &self.arguments.0 };
        let id = Some(self.own_id()).filter(|id| !id.is_empty());
        let fields = CallFields::new(PROTOCOL, CALL_FIELDS, [self.namespace, self.caller]);
        Some(CallPiece { id, name: self.name.get(), arguments, free_text, fields })
    }
}
