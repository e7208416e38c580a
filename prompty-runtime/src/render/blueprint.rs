//! What a pipeline is made of: what is known of the prompt, and what the host wants.

use std::fmt;
use std::sync::Arc;

use crate::parse::OnForgedMarker;
use crate::registry::Registry;
use crate::template::{RenderLimits, SyntaxError, Undefined};
use prompty_core::diagnostic::{SourceText, Span};
use prompty_core::error::{Error, ErrorKind};
use prompty_core::text::slice;
use prompty_core::value::Value;

/// What a [`PipelineBuilder`](super::PipelineBuilder) was told.
#[derive(Debug, Clone)]
pub(super) struct Options {
    pub(super) registry: Registry,
    pub(super) limits: RenderLimits,
    pub(super) undefined: Undefined,
    pub(super) on_forged_marker: OnForgedMarker,
    pub(super) traces_inputs: bool,
}

/// Everything that a pipeline needs to know of a prompt; a definition gives it, and so does a typed
/// prompt.
#[derive(Clone)]
pub(crate) struct Blueprint {
    pub(crate) name: Arc<str>,
    pub(crate) source: SourceText,
    pub(crate) body: Span,
    pub(crate) format: String,
    pub(crate) parser: String,
    pub(crate) strict: bool,
    pub(crate) inputs: Vec<BlueprintInput>,
}

/// The source and the defaults may hold credentials.
impl fmt::Debug for Blueprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inputs: Vec<&str> = self.inputs.iter().map(|input| input.name.as_str()).collect();
        f.debug_struct("Blueprint")
            .field("name", &self.name)
            .field("source", &self.source.name())
            .field("format", &self.format)
            .field("parser", &self.parser)
            .field("strict", &self.strict)
            .field("inputs", &inputs)
            .finish_non_exhaustive()
    }
}

impl Blueprint {
    /// The template's text.
    pub(super) fn template(&self) -> &str {
        slice(self.source.text(), self.body.start..self.body.end)
    }

    /// A mistake in the template's syntax as an error that says the line of the source.
    pub(super) fn refused(&self, error: SyntaxError) -> Error {
        let place = self.source.place(self.body.start + error.span.start);
        let refused = Error::new(ErrorKind::TemplateSyntax, error.message).at(place);
        match error.help {
            Some(help) => refused.with_help(help),
            None => refused,
        }
    }
}

/// An input of a [`Blueprint`].
#[derive(Clone)]
pub(crate) struct BlueprintInput {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) required: bool,
    pub(crate) default: Option<Value>,
    pub(crate) strict: bool,
}
