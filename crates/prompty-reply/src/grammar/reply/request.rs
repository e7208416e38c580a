//! What a reply grammar is made of.

use super::derivative::Inside;
use super::options::GrammarOptions;
use crate::format::ReplyFormat;
use crate::grammar::Result;
use crate::options::CallsInReasoning;
use prompty_core::error::{Error, ErrorKind};
use prompty_core::message::{ToolChoice, ToolSpec};
use prompty_core::value::Value;

/// What a grammar is made of.
pub(crate) struct Request<'a> {
    pub(crate) format: &'a ReplyFormat,
    pub(crate) tools: &'a [ToolSpec],
    pub(crate) content_schema: Option<&'a Value>,
    pub(crate) options: &'a GrammarOptions,
    /// What a call's opener inside of reasoning is to the parser.
    pub(crate) calls_in_reasoning: CallsInReasoning,
    /// Where the prompt left the reply.
    pub(crate) inside: Inside,
    /// The start of a marker, a header or a call that the prompt's end has already.
    pub(crate) begun: &'a str,
}

impl Request<'_> {
    /// Whether a call's opener ends the reasoning, so that the reasoning cannot hold it.
    pub(super) fn calls_end_reasoning(&self) -> bool {
        match self.calls_in_reasoning {
            CallsInReasoning::ByOpener => self.inside == Inside::Reasoning,
            CallsInReasoning::End => true,
            CallsInReasoning::Text => false,
        }
    }

    pub(super) fn cannot_go_on(&self) -> Error {
        let message = format!(
            "the prompt ends with `{}`, and no reply that the grammar admits goes on from there",
            self.begun
        );
        Error::new(ErrorKind::Grammar, message)
            .with_help("let the prompt end in front of a marker or behind it, and not inside of a call's arguments")
    }

    /// The tools that the model may call.
    pub(super) fn called_tools(&self) -> Result<Vec<&ToolSpec>> {
        let choice = &self.options.tool_choice;
        let must_call = matches!(choice, ToolChoice::Required | ToolChoice::Tool(_));
        if must_call && (self.format.tools.is_none() || self.tools.is_empty()) {
            let (message, help) = match self.format.tools {
                None => (
                    "the model has to call a tool, and the format has no calls",
                    "take a template that writes calls, or let the model answer in text",
                ),
                Some(_) => (
                    "the model has to call a tool, and none is offered",
                    "offer a tool, or let the model choose",
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
    Error::new(
        ErrorKind::Grammar,
        format!("the tool `{name}` that the model has to call is not offered"),
    )
    .with_help(format!("the tools are: {}", names.join(", ")))
}
