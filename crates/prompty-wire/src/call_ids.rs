//! The ids of calls and of their results. Providers demand one for each call, and not all models
//! write one.
//!
//! If a server numbers the calls of each answer from the start, two answers may both have a call
//! with the id `0`. The second one gets the id `call_1`, and the result after it, too.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use prompty_core::message::{ContentPart, Message, Role, ToolCall, ToolResult, ToolSpec};
use prompty_core::value::Value;
use prompty_core::value::internal::excerpt;
use prompty_core::work::add_steps;
use serde_json::value::RawValue;

use super::error::{Result, WireError};
use super::protocol::Protocol;
use super::provider_parts;
use super::request::Request;

/// Assigns a unique id to each call, and the same id to its result. Calls may have no id, some
/// servers number the calls of each answer from the start, and some write ids that other providers
/// refuse. A result belongs to the turn before it.
#[derive(Debug, Default)]
pub(super) struct CallIds<'r> {
    /// The ids in the messages.
    taken: BTreeSet<&'r str>,
    /// The calls so far, by their ids in the messages.
    called: BTreeMap<&'r str, OpenCalls<Option<String>>>,
    /// The number of ids that were made.
    made_count: usize,
    /// Unanswered calls without an id, by the count of made ids: the id that they got, and their
    /// name.
    open: BTreeMap<usize, (String, &'r str)>,
    /// The same calls, by their names.
    open_by_name: BTreeMap<&'r str, OpenCalls<usize>>,
    /// Whether the provider may have calls that are not in the messages.
    may_be_stored: bool,
    /// Whether ids and names are written unchanged, even duplicates: a body for its own protocol
    /// belongs to its author.
    keeps_all: bool,
    protocol: Protocol,
    /// The number of turns of the model so far, and whether the last one continues.
    turn: usize,
    is_in_turn: bool,
    /// The number of calls without a result so far.
    unanswered: usize,
    /// The last turn whose calls must have results, because the conversation continued after it.
    turn_to_answer: usize,
    /// A call that can no longer get a result, because a later turn has a call with the same id or
    /// name.
    lost: Option<&'r str>,
    /// Whether system messages stay in place.
    keeps_system: bool,
    /// Whether the last message has results and other parts.
    has_more_parts: bool,
}

/// Unanswered calls of one turn with the same id or name, in order. For an id, each entry is the id
/// that replaces it, if any. For a name, each entry is the number of the call.
#[derive(Debug, Default)]
struct OpenCalls<T> {
    turn: usize,
    calls: VecDeque<T>,
}

impl<T> OpenCalls<T> {
    /// Whether a call has no result, if its turn meets a condition.
    fn is_open(&self, is_relevant: impl Fn(usize) -> bool) -> bool {
        !self.calls.is_empty() && is_relevant(self.turn)
    }

    /// Adds a call. Calls of earlier turns can no longer get a result, and are returned.
    fn add(&mut self, turn: usize, call: T) -> VecDeque<T> {
        let earlier = match self.turn == turn {
            true => VecDeque::new(),
            false => std::mem::take(&mut self.calls),
        };
        self.turn = turn;
        self.calls.push_back(call);
        earlier
    }
}

impl<'r> CallIds<'r> {
    pub(super) fn new(request: &'r Request<'_>) -> Self {
        let parts = request.messages.iter().flat_map(|message| message.content.iter());
        let taken = parts.filter_map(|part| match part {
            ContentPart::ToolCall(call) => Some(call.id.as_str()),
            ContentPart::ToolResult(result) => Some(result.call_id.as_str()),
            ContentPart::Provider(part) => {
                let id = part.value.get("call_id").or_else(|| part.value.get("id"));
                id.and_then(Value::as_str)
            }
            _ => None,
        });
        Self {
            taken: taken.collect(),
            protocol: request.protocol,
            keeps_all: request.is_from_own_protocol(),
            keeps_system: request.protocol.rules().keeps_messages_separate || request.keeps_system,
            ..Self::default()
        }
    }

