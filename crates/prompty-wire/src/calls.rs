//! The ids of calls and of their answers. Providers want one for each, and not all models write one.

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

/// Gives calls one id each, and the same to their answers: calls may have none, some servers number the calls of
/// each answer anew, and some write ids that others refuse. Answers are those of the turn in front of them.
#[derive(Debug, Default)]
pub(super) struct CallIds<'r> {
    /// The ids that stand in the messages.
    taken: BTreeSet<&'r str>,
    /// The calls so far, by the ids that they have in the messages.
    called: BTreeMap<&'r str, Open<Option<String>>>,
    made: usize,
    /// Calls without an id that were not answered, in order: the id that they got, and their name.
    open: BTreeMap<usize, (String, &'r str)>,
    /// The same calls by their names.
    open_of: BTreeMap<&'r str, Open<usize>>,
    /// Whether the provider may know calls that are not in the messages.
    may_be_stored: bool,
    /// Whether ids and names stay as they are, also where they stand more than once: those of a body of the same protocol
    /// are its writer's.
    keeps_all: bool,
    protocol: Protocol,
    /// How many turns of the model there are so far, and whether one is going on.
    turn: usize,
    is_in_turn: bool,
    /// How many calls have no answer so far.
    unanswered: usize,
    /// The last turn whose calls must have answers: the conversation went on behind it.
    turn_to_answer: usize,
    /// A call that can have no answer any more: one of the same id or name stands in a later turn.
    lost: Option<&'r str>,
    /// Whether what the operator says stays where it is.
    keeps_system: bool,
    /// Whether the last message has answers and says more.
    says_more: bool,
}

/// Calls of one turn that were not answered, in order. Of an id, each has the id that was made in its place, if one was;
/// of a name, each has its number.
#[derive(Debug)]
struct Open<T> {
    turn: usize,
    calls: VecDeque<T>,
}

impl<T> Default for Open<T> {
    fn default() -> Self {
        Self { turn: 0, calls: VecDeque::new() }
    }
}

impl<T> Open<T> {
    /// Whether there was never a call but one that only the provider understands.
    const fn is_of_provider(&self) -> bool {
        self.turn == 0
    }

    /// Whether a call has no answer, where its turn is one of those that are asked about.
    fn is_open(&self, is_asked: impl Fn(usize) -> bool) -> bool {
        !self.calls.is_empty() && is_asked(self.turn)
    }

