//! Calls of a reply that cannot be read: what the model is told of them.

use prompty_core::arguments_error::ArgumentsError;
use prompty_core::message::Message;
use prompty_core::value::internal::excerpt;

use prompty_reply::{FinishReason, Malformed, Reply, ReplyCall};

/// A message of the user that says which calls were not carried out, and why; nothing where all can be read. Of what
/// the model wrote it holds the names alone: the rest of a call must not speak as the user.
pub(super) fn told(reply: &Reply) -> Option<Message> {
    let is_cut = matches!(
        reply.finish_reason(),
        Some(FinishReason::Length | FinishReason::Cancelled | FinishReason::Filtered)
    );
    let calls = reply.calls().iter().filter(|call| !call.complete);
    let told = calls.map(|call| call_told(call, is_cut));
    let told: Vec<String> = told.chain(reply.malformed().iter().map(malformed_told)).collect();
    (!told.is_empty()).then(|| Message::user(told.join("\n\n")))
}

fn call_told(call: &ReplyCall, is_cut: bool) -> String {
    let name = excerpt(&call.name);
    let why = match is_cut || call.free_text {
        true => None,
        false => ArgumentsError::of(&name, &call.arguments),
    };
    let ArgumentsError { message, help } = why.unwrap_or_else(|| ArgumentsError {
        message: format!("the answer ended inside of the call of `{name}`"),
        help: "call the tool again, with all of its arguments",
    });
    format!("The call of `{name}` was not carried out.\nerror: {message}\nhelp: {help}")
}

fn malformed_told(malformed: &Malformed) -> String {
    let reason = malformed.reason;
    format!(
        "A call was not carried out.\nerror: {reason}\nhelp: call the tool again, by its name and \
         with all of its arguments"
    )
}