    /// Begins a message. Consecutive messages of the model are one turn.
    ///
    /// # Errors
    ///
    /// Returns an error if the message continues the conversation, and a call before it has no
    /// result.
    pub(super) fn begin_message(&mut self, message: &Message) -> Result<()> {
        if matches!(message.role, Role::System | Role::Developer) && !self.keeps_system {
            return Ok(());
        }
        let is_of_model = message.role == Role::Assistant;
        let is_next_turn = is_of_model && !self.is_in_turn;
        // Chat completions keep messages of the model separate. Other protocols join those of one
        // turn.
        let is_apart = is_next_turn || self.protocol.rules().keeps_messages_separate;
        let is_result = |part: &ContentPart| is_result(part, self.protocol);
        let has_results = message.content.iter().any(is_result);
        // Results directly follow their calls. So the calls before this message must have theirs,
        // unless it is a part of the turn with the calls, or has results itself.
        let continues = self.has_more_parts
            || match &message.role {
                Role::Assistant => is_apart,
                // A message without results is another error.
                Role::Tool => false,
                _ => !has_results,
            };
        if continues {
            self.turn_to_answer = self.turn;
        }
        // OpenAI's responses accept results after later messages.
        if continues && self.protocol.rules().results_follow_calls {
            self.check_answered()?;
        }
        self.turn += usize::from(is_next_turn);
        self.is_in_turn = is_of_model;
        self.has_more_parts = has_results && !message.content.iter().all(is_result);
        Ok(())
    }

    /// Ends the conversation. If the model spoke last, its calls may get results later: the answer
    /// may be converted into the provider's form before the tools have run.
    ///
    /// # Errors
    ///
    /// Returns an error if the conversation continued after a call without a result.
    pub(super) fn end_conversation(&mut self) -> Result<()> {
        if !self.is_in_turn {
            self.turn_to_answer = self.turn;
        }
        self.check_answered()
    }

    /// Checks that all calls have results, as providers demand. A body for its own provider is not
    /// checked.
    fn check_answered(&self) -> Result<()> {
        if self.unanswered == 0 || self.keeps_all || self.may_be_stored {
            return Ok(());
        }
        let is_late = |turn: usize| turn <= self.turn_to_answer;
        let named = self.called.iter().find(|(_, called)| called.is_open(is_late));
        let unnamed = self.open_by_name.iter().find(|(_, called)| called.is_open(is_late));
        let call = match (named, unnamed, &self.lost) {
            (Some((id, _)), ..) => format!("with the id `{}`", excerpt(id)),
            (_, Some((name, _)), _) => format!("of `{}`", excerpt(name)),
            (.., Some(lost)) => format!("`{}`", excerpt(lost)),
            (None, None, None) => return Ok(()),
        };
        let message = format!("the call {call} has no result before the next message");
        Err(WireError::unsupported(message).with_help(
            "put the results of all calls directly after the message with the calls, or remove that message",
        ))
    }

    /// Notes that the provider stores a part of the conversation, which may contain calls.
    pub(super) fn allow_stored_calls(&mut self) {
        self.may_be_stored = true;
    }

