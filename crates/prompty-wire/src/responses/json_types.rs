//! The JSON types in answers of the responses API: events, responses, items and their parts.

use std::borrow::Cow;

use serde::de::SeqAccess;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::assembler::CallPiece;
use crate::error::is_error;
use crate::fields::{
    Count, Field, JsonText, JsonType, List, MAX_ITEMS, Object, Strict, StrictField, Text, TextOr,
    is_empty_json, json_objects, too_many_items,
};
use crate::usage::BodyUsage;

json_objects! {
    /// An event, or a complete response.
    pub(super) struct ResponsesEvent<'j> {
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
        /// The type of an event. Responses have none.
        #[serde(rename = "type")]
        pub(super) event: Text<'j>,
        pub(super) id: Text<'j>,
        pub(super) model: Text<'j>,
        pub(super) status: Text<'j>,
        pub(super) object: Text<'j>,
        pub(super) output: Strict<OutputItems<'j>>,
        pub(super) output_text: Strict<Text<'j>>,
        pub(super) incomplete_details: Object<IncompleteDetails<'j>>,
        pub(super) error: Option<&'j RawValue>,
        pub(super) usage: Object<BodyUsage>,
    }

    /// A response that has begun.
    pub(super) struct ResponseIdentity<'j> {
        pub(super) id: Text<'j>,
        pub(super) model: Text<'j>,
    }

    pub(super) struct IncompleteDetails<'j> {
        pub(super) reason: Text<'j>,
    }

    pub(super) struct OutputItem<'j> {
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
        pub(super) content: ItemParts<'j>,
        pub(super) summary: ItemParts<'j>,
    }

    pub(super) struct ItemPart<'j> {
        #[serde(rename = "type")]
        pub(super) kind: Text<'j>,
        pub(super) text: Text<'j>,
        pub(super) refusal: Text<'j>,
    }

    /// The JSON text of the parts of a message.
    pub(super) struct WrittenParts<'j> {
        pub(super) content: List<&'j RawValue>,
    }

    /// A part of a message, with the JSON of its texts.
    pub(super) struct WrittenPart<'j> {
        #[serde(rename = "type")]
        kind: Text<'j>,
        text: Option<&'j RawValue>,
        refusal: Option<&'j RawValue>,
    }
}

impl WrittenPart<'_> {
    /// Whether it is a part without text, and not one of an unknown form.
    pub(super) fn is_empty(&self) -> bool {
        let mut texts = [self.text, self.refusal].into_iter().flatten();
        matches!(self.kind.get(), Some("output_text" | "text" | "refusal"))
            && texts.all(|text| is_empty_json(text.get()))
    }
}

/// The JSON text of the items of a response.
#[derive(Deserialize)]
pub(super) struct WrittenItems<'j> {
    #[serde(borrow)]
    pub(super) output: Vec<&'j RawValue>,
}

/// The items of a response.
#[derive(Default)]
pub(super) struct OutputItems<'j>(pub(super) Vec<Object<OutputItem<'j>>>);

/// The maximum number of parts of all items together.
const MAX_PARTS: usize = 4096;

impl<'de: 'j, 'j> Field<'de> for OutputItems<'j> {
    fn from_list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let (mut items, mut parts) = (Vec::new(), 0);
        while let Some(item) = list.next_element::<Object<OutputItem<'j>>>()? {
            parts += item.0.as_ref().map_or(0, |item| item.content.0.len() + item.summary.0.len());
            if items.len() >= MAX_ITEMS {
                return Err(too_many_items(MAX_ITEMS));
            }
            if parts > MAX_PARTS {
                let message = format!("a response has more than {MAX_PARTS} parts");
                return Err(serde::de::Error::custom(message));
            }
            items.push(item);
        }
        Ok(Self(items))
    }
}

impl<'de: 'j, 'j> StrictField<'de> for OutputItems<'j> {
    const TYPE: JsonType = JsonType::List;
}

/// The parts of an item.
#[derive(Default)]
pub(super) struct ItemParts<'j>(pub(super) Vec<ItemPart<'j>>);

impl<'de: 'j, 'j> Deserialize<'de> for ItemParts<'j> {
    /// Reads a string, or an array of parts.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let parts = TextOr::<List<TextOr<'j, Object<ItemPart<'j>>>>>::deserialize(deserializer)?;
        let list = match parts {
            TextOr::Text(text) => return Ok(Self(vec![ItemPart::text(text)])),
            TextOr::Other(list) => list.0,
        };
        let part = |part: TextOr<'j, Object<ItemPart<'j>>>| match part {
            TextOr::Text(text) => ItemPart::text(text),
            TextOr::Other(part) => part.0.unwrap_or_else(|| ItemPart::text(Text::default())),
        };
        Ok(Self(list.into_iter().map(part).collect()))
    }
}

impl<'j> ItemPart<'j> {
    /// A part from a string in its place.
    fn text(text: Text<'j>) -> Self {
        Self { kind: Text::default(), text, refusal: Text::default() }
    }

    pub(super) fn has_no_text(&self) -> bool {
        self.text.get().or(self.refusal.get()).is_none()
    }
}

impl Response<'_> {
    /// Whether the JSON is a response at all.
    pub(super) fn is_one(&self) -> bool {
        self.object.get() == Some("response")
            || self.status.get().is_some()
            || !self.output.0.is_empty()
            || self.output_text.get().is_some()
            || self.error.is_some_and(|error| is_error(error.get()))
    }
}

impl OutputItem<'_> {
    /// Whether its JSON is kept, as for all items except messages and calls.
    pub(super) fn is_kept(&self) -> bool {
        self.call().is_none() && self.kind.get() != Some("message")
    }

    /// Whether it is a message with a part in which no text was found.
    pub(super) fn has_unread_part(&self) -> bool {
        self.kind.get() == Some("message") && self.content.0.iter().any(ItemPart::has_no_text)
    }

    /// Whether it contains any text.
    pub(super) fn has_text(&self) -> bool {
        let has_text = |part: &ItemPart<'_>| !part.has_no_text();
        !self.arguments.0.is_empty()
            || self.input.get().is_some()
            || self.content.0.iter().chain(&self.summary.0).any(has_text)
    }

    /// The id of the item: the call id, if the caller executes it, and otherwise its own id. A call
    /// that the provider executes shares its call id with its result.
    pub(super) fn own_id(&self) -> &str {
        let call_id = self.call_id.get().filter(|_| self.is_call());
        call_id.or(self.id.get()).unwrap_or_default()
    }

    /// Whether the item is a call that the caller must execute.
    pub(super) fn is_call(&self) -> bool {
        matches!(self.kind.get(), Some("function_call" | "custom_tool_call"))
    }

    /// The call, if the caller must execute the item.
    pub(super) fn call(&self) -> Option<CallPiece<'_>> {
        let free_text = match self.kind.get() {
            Some("function_call") => false,
            Some("custom_tool_call") => true,
            _ => return None,
        };
        let arguments: &Cow<'_, str> = if free_text { &self.input.0 } else { &self.arguments.0 };
        let id = Some(self.own_id()).filter(|id| !id.is_empty());
        let (name, fields) = (self.name.get(), [self.namespace, self.caller]);
        Some(CallPiece { id, name, arguments, free_text, fields })
    }
}
