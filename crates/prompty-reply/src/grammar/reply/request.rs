//! The inputs of a reply grammar.

use super::derivative::StartContext;
use super::options::GrammarOptions;
use crate::format::ReplyFormat;
use crate::grammar::Result;
use crate::options::CallsInReasoning;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::message::{ToolChoice, ToolSpec};
use prompty_core::value::Value;

/// The inputs of a grammar.
pub(crate) struct GrammarRequest<'a> {
    pub(crate) format: &'a ReplyFormat,
    pub(crate) tools: &'a [ToolSpec],
    pub(crate) content_schema: Option<&'a Value>,
    pub(crate) options: &'a GrammarOptions,
    /// The effect of a call's opener inside reasoning in the parser.
    pub(crate) calls_in_reasoning: CallsInReasoning,
    /// The part of the reply that the prompt has already opened.
    pub(crate) open_in_prompt: StartContext,
    /// The start of a marker, a header or a call that the prompt's end already contains.
    pub(crate) unfinished_text: &'a str,
}

impl GrammarRequest<'_> {
    /// Whether a call's opener ends the reasoning, so that the reasoning cannot contain it.
    pub(super) fn calls_end_reasoning(&self) -> bool {
        match self.calls_in_reasoning {
            CallsInReasoning::ByOpener => self.open_in_prompt == StartContext::Reasoning,
            CallsInReasoning::End => true,
            CallsInReasoning::Text => false,
        }
    }

    pub(super) fn no_continuation_error(&self) -> Error {
        let message = format!(
            "the prompt ends inside of a marker or a call, with `{}`, which no reply can continue",
            self.unfinished_text
        );
        Error::new(ErrorKind::Grammar, message)
            .with_help("end the prompt before or after a marker, and not inside a call's arguments")
    }

    /// The tools that the model may call.
    pub(super) fn called_tools(&self) -> Result<Vec<&ToolSpec>> {
        let choice = &self.options.tool_choice;
        let must_call = matches!(choice, ToolChoice::Required | ToolChoice::Tool(_));
        if must_call && (self.format.tools.is_none() || self.tools.is_empty()) {
            let (message, help) = match self.format.tools {
                None => (
                    "a tool call is required, but the format has no calls",
                    "use a template that writes calls, or allow an answer in text",
                ),
                Some(_) => (
                    "a tool call is required, but no tool is offered",
                    "offer a tool, or do not require a call",
                ),
            };
            return Err(Error::new(ErrorKind::Grammar, message).with_help(help));
        }
        if self.format.tools.is_none() {
            return Ok(Vec::new());
        }
        match choice {
            ToolChoice::None => Ok(Vec::new()),
            ToolChoice::Tool(name) => {
                let tool = self.tools.iter().find(|tool| tool.name == *name);
                tool.map(|tool| vec![tool]).ok_or_else(|| unknown_tool(name, self.tools))
            }
            _ => Ok(self.tools.iter().collect()),
        }
    }
}

fn unknown_tool(name: &str, tools: &[ToolSpec]) -> Error {
    let names: Vec<_> = tools.iter().map(|tool| format!("`{}`", tool.name)).collect();
    Error::new(ErrorKind::Grammar, format!("the required tool `{name}` is not offered"))
        .with_help(format!("available tools: {}", names.join(", ")))
}