    /// Registers a call, and returns its id in the body.
    pub(super) fn register_call(&mut self, call: &'r ToolCall) -> Cow<'r, str> {
        let turn = self.turn;
        self.unanswered += 1;
        if call.id.is_empty() {
            let id = self.make_id();
            self.open.insert(self.made_count, (id.clone(), &call.name));
            let earlier =
                self.open_by_name.entry(&call.name).or_default().add(turn, self.made_count);
            for made in earlier {
                self.open.remove(&made);
                self.lost = Some(&call.name);
            }
            return Cow::Owned(id);
        }
        let is_repeated = !self.keeps_all && self.called.contains_key(&*call.id);
        let is_refused = !self.keeps_all && !(self.protocol.rules().accepts_call_id)(&call.id);
        let made = (is_repeated || is_refused).then(|| self.make_id());
        let earlier = self.called.entry(&call.id).or_default().add(turn, made.clone());
        if !earlier.is_empty() {
            self.lost = Some(&call.id);
        }
        made.map_or(Cow::Borrowed(&call.id), Cow::Owned)
    }

    /// The name of a call. Models invent names that providers refuse, in this request and in every
    /// later one. In such a name, `_` replaces the refused characters. A body keeps its names in
    /// its own protocol.
    pub(super) fn name(&self, call: &'r ToolCall) -> Cow<'r, str> {
        match self.keeps_all || ToolSpec::is_name(&call.name) {
            true => Cow::Borrowed(&call.name),
            false => Cow::Owned(accepted_name(&call.name)),
        }
    }

    /// The arguments of a call: an object, or free text. A body keeps its arguments in its own
    /// protocol.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`arguments_object`].
    pub(super) fn arguments(&self, call: &'r ToolCall) -> Result<&'r str> {
        match &*call.arguments {
            arguments if call.free_text => Ok(arguments),
            "" => Ok("{}"),
            arguments if self.keeps_all => Ok(arguments),
            _ => arguments_object(call).map(RawValue::get),
        }
    }

    /// Creates an id that no message contains.
    fn make_id(&mut self) -> String {
        loop {
            self.made_count += 1;
            let id = format!("call_{}", self.made_count);
            if !self.taken.contains(id.as_str()) {
                return id;
            }
        }
    }

    /// Registers a call that is a provider part.
    pub(super) fn register_provider_call(&mut self, id: &'r str) {
        self.called.entry(id).or_default();
    }

    /// Registers a result that is a provider part.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`register_result`](Self::register_result), and an error if the call
    /// is written with another id.
    pub(super) fn register_provider_result(&mut self, id: &str) -> Result<()> {
        let Some(_) = self.mark_answered(id, "")? else { return Ok(()) };
        let message = format!(
            "a provider part is the result of the call `{}`, but this request gives the call another id",
            excerpt(id)
        );
        Err(WireError::unsupported(message)
            .with_help("use a `ToolResult`, which gets the id of its call"))
    }

    /// Registers a result, and returns its id in the body.
    ///
    /// # Errors
    ///
    /// Returns an error if the call of the result is not in the messages before it, or already has
    /// a result, or if the result has no id and no call without an id is open.
    pub(super) fn register_result(&mut self, result: &'r ToolResult) -> Result<Cow<'r, str>> {
        if result.call_id.is_empty() {
            let id = self.take_open(&result.name).ok_or_else(|| unknown_call("", &result.name))?;
            self.unanswered = self.unanswered.saturating_sub(1);
            return Ok(Cow::Owned(id));
        }
        let made = self.mark_answered(&result.call_id, &result.name)?;
        Ok(made.map_or(Cow::Borrowed(&*result.call_id), Cow::Owned))
    }

    /// Marks the call with an id as answered, and returns the id that replaces it, if any. An
    /// unknown call is allowed in a body for its own protocol, and if the provider may store calls.
    fn mark_answered(&mut self, id: &str, name: &str) -> Result<Option<String>> {
        let may_be_unknown = self.keeps_all || self.may_be_stored;
        match self.called.get_mut(id).map(|called| (called.calls.pop_front(), called)) {
            Some((Some(made), _)) => {
                self.unanswered = self.unanswered.saturating_sub(1);
                Ok(made)
            }
            // All calls with the id are provider parts: they are not counted, so there is no turn.
            Some((None, called)) if called.turn == 0 => Ok(None),
            _ if may_be_unknown => Ok(None),
            Some(_) => Err(answered_twice(id)),
            None => Err(unknown_call(id, name)),
        }
    }

    /// The id of the first unanswered call without an id in the messages, with a name if one is
    /// given.
    fn take_open(&mut self, name: &'r str) -> Option<String> {
        add_steps(1); // Only one entry is read.
        let name = match name {
            "" => self.open.first_key_value()?.1.1,
            name => name,
        };
        let made = self.open_by_name.get_mut(name)?.calls.pop_front()?;
        self.open.remove(&made).map(|(id, _)| id)
    }
}

/// The arguments of a call, which must be an object. Empty text means an empty object.
///
/// # Errors
///
/// Returns an error if they are not an object: some providers refuse them, others fail later.
pub(super) fn arguments_object(call: &ToolCall) -> Result<&RawValue> {
    let json = if call.arguments.trim().is_empty() { "{}" } else { call.arguments.trim() };
    let is_object = |raw: &&RawValue| raw.get().starts_with('{');
    serde_json::from_str::<&RawValue>(json)
        .ok()
        .filter(is_object)
        .ok_or_else(|| arguments_not_object(call))
}

pub(super) fn arguments_not_object(call: &ToolCall) -> WireError {
    let message =
        format!("the arguments of the call to `{}` are not an object", excerpt(&call.name));
    WireError::unsupported(message)
        .with_help("remove incomplete calls, as `Message::from(&reply)` does")
}

/// The most similar name that all providers accept.
fn accepted_name(name: &str) -> String {
    let characters = name.trim().chars().take(ToolSpec::LONGEST_NAME);
    let name: String =
        characters.map(|it| if ToolSpec::is_name_character(it) { it } else { '_' }).collect();
    if name.is_empty() { "unknown".to_owned() } else { name }
}

fn is_result(part: &ContentPart, protocol: Protocol) -> bool {
    match part {
        ContentPart::ToolResult(_) => true,
        ContentPart::Provider(part) => provider_parts::is_result(part, protocol),
        _ => false,
    }
}

fn answered_twice(id: &str) -> WireError {
    let message = format!("the call with the id `{}` has a second result", excerpt(id));
    WireError::unsupported(message).with_help("give each call one result")
}

/// The error of a result without a call.
fn unknown_call(id: &str, name: &str) -> WireError {
    let id = match id {
        "" => String::new(),
        id => format!(" with the id `{}`", excerpt(id)),
    };
    let name = match name {
        "" => String::new(),
        name => format!(" of `{name}`"),
    };
    let message = format!("the result{name}{id} does not match a call in the messages before it");
    WireError::unsupported(message)
        .with_help("keep the assistant message with the call before its results")
}
