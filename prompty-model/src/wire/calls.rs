//! What providers say of calls beside what calls are for all, and the ids of calls and of their answers. Providers
//! want one for each, and not all models write one.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use prompty_core::message::{ContentPart, Message, ToolCall, ToolResult};
use prompty_core::value::internal::excerpt;
use prompty_core::value::{Map, Value};
use prompty_core::work::add_steps;
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
    /// The ids of the calls so far.
    called: BTreeSet<&'r str>,
    made: usize,
    /// Calls without an id that were not answered, in order: the id that they got, and their name.
    open: BTreeMap<usize, (String, &'r str)>,
    /// The same calls by their names.
    open_of: BTreeMap<&'r str, VecDeque<usize>>,
    /// Whether the provider may know calls that are not in the messages.
    may_be_stored: bool,
}

impl<'r> CallIds<'r> {
    pub(super) fn new(messages: &'r [Message]) -> Self {
        let parts = messages.iter().flat_map(|message| message.content.iter());
        let taken = parts.filter_map(|part| match part {
            ContentPart::ToolCall(call) => Some(call.id.as_str()),
            ContentPart::ToolResult(result) => Some(result.call_id.as_str()),
            ContentPart::Provider(part) => {
                let id = part.value.get("call_id").or_else(|| part.value.get("id"));
                id.and_then(Value::as_str)
            }
            _ => None,
        });
        Self { taken: taken.collect(), ..Self::default() }
    }

    /// Notes that the provider keeps a part of the conversation: calls may be there.
    pub(super) fn keep_stored(&mut self) {
        self.may_be_stored = true;
    }

    pub(super) fn call(&mut self, call: &'r ToolCall) -> Cow<'r, str> {
        if !call.id.is_empty() {
            self.called.insert(&call.id);
            return Cow::Borrowed(&call.id);
        }
        let id = loop {
            self.made += 1;
            let id = format!("call_{}", self.made);
            if !self.taken.contains(id.as_str()) {
                break id;
            }
        };
        self.open.insert(self.made, (id.clone(), &call.name));
        self.open_of.entry(&call.name).or_default().push_back(self.made);
        Cow::Owned(id)
    }

    /// Notes a call that only the provider understands.
    pub(super) fn provider_call(&mut self, id: &'r str) {
        self.called.insert(id);
    }

    /// # Errors
    ///
    /// Where the answer says a call that is not in the messages before it, or no call, and there is none without an
    /// id that it may answer.
    pub(super) fn result(&mut self, result: &'r ToolResult) -> Result<Cow<'r, str>, WireError> {
        let id = match &*result.call_id {
            "" => self.take_open(&result.name).map(Cow::Owned),
            id if self.may_be_stored || self.called.contains(id) => Some(Cow::Borrowed(id)),
            _ => None,
        };
        id.ok_or_else(|| no_call(result))
    }

    /// The id of the first call without one that was not answered; of a name, if there is one.
    fn take_open(&mut self, name: &'r str) -> Option<String> {
        add_steps(1); // One entry is looked at, however many there are.
        let name = match name {
            "" => self.open.first_key_value()?.1.1,
            name => name,
        };
        let made = self.open_of.get_mut(name)?.pop_front()?;
        self.open.remove(&made).map(|(id, _)| id)
    }
}

/// A result that providers refuse.
fn no_call(result: &ToolResult) -> WireError {
    let id = match &*result.call_id {
        "" => String::new(),
        id => format!(" with the id `{}`", excerpt(id)),
    };
    let name = match &*result.name {
        "" => String::new(),
        name => format!(" of `{name}`"),
    };
    let message = format!("the result{name}{id} answers no call of the messages before it");
    WireError::unsupported(message)
        .with_help("keep the assistant's message with the call in front of its results")
}
