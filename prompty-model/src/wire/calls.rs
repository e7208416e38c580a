//! The ids of calls and of their answers. Providers want one for each, and not all models write one.

use std::borrow::Cow;
use std::collections::VecDeque;

use prompty_core::message::{ToolCall, ToolResult};

use super::error::WireError;

/// Gives calls without an id one, and the same to their answers.
#[derive(Debug, Default)]
pub(super) struct CallIds<'r> {
    made: usize,
    /// Calls without an id that were not answered: the id that they got, and their name.
    open: VecDeque<(String, &'r str)>,
}

impl<'r> CallIds<'r> {
    pub(super) fn call(&mut self, call: &'r ToolCall) -> Cow<'r, str> {
        if !call.id.is_empty() {
            return Cow::Borrowed(&call.id);
        }
        self.made += 1;
        let id = format!("call_{}", self.made);
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
