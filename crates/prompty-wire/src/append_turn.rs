//! Adds a model's turn to a conversation: its reply, and the results of the calls in it.
//!
//! Each item and block of an answer goes back to its provider in order, with signatures and
//! encrypted reasoning. The following do not go back:
//!
//! - notes on the answer, such as annotations, citations and `logprobs`;
//! - blank texts, and calls that are not complete;
//! - reasoning of chat completions, unless the request names a field for it, because some servers
//!   refuse it.

use std::collections::{BTreeMap, VecDeque};

use prompty_core::message::{ContentPart, Message, ToolResult};

use super::error::WireError;
use super::{failed_calls, provider_parts};
use prompty_reply::Reply;

/// Adds a reply and the results of its calls to a conversation, in the order that every protocol
/// demands: each result directly after its call, one result for each call. A reply in phases
/// becomes one message for each of them ([`Reply::to_messages`]). An empty reply adds no message,
/// because providers refuse empty messages.
///
/// Incomplete calls are left out, because no protocol can express them. A user message after the
/// results names the calls that were not carried out, and why, so that the model can repeat them.
///
/// A complete tool loop:
///
/// ```
/// # mod typed_prompty { pub use prompty_core::message; pub use prompty_output::tools; pub use prompty_wire as wire; }
/// use typed_prompty::message::Message;
/// use typed_prompty::tools::{Tool, Toolbox};
/// use typed_prompty::wire::{Protocol, Request, append_turn};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Now {}
///
/// impl Tool for Now {
///     const NAME: &'static str = "now";
///     const DESCRIPTION: &'static str = "The time.";
/// }
///
/// let toolbox = Toolbox::new().with(|_: Now| Ok::<_, String>("12:30"));
/// let mut messages = vec![Message::user("What time is it?")];
/// let mut answers = [
///     r#"{"choices": [{"finish_reason": "tool_calls", "message": {"tool_calls":
///         [{"id": "c1", "function": {"name": "now", "arguments": "{}"}}]}}]}"#,
///     r#"{"choices": [{"finish_reason": "stop", "message": {"content": "It is half past twelve."}}]}"#,
/// ].into_iter();
/// while let Some(body) = answers.next() {
///     let request = Request::new("gpt-4o", &messages).with_tools(toolbox.tools());
///     let reply = request.read(200, body.as_bytes())?; // what the provider sent
///     append_turn(&mut messages, &reply, toolbox.answer_all(reply.calls()))?;
/// }
/// assert_eq!(messages.len(), 4);
/// assert_eq!(messages[3].text(), "It is half past twelve.");
/// # Ok::<(), prompty_wire::WireError>(())
/// ```
///
/// # Errors
///
/// Returns an error if a call has no result, or a result belongs to no call: providers refuse such
/// a conversation. Nothing is added then.
pub fn append_turn(
    messages: &mut Vec<Message>,
    reply: &Reply,
    results: impl IntoIterator<Item = ToolResult>,
) -> Result<(), WireError> {
    let mut left: BTreeMap<String, VecDeque<ToolResult>> = BTreeMap::new();
    for result in results {
        left.entry(key(&result.call_id, &result.name)).or_default().push_back(result);
    }
    let mut ordered = Vec::with_capacity(reply.calls().len());
    for call in reply.calls().iter().filter(|call| call.complete) {
        let result = left.get_mut(&key(&call.id, &call.name)).and_then(VecDeque::pop_front);
        let Some(result) = result else {
            let message = format!("the call to `{}` has no result", call.name);
            return Err(WireError::unsupported(message)
                .with_help("answer each call: `toolbox.answer_all(reply.calls())`"));
        };
        ordered.push(Message::from(result));
    }
    if let Some(result) = left.into_values().flatten().next() {
        let message =
            format!("the result of `{}` does not belong to a call of the reply", result.name);
        return Err(WireError::unsupported(message)
            .with_help("give one result for each complete call of this reply"));
    }
    let mut ordered = ordered.into_iter();
    for message in reply.to_messages().into_iter().filter(says_something) {
        let is_call = |part: &&ContentPart| matches!(part, ContentPart::ToolCall(_));
        let calls = message.content.iter().filter(is_call).count();
        messages.push(message);
        messages.extend(ordered.by_ref().take(calls));
    }
    messages.extend(failed_calls::failure_message(reply));
    Ok(())
}

/// Whether a message of the model contains more than reasoning: providers refuse reasoning alone.
fn says_something(message: &Message) -> bool {
    message.content.iter().any(|part| match part {
        ContentPart::Text(text) => !text.trim().is_empty(),
        ContentPart::Reasoning(_) => false,
        ContentPart::Provider(part) => !provider_parts::is_reasoning(part),
        _ => true,
    })
}

/// The key that a call and its result share: the id or, without an id, the tool's name.
fn key(id: &str, name: &str) -> String {
    match id {
        "" => format!("name {name}"),
        id => format!("id {id}"),
    }
}