    /// Adds a call. Those of earlier turns are answered no more, and returned.
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
            keeps_all: request.is_own_body(),
            keeps_system: request.protocol.rules().keeps_messages_separate || request.keeps_system,
            ..Self::default()
        }
    }

    /// Notes that a message begins. Messages of the model behind each other are one turn.
    ///
    /// # Errors
    ///
    /// Where the message goes on with the conversation, and a call in front of it has no answer.
    pub(super) fn begin(&mut self, message: &Message) -> Result<()> {
        if matches!(message.role, Role::System | Role::Developer) && !self.keeps_system {
            return Ok(());
        }
        let is_of_model = message.role == Role::Assistant;
        let is_next_turn = is_of_model && !self.is_in_turn;
        // Chat completions have each message of the model where it is. Others join those of one turn.
        let is_apart = is_next_turn || self.protocol.rules().keeps_messages_separate;
        let is_result = |part: &ContentPart| is_result(part, self.protocol);
        let has_results = message.content.iter().any(is_result);
        // Answers stand right behind their calls.
        let goes_on = self.says_more
            || match &message.role {
                Role::Assistant => is_apart,
                // It says no call, which is another error.
                Role::Tool => false,
                _ => !has_results,
            };
        if goes_on {
            self.turn_to_answer = self.turn;
        }
        // OpenAI's responses take answers behind later messages.
        if goes_on && self.protocol.rules().results_follow_calls {
            self.check_answered()?;
        }
        self.turn += usize::from(is_next_turn);
        self.is_in_turn = is_of_model;
        self.says_more = has_results && !message.content.iter().all(is_result);
        Ok(())
    }

    /// Notes that the conversation ends. Where the model has the last word, its calls may be answered later: the answer
    /// with them may be looked at in the provider's form before the tools have run.
    ///
    /// # Errors
    ///
    /// Where the conversation went on behind a call without an answer.
    pub(super) fn end(&mut self) -> Result<()> {
        if !self.is_in_turn {
            self.turn_to_answer = self.turn;
        }
        self.check_answered()
    }

    /// Providers refuse calls without answers. What a body says to its own provider is its writer's.
    fn check_answered(&self) -> Result<()> {
        if self.unanswered == 0 || self.keeps_all || self.may_be_stored {
            return Ok(());
        }
        let is_late = |turn: usize| turn <= self.turn_to_answer;
        let named = self.called.iter().find(|(_, called)| called.is_open(is_late));
        let unnamed = self.open_of.iter().find(|(_, called)| called.is_open(is_late));
        let call = match (named, unnamed, &self.lost) {
            (Some((id, _)), ..) => format!("with the id `{}`", excerpt(id)),
            (_, Some((name, _)), _) => format!("of `{}`", excerpt(name)),
            (.., Some(lost)) => format!("`{}`", excerpt(lost)),
            (None, None, None) => return Ok(()),
        };
        let message = format!("the call {call} has no result before the next message");
        Err(WireError::unsupported(message).with_help(
            "put the results of all calls right behind the message with the calls, or leave that out",
        ))
    }

    /// Notes that the provider keeps a part of the conversation: calls may be there.
    pub(super) fn keep_stored(&mut self) {
        self.may_be_stored = true;
    }

    pub(super) fn call(&mut self, call: &'r ToolCall) -> Cow<'r, str> {
        let turn = self.turn;
        self.unanswered += 1;
        if call.id.is_empty() {
            let id = self.make_id();
            self.open.insert(self.made, (id.clone(), &call.name));
            let earlier = self.open_of.entry(&call.name).or_default().add(turn, self.made);
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

    /// The name of a call. Models invent names that providers refuse, in this request and in each later one: such a name
    /// is written with `_` for what is refused. A body keeps its names in its own protocol.
    pub(super) fn name(&self, call: &'r ToolCall) -> Cow<'r, str> {
        match self.keeps_all || ToolSpec::is_name(&call.name) {
            true => Cow::Borrowed(&call.name),
            false => Cow::Owned(plain_name(&call.name)),
        }
    }

    /// The arguments of a call, as they are written: an object, unless they are free text. A body keeps them in its own
    /// protocol.
    ///
    /// # Errors
    ///
    /// As those of [`object`].
    pub(super) fn arguments(&self, call: &'r ToolCall) -> Result<&'r str> {
        match &*call.arguments {
            arguments if call.free_text => Ok(arguments),
            "" => Ok("{}"),
            arguments if self.keeps_all => Ok(arguments),
            _ => object(call).map(RawValue::get),
        }
    }

    /// An id that stands nowhere.
    fn make_id(&mut self) -> String {
        loop {
            self.made += 1;
            let id = format!("call_{}", self.made);
            if !self.taken.contains(id.as_str()) {
                return id;
            }
        }
    }

    /// Notes a call that only the provider understands.
    pub(super) fn provider_call(&mut self, id: &'r str) {
        self.called.entry(id).or_default();
    }

    /// Notes an answer that only the provider understands.
    ///
    /// # Errors
    ///
    /// As those of [`result`](Self::result), and where the call is written with another id.
    pub(super) fn provider_result(&mut self, id: &str) -> Result<()> {
        let Some(_) = self.answered(id, "")? else { return Ok(()) };
        let message =
            format!("the id `{}` of a result stands for another in this request", excerpt(id));
        Err(WireError::unsupported(message)
            .with_help("give the result as a `ToolResult`: it gets the id of its call"))
    }

    /// The id with which an answer is written.
    ///
    /// # Errors
    ///
    /// Where the answer says a call that is not in the messages before it, or one that is answered, or no call, and
    /// there is none without an id that it may answer.
    pub(super) fn result(&mut self, result: &'r ToolResult) -> Result<Cow<'r, str>> {
        if result.call_id.is_empty() {
            let id = self.take_open(&result.name).ok_or_else(|| no_call("", &result.name))?;
            self.unanswered = self.unanswered.saturating_sub(1);
            return Ok(Cow::Owned(id));
        }
        let made = self.answered(&result.call_id, &result.name)?;
        Ok(made.map_or(Cow::Borrowed(&*result.call_id), Cow::Owned))
    }

    /// Notes that the call of an id is answered. The id that was made in its place is returned, if one was. The answers of
    /// a body are its writer's, and the provider may keep calls that are not in the messages.
    fn answered(&mut self, id: &str, name: &str) -> Result<Option<String>> {
        let is_free = self.keeps_all || self.may_be_stored;
        match self.called.get_mut(id).map(|called| (called.calls.pop_front(), called)) {
            Some((Some(made), _)) => {
                self.unanswered = self.unanswered.saturating_sub(1);
                Ok(made)
            }
            Some((None, called)) if called.is_of_provider() => Ok(None),
            _ if is_free => Ok(None),
            Some(_) => Err(answered_twice(id)),
            None => Err(no_call(id, name)),
        }
    }

    /// The id of the first call without one that was not answered; of a name, if there is one.
    fn take_open(&mut self, name: &'r str) -> Option<String> {
        add_steps(1); // One entry is looked at, however many there are.
        let name = match name {
            "" => self.open.first_key_value()?.1.1,
            name => name,
        };
        let made = self.open_of.get_mut(name)?.calls.pop_front()?;
        self.open.remove(&made).map(|(id, _)| id)
    }
}

/// The arguments of a call, which are an object: no text at all is one without any.
///
/// # Errors
///
/// Where they are no object: some providers refuse them, others fail on them later.
pub(super) fn object(call: &ToolCall) -> Result<&RawValue> {
    let json = if call.arguments.trim().is_empty() { "{}" } else { call.arguments.trim() };
    let is_object = |raw: &&RawValue| raw.get().starts_with('{');
    serde_json::from_str::<&RawValue>(json).ok().filter(is_object).ok_or_else(|| no_object(call))
}

pub(super) fn no_object(call: &ToolCall) -> WireError {
    let message = format!("the arguments of the call of `{}` are no object", excerpt(&call.name));
    WireError::unsupported(message)
        .with_help("leave out calls that are not complete, as `Message::from(&reply)` does")
}

/// A name that all providers take, as near to another as can be.
fn plain_name(name: &str) -> String {
    let letters = name.trim().chars().take(ToolSpec::LONGEST_NAME);
    let name: String =
        letters.map(|it| if ToolSpec::is_name_letter(it) { it } else { '_' }).collect();
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

/// A result that providers refuse.
fn no_call(id: &str, name: &str) -> WireError {
    let id = match id {
        "" => String::new(),
        id => format!(" with the id `{}`", excerpt(id)),
    };
    let name = match name {
        "" => String::new(),
        name => format!(" of `{name}`"),
    };
    let message = format!("the result{name}{id} answers no call of the messages before it");
    WireError::unsupported(message)
        .with_help("keep the assistant's message with the call in front of its results")
}
