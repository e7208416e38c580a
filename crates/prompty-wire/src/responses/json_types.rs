//! The JSON types in answers of the responses API: events, responses, items and their parts.
//! `Strict`, `Text` and the other types of fields, which say when an unexpected type is an error,
//! are explained at the head of `fields`.

use std::borrow::Cow;

use serde::de::{IgnoredAny, MapAccess, SeqAccess};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::assembler::CallPiece;
use crate::error::{Result, WireError, is_error};
use crate::fields::{
    Count, Field, JsonText, JsonType, List, MAX_ITEMS, Object, Strict, StrictField, Text, TextOr,
    is_empty_json, json_objects, read_field, too_many,
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
        pub(super) delta: DeltaText<'j>,
        // A complete response has settings of this name.
        pub(super) text: Option<&'j RawValue>,
        pub(super) refusal: Strict<Text<'j>>,
        pub(super) arguments: JsonText<'j>,
        pub(super) input: JsonText<'j>,
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
        pub(super) input: JsonText<'j>,
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

    /// The JSON text of all parts of a message.
    pub(super) struct WrittenParts<'j> {
        pub(super) content: Option<&'j RawValue>,
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

/// The text of a delta. Events that are newer than this library may have another type.
#[derive(Default)]
pub(super) struct DeltaText<'j> {
    pub(super) text: Cow<'j, str>,
    pub(super) is_of_other_type: bool,
}

impl DeltaText<'_> {
    fn of_other_type(is_of_other_type: bool) -> Self {
        Self { is_of_other_type, ..Self::default() }
    }
}

impl<'de: 'j, 'j> Deserialize<'de> for DeltaText<'j> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_field(deserializer)
    }
}

impl<'de: 'j, 'j> Field<'de> for DeltaText<'j> {
    fn from_text(text: Cow<'de, str>) -> Self {
        Self { text, is_of_other_type: false }
    }

    fn from_bool(value: bool) -> Self {
        Self::of_other_type(value)
    }

    fn from_integer(_: i128) -> Self {
        Self::of_other_type(true)
    }

    fn from_f64(_: f64) -> Self {
        Self::of_other_type(true)
    }

    fn from_list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let mut has_items = false;
        while list.next_element::<IgnoredAny>()?.is_some() {
            has_items = true;
        }
        Ok(Self::of_other_type(has_items))
    }

    fn from_map<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        let mut has_entries = false;
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
            has_entries = true;
        }
        Ok(Self::of_other_type(has_entries))
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
                return Err(too_many(MAX_ITEMS, "items in an array"));
            }
            if parts > MAX_PARTS {
                return Err(too_many(MAX_PARTS, "parts in a response"));
            }
            items.push(item);
        }
        Ok(Self(items))
    }
}

impl<'de: 'j, 'j> StrictField<'de> for OutputItems<'j> {
    const TYPE: JsonType = JsonType::List;
}

/// The parts of an item; `None` if a part is neither an object nor a string. A part is boxed,
/// because it is much larger than the smallest JSON of one, and an array may have many.
#[derive(Default)]
pub(super) struct ItemParts<'j>(Vec<Option<Box<ItemPart<'j>>>>);

static NO_PART: ItemPart<'static> = ItemPart::text(Text(Cow::Borrowed("")));

impl<'j> ItemParts<'j> {
    pub(super) fn iter(&self) -> impl Iterator<Item = &ItemPart<'j>> {
        self.0.iter().map(|part| part.as_deref().unwrap_or(&NO_PART))
    }
}

impl<'de: 'j, 'j> Deserialize<'de> for ItemParts<'j> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_field(deserializer)
    }
}

/// Parts of another type than a string or an array are one part of an unknown form.
impl<'de: 'j, 'j> Field<'de> for ItemParts<'j> {
    fn from_text(text: Cow<'de, str>) -> Self {
        Self(vec![Some(Box::new(ItemPart::text(Text(text))))])
    }

    fn from_bool(value: bool) -> Self {
        Self(value.then_some(None).into_iter().collect())
    }

    fn from_integer(_: i128) -> Self {
        Self(vec![None])
    }

    fn from_f64(_: f64) -> Self {
        Self(vec![None])
    }

    fn from_list<A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        let list: List<TextOr<'j, Object<Box<ItemPart<'j>>>>> = List::from_list(list)?;
        let parts = list.0.into_iter().map(|part| match part {
            TextOr::Text(text) => Some(Box::new(ItemPart::text(text))),
            TextOr::Other(part) => part.0,
        });
        Ok(Self(parts.collect()))
    }

    fn from_map<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self(vec![None]))
    }
}

impl<'j> ItemPart<'j> {
    /// A part from a string in its place.
    const fn text(text: Text<'j>) -> Self {
        const NONE: Text<'static> = Text(Cow::Borrowed(""));
        Self { kind: NONE, text, refusal: NONE }
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

impl ResponsesEvent<'_> {
    /// Whether it may have content.
    pub(super) fn has_content(&self) -> bool {
        self.delta.is_of_other_type
            || !self.delta.text.is_empty()
            || self.refusal.get().is_some()
            || self.item.or(self.part).is_some_and(|json| !is_empty_json(json.get()))
    }

    /// The complete text of a part.
    ///
    /// # Errors
    ///
    /// Returns an error if it is not a string.
    pub(super) fn complete_text(&self) -> Result<Text<'_>> {
        let Some(json) = self.text else { return Ok(Text::default()) };
        WireError::read_json(json.get()).map(|text: Strict<Text<'_>>| text.value)
    }
}

impl OutputItem<'_> {
    /// Whether its JSON is kept, as for all items except messages and calls.
    pub(super) fn is_kept(&self) -> bool {
        self.call().is_none() && self.kind.get() != Some("message")
    }

    /// Whether it is a message with a part in which no text was found.
    pub(super) fn has_unread_part(&self) -> bool {
        self.kind.get() == Some("message") && self.content.iter().any(ItemPart::has_no_text)
    }

    /// Whether it contains any text.
    pub(super) fn has_text(&self) -> bool {
        let has_text = |part: &ItemPart<'_>| !part.has_no_text();
        !self.arguments.0.is_empty()
            || !self.input.0.is_empty()
            || self.content.iter().chain(self.summary.iter()).any(has_text)
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
