//! What providers say of calls beside what calls are for all, and the ids of calls and of their answers. Providers
//! want one for each, and not all models write one.

use std::borrow::Cow;
use std::collections::{BTreeSet, VecDeque};

use prompty_core::message::{ContentPart, Message, ToolCall, ToolResult};
use prompty_core::value::{Map, Value};
use serde::ser::SerializeMap;

use super::error::WireError;

/// The fields of a call that its provider wants back: those of a list, where they say anything.
pub(super) fn provider_fields(call: &Map, names: &[&str]) -> Map {
    let fields = names.iter().filter_map(|name| Some((*name, call.get(name)?)));
    fields.filter(|(name, value)| says_more(name, value)).map(|(k, v)| (k, v.clone())).collect()
}

/// Whether a field of a call says more than no field does. A call that the model makes itself is the usual one, and
/// hosts that do not know of others refuse the word.
pub(super) fn says_more(name: &str, value: &Value) -> bool {
    let kind = value.get("type").and_then(Value::as_str);
    let is_usual = name == "caller" && kind == Some("direct");
    !value.is_null() && !is_usual
}

/// Writes the fields of a call that its provider wants back. A stored call can hold others, which are no provider's.
pub(super) fn write_provider_fields<M: SerializeMap>(
    map: &mut M,
    call: &ToolCall,
    protocol: &str,
    names: &[&str],
) -> Result<(), M::Error> {
    let fields = names.iter().filter_map(|name| Some((name, call.provider_field(protocol, name)?)));
    fields
        .filter(|(name, value)| says_more(name, value))
        .try_for_each(|(name, value)| map.serialize_entry(name, value))
}

/// Gives calls without an id one that no other call has, and the same to their answers.
#[derive(Debug, Default)]
pub(super) struct CallIds<'r> {
    /// The ids that stand in the messages.
    taken: BTreeSet<&'r str>,
    made: usize,
    /// Calls without an id that were not answered: the id that they got, and their name.
    open: VecDeque<(String, &'r str)>,
}

impl<'r> CallIds<'r> {
    pub(super) fn new(messages: &'r [Message]) -> Self {
        let parts = messages.iter().flat_map(|message| message.content.iter());
        let taken = parts.filter_map(|part| match part {
            ContentPart::ToolCall(call) => Some(call.id.as_str()),
            _ => None,
        });
        Self { taken: taken.collect(), ..Self::default() }
    }

    pub(super) fn call(&mut self, call: &'r ToolCall) -> Cow<'r, str> {
        if !call.id.is_empty() {
            return Cow::Borrowed(&call.id);
        }
        let id = loop {
            self.made += 1;
            let id = format!("call_{}", self.made);
            if !self.taken.contains(id.as_str()) {
                break id;
            }
        };
        self.open.push_back((id.clone(), &call.name));
        Cow::Owned(id)
    }

    /// # Errors
    ///
    /// Where the answer says no call, and there is none without an id that it may answer.
    pub(super) fn result(&mut self, result: &'r ToolResult) -> Result<Cow<'r, str>, WireError> {
        if !result.call_id.is_empty() {
            return Ok(Cow::Borrowed(&result.call_id));
        }
        let same = |(_, name): &(String, &str)| result.name.is_empty() || *name == result.name;
        let at = self.open.iter().position(same);
        let open = at.and_then(|at| self.open.remove(at));
        open.map(|(id, _)| Cow::Owned(id)).ok_or_else(|| {
            let name = match &*result.name {
                "" => String::new(),
                name => format!(" of `{name}`"),
            };
            WireError::unsupported(format!("the result{name} answers no call of the messages"))
                .with_help("keep the assistant's message with the call in front of its results")
        })
    }
}
