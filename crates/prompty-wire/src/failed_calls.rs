//! The message to the model about calls that cannot be carried out.
//!
//! Such a call is not sent back as a call. Providers only accept an object as arguments, and `{}`
//! would say something that the model did not write.

use prompty_core::arguments_error::ArgumentsError;
use prompty_core::message::Message;
use prompty_core::value::internal::excerpt;

use prompty_reply::{FinishReason, Malformed, Reply, ReplyCall};

/// A user message that names the calls that were not carried out, and why; `None` if all can be. It
/// contains only the names that the model wrote: other text of the model must not appear to come
/// from the user.
pub(super) fn failure_message(reply: &Reply) -> Option<Message> {
    let is_truncated = matches!(
        reply.finish_reason(),
        Some(FinishReason::Length | FinishReason::Cancelled | FinishReason::Filtered)
    );
    let calls = reply.calls().iter().filter(|call| !call.complete);
    let lines = calls.map(|call| describe_call(call, is_truncated));
    let lines: Vec<String> =
        lines.chain(reply.malformed().iter().map(describe_malformed)).collect();
    (!lines.is_empty()).then(|| Message::user(lines.join("\n\n")))
}

fn describe_call(call: &ReplyCall, is_truncated: bool) -> String {
    let name = excerpt(&call.name);
    let why = match is_truncated || call.free_text {
        true => None,
        false => ArgumentsError::of(&name, &call.arguments),
    };
    let ArgumentsError { message, help } = why.unwrap_or_else(|| ArgumentsError {
        message: format!("the reply ended inside of the call to `{name}`"),
        help: "call the tool again, with all of its arguments",
    });
    format!("The call to `{name}` was not carried out.\nerror: {message}\nhelp: {help}")
}

fn describe_malformed(malformed: &Malformed) -> String {
    let reason = malformed.reason;
    format!(
        "A call was not carried out.\nerror: {reason}\nhelp: call the tool again, by its name and \
         with all of its arguments"
    )
}
